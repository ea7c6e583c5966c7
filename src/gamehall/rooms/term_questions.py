"""Questions about the terms of any game that lets players choose some."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from gamehall.core import Game, MoveT, Seat
from gamehall.rooms.negotiated_table import AnswerTextError, Questions
from gamehall.rooms.requests import ProposedTerms

SEAT: Final = "seat"


class TermQuestions(Questions[MoveT]):
    """Asks for each term that the game offers a choice of, and for the seat.

    A value need not be among those that are offered: the game says what it allows.
    """

    def __init__(self, game: Game[MoveT]) -> None:
        """`game`: on the usual terms."""
        self._game = game
        self._terms = tuple(choice.name for choice in game.term_choices)
        self.names = (*self._terms, SEAT)

    @property
    def usual(self) -> dict[str, str]:
        """The usual answers, by question."""
        terms = {name: str(getattr(self._game, name)) for name in self._terms}
        return {**terms, SEAT: str(Seat.FIRST.value)}

    def read(self, question: str, text: str, answers: Mapping[str, object]) -> object:
        if question == SEAT:
            if text not in ("1", "2"):
                raise AnswerTextError("seat must be 1 or 2")
            return Seat(int(text))
        kind = type(getattr(self._game, question))
        try:
            value = kind(text)
            self._game_on({**answers, question: value})
        except ValueError as error:
            raise AnswerTextError(str(error)) from None
        return value

    def read_terms(self, proposed: ProposedTerms) -> dict[str, object]:
        unknown = sorted(proposed.terms.keys() - set(self._terms))
        if unknown:
            known = ", ".join(self._terms)
            raise AnswerTextError(f"{', '.join(unknown)}: the terms to choose are {known}")
        texts = self.usual | {name: str(value) for name, value in proposed.terms.items()}
        texts[SEAT] = str((proposed.seat or Seat.FIRST).value)
        answers: dict[str, object] = {}
        for question in self.names:
            answers[question] = self.read(question, texts[question], answers)
        return answers

    def write_terms(self, answers: Mapping[str, object]) -> ProposedTerms:
        terms: dict[str, Any] = {name: answers[name] for name in self._terms}
        return ProposedTerms(terms, cast("Seat", answers[SEAT]))

    def agree(self, answers: Mapping[str, object]) -> tuple[Game[MoveT], Seat]:
        return self._game_on(answers), cast("Seat", answers[SEAT])

    def _game_on(self, answers: Mapping[str, object]) -> Game[MoveT]:
        """Return the game on these terms. Raises ValueError."""
        terms = {name: value for name, value in answers.items() if name != SEAT}
        game: Game[MoveT] = replace(self._game, **terms)  # type: ignore[type-var]
        return game

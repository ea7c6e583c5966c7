"""What the first player is asked about the terms of the game."""

import math
from collections.abc import Mapping
from typing import ClassVar, Final, cast

from gamehall.core import Game, Seat
from gamehall.games.go import LARGEST, SMALLEST, Go, Move
from gamehall.protocols.go_text import messages
from gamehall.protocols.go_text.settings import GoTextSettings
from gamehall.rooms.negotiated_table import AnswerTextError, Questions
from gamehall.rooms.requests import ProposedTerms

TERM_OF_QUESTION: Final = {"boardsize": "size", "handicap": "handicap", "komi": "komi"}
"""The terms of the game that are asked for; `color` asks for a seat."""


class GoQuestions(Questions[Move]):
    """boardsize, color, handicap, komi."""

    # In this order, one after the other (G-02, G-Q03).
    names: ClassVar[tuple[str, ...]] = ("boardsize", "color", "handicap", "komi")

    def __init__(self, settings: GoTextSettings) -> None:
        self._settings = settings

    def read(self, question: str, text: str, answers: Mapping[str, object]) -> object:
        match question:
            case "boardsize":
                return _whole(question, text, SMALLEST, LARGEST)
            case "color":
                seat = messages.SEAT_OF_COLOUR.get(text.lower())
                if seat is None:
                    raise AnswerTextError("color must be 1 (black) or 2 (white)")
                return seat
            case "handicap":
                return _whole(question, text, 0, _points(answers) - 1)
            case _:
                return _komi(text, _points(answers))

    def read_terms(self, proposed: ProposedTerms) -> dict[str, object]:
        terms = proposed.terms
        unknown = sorted(terms.keys() - TERM_OF_QUESTION.values())
        if unknown:
            known = ", ".join(TERM_OF_QUESTION.values())
            raise AnswerTextError(f"{', '.join(unknown)}: the terms to choose are {known}")
        usual = Go()
        texts = {
            question: str(terms.get(term, getattr(usual, term)))
            for question, term in TERM_OF_QUESTION.items()
        }
        texts["color"] = str(messages.COLOURS[proposed.seat or Seat.FIRST])
        answers: dict[str, object] = {}
        for question in self.names:
            answers[question] = self.read(question, texts[question], answers)
        return answers

    def write_terms(self, answers: Mapping[str, object]) -> ProposedTerms:
        terms = {
            term: cast("int | float", answers[question])
            for question, term in TERM_OF_QUESTION.items()
        }
        return ProposedTerms({**terms}, cast("Seat", answers["color"]))

    def agree(self, answers: Mapping[str, object]) -> tuple[Game[Move], Seat]:
        game = Go(
            size=cast("int", answers["boardsize"]),
            komi=cast("float", answers["komi"]),
            handicap=cast("int", answers["handicap"]),
            handicap_first=self._settings.handicap_first.seat,
            ko=self._settings.ko,
            suicide=self._settings.suicide,
            scoring=self._settings.scoring,
        )
        return game, cast("Seat", answers["color"])


def _points(answers: Mapping[str, object]) -> int:
    """How many points the board has that was asked for."""
    return cast("int", answers["boardsize"]) ** 2


def _whole(question: str, text: str, least: int, most: int) -> int:
    number = messages.read_whole(text)
    if number is None or not least <= number <= most:
        raise AnswerTextError(f"{question} must be a whole number from {least} to {most}")
    return number


def _komi(text: str, most: int) -> float:
    try:
        komi = float(text) if text.isascii() and "_" not in text and len(text) <= 20 else math.nan
    except ValueError:
        komi = math.nan
    # Not a number is in no range.
    if not abs(komi) <= most:
        raise AnswerTextError(f"komi must be a number from -{most} to {most}, as in 6.5")
    # Both hear all of it in TERMS, which also has no minus zero.
    return round(komi, messages.DIGITS) + 0.0

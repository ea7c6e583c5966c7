"""The questions about the terms of the game."""

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
"""The questions about terms of the game; `color` asks for a seat instead."""


class GoQuestions(Questions[Move]):
    # G-02, G-Q03: one after the other, in this order.
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
            raise AnswerTextError(f"unknown terms {', '.join(unknown)}: use {known}")
        default = Go()
        texts = {
            question: str(terms.get(term, getattr(default, term)))
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
    """Return the number of points on the board."""
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
    # NaN fails every comparison.
    if not abs(komi) <= most:
        raise AnswerTextError(f"komi must be a number from -{most} to {most}, as in 6.5")
    # Round to what TERMS can show; adding 0.0 turns -0.0 into 0.0.
    return round(komi, messages.DIGITS) + 0.0

"""Go: surround territory, and capture stones that have no liberties.

Black and white place stones on the points of the board in turn. A chain of stones without an
adjacent empty point is captured. Depending on the terms, a move may not repeat an earlier position
(ko), nor leave one's own stones without liberties (suicide). Two passes in a row end the game; the
player with more territory and captured stones wins, with komi added for white. Players do not agree
on dead stones: all stones on the board at the end count as alive.

Terms: the `size` of the board, 2 to 25; `komi`; `handicap`, the number of stones that black may
place first, and `handicap_first`, the seat that moves after them; the `ko` rule; whether `suicide`
is allowed; the `scoring`.
"""

from dataclasses import dataclass
from typing import ClassVar

from gamehall.core import Game, TermChoice, check_text, quoted
from gamehall.games.go import notation
from gamehall.games.go.board import Move, Pass, Point, Stone
from gamehall.games.go.position import (
    GoPosition,
    GoTerms,
    Ko,
    Scoring,
    StoneRefusedError,
)

__all__ = [
    "GAME",
    "LARGEST",
    "SMALLEST",
    "Go",
    "GoPosition",
    "Ko",
    "Move",
    "Pass",
    "Point",
    "Scoring",
    "Stone",
    "StoneRefusedError",
]

SMALLEST, LARGEST = 2, 25


@dataclass(frozen=True, slots=True)
class Go(GoTerms, Game[Move]):
    """The rules of Go on agreed terms."""

    name: ClassVar[str] = "go"
    title: ClassVar[str] = "Go"
    seat_titles: ClassVar[tuple[str, str]] = ("Black", "White")
    term_choices: ClassVar[tuple[TermChoice, ...]] = (
        TermChoice("size", "Board", ((19, "19 x 19"), (13, "13 x 13"), (9, "9 x 9"))),
        TermChoice(
            "handicap",
            "Handicap",
            ((0, "none"), *((stones, f"{stones} stones") for stones in range(2, 10))),
        ),
        TermChoice("komi", "Komi", tuple((komi, f"{komi:g}") for komi in (6.5, 7.5, 5.5, 0.5, 0))),
    )

    def __post_init__(self) -> None:
        Game.__post_init__(self)
        if not SMALLEST <= self.size <= LARGEST:
            raise ValueError(f"size must be {SMALLEST} to {LARGEST} lines, not {quoted(self.size)}")
        if not 0 <= self.handicap < self.size**2:
            raise ValueError(
                f"handicap must be 0 to {self.size**2 - 1} stones, not {quoted(self.handicap)}"
            )
        if not abs(self.komi) <= self.size**2:
            raise ValueError(f"komi must be at most {self.size**2}, not {quoted(self.komi)}")

    def start(self, seed: int = 0) -> GoPosition:
        return GoPosition.start(self)

    def write_move(self, move: Move) -> str:
        return notation.write(move, self.size)

    def read_move(self, text: str) -> Move:
        check_text(text)
        return notation.read(text, self.size)


GAME = Go

"""Nim with one heap: take one to three counters; the player who takes the last one wins."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

from gamehall.core import Game, IllegalMove, Outcome, Position, Seat, check_text, clause, quoted

MOST = 3
LAST_TAKEN = "took the last counter"


class NimPosition(Position[int], frozen=True):
    """A heap of counters. A move is how many of them to take."""

    heap: int
    next_seat: Seat

    def legal_moves(self) -> Iterator[int]:
        yield from range(1, min(MOST, self.heap) + 1)

    def after(self, move: int) -> Self:
        if type(move) is not int or not 1 <= move <= min(MOST, self.heap):
            raise IllegalMove(f"take 1 to {min(MOST, self.heap)} counters, not {quoted(move)}")
        heap, other = self.heap - move, self.next_seat.other
        outcome = None if heap else Outcome(self.next_seat, LAST_TAKEN)
        return type(self)(
            to_move=other if heap else None, outcome=outcome, heap=heap, next_seat=other
        )

    def picture(self) -> str:
        dots = "".join(f'<circle cx="{20 * i + 10}" cy="10" r="8"/>' for i in range(self.heap))
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 20" role="img">'
            f"<title>Nim</title>{dots}</svg>"
        )

    def diagram(self) -> str:
        return "o " * self.heap + "\n"


@dataclass(frozen=True, slots=True)
class Nim(Game[int]):
    """The rules of Nim on agreed terms."""

    name: ClassVar[str] = "nim"
    title: ClassVar[str] = "Nim"

    counters: int = 21

    def __post_init__(self) -> None:
        Game.__post_init__(self)
        if not 1 <= self.counters <= 40:
            raise ValueError(f"counters must be 1 to 40, not {quoted(self.counters)}")

    def start(self, seed: int = 0) -> NimPosition:
        return NimPosition(
            to_move=Seat.FIRST, outcome=None, heap=self.counters, next_seat=Seat.FIRST
        )

    def write_move(self, move: int) -> str:
        if type(move) is not int or not 1 <= move <= MOST:
            raise ValueError(f"{quoted(move)} is not a number of counters from 1 to {MOST}")
        return str(move)

    def read_move(self, text: str) -> int:
        check_text(text)
        if text not in {str(number) for number in range(1, MOST + 1)}:
            raise ValueError(f"{text!r} is not a number of counters from 1 to {MOST}")
        return int(text)

    @classmethod
    def why_won(cls, reason: str, winner: str, loser: str) -> str:
        return clause(winner, "took", "the last counter") if reason == LAST_TAKEN else reason

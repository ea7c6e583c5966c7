"""A bot that knows how Nim is won."""

from gamehall.bots import Bot, BotKind
from gamehall.core import Position, Seat
from gamehall_nim import MOST, NimPosition


class PerfectNim(Bot[int]):
    """Leaves a multiple of four counters whenever that is possible."""

    def __init__(self, seed: int = 0) -> None:
        """The seed is for bots that use chance."""

    def choose(self, position: Position[int], seat: Seat, seconds_left: float | None) -> int:
        assert isinstance(position, NimPosition)
        return position.heap % (MOST + 1) or 1


BOTS = (BotKind("perfect", "nim", "wins if that is possible", "gamehall_nim.bot:PerfectNim"),)

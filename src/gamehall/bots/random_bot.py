"""A bot that moves at random, in any game."""

from typing import Any

from gamehall.bots.bot import Bot
from gamehall.core import Position, Seat, SeededRandom


class RandomBot(Bot[Any]):
    """Makes any legal move, each as likely as the other."""

    def __init__(self, seed: int) -> None:
        self._shuffler = SeededRandom(seed)

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        return self._shuffler.pick(list(position.legal_moves()))

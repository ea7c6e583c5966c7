"""How long a bot may think: it is told the time, and never asks for more than it has."""

from collections.abc import Callable
from typing import TypeAlias

Clock: TypeAlias = Callable[[], float]
"""Gives the time in seconds, from any beginning."""

SHARE_TO_USE = 0.8
"""Of the time that is left for a move: the rest is for the way to the server and back."""
SECONDS_TO_SPARE = 0.05


class Budget:
    """The time for one move. It begins when it is made."""

    def __init__(self, clock: Clock, seconds_wanted: float, seconds_left: float | None) -> None:
        """`seconds_left`: how long the server waits for the move, None if there is no limit."""
        seconds = seconds_wanted
        if seconds_left is not None:
            seconds = min(seconds, SHARE_TO_USE * seconds_left - SECONDS_TO_SPARE)
        self._clock = clock
        self._began = clock()
        self.seconds = max(seconds, 0.0)

    @property
    def spent(self) -> float:
        """How many seconds have passed."""
        return self._clock() - self._began

    @property
    def is_spent(self) -> bool:
        """Whether it is time to move."""
        return self.spent >= self.seconds

"""How long a person may still think."""

from collections.abc import Callable


class TurnClock:
    """Counts down the seconds of a turn, on a clock that somebody else reads.

    No document has the server tell how many there are, so this is what the person was told before.
    """

    def __init__(self, seconds_per_turn: float | None, clock: Callable[[], float]) -> None:
        """`seconds_per_turn` is None if there is no limit."""
        self.seconds_per_turn = seconds_per_turn
        self._clock = clock
        self._began = clock()

    def begin(self) -> None:
        """A turn begins."""
        self._began = self._clock()

    @property
    def seconds_left(self) -> float | None:
        """Of the turn that began last, None if there is no limit."""
        if self.seconds_per_turn is None:
            return None
        return max(0.0, self._began + self.seconds_per_turn - self._clock())

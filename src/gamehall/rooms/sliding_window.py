"""How often something has happened of late."""

from collections import deque


class SlidingWindow:
    """Counts what happens within any stretch of so many seconds."""

    __slots__ = ("_most", "_seconds", "_times")

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._times: deque[float] = deque()

    def restart(self) -> None:
        """Forget what has been counted."""
        self._times.clear()

    def is_empty(self, now: float) -> bool:
        """Return True if nothing that was counted matters any more."""
        return not self._times or self._times[-1] <= now - self._seconds

    def count(self, now: float) -> bool:
        """It has happened once more. Whether that was not too often."""
        while self._times and self._times[0] <= now - self._seconds:
            self._times.popleft()
        if len(self._times) >= self._most:
            return False
        self._times.append(now)
        return True

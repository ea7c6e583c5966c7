"""How often something may happen: limits that are told the time."""

from collections import deque


class TokenBucket:
    """So much per second, saved up for at most a given amount: a leaky bucket without a timer.

    Instead of a level it keeps the moment at which everything spent so far is worked off.
    """

    __slots__ = ("_seconds_each", "_seconds_saved", "_worked_off_at")

    def __init__(self, per_second: float, at_once: float) -> None:
        """`per_second` 0 means without limit."""
        self._seconds_each = 1 / per_second if per_second else 0.0
        self._seconds_saved = at_once * self._seconds_each
        self._worked_off_at = 0.0

    @property
    def again_at(self) -> float:
        """When there is something left again."""
        return self._worked_off_at - self._seconds_saved

    def spend(self, amount: float, now: float) -> bool:
        """Spends `amount`, whether it is there or not, and says whether anything is left then."""
        start = now if self._worked_off_at < now else self._worked_off_at
        self._worked_off_at = start + amount * self._seconds_each
        return not self._seconds_each or self._worked_off_at - self._seconds_saved < now

    def take(self, amount: float, now: float) -> bool:
        """Spends `amount` if anything is left, and says whether there was.

        So a single large amount may overdraw it; what follows then waits for longer.
        """
        if self._seconds_each and self._worked_off_at - self._seconds_saved >= now:
            return False
        self.spend(amount, now)
        return True


class SlidingWindow:
    """Counts what happens within any stretch of so many seconds."""

    __slots__ = ("_most", "_seconds", "_times")

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._times: deque[float] = deque()

    def times(self, now: float) -> list[float]:
        """Return when everything happened that still counts."""
        self._forget_before(now - self._seconds)
        return list(self._times)

    def restart(self) -> None:
        """Forget what has been counted."""
        self._times.clear()

    def count(self, now: float) -> bool:
        """It has happened once more. Whether that was not too often."""
        self._forget_before(now - self._seconds)
        if len(self._times) >= self._most:
            return False
        self._times.append(now)
        return True

    def _forget_before(self, time: float) -> None:
        while self._times and self._times[0] <= time:
            self._times.popleft()

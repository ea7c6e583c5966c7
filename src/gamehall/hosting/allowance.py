"""How much a peer may do at a time."""


class Allowance:
    """So much per second, saved up for at most a given amount: a leaky bucket without a timer.

    Instead of a level it keeps the moment at which everything taken so far is worked off.
    """

    __slots__ = ("_seconds_each", "_seconds_saved", "_worked_off_at")

    def __init__(self, per_second: float, at_once: float) -> None:
        """`per_second` 0 means without limit."""
        self._seconds_each = 1 / per_second if per_second else 0.0
        self._seconds_saved = at_once * self._seconds_each
        self._worked_off_at = 0.0

    @property
    def again_at(self) -> float:
        """When there is something to take again."""
        return self._worked_off_at - self._seconds_saved

    def take(self, amount: float, now: float) -> bool:
        """Takes `amount` if there is anything left, and says whether there was.

        So a single large amount may overdraw it; what follows then waits for longer.
        """
        if not self._seconds_each:
            return True
        worked_off_at = self._worked_off_at
        if worked_off_at - self._seconds_saved >= now:
            return False
        start = now if worked_off_at < now else worked_off_at
        self._worked_off_at = start + amount * self._seconds_each
        return True

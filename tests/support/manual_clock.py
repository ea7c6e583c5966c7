"""A clock that the test moves."""


class ManualClock:
    """Returns `now`, in seconds, which the test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now

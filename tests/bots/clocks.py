"""Clocks and budgets for bots under test."""

from itertools import count

from gamehall.bots.bot import Budget, TimeSource


def ticking_clock(seconds_per_call: float) -> TimeSource:
    """Return a clock that advances by this much with each call, and not otherwise."""
    calls = count()
    return lambda: next(calls) * seconds_per_call


def unlimited() -> Budget:
    """Return a budget whose clock stands still."""
    return Budget(lambda: 0.0, 1.0, None)

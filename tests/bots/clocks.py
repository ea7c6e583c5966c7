"""A clock for bots under test."""

from itertools import count

from gamehall.bots.bot import Clock


def ticking_clock(seconds_per_call: float) -> Clock:
    """Return a clock that advances by this much with each call, and not otherwise."""
    calls = count()
    return lambda: next(calls) * seconds_per_call

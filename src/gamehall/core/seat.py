"""The two sides of a match."""

from enum import Enum


class Seat(Enum):
    """One of the two places at a table. FIRST is the one who makes the first move of a match."""

    FIRST = 1
    SECOND = 2

    other: "Seat"
    """The seat across the table."""

    # A member is only equal to itself; Enum's own hash is a call of Python.
    __hash__ = object.__hash__


Seat.FIRST.other = Seat.SECOND
Seat.SECOND.other = Seat.FIRST

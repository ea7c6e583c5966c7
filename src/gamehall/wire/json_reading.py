"""Small things that every protocol of JSON values needs."""

from typing import Final

import msgspec

LARGEST: Final = 2**53
"""Larger whole numbers mean nothing that everybody would read alike, in JSON or anywhere here."""


def whole_number(value: object, as_floats: bool = True) -> int | None:
    """The whole number that a JSON number is; None if it is none.

    `as_floats`: whether it may also be written like 1.0.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not (as_floats and value.is_integer()):
        return None
    return int(value) if abs(value) <= LARGEST else None


def two_whole_numbers(value: object, as_floats: bool = True) -> tuple[int, int] | None:
    """The numbers of a JSON array of exactly two; None if it is something else."""
    if not isinstance(value, list) or len(value) != 2:
        return None
    one, other = whole_number(value[0], as_floats), whole_number(value[1], as_floats)
    return None if one is None or other is None else (one, other)


def two_words(value: object) -> tuple[str, str] | None:
    """The strings of a JSON array of exactly two; None if it is something else."""
    if isinstance(value, list) and len(value) == 2:
        one, other = value
        if isinstance(one, str) and isinstance(other, str):
            return one, other
    return None


def lists_in(value: object) -> list[list[object]]:
    """The arrays in a JSON array; none if it is something else, or something else is in it."""
    if isinstance(value, list) and all(isinstance(part, list) for part in value):
        return value
    return []


def write_line(value: object) -> bytes:
    """A message: the value on one line, compactly (X-03). Not checked: that its text is ASCII."""
    return msgspec.json.encode(value) + b"\n"

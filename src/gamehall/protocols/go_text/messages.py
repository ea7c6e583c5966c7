"""Read and write the parts of lines of the Go protocol."""

from gamehall.core import Seat

LONGEST_NUMBER = 10
"""Characters of a whole number, more than any meaningful one has."""

DIGITS = 10
"""Digits after the point of a number."""

# How TERMS writes the color of the player who reads it (G-07).
COLOURS = {Seat.FIRST: 1, Seat.SECOND: 2}
SEAT_OF_COLOUR = {
    "1": Seat.FIRST,
    "black": Seat.FIRST,
    "b": Seat.FIRST,
    "2": Seat.SECOND,
    "white": Seat.SECOND,
    "w": Seat.SECOND,
}

AGREEMENT = {"yes": True, "y": True, "no": False, "n": False}


def write(name: str, *parameters: object) -> bytes:
    """Return a message as a line. Not checked: that no parameter contains a line break."""
    return " ".join([name, *map(str, parameters)]).encode("ascii", "replace") + b"\n"


def write_float(value: float) -> str:
    """Return a plain decimal with at least one digit after the point (G-Q25)."""
    whole, _, part = f"{value:.{DIGITS}f}".partition(".")
    return f"{whole}.{part.rstrip('0') or '0'}"


def read_whole(text: str) -> int | None:
    """Return a whole number, None if it is not one or too long."""
    digits = text.lstrip("+-")
    if not (digits.isascii() and digits.isdecimal()) or len(text) > LONGEST_NUMBER:
        return None
    if len(text) - len(digits) > 1:
        return None
    return int(text)


def without_quotes(text: str) -> str:
    """Return a value without the quotation marks around it (G-Q02)."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text


def quote(text: str) -> str:
    """Return the beginning of a client's text, with control characters escaped."""
    return repr(text[:40])

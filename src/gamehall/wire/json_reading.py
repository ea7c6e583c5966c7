"""Small things that every protocol of JSON values needs."""

import msgspec


def whole_number(value: object) -> int | None:
    """The whole number that a JSON number is, also one written like 1.0; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value // 1 and abs(value) < 1 << 53 else None


def two_whole_numbers(value: object) -> tuple[int, int] | None:
    """The numbers of a JSON array of exactly two; None if it is something else."""
    if not isinstance(value, list) or len(value) != 2:
        return None
    one, other = whole_number(value[0]), whole_number(value[1])
    return None if one is None or other is None else (one, other)


def two_words(value: object) -> tuple[str, str] | None:
    """The strings of a JSON array of exactly two; None if it is something else."""
    match value:
        case [str(one), str(other)]:
            return one, other
        case _:
            return None


def write_line(value: object) -> bytes:
    """A message: the value on one line, compactly (X-03). Not checked: that its text is ASCII."""
    return msgspec.json.encode(value) + b"\n"

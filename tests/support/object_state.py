"""Everything that a thing consists of, in writing, so that two of them can be compared."""

import random
from collections import deque
from collections.abc import Mapping
from enum import Enum

import msgspec


def describe_state(thing: object, without: tuple[type, ...] = ()) -> str:
    """A line for each part, and for each of its parts. What is met again is only named.

    Of functions, and of things of a kind that is to be left out, only the name is looked at.
    """
    lines: list[str] = []
    known: dict[int, tuple[int, object]] = {}

    def draw(one: object) -> None:
        if isinstance(one, float) and one.is_integer():
            one = int(one)
        if one is None or isinstance(one, bool | int | float | str | bytes | Enum | type):
            lines.append(repr(one))
            return
        if isinstance(one, without):
            lines.append(type(one).__qualname__)
            return
        if not _is_value(one):
            if id(one) in known:
                lines.append(f"number {known[id(one)][0]}")
                return
            # Kept, so that no other thing gets the same id meanwhile.
            known[id(one)] = len(known), one
        lines.append(type(one).__qualname__)
        match one:
            case random.Random():
                lines.append(repr(one.getstate()))
            case Mapping():
                for pair in one.items():
                    draw(pair)
            case set() | frozenset():
                lines.extend(sorted(describe_state(part, without) for part in one))
            case list() | tuple() | deque():
                for part in one:
                    draw(part)
            case _ if callable(one):
                lines.append(getattr(one, "__qualname__", ""))
            case _:
                for name in _names_of_parts(one):
                    if hasattr(one, name):
                        lines.append(name)
                        draw(getattr(one, name))

    draw(thing)
    return "\n".join(lines)


def _is_value(one: object) -> bool:
    """Whether it cannot matter that two places have the same one."""
    is_frozen = isinstance(one, msgspec.Struct) and one.__struct_config__.frozen
    return is_frozen or isinstance(one, tuple | frozenset)


def _names_of_parts(one: object) -> list[str]:
    names = [*getattr(one, "__dict__", ()), *getattr(one, "__struct_fields__", ())]
    for kind in type(one).__mro__:
        slots = getattr(kind, "__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return names

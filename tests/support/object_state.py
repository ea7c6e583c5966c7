"""Describe the complete state of objects as text, to compare two of them."""

import random
from collections import deque
from collections.abc import Mapping
from enum import Enum

import msgspec


def describe_state(value: object, without: tuple[type, ...] = ()) -> str:
    """Return one line for each attribute or item, recursively.

    An object that occurs again is given by its number. Of functions and of objects of the types in
    `without`, only the name is given.
    """
    lines: list[str] = []
    known: dict[int, tuple[int, object]] = {}

    def add(part: object) -> None:
        if isinstance(part, float) and part.is_integer():
            part = int(part)
        if part is None or isinstance(part, bool | int | float | str | bytes | Enum | type):
            lines.append(repr(part))
            return
        if isinstance(part, without):
            lines.append(type(part).__qualname__)
            return
        if not _is_value(part):
            if id(part) in known:
                lines.append(f"number {known[id(part)][0]}")
                return
            # Keep a reference so that no other object gets the same id.
            known[id(part)] = len(known), part
        lines.append(type(part).__qualname__)
        match part:
            case random.Random():
                lines.append(repr(part.getstate()))
            case Mapping():
                for pair in part.items():
                    add(pair)
            case set() | frozenset():
                lines.extend(sorted(describe_state(item, without) for item in part))
            case list() | tuple() | deque():
                for item in part:
                    add(item)
            case _ if callable(part):
                lines.append(getattr(part, "__qualname__", ""))
            case _:
                for name in _attribute_names(part):
                    if hasattr(part, name):
                        lines.append(name)
                        add(getattr(part, name))

    add(value)
    return "\n".join(lines)


def _is_value(part: object) -> bool:
    """Return True if it does not matter whether two places share the object."""
    is_frozen = isinstance(part, msgspec.Struct) and part.__struct_config__.frozen
    return is_frozen or isinstance(part, tuple | frozenset)


def _attribute_names(part: object) -> list[str]:
    names = [*getattr(part, "__dict__", ()), *getattr(part, "__struct_fields__", ())]
    for kind in type(part).__mro__:
        slots = getattr(kind, "__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return names

"""Describe the complete state of objects as text, to compare two of them."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from enum import Enum
from random import Random
from typing import Any, NamedTuple

import msgspec

from gamehall.rooms.timing import Deadlines

PLAIN = (type(None), bool, int, float, str, bytes, Enum)


class _Options(NamedTuple):
    without: tuple[type, ...]
    skipped: Callable[[object], Set[str]]
    unordered: Set[str]


def describe_state(
    value: object,
    without: tuple[type, ...] = (),
    skipped: Callable[[object], Set[str]] = lambda owner: frozenset(),
    unordered: Set[str] = frozenset(),
) -> str:
    """Return one line for each attribute or item, recursively.

    An object that occurs again is given by its first path, a function by its name.

    Args:
        without: types of objects of which only the name is given.
        skipped: returns the attributes of an object that are left out.
        unordered: attributes whose order does not matter.
    """
    return "\n".join(_walk("it", value, {}, _Options(without, skipped, unordered)))


def _walk(
    path: str, thing: Any, known: dict[int, tuple[str, object]], options: _Options
) -> Iterator[str]:
    if isinstance(thing, PLAIN):
        # Settings may say 10 where the journal has 10.0.
        whole = int(thing) if isinstance(thing, float) and thing.is_integer() else thing
        yield f"{path} = {whole!r}"
        return
    if isinstance(thing, options.without):
        yield f"{path} = {type(thing).__qualname__}"
        return
    if id(thing) in known:
        yield f"{path} is {known[id(thing)][0]}"
        return
    if not _is_value(thing):
        # Keep a reference so that no other object gets the same id.
        known[id(thing)] = path, thing
    is_unordered = path.rpartition(".")[2] in options.unordered
    match thing:
        case Random():
            yield f"{path} = {hash(thing.getstate())}"
        case Mapping():
            items: Iterable[tuple[Any, Any]] = thing.items()
            if is_unordered:
                items = sorted(items, key=lambda item: _order(item[0]))
            yield from _walk_pairs(path, items, known, options)
        case set() | frozenset():
            yield f"{path} = {sorted(map(repr, thing)) if _are_plain(thing) else len(thing)}"
        case list() | tuple() | deque():
            is_sorted = is_unordered and _are_plain(thing)
            for number, item in enumerate(sorted(thing) if is_sorted else thing):
                yield from _walk(f"{path}.{number}", item, known, options)
        case Deadlines():
            # The heap may contain removed deadlines, and the order of equal ones does not matter.
            pairs = sorted(
                thing._when.items(),
                key=lambda pair: (pair[1], pair[0] if isinstance(pair[0], int) else 0),
            )
            yield from _walk_pairs(path, pairs, known, options)
        case _ if callable(thing):
            yield f"{path} = {getattr(thing, '__qualname__', type(thing).__qualname__)}"
        case _:
            yield f"{path} = {type(thing).__qualname__}"
            skipped = options.skipped(thing)
            for name in _attribute_names(thing):
                if name not in skipped and hasattr(thing, name):
                    yield from _walk(f"{path}.{name}", getattr(thing, name), known, options)


def _walk_pairs(
    path: str,
    pairs: Iterable[tuple[Any, Any]],
    known: dict[int, tuple[str, object]],
    options: _Options,
) -> Iterator[str]:
    for number, (key, item) in enumerate(pairs):
        yield from _walk(f"{path}.key{number}", key, known, options)
        yield from _walk(f"{path}.{number}", item, known, options)


def _order(key: Any) -> Any:
    return key.value if isinstance(key, Enum) else key


def _is_value(thing: Any) -> bool:
    """Return True for immutable values, whose identity does not matter."""
    if isinstance(thing, msgspec.Struct):
        return thing.__struct_config__.frozen
    frozen = getattr(getattr(thing, "__dataclass_params__", None), "frozen", False)
    return frozen or isinstance(thing, tuple | frozenset)


def _are_plain(things: Iterable[Any]) -> bool:
    return all(isinstance(thing, PLAIN) for thing in things)


def _attribute_names(thing: Any) -> list[str]:
    if isinstance(thing, msgspec.Struct):
        return list(thing.__struct_fields__)
    slots: set[str] = set()
    for kind in type(thing).__mro__:
        names = getattr(kind, "__slots__", ())
        slots |= {names} if isinstance(names, str) else {*names}
    return sorted({*slots, *getattr(thing, "__dict__", {})} - {"__dict__", "__weakref__"})

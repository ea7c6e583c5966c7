"""Fingerprints: the whole state of a room as text, so that two rooms can be compared."""

from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from random import Random
from typing import Any

import msgspec

from gamehall.rooms.open_table import ChatHistory, OpenTable
from gamehall.rooms.polled_table import PolledTable
from gamehall.rooms.timing import Deadlines, TokenBucket

UNUSED = {"joined_at"}
"""Attributes that are unused after a tournament has begun."""

HANDED_OUT = {"_reaction", "records", "_log", "log_lines", "_compaction", "_has_begun"}
"""What a room returns once; a restored room has returned it before."""

COUNTERS = {"_changes", "_earlier_versions", "_delays", "_finished"}
"""Versions of views; the host adjusts them after a restart."""

UNORDERED = {"_members", "_players", "_peers", "used", "since", "_pinged_at", "_heard_at"}
"""Attributes whose order does not matter."""

PASSING = {"_waiting", "deadline"}
"""Attributes that depend on polls, which are not journaled."""

CACHES = {"_snapshots", "_entries_since_start", "_now", "_refused"}
"""Attributes that do not determine the room."""

PLAIN = (type(None), bool, int, float, str, bytes, Enum)


def fingerprint(room: object) -> str:
    """Return the state of a room, except what need not be restored."""
    return "\n".join(_walk("room", room, {}))


def difference(one: str, other: str) -> str:
    """Return the first lines in which two fingerprints differ."""
    for mine, yours in zip(one.splitlines(), other.splitlines(), strict=False):
        if mine != yours:
            return f"{mine!r} is not {yours!r}"
    return "one is longer than the other"


def _walk(path: str, thing: Any, seen: dict[int, str]) -> Iterator[str]:
    if isinstance(thing, PLAIN):
        # Settings may say 10 where the journal has 10.0.
        whole = int(thing) if isinstance(thing, float) and thing.is_integer() else thing
        yield f"{path} = {whole!r}"
        return
    if id(thing) in seen:
        yield f"{path} is {seen[id(thing)]}"
        return
    if not _is_value(thing):
        seen[id(thing)] = path
    if isinstance(thing, Random):
        yield f"{path} = {hash(thing.getstate())}"
    elif isinstance(thing, dict):
        items = (
            sorted(thing.items(), key=lambda item: _order(item[0]))
            if _is_unordered(path)
            else thing.items()
        )
        for number, (key, value) in enumerate(items):
            yield from _walk(f"{path}.key{number}", key, seen)
            yield from _walk(f"{path}.{number}", value, seen)
    elif isinstance(thing, set | frozenset):
        yield f"{path} = {sorted(map(repr, thing)) if _are_plain(thing) else len(thing)}"
    elif isinstance(thing, list | tuple | deque):
        is_unordered = _is_unordered(path) and _are_plain(thing)
        for number, value in enumerate(sorted(thing) if is_unordered else thing):
            yield from _walk(f"{path}.{number}", value, seen)
    elif isinstance(thing, Deadlines):
        # The heap may contain removed deadlines, and the order of equal ones does not matter.
        order = [
            (when, key if isinstance(key, int) else 0, key) for key, when in thing._when.items()
        ]
        for number, (when, _, key) in enumerate(sorted(order, key=lambda one: one[:2])):
            yield from _walk(f"{path}.key{number}", key, seen)
            yield from _walk(f"{path}.{number}", when, seen)
    elif callable(thing) or isinstance(thing, TokenBucket | ChatHistory):
        yield f"{path} = {type(thing).__name__}"
    else:
        yield f"{path} = {type(thing).__name__}"
        skipped = HANDED_OUT | COUNTERS | UNUSED | CACHES
        if isinstance(thing, PolledTable):
            skipped |= PASSING
        if isinstance(thing, OpenTable) and thing._referee.result is None:
            # The names of former players are visible only when the match is over.
            skipped |= {"_names"}
        for name in _attributes(thing):
            if name not in skipped and hasattr(thing, name):
                yield from _walk(f"{path}.{name}", getattr(thing, name), seen)


def _order(key: Any) -> Any:
    return key.value if isinstance(key, Enum) else key


def _is_unordered(path: str) -> bool:
    return path.rpartition(".")[2] in UNORDERED


def _is_value(thing: Any) -> bool:
    """Return True for immutable values, whose identity does not matter."""
    if isinstance(thing, msgspec.Struct):
        return thing.__struct_config__.frozen
    frozen = getattr(getattr(thing, "__dataclass_params__", None), "frozen", False)
    return frozen or isinstance(thing, tuple | frozenset)


def _are_plain(things: Iterable[Any]) -> bool:
    return all(isinstance(thing, PLAIN) for thing in things)


def _attributes(thing: Any) -> list[str]:
    if isinstance(thing, msgspec.Struct):
        return list(thing.__struct_fields__)
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    return sorted({*slots, *getattr(thing, "__dict__", {})} - {"__dict__", "__weakref__"})

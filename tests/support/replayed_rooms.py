"""Check that every room that a test makes can be rebuilt from its journal.

`recorded` notes what each room is told and keeps of it what a journal would keep.
`check_replays` tells the same to a fresh room, through the journal's own encoding, and compares
what can be seen of both. `check_compactions` does the same with every compaction of the room that
the host might have taken instead of its journal.
"""

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple, TypeVar, get_args, get_origin
from weakref import WeakKeyDictionary

import msgspec
import pytest

from gamehall.core import Game, SecretRandom
from gamehall.rooms.negotiated_table import NegotiatedTable, Questions
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.polled_table import PolledTable
from gamehall.rooms.requests import Request
from gamehall.rooms.room import Codec, Entry, Peer, Reaction, Room
from gamehall.rooms.sign_up import SignUp
from gamehall.rooms.tournament import Tournament
from gamehall.rooms.view import RoomView

RoomT = TypeVar("RoomT", bound=Room[Any])

ROOMS: tuple[type[Room[Any]], ...] = (
    OpenTable,
    SignUp,
    Tournament,
    NegotiatedTable,
    PolledTable,
)


Step = bytes | Callable[[Any], None]
"""An encoded entry, or a change that a test has made by itself."""


class CompactedAt(NamedTuple):
    """A compaction, and where and with which view the room was then."""

    drawn: dict[str, int]
    entries: list[bytes]
    steps_before: int
    view: RoomView[Any]


class Recording:
    """How a room was made, and the journal of what it was told."""

    def __init__(
        self, make: Callable[[dict[str, int] | None], Room[Any]], codec: Codec[Any]
    ) -> None:
        """`make`: makes the room again, with its chance going on from what was drawn, if given."""
        self.make = make
        self.codec = codec
        self.entries: list[Step] = []
        self.compactions: list[CompactedAt] = []
        self.can_be_compacted = False
        """Whether its chance can go on from what was drawn."""
        self.is_inside = False
        """Whether the room is being told something: what it calls on itself is not news."""

    def note(self, entry: Entry[Any]) -> None:
        self.entries.append(self.codec.encode(entry))

    def note_compaction(self, room: Room[Any]) -> None:
        """Note what the host might take for the journal now, if there is something."""
        compaction = room.compact() if self.can_be_compacted else None
        if compaction is not None:
            entries = [self.codec.encode(entry) for entry in compaction.entries]
            self.compactions.append(
                CompactedAt(compaction.drawn, entries, len(self.entries), _lasting(room.view()))
            )


class Recordings:
    """The recordings of all rooms that are still referred to."""

    def __init__(self) -> None:
        self._of: WeakKeyDictionary[Room[Any], Recording] = WeakKeyDictionary()
        self._changed: set[Room[Any]] = set()
        self._is_off = False

    def begin(self, room: Room[Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Note how a room is made. Call it before the room draws from its shuffler."""
        if self._is_off:
            return
        # Copied as a whole: other arguments may draw from the same shuffler.
        untouched = copy.deepcopy((arguments, named))
        kind = type(room)

        def make(drawn: dict[str, int] | None) -> Room[Any]:
            again, named_again = copy.deepcopy(untouched)
            if drawn is not None:
                again = tuple(_continued(one, drawn) for one in again)
                named_again = {name: _continued(one, drawn) for name, one in named_again.items()}
            return kind(*again, **named_again)

        everything = [*arguments, *named.values()]
        recording = self._of[room] = Recording(make, Codec(_moves_of(everything)))
        recording.can_be_compacted = any(isinstance(one, SecretRandom) for one in everything)

    def of(self, room: Room[Any]) -> Recording | None:
        """The recording of a room that is about to be told something; None if it has none."""
        recording = self._of.get(room)
        if recording is None or recording.is_inside:
            return None
        self._changed.add(room)
        return recording

    def drop(self, room: Room[Any]) -> None:
        """Forget a room that raised an exception: what it is after that means nothing."""
        self._of.pop(room, None)
        self._changed.discard(room)

    def forget(self) -> None:
        """Leave out of the next check what was told so far: a test has broken the rooms."""
        self._changed.clear()

    def check(self) -> None:
        """Replay the rooms that were told something since the last check.

        Raises AssertionError if one differs from what its journal gives.
        """
        changed, self._changed = self._changed, set()
        self._is_off = True
        try:
            for room in changed:
                check_replays(room, self._of[room])
                check_compactions(room, self._of[room])
        finally:
            self._is_off = False


_in_use: list[Recordings] = []


def check_replays(room: Room[Any], recording: Recording) -> None:
    """Rebuild the room from its recording, and compare what can be seen of both."""
    replayed = recording.make(None)
    _tell(replayed, recording.codec, recording.entries)
    expected, found = _lasting(room.view()), _lasting(replayed.view())
    assert found == expected, (
        f"{type(room).__name__}: {len(recording.entries)} journal entries give another room:"
        f" {found} instead of {expected}"
    )


def check_compactions(room: Room[Any], recording: Recording) -> None:
    """Rebuild the room from each of its compactions, and from what followed until the next."""
    name, steps = type(room).__name__, recording.entries
    ends = [(one.steps_before, one.view) for one in recording.compactions]
    ends.append((len(steps), _lasting(room.view())))
    for compaction, (end, view_later) in zip(recording.compactions, ends[1:], strict=True):
        rebuilt = recording.make(compaction.drawn)
        _tell(rebuilt, recording.codec, compaction.entries)
        found = _lasting(rebuilt.view())
        assert found == compaction.view, (
            f"{name}: a compaction gives another room: {found} instead of {compaction.view}"
        )
        _tell(rebuilt, recording.codec, steps[compaction.steps_before : end])
        found = _lasting(rebuilt.view())
        assert found == view_later, (
            f"{name}: {end - compaction.steps_before} entries after a compaction give another"
            f" room: {found} instead of {view_later}"
        )


def _tell(room: Room[Any], codec: Codec[Any], steps: Iterable[Step]) -> None:
    for step in steps:
        if not isinstance(step, bytes):
            step(room)
            continue
        entry = codec.decode(step)
        if entry.peer is None or entry.request is None:
            room.tick(entry.now)
        else:
            room.handle(entry.peer, entry.request, entry.now)


def _continued(argument: Any, drawn: dict[str, int]) -> Any:
    """Return an argument or, if it is the room's chance, one that goes on from what was drawn."""
    if isinstance(argument, SecretRandom):
        return SecretRandom(argument._secret, drawn, argument._token_key)
    return argument


def change(room: RoomT, step: Callable[[RoomT], None]) -> None:
    """Have a test change a room behind its back, and the same when the room is replayed."""
    step(room)
    for recordings in _in_use:
        if recording := recordings.of(room):
            recording.entries.append(step)


@contextmanager
def recorded() -> Iterator[Recordings]:
    """Record every room that is made within this context."""
    recordings = Recordings()
    _in_use.append(recordings)
    with pytest.MonkeyPatch.context() as patch:
        for kind in ROOMS:
            patch.setattr(kind, "__init__", _recorded_init(kind.__init__, recordings))
            patch.setattr(kind, "handle", _recorded_handle(kind.handle, recordings))
            patch.setattr(kind, "tick", _recorded_tick(kind.tick, recordings))
        yield recordings
    _in_use.remove(recordings)


def _recorded_init(init: Callable[..., None], recordings: Recordings) -> Callable[..., None]:
    @wraps(init)
    def wrapped(room: Room[Any], *arguments: Any, **named: Any) -> None:
        recordings.begin(room, arguments, named)
        init(room, *arguments, **named)

    return wrapped


def _recorded_handle(
    handle: Callable[..., Reaction[Any]], recordings: Recordings
) -> Callable[..., Reaction[Any]]:
    @wraps(handle)
    def wrapped(room: Room[Any], peer: Peer, request: Request[Any], now: float) -> Reaction[Any]:
        recording = recordings.of(room)
        if recording is None:
            return handle(room, peer, request, now)
        with _inside(room, recording, recordings):
            reaction = handle(room, peer, request, now)
        if reaction.changed:
            recording.note(Entry(now, peer, request))
        recording.note_compaction(room)
        return reaction

    return wrapped


def _recorded_tick(
    tick: Callable[..., Reaction[Any]], recordings: Recordings
) -> Callable[..., Reaction[Any]]:
    @wraps(tick)
    def wrapped(room: Room[Any], now: float) -> Reaction[Any]:
        recording = recordings.of(room)
        if recording is None:
            return tick(room, now)
        with _inside(room, recording, recordings):
            reaction = tick(room, now)
        if reaction.changed:
            recording.note(Entry(now))
        recording.note_compaction(room)
        return reaction

    return wrapped


@contextmanager
def _inside(room: Room[Any], recording: Recording, recordings: Recordings) -> Iterator[None]:
    recording.is_inside = True
    try:
        yield
    except BaseException:
        recordings.drop(room)
        raise
    finally:
        recording.is_inside = False


def _moves_of(values: list[Any]) -> Any:
    """Return the type of the moves: what stands in the brackets of the game's base class."""
    [moves] = [
        get_args(base)[0]
        for value in values
        for ancestor in type(value).__mro__
        for base in getattr(ancestor, "__orig_bases__", ())
        if get_origin(base) in (Game, Questions)
    ]
    return moves


def _lasting(view: RoomView[Any]) -> RoomView[Any]:
    """Return the view without talk, which no journal keeps, and the versions that count it."""
    tables = tuple(msgspec.structs.replace(table, talk=(), version=0) for table in view.tables)
    return msgspec.structs.replace(view, tables=tables, version=0)

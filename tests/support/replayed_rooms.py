"""Check that every room that a test makes can be rebuilt from its journal.

`recorded` notes what each room is told and keeps of it what a journal would keep.
`check_replays` tells the same to a fresh room, through the journal's own encoding, and compares
what can be seen of both.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, get_args, get_origin
from weakref import WeakKeyDictionary

import msgspec
import pytest

from gamehall.core import Game
from gamehall.rooms.entries import Codec, Entry
from gamehall.rooms.negotiated_table import NegotiatedTable
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.polled_table import PolledTable
from gamehall.rooms.questions import Questions
from gamehall.rooms.reaction import Peer, Reaction
from gamehall.rooms.requests import Request
from gamehall.rooms.room import Room
from gamehall.rooms.tournament_room import TournamentRoom
from gamehall.rooms.view import RoomView

RoomT = TypeVar("RoomT", bound=Room[Any])

ROOMS: tuple[type[Room[Any]], ...] = (OpenTable, TournamentRoom, NegotiatedTable, PolledTable)


class Recording:
    """How a room was made, and the journal of what it was told."""

    def __init__(self, make: Callable[[], Room[Any]], codec: Codec[Any]) -> None:
        self.make = make
        self.codec = codec
        self.entries: list[bytes | Callable[[Any], None]] = []
        """Encoded entries, and changes that a test has made by itself."""
        self.is_inside = False
        """Whether the room is being told something: what it calls on itself is not news."""

    def note(self, entry: Entry[Any]) -> None:
        self.entries.append(self.codec.encode(entry))


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

        def make() -> Room[Any]:
            again, named_again = copy.deepcopy(untouched)
            return kind(*again, **named_again)

        self._of[room] = Recording(make, Codec(_moves_of([*arguments, *named.values()])))

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
        finally:
            self._is_off = False


_in_use: list[Recordings] = []


def check_replays(room: Room[Any], recording: Recording) -> None:
    """Rebuild the room from its recording, and compare what can be seen of both."""
    replayed = recording.make()
    for content in recording.entries:
        if not isinstance(content, bytes):
            content(replayed)
            continue
        entry = recording.codec.decode(content)
        if entry.peer is None or entry.request is None:
            replayed.tick(entry.now)
        else:
            replayed.handle(entry.peer, entry.request, entry.now)
    expected, found = _lasting(room.view()), _lasting(replayed.view())
    assert found == expected, (
        f"{type(room).__name__}: {len(recording.entries)} journal entries give another room:"
        f" {found} instead of {expected}"
    )


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

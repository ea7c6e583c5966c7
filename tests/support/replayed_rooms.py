"""Check that every room that a test creates can be rebuilt from its journal.

`recorded` records the requests of each room as its journal would. `check_replays` replays them in a
new room, through the encoding of the journal, and compares the views of both rooms.
`check_compactions` does the same with every compaction that could have replaced the journal.
"""

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import msgspec
import pytest

from gamehall.core import Game, type_of_moves
from gamehall.rooms.negotiated_table import NegotiatedTable, Questions
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.polled_table import PolledTable
from gamehall.rooms.requests import ProposedTerms
from gamehall.rooms.room import Codec, Entry, Reaction, Room
from gamehall.rooms.secrets import SecretRandom
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
"""An encoded entry, or a change that a test has made directly."""


class CompactedAt(NamedTuple):
    """A compaction, the number of steps before it, and the view of the room at that time."""

    drawn: dict[str, int]
    entries: list[bytes]
    steps_before: int
    view: RoomView[Any]


class Recording:
    """How a room was created, and its journal."""

    def __init__(
        self, make: Callable[[dict[str, int] | None], Room[Any]], codec: Codec[Any]
    ) -> None:
        """`make` creates the room again. Its argument are the counters of its SecretRandom."""
        self.make = make
        self.codec = codec
        self.entries: list[Step] = []
        self.compactions: list[CompactedAt] = []
        self.can_be_compacted = False
        """Whether the room has a SecretRandom, which can be continued."""
        self.is_inside = False
        """Whether a call of the room is in progress. Its calls of itself are not recorded."""

    def record(self, entry: Entry[Any]) -> None:
        self.entries.append(self.codec.encode(entry))

    def record_compaction(self, room: Room[Any]) -> None:
        """Record the compaction that could replace the journal now, if there is one."""
        compaction = room.compact() if self.can_be_compacted else None
        if compaction is not None:
            entries = [self.codec.encode(entry) for entry in compaction.entries]
            self.compactions.append(
                CompactedAt(
                    compaction.drawn, entries, len(self.entries), _without_chat(room.view())
                )
            )


class Recordings:
    """The recordings of all rooms that still exist."""

    def __init__(self) -> None:
        self._of: WeakKeyDictionary[Room[Any], Recording] = WeakKeyDictionary()
        self._changed: set[Room[Any]] = set()
        self._is_off = False

    def begin(self, room: Room[Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Record how a room is created. Must be called before it uses its random source."""
        if self._is_off:
            return
        # Copied together, because several arguments may share a random source.
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
        """Return the recording of a room that is about to change, or None."""
        recording = self._of.get(room)
        if recording is None or recording.is_inside:
            return None
        self._changed.add(room)
        return recording

    def drop(self, room: Room[Any]) -> None:
        """Forget a room that raised an exception, because its state is undefined."""
        self._of.pop(room, None)
        self._changed.discard(room)

    def forget(self) -> None:
        """Leave the rooms so far out of the next check, because a test has broken them."""
        self._changed.clear()

    def check(self) -> None:
        """Replay the rooms that have changed since the last check.

        Raises AssertionError if one differs from its replay.
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
    """Rebuild the room from its recording, and compare the views."""
    replayed = recording.make(None)
    _replay(replayed, recording.codec, recording.entries)
    expected, found = _without_chat(room.view()), _without_chat(replayed.view())
    assert found == expected, (
        f"{type(room).__name__}: {len(recording.entries)} journal entries give another room:"
        f" {found} instead of {expected}"
    )


def check_compactions(room: Room[Any], recording: Recording) -> None:
    """Rebuild the room from each compaction and the entries up to the next one."""
    name, steps = type(room).__name__, recording.entries
    ends = [(one.steps_before, one.view) for one in recording.compactions]
    ends.append((len(steps), _without_chat(room.view())))
    for compaction, (end, view_later) in zip(recording.compactions, ends[1:], strict=True):
        rebuilt = recording.make(compaction.drawn)
        _replay(rebuilt, recording.codec, compaction.entries)
        found = _without_chat(rebuilt.view())
        assert found == compaction.view, (
            f"{name}: a compaction gives another room: {found} instead of {compaction.view}"
        )
        _replay(rebuilt, recording.codec, steps[compaction.steps_before : end])
        found = _without_chat(rebuilt.view())
        assert found == view_later, (
            f"{name}: {end - compaction.steps_before} entries after a compaction give another"
            f" room: {found} instead of {view_later}"
        )


def _replay(room: Room[Any], codec: Codec[Any], steps: Iterable[Step]) -> None:
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
    """Return the argument; if it is a SecretRandom, one with these counters."""
    if isinstance(argument, SecretRandom):
        return SecretRandom(argument._secret, drawn, argument._token_key)
    return argument


def change(room: RoomT, step: Callable[[RoomT], None]) -> None:
    """Change a room directly, and repeat the change when the room is replayed."""
    step(room)
    for recordings in _in_use:
        if recording := recordings.of(room):
            recording.entries.append(step)


@contextmanager
def recorded() -> Iterator[Recordings]:
    """Record every room that is created within this context."""
    recordings = Recordings()
    _in_use.append(recordings)
    with pytest.MonkeyPatch.context() as patch:
        for kind in ROOMS:
            patch.setattr(kind, "__init__", _recorded_init(kind.__init__, recordings))
            patch.setattr(kind, "handle", _recorded_call(kind.handle, recordings))
            patch.setattr(kind, "tick", _recorded_call(kind.tick, recordings))
        yield recordings
    _in_use.remove(recordings)


def _recorded_init(init: Callable[..., None], recordings: Recordings) -> Callable[..., None]:
    @wraps(init)
    def wrapped(room: Room[Any], *arguments: Any, **named: Any) -> None:
        recordings.begin(room, arguments, named)
        init(room, *arguments, **named)

    return wrapped


def _recorded_call(
    method: Callable[..., Reaction[Any]], recordings: Recordings
) -> Callable[..., Reaction[Any]]:
    """Wrap `handle(peer, request, now)` or `tick(now)`."""

    @wraps(method)
    def wrapped(room: Room[Any], *arguments: Any) -> Reaction[Any]:
        recording = recordings.of(room)
        if recording is None:
            return method(room, *arguments)
        with _inside(room, recording, recordings):
            reaction = method(room, *arguments)
        if reaction.changed:
            *request, now = arguments
            recording.record(Entry(now, *request))
        recording.record_compaction(room)
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
    """Return the type of the moves of the game, or of the game that players agree on."""
    questions = (value for value in values if isinstance(value, Questions))
    games = [value for value in values if isinstance(value, Game)]
    games += [one.propose(ProposedTerms({})).game for one in questions]
    [game] = games
    return type_of_moves(type(game))


def _without_chat(view: RoomView[Any]) -> RoomView[Any]:
    """Return the view without chat, which is not in journals, and without versions."""
    tables = tuple(msgspec.structs.replace(table, chat=(), version=0) for table in view.tables)
    return msgspec.structs.replace(view, tables=tables, version=0)

"""A room together with what the room host needs to run it: journal, clock, timer, tables."""

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import msgspec

from gamehall.core import SeededRandom
from gamehall.rooms.counts import RoomCounts
from gamehall.rooms.journal import JournalError, RoomKey, RoomSpec, StoredRoom, replay
from gamehall.rooms.presence import Presence
from gamehall.rooms.room import Codec, Entry, Lobby, Room
from gamehall.rooms.secrets import SecretRandom
from gamehall.rooms.view import RoomView, view_later
from gamehall.server.logged import about

log = logging.getLogger(__name__)

ENTRIES_TO_COMPACT: Final = 64
"""Shorter journals are not compacted."""


class HostedRoom:
    """A room, with its journal, its tables and the offset of its clock.

    A room's own time continues after a restart where it stopped, so it lags behind the server's.
    """

    def __init__(
        self,
        name: str,
        make_room: Callable[[SeededRandom], Room[Any]],
        settings: bytes,
        codec: Codec[Any],
        seeds: Iterator[bytes],
        lobby: "HostedRoom | None" = None,
        server_secret: bytes = b"",
    ) -> None:
        """Create an empty room.

        Args:
            settings: the room's settings, encoded. A journal with other settings is not restored.
            seeds: one is taken for each new room.
            lobby: the lobby of a table; None for any other room.
            server_secret: tokens that the room gives out cannot be guessed without it.
        """
        self.name = name
        self.lobby = lobby
        self.owner: HostedRoom = lobby or self
        """The lobby of a table; any other room itself."""
        self.codec = codec
        self.settings = settings
        self.seeds = seeds
        self.server_secret = server_secret
        self.counts: RoomCounts = RoomCounts() if lobby is None else lobby.counts
        self.make_room = make_room
        self.timer: float | None = None
        """The deadline that was last given to the timers."""
        self.tick: Callable[[float], None] = lambda _: None
        """Called by the timers at the deadline. The room host sets it."""
        self.on_change: list[Callable[[str], None]] = []
        """Called with the name of the room, or of a table of it, after each change."""
        self.on_end: list[Callable[[], None]] = []
        """Called after each match or tournament."""
        self.tables: dict[int, HostedRoom] = {}
        """The open tables of a lobby, by number."""
        self.versions_before = 0
        """Added to the versions of views, which must not decrease when a room is replaced."""
        self.first_version = 0
        """Of a table: `versions_before` when it was opened."""
        self._behind = 0.0
        """How many seconds the room's clock is behind the server's."""
        self.reset()

    def reset(self) -> None:
        """Replace the room by an empty one. Its journal begins with the first entry."""
        self.spec = RoomSpec(self.name, self.settings, next(self.seeds))
        self.journal_key: RoomKey | None = None
        self.entries = 0
        """The length of the journal."""
        self.set_compaction()
        self.room: Room[Any] = self.make_room(self._random())

    def set_compaction(self, shortest: int = 0) -> None:
        """Set the length at which to compact the journal, whose compacted length is `shortest`.

        At least half of the journal must go, so that the cost per entry stays constant.
        """
        self.compact_at = max(ENTRIES_TO_COMPACT, 2 * shortest)

    def _random(self) -> SecretRandom:
        return SecretRandom(self.spec.seed, self.spec.drawn, self.server_secret)

    def rebuild(self, stored: StoredRoom, presence: Presence) -> tuple[list[Entry[Any]], float]:
        """Rebuild the room from its journal.

        Return the entries and the latest time in them. Raises JournalError.
        """
        try:
            entries = [self.codec.decode(content) for content in stored.entries]
        except msgspec.DecodeError as error:
            raise JournalError(
                f"the journal of the room {self.name} cannot be read: {error}."
                " Restore a backup, or drop the games in play with --fresh"
            ) from None
        self.spec, self.journal_key, self.entries = stored.spec, stored.key, len(entries)
        self.room = self.make_room(self._random())
        return entries, replay(self.room, self.name, presence, entries)

    def try_rebuild(self, stored: StoredRoom, time: float) -> bool:
        """Rebuild the room after an error. Return False if the error occurs again.

        An overdue deadline is tried as well, as the room would be ticked next.
        """
        try:
            # The members of the room are known and stay: let the replay note them elsewhere.
            self.rebuild(stored, Presence())
            if self.is_due(time):
                self.room.tick(time)
                self.rebuild(stored, Presence())
        except MemoryError:
            raise  # Not an error of this room: it ends the process.
        except Exception:
            log.exception("%s: cannot be rebuilt", self.name, extra=about(room=self.owner.name))
            return False
        return True

    def time(self, now: float) -> float:
        """Convert the server's time to the room's."""
        return now - self._behind

    def set_clock(self, time: float, now: float) -> None:
        """Make `time` the room's time at the server's time `now`."""
        self._behind = now - time
        self.versions_before += 1

    @property
    def deadline(self) -> float | None:
        """When `tick` must be called, in the server's time."""
        due = self.room.deadline
        return None if due is None else due + self._behind

    def is_due(self, time: float) -> bool:
        """Return True if the room's deadline has passed at `time`, the room's own."""
        due = self.room.deadline
        return due is not None and time >= due

    def view(self) -> RoomView[Any]:
        """Return the public view of the room, without its tables, in the server's time."""
        return view_later(self.room.view(), self._behind, self.versions_before)

    def open_table(self, number: int) -> "HostedRoom":
        """Open a table of this lobby."""
        assert isinstance(self.room, Lobby)
        table = HostedRoom(
            name=f"{self.name}/{number}",
            make_room=partial(self.room.open_table, number),
            settings=self.settings,
            codec=self.codec,
            seeds=self.seeds,
            lobby=self,
            server_secret=self.server_secret,
        )
        # A page may still show an earlier table of this number: the new one needs newer versions.
        table.versions_before = table.first_version = self.versions_before
        self.tables[number] = table
        return table

    def table_number(self) -> int:
        """Return the number of this table in its lobby."""
        return int(self.name.rpartition("/")[2])

"""One run of the server, from its start to a crash or an orderly end."""

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Protocol, cast

import msgspec

from gamehall.rooms.journal import StoredRoom
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.negotiated_table import NegotiatedLobby
from gamehall.rooms.polled_table import PolledTable
from gamehall.rooms.presence import Presence
from gamehall.rooms.requests import Join, Request, Return
from gamehall.rooms.room import Room, Table
from gamehall.rooms.sign_up import SignUp
from gamehall.rooms.tournament import Tournament
from gamehall.server.connection import Connection
from gamehall.server.hall import (
    SECONDS_BETWEEN_CHECKS,
    SECONDS_TO_RETURN,
    SECONDS_TO_SETTLE,
    Hall,
    _room_of,
)
from gamehall.server.hall_clock import HEARTBEAT_SECONDS, HallClock
from gamehall.server.hosted_room import HostedRoom
from gamehall.server.observer import Observer
from gamehall.server.plan import DoorPlan
from gamehall.server.room_host import Client, RoomHost
from tests.simulation.clocks import HallClockCheck, RoomClock, TurnClocks
from tests.simulation.database import Damage, Folder, LoopStore, ThreadStore
from tests.simulation.disk import Disk, ModelStore, SlowStore, Store, WatchedJournal
from tests.simulation.event_log import EventLog, Violation
from tests.simulation.fingerprint import difference, fingerprint
from tests.simulation.identities import KeptSeats, check_names
from tests.simulation.network import Link, Listener
from tests.simulation.prompts import OpenPrompts
from tests.simulation.scheduler import Conditions, Scheduler
from tests.support.event_loop import ScheduledCall

STORES = ("memory", "slow memory", "loop", "thread")
"""The kinds of journals: only the model of the disk, or a real database."""

HALL_KEY = b"the key of the simulated hall"


class EntryCheck(Protocol):
    """A check that is made at every entry of a room."""

    def begin(self, room: Room[Any], now: float) -> None:
        """Start with a new room, or a restored one; `now` is the time of its clock."""

    def check(self, room: Room[Any], entry: bytes) -> None:
        """Report a violation if the room has handled the entry wrongly."""


class ServerProcess:
    """The real server with simulated connections, in simulated time."""

    def __init__(
        self,
        plans: Sequence[DoorPlan],
        scheduler: Scheduler,
        conditions: Conditions,
        random: Random,
        event_log: EventLog,
        disk: Disk,
        store: str,
        folder: Folder | None,
        observer: Observer,
    ) -> None:
        """`store`: one of STORES. `folder`: for the stores that are in a database."""
        self._plans = {plan.protocol.name: plan for plan in plans}
        self._scheduler = scheduler
        self._conditions = conditions
        self._event_log = event_log
        self._disk = disk
        self._random = random
        self._folder = folder
        self._is_running = True
        self._is_stalled = False
        self._late_timers: list[tuple[ScheduledCall, Callable[[], None]]] = []
        self._late_calls: list[Callable[[], None]] = []
        """Calls that are delayed until a stall is over."""
        self._arrivals = 0
        self.links: list[Link] = []
        self.clock = HallClock(lambda: scheduler.now)
        self.clock_check = HallClockCheck(self.clock, scheduler, event_log)
        self.journal = WatchedJournal(disk, self._open_store(store), scheduler, event_log)
        self._watch_journal()
        self._clocks: dict[str, RoomClock] = {}
        self._checks: dict[str, Sequence[EntryCheck]] = {}
        self.hall: Hall | None = None
        hall = Hall(
            plans,
            random.getrandbits(63),
            self.clock.now,
            self._call_soon,
            self._call_later,
            observer,
            self.journal,
            SECONDS_TO_RETURN,
            (),
            self._stop_clock,
            HALL_KEY,
        )
        self.hall = hall
        self.host = hall.host
        self.host._compact = self._compact  # type: ignore[method-assign]
        self.host._identify = self._identify  # type: ignore[method-assign]
        self.doors = {door.name: door for door in hall._doors}
        for name, hosted in self.host._rooms.items():
            self._begin_checks(name, hosted)
        for door in self.doors.values():
            # Like Hall.open, without a socket.
            door._listening = cast("socket.socket", self)
        self.is_open = True
        self._beat()

    # Connections

    def connect(self, door_name: str, client: Listener) -> Link:
        connection = Connection(self.doors[door_name])
        self._arrivals += 1
        address = (client.address, 40_000 + self._arrivals)
        link = Link(self._scheduler, self._conditions, client, address, self._call_when_awake)
        self.links.append(link)
        start = lambda: link.server_end.start(connection, lambda: connection.peer)  # noqa: E731
        self._scheduler.after(self._conditions.delay(), lambda: self._call_when_awake(start))
        return link

    @property
    def connections(self) -> int:
        return sum(len(door._connections) for door in self.doors.values())

    # Stalls, crashes and the orderly end

    def stall(self, seconds: float) -> None:
        """Stop the process for a while."""
        if self._is_running and not self._is_stalled and self.is_open:
            self._event_log.note("server", f"stalls for {seconds:.3f} s")
            self._is_stalled = True
            self.clock_check.begin_stall()
            self._scheduler.after(seconds, lambda: self._end_stall(seconds))

    def _end_stall(self, seconds: float) -> None:
        self._is_stalled = False
        if not self._is_running:
            return
        timers = [lambda one=one: self._ring(*one) for one in self._late_timers]
        calls = [lambda one=one: self._call_when_awake(one) for one in self._late_calls]
        self._late_timers, self._late_calls = [], []
        first, then = (timers, calls) if self._conditions.timers_come_first else (calls, timers)
        for call in (*first, *then, lambda: self.clock_check.end_stall(seconds)):
            self._scheduler.soon(call)

    @property
    def is_stalled(self) -> bool:
        return self._is_stalled

    def crash_at_next_commit(self, crash: Callable[[], None]) -> None:
        """Kill the process after the next commit, before its notices are delivered."""

        def freeze() -> None:
            self._is_running = False
            for link in self.links:
                link.server_end.disappear()
            self._scheduler.soon(crash)

        self.journal.at_next_commit = freeze

    def crash(self) -> dict[str, Room[Any]]:
        """Kill the process. Return the rooms as they can be restored."""
        self._stop()
        self.journal.crash()
        return self._restorable()

    def check_damage(self) -> None:
        """Check after a crash that damaged copies of the database are rejected."""
        if self._folder is not None:
            damage = Damage(self._folder, self._random, self._event_log)
            damage.check_changed_rows()
            damage.check_truncated_log(self.journal.base, self.journal.batches)

    def begin_to_close(self) -> None:
        """Begin an orderly end, like Hall.close. `is_empty` is True when it is complete."""
        self.is_open = False
        self.clock_check.is_closing = True
        self.journal.at_next_commit = None
        for link in self.links:
            link.is_disturbed = True
        self.clock.ignore_stops()
        self.host.close()
        self._settle(self._scheduler.now + SECONDS_TO_SETTLE)

    def _settle(self, until: float) -> None:
        """Wait for the last commits for a limited time; then close all connections."""
        if not self.host.is_settled and self._scheduler.now < until:
            self._call_later(SECONDS_BETWEEN_CHECKS, lambda: self._settle(until))
            return
        self.host.abandon()
        for door in self.doors.values():
            door._listening = None
            for connection in sorted(door._connections, key=lambda one: one.peer):
                connection.close("the server closes")

    @property
    def is_empty(self) -> bool:
        return not any(door._connections for door in self.doors.values())

    def end(self) -> dict[str, Room[Any]]:
        """Finish the orderly end. Return the rooms as they can be restored."""
        self._stop()
        self.journal.finish()
        return self._restorable()

    def _stop(self) -> None:
        self.is_open = self._is_running = False
        for link in self.links:
            link.is_disturbed = True
            link.server_end.disappear()
            link.end_client()

    # Checks

    def rooms(self) -> dict[str, Room[Any]]:
        """Return the present rooms by name."""
        return {name: hosted.room for name, hosted in self.host._rooms.items()}

    def compare(self, restored: Mapping[str, Room[Any]]) -> None:
        """Raise Violation if a restored room differs from the original."""
        for key, stored in self._disk.rooms.items():
            name, entries = stored.spec.room, len(stored.entries)
            then = self.journal.fingerprints.get((key, entries))
            hosted = self.host._rooms.get(name)
            if (
                hosted is not None
                and hosted.journal_key == key
                and self.journal.given[key] == entries
            ):
                then = fingerprint(hosted.room)
            if then is not None and then != fingerprint(restored[name]):
                raise Violation(
                    f"a journal line is lost or wrong: {name}, rebuilt from {entries} entries,"
                    f" is not what it was: {difference(then, fingerprint(restored[name]))}"
                )

    def check_lobbies(self) -> None:
        """Raise Violation if a lobby has a wrong state of its tables."""
        for name, hosted in self.host._rooms.items():
            tables = {
                number: table.room.occupancy
                for number, table in hosted.tables.items()
                if isinstance(table.room, Table)
            }
            known: object = tables
            match hosted.room:
                case OpenLobby():
                    known = hosted.room._tables
                    check_names(name, hosted.room)
                case NegotiatedLobby():
                    tables = {n: who for n, who in tables.items() if who.has_free_seat}
                    known = {n: tables.get(n) for n in hosted.room._waiting}
                case _:
                    pass
            if known != tables:
                raise Violation(
                    f"a lobby is out of step: {name} knows of {known}, and there are {tables}"
                )

    def leftovers(self) -> list[str]:
        """Return descriptions of everything that is left some time after all clients have left."""
        host, found = self.host, list[str]()
        things: dict[str, object] = {
            "connections": self.connections,
            "clients": host._clients,
            "members": host._presence.members,
            "lost players": host._presence._lost,
            "a batch": host._batch,
            "commits": host._in_flight,
            "a timer": self.host.timers.next_deadline(),
        }
        for name, hosted in host._rooms.items():
            things |= {
                f"a table of {name}": [
                    one.name for one in hosted.tables.values() if not _is_idle(one.room)
                ],
                f"a deadline of {name}": hosted.deadline,
                f"something going on in {name}": not _is_idle(hosted.room),
            }
        for name, room in self._restorable().items():
            things[f"something going on in the journal of {name}"] = not _is_idle(room)
        return found + [f"{what}: {thing}" for what, thing in things.items() if thing]

    def _restorable(self) -> dict[str, Room[Any]]:
        """Return the rooms as restored from their journals."""
        return {
            stored.spec.room: self._rebuild(stored).room
            for _, stored in sorted(self._disk.rooms.items())
        }

    def _rebuild(self, stored: StoredRoom) -> HostedRoom:
        hosted = _room_of(self._plans[stored.spec.owner], 0, HALL_KEY)
        if stored.spec.room != stored.spec.owner:
            hosted = hosted.open_table(int(stored.spec.room.rpartition("/")[2]))
        hosted.rebuild(stored, Presence())
        return hosted

    # The journal

    def _open_store(self, kind: str) -> Store:
        scheduler, conditions = self._scheduler, self._conditions
        match kind:
            case "memory":
                return ModelStore(self._disk)
            case "slow memory":
                return SlowStore(
                    self._disk, scheduler, conditions, self._random, self._call_when_awake
                )
            case "loop":
                assert self._folder is not None
                return LoopStore(self._folder, self._call_later)
            case _:
                assert self._folder is not None
                return ThreadStore(self._folder, scheduler, conditions, self._call_when_awake)

    def _watch_journal(self) -> None:
        journal = self.journal
        journal.restored = self._note_restored
        journal.begun = self._note_begun
        journal.appended = self._check_entry
        journal.committed = self.clock_check.check_commit
        journal.take_fingerprint = lambda name: fingerprint(self.host._rooms[name].room)
        journal.hall_time = lambda: self.clock_check.shows

    def _note_restored(self, stored: StoredRoom) -> None:
        name = stored.spec.room
        times = [msgspec.json.decode(entry)[0] for entry in stored.entries]
        stood_at = max(times, default=0.0)
        self._clocks[name] = RoomClock(name, stood_at, self.clock_check.shows)

    def _note_begun(self, name: str) -> None:
        """Note a new room, whose clock is the server's."""
        now = self.clock_check.shows
        self._clocks[name] = RoomClock(name, now, now)
        self._checks.pop(name, None)

    def _check_entry(self, name: str, entry: bytes) -> None:
        self._clocks[name].check(entry, self.clock_check.shows, self._event_log)
        if self.hall is None:
            # The room is being restored; it is checked afterwards.
            return
        hosted = self.host._rooms[name]
        for check in self._checks.get(name) or self._begin_checks(name, hosted):
            check.check(hosted.room, entry)

    def _begin_checks(self, name: str, hosted: HostedRoom) -> "Sequence[EntryCheck]":
        """Start the checks of a new room, or a restored one."""
        event_log, now = self._event_log, hosted.time(self.clock_check.shows)
        checks = (
            OpenPrompts(name, event_log),
            TurnClocks(name, event_log),
            KeptSeats(name, event_log),
        )
        for check in checks:
            check.begin(hosted.room, now)
        self._checks[name] = checks
        return checks

    def _identify(
        self, hosted: HostedRoom, client: Client, join: Join
    ) -> tuple[HostedRoom, Request[Any]]:
        """Let the host recognise a client, and check that it may replace a live connection."""
        connected = dict(self.host._clients)
        place, request = RoomHost._identify(self.host, hosted, client, join)
        is_replaced = isinstance(request, Return) and client.peer in connected
        if is_replaced and not client.token and not join.secret:
            self._event_log.report(
                f"a live connection is replaced: {join.name} has shown neither a token nor a secret"
            )
        return place, request

    def _compact(self, hosted: HostedRoom) -> None:
        """Compact a journal, and check that the new one gives the same room."""
        before, self.journal.is_compacting = hosted.journal_key, True
        RoomHost._compact(self.host, hosted)
        self.journal.is_compacting = False
        if hosted.journal_key == before:
            return
        assert hosted.journal_key is not None
        stored = self.journal.read(hosted.journal_key)
        assert stored is not None
        self._event_log.note(hosted.name, f"is compacted to {len(stored.entries)} entries")
        now, then = fingerprint(hosted.room), fingerprint(self._rebuild(stored).room)
        if now != then:
            self._event_log.report(
                f"a compacted journal gives another room: {hosted.name}: {difference(now, then)}"
            )

    # The event loop

    def _stop_clock(self, is_overdue: bool) -> None:
        if is_overdue:
            self.clock.stop("journal")
        else:
            self.clock.resume("journal")

    def _beat(self) -> None:
        self.clock.beat()
        busy_until = self.journal.busy_until if self.journal.is_idle else self._scheduler.now
        self.clock_check.check_beat(busy_until)
        self.journal.check_commits()
        self._call_later(HEARTBEAT_SECONDS, self._beat)

    def _call_soon(self, call: Callable[[], None]) -> None:
        self._scheduler.after(self._conditions.turn_delay(), lambda: self._call_when_awake(call))

    def _call_later(self, seconds: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        late = max(0.0, seconds + self._conditions.timer_delay())
        scheduled = self._scheduler.after(late, lambda: self._ring(scheduled, call))
        return cast("asyncio.TimerHandle", scheduled)

    def _ring(self, scheduled: ScheduledCall, call: Callable[[], None]) -> None:
        if self._is_stalled:
            self._late_timers.append((scheduled, call))
        elif self._is_running and not scheduled.is_cancelled:
            call()

    def _call_when_awake(self, call: Callable[[], None]) -> None:
        """Call a function now or, if the process has stalled, when it continues."""
        if self._is_stalled:
            self._late_calls.append(call)
        elif self._is_running:
            call()


def _is_idle(room: Room[Any]) -> bool:
    """Return True if nothing is running in a room."""
    match room:
        case PolledTable():
            # Over HTTP players cannot leave, so one without an opponent keeps waiting.
            return room._match.result is not None or not room._match.is_full
        case SignUp():
            return room._playing is None and not room._entrants
        case Tournament():
            return room._report is not None
        case OpenLobby():
            return not room._places and not room._tables
        case NegotiatedLobby():
            return not room._tables
        case _:
            return False

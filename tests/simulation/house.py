"""One run of the program: from opening the hall to a crash or an orderly end."""

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, cast

from gamehall.core import room_shuffler
from gamehall.rooms.journal import Codec, tell_again
from gamehall.rooms.reception import Reception
from gamehall.rooms.room import Room
from gamehall.server.connection import Connection
from gamehall.server.hall import Hall
from gamehall.server.observer import Observer
from gamehall.server.plan import DoorPlan
from tests.simulation.chronicle import Chronicle, Violation
from tests.simulation.clocks import RoomClock
from tests.simulation.clockwork import Clockwork, Weather
from tests.simulation.disk import Disk, SlowLedger
from tests.simulation.fingerprint import difference, fingerprint
from tests.simulation.prompts import OpenPrompts
from tests.simulation.wires import Listener, Wire


class House:
    """The real hall, with simulated doorsteps: nothing but its sockets is left out."""

    def __init__(
        self,
        plans: Sequence[DoorPlan],
        clockwork: Clockwork,
        weather: Weather,
        random: Random,
        chronicle: Chronicle,
        disk: Disk,
        observer: Observer,
    ) -> None:
        self._plans = plans
        self._clockwork = clockwork
        self._weather = weather
        self._chronicle = chronicle
        self._disk = disk
        self._is_running = True
        self.wires: list[Wire] = []
        self.ledger = SlowLedger(disk, clockwork, weather, random, chronicle)
        self._clocks = {plan.protocol.name: self._clock_of(plan) for plan in plans}
        self.hall = Hall(
            plans,
            random.getrandbits(63),
            lambda: clockwork.now,
            self._call_later,
            observer,
            self.ledger,
        )
        for clock in self._clocks.values():
            clock.look(clockwork.now)
        self._prompts = {name: OpenPrompts(name, chronicle) for name in self.hall._ushers}
        self.ledger.heed = self._check_entry
        self.ledger.tell_safe = self.hall.release
        self.ledger.look = lambda room: fingerprint(self._room(room))
        self.doors = {door.name: door for door in self.hall._doors}
        for door in self.doors.values():
            # What Hall.open does, without a socket.
            door._listening = cast("socket.socket", self)
        for usher in self.hall._ushers.values():
            usher.testify()
        self.is_open = True

    def connect(self, door_name: str, client: Listener) -> Wire:
        """Somebody comes through a door."""
        door = self.doors[door_name]
        connection = Connection(door, next(door._peers))
        address = ("127.0.0.1", 40_000 + connection._peer)
        wire = Wire(self._clockwork, self._weather, client, address)
        same = door.usher._same
        whoami = lambda: same.get(connection._peer, connection._peer)  # noqa: E731
        self.wires.append(wire)
        self._clockwork.after(
            self._weather.delay(),
            self._while_running(lambda: wire.hall_end.start(connection, whoami)),
        )
        return wire

    @property
    def connections(self) -> int:
        """How many there are."""
        return sum(len(door._connections) for door in self.doors.values())

    def rooms(self) -> dict[str, Room[Any]]:
        """The rooms as they are now, by their names."""
        return {name: self._room(name) for name in self.hall._ushers}

    def crash(self) -> dict[str, Room[Any]]:
        """The program is killed: only what is safe is left. The rooms that can be had back."""
        self._stop()
        self.ledger.crash()
        rooms = {name: self._told_again(name)[0] for name in self.hall._ushers}
        return {name: room for name, room in rooms.items() if room is not None}

    def compare(self, had_back: Mapping[str, Room[Any]]) -> None:
        """Rooms that are told again what is in their journals are what they were.

        Raises Violation.
        """
        for name, room in had_back.items():
            self._compare(name, room)

    def begin_to_close(self) -> None:
        """What Hall.close does; `is_empty` says whether it would have come to its end."""
        self.is_open = False
        for wire in self.wires:
            wire.is_disturbed = True
        for usher in self.hall._ushers.values():
            usher.close()
        for door in self.doors.values():
            door._listening = None
            for connection in list(door._connections.values()):
                connection.dismiss("the hall closes")

    @property
    def is_empty(self) -> bool:
        return not any(door._connections for door in self.doors.values())

    def end(self) -> None:
        """The orderly end of the program."""
        self._stop()
        self.ledger.close()

    def room_behind(self, door: str) -> str:
        return self.doors[door].usher._room.name

    def leftovers(self) -> list[str]:
        """What there should not be when everybody has been gone for a while."""
        found = [
            f"{door.name}: {len(door._connections)} connections"
            for door in self.doors.values()
            if door._connections
        ]
        for name, usher in self.hall._ushers.items():
            room = usher._room
            # Over HTTP nobody can leave: who came alone when the others had played is still there.
            waits_for_ever = bool(room._room.waiting_players) and not room._room.knows_peers
            # The end of a match is shown there until the next begins.
            is_done = room._room.is_quiet or (room._room.is_over and not room._room.knows_peers)
            things: dict[str, object] = {
                "lines": usher._lines,
                "people who are the same": {**usher._same, **usher._since},
                "held answers": usher._held,
                "acquaintances": room.reception.known,
                "absent ones": room.reception._absent,
                "a deadline": room.deadline,
                "a clock that stands still": room._stands_at,
                "something going on": not is_done and not waits_for_ever,
            }
            found += [f"{name}: {what}: {thing}" for what, thing in things.items() if thing]
            had_back, _ = self._told_again(name)
            if had_back is not None and not had_back.is_over and not waits_for_ever:
                found.append(f"{name}: something going on on the disk")
        deadline = self.hall.timers._deadlines.next()
        return found + ([] if deadline is None else [f"a timer set for {deadline}"])

    def _stop(self) -> None:
        self.is_open = self._is_running = False
        for wire in self.wires:
            wire.is_disturbed = True
            wire.hall_end.vanish()
            wire.end_client()

    def _room(self, name: str) -> Any:
        return self.hall._ushers[name]._room._room

    def _compare(self, name: str, room: Room[Any]) -> None:
        """Whether a room that is had back is what it was when the last safe entry was made."""
        last = self._disk.last(name)
        assert last is not None
        epoch, contents = last
        then = self.ledger.looks.get((epoch.name, len(contents)))
        is_current = self.hall._ushers[name]._room._epoch == epoch.name
        if is_current and self.ledger.given[epoch.name] == len(contents):
            then = fingerprint(self._room(name))
        if then is not None and then != fingerprint(room):
            raise Violation(
                f"a journal line is lost or wrong: {name}, told again its {len(contents)} entries,"
                f" is not what it was: {difference(then, fingerprint(room))}"
            )

    def _told_again(self, name: str) -> tuple[Room[Any] | None, float]:
        """A room as its journal on the disk has it, None without; and when its last entry was."""
        last = self._disk.last(name)
        if last is None:
            return None, 0.0
        epoch, contents = last
        plan = next(plan for plan in self._plans if plan.protocol.name == name)
        codec: Codec[Any] = Codec(plan.protocol.moves)
        room: Room[Any] = plan.protocol.room(plan.settings, room_shuffler(epoch.seed))
        now = tell_again(room, Reception(), [codec.decode(content) for content in contents])
        return room, now

    def _clock_of(self, plan: DoorPlan) -> RoomClock:
        """What the clock of a room must show from now on."""
        name, now = plan.protocol.name, self._clockwork.now
        room, stood_at = self._told_again(name)
        if room is None or not room.is_worth_restoring:
            # Nothing goes on there: the room is a fresh one, with the clock of the hall.
            return RoomClock(name, now, now, lambda: False)
        return RoomClock(name, stood_at, now, lambda: self.hall._ushers[name]._room.reception.waits)

    def _check_entry(self, room: str, entry: bytes) -> None:
        self._clocks[room].check(entry, self._clockwork.now, self._chronicle)
        self._prompts[room].check(self._room(room), entry)

    def _call_later(self, seconds: float, ring: Callable[[], None]) -> asyncio.TimerHandle:
        late = max(0.0, seconds + self._weather.alarm_delay())
        alarm = self._clockwork.after(late, self._while_running(ring))
        return cast("asyncio.TimerHandle", alarm)

    def _while_running(self, call: Callable[[], None]) -> Callable[[], None]:
        return lambda: call() if self._is_running else None

"""One run of the program: from opening the hall to a crash or an orderly end."""

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, cast

from gamehall.core import Shuffler
from gamehall.hosting.journal import Codec, tell_again
from gamehall.hosting.reception import Reception
from gamehall.hosting.room import Room
from gamehall.server.connection import Connection
from gamehall.server.hall import Hall
from gamehall.server.plan import DoorPlan
from gamehall.server.witness import Witness
from tests.simulation.chronicle import Chronicle, Violation
from tests.simulation.clockwork import Clockwork, Weather
from tests.simulation.disk import Disk, SlowLedger
from tests.simulation.fingerprint import difference, fingerprint
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
        witness: Witness,
    ) -> None:
        self._plans = plans
        self._clockwork = clockwork
        self._weather = weather
        self._chronicle = chronicle
        self._disk = disk
        self._is_running = True
        self.wires: list[Wire] = []
        self.ledger = SlowLedger(disk, clockwork, weather, random, chronicle)
        self.hall = Hall(
            plans,
            random.getrandbits(63),
            lambda: clockwork.now,
            self._call_later,
            witness,
            self.ledger,
        )
        self.ledger.tell_safe = self.hall.release
        self.ledger.look = lambda room: fingerprint(self._room(room))
        self.doors = {door.name: door for door in self.hall._doors}
        for door in self.doors.values():
            # What Hall.open does, without a socket.
            door._server = cast("asyncio.Server", self)
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

    def crash(self) -> None:
        """The program is killed: only what is safe is left. Raises Violation.

        Checked is that rooms which are told again what is in their journals are what they were.
        """
        self._stop()
        self.ledger.crash()
        for name in self.hall._ushers:
            self._compare(name)

    def begin_to_close(self) -> None:
        """What Hall.close does; `is_empty` says whether it would have come to its end."""
        self.is_open = False
        for wire in self.wires:
            wire.is_disturbed = True
        for usher in self.hall._ushers.values():
            usher.close()
        for door in self.doors.values():
            door._server = None
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
            things: dict[str, object] = {
                "lines": usher._lines,
                "people who are the same": {**usher._same, **usher._since},
                "held answers": usher._held,
                "acquaintances": room.reception.known,
                "absent ones": room.reception._absent,
                "a deadline": room.deadline,
                "a clock that stands still": room._stands_at,
                "something going on": not room._room.is_quiet,
            }
            found += [f"{name}: {what}: {thing}" for what, thing in things.items() if thing]
        deadline = self.hall.timers._deadlines.next()
        found += [] if deadline is None else [f"a timer set for {deadline}"]
        for name in self.hall._ushers:
            had_back = self._told_again(name)
            if had_back is not None and not had_back.is_over:
                found.append(f"{name}: something going on on the disk")
        return found

    def _stop(self) -> None:
        self.is_open = self._is_running = False
        for wire in self.wires:
            wire.is_disturbed = True
            wire.hall_end.vanish()
            wire.end_client()

    def _room(self, name: str) -> Any:
        return self.hall._ushers[name]._room._room

    def _compare(self, name: str) -> None:
        """Whether a room that is had back is what it was when the last safe entry was made."""
        last, room = self._disk.last(name), self._told_again(name)
        if last is None:
            return
        epoch, contents = last
        then = self.ledger.looks.get((epoch.name, len(contents)))
        is_current = self.hall._ushers[name]._room._epoch == epoch.name
        if is_current and self.ledger.given[epoch.name] == len(contents):
            then = fingerprint(self._room(name))
        if then is not None and then != fingerprint(room):
            raise Violation(
                f"{name} had back after {len(contents)} entries is not what it was:"
                f" {difference(then, fingerprint(room))}"
            )

    def _told_again(self, name: str) -> Room[Any] | None:
        """A room as its journal on the disk has it."""
        last = self._disk.last(name)
        if last is None:
            return None
        epoch, contents = last
        plan = next(plan for plan in self._plans if plan.protocol.name == name)
        codec: Codec[Any] = Codec(plan.protocol.moves)
        room: Room[Any] = plan.protocol.room(plan.settings, Shuffler(epoch.seed))
        tell_again(room, Reception(), [codec.decode(content) for content in contents])
        return room

    def _call_later(self, seconds: float, ring: Callable[[], None]) -> asyncio.TimerHandle:
        late = max(0.0, seconds + self._weather.alarm_delay())
        alarm = self._clockwork.after(late, self._while_running(ring))
        return cast("asyncio.TimerHandle", alarm)

    def _while_running(self, call: Callable[[], None]) -> Callable[[], None]:
        return lambda: call() if self._is_running else None

"""A server with real sockets in this process, and a clock set by the test."""

import asyncio
import select
import socket
from collections.abc import Mapping
from typing import Any

import uvloop

from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.room import Room
from gamehall.server.connection import Connection
from gamehall.server.hall import Hall
from gamehall.server.plan import DoorPlan
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import Session
from gamehall.wire.settings import read_settings
from tests.support.observers import RecordingObserver
from tests.support.resets import reset_when_closed

PATIENCE_SECONDS = 30
MAX_TIMER_RUNS = 1000


class SocketStage:
    """Plays a scene over TCP. The server's event loop runs only during steps."""

    def __init__(
        self,
        protocol: AnyProtocol,
        settings: Mapping[str, str],
        port: int = 0,
        doors: Mapping[str, str] | None = None,
        runs_due_timers: bool = False,
    ) -> None:
        """Open a server.

        Args:
            doors: the protocols of clients that join the same room through another door.
            runs_due_timers: whether to run timers that are due after each step.
        """
        self._runs_due_timers = runs_due_timers
        self._room_name = protocol.name
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._now = 1000.0
        self._clients: dict[str, socket.socket] = {}
        self._doors = {who: door for who, door in (doors or {}).items() if door != protocol.name}
        read = read_settings(protocol.settings, settings, protocol.name)
        plans = [DoorPlan(protocol, port, read, protocol.name)]
        for door in sorted(set(self._doors.values())):
            other = all_protocols()[door]
            plans.append(DoorPlan(other, 0, other.settings(), protocol.name))
        self.hall = self._runner.run(self._open(plans))

    async def _open(self, plans: list[DoorPlan]) -> Hall:
        # The test moves the clock, so timers are set to a time that never comes.
        loop = asyncio.get_running_loop()
        self.observer = RecordingObserver()
        hall = Hall(
            plans,
            1,
            self._time,
            loop.call_soon,
            lambda _, run: loop.call_later(3600, run),
            self.observer,
        )
        opened = await hall.open("127.0.0.1")
        self._ports = {name: int(address.rsplit(":", 1)[1]) for name, address in opened}
        self.port = self._ports[plans[0].protocol.name]
        return hall

    def _time(self) -> float:
        return self._now

    @property
    def room(self) -> Room[Any]:
        """The room of the first door."""
        return self.hall.host.room(self._room_name)

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._settle()
        self.close_hall()
        self._runner.close()

    def close_hall(self) -> None:
        self._runner.run(self.hall.close("the test is over"))

    def connections(self) -> int:
        return sum(len(door._connections) for door in self.hall._doors)

    def connection(self, who: str) -> Connection:
        """Return the server's side of a client's connection."""
        port = self._clients[who].getsockname()[1]
        [connection] = [
            connection
            for door in self.hall._doors
            for connection in door._connections
            if connection._transport.get_extra_info("peername")[1] == port
        ]
        return connection

    def session(self, who: str) -> Session[Any, Any]:
        return self.connection(who)._session

    def pass_turns(self, turns: int) -> None:
        """Run this number of turns of the event loop."""

        async def pass_turns() -> None:
            for _ in range(turns):
                await asyncio.sleep(0)

        self._runner.run(pass_turns())

    def socket_options(self) -> list[dict[str, int]]:
        """Return the socket options of the server's side of each connection."""
        sockets = [
            connection._transport.get_extra_info("socket")
            for door in self.hall._doors
            for connection in door._connections
        ]
        return [
            {
                "SO_KEEPALIVE": one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE),
                "TCP_NODELAY": one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY),
            }
            for one in sockets
        ]

    def send(self, who: str, message: bytes) -> None:
        client = self.client(who)
        if message:
            client.sendall(message)
        self._settle()

    def hang_up(self, who: str) -> None:
        self.client(who).shutdown(socket.SHUT_WR)
        self._settle()

    def reset(self, who: str) -> None:
        """Reset the connection, instead of only closing the sending side."""
        client = self._clients.pop(who)
        reset_when_closed(client)
        client.close()
        self._settle()

    def wait(self, seconds: float) -> None:
        """Move the clock, and run the timers at each deadline on the way."""
        end = self._now + seconds
        while (due := self.hall.timers.next_deadline()) is not None and due <= end:
            self._now = max(self._now, due)
            self._runner.run(self._run_timers())
        self._now = end
        self._runner.run(self._run_timers())

    async def _run_timers(self) -> None:
        self.hall.timers.run_due()
        await _let_run(self.hall)

    def read(self, who: str, length: int) -> bytes:
        message = b""
        for _ in range(PATIENCE_SECONDS * 100):
            message += self._receive(who, length - len(message))
            if len(message) == length:
                break
            self._settle()
        return message

    def is_closed(self, who: str) -> bool:
        for _ in range(PATIENCE_SECONDS * 100):
            if self._readable(who):
                return self._clients[who].recv(1, socket.MSG_PEEK) == b""
            self._settle()
        return False

    def unread(self) -> dict[str, bytes]:
        left = {who: self._receive(who, 1 << 20) for who in self._clients}
        return {who: message for who, message in left.items() if message}

    def client(self, who: str) -> socket.socket:
        if who not in self._clients:
            port = self._ports[self._doors[who]] if who in self._doors else self.port
            client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._clients[who] = client
            self._settle()
        return self._clients[who]

    def _receive(self, who: str, length: int) -> bytes:
        return self._clients[who].recv(length) if length and self._readable(who) else b""

    def _readable(self, who: str) -> bool:
        return bool(select.select([self._clients[who]], [], [], 0)[0])

    def _settle(self) -> None:
        """Let the server do everything that is due."""
        self._runner.run(_let_run(self.hall))
        for _ in range(MAX_TIMER_RUNS if self._runs_due_timers else 0):
            due = self.hall.timers.next_deadline()
            if due is None or due > self._now:
                break
            self._runner.run(self._run_timers())


async def _let_run(hall: Hall) -> None:
    """Let the server read its input and write answers.

    On the loopback interface sent data has already arrived, so a few turns after the last commit
    are enough. Callers that expect an answer try again until it arrives.
    """
    idle_turns = 0
    while idle_turns < 8:
        idle_turns = idle_turns + 1 if hall.host._batch is None else 0
        await asyncio.sleep(0)

"""A hall with real sockets, in this process, and a clock that moves when told."""

import asyncio
import select
import socket

import uvloop

from gamehall.server.hall import Hall
from gamehall.server.plan import DoorPlan
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import read_settings

PATIENCE_SECONDS = 10


class SocketStage:
    """Plays a scene over TCP on the loopback. The hall runs whenever a step needs it to."""

    def __init__(self, protocol: AnyProtocol, settings: dict[str, str], port: int = 0) -> None:
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._now = 1000.0
        self._clients: dict[str, socket.socket] = {}
        read = read_settings(protocol.settings, settings, protocol.name)
        self.hall = self._runner.run(self._open(DoorPlan(protocol, port, read)))

    async def _open(self, plan: DoorPlan) -> Hall:
        # Time passes only when told: the alarm is set, but for a moment that never comes.
        loop = asyncio.get_running_loop()
        hall = Hall([plan], 1, lambda: self._now, lambda _, ring: loop.call_later(3600, ring))
        [(_, address)] = await hall.open("127.0.0.1")
        self.port = int(address.rsplit(":", 1)[1])
        return hall

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

    def socket_options(self) -> list[dict[str, int]]:
        """What is set on the server's side of each connection."""
        sockets = [
            connection._transport.get_extra_info("socket")
            for door in self.hall._doors
            for connection in door._connections.values()
        ]
        return [
            {
                "SO_KEEPALIVE": one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE),
                "TCP_NODELAY": one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY),
            }
            for one in sockets
        ]

    def send(self, who: str, message: bytes) -> None:
        self.client(who).sendall(message)
        self._settle()

    def hang_up(self, who: str) -> None:
        self.client(who).shutdown(socket.SHUT_WR)
        self._settle()

    def vanish(self, who: str) -> None:
        self._clients.pop(who).close()
        self._settle()

    def wait(self, seconds: float) -> None:
        self._now += seconds
        self._runner.run(self._ring())

    async def _ring(self) -> None:
        self.hall.timers.ring()
        await _let_run()

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
            client = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._clients[who] = client
            self._settle()
        return self._clients[who]

    def _receive(self, who: str, length: int) -> bytes:
        return self._clients[who].recv(length) if length and self._readable(who) else b""

    def _readable(self, who: str) -> bool:
        return bool(select.select([self._clients[who]], [], [], 0)[0])

    def _settle(self) -> None:
        self._runner.run(_let_run())


async def _let_run() -> None:
    """Lets the hall read what is there and write its answers.

    On the loopback what is sent has arrived, so a few turns of the loop are enough; whoever
    expects something asks again until it comes.
    """
    for _ in range(8):
        await asyncio.sleep(0)

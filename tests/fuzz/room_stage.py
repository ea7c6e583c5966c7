"""The server's ends of several connections, with their room."""

from functools import cache
from random import Random
from typing import Any

from gamehall.rooms.requests import Request
from gamehall.rooms.room import Codec, Entry
from gamehall.server.hosted_room import HostedRoom
from gamehall.wire.http import CONTINUE
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import Session
from tests.fuzz.checks import Violation, check_kept
from tests.fuzz.mutation import chunks
from tests.fuzz.script import EndOfInput, Give, Reset, Script, Wait
from tests.support.memory_stage import MemoryStage, SessionClient

SECONDS_AFTERWARDS = 300.0
"""Time after the script in which everything that waits for something must give up."""


@cache
def _codec_of(protocol: AnyProtocol) -> Codec[Any]:
    return Codec(protocol.moves)


class CheckedClient(SessionClient):
    """A client whose requests are encoded and decoded, as in a journal."""

    codec: Codec[Any]

    def submit(self, request: Request[Any]) -> None:
        entry = Entry(0.0, self.peer, request)
        again = self.codec.decode(self.codec.encode(entry))
        if again != entry:
            raise Violation(f"{entry} was decoded as {again}")
        super().submit(request)


class RoomStage(MemoryStage):
    """Runs a script with any content."""

    def __init__(self, protocol: AnyProtocol, script: Script, random: Random) -> None:
        super().__init__(protocol, script.settings, 1 << 24, script.doors)
        self._script = script
        self._random = random
        self._codec = _codec_of(protocol)
        self.host._recover = _fail  # type: ignore[method-assign]

    def run(self) -> list[object]:
        """Run the script and end all connections. Return what each client was sent."""
        for step in self._script.steps:
            match step:
                case Give(who, data):
                    self.send(who, data)
                case EndOfInput(who):
                    self.hang_up(who)
                case Reset(who):
                    if who in self._clients:
                        self.reset(who)
                case Wait(seconds):
                    self.wait(seconds)
                case _:
                    raise TypeError(f"unexpected {step} in a room's script")
        self._end()
        return [(who, client.sent.replace(CONTINUE, b"")) for who, client in self._clients.items()]

    def send(self, who: str, message: bytes) -> None:
        client = self._client(who)
        for piece in chunks(self._random, message):
            self._receive(client, piece)

    def _new_client(self, who: str, session: Session[Any, Any]) -> SessionClient:
        client = CheckedClient(self.host, self._door, session, self._ready)
        client.codec = self._codec
        return client

    def _receive(self, client: SessionClient, data: bytes) -> None:
        session = client.session
        if session.closed:
            return
        super()._receive(client, data)
        if not session.closed:
            check_kept(session._framing, len(data))

    def _end(self) -> None:
        """End all inputs; after a while all sessions must be over."""
        for who in list(self._clients):
            self.hang_up(who)
        self.wait(SECONDS_AFTERWARDS)
        for who, client in self._clients.items():
            # a client whose answers were sent ahead stays.
            if not _is_over(client.session) and not client.session.has_script:
                raise Violation(f"{who} ended its input, and its session is open")


def _fail(hosted: HostedRoom) -> None:
    """Raise the exception of a room instead of rebuilding the room."""
    raise


def _is_over(session: Any) -> bool:
    return bool(session.closed or session._gave_last_request)

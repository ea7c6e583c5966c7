"""The house's ends of several conversations, before their real room."""

from functools import cache
from random import Random
from typing import Any

from gamehall.rooms.journal import Codec, Entry, is_worth_noting
from gamehall.rooms.reaction import Peer
from gamehall.wire.http import CONTINUE
from gamehall.wire.protocol import AnyProtocol
from tests.fuzz.checks import Violation, check_kept
from tests.fuzz.mutation import chunks
from tests.fuzz.script import EndOfInput, Give, Script, Vanish, Wait
from tests.support.memory_stage import MemoryStage

SECONDS_AFTERWARDS = 300.0
"""In which whatever waits for something gives it up."""


@cache
def _codec_of(protocol: AnyProtocol) -> Codec[Any]:
    """By which requests at the doors of this protocol are noted."""
    return Codec(protocol.moves)


class RoomStage(MemoryStage):
    """A stage on which a script is played, whatever is in it."""

    def __init__(self, protocol: AnyProtocol, script: Script, random: Random) -> None:
        super().__init__(protocol, script.settings, 1 << 24, script.doors)
        self._script = script
        self._random = random
        self._codec = _codec_of(protocol)

    def run(self) -> list[object]:
        """Plays the script to its end and beyond, and returns what each peer was sent."""
        for step in self._script.steps:
            match step:
                case Give(who, data):
                    self.send(who, data)
                case EndOfInput(who):
                    self.hang_up(who)
                case Vanish(who):
                    if who in self._peers:
                        self.vanish(who)
                case Wait(seconds):
                    self.wait(seconds)
                case _:
                    raise TypeError(f"there is no {step} in a room's script")
        self._end()
        sent: list[object] = [
            (who, self._sent[peer].replace(CONTINUE, b"")) for who, peer in self._peers.items()
        ]
        return sent

    def send(self, who: str, message: bytes) -> None:
        peer = self._peer(who)
        for piece in chunks(self._random, message):
            self._receive(peer, piece)

    def _receive(self, peer: Peer, data: bytes) -> None:
        session = self._sessions[peer]
        if session.closed:
            return
        super()._receive(peer, data)
        if not session.closed:
            check_kept(session._framing, len(data))

    def _work(self, peer: Peer) -> None:
        session = self._sessions[peer]
        while True:
            request = session.next_request()
            self._sent[peer] += session.pending_output
            session.pending_output = b""
            if request is None:
                break
            self._check_journal(Entry(self.now, peer, request))
            self._deliver(self.room.handle(peer, request, self.now))

    def _check_journal(self, entry: Entry[Any]) -> None:
        """Whatever a peer asks for can be written down and read again, as a kept room does."""
        assert entry.request is not None
        if is_worth_noting(entry.request):
            again = self._codec.decode(self._codec.encode(entry))
            if again != entry:
                raise Violation(f"{entry} was noted, and is read as {again}")

    def _end(self) -> None:
        """Everybody hangs up, and after a while it must be over."""
        for who in list(self._peers):
            self.hang_up(who)
        self.wait(SECONDS_AFTERWARDS)
        for peer, session in self._sessions.items():
            # A script that was piped ahead keeps its client in.
            if not _is_over(session) and not session.has_script:
                raise Violation(f"peer {peer} has hung up, and its session goes on")


def _is_over(session: Any) -> bool:
    return bool(session.closed or session._said_goodbye)

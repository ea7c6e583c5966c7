"""A server of ours for one client, which is looked at while it plays against an opponent of ours.

Room and sessions are those of the hall, held to the letter; what the client asks for is judged
once more as it goes by.
"""

import contextlib
import select
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

from gamehall.check.clauses import Finding
from gamehall.check.guest import Guest
from gamehall.check.opponent import Opponent
from gamehall.core import Shuffler
from gamehall.hosting.requests import HangUp, Leave
from gamehall.hosting.room import Delivery, Peer
from gamehall.play import TurnBegan
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import Session
from gamehall.wire.settings import read_settings

SECONDS_TO_COME = 60.0
"""How long we wait for a client."""
SECONDS_TO_ANSWER = 30.0
"""How long a client may think, where no document gives it less."""
SECONDS_TO_PART = 2.0
"""How long a client may still ask and listen when the game is over."""
LONGEST_GAME_SECONDS = 600.0

BYTES_AT_A_TIME = 65_536
LONGEST_NAP = 0.25

OUR_TERMS: dict[str, dict[str, object]] = {"ascension-http": {"turns": 30}}
"""What is set, beside being strict, so that games are short."""

OPPONENT_FIRST = ("tttp",)
"""Where who comes first may move at once, and is told the same again when the second comes.

A client cannot know then whether its move was heard, so it is not put to that test.
"""

OUR_PEER = Peer(0)


def run(
    protocol: AnyProtocol,
    host: str,
    port: int,
    values: Mapping[str, object],
    tell: Callable[[int], None],
    seconds_to_come: float = SECONDS_TO_COME,
    seconds_to_answer: float = SECONDS_TO_ANSWER,
) -> list[Finding]:
    """What is known of the first client that comes. `tell` hears on which port we listen.

    Raises OSError if nobody can listen there. Never waits for ever.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as door:
        tell(door.getsockname()[1])
        table = Table(protocol, values, door, seconds_to_come, seconds_to_answer)
        try:
            return table.run()
        finally:
            table.close()


class Table:
    """One client, our opponent, and the room between them."""

    def __init__(
        self,
        protocol: AnyProtocol,
        values: Mapping[str, object],
        door: socket.socket,
        seconds_to_come: float,
        seconds_to_answer: float,
    ) -> None:
        terms = {"strict": True, **OUR_TERMS.get(protocol.name, {}), **values}
        settings = read_settings(protocol.settings, terms, protocol.name)
        self._door = door
        self._seconds_to_come = seconds_to_come
        self._seconds_to_answer = seconds_to_answer
        self._has_many_lines = protocol.name.endswith("-http")
        self._opponent_is_first = protocol.name in OPPONENT_FIRST
        self._room = protocol.room(settings, Shuffler(seed=1))
        self._open_session = protocol.sessions(settings)
        self._guest = Guest(protocol.name)
        self._opponent = Opponent(protocol, settings, self._hear_opponent)
        self._opponent_came = False
        self._sessions: dict[Peer, Session[Any, Any]] = {}
        self._plugs: dict[Peer, socket.socket] = {}
        self._arrivals = 0
        self._heard_at = time.monotonic()
        """When the client was last heard, or began to be waited for."""

    def run(self) -> list[Finding]:
        """From the first word to the last."""
        start = self._heard_at
        why = "it did not come"
        while not self._room.finished and not self._guest.is_gone:
            self._go_on()
            if self._arrivals == 0 and time.monotonic() > start + self._seconds_to_come:
                break
            if self._arrivals and (why := self._why_stop(start)):
                break
        is_over = self._room.finished > 0 and not self._guest.is_gone
        if is_over:
            self._part()
        return self._guest.findings(is_over, why)

    def close(self) -> None:
        """Closes whatever is open."""
        for plug in self._plugs.values():
            plug.close()

    def _why_stop(self, start: float) -> str:
        """Why it makes no sense to go on, empty if it does."""
        if self._guest.is_gone or not (self._plugs or self._has_many_lines):
            return "it left before the end"
        now = time.monotonic()
        silent = now - self._heard_at
        if self._guest.is_asked and silent > self._seconds_to_answer:
            self._guest.blame("C-05", f"nothing came for {silent:.0f} s, though it was asked")
            return "it stopped answering"
        if now - start > LONGEST_GAME_SECONDS:
            return f"the game took more than {LONGEST_GAME_SECONDS:.0f} s"
        return ""

    def _part(self) -> None:
        """The client may still find out that everything is over."""
        end = time.monotonic() + SECONDS_TO_PART
        while self._plugs and time.monotonic() < end:
            self._go_on()

    def _go_on(self) -> None:
        """Whatever comes next: bytes, a client, or a point in time."""
        poll = self._opponent.seconds_to_poll if self._opponent_came else None
        naps = [LONGEST_NAP, *([poll] if poll is not None else [])]
        naps += [due - time.monotonic() for due in self._deadlines()]
        ready = select.select([self._door, *self._plugs.values()], [], [], max(0, min(naps)))[0]
        if self._door in ready:
            self._let_in()
        for peer, plug in list(self._plugs.items()):
            if plug in ready:
                self._read(peer, plug)
        now = time.monotonic()
        if self._room.deadline is not None and now >= self._room.deadline:
            self._deliver(self._room.tick(now), now)
        for peer in list(self._sessions):
            self._sessions[peer].tick(now)
            self._work(peer, now)
        if poll is not None and not ready:
            self._opponent.poll()
        self._opponent.act()

    def _deadlines(self) -> list[float]:
        deadlines = [self._room.deadline, *(s.deadline for s in self._sessions.values())]
        return [due for due in deadlines if due is not None]

    def _let_in(self) -> None:
        plug, _ = self._door.accept()
        if self._arrivals and not self._has_many_lines:
            # One client is looked at; others have come to the wrong place.
            plug.close()
            return
        now = self._heard_at = time.monotonic()
        if self._opponent_is_first:
            self._bring_opponent(now)
        self._arrivals += 1
        peer = Peer(self._arrivals)
        plug.settimeout(SECONDS_TO_PART)
        plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._plugs[peer] = plug
        self._sessions[peer] = self._open_session(now)
        self._work(peer, now)

    def _read(self, peer: Peer, plug: socket.socket) -> None:
        now = time.monotonic()
        try:
            got = plug.recv(BYTES_AT_A_TIME)
        except OSError:
            got = b""
        session = self._sessions.get(peer)
        if session is not None:
            session.receive_data(got, now)
            self._work(peer, now)
        if got:
            self._heard_at = now
        else:
            self._drop(peer, now)

    def _drop(self, peer: Peer, now: float) -> None:
        """A line of the client is gone."""
        self._plugs.pop(peer).close()
        if self._sessions.pop(peer, None) is not None:
            if not (self._has_many_lines or self._room.finished):
                self._guest.asks(Leave(None))
            self._deliver(self._room.handle(peer, Leave(None), now), now)

    def _hear_opponent(self, message: bytes) -> None:
        now = time.monotonic()
        self._sessions[OUR_PEER].receive_data(message, now)
        self._work(OUR_PEER, now)

    def _work(self, peer: Peer, now: float) -> None:
        """Everything that a peer has asked for, one thing after the other."""
        while (session := self._sessions.get(peer)) is not None:
            request = session.next_request()
            self._send(peer, session.aside)
            session.aside = b""
            if request is None:
                break
            # Where a client has many lines, to hang up one of them means nothing.
            is_nothing = self._has_many_lines and isinstance(request, HangUp)
            if peer != OUR_PEER and not self._room.finished and not is_nothing:
                self._guest.asks(request)
            self._deliver(self._room.handle(peer, request, now), now)
        if self._guest.has_begun:
            self._bring_opponent(now)

    def _bring_opponent(self, now: float) -> None:
        if not self._opponent_came:
            self._opponent_came = True
            self._sessions[OUR_PEER] = self._open_session(now)
            self._work(OUR_PEER, now)
            self._opponent.arrive()
            self._opponent.act()

    def _deliver(self, deliveries: list[Delivery[Any]], now: float) -> None:
        for delivery in deliveries:
            for peer in delivery.peers:
                session = self._sessions.get(peer)
                if session is not None and not session.closed:
                    self._tell(peer, session, delivery.notice)
        for peer, session in list(self._sessions.items()):
            if session.has_kept_input:
                session.has_kept_input = False
                self._work(peer, now)

    def _tell(self, peer: Peer, session: Session[Any, Any], notice: Any) -> None:
        message = session.send(notice)
        if peer != OUR_PEER and not self._room.finished:
            self._guest.hears(notice)
            if isinstance(notice, TurnBegan) and message:
                # 000 shows the board only to clients that have asked for it.
                self._guest.sees_board = b"get_" not in message or b"[[" in message
        self._send(peer, message)
        if session.closed and peer in self._plugs:
            with contextlib.suppress(OSError):
                # Who is gone already need not be told.
                self._plugs[peer].shutdown(socket.SHUT_WR)

    def _send(self, peer: Peer, message: bytes) -> None:
        if peer == OUR_PEER:
            self._opponent.hear(message)
        elif message and peer in self._plugs:
            try:
                self._plugs[peer].sendall(message)
            except OSError:
                # That it is gone is seen when it is read.
                return

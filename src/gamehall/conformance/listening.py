"""A server for one client under check, which plays against a random bot.

The client connects twice, once for each seat, unless one visit gives it both, as a tournament may.
Room and sessions are those of Gamehall, in strict mode; `guest` judges each request once more.
"""

import contextlib
import select
import socket
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from gamehall.bots.bot import RandomBot
from gamehall.bots.visitor import Visitor
from gamehall.conformance.checklist import Finding
from gamehall.conformance.guest import Guest
from gamehall.core import Seat, SeededRandom
from gamehall.match import TurnBegan
from gamehall.rooms.notices import Snapshot
from gamehall.rooms.reaction import Delivery, Peer, Reaction
from gamehall.rooms.requests import EndOfInput, Leave, Play, Request, Resign
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import ClientSession, Session
from gamehall.wire.settings import DoorSettings, read_settings

SECONDS_TO_COME = 60.0
"""How long we wait for a client."""
SECONDS_TO_ANSWER = 30.0
"""How long a client may think, where no document gives it less."""
SECONDS_TO_RETURN = 20.0
"""How long we wait for a client that has had one seat to come again for the other."""
SECONDS_TO_PART = 2.0
"""How long a client may still ask and listen when the game is over."""
LONGEST_GAME_SECONDS = 600.0

BYTES_AT_A_TIME = 65_536
LONGEST_NAP = 0.25

OUR_TERMS: dict[str, dict[str, object]] = {
    "ascension-http": {"turns": 30},
    # A client of 000 that does not see the board has to try until it finds a legal answer.
    "santorini-lobby": {"max-retries": 100},
}
"""What is set, beside being strict, so that games are short and clients can play them."""

OUR_PEER = Peer(0)

CAME_ONCE = (
    "the client connected only once: connect it again within {seconds:.0f} s after its game, and it"
    " is given the other seat"
)

NAME = "opponent"
SEED = 1

MOVES_ENOUGH = 30
"""After so many moves it resigns, on wires that can express it, to keep games short."""


def run(
    protocol: AnyProtocol,
    host: str,
    port: int,
    values: Mapping[str, object],
    tell: Callable[[int], None],
    seconds_to_come: float = SECONDS_TO_COME,
    seconds_to_answer: float = SECONDS_TO_ANSWER,
    seconds_to_return: float = SECONDS_TO_RETURN,
    tell_to_return: Callable[[float], None] = lambda seconds: None,
) -> list[Finding]:
    """What is known of the client that comes, and comes again if it has not had both seats.

    `tell` hears on which port we listen, `tell_to_return` when the client is to connect for the
    second time, and how many seconds it has. Raises OSError if nobody can listen there. Never
    waits for ever.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    guest = Guest(protocol.name)
    terms = {"strict": True, **OUR_TERMS.get(protocol.name, {}), **values}
    settings = read_settings(protocol.settings, terms, protocol.name)
    with socket.create_server((host, port), family=family) as door:
        tell(door.getsockname()[1])
        with Table(protocol, settings, door, guest, seconds_to_answer) as table:
            table.run(seconds_to_come)
        if guest.has_failed:
            guest.misses_second_visit("the client failed in its first seat")
        elif len({*guest.seats}) < len(Seat):
            tell_to_return(seconds_to_return)
            first_seat = guest.seats[0] if guest.seats else None
            guest.begin_visit()
            with Table(
                protocol, settings, door, guest, seconds_to_answer, second_after=first_seat
            ) as table:
                if not table.run(seconds_to_return):
                    guest.misses_second_visit(CAME_ONCE.format(seconds=seconds_to_return))
    return guest.findings()


class Table:
    """One visit of the client, our opponent, and the room between them."""

    def __init__(
        self,
        protocol: AnyProtocol,
        settings: DoorSettings,
        door: socket.socket,
        guest: Guest,
        seconds_to_answer: float,
        second_after: Seat | None = None,
    ) -> None:
        """`second_after`: the seat that the client has had; then our opponent comes first."""
        self._door = door
        self._seconds_to_answer = seconds_to_answer
        self._has_many_lines = protocol.name.endswith("-http")
        self._opponent_is_first = second_after is not None
        self._room = protocol.room(settings, SeededRandom(seed=1))
        self._finished = 0
        """How many games or tournaments have come to an end."""
        self._open_session = protocol.sessions(settings)
        self._guest = guest
        answers = dict(protocol.answers)
        if second_after is not None and "color" in answers:
            # Who comes first at a Go table chooses: this time ours, the seat that is to be left.
            answers["color"] = str(second_after.value)
        self._opponent = Opponent(protocol, settings, self._hear_opponent, answers)
        self._opponent_came = False
        self._is_arranging = False
        """Whether our opponent is just being brought in."""
        self._last_sent = b""
        self._sessions: dict[Peer, Session[Any, Any]] = {}
        self._plugs: dict[Peer, socket.socket] = {}
        self._arrivals = 0
        self._accepts = True
        self._is_parting = False
        """Whether the game is over: that the client leaves is how it goes."""
        self._waits_since: float | None = None
        """Since when we wait for the client, None while we do not."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def run(self, seconds_to_come: float) -> bool:
        """From the first word to the last. Return whether the client came."""
        start = time.monotonic()
        why = "it did not come"
        while not self._finished and not self._guest.is_gone:
            self._go_on()
            if self._arrivals == 0 and time.monotonic() > start + seconds_to_come:
                break
            if self._arrivals and (why := self._why_stop(start)):
                break
        if self._arrivals == 0 and self._opponent_is_first:
            return False
        is_over = self._finished > 0 and not self._guest.is_gone
        if is_over:
            self._part()
        self._guest.ends_visit(is_over, why or "it left before the end")
        return True

    def close(self) -> None:
        """Closes whatever is open."""
        for plug in self._plugs.values():
            plug.close()

    def _why_stop(self, start: float) -> str:
        """Why it makes no sense to go on, empty if it does."""
        if self._guest.is_gone or not (self._plugs or self._has_many_lines):
            return "it left before the end"
        now = time.monotonic()
        if not self._guest.is_asked:
            self._waits_since = None
        elif self._waits_since is None:
            self._waits_since = now
        elif now - self._waits_since > self._seconds_to_answer:
            silence = f"no answer came for {now - self._waits_since:.0f} s"
            if self._guest.has_failed:
                # It was told that something is wrong, and is silent since.
                pass
            elif self._guest.has_begun:
                self._guest.blame("C-05", f"{silence}, though it was to move or to answer")
            else:
                self._guest.blame("C-01", f"it connected, and {silence}")
            return "it stopped answering"
        if now - start > LONGEST_GAME_SECONDS:
            return f"the game took more than {LONGEST_GAME_SECONDS:.0f} s"
        return ""

    def _part(self) -> None:
        """The client may still find out that everything is over."""
        self._is_parting = True
        # Who connects now has come for another game, unless it only asks how this one ended.
        self._accepts = self._has_many_lines and not self._guest.is_told_end
        end = time.monotonic() + SECONDS_TO_PART
        while (self._plugs or self._accepts) and time.monotonic() < end:
            self._go_on()
            self._accepts &= not self._guest.is_told_end

    def _go_on(self) -> None:
        """Whatever comes next: bytes, a client, or a point in time."""
        poll = self._opponent.seconds_to_poll if self._opponent_came else None
        naps = [LONGEST_NAP, *([poll] if poll is not None else [])]
        naps += [due - time.monotonic() for due in self._deadlines()]
        doors = [self._door] if self._accepts else []
        ready = select.select([*doors, *self._plugs.values()], [], [], max(0, min(naps)))[0]
        if self._door in ready:
            self._let_in()
        for peer, plug in list(self._plugs.items()):
            if plug in ready:
                self._read(peer, plug)
        now = time.monotonic()
        if self._room.deadline is not None and now >= self._room.deadline:
            self._take(self._room.tick(now), now)
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
        now = time.monotonic()
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
        if not got:
            self._drop(peer, now)

    def _drop(self, peer: Peer, now: float) -> None:
        """A line of the client is gone."""
        self._plugs.pop(peer).close()
        if self._sessions.pop(peer, None) is not None:
            if not (self._has_many_lines or self._finished):
                self._guest.asks(Leave(None))
            self._handle(peer, Leave(None), now)

    def _hear_opponent(self, message: bytes) -> None:
        now = time.monotonic()
        self._sessions[OUR_PEER].receive_data(message, now)
        self._work(OUR_PEER, now)

    def _work(self, peer: Peer, now: float) -> None:
        """Everything that a peer has asked for, one thing after the other."""
        while (session := self._sessions.get(peer)) is not None:
            request = session.next_request()
            self._send(peer, session.pending_output)
            session.pending_output = b""
            if request is None:
                break
            # Where a client has many lines, to hang up one of them means nothing.
            is_nothing = self._has_many_lines and isinstance(request, EndOfInput)
            is_judged = peer != OUR_PEER and not self._finished and not is_nothing
            if is_judged and self._guest.asks(request):
                self._waits_since = None
            self._handle(peer, request, now)
        if self._guest.has_begun:
            self._bring_opponent(now)

    def _handle(self, peer: Peer, request: Request[Any], now: float) -> None:
        if self._room.deadline is not None and now >= self._room.deadline:
            self._take(self._room.tick(now), now)
        self._take(self._room.handle(peer, request, now), now)

    def _take(self, reaction: Reaction[Any], now: float) -> None:
        self._finished += reaction.finished
        self._deliver(reaction.deliveries, now)

    def _bring_opponent(self, now: float) -> None:
        if not self._opponent_came:
            self._opponent_came = self._is_arranging = True
            self._sessions[OUR_PEER] = self._open_session(now)
            self._work(OUR_PEER, now)
            self._opponent.arrive()
            self._opponent.act()
            self._is_arranging = False

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
        if peer == OUR_PEER:
            if isinstance(notice, Snapshot):
                # Over HTTP the client may not have asked, and is to move all the same.
                self._guest.learns(notice.position)
        elif not self._is_parting or isinstance(notice, Snapshot):
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
            if self._is_arranging and message == self._last_sent:
                # TTTP tells who came first the same board again when the second comes (T-Q06). A
                # client that moved at once could not know whether its move was heard.
                return
            self._last_sent = message
            try:
                self._plugs[peer].sendall(message)
            except OSError:
                # That it is gone is seen when it is read.
                return


class Opponent:
    """The random bot that the client plays against: both ends of its wire are in memory."""

    def __init__(
        self,
        protocol: AnyProtocol,
        settings: DoorSettings,
        say: Callable[[bytes], None],
        answers: Mapping[str, str],
    ) -> None:
        """`say` sends to the room. `answers`: to the questions about the terms."""
        self._client: ClientSession[Any, Any] = protocol.client(settings)
        self._visitor: Visitor[Any] = Visitor(NAME, answers, None)
        self._bot = RandomBot(SEED)
        self._say = say
        self._moves = 0
        self._unread = b""

    def arrive(self) -> None:
        """Send the first message."""
        self._speak(self._visitor.arrive())

    def hear(self, message: bytes) -> None:
        """Keep what the room sends until `act`."""
        self._unread += message

    @property
    def seconds_to_poll(self) -> float | None:
        """After how many seconds it polls, None if it need not."""
        return self._client.seconds_to_poll

    def poll(self) -> None:
        """Poll the state of the game."""
        if self._client.seconds_to_poll is not None:
            self._say(self._client.poll())

    def act(self) -> None:
        """Answer everything that was sent, and move if it is its turn."""
        while self._unread or self._visitor.turn is not None:
            unread, self._unread = self._unread, b""
            if unread:
                self._client.receive_data(unread)
            while (notice := self._client.next_notice()) is not None:
                self._speak(self._visitor.hear(notice))
            self._move()

    def _move(self) -> None:
        turn, self._visitor.turn = self._visitor.turn, None
        if turn is None:
            return
        self._moves += 1
        if self._moves > MOVES_ENOUGH and self._speak([Resign()]):
            return
        self._speak([Play(self._bot.choose(turn.position, turn.seat, None))])

    def _speak(self, requests: list[Request[Any]]) -> bool:
        """Return whether the wire can express any of that."""
        message = b"".join(self._client.send(request) for request in requests)
        if message:
            self._say(message)
        return bool(message)

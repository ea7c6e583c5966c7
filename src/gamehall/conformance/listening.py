"""A server for one client under check, which plays against a random bot.

The client connects twice, once for each seat, unless one visit gives it both, as a tournament may.
Room and sessions are those of Gamehall, in strict mode; `client_review` judges each request, too.
"""

import contextlib
import select
import socket
import time
from collections.abc import Callable, Mapping
from itertools import repeat
from types import TracebackType
from typing import Any, Self

from gamehall.bots.bot import RandomBot
from gamehall.conformance.checklist import ClientRules, Finding, load_checklist
from gamehall.conformance.client_review import ClientReview
from gamehall.core import Seat, SeededRandom
from gamehall.core.seeded_random import SECRET_BYTES
from gamehall.match import TurnBegan
from gamehall.players.bot_player import BotPlayer
from gamehall.rooms.journal import NoJournal
from gamehall.rooms.notices import Notice, Snapshot
from gamehall.rooms.requests import EndOfInput, Leave, Play, Request, Resign
from gamehall.rooms.room import Codec, Peer
from gamehall.server.observer import Observer
from gamehall.server.room_host import HostedRoom, Prepared, RoomHost
from gamehall.server.timers import Timers
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

CAME_ONCE = (
    "the client connected only once: connect it again within {seconds:.0f} s after its game, and it"
    " is given the other seat"
)

NAME = "opponent"
SEED = 1

MOVES_ENOUGH = 30
"""Moves after which our opponent resigns, if the protocol allows it, to keep games short."""


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
    checklist = load_checklist(protocol)
    rules = checklist.client if checklist else ClientRules()
    review = ClientReview(rules)
    terms = {"strict": True, **rules.settings, **values}
    settings = read_settings(protocol.settings, terms, protocol.name)
    with socket.create_server((host, port), family=family) as door:
        tell(door.getsockname()[1])
        with ListeningTable(
            protocol=protocol,
            settings=settings,
            door=door,
            review=review,
            rules=rules,
            seconds_to_answer=seconds_to_answer,
        ) as table:
            table.run(seconds_to_come)
        if review.has_failed:
            review.misses_second_visit("the client failed in its first seat")
        elif len({*review.seats}) < len(Seat):
            tell_to_return(seconds_to_return)
            first_seat = review.seats[0] if review.seats else None
            review.begin_visit()
            with ListeningTable(
                protocol=protocol,
                settings=settings,
                door=door,
                review=review,
                rules=rules,
                seconds_to_answer=seconds_to_answer,
                second_after=first_seat,
            ) as table:
                if not table.run(seconds_to_return):
                    review.misses_second_visit(CAME_ONCE.format(seconds=seconds_to_return))
    return review.findings()


class ListeningTable:
    """One visit of the client, our opponent, and the room between them."""

    def __init__(
        self,
        protocol: AnyProtocol,
        settings: DoorSettings,
        door: socket.socket,
        review: ClientReview,
        rules: ClientRules,
        seconds_to_answer: float,
        second_after: Seat | None = None,
    ) -> None:
        """`second_after`: the seat that the client has had; then our opponent comes first."""
        self._door = door
        self._seconds_to_answer = seconds_to_answer
        # Clients that ask how the game stands may open a connection for every request.
        self._has_many_lines = protocol.seconds_to_linger > 0
        self._rules = rules
        self._opponent_is_first = second_after is not None
        self._finished = 0
        """How many games or tournaments have come to an end."""
        self._turn: list[Callable[[], None]] = []
        """What the host has put off to the end of its turn."""
        self._timers = Timers(time.monotonic, _never)
        self._host = RoomHost(
            timers=self._timers,
            call_soon=self._turn.append,
            call_later=_never,
            journal=NoJournal(),
            observer=Observer(),
        )
        room = HostedRoom(
            name=protocol.name,
            make_room=lambda _: protocol.room(settings, SeededRandom(SEED)),
            settings=b"",
            codec=Codec(protocol.moves),
            seeds=repeat(bytes(SECRET_BYTES)),
        )
        self._host.open_room(room, 0)
        self._host.after_each_end(room.name, self._note_end)
        self._room = room.name
        self._open_session = protocol.sessions(settings)
        self._review = review
        answers = dict(protocol.answers)
        if second_after is not None:
            # Our opponent comes first this time, and takes the seat that the client has had.
            answers |= rules.answers(second_after)
        self._opponent = Opponent(
            protocol=protocol, settings=settings, say=self._hear_opponent, answers=answers
        )
        self._opponent_came = False
        self._is_arranging = False
        """Whether our opponent is just being brought in."""
        self._last_sent = b""
        self._lines: list[ClientConnection] = []
        """The connections of the client and, last, that of our opponent."""
        self._our_line: ClientConnection | None = None
        self._plugs: dict[ClientConnection, socket.socket] = {}
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
        while not self._finished and not self._review.is_gone:
            self._go_on()
            if self._arrivals == 0 and time.monotonic() > start + seconds_to_come:
                break
            if self._arrivals and (why := self._why_stop(start)):
                break
        if self._arrivals == 0 and self._opponent_is_first:
            return False
        is_over = self._finished > 0 and not self._review.is_gone
        if is_over:
            self._part()
        self._review.ends_visit(is_over, why or "it left before the end")
        return True

    def close(self) -> None:
        """Closes whatever is open."""
        for plug in self._plugs.values():
            plug.close()

    def _why_stop(self, start: float) -> str:
        """Why it makes no sense to go on, empty if it does."""
        if self._review.is_gone or not (self._plugs or self._has_many_lines):
            return "it left before the end"
        now = time.monotonic()
        if not self._review.is_asked:
            self._waits_since = None
        elif self._waits_since is None:
            self._waits_since = now
        elif now - self._waits_since > self._seconds_to_answer:
            silence = f"no answer came for {now - self._waits_since:.0f} s"
            if self._review.has_failed:
                # It was told that something is wrong, and is silent since.
                pass
            elif self._review.has_begun:
                self._review.blame("C-05", f"{silence}, though it was to move or to answer")
            else:
                self._review.blame("C-01", f"it connected, and {silence}")
            return "it stopped answering"
        if now - start > LONGEST_GAME_SECONDS:
            return f"the game took more than {LONGEST_GAME_SECONDS:.0f} s"
        return ""

    def _part(self) -> None:
        """The client may still find out that everything is over."""
        self._is_parting = True
        # Who connects now has come for another game, unless it only asks how this one ended.
        self._accepts = self._has_many_lines and not self._review.is_told_end
        end = time.monotonic() + SECONDS_TO_PART
        while (self._plugs or self._accepts) and time.monotonic() < end:
            self._go_on()
            self._accepts &= not self._review.is_told_end

    def _go_on(self) -> None:
        """Whatever comes next: bytes, a client, or a point in time."""
        poll = self._opponent.seconds_to_poll if self._opponent_came else None
        naps = [LONGEST_NAP, *([poll] if poll is not None else [])]
        naps += [due - time.monotonic() for due in self._deadlines()]
        doors = [self._door] if self._accepts else []
        ready = select.select([*doors, *self._plugs.values()], [], [], max(0, min(naps)))[0]
        if self._door in ready:
            self._let_in()
        for line, plug in list(self._plugs.items()):
            if plug in ready:
                self._read(line, plug)
        self._timers.ring()
        self._settle()
        now = time.monotonic()
        for line in list(self._lines):
            line.session.tick(now)
            self._work(line)
        if poll is not None and not ready:
            self._opponent.poll()
        self._opponent.act()

    def _deadlines(self) -> list[float]:
        deadlines = [self._timers.next_deadline(), *(one.session.deadline for one in self._lines)]
        return [due for due in deadlines if due is not None]

    def _let_in(self) -> None:
        plug, _ = self._door.accept()
        if self._arrivals and not self._has_many_lines:
            # One client is looked at; others have come to the wrong place.
            plug.close()
            return
        if self._opponent_is_first:
            self._bring_opponent()
        self._arrivals += 1
        plug.settimeout(SECONDS_TO_PART)
        plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line = self._open_line()
        self._plugs[line] = plug
        self._work(line)

    def _open_line(self) -> "ClientConnection":
        line = ClientConnection(self._open_session(time.monotonic()), self._tell, self._send)
        self._host.connect(line, self._room)
        self._lines.append(line)
        return line

    def _read(self, line: "ClientConnection", plug: socket.socket) -> None:
        try:
            got = plug.recv(BYTES_AT_A_TIME)
        except OSError:
            got = b""
        if line in self._lines:
            line.session.receive_data(got, time.monotonic())
            self._work(line)
        if not got:
            self._drop(line)

    def _drop(self, line: "ClientConnection") -> None:
        """A connection of the client is gone."""
        self._plugs.pop(line).close()
        if line in self._lines:
            self._lines.remove(line)
            if not (self._has_many_lines or self._finished):
                self._review.asks(Leave(None))
            self._host.disconnect(line)
            self._settle()

    def _hear_opponent(self, message: bytes) -> None:
        assert self._our_line is not None
        self._our_line.session.receive_data(message, time.monotonic())
        self._work(self._our_line)

    def _work(self, line: "ClientConnection") -> None:
        """Submit everything that was said on a connection, one request after the other."""
        while line in self._lines and not line.is_waiting:
            request = line.session.next_request()
            if line.session.pending_output:
                self._host.say(line, line.session.pending_output)
                line.session.pending_output = b""
            if request is None:
                break
            # Where a client has many connections, to end one of them means nothing.
            is_nothing = self._has_many_lines and isinstance(request, EndOfInput)
            is_judged = line is not self._our_line and not self._finished and not is_nothing
            if is_judged and self._review.asks(request):
                self._waits_since = None
            line.is_waiting = True
            self._host.submit(line, request)
            self._settle()
        self._settle()
        if self._review.has_begun:
            self._bring_opponent()

    def _settle(self) -> None:
        """End the turns of the host, until it has nothing more to do."""
        while self._turn:
            turn, self._turn[:] = list(self._turn), []
            for call in turn:
                call()
        for line in list(self._lines):
            if line.session.has_deferred_input:
                line.session.has_deferred_input = False
                self._work(line)

    def _note_end(self) -> None:
        self._finished += 1

    def _bring_opponent(self) -> None:
        if not self._opponent_came:
            self._opponent_came = self._is_arranging = True
            self._our_line = self._open_line()
            self._work(self._our_line)
            self._opponent.arrive()
            self._opponent.act()
            self._is_arranging = False

    def _tell(self, line: "ClientConnection", notice: Notice[Any], message: bytes) -> None:
        """A notice was put into the words of the wire, as this message."""
        if line is self._our_line:
            if isinstance(notice, Snapshot):
                # Over HTTP the client may not have asked, and is to move all the same.
                self._review.learns(notice.position)
        elif not self._is_parting or isinstance(notice, Snapshot):
            self._review.hears(notice)
            if isinstance(notice, TurnBegan) and message:
                self._review.sees_board = self._rules.shows_board(message)

    def _send(self, line: "ClientConnection", message: bytes) -> None:
        if line is self._our_line:
            self._opponent.hear(message)
        elif message and line in self._plugs:
            if self._is_arranging and message == self._last_sent:
                # Some protocols show the first player the same board again when the second comes.
                # A client that moved at once could not know whether its move was received.
                return
            self._last_sent = message
            try:
                self._plugs[line].sendall(message)
            except OSError:
                # That it is gone is seen when it is read.
                return
        if line.session.closed and line in self._plugs:
            with contextlib.suppress(OSError):
                # Who is gone already need not be told.
                self._plugs[line].shutdown(socket.SHUT_WR)


class ClientConnection:
    """A connection of the client, or of our opponent, as a client of the host."""

    def __init__(
        self,
        session: Session[Any, Any],
        tell: "Callable[[ClientConnection, Notice[Any], bytes], None]",
        send: "Callable[[ClientConnection, bytes], None]",
    ) -> None:
        self.peer = Peer(0)
        self.room = ""
        self.door = ""
        self.address = ""
        self.token = ""
        self.return_seconds = 0.0
        self.session = session
        self.is_waiting = False
        """Whether its last request is not answered yet."""
        self._tell = tell
        self._send = send

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        if self.session.closed:
            return None
        message = self.session.send(notice)
        self._tell(self, notice, message)
        return message

    def deliver(self, prepared: Prepared) -> None:
        assert isinstance(prepared, bytes)
        self._send(self, prepared)

    def answered(self) -> None:
        self.is_waiting = False


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
        self._player: BotPlayer[Any] = BotPlayer(NAME, answers=answers)
        self._bot = RandomBot(SEED)
        self._say = say
        self._moves = 0
        self._unread = b""

    def arrive(self) -> None:
        """Send the first message."""
        self._speak(self._player.arrive())

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
        while self._unread or self._player.turn is not None:
            unread, self._unread = self._unread, b""
            if unread:
                self._client.receive_data(unread)
            while (notice := self._client.next_notice()) is not None:
                self._speak(self._player.hear(notice))
            self._move()

    def _move(self) -> None:
        turn, self._player.turn = self._player.turn, None
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


def _never(_seconds: float, _call: Callable[[], None]) -> Any:
    """Set no alarm: the table looks at the time by itself."""
    return None

"""A server that checks one client, which plays against a random bot.

The client connects twice, once for each seat, unless one visit gives it both, as a tournament may.
Door, sessions and room are Gamehall's own, in strict mode. The bot is a client in this process,
like the house bots. `client_review` judges the requests and notices of the client.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Any

from msgspec.structs import replace

from gamehall.bots.bot import RandomBot
from gamehall.clients.local import LocalClient
from gamehall.conformance.checklist import ClientRules, Finding, load_checklist
from gamehall.conformance.client_review import ClientReview
from gamehall.core import Seat, SeededRandom
from gamehall.match import MatchEnded, MovePlayed, TurnBegan
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import vocabulary_of
from gamehall.rooms.journal import NoJournal
from gamehall.rooms.notices import Notice, Snapshot
from gamehall.rooms.requests import ClientPolicy, EndOfInput, Leave, Play, Request, Resign
from gamehall.rooms.room import Codec
from gamehall.rooms.secrets import SECRET_BYTES
from gamehall.server.connection import Connection
from gamehall.server.door import Door, listen
from gamehall.server.hosted_room import HostedRoom
from gamehall.server.observer import Observer
from gamehall.server.plan import DoorPlan
from gamehall.server.room_host import Client, Prepared, RoomHost
from gamehall.server.timers import Timers
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import DoorSettings, read_settings

SECONDS_TO_CONNECT = 60.0
"""How long to wait for the client."""
SECONDS_TO_ANSWER = 30.0
"""How long the client may think, unless its document says less."""
SECONDS_TO_RETURN = 20.0
"""How long to wait for the client to connect again for the other seat."""
SECONDS_TO_LEAVE = 2.0
"""How long the client may still ask and read when the game is over."""
LONGEST_GAME_SECONDS = 600.0
SECONDS_BETWEEN_LOOKS = 0.05
SECONDS_TO_MOVE = 0.01
"""How long the opponent waits, so that a move sent too early is judged by the position before."""

CONNECTED_ONCE = (
    "the client connected only once: connect it again within {seconds:.0f} s after its game, and it"
    " is given the other seat"
)

NAME = "opponent"
SEED = 1

MAX_MOVES = 30
"""The opponent resigns after this many moves, if the protocol allows it, to keep games short."""


def run(
    protocol: AnyProtocol,
    host: str,
    port: int,
    values: Mapping[str, object],
    report_port: Callable[[int], None],
    seconds_to_connect: float = SECONDS_TO_CONNECT,
    seconds_to_answer: float = SECONDS_TO_ANSWER,
    seconds_to_return: float = SECONDS_TO_RETURN,
    ask_to_return: Callable[[float], None] = lambda seconds: None,
) -> list[Finding]:
    """Check the client that connects, twice if its first visit gives it only one seat.

    Always ends. Raises OSError if it cannot listen there.

    Args:
        values: settings of the door.
        report_port: called with the port.
        ask_to_return: called with a number of seconds when the client is to connect again.
    """
    checklist = load_checklist(protocol)
    rules = checklist.client if checklist else ClientRules()
    review = ClientReview(rules)
    terms = {"strict": True, **rules.settings, **values}
    settings = read_settings(protocol.settings, terms, protocol.name)

    async def visit(seconds_to_connect: float, seat_before: Seat | None = None) -> bool:
        one = Visit(protocol, settings, rules, review, seconds_to_answer, seat_before)
        return await one.run(listening.dup(), seconds_to_connect)

    with listen(host, port) as listening:
        report_port(listening.getsockname()[1])
        asyncio.run(visit(seconds_to_connect))
        if review.has_failed:
            review.skip_second_visit("the client failed in its first seat")
        elif len({*review.seats}) < len(Seat):
            ask_to_return(seconds_to_return)
            first_seat = review.seats[0] if review.seats else None
            review.begin_visit()
            if not asyncio.run(visit(seconds_to_return, first_seat)):
                review.skip_second_visit(CONNECTED_ONCE.format(seconds=seconds_to_return))
    return review.findings()


class Visit:
    """One visit of the client: a door, a new room behind it, and the opponent."""

    def __init__(
        self,
        protocol: AnyProtocol,
        settings: DoorSettings,
        rules: ClientRules,
        review: ClientReview,
        seconds_to_answer: float,
        seat_before: Seat | None,
    ) -> None:
        """Open the room.

        Args:
            seat_before: the seat of the client in its first visit. The opponent takes it this time.
        """
        loop = asyncio.get_running_loop()
        # A client that polls may open a connection for each request.
        self._has_many_connections = protocol.seconds_to_linger > 0
        if not self._has_many_connections:
            # Only one client is checked at a time.
            settings = replace(settings, max_connections=1)
        self._seconds_to_answer = seconds_to_answer
        self._rules = rules
        self.review = review
        room = HostedRoom(
            name=protocol.name,
            make_room=lambda _: protocol.room(settings, SeededRandom(SEED)),
            settings=b"",
            codec=Codec(protocol.moves),
            seeds=repeat(bytes(SECRET_BYTES)),
        )
        host = ReviewedHost(
            timers=Timers(time.monotonic, loop.call_later),
            call_soon=loop.call_soon,
            call_later=loop.call_later,
            journal=NoJournal(),
            observer=Observer(),
        )
        host.open_room(room, 0)
        host.after_each_end(room.name, self._note_end)
        self._door = ReviewedDoor(DoorPlan(protocol, 0, settings, room.name), host, self)
        answers = dict(protocol.answers)
        if seat_before is not None:
            answers |= rules.answers(seat_before)
        self._opponent_is_first = seat_before is not None
        self._opponent = Opponent(answers, vocabulary_of(protocol, settings).has_resign)
        self._opponent.client = LocalClient(
            host=host,
            room=room.name,
            on_notice=self._send_to_opponent,
            # It plays like a client of the door, but is never asked to poll.
            policy=ClientPolicy(native=self._has_many_connections),
        )
        self._opponent_has_joined = False
        self._is_joining = False
        """Whether the opponent is joining at this moment."""
        self._last_message: Prepared | None = None
        self._is_over = False
        """Whether the game or tournament has ended, so that the client may leave."""
        self._waits_since: float | None = None
        """The time since when it is the client's turn to answer, None if it is not."""

    async def run(self, listening: socket.socket, seconds_to_connect: float) -> bool:
        """Serve the client from its first message to the last. Return whether it connected."""
        self._door.start(listening)
        if self._opponent_is_first:
            self.let_opponent_join()
        start = time.monotonic()
        why = "it did not connect"
        while not self._is_over and not self.review.is_gone:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            if self._has_connected:
                why = self._reason_to_stop(start)
                if why:
                    break
            elif time.monotonic() > start + seconds_to_connect:
                break
        is_over = self._is_over and not self.review.is_gone
        if is_over:
            await self._let_client_leave()
        if self._has_connected or not self._opponent_is_first:
            self.review.end_visit(is_over, why or "it left before the end")
        self._is_over = True
        await self._door.close("the check is over")
        return self._has_connected

    @property
    def _has_connected(self) -> bool:
        return self._door.counts.admitted > 0

    def _reason_to_stop(self, start: float) -> str:
        """Return why the visit has to end, "" if it can continue."""
        if self.review.is_gone or not (self._door.counts.open or self._has_many_connections):
            return "it left before the end"
        now = time.monotonic()
        if not self.review.is_asked:
            self._waits_since = None
        elif self._waits_since is None:
            self._waits_since = now
        elif now - self._waits_since > self._seconds_to_answer:
            silence = f"no answer came for {now - self._waits_since:.0f} s"
            # A client that has learned of its fault may be silent after that.
            if not self.review.has_failed and self.review.has_begun:
                self.review.blame("C-05", f"{silence}, though it was to move or to answer")
            elif not self.review.has_failed:
                self.review.blame("C-01", f"it connected, and {silence}")
            return "it stopped answering"
        if now - start > LONGEST_GAME_SECONDS:
            return f"the game took more than {LONGEST_GAME_SECONDS:.0f} s"
        return ""

    async def _let_client_leave(self) -> None:
        """Wait until the client has read the end of the game and closed its connections."""
        end = time.monotonic() + SECONDS_TO_LEAVE
        while time.monotonic() < end:
            is_asking = self._has_many_connections and not self.review.is_told_end
            if not is_asking:
                # A client that connects now wants another game.
                self._door.stop_listening()
                if not self._door.counts.open:
                    return
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)

    def _note_end(self) -> None:
        self._is_over = True
        if not self._has_many_connections:
            self._door.stop_listening()

    def judge_request(self, request: Request[Any]) -> None:
        """Judge a request of the client, also that it leaves."""
        # A client with a connection for each request closes all of them.
        is_ignored = self._has_many_connections and request in (EndOfInput(), Leave(None))
        if not self._is_over and not is_ignored and self.review.judge_request(request):
            self._waits_since = None

    def let_opponent_join(self) -> None:
        """Let the opponent join, unless it has."""
        if not self._opponent_has_joined:
            self._opponent_has_joined = self._is_joining = True
            self._opponent.join()
            self._is_joining = False

    def follow_notice(self, notice: Notice[Any], message: Prepared | None) -> Prepared | None:
        """Follow a notice that the client is sent as this message. Return what to send instead."""
        if not self._is_over or isinstance(notice, Snapshot):
            self.review.follow_notice(notice)
            if isinstance(notice, TurnBegan) and isinstance(message, bytes):
                self.review.sees_board = self._rules.shows_board(message)
        if self._is_joining and message == self._last_message:
            # Some protocols show the first player the same board again when the second joins.
            # A client that has already moved could not know whether its move was received.
            return None
        if message is not None:
            self._last_message = message
        return message

    def _send_to_opponent(self, notice: Notice[Any]) -> None:
        if self._has_many_connections and isinstance(notice, TurnBegan | MovePlayed | MatchEnded):
            # It may be the client's turn before it asks for the state.
            self.review.set_position(notice.position)
        self._opponent.hear(notice)


class ReviewedHost(RoomHost):
    """Judges the client's requests before it handles them."""

    def submit(self, client: Client, request: Request[Any], now: float | None = None) -> None:
        if not isinstance(client, ReviewedConnection):
            super().submit(client, request, now)
            return
        client.visit.judge_request(request)
        super().submit(client, request, now)
        if client.visit.review.has_begun:
            client.visit.let_opponent_join()

    def disconnect(self, client: Client) -> None:
        if isinstance(client, ReviewedConnection):
            client.visit.judge_request(Leave(None))
        super().disconnect(client)


class ReviewedDoor(Door):
    """A door with a review of its connections."""

    def __init__(self, plan: DoorPlan, host: RoomHost, visit: Visit) -> None:
        super().__init__(plan, host)
        self.visit = visit

    def connection(self) -> Connection:
        return ReviewedConnection(self)


class ReviewedConnection(Connection):
    """Lets the visit follow each notice before it is sent."""

    def __init__(self, door: ReviewedDoor) -> None:
        super().__init__(door)
        self.visit = door.visit

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        is_open = not self._session.closed
        message = super().prepare(notice)
        return self.visit.follow_notice(notice, message) if is_open else message


class Opponent:
    """The random bot that the client plays against."""

    client: LocalClient

    def __init__(self, answers: Mapping[str, str], may_resign: bool) -> None:
        self._player: BotPlayer[Any] = BotPlayer(NAME, answers=answers)
        self._bot = RandomBot(SEED)
        self._may_resign = may_resign
        self._moves = 0

    def join(self) -> None:
        self._submit(self._player.arrive())

    def hear(self, notice: Notice[Any]) -> None:
        """Answer a notice, and move soon if it is the bot's turn."""
        self._submit(self._player.receive(notice))
        if self._player.turn is not None:
            asyncio.get_running_loop().call_later(SECONDS_TO_MOVE, self._move)

    def _move(self) -> None:
        turn, self._player.turn = self._player.turn, None
        if turn is None:
            return
        self._moves += 1
        if self._moves > MAX_MOVES and self._may_resign:
            self._submit([Resign()])
        else:
            self._submit([Play(self._bot.choose(turn.position, turn.seat, None))])

    def _submit(self, requests: list[Request[Any]]) -> None:
        for request in requests:
            self.client.submit(request)

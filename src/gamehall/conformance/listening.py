"""A server for one client under check, which plays against a random bot.

The client connects twice, once for each seat, unless one visit gives it both, as a tournament may.
Door, sessions and room are Gamehall's own, in strict mode, and the opponent is a client in this
process, as house bots are. `client_review` is shown every request and notice of the client.
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
from gamehall.core.seeded_random import SECRET_BYTES
from gamehall.match import MatchEnded, MovePlayed, TurnBegan
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import vocabulary_of
from gamehall.rooms.journal import NoJournal
from gamehall.rooms.notices import Notice, Snapshot
from gamehall.rooms.requests import ClientPolicy, EndOfInput, Leave, Play, Request, Resign
from gamehall.rooms.room import Codec
from gamehall.server.connection import Connection
from gamehall.server.door import Door, listen
from gamehall.server.observer import Observer
from gamehall.server.plan import DoorPlan
from gamehall.server.room_host import Client, HostedRoom, Prepared, RoomHost
from gamehall.server.timers import Timers
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import DoorSettings, read_settings

SECONDS_TO_COME = 60.0
"""How long we wait for a client."""
SECONDS_TO_ANSWER = 30.0
"""How long a client may think, where no document gives it less."""
SECONDS_TO_RETURN = 20.0
"""How long we wait for a client that has had one seat to connect again for the other."""
SECONDS_TO_PART = 2.0
"""How long a client may still ask and listen when the game is over."""
LONGEST_GAME_SECONDS = 600.0
SECONDS_BETWEEN_LOOKS = 0.05
SECONDS_TO_MOVE = 0.01
"""How long our opponent waits: what the client has sent ahead is judged by the position before."""

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
    """Check the client that connects, and connects again if it has not had both seats.

    Always ends.

    Args:
        values: settings of the door.
        tell: called with the port on which we listen.
        tell_to_return: called when the client is to connect again, with the seconds it has for it.

    Raises:
        OSError: it is not possible to listen there.
    """
    checklist = load_checklist(protocol)
    rules = checklist.client if checklist else ClientRules()
    review = ClientReview(rules)
    terms = {"strict": True, **rules.settings, **values}
    settings = read_settings(protocol.settings, terms, protocol.name)

    async def visit(seconds_to_come: float, seat_before: Seat | None = None) -> bool:
        one = Visit(protocol, settings, rules, review, seconds_to_answer, seat_before)
        return await one.run(listening.dup(), seconds_to_come)

    with listen(host, port) as listening:
        tell(listening.getsockname()[1])
        asyncio.run(visit(seconds_to_come))
        if review.has_failed:
            review.misses_second_visit("the client failed in its first seat")
        elif len({*review.seats}) < len(Seat):
            tell_to_return(seconds_to_return)
            first_seat = review.seats[0] if review.seats else None
            review.begin_visit()
            if not asyncio.run(visit(seconds_to_return, first_seat)):
                review.misses_second_visit(CAME_ONCE.format(seconds=seconds_to_return))
    return review.findings()


class Visit:
    """One visit of the client: a door, a fresh room behind it, and our opponent there."""

    def __init__(
        self,
        protocol: AnyProtocol,
        settings: DoorSettings,
        rules: ClientRules,
        review: ClientReview,
        seconds_to_answer: float,
        seat_before: Seat | None,
    ) -> None:
        """`seat_before`: the seat that the client has had; then our opponent sits down first."""
        loop = asyncio.get_running_loop()
        # Clients that ask how the game stands may open a connection for every request.
        self._has_many_connections = protocol.seconds_to_linger > 0
        if not self._has_many_connections:
            # One client is checked; others have come to the wrong place.
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
            # Our opponent comes first this time, and takes the seat that the client has had.
            answers |= rules.answers(seat_before)
        self._opponent_is_first = seat_before is not None
        self._opponent = Opponent(answers, vocabulary_of(protocol, settings).has_resign)
        self._opponent.client = LocalClient(
            host=host,
            room=room.name,
            hear=self._tell_opponent,
            # It plays like any client of the door. Where those poll, it is told of changes instead.
            policy=ClientPolicy(native=self._has_many_connections),
        )
        self._opponent_came = False
        self._is_arranging = False
        """Whether our opponent is just being brought in."""
        self._last_message: Prepared | None = None
        self._is_over = False
        """Whether a game or a tournament has ended: that the client leaves is expected then."""
        self._waits_since: float | None = None
        """Since when we wait for the client, None while we do not."""

    async def run(self, listening: socket.socket, seconds_to_come: float) -> bool:
        """Serve the client from its first message to the last. Return whether it came."""
        self._door.start(listening)
        if self._opponent_is_first:
            self.bring_opponent()
        start = time.monotonic()
        why = "it did not come"
        while not self._is_over and not self.review.is_gone:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            if self._has_come:
                why = self._why_stop(start)
                if why:
                    break
            elif time.monotonic() > start + seconds_to_come:
                break
        is_over = self._is_over and not self.review.is_gone
        if is_over:
            await self._part()
        if self._has_come or not self._opponent_is_first:
            self.review.ends_visit(is_over, why or "it left before the end")
        self._is_over = True
        await self._door.close("the check is over")
        return self._has_come

    @property
    def _has_come(self) -> bool:
        return self._door.counts.admitted > 0

    def _why_stop(self, start: float) -> str:
        """Return why it makes no sense to go on, empty if it does."""
        if self.review.is_gone or not (self._door.counts.open or self._has_many_connections):
            return "it left before the end"
        now = time.monotonic()
        if not self.review.is_asked:
            self._waits_since = None
        elif self._waits_since is None:
            self._waits_since = now
        elif now - self._waits_since > self._seconds_to_answer:
            silence = f"no answer came for {now - self._waits_since:.0f} s"
            if self.review.has_failed:
                # It was told that something is wrong, and is silent since.
                pass
            elif self.review.has_begun:
                self.review.blame("C-05", f"{silence}, though it was to move or to answer")
            else:
                self.review.blame("C-01", f"it connected, and {silence}")
            return "it stopped answering"
        if now - start > LONGEST_GAME_SECONDS:
            return f"the game took more than {LONGEST_GAME_SECONDS:.0f} s"
        return ""

    async def _part(self) -> None:
        """Let the client find out that everything is over."""
        end = time.monotonic() + SECONDS_TO_PART
        while time.monotonic() < end:
            is_asking = self._has_many_connections and not self.review.is_told_end
            if not is_asking:
                # A client that connects now has come for another game.
                self._door.stop_listening()
                if not self._door.counts.open:
                    return
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)

    def _note_end(self) -> None:
        self._is_over = True
        if not self._has_many_connections:
            self._door.stop_listening()

    # What the client and our opponent say and are told

    def see_request(self, request: Request[Any]) -> None:
        """The client requests something, or is gone: judge it."""
        # Where a client has many connections, it means nothing that one of them ends.
        is_nothing = self._has_many_connections and request in (EndOfInput(), Leave(None))
        if not self._is_over and not is_nothing and self.review.asks(request):
            self._waits_since = None

    def bring_opponent(self) -> None:
        """Let our opponent join, once the client has begun."""
        if not self._opponent_came:
            self._opponent_came = self._is_arranging = True
            self._opponent.arrive()
            self._is_arranging = False

    def see_notice(self, notice: Notice[Any], message: Prepared | None) -> Prepared | None:
        """The client is sent a notice as this message. Return what is to be sent."""
        if not self._is_over or isinstance(notice, Snapshot):
            self.review.hears(notice)
            if isinstance(notice, TurnBegan) and isinstance(message, bytes):
                self.review.sees_board = self._rules.shows_board(message)
        if self._is_arranging and message == self._last_message:
            # Some protocols show the first player the same board again when the second comes.
            # A client that moved at once could not know whether its move was received.
            return None
        if message is not None:
            self._last_message = message
        return message

    def _tell_opponent(self, notice: Notice[Any]) -> None:
        if self._has_many_connections and isinstance(notice, TurnBegan | MovePlayed | MatchEnded):
            # The client may not have asked, and is to move all the same.
            self.review.learns(notice.position)
        self._opponent.hear(notice)


class ReviewedHost(RoomHost):
    """Shows what clients request before it is decided."""

    def submit(self, client: Client, request: Request[Any], now: float | None = None) -> None:
        if not isinstance(client, ReviewedConnection):
            super().submit(client, request, now)
            return
        client.visit.see_request(request)
        super().submit(client, request, now)
        if client.visit.review.has_begun:
            client.visit.bring_opponent()

    def disconnect(self, client: Client) -> None:
        if isinstance(client, ReviewedConnection):
            client.visit.see_request(Leave(None))
        super().disconnect(client)


class ReviewedDoor(Door):
    """A door whose connections show what the client is sent."""

    def __init__(self, plan: DoorPlan, host: RoomHost, visit: Visit) -> None:
        super().__init__(plan, host)
        self.visit = visit

    def connection(self) -> Connection:
        return ReviewedConnection(self)


class ReviewedConnection(Connection):
    """Shows what the client is sent before it is."""

    def __init__(self, door: ReviewedDoor) -> None:
        super().__init__(door)
        self.visit = door.visit

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        is_open = not self._session.closed
        message = super().prepare(notice)
        return self.visit.see_notice(notice, message) if is_open else message


class Opponent:
    """The random bot that the client plays against."""

    client: LocalClient

    def __init__(self, answers: Mapping[str, str], may_resign: bool) -> None:
        """`answers`: to the questions about the terms."""
        self._player: BotPlayer[Any] = BotPlayer(NAME, answers=answers)
        self._bot = RandomBot(SEED)
        self._may_resign = may_resign
        self._moves = 0

    def arrive(self) -> None:
        """Join."""
        self._submit(self._player.arrive())

    def hear(self, notice: Notice[Any]) -> None:
        """Answer a notice, and move soon if it is our turn."""
        self._submit(self._player.hear(notice))
        if self._player.turn is not None:
            asyncio.get_running_loop().call_later(SECONDS_TO_MOVE, self._move)

    def _move(self) -> None:
        turn, self._player.turn = self._player.turn, None
        if turn is None:
            return
        self._moves += 1
        if self._moves > MOVES_ENOUGH and self._may_resign:
            self._submit([Resign()])
        else:
            self._submit([Play(self._bot.choose(turn.position, turn.seat, None))])

    def _submit(self, requests: list[Request[Any]]) -> None:
        for request in requests:
            self.client.submit(request)

"""An honest client: a real client session, moves at random, and a watch."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, cast

from gamehall.bench.siege_hall import ASCENSION, GO, LOBBY, TOURNAMENT
from gamehall.bench.siege_tally import DoorTally, Tally
from gamehall.bots import Bot
from gamehall.bots.visitor import Turn, Visitor
from gamehall.core import Seat
from gamehall.games.go import Pass
from gamehall.games.santorini import Place
from gamehall.match import Ending, MatchEnded, MovePlayed, TurnBegan
from gamehall.protocols.tttp.messages import write_join
from gamehall.rooms.notices import EndUnseen, Notice, Seated, TournamentBegan
from gamehall.rooms.requests import Confirm, Play, Rematch, Request
from gamehall.wire.http import HttpResponses, write_request
from gamehall.wire.session import ClientSession

SECONDS_OF_DOUBT = 1.0
"""How long a server may be silent that has asked again what was just answered."""

SECONDS_TO_ANSWER = 5.0
"""Whoever waits longer for an answer has been disturbed; for that of another player, twice that."""

PROMPTED = (LOBBY, TOURNAMENT)
"""Doors where a turn is not answered: the next that a player hears is the opponent's turn."""


class HonestClient(asyncio.Protocol):
    """Somebody connected who waits for answers, and does not expect to be sent away."""

    transport: asyncio.Transport

    def __init__(self, door: str, name: str, tally: Tally) -> None:
        self.door = door
        self.name = name
        self._tally = tally
        self._asked_at: float | None = None
        self._is_late = False
        self.is_done = False
        """Whether it has nothing more to do here: then it may be hung up on."""

    @property
    def count(self) -> DoorTally:
        """Where it counts what it does."""
        return self._tally.doors[self.door]

    def itself(self) -> "HonestClient":
        """What a loop that wants a factory of protocols is given."""
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.disturb(f"was dropped ({exc or 'the server hung up'})")

    def disturb(self, reason: str) -> None:
        """Counts what should not have happened, once, and goes."""
        if not self.is_done:
            self.count.disturb(f"{self.door}: {self.name} {reason}")
            self.leave()

    def leave(self) -> None:
        """Nothing more is wanted."""
        self.is_done = True
        self.transport.close()

    def look_at_watch(self, now: float) -> None:
        """Sees whether it has waited too long."""
        if self._asked_at is None or self.is_done or self._is_late:
            return
        allowed = SECONDS_TO_ANSWER * (2 if self.door in PROMPTED else 1)
        if now - self._asked_at > allowed:
            self._is_late = True
            self.count.disturb(f"{self.door}: {self.name} waits for more than {allowed:g} s")

    def _ask(self, message: bytes) -> None:
        self._asked_at = time.perf_counter()
        self._is_late = False
        self.transport.write(message)

    def _note_answer(self, seconds_of_others: float = 0.0) -> None:
        """What was asked is answered, by others who took so long to think."""
        if self._asked_at is not None:
            waited = time.perf_counter() - self._asked_at - seconds_of_others
            self.count.seconds_waited.append(max(0.0, waited))
            self._asked_at = None


class Newcomer(HonestClient):
    """Comes, asks for one thing that is answered at once, and goes.

    That is no game, so it counts by itself: how long it took from the first knock to the answer,
    and who was not answered.
    """

    def __init__(self, door: str, name: str, tally: Tally) -> None:
        super().__init__(door, name, tally)
        self._asked_at = time.perf_counter()

    @property
    def count(self) -> DoorTally:
        return self._tally.newcomers[self.door]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        is_web = self.door == ASCENSION
        self.transport.write(
            write_request("GET", "/state", "gamehall") if is_web else write_join(self.name.encode())
        )

    def data_received(self, data: bytes) -> None:
        self._note_answer()
        self.leave()


class Looker(HonestClient):
    """Looks at the table of Ascension again and again, as clients of that document do."""

    def __init__(self, name: str, tally: Tally, think_seconds: float) -> None:
        super().__init__(ASCENSION, name, tally)
        self._think_seconds = think_seconds
        self._responses = HttpResponses()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        self._responses.feed(data)
        response = self._responses.next_message()
        if response is None:
            return
        self._note_answer()
        if response.status != 200:
            self.disturb(f"was answered {response.status}")
            return
        asyncio.get_running_loop().call_later(self._think_seconds, self._look)

    def _look(self) -> None:
        if not self.is_done:
            self._ask(write_request("GET", "/state", "gamehall"))


class Guest(HonestClient):
    """Plays what a door offers: a match after the other, or a tournament."""

    def __init__(
        self,
        door: str,
        name: str,
        tally: Tally,
        session: ClientSession[Any, Any],
        visitor: Visitor[Any],
        bot: Bot[Any],
        think_seconds: float,
    ) -> None:
        super().__init__(door, name, tally)
        self._session = session
        self._visitor = visitor
        self._bot = bot
        self._think_seconds = think_seconds
        self._turn: Turn[Any] | None = None
        self._poll_alarm: asyncio.TimerHandle | None = None
        self._held: list[Request[Any]] | None = [] if door == GO else None
        """What it has not said yet, since its match is not to begin; None if it may begin."""
        self.is_seated = asyncio.Event()
        """Whether it has a place that nobody can take."""
        self.when_over: Callable[[], None] = lambda: None
        """Called at the end of a visit of one match."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._say(self._visitor.arrive())

    def begin(self) -> None:
        """Lets a match begin whose terms are only to be confirmed."""
        held, self._held = self._held, None
        self._say(held or [])

    def data_received(self, data: bytes) -> None:
        self._session.receive_data(data)
        while not self.is_done and (notice := self._session.next_notice()) is not None:
            self._hear(notice)
        if not self.is_done:
            self._consider()
            self._set_poll_alarm()

    def _hear(self, notice: Notice[Any]) -> None:
        self._watch(notice)
        requests = self._visitor.hear(notice)
        if isinstance(notice, MatchEnded | EndUnseen):
            self._note_end(notice)
            # One of two players asks for a fresh board: asked twice, it would be laid twice.
            is_second = bool(self._visitor.matches) and (
                self._visitor.matches[-1].seat is Seat.SECOND
            )
            requests = [one for one in requests if not (is_second and isinstance(one, Rematch))]
        self._say(requests)
        if isinstance(notice, Seated | TournamentBegan):
            self.is_seated.set()
        if self._visitor.trouble is not None:
            self.disturb(f"cannot go on: {self._visitor.trouble}")
        elif self._visitor.is_done:
            self.leave()
            self.when_over()

    def _watch(self, notice: Notice[Any]) -> None:
        """Whether that is the answer to its last move."""
        match notice:
            case TurnBegan() if self.door in PROMPTED:
                self._note_answer(self._think_seconds)
            case MatchEnded() | EndUnseen() if self.door in PROMPTED:
                self._asked_at = None
            case TurnBegan() | MovePlayed() | MatchEnded() if self.door not in PROMPTED:
                self._note_answer()
            case _:
                pass

    def _note_end(self, notice: MatchEnded[Any] | EndUnseen) -> None:
        self.count.endings_heard += 1
        if isinstance(notice, MatchEnded) and notice.result.ending is not Ending.PLAYED_OUT:
            self.disturb(f"has a game that ended otherwise: {notice.result.detail}")

    def _consider(self) -> None:
        """Begins to think if there is something to think about."""
        turn, loop = self._visitor.turn, asyncio.get_running_loop()
        if turn is not None and turn is not self._turn:
            self._turn = turn
            loop.call_later(self._think_seconds, self._move, turn)
        elif self._visitor.doubt is not None:
            loop.call_later(SECONDS_OF_DOUBT, self._resolve, self._visitor.doubt)

    def _resolve(self, doubt: Turn[Any]) -> None:
        if self._visitor.doubt is doubt and not self.is_done:
            self._visitor.turn, self._visitor.doubt = doubt, None
            self._consider()

    def _move(self, turn: Turn[Any]) -> None:
        if self._visitor.turn is not turn or self.is_done:
            return
        move = self._bot.choose(turn.position, turn.seat, None)
        self._visitor.played()
        self.count.moves += 1
        message = self._session.send(Play(move))
        if isinstance(move, Pass | Place):
            # That is not answered: the opponent is heard of next, once or twice.
            self.transport.write(message)
        else:
            self._ask(message)

    def _say(self, requests: list[Request[Any]]) -> None:
        if self._held is not None and any(isinstance(one, Confirm) for one in requests):
            self._held += requests
            self.is_seated.set()
            return
        message = b"".join(self._session.send(request) for request in requests)
        if message:
            self.transport.write(message)

    def _set_poll_alarm(self) -> None:
        if self._poll_alarm is not None:
            self._poll_alarm.cancel()
        seconds = self._session.seconds_to_poll
        if seconds is not None:
            loop = asyncio.get_running_loop()
            self._poll_alarm = loop.call_later(seconds, self._poll)

    def _poll(self) -> None:
        if not self.is_done:
            self.transport.write(self._session.poll())

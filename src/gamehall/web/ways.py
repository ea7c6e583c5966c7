"""The ways by which somebody at a page comes into a room: through its door, or straight in."""

import asyncio
import contextlib
import ssl
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from gamehall.client.connection import Address, connect, read
from gamehall.core import Game, Seat
from gamehall.match import Clock, MatchEnded, MovePlayed, MoveRefused, TurnBegan
from gamehall.rooms.notices import Notice, Seated
from gamehall.rooms.requests import ClientPolicy, Request
from gamehall.server.hall import Hall
from gamehall.server.parlour import Caller
from gamehall.server.plan import DoorPlan
from gamehall.terminal.person import Vocabulary, vocabulary_of
from gamehall.wire.session import ClientSession

PAGE_POLICY: Final = ClientPolicy(clock=Clock(60.0), retries=100, native=True)
"""How a person at a page is treated: in a tournament it has a minute for a turn."""


class Way(ABC):
    """What leads into a room: requests go in, notices come out."""

    seconds_to_poll: float | None = None
    """After so long a silence `poll` is due, None if there is nothing to ask for."""

    @property
    def table(self) -> str | None:
        """The name of the table at which the visitor is, None if that is not known."""
        return None

    @abstractmethod
    async def open(self, wake: Callable[[], None]) -> None:
        """Goes there; `wake` is called whenever there may be a notice. Raises CannotVisit."""

    @abstractmethod
    def next_notice(self) -> Notice[Any] | None:
        """What is to be heard next, None if there is nothing."""

    @abstractmethod
    def say(self, request: Request[Any]) -> None:
        """Asks for something. Raises ValueError if there are no words for it."""

    @abstractmethod
    def poll(self) -> None:
        """Asks how things stand."""

    @abstractmethod
    def close(self) -> None:
        """Goes away."""


class DoorWay(Way):
    """Through a door, as any client."""

    def __init__(
        self,
        session: ClientSession[Any, Any],
        address: Address,
        tls: ssl.SSLContext | None,
        vouch: Callable[[str], None],
    ) -> None:
        """`vouch` is called with HOST:PORT of our end of the connection."""
        self._vouch = vouch
        self._session = session
        self._address = address
        self._tls = tls
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Future[None] | None = None

    @property
    def seconds_to_poll(self) -> float | None:  # type: ignore[override]
        return self._session.seconds_to_poll

    async def open(self, wake: Callable[[], None]) -> None:
        reader, self._writer = await connect(self._address, self._tls)
        host, port, *_ = self._writer.get_extra_info("sockname")
        self._vouch(f"{host}:{port}")
        self._listening = asyncio.ensure_future(self._listen(reader, wake))

    def next_notice(self) -> Notice[Any] | None:
        return self._session.next_notice()

    def say(self, request: Request[Any]) -> None:
        assert self._writer is not None
        self._writer.write(self._session.send(request))

    def poll(self) -> None:
        assert self._writer is not None
        self._writer.write(self._session.poll())

    def close(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
        if self._writer is not None:
            with contextlib.suppress(OSError):
                if self._writer.can_write_eof():
                    self._writer.write_eof()
            self._writer.close()

    async def _listen(self, reader: asyncio.StreamReader, wake: Callable[[], None]) -> None:
        received = b"?"
        while received:
            received = await read(reader)
            self._session.receive_data(received)
            wake()


class ParlourWay(Way):
    """Straight into a room. What is hidden from its player does not come out."""

    def __init__(
        self, hall: Hall, room: str, token: str, policy: ClientPolicy = PAGE_POLICY
    ) -> None:
        self._hall = hall
        self._room = room
        self._token = token
        self._policy = policy
        self._caller: Caller | None = None
        self._heard: deque[Notice[Any]] = deque()
        self._seat: Seat | None = None
        self._wake: Callable[[], None] = _nothing

    @property
    def table(self) -> str | None:
        if self._caller is None or self._hall.is_for_tournaments(self._room):
            # A tournament has many tables, and its players have names of their own.
            return None
        _, _, number = self._caller.room.partition("/")
        return f"table-{number}" if number else None

    async def open(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._caller = self._hall.enter(self._room, self._hear, self._token, self._policy)

    def next_notice(self) -> Notice[Any] | None:
        return self._heard.popleft() if self._heard else None

    def say(self, request: Request[Any]) -> None:
        assert self._caller is not None
        self._caller.ask(request)

    def poll(self) -> None:
        # It is told of everything as it happens.
        return

    def close(self) -> None:
        if self._caller is not None:
            self._caller.leave()

    def _hear(self, notice: Notice[Any]) -> None:
        if isinstance(notice, Seated):
            self._seat = notice.seat
        if isinstance(notice, TurnBegan | MovePlayed | MoveRefused | MatchEnded):
            seen = notice.position.seen_by(self._seat)
            notice = msgspec.structs.replace(notice, position=seen)
        self._heard.append(notice)
        if isinstance(notice, MovePlayed):
            position, seat = notice.position, notice.position.to_move
            if seat is not None:
                # To a client a turn is a notice of its own.
                turn: TurnBegan[Any] = TurnBegan(seat, position, notice.deadline)
                self._heard.append(turn)
        self._wake()


class Entrance(NamedTuple):
    """How a room is entered from a page, and what is spoken there."""

    room: str
    game: Game[Any]
    answers: Mapping[str, str]
    vocabulary: Vocabulary
    seconds_per_turn: float | None
    make_way: Callable[[str], Way]
    """Called with the token by which the player is recognised when it comes back."""


def through_door(
    plan: DoorPlan,
    address: Address,  # noqa: ARG001
    tls: ssl.SSLContext | None,  # noqa: ARG001
    hall: Hall,
) -> Entrance:
    """The entrance to a room through its own door."""
    protocol, settings = plan.protocol, plan.settings
    game = protocol.game_at(settings)

    def make_way(token: str) -> Way:
        return ParlourWay(hall, plan.room, token)

    seconds = protocol.clock_at(settings).seconds_per_turn
    if hall.is_for_tournaments(plan.room):
        seconds = PAGE_POLICY.clock.seconds_per_turn
    return Entrance(
        plan.room,
        game,
        protocol.answers,
        vocabulary_of(protocol, settings, game),
        seconds,
        make_way,
    )


def into_parlour(game: Game[Any], hall: Hall) -> Entrance:
    """The entrance to a room that has no door."""
    vocabulary = Vocabulary(has_chat=True, has_resign=False, has_rematch=True)
    return Entrance(game.name, game, {}, vocabulary, None, partial(ParlourWay, hall, game.name))


def _nothing() -> None:
    """Nobody waits yet."""

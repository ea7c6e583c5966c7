"""The whole running server."""

import asyncio
import errno
import logging
import ssl
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from gamehall.clients.local import NATIVE, LocalClient
from gamehall.core import Game, GamehallError, room_secrets
from gamehall.rooms.counts import HallCounts
from gamehall.rooms.journal import Journal, NoJournal
from gamehall.rooms.notices import Notice
from gamehall.rooms.requests import ClientPolicy
from gamehall.rooms.room import Codec
from gamehall.rooms.view import RoomKind
from gamehall.server.door import Door
from gamehall.server.game_room import game_room
from gamehall.server.observer import Observer
from gamehall.server.plan import DoorPlan
from gamehall.server.room_host import HostedRoom, RoomHost, ShowView, WaitingTable
from gamehall.server.timers import SetAlarm, Timers
from gamehall.wire.settings import room_terms

log = logging.getLogger(__name__)

SECONDS_TO_RETURN = 60.0
"""How long rooms that were had back wait for those whom they know."""


SECONDS_TO_SETTLE = 2.0
SECONDS_BETWEEN_LOOKS = 0.01
"""How long, and how often looked at, a hall that closes waits for the last commits."""


class DoorOpenError(GamehallError):
    """A door that could not be opened. The text tells a person why and what to do."""


class Hall:
    """Rooms, and the doors that lead into them."""

    def __init__(
        self,
        plans: Sequence[DoorPlan],
        seed: int,
        clock: Callable[[], float],
        call_soon: Callable[[Callable[[], None]], object],
        call_later: SetAlarm,
        observer: Observer | None = None,
        journal: Journal | None = None,
        seconds_to_return: float = SECONDS_TO_RETURN,
        extra_games: Sequence[Game[Any]] = (),
        stop_clock: Callable[[bool], None] = lambda _: None,
        key: bytes = b"",
    ) -> None:
        """Open the rooms, and restore those that the journal has.

        Args:
            seed: all chance in the rooms follows from it; whoever knows it can tell every card.
            clock: must never go back.
            call_soon, call_later: those of the event loop that runs the hall.
            observer: is told what is worth telling.
            seconds_to_return: how long restored rooms wait for their players.
            extra_games: those that have a room into which no door leads.
            stop_clock: called with True when a commit is overdue, with False when it is done.
            key: secrets of players are stored as hashes under this; the same at every start.

        Raises:
            JournalError: the journal is damaged.
        """
        self.timers = Timers(clock, call_later)
        self.counts = HallCounts()
        self.host = RoomHost(
            timers=self.timers,
            call_soon=call_soon,
            call_later=call_later,
            journal=journal or NoJournal(),
            observer=observer or Observer(),
            stop_clock=stop_clock,
            key=key,
        )
        self.games: dict[str, Game[Any]] = {}
        """What is played in each room, as far as its players do not agree on terms."""
        rooms = [
            (plan.protocol.game_at(plan.settings), _room_of(plan, seed, key))
            for plan in plans
            if plan.has_own_room
        ]
        self._awaited = {room.name for _, room in rooms}
        """The rooms in which nothing has come to an end yet."""
        rooms += [(game, game_room(game, seed)) for game in extra_games]
        for game, room in rooms:
            self.games[room.name] = game
            self.counts.rooms[room.name] = room.counts
            self.host.open_room(room, seconds_to_return)
            self.host.after_each_end(room.name, partial(self._note_end, room.name))
        self._doors = [Door(plan, self.host) for plan in plans]
        self.counts.doors = {door.name: door.counts for door in self._doors}
        self._all_ended = asyncio.Event()

    async def open(self, host: str, tls: ssl.SSLContext | None = None) -> list[tuple[str, str]]:
        """Opens every door, with TLS if given, and says where each listens: name and HOST:PORT.

        Raises DoorOpenError, and then none is open.
        """
        opened: list[tuple[str, str]] = []
        for door in self._doors:
            try:
                opened.append((door.name, await door.open(host, tls)))
            except (OSError, UnicodeError) as error:
                await self.close("the hall could not open")
                raise DoorOpenError(why_not(door.name, host, door.port, error)) from None
        return opened

    async def close(self, reason: str, seconds_to_settle: float = SECONDS_TO_SETTLE) -> None:
        """Closes every door and every connection in an orderly way.

        `seconds_to_settle`: how long to wait for the last commits. What is not durable then is not
        delivered any more.

        To the rooms nobody leaves by that: what is kept of them goes on when the hall opens again.
        """
        self.host.close()
        waited = 0.0
        while not self.host.is_settled and waited < seconds_to_settle:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            waited += SECONDS_BETWEEN_LOOKS
        self.host.abandon()
        await asyncio.gather(*(door.close(reason) for door in self._doors))

    def is_over(self) -> bool:
        """Whether nothing goes on that a later hall would have to go on with."""
        return self.host.is_over()

    def waiting_tables(self, room: str) -> list[WaitingTable]:
        """Return where guests wait in that room for an opponent."""
        return self.host.waiting_tables(room)

    def enter(
        self,
        room: str,
        hear: Callable[[Notice[Any]], None],
        token: str = "",
        policy: ClientPolicy = NATIVE,
        return_seconds: float = 0.0,
    ) -> LocalClient:
        """Let a client without a wire into a room. Raises KeyError. See LocalClient."""
        return LocalClient(
            host=self.host,
            room=room,
            hear=hear,
            token=token,
            policy=policy,
            return_seconds=return_seconds,
        )

    def room_time(self, client: LocalClient) -> float:
        """Return what the clock shows by which the deadlines of a client's room are set."""
        return self.host.room_time(client)

    def kind_of(self, room: str) -> RoomKind:
        """Return how people come to play in a room. Raises KeyError."""
        return self.host.room(room).view().kind

    def rooms_of(self, room: str) -> list[str]:
        """Return the names of a room and of the tables that it has opened. Raises KeyError."""
        return self.host.rooms_of(room)

    def show(self, room: str, call: ShowView) -> None:
        """Call with what an observer can see of a room or a table, as soon as that is durable."""
        self.host.view(room, call)

    def after_each_change(self, call: Callable[[str, str], None]) -> None:
        """Call with the name of a room, and of that or a table of it, when it may have changed."""
        for name in self.games:
            self.host.after_each_change(name, partial(call, name))

    def stop_listening(self) -> None:
        """Lets nobody else in; who is there may stay."""
        for door in self._doors:
            door.stop_listening()

    async def everything_ended_once(self) -> None:
        """Waits until a match or a tournament has ended in every room."""
        await self._all_ended.wait()

    def _note_end(self, room: str) -> None:
        self._awaited.discard(room)
        if not self._awaited:
            self._all_ended.set()


def _room_of(plan: DoorPlan, seed: int, key: bytes) -> HostedRoom:
    """Return the room behind a door."""
    return HostedRoom(
        name=plan.protocol.name,
        make_room=partial(plan.protocol.room, plan.settings),
        settings=msgspec.json.encode(room_terms(plan.settings)),
        codec=Codec(plan.protocol.moves),
        seeds=room_secrets(seed, plan.protocol.name),
        key=key,
    )


def why_not(door: str, host: str, port: int, error: OSError | UnicodeError) -> str:
    """Why a door did not open at that port, and what to do about it."""
    text = f"cannot open the door {door} at port {port} of {host}"
    if isinstance(error, UnicodeError):
        return f"{text}: that is no host; choose another address with --host"
    text = f"{text}: {error.strerror}"
    if error.errno in (errno.EADDRINUSE, errno.EACCES):
        return (
            f"{text}; choose another port, as in --door {door}=PORT, or {door}=0 for any free one"
        )
    return f"{text}; choose another address with --host"

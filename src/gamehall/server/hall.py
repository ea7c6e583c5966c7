"""The whole running server."""

import asyncio
import errno
import ssl
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from gamehall.core import Game, GamehallError, SeededRandom, type_of_moves
from gamehall.match.record import write_terms
from gamehall.rooms.counts import HallCounts
from gamehall.rooms.journal import Journal, NoJournal
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.room import Codec, Room
from gamehall.rooms.secrets import room_secrets
from gamehall.rooms.terms import NATIVE_TERMS
from gamehall.rooms.view import RoomKind
from gamehall.server.door import Door
from gamehall.server.hosted_room import HostedRoom
from gamehall.server.observer import Observer
from gamehall.server.plan import DoorPlan
from gamehall.server.room_host import RoomHost
from gamehall.server.timers import CallLater, Timers
from gamehall.wire.settings import room_terms

SECONDS_TO_RETURN = 60.0
"""How long restored rooms wait for their players."""

SECONDS_TO_SETTLE = 2.0
"""How long `close` waits for the last commits."""
SECONDS_BETWEEN_CHECKS = 0.01


class DoorOpenError(GamehallError):
    """A door cannot be opened. The message says why and what to do."""


class Hall:
    """The running server: the rooms and the doors."""

    def __init__(
        self,
        plans: Sequence[DoorPlan],
        seed: int,
        clock: Callable[[], float],
        call_soon: Callable[[Callable[[], None]], object],
        call_later: CallLater,
        observer: Observer | None = None,
        journal: Journal | None = None,
        seconds_to_return: float = SECONDS_TO_RETURN,
        extra_games: Sequence[Game[Any]] = (),
        stop_clock: Callable[[bool], None] = lambda _: None,
        server_secret: bytes = b"",
    ) -> None:
        """Open the rooms, and restore those that are in the journal.

        Args:
            seed: the source of all randomness in the rooms. It must stay secret, since hidden cards
                follow from it.
            clock: a monotonic clock.
            call_soon, call_later: the methods of the event loop.
            observer: called after matches and tournaments.
            seconds_to_return: how long restored rooms wait for their players.
            extra_games: games without a door, each of which gets a room for browsers.
            stop_clock: called with True when a commit is overdue, with False when it is done.
            server_secret: the key for hashes of players' secrets. It must not change between
                starts.

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
            server_secret=server_secret,
        )
        self.games: dict[str, Game[Any]] = {}
        """The game of each room, with the terms that hold unless its players agree on others."""
        rooms = [
            (plan.protocol.game_at(plan.settings), _room_of(plan, seed, server_secret))
            for plan in plans
            if plan.has_own_room
        ]
        self._awaited = {room.name for _, room in rooms}
        """The rooms in which no match or tournament has ended yet."""
        rooms += [(game, _room_without_door(game, seed)) for game in extra_games]
        for game, room in rooms:
            self.games[room.name] = game
            self.counts.rooms[room.name] = room.counts
            self.host.open_room(room, seconds_to_return)
            self.host.after_each_end(room.name, partial(self._note_end, room.name))
        self._doors = [Door(plan, self.host) for plan in plans]
        self.counts.doors = {door.name: door.counts for door in self._doors}
        self._all_ended = asyncio.Event()

    async def open(self, host: str, tls: ssl.SSLContext | None = None) -> list[tuple[str, str]]:
        """Open every door, and return the name and the address (HOST:PORT) of each.

        Raises DoorOpenError if one cannot be opened. Then all are closed.
        """
        opened: list[tuple[str, str]] = []
        for door in self._doors:
            try:
                opened.append((door.name, await door.open(host, tls)))
            except (OSError, UnicodeError) as error:
                await self.close("the server could not start")
                raise DoorOpenError(opening_error(door.name, host, door.port, error)) from None
        return opened

    async def close(self, reason: str, seconds_to_settle: float = SECONDS_TO_SETTLE) -> None:
        """Close every door and every connection in an orderly way.

        Players do not leave their rooms by this: their games continue when the server starts again.

        Args:
            seconds_to_settle: how long to wait for the last commits. Notices that are not durable
                then are not delivered.
        """
        self.host.close()
        waited = 0.0
        while not self.host.is_settled and waited < seconds_to_settle:
            await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
            waited += SECONDS_BETWEEN_CHECKS
        self.host.abandon()
        await asyncio.gather(*(door.close(reason) for door in self._doors))

    def kind_of(self, room: str) -> RoomKind:
        """Return the kind of a room. Raises KeyError."""
        return self.host.room(room).view().kind

    def after_each_change(self, call: Callable[[str, str], None]) -> None:
        """Call a function when a room or a table may have changed.

        It is called with the names of the room behind the door and of the room or table.
        """
        for name in self.games:
            self.host.after_each_change(name, partial(call, name))

    def stop_listening(self) -> None:
        """Accept no further connections. Existing ones stay open."""
        for door in self._doors:
            door.stop_listening()

    async def wait_until_every_room_has_ended_once(self) -> None:
        """Wait until a match or a tournament has ended in every room that has a door."""
        await self._all_ended.wait()

    def _note_end(self, room: str) -> None:
        self._awaited.discard(room)
        if not self._awaited:
            self._all_ended.set()


def _room_of(plan: DoorPlan, seed: int, server_secret: bytes) -> HostedRoom:
    return HostedRoom(
        name=plan.protocol.name,
        make_room=partial(plan.protocol.room, plan.settings),
        settings=msgspec.json.encode(room_terms(plan.settings)),
        codec=Codec(plan.protocol.moves),
        seeds=room_secrets(seed, plan.protocol.name),
        server_secret=server_secret,
    )


def _room_without_door(game: Game[Any], seed: int) -> HostedRoom:
    """Return a room of open tables for a game, named like the game."""
    return HostedRoom(
        name=game.name,
        make_room=partial(_open_tables, game),
        settings=msgspec.json.encode(write_terms(game)),
        codec=Codec(type_of_moves(type(game))),
        seeds=room_secrets(seed, game.name),
    )


def _open_tables(game: Game[Any], _random: SeededRandom) -> Room[Any]:
    # `tables` are kept free for clients of the door, and there is no door.
    return OpenLobby(game, NATIVE_TERMS, NameRules(), tables=0)


def opening_error(door: str, host: str, port: int, error: OSError | UnicodeError) -> str:
    """Return a message that says why a door cannot be opened, and what to do."""
    text = f"cannot open the door {door} at port {port} of {host}"
    if isinstance(error, UnicodeError):
        return f"{text}: that is not a host name; choose another address with --host"
    text = f"{text}: {error.strerror}"
    if error.errno in (errno.EADDRINUSE, errno.EACCES):
        return (
            f"{text}; choose another port, as in --set {door}.port=PORT (0: any free one), which"
            " keeps all other doors"
        )
    return f"{text}; choose another address with --host"

"""The whole running server."""

import asyncio
import errno
import itertools
import logging
import ssl
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from gamehall.core import Game, room_secrets
from gamehall.rooms.counts import HallCounts
from gamehall.rooms.journal import Codec
from gamehall.rooms.kept_room import KeptRoom
from gamehall.rooms.ledger import Ledger, NoLedger
from gamehall.rooms.notices import Notice
from gamehall.rooms.room import Peer
from gamehall.rooms.view import RoomView
from gamehall.server.door import Door
from gamehall.server.logged import about
from gamehall.server.observer import Observer
from gamehall.server.parlour import Caller, keep_parlour
from gamehall.server.plan import DoorPlan
from gamehall.server.timers import SetAlarm, Timers
from gamehall.server.usher import Usher
from gamehall.wire.settings import room_terms

log = logging.getLogger(__name__)

SECONDS_TO_RETURN = 60.0
"""How long rooms that were had back wait for those whom they know."""


class CannotOpen(Exception):
    """A door that could not be opened. The text tells a person why and what to do."""


class Hall:
    """Rooms, and the doors that lead into them."""

    def __init__(
        self,
        plans: Sequence[DoorPlan],
        seed: int,
        clock: Callable[[], float],
        call_later: SetAlarm,
        observer: Observer | None = None,
        ledger: Ledger | None = None,
        seconds_to_return: float = SECONDS_TO_RETURN,
        parlours: Sequence[Game[Any]] = (),
    ) -> None:
        """`seed`: what all chance in the rooms follows from; whoever knows it can tell every card.

        `clock` must never go back; `call_later` is that of the loop which runs the hall.

        `observer` is told what is worth telling. What the rooms were told goes to the ledger; what
        that had of them already, they have back, and wait so long for their players to return.
        `parlours`: games that have a room into which no door leads.
        Raises CannotResume.
        """
        self.timers = Timers(clock, call_later)
        self.counts = HallCounts()
        self._ushers: dict[str, Usher] = {}
        self._games: dict[str, str] = {}
        """What is played in each room, by the name in the catalogue."""
        highest = 0
        rooms = [
            (plan.protocol.game, _keep_room(plan, seed, ledger or NoLedger()))
            for plan in plans
            if plan.has_own_room
        ]
        self._awaited = {room.name for _, room in rooms}
        """The rooms in which nothing has come to an end yet."""
        for game in parlours:
            rooms.append((game.name, keep_parlour(game, seed, ledger or NoLedger())))
        for game_name, room in rooms:
            words = room.resume(clock(), seconds_to_return)
            if words:
                log.warning("%s: %s", room.name, words, extra=about(room=room.name))
            highest = max(highest, room.highest_peer)
            self.counts.rooms[room.name] = room.counts
            self._games[room.name] = game_name
            self._ushers[room.name] = Usher(room, self.timers, observer or Observer())
        self._peers = map(Peer, itertools.count(highest + 1))
        self._doors = [
            Door(plan, self._ushers[plan.room], self.timers, self._peers) for plan in plans
        ]
        self.counts.doors = {door.name: door.counts for door in self._doors}
        self._all_ended = asyncio.Event()
        for name, usher in self._ushers.items():
            usher.after_each_end(partial(self._note_end, name))

    async def open(self, host: str, tls: ssl.SSLContext | None = None) -> list[tuple[str, str]]:
        """Opens every door, with TLS if given, and says where each listens: name and HOST:PORT.

        Raises CannotOpen, and then none is open.
        """
        opened: list[tuple[str, str]] = []
        for door in self._doors:
            try:
                opened.append((door.name, await door.open(host, tls)))
            except (OSError, UnicodeError) as error:
                await self.close("the hall could not open")
                raise CannotOpen(why_not(door.name, host, door.port, error)) from None
        for usher in self._ushers.values():
            usher.testify()
        return opened

    async def close(self, reason: str) -> None:
        """Closes every door and every connection in an orderly way.

        To the rooms nobody leaves by that: what is kept of them goes on when the hall opens again.
        """
        for usher in self._ushers.values():
            usher.close()
        await asyncio.gather(*(door.close(reason) for door in self._doors))

    def is_over(self) -> bool:
        """Whether nothing goes on that a later hall would have to go on with."""
        return all(usher.is_over for usher in self._ushers.values())

    def waiting_players(self, room: str) -> Sequence[str]:
        """The names of those who wait in that room for somebody to play with, "" for no name."""
        return self._ushers[room].waiting_players

    def finished(self, room: str) -> int:
        """Return how many matches have come to an end in that room, in whatever way."""
        return self.counts.rooms[room].matches.total()

    def enter(self, room: str, tell: Callable[[Notice[Any]], None]) -> Caller:
        """Lets somebody into a room who comes through no door. Raises KeyError."""
        return Caller(next(self._peers), self._ushers[room], tell, self.timers.clock)

    def show(self, room: str, call: Callable[[RoomView[Any]], None]) -> None:
        """Call with what somebody who looks on can see of that room now, as soon as it is safe.

        Raises KeyError if there is no such room.
        """
        game = self._games[room]
        self._ushers[room].show(lambda view: call(msgspec.structs.replace(view, game=game)))

    def after_each_change(self, call: Callable[[str], None]) -> None:
        """Call with the name of a room whenever something may have changed there, and is safe."""
        for name, usher in self._ushers.items():
            usher.after_each_change(partial(call, name))

    def stop_listening(self) -> None:
        """Lets nobody else in; who is there may stay."""
        for door in self._doors:
            door.stop_listening()

    def release(self, number: int) -> None:
        """Everything that went to the ledger up to this number is safe."""
        for usher in self._ushers.values():
            usher.release(number)

    async def everything_ended_once(self) -> None:
        """Waits until a match or a tournament has ended in every room."""
        await self._all_ended.wait()

    def _note_end(self, room: str) -> None:
        self._awaited.discard(room)
        if not self._awaited:
            self._all_ended.set()


def _keep_room(plan: DoorPlan, seed: int, ledger: Ledger) -> KeptRoom[Any]:
    """The room behind a door, with what it takes to have it back."""
    return KeptRoom(
        plan.protocol.name,
        partial(plan.protocol.room, plan.settings),
        msgspec.json.encode(room_terms(plan.settings)),
        Codec(plan.protocol.moves),
        room_secrets(seed, plan.protocol.name),
        ledger,
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

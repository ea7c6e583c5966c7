"""Rooms that no door leads into: a game that no protocol knows can still be played at pages.

They are open tables on the usual terms, kept like any other room. Who comes in is a peer without a
wire: what it asks for goes to the room as it is, and notices come back as they are.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, cast, get_args, get_origin

import msgspec

from gamehall.core import Game, SeededRandom, room_secrets
from gamehall.match.record import write_terms
from gamehall.rooms.entries import Codec
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import Notice
from gamehall.rooms.reaction import Peer
from gamehall.rooms.requests import ClientPolicy, Join, Request
from gamehall.rooms.room import Room
from gamehall.rooms.terms import RematchRule, TableTerms
from gamehall.server.room_host import HostedRoom, Prepared, RoomHost

TABLES = 50
NO_DOOR = "web"
"""Instead of the name of a door, for peers that came through none."""
NATIVE = ClientPolicy(native=True)
"""How a client is treated whose name no wire has to carry."""
TERMS = TableTerms(rematch=RematchRule.FINISHED, wait_for_second=True)


def parlour(game: Game[Any], seed: int) -> HostedRoom:
    """Return a room of open tables for a game."""
    return HostedRoom(
        game.name,
        partial(_open_tables, game),
        msgspec.json.encode(write_terms(game)),
        Codec(moves_of(type(game))),
        room_secrets(seed, game.name),
    )


def moves_of(kind: type[Game[Any]]) -> Any:
    """The type of the game's moves: what stands in the brackets of the base class."""
    [moves] = [
        get_args(base)[0]
        for ancestor in kind.__mro__
        for base in getattr(ancestor, "__orig_bases__", ())
        if get_origin(base) is Game
    ]
    return moves


def _open_tables(game: Game[Any], _random: SeededRandom) -> Room[Any]:
    return OpenLobby(game, TERMS, NameRules(), TABLES)


class Caller:
    """A client without a wire: requests go in as they are, and notices come out as they are."""

    def __init__(
        self,
        host: RoomHost,
        room: str,
        tell: Callable[[Notice[Any]], None],
        token: str = "",
        policy: ClientPolicy = NATIVE,
    ) -> None:
        """Raises KeyError if there is no such room."""
        self._policy = policy
        self.address = ""
        self.token = token
        self.peer = Peer(0)
        self.room = ""
        self.door = NO_DOOR
        # Whoever leaves has meant it: there is no connection that could be lost.
        self.return_seconds = 0.0
        self._host = host
        self._tell = tell
        self._waiting: deque[Request[Any]] = deque()
        self._is_answered = True
        host.connect(self, room)

    def ask(self, request: Request[Any]) -> None:
        """Submit a request, after those before it are answered."""
        if isinstance(request, Join):
            request = msgspec.structs.replace(request, policy=self._policy)
        self._waiting.append(request)
        self._submit_next()

    def leave(self) -> None:
        """Leave the room."""
        self._host.disconnect(self)

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        return notice

    def deliver(self, prepared: Prepared) -> None:
        self._tell(cast("Notice[Any]", prepared))

    def answered(self) -> None:
        self._is_answered = True
        self._submit_next()

    def _submit_next(self) -> None:
        if self._is_answered and self._waiting:
            self._is_answered = False
            self._host.submit(self, self._waiting.popleft())

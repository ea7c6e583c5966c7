"""Rooms that no door leads into: a game that no protocol knows can still be played at pages.

They are open tables on the usual terms, kept like any other room. Who comes in is a peer without a
wire: what it asks for goes to the room as it is, and notices come back as they are.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, get_args, get_origin

import msgspec

from gamehall.core import Game, SeededRandom, room_secrets
from gamehall.match.record import write_terms
from gamehall.rooms.journal import Codec
from gamehall.rooms.kept_room import KeptRoom
from gamehall.rooms.ledger import Ledger
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import Notice
from gamehall.rooms.open_tables import OpenTables
from gamehall.rooms.requests import Request
from gamehall.rooms.room import Peer, Room
from gamehall.rooms.terms import RematchRule, TableTerms
from gamehall.server.usher import Line, Usher

TABLES = 50
NO_DOOR = "web"
"""Instead of the name of a door, for peers that came through none."""
KEPT_SECONDS = 0.0
"""Whoever leaves has meant it: there is no line that could break."""
TERMS = TableTerms(rematch=RematchRule.FINISHED, wait_for_second=True)


def keep_parlour(game: Game[Any], seed: int, ledger: Ledger) -> KeptRoom[Any]:
    """A room of open tables for a game, with what it takes to have it back."""
    return KeptRoom(
        game.name,
        partial(_open_tables, game),
        msgspec.json.encode(write_terms(game)),
        Codec(moves_of(type(game))),
        room_secrets(seed, game.name),
        ledger,
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


def _open_tables(game: Game[Any], shuffler: SeededRandom) -> Room[Any]:
    return OpenTables(game, TERMS, NameRules(), shuffler, TABLES)


class Caller:
    """A peer without a wire. What it asks for is taken one by one, as from any other."""

    def __init__(
        self,
        peer: Peer,
        usher: Usher,
        tell: Callable[[Notice[Any]], None],
        clock: Callable[[], float],
    ) -> None:
        self._peer = peer
        self._usher = usher
        self._clock = clock
        self._waiting: deque[Request[Any]] = deque()
        self._is_answered = True
        usher.welcome(peer, Line(NO_DOOR, KEPT_SECONDS, tell, self._go_on))

    @property
    def is_answered(self) -> bool:
        """Whether nothing more will come of what it has asked for, of itself."""
        return self._is_answered and not self._waiting

    def ask(self, request: Request[Any]) -> None:
        """Wants something of the room."""
        self._waiting.append(request)
        self._ask_next()

    def leave(self) -> None:
        """Is gone."""
        self._usher.farewell(self._peer, self._clock())

    def _go_on(self) -> None:
        self._is_answered = True
        self._ask_next()

    def _ask_next(self) -> None:
        while self._is_answered and self._waiting:
            self._is_answered = False
            request = self._waiting.popleft()
            if self._usher.ask(self._peer, request, self._clock()):
                self._is_answered = True

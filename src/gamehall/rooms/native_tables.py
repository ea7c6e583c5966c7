"""The tables at which native players meet each other, beside the only table of a polled wire."""

from typing import Final

from msgspec.structs import replace

from gamehall.core import Game, MoveT
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.requests import Join, Leave, Request
from gamehall.rooms.room import Occupancy, Peer, Reaction, Transfer
from gamehall.rooms.terms import NATIVE_TERMS

WIRE_TABLE: Final = 1
"""The number of the wire's table; the tables of native players have higher ones."""


class NativeTables(OpenLobby[MoveT]):
    """A lobby of open tables for native players.

    Its state is not journaled: its tables report it, also after a restart. So nothing that is
    replayed may depend on it.
    """

    def __init__(self, game: Game[MoveT]) -> None:
        super().__init__(game, NATIVE_TERMS, NameRules(), tables=WIRE_TABLE)
        self._joins: dict[Peer, Join] = {}
        """The requests with which players have joined, unless that was before a restart."""

    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        before = self._tables.get(number, Occupancy())
        super().table_changed(number, occupancy, finished)
        for peer in before.players:
            if not self.has(peer):
                self._joins.pop(peer, None)

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction = super().handle(peer, request, now)
        if isinstance(request, Join) and reaction.transfers:
            self._joins[peer] = request
        return reaction

    def has(self, peer: Peer) -> bool:
        """Return True if this client is at one of the tables."""
        return peer in self._places

    def call_waiting(self) -> list[Transfer]:
        """Return the transfers that bring a waiting player to the wire's table, if there is one."""
        table = self.table_with_opponent()
        if table is None:
            return []
        [peer] = self._tables[table].players
        join = self._joins.get(peer)
        if join is None:
            return []
        return [
            Transfer(peer, table, Leave(None)),
            Transfer(peer, None, replace(join, table=None)),
        ]

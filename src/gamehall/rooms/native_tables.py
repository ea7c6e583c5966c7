"""The tables at which native players meet each other, where the wire has a table of its own."""

from typing import Final, Generic

from msgspec.structs import replace

from gamehall.core import Game, MoveT, SeededRandom
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import Refusal
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.requests import Join, Leave, SpectatorChat
from gamehall.rooms.room import Occupancy, Peer, Reaction, Transfer
from gamehall.rooms.terms import LeaveRule, RematchRule, TableTerms

WIRE_TABLE: Final = 1
"""The number of the wire's table; the tables of native players have higher ones."""

NATIVE_TERMS: Final = TableTerms(
    rematch=RematchRule.BOTH, on_leave=LeaveRule.AWARD, wait_for_second=True
)


class NativeTables(Generic[MoveT]):
    """A lobby of open tables beside the wire's table. The tables are rooms of their own.

    All of this is soft state: it is told by the tables, also after a restart. So nothing that is
    replayed may depend on it.
    """

    def __init__(self, game: Game[MoveT]) -> None:
        self._lobby = OpenLobby(game, NATIVE_TERMS, NameRules(), tables=WIRE_TABLE)
        self._tables: dict[int, Occupancy] = {}
        self._joins: dict[Peer, Join] = {}
        """How those have joined who are at the tables, unless that was before a restart."""

    def open_table(self, number: int, random: SeededRandom) -> OpenTable[MoveT]:
        """Return the room of the table of this number, with nobody at it."""
        return self._lobby.open_table(number, random)

    def table_changed(self, number: int, occupancy: Occupancy | None) -> None:
        """Take note of who is at a table now; None: the table is closed."""
        self._lobby.table_changed(number, occupancy)
        before = self._tables.pop(number, Occupancy())
        if occupancy is not None:
            self._tables[number] = occupancy
        for peer in before.players:
            if not self.has(peer):
                self._joins.pop(peer, None)

    def has(self, peer: Peer) -> bool:
        """Return True for everybody who is at one of the tables."""
        return any(peer in who.players or peer in who.spectators for who in self._tables.values())

    @property
    def has_waiting(self) -> bool:
        """Whether a player waits at one of the tables for any opponent."""
        return self._waiting_table() is not None

    def join(self, peer: Peer, join: Join, now: float) -> Reaction[MoveT]:
        """Send a native player to a table: where an opponent waits, or one of its own."""
        reaction = self._lobby.handle(peer, join, now)
        if reaction.transfers:
            self._joins[peer] = join
        return reaction

    def hear(self, peer: Peer, remark: SpectatorChat, now: float) -> Reaction[MoveT]:
        """Pass on what an observer says to the table that it names, or say why not."""
        return self._lobby.handle(peer, remark, now)

    def refuse_observer(self, name: str, peer: Peer) -> Refusal | None:
        """Return why an observer may not say something under this name; None if it may."""
        return self._lobby.refuse_observer(name, peer)

    def call_waiting(self) -> list[Transfer]:
        """Return what brings a player who waits to the wire's table; nothing if nobody waits."""
        table = self._waiting_table()
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

    def _waiting_table(self) -> int | None:
        return min((n for n, who in self._tables.items() if who.is_waiting), default=None)

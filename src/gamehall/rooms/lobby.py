"""The lobby of open tables: whoever comes sits down where there is a free seat, or watches."""

from heapq import heappop, heappush

from msgspec.structs import replace

from gamehall.core import Game, MoveT, SeededRandom
from gamehall.rooms.names import NameRules, Names
from gamehall.rooms.notices import ChatRejected, Closed, Refusal, Refused
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.requests import EndOfInput, Join, Leave, Request, SpectatorChat
from gamehall.rooms.room import Delivery, Lobby, Occupancy, Peer, Reaction, TableOpening, Transfer
from gamehall.rooms.terms import TableTerms
from gamehall.rooms.view import RoomKind, RoomView


class TableNumbers:
    """Gives out the lowest number that no open table has, from a first one on."""

    def __init__(self, first: int) -> None:
        self._taken: set[int] = set()
        self._given_back: list[int] = []
        """A heap of numbers that were taken; some may be taken again."""
        self._never_taken = first
        """No number from this one on was ever taken, except some of restored tables."""

    @property
    def next(self) -> int:
        """The lowest number that is free."""
        while self._given_back and self._given_back[0] in self._taken:
            heappop(self._given_back)
        while self._never_taken in self._taken:
            self._never_taken += 1
        return min([self._never_taken, *self._given_back[:1]])

    def take(self, number: int) -> None:
        """A table of this number is open."""
        self._taken.add(number)

    def give_back(self, number: int) -> None:
        """The table of this number is closed."""
        self._taken.discard(number)
        heappush(self._given_back, number)


class OpenLobby(Lobby[MoveT]):
    """Tables of one game on one set of terms. Names are unique at all of them.

    A newcomer sits down where another player waits, then where there are only spectators, then at
    the first table where nobody is. When all seats are taken it watches the first table that has
    room for it.

    The first so many tables are for those who come through a door. A native player who finds nobody
    waiting opens a table with a higher number, of which there are always more, so that the tables
    of the door stay free.
    """

    def __init__(
        self, game: Game[MoveT], terms: TableTerms, names: NameRules, tables: int = 1
    ) -> None:
        self._game = game
        self._terms = terms
        self._names = Names(names)
        self._tables: dict[int, Occupancy] = {}
        self._with_seat: set[int] = set()
        """Those of them where a seat is free."""
        self._most_tables = tables
        self._of_door = TableNumbers(1)
        self._of_natives = TableNumbers(tables + 1)
        self._places: dict[Peer, int] = {}
        """At which table everybody is."""

    def open_table(self, number: int, random: SeededRandom) -> OpenTable[MoveT]:
        return OpenTable(number=number, game=self._game, terms=self._terms, random=random)

    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        numbers = self._of_door if number <= self._most_tables else self._of_natives
        before = self._tables.pop(number, Occupancy())
        self._with_seat.discard(number)
        for peer, name in (*before.players.items(), *before.spectators.items()):
            self._names.free(name, peer, before.aliases.get(peer, ""))
            if self._places.get(peer) == number:
                del self._places[peer]
        if occupancy is None:
            numbers.give_back(number)
            return
        numbers.take(number)
        self._tables[number] = occupancy
        if occupancy.has_free_seat and not occupancy.is_private:
            self._with_seat.add(number)
        for peer, name in (*occupancy.players.items(), *occupancy.spectators.items()):
            self._names.give(name, peer, occupancy.aliases.get(peer, ""))
            self._places[peer] = number

    def view(self) -> RoomView[MoveT]:
        return RoomView(kind=RoomKind.OPEN_TABLES, version=0, tables=(), waiting=())

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction(changed=False)
        match request:
            case Join():
                self._join(peer, request, reaction)
            case SpectatorChat():
                self._pass_on(peer, request, reaction)
            case EndOfInput():
                reaction.deliveries = [Delivery((peer,), Closed("hung up without having joined"))]
            case Leave(str(fault)):
                reaction.deliveries = [Delivery((peer,), Closed(fault))]
            case _:
                pass
        return reaction

    def _join(self, peer: Peer, request: Join, reaction: Reaction[MoveT]) -> None:
        """Send a newcomer, or a spectator who wants a seat, to a table, or say why not."""
        own = self._places.get(peer)
        if own is not None and peer in self._tables[own].players:
            # It is told its seat once more, whatever name it gives (T-Q14).
            reaction.transfers = [Transfer(peer, own, request)]
            return
        is_native = request.policy.native
        refusal = self._names.refusal(request.name, peer, is_native)
        if is_native and refusal is Refusal.NAME_TAKEN:
            refusal = None
            request = replace(request, name=self._names.another(request.name, peer))
        if request.table is not None:
            table = request.table if self._has_seat_for(request, request.table) else None
        elif is_native:
            table = None if request.is_private else self._table_with_opponent()
            table = table or self._of_natives.next
        else:
            table = self._table_with_seat()
            if table is None:
                table = own if own is not None else self._table_to_watch()
        if refusal is None and table is None:
            refusal = Refusal.FULL
        if refusal is not None or table is None:
            reaction.deliveries = [Delivery((peer,), Refused(refusal or Refusal.FULL))]
            return
        request = replace(request, alias=self._alias_for(peer, request.name))
        if own is not None and own != table:
            reaction.transfers.append(Transfer(peer, own, Leave(None)))
        if table not in self._tables:
            reaction.opens = [TableOpening(table)]
        reaction.transfers.append(Transfer(peer, table, request))

    def _alias_for(self, peer: Peer, name: str) -> str:
        """The alias of a newcomer; of somebody who has that name already, the one that it has."""
        own = self._places.get(peer)
        if own is not None and self._tables[own].spectators.get(peer) == name:
            return self._tables[own].aliases.get(peer, "")
        return self._names.alias(name, peer)

    def _has_seat_for(self, join: Join, table: int) -> bool:
        """Return True if there is such a table, and its free seat is not reserved for a bot."""
        found = self._tables.get(table)
        return found is not None and found.has_seat_for(join)

    def _table_with_opponent(self) -> int | None:
        """The table at which a native player finds an opponent, None if nobody waits."""
        waiting = (table for table in self._with_seat if self._tables[table].is_waiting)
        return min(waiting, default=None)

    def _table_with_seat(self) -> int | None:
        """The table at which the next player sits down, None if all seats are taken."""
        of_door = [table for table in self._with_seat if self._can_be_joined(table)]
        if of_door:
            # Whoever waits for an opponent comes before those who only watch an empty board.
            return min(of_door, key=lambda table: (not self._tables[table].players, table))
        number = self._of_door.next
        return number if number <= self._most_tables else None

    def _can_be_joined(self, table: int) -> bool:
        """Whether a player from a door may sit down: at a native table only with who waits."""
        return table <= self._most_tables or self._tables[table].is_waiting

    def _table_to_watch(self) -> int | None:
        to_watch = (
            number
            for number, who in self._tables.items()
            if who.can_be_watched and number <= self._most_tables
        )
        return min(to_watch, default=None)

    def refuse_observer(self, name: str, peer: Peer) -> Refusal | None:
        """Return why an observer may not say something under this name; None if it may.

        Observers come from pages, which can show any script.
        """
        return self._names.refusal(name, peer, any_script=True)

    def _pass_on(self, peer: Peer, remark: SpectatorChat, reaction: Reaction[MoveT]) -> None:
        """An observer says something, and not in the name of anybody who is here."""
        refusal = self.refuse_observer(remark.name, peer)
        _, _, number = remark.table.rpartition("-")
        table = int(number) if number.isdecimal() and number.isascii() else 0
        if refusal is not None:
            reaction.deliveries = [Delivery((peer,), ChatRejected(refusal.value))]
        elif table not in self._tables or remark.table != f"table-{table}":
            reaction.deliveries = [Delivery((peer,), ChatRejected("there is no such table"))]
        else:
            alias = self._names.alias(remark.name, peer)
            reaction.transfers = [Transfer(peer, table, replace(remark, alias=alias))]

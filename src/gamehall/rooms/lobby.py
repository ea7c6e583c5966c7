"""The lobby of open tables, at which a client sits down in a free seat or watches."""

from heapq import heappop, heappush

from msgspec.structs import replace

from gamehall.core import Game, MoveT, SeededRandom
from gamehall.rooms.names import NameRules, Names
from gamehall.rooms.notices import ChatRejected, Closed, Refusal, Refused
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.requests import EndOfInput, Join, Leave, Request, SpectatorChat
from gamehall.rooms.room import Lobby, Occupancy, Peer, Reaction, TableOpening, Transfer
from gamehall.rooms.terms import TableTerms
from gamehall.rooms.view import RoomKind, RoomView


class TableNumbers:
    """Finds the lowest number, starting at `first`, that no open table has."""

    def __init__(self, first: int) -> None:
        self._taken: set[int] = set()
        self._given_back: list[int] = []
        """A heap of numbers that were taken before; some may be taken again."""
        self._never_taken = first
        """From here on no number was ever taken, except by restored tables."""

    @property
    def next(self) -> int:
        """The lowest free number."""
        while self._given_back and self._given_back[0] in self._taken:
            heappop(self._given_back)
        while self._never_taken in self._taken:
            self._never_taken += 1
        return min([self._never_taken, *self._given_back[:1]])

    def take(self, number: int) -> None:
        self._taken.add(number)

    def give_back(self, number: int) -> None:
        self._taken.discard(number)
        heappush(self._given_back, number)


class OpenLobby(Lobby[MoveT]):
    """Seats clients at tables of one game with the same terms. Names are unique at all of them.

    A newcomer sits down where a player is waiting, otherwise at a table that has only spectators,
    otherwise at the first empty table, otherwise where the seat of a disconnected player is kept.
    When all seats are taken it watches the first table that accepts another spectator.

    The first `tables` tables are for clients that come through a door. A native player who finds no
    waiting player opens a table with a higher number. There is no limit on those, and the tables of
    the door stay free.
    """

    def __init__(
        self, game: Game[MoveT], terms: TableTerms, names: NameRules, tables: int = 1
    ) -> None:
        super().__init__()
        self._game = game
        self._terms = terms
        self._names = Names(names)
        self._tables: dict[int, Occupancy] = {}
        self._with_seat: set[int] = set()
        """The open tables with a free seat that is not reserved."""
        self._door_tables = tables
        self._door_numbers = TableNumbers(1)
        self._native_numbers = TableNumbers(tables + 1)
        self._places: dict[Peer, int] = {}
        """The table of each client."""

    def open_table(self, number: int, random: SeededRandom) -> OpenTable[MoveT]:
        return OpenTable(number=number, game=self._game, terms=self._terms, random=random)

    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        numbers = self._door_numbers if number <= self._door_tables else self._native_numbers
        before = self._tables.pop(number, Occupancy())
        self._with_seat.discard(number)
        for peer, name in (*before.players.items(), *before.spectators.items()):
            self._names.release(name, peer, before.aliases.get(peer, ""))
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
            self._names.take(name, peer, occupancy.aliases.get(peer, ""))
            self._places[peer] = number

    def view(self) -> RoomView[MoveT]:
        return RoomView(kind=RoomKind.OPEN_TABLES, version=0, tables=(), waiting=())

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now, changed=False)
        match request:
            case Join():
                self._join(peer, request)
            case SpectatorChat():
                self._pass_on_chat(peer, request)
            case EndOfInput():
                self._tell(peer, Closed("hung up without having joined"))
            case Leave(str(fault)):
                self._tell(peer, Closed(fault))
            case _:
                pass
        return reaction

    def _join(self, peer: Peer, request: Join) -> None:
        """Send a newcomer, or a spectator who wants a seat, to a table, or refuse it."""
        reaction = self._reaction
        own = self._places.get(peer)
        if own is not None and peer in self._tables[own].players:
            # T-Q14: a seated player is told its seat again, whatever name it gives.
            reaction.transfers.append(Transfer(peer, own, request))
            return
        is_native = request.policy.native
        refusal = self._names.refusal(request.name, peer, is_native)
        if is_native and refusal is Refusal.NAME_TAKEN:
            refusal = None
            request = replace(request, name=self._names.with_number(request.name, peer))
        if request.table is not None:
            wanted = self._tables.get(request.table)
            table = request.table if wanted and wanted.has_seat_for(request) else None
        elif is_native:
            table = None if request.is_private else self.table_with_opponent()
            table = table or self._native_numbers.next
        else:
            table = self._table_with_seat()
            if table is None:
                table = own if own is not None else self._table_to_watch()
        if refusal is not None or table is None:
            self._tell(peer, Refused(refusal or Refusal.FULL))
            return
        request = replace(request, alias=self._alias_for(peer, request.name))
        if own is not None and own != table:
            reaction.transfers.append(Transfer(peer, own, Leave(None)))
        if table not in self._tables:
            reaction.tables_to_open = [TableOpening(table)]
        reaction.transfers.append(Transfer(peer, table, request))

    def _alias_for(self, peer: Peer, name: str) -> str:
        """Return the alias of a client; a spectator who keeps its name also keeps its alias."""
        own = self._places.get(peer)
        if own is not None and self._tables[own].spectators.get(peer) == name:
            return self._tables[own].aliases.get(peer, "")
        return self._names.alias(name, peer)

    def table_with_opponent(self) -> int | None:
        """Return the first table at which a player waits for an opponent, None if no one does."""
        waiting = (table for table in self._with_seat if self._tables[table].is_waiting)
        return min(waiting, default=None)

    def _table_with_seat(self) -> int | None:
        """Return the table for the next player from a door, None if all seats are taken."""
        # A player from a door may sit down at a native table only if a player is waiting there.
        open_to_door = [
            table
            for table in self._with_seat
            if table <= self._door_tables or self._tables[table].is_waiting
        ]
        present = [table for table in open_to_door if not self._tables[table].is_deserted]
        if present:
            # A table with a player comes before one that only has spectators.
            return min(present, key=lambda table: (not self._tables[table].players, table))
        number = self._door_numbers.next
        if number <= self._door_tables:
            return number
        # Last come the tables whose player is away: that opponent may never return.
        return min(open_to_door, default=None)

    def _table_to_watch(self) -> int | None:
        to_watch = (
            number
            for number, occupancy in self._tables.items()
            if occupancy.can_be_watched and number <= self._door_tables
        )
        return min(to_watch, default=None)

    def refuse_watcher(self, name: str, peer: Peer) -> Refusal | None:
        """Return why a watcher may not chat under this name; None if it may."""
        # Watchers use web pages, which can show any script.
        return self._names.refusal(name, peer, any_script=True)

    def _pass_on_chat(self, peer: Peer, chat: SpectatorChat) -> None:
        """Send a watcher's chat message to its table, unless it uses the name of a player."""
        refusal = self.refuse_watcher(chat.name, peer)
        _, _, number = chat.table.rpartition("-")
        table = int(number) if number.isdecimal() and number.isascii() else 0
        if refusal is not None:
            self._tell(peer, ChatRejected(refusal.value))
        elif table not in self._tables or chat.table != f"table-{table}":
            self._tell(peer, ChatRejected("there is no such table"))
        else:
            alias = self._names.alias(chat.name, peer)
            self._reaction.transfers.append(Transfer(peer, table, replace(chat, alias=alias)))

"""A room of open tables: whoever comes sits down where there is a free seat, or watches."""

from collections.abc import Sequence

from gamehall.core import Game, MoveT, SeededRandom
from gamehall.match import MoveFault, MoveRefused, Record
from gamehall.rooms.deadlines import Deadlines
from gamehall.rooms.departures import HUNG_UP, LEFT, why_left
from gamehall.rooms.names import NameRules, Names
from gamehall.rooms.notices import ChatRejected, Closed, Refusal, Refused, Seated
from gamehall.rooms.reaction import Delivery, Peer, Reaction
from gamehall.rooms.requests import (
    Chat,
    EndOfInput,
    Join,
    Leave,
    Play,
    Rematch,
    Request,
    Return,
    SpectatorChat,
)
from gamehall.rooms.room import Room
from gamehall.rooms.table import Member, Table
from gamehall.rooms.terms import TableTerms
from gamehall.rooms.vacancies import Vacancies
from gamehall.rooms.view import RoomKind, RoomView


class OpenTables(Room[MoveT]):
    """Up to so many tables of one game on one set of terms. Names are unique in the whole room.

    Seats are filled table by table. When all are taken, newcomers watch the first table that has
    room for them.
    """

    def __init__(
        self,
        game: Game[MoveT],
        terms: TableTerms,
        names: NameRules,
        shuffler: SeededRandom,
        tables: int = 1,
    ) -> None:
        self._reaction: Reaction[MoveT] = Reaction()
        """What is being built by the current call of `handle` or `tick`."""
        self._game = game
        self._names = Names(names)
        self._terms = terms
        self._tables = [
            Table(number, game, terms, shuffler, self._note_match) for number in range(tables)
        ]
        self._to_sit = Vacancies(self._tables, lambda table: table.free_seat is not None)
        self._to_watch = Vacancies(self._tables, lambda table: table.can_be_watched)
        self._places: dict[Peer, tuple[Table[MoveT], Member]] = {}
        self._timed = terms.clock.seconds_per_turn is not None
        self._deadlines: Deadlines[Table[MoveT]] = Deadlines()
        self.deadline = None

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        place = self._places.get(peer)
        if place is None:
            reaction.deliveries = self._handle_stranger(peer, request, now)
        else:
            reaction.deliveries = self._handle_member(*place, request, now)
        return reaction

    def _handle_member(
        self, table: Table[MoveT], member: Member, request: Request[MoveT], now: float
    ) -> list[Delivery[MoveT]]:
        match request:
            case Play():
                deliveries = table.play(member, request.move, now)
                if member.must_go:
                    deliveries += self._dismiss(table, member, "too many illegal moves in a row")
                elif not deliveries or _is_out_of_turn(deliveries[0]):
                    self._reaction.changed = False
            case Chat(text):
                # A journal does not keep what was said.
                self._reaction.changed = False
                return table.say(member, text, now)
            case Rematch():
                deliveries = table.rematch(member, now)
            case Join(name):
                deliveries = self._join_again(table, member, name, now)
            case Return():
                deliveries = table.welcome_back(member, now)
            case EndOfInput():
                deliveries = self._hang_up(table, member)
            case Leave(str(fault)):
                deliveries = self._dismiss(table, member, fault)
            case Leave():
                deliveries = self._remove(table, member, LEFT)
            case _:
                # Nobody is asked for anything at an open table.
                self._reaction.changed = False
                return []
        if self._timed:
            self._note_deadline(table)
        return deliveries

    @property
    def is_quiet(self) -> bool:
        return not self._places

    @property
    def waiting_players(self) -> Sequence[str]:
        return [
            table.waiting_players for table in self._tables if table.waiting_players is not None
        ]

    def view(self) -> RoomView[MoveT]:
        views = (table.view() for table in self._tables)
        return RoomView(
            kind=RoomKind.OPEN_TABLES,
            version=sum(table.version for table in self._tables),
            game=self._game.name,
            tables=tuple(view for view in views if view is not None),
            waiting=tuple(self.waiting_players),
        )

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        for table in self._deadlines.due(now):
            reaction.deliveries += table.tick(now)
        self.deadline = self._deadlines.next()
        return reaction

    def _handle_stranger(
        self, peer: Peer, request: Request[MoveT], now: float
    ) -> list[Delivery[MoveT]]:
        """Handle a request of a peer that has not joined."""
        if isinstance(request, Join):
            return self._join(peer, request.name, now)
        self._reaction.changed = False
        match request:
            case SpectatorChat():
                return self._hear(peer, request, now)
            case EndOfInput():
                return [Delivery((peer,), Closed("hung up without having joined"))]
            case Leave(str(fault)):
                return [Delivery((peer,), Closed(fault))]
            case _:
                return []

    def _join(self, peer: Peer, name: str, now: float) -> list[Delivery[MoveT]]:
        """Lets a newcomer in, to a seat if there is one, or says why not."""
        refusal = self._names.refusal(name, peer)
        if refusal is not None:
            return self._refuse(peer, refusal)
        member = Member(peer, name, self._terms)
        table = self._to_sit.first()
        if table is not None:
            self._let_in(table, member)
            deliveries = table.sit(member, now)
            self._note_deadline(table)
            return deliveries
        table = self._to_watch.first()
        if table is None:
            return self._refuse(peer, Refusal.FULL)
        listener = table.listener_in_the_way()
        dismissed = self._dismiss(table, listener, "its place is needed") if listener else []
        self._let_in(table, member)
        return dismissed + table.watch(member)

    def _hear(self, peer: Peer, remark: SpectatorChat, now: float) -> list[Delivery[MoveT]]:
        """Somebody who looks on says something, and not in the name of anybody who is here."""
        refusal = self._names.refusal(remark.name, peer)
        if refusal is not None:
            return [Delivery((peer,), ChatRejected(refusal.value))]
        table = next((table for table in self._tables if table.name == remark.table), None)
        if table is None:
            return [Delivery((peer,), ChatRejected("there is no such table"))]
        return table.hear(peer, remark.name, remark.text, now)

    def _join_again(
        self, table: Table[MoveT], member: Member, name: str, now: float
    ) -> list[Delivery[MoveT]]:
        """A spectator may take a free seat, and a new name; a player is told its seat (T-Q14)."""
        to = (member.peer,)
        if member.seat is not None:
            self._reaction.changed = False
            return [Delivery(to, Seated(member.seat))]
        refusal = self._names.refusal(name, member.peer)
        if refusal is not None:
            return self._refuse(member.peer, refusal)
        self._names.free(member.name, member.peer)
        self._names.give(name, member.peer)
        member.name = name
        with_seat = self._to_sit.first()
        if with_seat is None:
            return [Delivery(to, Seated(None))]
        table.leave(member, "takes a seat")
        self._to_watch.offer(table.number)
        self._places[member.peer] = (with_seat, member)
        deliveries = with_seat.sit(member, now)
        self._note_deadline(with_seat)
        return deliveries

    def _note_deadline(self, table: Table[MoveT]) -> None:
        """The clock of this table may have been started, stopped or moved on."""
        self._deadlines.set(table, table.deadline)
        self.deadline = self._deadlines.next()

    def _let_in(self, table: Table[MoveT], member: Member) -> None:
        self._names.give(member.name, member.peer)
        self._places[member.peer] = (table, member)

    def _hang_up(self, table: Table[MoveT], member: Member) -> list[Delivery[MoveT]]:
        """Nothing more will come from this peer.

        A match needs its players, so a player leaves. A spectator may watch on, but it keeps
        nothing from others: its name is free, and its place if all are taken.
        """
        if member.seat is not None:
            return self._dismiss(table, member, HUNG_UP)
        self._names.free(member.name, member.peer)
        table.listen_only(member)
        self._to_watch.offer(table.number)
        return []

    def _dismiss(self, table: Table[MoveT], member: Member, reason: str) -> list[Delivery[MoveT]]:
        """Sends somebody away."""
        gone = self._remove(table, member, reason)
        return [Delivery((member.peer,), Closed(reason)), *gone]

    def _remove(self, table: Table[MoveT], member: Member, reason: str) -> list[Delivery[MoveT]]:
        """Somebody is gone: its name and its place are free at once (T-Q30)."""
        del self._places[member.peer]
        self._names.free(member.name, member.peer)
        deliveries = table.leave(member, why_left(member.name, reason))
        self._to_sit.offer(table.number)
        self._to_watch.offer(table.number)
        return deliveries

    def _refuse(self, peer: Peer, refusal: Refusal) -> list[Delivery[MoveT]]:
        self._reaction.changed = False
        return [Delivery((peer,), Refused(refusal))]

    def _note_match(self, record: Record) -> None:
        self._reaction.finished += 1
        self._reaction.records.append(record)


def _is_out_of_turn(delivery: Delivery[MoveT]) -> bool:
    """Return True if a player is told that it is not its turn, which changes nothing."""
    notice = delivery.notice
    return type(notice) is MoveRefused and notice.fault is MoveFault.OUT_OF_TURN

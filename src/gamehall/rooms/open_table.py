"""An open table: two seats, spectators, and one match after the other."""

from collections import deque
from collections.abc import Sequence

from msgspec.structs import replace

from gamehall.core import Game, MoveT, Seat, SeededRandom
from gamehall.match import (
    Ending,
    MatchEnded,
    MatchEvent,
    MoveFault,
    MovePlayed,
    MoveRefused,
    Referee,
)
from gamehall.rooms.absences import Absences
from gamehall.rooms.notices import (
    AWAY_TOO_LONG,
    HUNG_UP,
    LEFT,
    ChatRejected,
    ChatSent,
    Closed,
    Notice,
    PlayersChanged,
    Seated,
    SeatInfo,
    why_left,
)
from gamehall.rooms.requests import (
    Away,
    Chat,
    EndOfInput,
    Join,
    Leave,
    Play,
    Rematch,
    Request,
    Resign,
    Return,
    Role,
    SpectatorChat,
)
from gamehall.rooms.room import Compaction, Delivery, Entry, Occupancy, Peer, Reaction, Table
from gamehall.rooms.terms import LeaveRule, RematchRule, TableTerms
from gamehall.rooms.timing import TokenBucket
from gamehall.rooms.view import ChatLine, RoomKind, RoomView, view_table

SAYINGS_KEPT = 50
LETTERS_KEPT = 300
"""Of each: everybody who looks on is shown all of them."""


class ChatHistory:
    """Lets through as much as a table can bear."""

    __slots__ = ("_kept", "_letters_left", "_remarks_left", "said")

    def __init__(self, terms: TableTerms) -> None:
        letters, remarks = terms.letters_per_second_of_all, terms.remarks_per_second
        self._letters_left = TokenBucket(letters, at_once=letters)
        self._remarks_left = TokenBucket(remarks, at_once=2 * remarks)
        self._kept: deque[ChatLine] = deque(maxlen=SAYINGS_KEPT)
        self.said = 0
        """How much was said so far."""

    @property
    def last(self) -> tuple[ChatLine, ...]:
        """What was said last, the newest at the end."""
        return tuple(self._kept)

    def take(self, name: str, text: str, now: float) -> bool:
        """Somebody at the table says something. Whether there was not too much of it already."""
        if not self._letters_left.take(len(text), now):
            return False
        self._keep(name, text)
        return True

    def take_remark(self, name: str, text: str, now: float) -> bool:
        """Somebody who only looks on says something: all of them together are allowed less."""
        return self._remarks_left.take(1, now) and self.take(name, text, now)

    def forget(self) -> None:
        """Nobody is here any more who said or heard it."""
        self._kept.clear()

    def _keep(self, name: str, text: str) -> None:
        self.said += 1
        if len(text) > LETTERS_KEPT:
            text = text[:LETTERS_KEPT] + "\N{HORIZONTAL ELLIPSIS}"
        self._kept.append(ChatLine(self.said, name, text))


class TableMember:
    """Somebody at a table: in a seat or, if `seat` is None, watching."""

    __slots__ = ("join", "letters_left", "peer", "sayings_left", "seat")

    def __init__(self, peer: Peer, join: Join, terms: TableTerms) -> None:
        self.peer = peer
        self.join = join if join.role is Role.ANY else replace(join, role=Role.ANY)
        """How it has joined, wherever it sat down."""
        self.seat: Seat | None = None
        self.sayings_left = TokenBucket(terms.sayings_per_second, at_once=terms.sayings_per_second)
        self.letters_left = TokenBucket(terms.letters_per_second, at_once=terms.letters_per_second)

    @property
    def name(self) -> str:
        return self.join.name

    @property
    def alias(self) -> str:
        """Its name for wires that carry only ASCII; empty if its name is ASCII."""
        return self.join.alias


class OpenTable(Table[MoveT]):
    """Two seats, any spectators and one match after the other.

    The board is live as soon as somebody sits down. That a newcomer's name is free, and that there
    is a seat or room to watch, the lobby has checked before.
    """

    def __init__(
        self, number: int, game: Game[MoveT], terms: TableTerms, random: SeededRandom
    ) -> None:
        self.deadline = None
        self._name = f"table-{number}"
        self._game = game
        self._terms = terms
        self._random = random
        self._members: dict[Peer, TableMember] = {}
        """Everybody at the table, in the order in which they came."""
        self._players: dict[Seat, TableMember] = {}
        self._names = dict.fromkeys(Seat, "")
        """Who sits or has sat last in each seat."""
        self._listeners: dict[Peer, TableMember] = {}
        """The spectators who have ended their side of the connection, the first of them first."""
        self._everybody: tuple[Peer, ...] = ()
        self._needs_second = terms.wait_for_second
        """Whether nobody may move before a second player has sat down."""
        self._number = number
        self._natives: tuple[Peer, ...] = ()
        """The native clients among everybody."""
        self._is_news_of_players = False
        """Whether the current call has changed what PlayersChanged tells."""
        self._absences = Absences()
        self._talk = ChatHistory(terms)
        self._changes = 0
        """How often something has changed that can be seen, save in the match and the talk."""
        self._reaction: Reaction[MoveT] = Reaction()
        """What is being built by the current call of `handle` or `tick`."""
        self._has_begun = False
        """Whether a match began in the current call, or its board was laid."""
        self._now = 0.0
        """When the current call was made."""
        self._kept: list[Entry[MoveT]] = []
        """What players have asked since the match began: the journal without the spectators."""
        self._lay_fresh_board()

    # What the host asks

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        self._has_begun = False
        self._now = now
        member = self._members.get(peer)
        if member is not None and type(request) is Play:
            # Most requests are moves.
            self._play(member, request.move, now)
        elif member is not None:
            self._handle_member(member, request, now)
        elif isinstance(request, Join):
            member = TableMember(peer, request, self._terms)
            self._join(member, request.role, now)
        else:
            reaction.changed = False
            self._handle_stranger(peer, request, now)
        self.deadline = self._referee.deadline
        if self._absences.since:
            self._note_absences()
        if self._is_news_of_players:
            self._note_players()
        if reaction.changed and member is not None and member.seat is not None:
            if self._has_begun:
                self._keep_beginning()
            else:
                self._kept.append(Entry(now, peer, request))
        return reaction

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        self._has_begun = False
        self._now = now
        seat_due, turn_due = self._absences.deadline, self._referee.deadline
        if seat_due is None or (turn_due is not None and turn_due <= seat_due):
            self._report(self._referee.tick(now))
        for peer in self._absences.over(now):
            self._give_up(self._members[peer])
        self._report(self._referee.tick(now))
        self.deadline = self._referee.deadline
        self._note_absences()
        if self._is_news_of_players:
            self._note_players()
        if self._has_begun:
            self._keep_beginning()
        else:
            self._kept.append(Entry(now))
        return reaction

    def compact(self) -> Compaction | None:
        watching = [member for member in self._members.values() if member.seat is None]
        entries = list(self._kept)
        for member in watching:
            join = replace(member.join, role=Role.SPECTATOR)
            entries.append(Entry(self._now, member.peer, join))
            entries += self._absences.present_entries(member.peer)
        entries += [Entry(self._now, peer, EndOfInput()) for peer in self._listeners]
        return Compaction(self._drawn_before, entries)

    def _keep_beginning(self) -> None:
        """Keep how a fresh table gets to the beginning of the match: its players sit down.

        What went before is not shown any more.
        """
        roles = {Seat.FIRST: Role.FIRST, Seat.SECOND: Role.SECOND}
        players = sorted(self._players.items(), key=lambda item: item[0].value)
        self._kept = [
            Entry(self._now, player.peer, replace(player.join, role=roles[seat]))
            for seat, player in players
        ]
        for _, player in players:
            self._kept += self._absences.present_entries(player.peer)

    @property
    def occupancy(self) -> Occupancy:
        spectators = {
            member.peer: member.name
            for member in self._members.values()
            if member.seat is None and member.peer not in self._listeners
        }
        aliases = {
            member.peer: member.alias
            for member in self._members.values()
            if member.alias and member.peer not in self._listeners
        }
        return Occupancy(
            {member.peer: member.name for member in self._players.values()},
            spectators,
            has_free_seat=self._free_seat is not None,
            # One more may come, if need be in the place of a listener.
            can_be_watched=len(spectators) < self._terms.spectators,
            aliases=aliases,
            is_private=self._is_private,
            is_waiting=bool(self.waiting_players),
        )

    @property
    def waiting_players(self) -> Sequence[str]:
        """The name of a player who waits for another.

        A player at a board on which a game was decided does not: an opponent who sat down would
        clear it (T-Q13). It waits again when it has asked for a fresh board. Nobody waits at a
        private table for those who have not been asked to come.
        """
        is_waiting = len(self._players) == 1 and not self._is_decided and not self._is_private
        if not is_waiting or self._absences.since:
            return ()
        return [player.name for player in self._players.values()]

    def view(self) -> RoomView[MoveT]:
        version = self._changes + self._referee.steps + self._talk.said
        is_over = self._referee.result is not None
        first, second = (
            self._names[seat] if seat in self._players or is_over else None for seat in Seat
        )
        table = view_table(
            self._name,
            version,
            self._game,
            self._referee,
            players=(first or None, second or None),
            spectators=len(self._members) - len(self._players),
            is_open=self._free_seat is not None and not self._is_private,
            needs_second=self._needs_second,
            is_match=self._contested,
            talk=self._talk.last,
            hears_remarks=self._terms.spectators_may_say,
        )
        return RoomView(
            kind=RoomKind.OPEN_TABLES,
            version=version,
            tables=(table,) if self._members else (),
            waiting=tuple(self.waiting_players),
        )

    # What members ask

    def _handle_member(self, member: TableMember, request: Request[MoveT], now: float) -> None:
        match request:
            case Chat(text):
                self._say(member, text, now)
            case Rematch():
                self._rematch(member, now)
            case Resign():
                self._resign(member)
            case Join():
                self._join_again(member, request, now)
            case Away():
                self._go_away(member, request, now)
            case Return():
                self._welcome_back(member, now)
            case EndOfInput():
                self._end_input(member)
            case Leave(fault):
                if fault is not None:
                    self._tell(member, Closed(fault))
                self._remove(member, fault or LEFT)
            case _:
                # Nobody is asked for anything at an open table.
                self._reaction.changed = False

    def _handle_stranger(self, peer: Peer, request: Request[MoveT], now: float) -> None:
        match request:
            case SpectatorChat():
                self._hear(peer, request, now)
            case Leave(str(fault)):
                self._reaction.deliveries.append(Delivery((peer,), Closed(fault)))
            case _:
                pass

    def _join(self, member: TableMember, role: Role, now: float) -> None:
        """Seat a newcomer or, if both seats are taken, let it watch.

        A match that is over makes way for a new one, whatever its result: a newcomer never
        inherits a finished game (T-Q12, T-Q13).
        """
        seat = self._seat_for(role)
        if seat is not None:
            self._members[member.peer] = member
            self._sit(member, seat, now)
            return
        if len(self._members) - len(self._players) >= self._terms.spectators:
            listener = next(iter(self._listeners.values()))
            self._tell(listener, Closed("its place is needed"))
            self._remove(listener, LEFT)
        self._members[member.peer] = member
        self._note_people()
        self._tell(member, Seated(None, alias=member.alias), self._referee.standing())

    def _join_again(self, member: TableMember, join: Join, now: float) -> None:
        """A spectator may take a free seat, and a new name; a player is told its seat (T-Q14).

        A native player who waits may have the free seat reserved for a bot.
        """
        if member.seat is not None:
            self._reaction.changed = join.is_private and not member.join.is_private
            if self._reaction.changed:
                member.join = replace(member.join, is_private=True)
                self._note_people()
            self._tell(member, Seated(member.seat, alias=member.alias))
            return
        member.join = join
        seat = self._free_seat
        if seat is not None:
            self._sit(member, seat, now)
        else:
            self._note_people()
            self._tell(member, Seated(None, alias=member.alias))

    def _sit(self, member: TableMember, seat: Seat, now: float) -> None:
        member.seat = seat
        self._players[seat] = member
        self._names[seat] = member.name
        self._listeners.pop(member.peer, None)
        self._note_people()
        if self._referee.result is not None:
            self._clear_board()
        self._tell(member, Seated(seat, alias=member.alias))
        self._begin(now)

    def _go_away(self, member: TableMember, away: Away, now: float) -> None:
        """A member's connection is lost: its seat is kept, and its clock stands (X-07).

        After the end of a match nothing is left for which a seat would have to be kept.
        """
        is_needed = away.is_restart or not self._is_decided
        if not is_needed or not self._absences.begin(member.peer, away, now):
            self._give_up(member)
            return
        self._changes += 1
        if member.seat is not None:
            self._referee.stop_clock(member.seat, now)
            self._is_news_of_players = True

    def _give_up(self, member: TableMember) -> None:
        """A member was away for too long."""
        self._tell(member, Closed(AWAY_TOO_LONG))
        self._remove(member, AWAY_TOO_LONG)

    def _welcome_back(self, member: TableMember, now: float) -> None:
        """A member is connected again: it hears what a newcomer does, and its clock goes on."""
        self._reaction.changed = self._absences.end(member.peer, now)
        self._changes += 1
        self._is_news_of_players = True
        if member.seat is not None:
            self._referee.resume_clock(member.seat, now)
        seated = Seated(member.seat, alias=member.alias)
        self._tell(member, seated, self._referee.standing())

    def _play(self, member: TableMember, move: MoveT, now: float) -> None:
        """A player moves. Spectators, and those who must wait for an opponent, are not heard."""
        seat, reaction = member.seat, self._reaction
        if seat is None or self._needs_second:
            reaction.changed = False
            return
        events = self._referee.play(seat, move, now)
        last = events[-1]
        if type(last) is MovePlayed:
            reaction.deliveries.append(Delivery(self._everybody, last))
        elif type(last) is MoveRefused:
            # To be out of turn changes nothing; an illegal move is counted.
            reaction.changed = last.fault is not MoveFault.OUT_OF_TURN
            self._tell(member, last)
            if last.in_a_row >= self._terms.illegal_moves_allowed:
                reaction.changed = True
                reason = "too many illegal moves in a row"
                self._tell(member, Closed(reason))
                self._remove(member, reason)
        else:
            self._report(events)

    def _say(self, member: TableMember, text: str, now: float) -> None:
        """Pass on what somebody says to everybody else. Too much of it is dropped.

        A journal does not keep what was said.
        """
        self._reaction.changed = False
        may = member.seat is not None or self._terms.spectators_may_say
        if not (text and may and member.sayings_left.take(1, now)):
            return
        if member.letters_left.take(len(text), now) and self._talk.take(member.name, text, now):
            others = tuple(peer for peer in self._everybody if peer != member.peer)
            said = ChatSent(member.name, text, member.alias)
            self._reaction.deliveries.append(Delivery(others, said))

    def _hear(self, peer: Peer, remark: SpectatorChat, now: float) -> None:
        """Pass on what an observer says, and tell it so, or why not."""
        reason = None
        if not self._members:
            reason = "nobody is at that table"
        elif not self._terms.spectators_may_say:
            reason = "only players may talk at this table"
        elif not remark.text:
            reason = "nothing was said"
        elif not self._talk.take_remark(remark.name, remark.text, now):
            reason = "too many talk at this table just now: try again in a moment"
        deliveries = self._reaction.deliveries
        if reason is not None:
            deliveries.append(Delivery((peer,), ChatRejected(reason)))
        else:
            everybody = (*self._everybody, peer)
            said = ChatSent(remark.name, remark.text, remark.alias)
            deliveries.append(Delivery(everybody, said))

    def _rematch(self, member: TableMember, now: float) -> None:
        """A player asks for a fresh board."""
        if member.seat is None:
            self._reaction.changed = False
            return
        is_native = self._is_native
        if is_native and self._referee.result is None:
            # Native players do not clear a board on which they play.
            self._reaction.changed = False
            return
        has_asked = member.seat in self._rematch_asked
        self._rematch_asked.add(member.seat)
        self._is_news_of_players = True
        match RematchRule.BOTH if is_native else self._terms.rematch:
            case RematchRule.FINISHED if self._referee.result is None:
                self._reaction.changed = not has_asked
            case RematchRule.BOTH if self._rematch_asked < self._players.keys():
                self._reaction.changed = not has_asked
            case _:
                self._clear_board()
                if is_native and len(self._players) == len(Seat):
                    self._swap_seats()
                self._begin(now)

    def _swap_seats(self) -> None:
        """Native players take turns at who begins."""
        self._players = {seat.other: player for seat, player in self._players.items()}
        for seat, player in self._players.items():
            player.seat = seat
            self._names[seat] = player.name
            self._tell(player, Seated(seat, alias=player.alias))
        self._note_people()

    def _resign(self, member: TableMember) -> None:
        """A player gives up the match. Without an opponent there is none."""
        if member.seat is None or not self._contested or self._referee.result is not None:
            self._reaction.changed = False
            return
        resigned = f"{member.name} resigned"
        self._report(self._referee.retire(member.seat, Ending.RESIGNED, resigned))

    def _end_input(self, member: TableMember) -> None:
        """A member has ended its side of the connection (X-07).

        A match needs its players, so a player leaves. A spectator may watch on, but it keeps
        nothing from others: its name is free, and its place if all are taken.
        """
        if member.seat is not None:
            self._tell(member, Closed(HUNG_UP))
            self._remove(member, HUNG_UP)
        else:
            self._listeners[member.peer] = member
            self._reaction.occupancy = self.occupancy

    def _remove(self, member: TableMember, reason: str) -> None:
        """A member is gone. A match that has lost a player ends as the terms say."""
        del self._members[member.peer]
        self._absences.forget(member.peer)
        self._listeners.pop(member.peer, None)
        if member.seat is None:
            self._note_people()
            return
        is_native = self._is_native
        del self._players[member.seat]
        self._rematch_asked.discard(member.seat)
        self._note_people()
        award = (is_native or self._terms.on_leave is LeaveRule.AWARD) and self._contested
        ending = Ending.LEFT if award else Ending.CANCELLED
        self._report(self._referee.retire(member.seat, ending, why_left(member.name, reason)))
        if not self._players:
            self._clear_board()

    # The match

    @property
    def _is_native(self) -> bool:
        """Whether no player came through a door, so that no document's rules hold here."""
        return all(player.join.policy.native for player in self._players.values())

    @property
    def _is_private(self) -> bool:
        """Whether a player wants to play only with those who name this table."""
        return any(player.join.is_private for player in self._players.values())

    @property
    def _free_seat(self) -> Seat | None:
        """The seat that the next player gets: the first one first."""
        return next((seat for seat in Seat if seat not in self._players), None)

    def _seat_for(self, role: Role) -> Seat | None:
        """The seat that a newcomer gets; None: it watches."""
        wanted = {Role.FIRST: Seat.FIRST, Role.SECOND: Seat.SECOND}.get(role)
        if role is Role.SPECTATOR:
            return None
        return wanted if wanted is not None and wanted not in self._players else self._free_seat

    @property
    def _is_decided(self) -> bool:
        """Whether the match has come to a result, and was not cancelled."""
        result = self._referee.result
        return result is not None and result.ending is not Ending.CANCELLED

    def _clear_board(self) -> None:
        """A new match, not yet begun, in the place of another. Nobody is told."""
        self._changes += self._referee.steps + 1
        self._lay_fresh_board()

    def _lay_fresh_board(self) -> None:
        """A new match, not yet begun. Nobody is told."""
        self._has_begun = True
        self._drawn_before = self._random.drawn
        """What had been drawn from the table's seed before this match."""
        self._referee = Referee(self._game, self._terms.clock, self._random.seed())
        self._contested = False
        """Whether two players have been at this match."""
        self._rematch_asked: set[Seat] = set()

    def _begin(self, now: float) -> None:
        """Start the clock if both players are there, and show where the match stands."""
        self._has_begun = not self._referee.steps
        self._absences.begin_match(self._members, now)
        for seat, player in self._players.items():
            if player.peer in self._absences.since:
                self._referee.stop_clock(seat, now)
        if len(self._players) < len(Seat):
            standing = self._referee.standing()
        else:
            self._contested = True
            self._is_news_of_players = True
            standing = self._referee.begin(now)
        self._reaction.deliveries.append(Delivery(self._everybody, standing))

    def _report(self, events: list[MatchEvent[MoveT]]) -> None:
        """Tell everybody what happened in the match."""
        if not events:
            return
        if self._contested and type(events[-1]) is MatchEnded:
            self._is_news_of_players = True
            self._reaction.finished += 1
            self._reaction.records.append(self._referee.record(*self._names.values()))
        self._reaction.deliveries += [Delivery(self._everybody, event) for event in events]

    # The reaction

    def _note_absences(self) -> None:
        """Have `tick` called when a seat has been kept for long enough, too."""
        due = [when for when in (self.deadline, self._absences.deadline) if when is not None]
        self.deadline = min(due, default=None)

    def _tell(self, member: TableMember, *notices: Notice[MoveT]) -> None:
        self._reaction.deliveries += [Delivery((member.peer,), notice) for notice in notices]

    def _note_players(self) -> None:
        """Tell the lobby and the native clients who sits here."""
        self._is_news_of_players = False
        self._reaction.occupancy = self.occupancy
        if not self._natives:
            return
        first, second = (self._seat_info(seat) for seat in Seat)
        match = self._referee.match if self._contested else None
        changed = PlayersChanged(self._number, (first, second), match)
        self._reaction.deliveries.append(Delivery(self._natives, changed))

    def _seat_info(self, seat: Seat) -> SeatInfo | None:
        """What others see of the player in a seat; None if nobody sits there."""
        player = self._players.get(seat)
        if player is None:
            return None
        return SeatInfo(
            name=player.name,
            is_native=player.join.policy.native,
            is_bot=bool(player.join.bot),
            seconds_to_return=self._absences.seconds_left(player.peer, self._now),
            wants_rematch=seat in self._rematch_asked,
        )

    def _note_people(self) -> None:
        """Somebody has come, gone or changed places or names."""
        spectators = [member.peer for member in self._members.values() if member.seat is None]
        self._everybody = (*(player.peer for player in self._players.values()), *spectators)
        self._natives = tuple(
            peer for peer in self._everybody if self._members[peer].join.policy.native
        )
        self._is_news_of_players = True
        must_wait = self._terms.wait_for_second or self._is_native
        self._needs_second = must_wait and len(self._players) < len(Seat)
        self._changes += 1
        if not self._members:
            self._talk.forget()
            self._reaction.closed = True

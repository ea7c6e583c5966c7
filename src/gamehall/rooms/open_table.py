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
    TOO_MANY_ILLEGAL_MOVES,
    ChatRejected,
    ChatSent,
    Closed,
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
from gamehall.rooms.timing import TokenBucket, earliest
from gamehall.rooms.view import ChatLine, RoomKind, RoomView, view_table

CHATS_KEPT = 50
LETTERS_KEPT = 300
"""The part of each message that is kept: every watcher is sent all of them."""


class ChatHistory:
    """The last chat messages of a table, and the limits on all of them together."""

    __slots__ = ("_last_chats", "_letters_left", "_watcher_chats_left", "count")

    def __init__(self, terms: TableTerms) -> None:
        letters, watcher_chats = terms.letters_per_second_of_all, terms.watcher_chats_per_second
        self._letters_left = TokenBucket(letters, at_once=letters)
        self._watcher_chats_left = TokenBucket(watcher_chats, at_once=2 * watcher_chats)
        self._last_chats: deque[ChatLine] = deque(maxlen=CHATS_KEPT)
        self.count = 0
        """The number of messages so far."""

    @property
    def last(self) -> tuple[ChatLine, ...]:
        """The last messages, the newest at the end."""
        return tuple(self._last_chats)

    def add(self, name: str, text: str, now: float) -> bool:
        """Add a message. Return False if the limit is exceeded."""
        if not self._letters_left.take(len(text), now):
            return False
        self.count += 1
        if len(text) > LETTERS_KEPT:
            text = text[:LETTERS_KEPT] + "\N{HORIZONTAL ELLIPSIS}"
        self._last_chats.append(ChatLine(self.count, name, text))
        return True

    def add_from_watcher(self, chat: SpectatorChat, now: float) -> str:
        """Add a message of a watcher. Return why it is rejected, or "" if it is not.

        All watchers together are allowed less than the clients at the table.
        """
        if not chat.text:
            return "nothing was said"
        if not (self._watcher_chats_left.take(1, now) and self.add(chat.name, chat.text, now)):
            return "too many talk at this table just now: try again in a moment"
        return ""

    def clear(self) -> None:
        """Forget all messages."""
        self._last_chats.clear()


class TableMember:
    """A client at a table: in a seat or, if `seat` is None, watching."""

    __slots__ = ("chats_left", "join", "letters_left", "peer", "seat")

    def __init__(self, peer: Peer, join: Join, terms: TableTerms) -> None:
        self.peer = peer
        self.join = join if join.role is Role.ANY else replace(join, role=Role.ANY)
        self.seat: Seat | None = None
        self.chats_left = TokenBucket(terms.chats_per_second, at_once=terms.chats_per_second)
        self.letters_left = TokenBucket(terms.letters_per_second, at_once=terms.letters_per_second)

    @property
    def name(self) -> str:
        return self.join.name

    @property
    def alias(self) -> str:
        """The name on ASCII wires; empty if the name is ASCII."""
        return self.join.alias


class OpenTable(Table[MoveT]):
    """Two seats, spectators, and one match after the other.

    The first player may move at once, unless the terms say otherwise. The lobby has checked that
    the name of a newcomer is free, and that there is a seat or room for a spectator.
    """

    def __init__(
        self, number: int, game: Game[MoveT], terms: TableTerms, random: SeededRandom
    ) -> None:
        super().__init__()
        self._number = number
        self._name = f"table-{number}"
        self._game = game
        self._terms = terms
        self._random = random
        self._members: dict[Peer, TableMember] = {}
        """All clients at the table, in the order of arrival."""
        self._players: dict[Seat, TableMember] = {}
        self._names = dict.fromkeys(Seat, "")
        """The name of the present or last player of each seat."""
        self._half_closed_spectators: dict[Peer, TableMember] = {}
        """The spectators who have ended their input, in the order in which they did."""
        self._peers: tuple[Peer, ...] = ()
        """All clients at the table, players first."""
        self._natives: tuple[Peer, ...] = ()
        """The native clients among `_peers`."""
        self._needs_second = terms.wait_for_second
        """Whether no move is allowed before a second player has sat down."""
        self._players_changed = False
        """Whether the current call has changed anything that PlayersChanged contains."""
        self._absences = Absences()
        self._chat = ChatHistory(terms)
        self._changes = 0
        """The number of visible changes, except in the match and the chat."""
        self._has_begun = False
        """Whether the current call has begun a match, or set up its board."""
        self._entries_since_start: list[Entry[MoveT]] = []
        """The journal since the beginning of the match, without the spectators."""
        self._set_up_board()

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now)
        self._has_begun = False
        member = self._members.get(peer)
        if member is not None and type(request) is Play:
            # Most requests are moves.
            self._play(member, request.move)
        elif member is not None:
            self._handle_member(member, request)
        elif isinstance(request, Join):
            member = TableMember(peer, request, self._terms)
            self._join(member, request.role)
        else:
            reaction.changed = False
            self._handle_stranger(peer, request)
        is_of_player = member is not None and member.seat is not None
        self._end_call(Entry(now, peer, request) if is_of_player else None)
        return reaction

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now)
        self._has_begun = False
        seat_due, turn_due = self._absences.deadline, self._referee.deadline
        # What was due first happens first: it may end the match.
        if seat_due is None or (turn_due is not None and turn_due <= seat_due):
            self._deliver_events(self._referee.end_if_out_of_time(now))
        for peer in self._absences.expired(now):
            self._give_up(self._members[peer])
        self._deliver_events(self._referee.end_if_out_of_time(now))
        self._end_call(Entry(now))
        return reaction

    def _end_call(self, entry: Entry[MoveT] | None) -> None:
        """Note the deadline, and the entry if it is not about a spectator."""
        self.deadline = self._referee.deadline
        if self._absences.since:
            self.deadline = earliest(self.deadline, self._absences.deadline)
        if self._players_changed:
            self._report_players()
        if entry is not None and self._reaction.changed:
            if self._has_begun:
                self._keep_beginning()
            else:
                self._entries_since_start.append(entry)

    def compact(self) -> Compaction | None:
        entries = list(self._entries_since_start)
        for member in self._members.values():
            if member.seat is None:
                join = replace(member.join, role=Role.SPECTATOR)
                entries.append(Entry(self._now, member.peer, join))
                entries += self._absences.present_entries(member.peer)
        entries += [Entry(self._now, peer, EndOfInput()) for peer in self._half_closed_spectators]
        return Compaction(self._drawn_before, entries)

    def _keep_beginning(self) -> None:
        """Replace the kept entries by those that seat the players of a new match.

        The matches before are not visible any more.
        """
        roles = {Seat.FIRST: Role.FIRST, Seat.SECOND: Role.SECOND}
        players = sorted(self._players.items(), key=lambda item: item[0].value)
        self._entries_since_start = [
            Entry(self._now, player.peer, replace(player.join, role=roles[seat]))
            for seat, player in players
        ]
        for _, player in players:
            self._entries_since_start += self._absences.present_entries(player.peer)

    @property
    def occupancy(self) -> Occupancy:
        spectators = {
            member.peer: member.name
            for member in self._members.values()
            if member.seat is None and member.peer not in self._half_closed_spectators
        }
        aliases = {
            member.peer: member.alias
            for member in self._members.values()
            if member.alias and member.peer not in self._half_closed_spectators
        }
        players = {member.peer: member.name for member in self._players.values()}
        return Occupancy(
            players,
            spectators,
            has_free_seat=self._free_seat is not None,
            # A newcomer may take the place of a spectator who has ended its input.
            can_be_watched=len(spectators) < self._terms.spectators,
            aliases=aliases,
            is_private=self._is_private,
            is_waiting=bool(self.waiting_players),
            is_deserted=bool(players) and all(map(self._absences.is_doubtful, players)),
        )

    @property
    def waiting_players(self) -> Sequence[str]:
        """The name of the player who waits for an opponent.

        A player at a board with a decided match does not: an opponent who sat down would clear the
        board (T-Q13). It waits again when it has asked for a rematch.
        """
        is_waiting = len(self._players) == 1 and not self._is_decided and not self._is_private
        if not is_waiting or self._absences.since:
            return ()
        return [player.name for player in self._players.values()]

    def view(self) -> RoomView[MoveT]:
        version = self._changes + self._referee.steps + self._chat.count
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
            is_match=self._has_had_two_players,
            chat=self._chat.last,
            accepts_watcher_chat=self._terms.spectators_may_chat,
        )
        return RoomView(
            kind=RoomKind.OPEN_TABLES,
            version=version,
            tables=(table,) if self._members else (),
            waiting=tuple(self.waiting_players),
        )

    # Requests

    def _handle_member(self, member: TableMember, request: Request[MoveT]) -> None:
        match request:
            case Chat():
                self._send_chat(member, request)
            case Rematch():
                self._rematch(member)
            case Resign():
                self._resign(member)
            case Join():
                self._join_again(member, request)
            case Away():
                self._disconnect(member, request)
            case Return():
                self._reconnect(member)
            case EndOfInput():
                self._end_input(member)
            case Leave(fault):
                if fault is not None:
                    self._tell(member.peer, Closed(fault))
                self._remove(member, fault or LEFT)
            case _:
                # Other requests have no meaning at an open table.
                self._reaction.changed = False

    def _handle_stranger(self, peer: Peer, request: Request[MoveT]) -> None:
        match request:
            case SpectatorChat():
                self._send_watcher_chat(peer, request)
            case Leave(str(fault)):
                self._tell(peer, Closed(fault))
            case _:
                pass

    def _join(self, member: TableMember, role: Role) -> None:
        """Seat a newcomer or, if both seats are taken, let it watch.

        A newcomer who sits down at a finished match begins a new one, whatever its result
        (T-Q12, T-Q13).
        """
        seat = self._seat_for(role)
        if seat is not None:
            self._members[member.peer] = member
            self._sit(member, seat)
            return
        if len(self._members) - len(self._players) >= self._terms.spectators:
            half_closed = next(iter(self._half_closed_spectators.values()))
            self._tell(half_closed.peer, Closed("its place is needed"))
            self._remove(half_closed, LEFT)
        self._members[member.peer] = member
        self._members_changed()
        self._tell(member.peer, Seated(None, alias=member.alias), self._referee.current_event())

    def _join_again(self, member: TableMember, join: Join) -> None:
        """A spectator may take a free seat, and a new name; a player is told its seat (T-Q14).

        A native player who waits may have the free seat reserved for a bot.
        """
        if member.seat is not None:
            self._reaction.changed = join.is_private and not member.join.is_private
            if self._reaction.changed:
                member.join = replace(member.join, is_private=True)
                self._members_changed()
            self._tell(member.peer, Seated(member.seat, alias=member.alias))
            return
        member.join = join
        seat = self._free_seat
        if seat is not None:
            self._sit(member, seat)
        else:
            self._members_changed()
            self._tell(member.peer, Seated(None, alias=member.alias))

    def _sit(self, member: TableMember, seat: Seat) -> None:
        member.seat = seat
        self._players[seat] = member
        self._names[seat] = member.name
        self._half_closed_spectators.pop(member.peer, None)
        self._members_changed()
        if self._referee.result is not None:
            self._clear_board()
        self._tell(member.peer, Seated(seat, alias=member.alias))
        self._begin()

    def _disconnect(self, member: TableMember, away: Away) -> None:
        """Keep the seat of a disconnected client, and stop its clock (X-07).

        After the end of a match there is no reason to keep a seat.
        """
        is_needed = away.is_restart or not self._is_decided
        if not is_needed or not self._absences.begin(member.peer, away, self._now):
            self._give_up(member)
            return
        self._changes += 1
        if member.seat is not None:
            self._referee.stop_clock(member.seat, self._now)
            self._players_changed = True

    def _give_up(self, member: TableMember) -> None:
        """Remove a client that was disconnected for too long."""
        self._tell(member.peer, Closed(AWAY_TOO_LONG))
        self._remove(member, AWAY_TOO_LONG)

    def _reconnect(self, member: TableMember) -> None:
        """Tell a client that is connected again where it sits, and let its clock run again."""
        self._reaction.changed = self._absences.end(member.peer, self._now)
        self._changes += 1
        self._players_changed = True
        if member.seat is not None:
            self._referee.resume_clock(member.seat, self._now)
        seated = Seated(member.seat, alias=member.alias)
        self._tell(member.peer, seated, self._referee.current_event())

    def _play(self, member: TableMember, move: MoveT) -> None:
        """Make a move. Ignore those of spectators, and of a player who must wait for another."""
        seat, reaction = member.seat, self._reaction
        if seat is None or self._needs_second:
            reaction.changed = False
            return
        events = self._referee.play(seat, move, self._now)
        last = events[-1]
        if type(last) is MovePlayed:
            reaction.deliveries.append(Delivery(self._peers, last))
        elif type(last) is MoveRefused:
            # A move out of turn changes nothing; an illegal move is counted.
            reaction.changed = last.fault is not MoveFault.OUT_OF_TURN
            self._tell(member.peer, last)
            if last.in_a_row >= self._terms.illegal_moves_allowed:
                reaction.changed = True
                self._tell(member.peer, Closed(TOO_MANY_ILLEGAL_MOVES))
                self._remove(member, TOO_MANY_ILLEGAL_MOVES)
        else:
            self._deliver_events(events)

    def _send_chat(self, member: TableMember, chat: Chat) -> None:
        """Send a chat message to all others at the table. Drop it if there are too many.

        The journal does not keep chat.
        """
        self._reaction.changed = False
        text = chat.text
        may = member.seat is not None or self._terms.spectators_may_chat
        if not (text and may and member.chats_left.take(1, self._now)):
            return
        is_allowed = member.letters_left.take(len(text), self._now)
        if is_allowed and self._chat.add(member.name, text, self._now):
            others = tuple(peer for peer in self._peers if peer != member.peer)
            sent = ChatSent(member.name, text, member.alias, chat.is_from_server, chat.substitute)
            self._reaction.deliveries.append(Delivery(others, sent))

    def _send_watcher_chat(self, peer: Peer, chat: SpectatorChat) -> None:
        """Send a watcher's chat message to the table and to the watcher, or say why not."""
        if not self._members:
            error = "that table is empty"
        elif not self._terms.spectators_may_chat:
            error = "only players may talk at this table"
        else:
            error = self._chat.add_from_watcher(chat, self._now)
        if error:
            self._tell(peer, ChatRejected(error))
        else:
            sent = ChatSent(chat.name, chat.text, chat.alias)
            self._reaction.deliveries.append(Delivery((*self._peers, peer), sent))

    def _rematch(self, member: TableMember) -> None:
        """Begin a new match if the terms allow it, or when all players have asked for it."""
        is_native, result = self._is_native, self._referee.result
        # Native players do not clear a board on which they play.
        if member.seat is None or (is_native and result is None):
            self._reaction.changed = False
            return
        has_asked = member.seat in self._rematch_asked
        self._rematch_asked.add(member.seat)
        self._players_changed = True
        match RematchRule.BOTH if is_native else self._terms.rematch:
            case RematchRule.FINISHED if result is None:
                self._reaction.changed = not has_asked
            case RematchRule.BOTH if self._rematch_asked < self._players.keys():
                self._reaction.changed = not has_asked
            case _:
                self._clear_board()
                if is_native and len(self._players) == len(Seat):
                    self._swap_seats()
                self._begin()

    def _swap_seats(self) -> None:
        """Let the other native player begin the next match."""
        self._players = {seat.other: player for seat, player in self._players.items()}
        for seat, player in self._players.items():
            player.seat = seat
            self._names[seat] = player.name
            self._tell(player.peer, Seated(seat, alias=player.alias))
        self._members_changed()

    def _resign(self, member: TableMember) -> None:
        """End the match, unless there has been no opponent in it."""
        if member.seat is None or not self._has_had_two_players or self._referee.result is not None:
            self._reaction.changed = False
            return
        resigned = f"{member.name} resigned"
        self._deliver_events(self._referee.forfeit(member.seat, Ending.RESIGNED, resigned))

    def _end_input(self, member: TableMember) -> None:
        """Remove a player that has ended its input; a spectator may go on watching (X-07).

        The name of such a spectator is free, and so is its place if others need it.
        """
        if member.seat is not None:
            self._tell(member.peer, Closed(HUNG_UP))
            self._remove(member, HUNG_UP)
        else:
            self._half_closed_spectators[member.peer] = member
            self._reaction.occupancy = self.occupancy

    def _remove(self, member: TableMember, reason: str) -> None:
        """Remove a client that has left. If it was a player, the match ends as the terms say."""
        del self._members[member.peer]
        self._absences.forget(member.peer)
        self._half_closed_spectators.pop(member.peer, None)
        if member.seat is None:
            self._members_changed()
            return
        is_native = self._is_native
        del self._players[member.seat]
        self._rematch_asked.discard(member.seat)
        self._members_changed()
        award = (is_native or self._terms.on_leave is LeaveRule.AWARD) and self._has_had_two_players
        ending = Ending.LEFT if award else Ending.CANCELLED
        events = self._referee.forfeit(member.seat, ending, why_left(member.name, reason))
        self._deliver_events(events)
        if not self._players:
            self._clear_board()

    # The match

    @property
    def _is_native(self) -> bool:
        """Whether all players are native, so that no protocol's rules apply."""
        return all(player.join.policy.native for player in self._players.values())

    @property
    def _is_private(self) -> bool:
        """Whether the free seat is reserved for a house bot."""
        return any(player.join.is_private for player in self._players.values())

    @property
    def _free_seat(self) -> Seat | None:
        """The seat of the next player, None if both are taken."""
        return next((seat for seat in Seat if seat not in self._players), None)

    def _seat_for(self, role: Role) -> Seat | None:
        """Return the seat of a newcomer, None if it watches."""
        wanted = {Role.FIRST: Seat.FIRST, Role.SECOND: Seat.SECOND}.get(role)
        if role is Role.SPECTATOR:
            return None
        return wanted if wanted is not None and wanted not in self._players else self._free_seat

    @property
    def _is_decided(self) -> bool:
        """Whether the match has ended, and was not cancelled."""
        result = self._referee.result
        return result is not None and result.ending is not Ending.CANCELLED

    def _clear_board(self) -> None:
        """Replace the match by a new one. No one is told yet."""
        self._changes += self._referee.steps + 1
        self._set_up_board()

    def _set_up_board(self) -> None:
        self._has_begun = True
        self._drawn_before = self._random.drawn
        """What had been drawn from the table's seed before this match."""
        self._referee = Referee(self._game, self._terms.clock, self._random.seed())
        self._has_had_two_players = False
        """Whether there have been two players in this match."""
        self._rematch_asked: set[Seat] = set()

    def _begin(self) -> None:
        """Start the clock if both players are there, and show the board to everyone."""
        self._has_begun = not self._referee.steps
        self._absences.begin_match(self._members, self._now)
        for seat, player in self._players.items():
            if player.peer in self._absences.since:
                self._referee.stop_clock(seat, self._now)
        if len(self._players) < len(Seat):
            event = self._referee.current_event()
        else:
            self._has_had_two_players = True
            self._players_changed = True
            event = self._referee.begin(self._now)
        self._reaction.deliveries.append(Delivery(self._peers, event))

    def _deliver_events(self, events: list[MatchEvent[MoveT]]) -> None:
        if self._has_had_two_players and events and type(events[-1]) is MatchEnded:
            self._players_changed = True
            self._reaction.finished += 1
            self._reaction.records.append(self._referee.record(*self._names.values()))
        self._reaction.deliveries += [Delivery(self._peers, event) for event in events]

    def _report_players(self) -> None:
        """Tell the lobby and the native clients who sits here."""
        self._players_changed = False
        self._reaction.occupancy = self.occupancy
        if not self._natives:
            return
        first, second = (self._seat_info(seat) for seat in Seat)
        match = self._referee.match_name if self._has_had_two_players else None
        changed = PlayersChanged(self._number, (first, second), match)
        self._reaction.deliveries.append(Delivery(self._natives, changed))

    def _seat_info(self, seat: Seat) -> SeatInfo | None:
        player = self._players.get(seat)
        if player is None:
            return None
        seconds_to_return = self._absences.seconds_left(player.peer, self._now)
        return SeatInfo.of(player.join, seconds_to_return, seat in self._rematch_asked)

    def _members_changed(self) -> None:
        """Update what depends on who is at the table, in which seat and with which name."""
        spectators = [member.peer for member in self._members.values() if member.seat is None]
        self._peers = (*(player.peer for player in self._players.values()), *spectators)
        self._natives = tuple(
            peer for peer in self._peers if self._members[peer].join.policy.native
        )
        self._players_changed = True
        must_wait = self._terms.wait_for_second or self._is_native
        self._needs_second = must_wait and len(self._players) < len(Seat)
        self._changes += 1
        if not self._members:
            self._chat.clear()
            self._reaction.room_is_empty = True

"""A table whose clients poll: they ask for the state of the match, and are sent nothing unasked.

Any client of the wire may act for either player of the wire; a seat belongs to the client that
knows its number or, where the terms say so, its token. One of the two players may be a native
client, which is notified of everything. Two native players get a table of their own, so that the
wire's only table stays free for its clients.
"""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from gamehall.core import Game, MoveT, Seat, SeededRandom
from gamehall.match import Clock, Ending, MatchEnded, MoveRefused
from gamehall.rooms.absences import Absences
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules, Names, are_same
from gamehall.rooms.notices import (
    AWAY_TOO_LONG,
    HUNG_UP,
    LEFT,
    TOO_MANY_ILLEGAL_MOVES,
    ChatRejected,
    ChatSent,
    Closed,
    PlayersChanged,
    Refusal,
    Refused,
    Seated,
    SeatInfo,
    Snapshot,
    why_left,
)
from gamehall.rooms.open_table import ChatHistory, OpenTable
from gamehall.rooms.polled_match import SEATS, MovePlanner, PolledMatch, PolledSeat
from gamehall.rooms.requests import (
    Away,
    BadAnswer,
    Chat,
    EndOfInput,
    Join,
    Leave,
    Look,
    Lost,
    Play,
    Rematch,
    Request,
    Resign,
    Return,
    SpectatorChat,
    Submit,
    digest_token,
)
from gamehall.rooms.room import (
    Compaction,
    Delivery,
    Entry,
    Lobby,
    LogLine,
    Occupancy,
    Peer,
    Reaction,
    Transfer,
)
from gamehall.rooms.terms import NATIVE_TERMS
from gamehall.rooms.timing import earliest
from gamehall.rooms.view import RoomKind, RoomView, view_table

WRONG_TOKEN = "the token is not that of this player"
ABANDONED = "no move was made for too long, and another game has begun"

WIRE_TABLE = 1
"""The number of the wire's table; the tables of native players have higher ones."""
TABLE = f"table-{WIRE_TABLE}"


class PolledTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of a polled table that do not depend on its game."""

    clock: Clock = Clock()
    """A limit is for each move."""
    secrets: bool = False
    """Whether a player gets a token, without which no client moves for it (A-Q09)."""
    all_or_nothing: bool = False
    """Whether a refused move also undoes the moves before it in the same request (A-Q06)."""
    errors_are_fatal: bool = False
    """Whether a refused move ends the match (A-Q04)."""
    seconds_to_wait: float = 0
    """How long a client may wait for a later turn; 0: not at all."""
    seconds_to_next: float | None = None
    """The time from the end of a match until the next may be joined; None: there is only one."""
    seconds_to_abandon: float | None = None
    """The time without a move after which a newcomer begins another match; None: never."""


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


class NativePlayer(msgspec.Struct):
    """The native player at the table."""

    peer: Peer
    join: Join
    seat: Seat
    wants_rematch: bool = False


class PolledTable(Lobby[MoveT]):
    """One match at a time, between two polling clients or a polling client and a native player.

    It is also the lobby of the tables at which native players meet each other. Unlike other lobbies
    it has a journal. When that is replayed, the other tables do not exist yet, so nothing about
    this table may depend on them.
    """

    has_journal = True

    def __init__(
        self,
        game: Game[MoveT],
        planner: MovePlanner[MoveT],
        terms: PolledTerms,
        random: SeededRandom,
    ) -> None:
        super().__init__()
        self._game = game
        self._planner = planner
        self._terms = terms
        self._random = random
        self._waiting: dict[Peer, tuple[Look, int, float]] = {}
        """Of each waiting poll: the request, the turn that must end, and the time limit."""
        self._next_at: float | None = None
        """From when on a newcomer begins the next match; None if unknown, or never."""
        self._is_end_noted = False
        """Whether the end of the match has been recorded."""
        self._compaction: Compaction | None = None
        """What rebuilds the room, if the current call has begun the next match."""
        self._log: list[LogLine] = []
        self._earlier_versions = 0
        """The versions that earlier matches have used."""
        self._native: NativePlayer | None = None
        """There is at most one: with a second one, both go to another table."""
        self._players_changed = False
        """Whether the current call has changed anything that PlayersChanged contains."""
        self._absences = Absences()
        self._chat = ChatHistory(NATIVE_TERMS)
        self._native_tables = NativeTables(game)
        self._match = self._new_match()

    def open_table(self, number: int, random: SeededRandom) -> OpenTable[MoveT]:
        return self._native_tables.open_table(number, random)

    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        self._native_tables.table_changed(number, occupancy)

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now, changed=False)
        self._compaction = None
        match request:
            case Look(viewer, secret, after) if after is None or not self._terms.seconds_to_wait:
                self._tell(peer, self._match.shown(self._allowed_viewer(viewer, secret)))
                return reaction
            case Look(after=int(after)):
                # Waiting polls are not journaled: a restart closes their connections.
                until = now + self._terms.seconds_to_wait
                self._waiting[peer] = (request, after, until)
            case Join() if request.policy.native:
                self._join_native(peer, request)
            case Join():
                self._join(peer, request)
            case Submit():
                self._tell(peer, self._submit(request))
            case BadAnswer(reason):
                self._tell(peer, self._match.shown(None, reason, is_refusal=True))
            case SpectatorChat():
                self._send_watcher_chat(peer, request)
            case _ if self._native is not None and peer == self._native.peer:
                self._handle_native(self._native, request)
            case EndOfInput() | Leave():
                # A-Q27: the match does not depend on a connection.
                self._waiting.pop(peer, None)
                fault = request.fault if isinstance(request, Leave) else HUNG_UP
                self._tell(peer, Closed(fault or LEFT, is_expected=True))
            case Away() | Return():
                # Another match has begun meanwhile, in which this native player has no seat.
                self._tell(peer, Closed("its seat is gone", is_expected=True))
            case _:
                # Other requests have no meaning at a polled table.
                return reaction
        self._end_call()
        return reaction

    def compact(self) -> Compaction | None:
        return self._compaction

    @property
    def waiting_players(self) -> Sequence[str]:
        match = self._match
        return [place.name for place in match.places] if not match.is_full else ()

    def view(self) -> RoomView[MoveT]:
        match = self._match
        version = self._earlier_versions + match.version + self._chat.count
        table = view_table(
            TABLE,
            version,
            self._game,
            match.referee,
            players=self._names,
            is_open=not match.is_full,
            chat=self._chat.last,
            accepts_watcher_chat=self._native is not None,
        )
        return RoomView(
            kind=RoomKind.POLLED_TABLE,
            version=version,
            tables=(table,) if match.places else (),
            waiting=tuple(self.waiting_players),
        )

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now, changed=False)
        self._compaction = None
        seat_due, referee = self._absences.deadline, self._match.referee
        turn_due = referee.deadline if referee else None
        # What was due first happens first: it may end the match.
        if turn_due is not None and (seat_due is None or turn_due <= seat_due):
            reaction.changed = self._match.tick(now)
        for _ in self._absences.expired(now):
            assert self._native is not None
            self._give_up(self._native)
        reaction.changed |= self._match.tick(now)
        native = self._native
        if native is not None and self._rematch_due is not None and now >= self._rematch_due:
            self._join_again(native)
        self._end_call()
        return reaction

    def _end_call(self) -> None:
        """Record the end of a match, answer waiting polls, and note the next deadline."""
        match, reaction = self._match, self._reaction
        if match.result is not None and not self._is_end_noted:
            self._note_end()
        self._tell_native()
        for peer, (look, after, until) in list(self._waiting.items()):
            if self._now >= until or not match.is_early(after):
                del self._waiting[peer]
                # Checked now: another player may have taken the seat since the poll began.
                self._tell(peer, match.shown(self._allowed_viewer(look.viewer, look.secret)))
        reaction.log += self._log + match.log_lines
        self._log, match.log_lines = [], []
        self.deadline = earliest(
            match.referee.deadline if match.referee else None,
            self._absences.deadline,
            self._rematch_due,
            *(until for _, _, until in self._waiting.values()),
        )

    # The players of the wire

    def _gives_way(self, join: Join) -> bool:
        """Return True if a request to join begins another match (A-Q21).

        This is decided when a client joins, and not by a timer. So polls do not change the room,
        and a replay gives the same result.
        """
        match, terms = self._match, self._terms
        if terms.seconds_to_next is None or not match.is_full:
            # A player who waits for an opponent is never replaced by the second one.
            return False
        if match.result is not None:
            return self._may_begin_next
        if terms.seconds_to_abandon is None or self._seat_of(join) is not None:
            return False
        return self._now >= match.last_move_at + terms.seconds_to_abandon

    def _begin_next(self, first: Entry[MoveT]) -> None:
        """Replace the match by a new one, which this entry is the first to join.

        An abandoned match is cancelled first. A native player who has not asked for a rematch is
        removed.
        """
        self._reaction.changed = True
        match = self._match
        if match.result is None:
            match.break_off(ABANDONED)
            # It does not count as finished: a server that is open for one match stays open.
            self._note_end(is_finished=False)
            self._end_call()
        if self._native is not None:
            closed = Closed("the match is over, and others play at this table", is_expected=True)
            self._tell(self._native.peer, closed)
            self._release_native()
        self._log += match.log_lines
        self._earlier_versions += match.version + 1
        self._match = self._new_match()
        self._compaction = Compaction(self._drawn_before, [first])

    def _seat_of(self, join: Join) -> Seat | None:
        """Return the seat of a client of the wire that joins again with its key (A-Q34), or None.

        Such a client may not have received the first answer.
        """
        if not (self._terms.secrets and join.secret):
            return None
        places = zip(SEATS, self._match.places, strict=False)
        return next((seat for seat, place in places if place.key == join.secret), None)

    def _join(self, peer: Peer, join: Join) -> None:
        """Seat a client of the wire."""
        if self._gives_way(join):
            self._begin_next(Entry(self._now, peer, join))
        match, known = self._match, self._seat_of(join)
        place = match.place_of(known) if known else None
        if place is not None:
            self._tell(peer, Seated(known, place.secret))
        elif match.is_full:
            wait = None if self._next_at is None else max(0.0, self._next_at - self._now)
            self._tell(peer, Refused(Refusal.FULL, wait))
        else:
            secret = self._random.token() if self._terms.secrets else None
            self._tell(peer, Seated(self._sit(PolledSeat(secret, join.secret)), secret))
            if not match.is_full:
                # A native player who waits at another table is the opponent.
                self._reaction.transfers += self._native_tables.call_waiting()

    def _sit(self, place: PolledSeat) -> Seat:
        """Give out the next seat. The match begins when both are taken."""
        self._reaction.changed = self._players_changed = True
        match = self._match
        seat = match.join(place)
        if match.is_full:
            match.begin(self._terms.clock, self._random.seed(), self._now)
        return seat

    def _allowed_viewer(self, viewer: Seat | None, secret: str | None) -> Seat | None:
        """Return the viewer if the client may see what that player sees, otherwise None."""
        return viewer if viewer and self._may_act_for(viewer, secret) else None

    def _submit(self, request: Submit[MoveT]) -> Snapshot[MoveT]:
        seat, match = request.seat, self._match
        if not self._may_act_for(seat, request.secret):
            is_native = self._native is not None and self._native.seat is seat
            error = "this player does not play over the wire" if is_native else WRONG_TOKEN
            return match.shown(None, error, is_refusal=True)
        if not request.planned:
            return match.shown(seat)
        place = match.place_of(seat)
        # A-Q34: keys only count where there are tokens; otherwise clients may repeat them.
        key = request.key if self._terms.secrets else None
        if place and key is not None and key == place.last_key:
            return match.shown(seat, place.last_error, is_refusal=bool(place.last_error))
        version, drawn = match.version, self._random.drawn
        play = match.play_all_or_none if self._terms.all_or_nothing else match.play_up_to_refusal
        error = play(request, self._now)
        has_begun = match.referee is not None
        if error and self._terms.errors_are_fatal and has_begun and match.result is None:
            match.break_off(error)
        # A request that was refused as a whole changes nothing, unless something was drawn for it
        # or its answer must be repeated to a client that sends the same key again (A-Q34).
        is_kept = place is not None and key is not None
        self._reaction.changed = match.version != version or self._random.drawn != drawn or is_kept
        if place and key is not None:
            place.last_key, place.last_error = key, error
        return match.shown(seat, error, is_refusal=bool(error))

    def _may_act_for(self, seat: Seat | None, secret: str | None) -> bool:
        """Return True if a client of the wire may move, and look, for the player in a seat."""
        if self._native is not None and self._native.seat is seat:
            return False
        if not self._terms.secrets or seat is None:
            return True
        place = self._match.place_of(seat)
        # A native player has no secret, so that no token fits its seat.
        return place is not None and bool(place.secret) and secret == digest_token(place.secret)

    def _note_end(self, is_finished: bool = True) -> None:
        match = self._match
        assert match.referee is not None
        assert match.result is not None
        self._is_end_noted = True
        self._reaction.finished += is_finished
        record = match.referee.record(*self._names)
        self._reaction.records.append(record)
        # The seed is secret until now: it determines every card that is to come.
        match.note(ended=match.result.ending.value, detail=match.result.detail, seed=record.seed)
        if self._terms.seconds_to_next is not None:
            self._next_at = self._now + self._terms.seconds_to_next

    @property
    def _names(self) -> tuple[str | None, str | None]:
        """The names of the players, None for those who have none."""
        first, second, *_ = *(place.name or None for place in self._match.places), None, None
        return first, second

    def _new_match(self) -> PolledMatch[MoveT]:
        self._next_at = None
        self._is_end_noted = False
        self._drawn_before = self._random.drawn
        """What had been drawn from the room's seed before this match."""
        return PolledMatch(self._random.uuid(), self._game, self._planner)

    # Native players

    def _join_native(self, peer: Peer, join: Join) -> None:
        """Seat a native player where an opponent waits, or where the next one will arrive.

        The other tables may only decide to which of them it goes, since a replay does not know
        them.
        """
        native, match = self._native, self._match
        refusal = Names(NameRules()).refusal(join.name, peer, any_script=True)
        is_free = not match.places or (match.result is not None and self._may_begin_next)
        is_waiting = bool(match.places) and not match.is_full
        if native is not None and peer == native.peer:
            if match.result is not None:
                self._join_again(native, join)
            elif join.is_private and not match.is_full:
                # It plays against a bot instead of waiting, and leaves the wire's table free.
                self._release_native()
                self._join_native_table(peer, replace(join, table=None))
            else:
                self._tell(peer, Seated(native.seat))
        elif (
            self._native_tables.has(peer) or join.is_private or join.table not in (None, WIRE_TABLE)
        ):
            self._join_native_table(peer, join)
        elif refusal is not None:
            self._tell(peer, Refused(refusal))
        elif is_waiting and native is not None:
            # Both native players go to a table of their own, the waiting one first.
            self._release_native()
            self._join_native_table(native.peer, replace(native.join, table=None))
            self._reaction.transfers.append(Transfer(peer, None, replace(join, table=None)))
        elif not is_waiting and join.table is not None:
            self._tell(peer, Refused(Refusal.FULL))
        elif is_waiting or (is_free and self._native_tables.table_with_opponent() is None):
            if match.is_full:
                self._begin_next(Entry(self._now, peer, join))
            seat = self._sit(PolledSeat(native=join))
            self._native = NativePlayer(peer, join, seat)
            self._tell(peer, Seated(seat))
        else:
            self._join_native_table(peer, join)

    def _join_native_table(self, peer: Peer, join: Join) -> None:
        self._add_reaction(self._native_tables.handle(peer, join, self._now))

    def _add_reaction(self, reaction: Reaction[MoveT]) -> None:
        """Add a reaction of the lobby of native players to that of the current call."""
        self._reaction.deliveries += reaction.deliveries
        self._reaction.tables_to_open += reaction.tables_to_open
        self._reaction.transfers += reaction.transfers

    def _join_again(self, native: NativePlayer, join: Join | None = None) -> None:
        """Let a native player whose match is over join like a newcomer."""
        self._release_native()
        join = join or replace(native.join, table=None)
        self._reaction.transfers.append(Transfer(native.peer, None, join))

    def _handle_native(self, native: NativePlayer, request: Request[MoveT]) -> None:
        match, reaction = self._match, self._reaction
        is_playing = match.referee is not None and match.result is None
        match request:
            case Play(move) if match.referee is not None:
                self._play(native, move)
            case Resign() if is_playing:
                reaction.changed = True
                match.forfeit(native.seat, Ending.RESIGNED, f"{native.join.name} resigned")
            case Rematch() if match.result is not None:
                self._rematch(native)
            case Chat(text) if text:
                # No other client at this table can receive chat; watchers see it in the view.
                self._chat.add(native.join.name, text, self._now)
            case Away():
                self._disconnect(native, request)
            case Return():
                self._reconnect(native)
            case EndOfInput():
                self._tell(native.peer, Closed(HUNG_UP))
                self._remove(native, HUNG_UP)
            case Leave(fault):
                if fault is not None:
                    self._tell(native.peer, Closed(fault))
                self._remove(native, fault or LEFT)
            case Lost():
                self._remove(native, LEFT)
            case _:
                pass

    def _play(self, native: NativePlayer, move: MoveT) -> None:
        match = self._match
        self._reaction.changed = match.play(native.seat, move, self._now)
        refused = match.events[-1] if match.events else None
        allowed = NATIVE_TERMS.illegal_moves_allowed
        if isinstance(refused, MoveRefused) and refused.in_a_row >= allowed:
            self._tell(native.peer, Closed(TOO_MANY_ILLEGAL_MOVES))
            self._remove(native, TOO_MANY_ILLEGAL_MOVES)

    def _rematch(self, native: NativePlayer) -> None:
        """Let a native player join again as soon as the next match may begin."""
        if self._next_at is None or self._now >= self._next_at:
            self._join_again(native)
        elif not native.wants_rematch:
            self._reaction.changed = self._players_changed = True
            native.wants_rematch = True

    def _disconnect(self, native: NativePlayer, away: Away) -> None:
        """Keep the seat of a disconnected native player, and stop its clock (X-07).

        Alone at the table, or after the match, it loses nothing by joining again. But after a
        restart it may want to see the result of the match.
        """
        self._reaction.changed = True
        referee = self._match.referee
        is_needed = referee is not None and (referee.result is None or away.is_restart)
        is_kept = is_needed and self._absences.begin(native.peer, away, self._now)
        if referee is None or not is_kept:
            self._give_up(native)
        else:
            referee.stop_clock(native.seat, self._now)

    def _reconnect(self, native: NativePlayer) -> None:
        """Tell a native player that is connected again the state; its clock runs again."""
        self._reaction.changed = self._absences.end(native.peer, self._now)
        self._players_changed = True
        self._tell(native.peer, Seated(native.seat))
        referee = self._match.referee
        if referee is not None:
            referee.resume_clock(native.seat, self._now)
            self._tell(native.peer, referee.current_event())

    def _give_up(self, native: NativePlayer) -> None:
        """Remove a native player that was disconnected for too long."""
        self._tell(native.peer, Closed(AWAY_TOO_LONG))
        self._remove(native, AWAY_TOO_LONG)

    def _remove(self, native: NativePlayer, reason: str) -> None:
        """Remove a native player that has left. It loses a running match."""
        match = self._match
        if match.referee is not None and match.result is None:
            match.forfeit(native.seat, Ending.LEFT, why_left(native.join.name, reason))
        self._release_native()

    def _release_native(self) -> None:
        assert self._native is not None
        self._reaction.changed = True
        self._absences.forget(self._native.peer)
        self._chat.clear()
        self._native = None
        if self._match.referee is None:
            self._earlier_versions += self._match.version + 1
            self._match.leave()
            # The table is empty again.
            self._compaction = Compaction(self._drawn_before, [])

    @property
    def _may_begin_next(self) -> bool:
        """Whether the next match may be joined, provided that this one is over."""
        return self._next_at is not None and self._now >= self._next_at

    @property
    def _rematch_due(self) -> float | None:
        """When the native player joins again, None if it has not asked for a rematch."""
        native = self._native
        if native is None or not native.wants_rematch or native.peer in self._absences.since:
            return None
        return self._next_at

    def _send_watcher_chat(self, peer: Peer, chat: SpectatorChat) -> None:
        """Send a watcher's chat message to the native player and the watcher, or say why not."""
        native, tables = self._native, self._native_tables
        is_taken = native is not None and are_same(native.join.name, chat.name)
        if chat.table != TABLE and not is_taken:
            self._add_reaction(tables.handle(peer, chat, self._now))
            return
        # A watcher may not use the name of a player at any of the tables.
        if refusal := tables.refuse_watcher(chat.name, peer):
            error = refusal.value
        elif is_taken:
            error = Refusal.NAME_TAKEN.value
        elif native is None:
            error = "no player at that table can receive chat"
        else:
            error = self._chat.add_from_watcher(chat, self._now)
        if native is None or error:
            self._tell(peer, ChatRejected(error))
        else:
            sent = ChatSent(chat.name, chat.text)
            self._reaction.deliveries.append(Delivery((native.peer, peer), sent))

    def _tell_native(self) -> None:
        """Send the events of the match, and changes of the players, to the native player."""
        native, events = self._native, self._match.events
        players_changed, self._players_changed = self._players_changed, False
        self._match.events = []
        if native is None:
            return
        self._tell(native.peer, *events)
        if players_changed or (events and type(events[-1]) is MatchEnded):
            referee = self._match.referee
            infos = [self._seat_info(place, native) for place in self._match.places]
            first, second, *_ = *infos, None, None
            match = referee.match_name if referee else None
            self._tell(native.peer, PlayersChanged(WIRE_TABLE, (first, second), match))

    def _seat_info(self, place: PolledSeat, native: NativePlayer) -> SeatInfo:
        if place.native is None:
            return SeatInfo(name="")
        seconds_to_return = self._absences.seconds_left(native.peer, self._now)
        return SeatInfo.of(place.native, seconds_to_return, native.wants_rematch)

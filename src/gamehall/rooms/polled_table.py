"""The table of a wire whose clients ask how the match stands, and are told nothing unasked.

Any client of the wire may speak for either player of the wire; a seat belongs to the client that
knows its number or, where the terms say so, its secret. A native player, who is told of everything,
may take one of the two seats. Two native players go to a table of their own, so that the wire's
only table stays free for its clients.
"""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from gamehall.core import Game, MoveT, Seat, SeededRandom
from gamehall.match import Clock, Ending, MatchEnded, MoveRefused
from gamehall.rooms.absences import Absences
from gamehall.rooms.names import NameRules, Names, are_same
from gamehall.rooms.native_tables import NATIVE_TERMS, WIRE_TABLE, NativeTables
from gamehall.rooms.notices import (
    AWAY_TOO_LONG,
    HUNG_UP,
    LEFT,
    ChatRejected,
    ChatSent,
    Closed,
    Notice,
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
from gamehall.rooms.view import RoomKind, RoomView, view_table

WRONG_TOKEN = "the token is not that of this player"
ABANDONED = "no move was made for too long, and another game has begun"
TABLE = f"table-{WIRE_TABLE}"


class PolledTerms(msgspec.Struct, frozen=True, kw_only=True):
    """How people behave at such a table, whatever the game."""

    clock: Clock = Clock()
    """A limit is for each move."""
    secrets: bool = False
    """Whether who joins gets a secret, without which nobody moves for it (A-Q09)."""
    all_or_nothing: bool = False
    """Whether what comes before a refused wish does not count either (A-Q06)."""
    errors_are_fatal: bool = False
    """Whether a refused wish ends the match (A-Q04)."""
    seconds_to_wait: float = 0
    """How long somebody may wait for a later turn; 0: not at all."""
    seconds_to_next: float | None = None
    """How long after the end the next match may be joined; None: there is only one."""
    seconds_to_abandon: float | None = None
    """After how long without a move somebody who joins begins another match; None: never."""


class NativePlayer(msgspec.Struct):
    """The native player who is at the table."""

    peer: Peer
    join: Join
    seat: Seat
    wants_rematch: bool = False


class PolledTable(Lobby[MoveT]):
    """One match at a time, for two who ask how it stands; one of them may be a native player.

    It is also the lobby of the tables at which native players meet each other, and unlike other
    lobbies it has a journal. What is decided here about this table never depends on those tables,
    since they are not there yet when the journal is replayed.
    """

    has_journal = True

    def __init__(
        self,
        game: Game[MoveT],
        wishes: MovePlanner[MoveT],
        terms: PolledTerms,
        shuffler: SeededRandom,
    ) -> None:
        self.deadline = None
        self._reaction: Reaction[MoveT] = Reaction()
        """What is being built by the current call of `handle` or `tick`."""
        self._game = game
        self._wishes = wishes
        self._terms = terms
        self._shuffler = shuffler
        self._waiting: dict[Peer, tuple[Seat | None, int, float]] = {}
        """Who waits, with whose eyes, for the end of which turn, and until when."""
        self._next_at: float | None = None
        """From when on a join begins the next match, None if that is not known yet, or never."""
        self._is_noted = False
        """Whether the end of the match has been seen to."""
        self._compaction: Compaction | None = None
        """What rebuilds the room, if the current call has begun the next match."""
        self._log: list[LogLine] = []
        self._versions_gone = 0
        """How many of these the matches took that were here before."""
        self._native: NativePlayer | None = None
        """The only one: where a second one comes, both go to another table."""
        self._is_news_of_players = False
        """Whether the current call has changed what PlayersChanged tells."""
        self._absences = Absences()
        self._talk = ChatHistory(NATIVE_TERMS)
        self._elsewhere = NativeTables(game)
        self._match = self._fresh_match()

    def open_table(self, number: int, random: SeededRandom) -> OpenTable[MoveT]:
        return self._elsewhere.open_table(number, random)

    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        self._elsewhere.table_changed(number, occupancy)

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction(changed=False)
        self._reaction = reaction
        self._compaction = None
        told = reaction.deliveries
        match request:
            case Look(viewer, secret, after) if after is None or not self._terms.seconds_to_wait:
                told.append(Delivery((peer,), self._match.shown(self._eyes(viewer, secret))))
                return reaction
            case Look(viewer, secret, int(after)):
                # Who waits is not journaled: after a restart there is no connection to answer on.
                until = now + self._terms.seconds_to_wait
                self._waiting[peer] = (self._eyes(viewer, secret), after, until)
            case Join() if request.policy.native:
                self._seat_native(peer, request, now)
            case Join():
                self._join(peer, request, now)
            case Submit():
                told.append(Delivery((peer,), self._submit(request, now)))
            case BadAnswer(reason):
                told.append(Delivery((peer,), self._match.shown(None, reason, is_refusal=True)))
            case SpectatorChat():
                self._hear(peer, request, now)
            case _ if self._native is not None and peer == self._native.peer:
                self._handle_native(self._native, request, now)
            case EndOfInput():
                self._forget(peer, "hung up")
            case Leave(fault):
                self._forget(peer, fault or "left")
            case Away() | Return():
                # A match that is over has made way for another, in which it has no seat.
                told.append(Delivery((peer,), Closed("its seat is gone", is_expected=True)))
            case _:
                # Nobody is asked for anything here.
                return reaction
        self._go_on(now)
        return reaction

    def compact(self) -> Compaction | None:
        return self._compaction

    @property
    def waiting_players(self) -> Sequence[str]:
        match = self._match
        return [place.name for place in match.places] if not match.is_full else ()

    def view(self) -> RoomView[MoveT]:
        match = self._match
        version = self._versions_gone + match.version + self._talk.said
        first, second = self._names
        table = view_table(
            TABLE,
            version,
            self._game,
            match.referee,
            players=(first, second),
            is_open=not match.is_full,
            talk=self._talk.last,
            hears_remarks=self._native is not None,
        )
        return RoomView(
            kind=RoomKind.POLLED_TABLE,
            version=version,
            tables=(table,) if match.places else (),
            waiting=tuple(self.waiting_players),
        )

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction(changed=False)
        self._reaction = reaction
        self._compaction = None
        seat_due, referee = self._absences.deadline, self._match.referee
        turn_due = referee.deadline if referee else None
        if turn_due is not None and (seat_due is None or turn_due <= seat_due):
            reaction.changed = self._match.tick(now)
        for _ in self._absences.over(now):
            assert self._native is not None
            self._give_up(self._native)
        reaction.changed |= self._match.tick(now)
        native = self._native
        if native is not None and self._rematch_due is not None and now >= self._rematch_due:
            self._send_on(native, replace(native.join, table=None))
        self._go_on(now)
        return reaction

    def _gives_way(self, join: Join, now: float) -> bool:
        """Return whether a join begins another match (A-Q21).

        That is decided here, from the time of the end or of the last move, and not by a timer: so
        it comes out the same when the journal is replayed, and those who only look do not matter.
        """
        match, terms = self._match, self._terms
        if terms.seconds_to_next is None or not match.is_full:
            # Who waits for an opponent is never sent away by the second join.
            return False
        if match.result is not None:
            return self._may_begin_next(now)
        if terms.seconds_to_abandon is None or self._seat_of(join) is not None:
            return False
        return now >= match.last_move_at + terms.seconds_to_abandon

    def _begin_next(self, first: Entry[MoveT]) -> None:
        """Replace the match by a fresh one, which this entry is the first to join.

        One that was abandoned is cancelled first. A native player who has not asked for a rematch
        has to go.
        """
        self._reaction.changed = True
        match = self._match
        if match.result is None:
            match.break_off(ABANDONED)
            # It does not count as finished: a hall that is open for one match goes on.
            self._note_end(first.now, is_finished=False)
            self._go_on(first.now)
        if self._native is not None:
            closed = Closed("the match is over, and others play at this table", is_expected=True)
            self._tell(self._native, closed)
            self._release_native()
        self._log += match.log_lines
        self._versions_gone += match.version + 1
        self._match = self._fresh_match()
        self._compaction = Compaction(self._drawn_before, [first])

    def _seat_of(self, join: Join) -> Seat | None:
        """Return the seat of a client of the wire that joins again, None if it has none.

        It is known by the key that it joined with (A-Q34).
        """
        if not (self._terms.secrets and join.secret):
            return None
        places = zip(SEATS, self._match.places, strict=False)
        return next((seat for seat, place in places if place.key == join.secret), None)

    def _join(self, peer: Peer, join: Join, now: float) -> None:
        """Seat a client of the wire. Who joins again may have lost our answer."""
        if self._gives_way(join, now):
            self._begin_next(Entry(now, peer, join))
        match, known = self._match, self._seat_of(join)
        place = match.place_of(known) if known else None
        answer: Seated | Refused
        if place is not None:
            answer = Seated(known, place.secret)
        elif match.is_full:
            wait = None if self._next_at is None else max(0.0, self._next_at - now)
            answer = Refused(Refusal.FULL, wait)
        else:
            secret = self._shuffler.token() if self._terms.secrets else None
            answer = Seated(self._sit(PolledSeat(secret, join.secret), now), secret)
        self._reaction.deliveries.append(Delivery((peer,), answer))
        if place is None and not match.is_full:
            # A native player who waits elsewhere is the opponent of whoever is alone here.
            self._reaction.transfers += self._elsewhere.call_waiting()

    def _sit(self, place: PolledSeat, now: float) -> Seat:
        """Give out the next seat. The match begins when both are taken."""
        self._reaction.changed = self._is_news_of_players = True
        match = self._match
        seat = match.join(place)
        if match.is_full:
            match.begin(self._terms.clock, self._shuffler.seed(), now)
        return seat

    def _eyes(self, viewer: Seat | None, secret: str | None) -> Seat | None:
        """With whose eyes somebody may look who wants to look with these."""
        return viewer if viewer and self._may_speak_for(viewer, secret) else None

    def _submit(self, request: Submit[MoveT], now: float) -> Snapshot[MoveT]:
        seat, match = request.seat, self._match
        if not self._may_speak_for(seat, request.secret):
            is_native = self._native is not None and self._native.seat is seat
            whose = "this player does not play over the wire" if is_native else WRONG_TOKEN
            return match.shown(None, whose, is_refusal=True)
        if not request.wishes:
            return match.shown(seat)
        place = match.place_of(seat)
        # Without secrets a key says nothing (A-Q34): clients may always send the same one.
        key = request.key if self._terms.secrets else None
        if place and key is not None and key == place.last_key:
            return match.shown(seat, place.last_error, is_refusal=bool(place.last_error))
        version, drawn = match.version, self._shuffler.drawn
        all_or_nothing = self._terms.all_or_nothing
        grant = match.grant_all_or_none if all_or_nothing else match.grant_up_to_refusal
        error = grant(request, now)
        has_begun = match.referee is not None
        if error and self._terms.errors_are_fatal and has_begun and match.result is None:
            match.break_off(error)
        # What was refused as a whole has changed nothing, unless something was drawn for it or its
        # answer is kept for those who ask again with the same key (A-Q34).
        is_kept = place is not None and key is not None
        self._reaction.changed = (
            match.version != version or self._shuffler.drawn != drawn or is_kept
        )
        if place and key is not None:
            place.last_key, place.last_error = key, error
        return match.shown(seat, error, is_refusal=bool(error))

    def _may_speak_for(self, seat: Seat | None, secret: str | None) -> bool:
        """Return whether a client of the wire may move, and look, for the player in a seat."""
        if self._native is not None and self._native.seat is seat:
            return False
        if not self._terms.secrets or seat is None:
            return True
        place = self._match.place_of(seat)
        return place is not None and secret == digest_token(place.secret or "")

    def _forget(self, peer: Peer, reason: str) -> None:
        """A connection is gone, which is nothing to the match (A-Q27)."""
        self._waiting.pop(peer, None)
        self._reaction.deliveries.append(Delivery((peer,), Closed(reason, is_expected=True)))

    def _go_on(self, now: float) -> None:
        """See to the end of the match and to those who wait, and tell what is due."""
        match, reaction = self._match, self._reaction
        if match.result is not None and not self._is_noted:
            self._note_end(now)
        self._tell_native(now)
        for peer, (viewer, after, until) in list(self._waiting.items()):
            if now >= until or not match.is_early(after):
                del self._waiting[peer]
                reaction.deliveries.append(Delivery((peer,), match.shown(viewer)))
        reaction.log += self._log + match.log_lines
        self._log, match.log_lines = [], []
        due = [until for _, _, until in self._waiting.values()]
        turn_due = match.referee.deadline if match.referee else None
        others = (turn_due, self._absences.deadline, self._rematch_due)
        due += [when for when in others if when is not None]
        self.deadline = min(due, default=None)

    def _note_end(self, now: float, is_finished: bool = True) -> None:
        match = self._match
        assert match.referee is not None
        assert match.result is not None
        self._is_noted = True
        self._reaction.finished += is_finished
        record = match.referee.record(*self._names)
        self._reaction.records.append(record)
        # Not before: whoever knows the seed knows every card that is to come.
        match.note(ended=match.result.ending.value, detail=match.result.detail, seed=record.seed)
        if self._terms.seconds_to_next is not None:
            self._next_at = now + self._terms.seconds_to_next

    @property
    def _names(self) -> tuple[str | None, str | None]:
        """The names of the players, None for those who have none."""
        first, second, *_ = *(place.name or None for place in self._match.places), None, None
        return first, second

    def _fresh_match(self) -> PolledMatch[MoveT]:
        self._next_at = None
        self._is_noted = False
        self._drawn_before = self._shuffler.drawn
        """What had been drawn from the room's seed before this match."""
        return PolledMatch(self._shuffler.uuid(), self._game, self._wishes)

    # Native players

    def _seat_native(self, peer: Peer, join: Join, now: float) -> None:
        """Seat a native player where an opponent waits, or where the next one will come.

        Nothing but where it goes may depend on the other tables.
        """
        native, match = self._native, self._match
        refusal = Names(NameRules()).refusal(join.name, peer, any_script=True)
        is_free = not match.places or (match.result is not None and self._may_begin_next(now))
        is_waiting = bool(match.places) and not match.is_full
        if native is not None and peer == native.peer:
            if match.result is None and join.is_private and not match.is_full:
                # It plays with a bot instead of waiting for anyone, and the wire's table is free.
                self._release_native()
                self._send_elsewhere(peer, replace(join, table=None), now)
            elif match.result is None:
                self._tell(native, Seated(native.seat))
            else:
                self._send_on(native, join)
        elif self._elsewhere.has(peer) or join.is_private or join.table not in (None, WIRE_TABLE):
            self._send_elsewhere(peer, join, now)
        elif refusal is not None:
            self._reaction.deliveries.append(Delivery((peer,), Refused(refusal)))
        elif is_waiting and native is not None:
            # It goes to a table of its own, and the newcomer follows it there.
            self._release_native()
            self._send_elsewhere(native.peer, replace(native.join, table=None), now)
            self._reaction.transfers.append(Transfer(peer, None, replace(join, table=None)))
        elif not is_waiting and join.table is not None:
            self._reaction.deliveries.append(Delivery((peer,), Refused(Refusal.FULL)))
        elif is_waiting or (is_free and not self._elsewhere.has_waiting):
            if match.is_full:
                self._begin_next(Entry(now, peer, join))
            seat = self._sit(PolledSeat(native=join), now)
            self._native = NativePlayer(peer, join, seat)
            self._tell(self._native, Seated(seat))
        else:
            self._send_elsewhere(peer, join, now)

    def _send_elsewhere(self, peer: Peer, join: Join, now: float) -> None:
        """Send a native player to a table of native players."""
        sent = self._elsewhere.join(peer, join, now)
        self._reaction.deliveries += sent.deliveries
        self._reaction.opens += sent.opens
        self._reaction.transfers += sent.transfers

    def _send_on(self, native: NativePlayer, join: Join) -> None:
        """Have a native player whose match is over join again, as if it had just come."""
        self._release_native()
        self._reaction.transfers.append(Transfer(native.peer, None, join))

    def _handle_native(self, native: NativePlayer, request: Request[MoveT], now: float) -> None:
        match, reaction = self._match, self._reaction
        is_playing = match.referee is not None and match.result is None
        match request:
            case Play(move) if match.referee is not None:
                self._play(native, move, now)
            case Resign() if is_playing:
                reaction.changed = True
                match.retire(native.seat, Ending.RESIGNED, f"{native.join.name} resigned")
            case Rematch() if match.result is not None:
                self._rematch(native, now)
            case Chat(text) if text:
                # Nobody at this table could be told; it is for those who look on.
                self._talk.take(native.join.name, text, now)
            case Away():
                self._go_away(native, request, now)
            case Return():
                self._welcome_back(native, now)
            case EndOfInput():
                self._tell(native, Closed(HUNG_UP))
                self._remove(native, HUNG_UP)
            case Leave(fault):
                if fault is not None:
                    self._tell(native, Closed(fault))
                self._remove(native, fault or LEFT)
            case Lost():
                self._remove(native, LEFT)
            case _:
                pass

    def _play(self, native: NativePlayer, move: MoveT, now: float) -> None:
        match = self._match
        self._reaction.changed = match.play(native.seat, move, now)
        refused = match.events[-1] if match.events else None
        allowed = NATIVE_TERMS.illegal_moves_allowed
        if isinstance(refused, MoveRefused) and refused.in_a_row >= allowed:
            reason = "too many illegal moves in a row"
            self._tell(native, Closed(reason))
            self._remove(native, reason)

    def _rematch(self, native: NativePlayer, now: float) -> None:
        """A native player wants to play again, which it may as soon as any other may join."""
        if self._next_at is None or now >= self._next_at:
            self._send_on(native, replace(native.join, table=None))
        elif not native.wants_rematch:
            self._reaction.changed = self._is_news_of_players = True
            native.wants_rematch = True

    def _go_away(self, native: NativePlayer, away: Away, now: float) -> None:
        """A native player's connection is lost: its seat is kept, and its clock stands (X-07).

        Alone at the table, or after the match, it has nothing to lose by joining again. But after a
        restart it may want to see how the match has ended.
        """
        self._reaction.changed = True
        referee = self._match.referee
        is_needed = referee is not None and (referee.result is None or away.is_restart)
        if referee is None or not is_needed or not self._absences.begin(native.peer, away, now):
            self._give_up(native)
        else:
            referee.stop_clock(native.seat, now)

    def _welcome_back(self, native: NativePlayer, now: float) -> None:
        """A native player is connected again: it hears how things stand, and its clock goes on."""
        self._reaction.changed = self._absences.end(native.peer, now)
        self._is_news_of_players = True
        self._tell(native, Seated(native.seat))
        referee = self._match.referee
        if referee is not None:
            referee.resume_clock(native.seat, now)
            self._tell(native, referee.standing())

    def _give_up(self, native: NativePlayer) -> None:
        """A native player was away for too long."""
        self._tell(native, Closed(AWAY_TOO_LONG))
        self._remove(native, AWAY_TOO_LONG)

    def _remove(self, native: NativePlayer, reason: str) -> None:
        """A native player is gone. It loses a match that goes on, so that the table is free."""
        match = self._match
        if match.referee is not None and match.result is None:
            match.retire(native.seat, Ending.LEFT, why_left(native.join.name, reason))
        self._release_native()

    def _release_native(self) -> None:
        """The native player is not at this table any more."""
        assert self._native is not None
        self._reaction.changed = True
        self._absences.forget(self._native.peer)
        self._talk.forget()
        self._native = None
        if self._match.referee is None:
            self._versions_gone += self._match.version + 1
            self._match.leave()
            # The table is as if nobody had come.
            self._compaction = Compaction(self._drawn_before, [])

    def _may_begin_next(self, now: float) -> bool:
        """Return whether the next match may be joined, now that this one is over."""
        return self._next_at is not None and now >= self._next_at

    @property
    def _rematch_due(self) -> float | None:
        """When the native player who wants a rematch joins again, None if that is not so."""
        native = self._native
        if native is None or not native.wants_rematch or native.peer in self._absences.since:
            return None
        return self._next_at

    def _hear(self, peer: Peer, remark: SpectatorChat, now: float) -> None:
        """Pass on what an observer says to the native player, and tell it so, or why not."""
        reaction, native = self._reaction, self._native
        reason = None
        is_taken = native is not None and are_same(native.join.name, remark.name)
        if remark.table != TABLE and not is_taken:
            heard = self._elsewhere.hear(peer, remark, now)
            reaction.deliveries += heard.deliveries
            reaction.transfers += heard.transfers
            return
        # Players may have the same name at several tables, but an observer never has one of theirs.
        refusal = self._elsewhere.refuse_observer(remark.name, peer)
        if refusal is not None:
            reason = refusal.value
        elif is_taken:
            reason = Refusal.NAME_TAKEN.value
        elif native is None:
            reason = "nobody at that table can be told anything"
        elif not remark.text:
            reason = "nothing was said"
        elif not self._talk.take_remark(remark.name, remark.text, now):
            reason = "too many talk at this table just now: try again in a moment"
        if native is None or reason is not None:
            reaction.deliveries.append(Delivery((peer,), ChatRejected(reason or "")))
        else:
            said = ChatSent(remark.name, remark.text)
            reaction.deliveries.append(Delivery((native.peer, peer), said))

    def _tell(self, native: NativePlayer, notice: Notice[MoveT]) -> None:
        self._reaction.deliveries.append(Delivery((native.peer,), notice))

    def _tell_native(self, now: float) -> None:
        """Tell the native player what has happened in the match, and who sits at the table."""
        native, events = self._native, self._match.events
        is_news, self._is_news_of_players = self._is_news_of_players, False
        self._match.events = []
        if native is None:
            return
        for event in events:
            self._tell(native, event)
        if is_news or (events and type(events[-1]) is MatchEnded):
            referee = self._match.referee
            infos = [self._seat_info(place, now) for place in self._match.places]
            first, second, *_ = *infos, None, None
            match = referee.match if referee else None
            self._tell(native, PlayersChanged(WIRE_TABLE, (first, second), match))

    def _seat_info(self, place: PolledSeat, now: float) -> SeatInfo:
        """What the native player sees of a player."""
        native = self._native
        if place.native is None or native is None:
            return SeatInfo(name="")
        return SeatInfo(
            name=place.name,
            is_native=True,
            is_bot=bool(place.native.bot),
            seconds_to_return=self._absences.seconds_left(native.peer, now),
            wants_rematch=native.wants_rematch,
        )

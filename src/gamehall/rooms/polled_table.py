"""A room of one table whose players come and go: nobody is told anything unless they ask.

Whoever connects may speak for either player; a seat belongs to whoever knows its number or, where
the terms say so, its secret.
"""

from collections.abc import Sequence

import msgspec

from gamehall.core import Game, MoveT, Seat, SeededRandom
from gamehall.match import Clock
from gamehall.rooms.entries import Compaction, Entry
from gamehall.rooms.notices import Closed, Refusal, Refused, Seated, Snapshot
from gamehall.rooms.polled_match import MovePlanner, Place, PolledMatch
from gamehall.rooms.reaction import Delivery, LogLine, Peer, Reaction
from gamehall.rooms.requests import (
    BadAnswer,
    EndOfInput,
    Join,
    Leave,
    Look,
    Proof,
    Request,
    Submit,
    digest_token,
)
from gamehall.rooms.room import Room
from gamehall.rooms.view import RoomKind, RoomView, view_table

ABANDONED = "no move was made for too long, and another game has begun"


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


class PolledTable(Room[MoveT]):
    """One match at a time, for two who ask how it stands."""

    recognises_players = True

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
        self._match = self._fresh_match()

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
            case Join():
                if self._gives_way(request, now):
                    told += self._begin_next(now)
                    self._compaction = Compaction(self._drawn_before, [Entry(now, peer, request)])
                told.append(Delivery((peer,), self._join(request, now)))
            case Submit():
                told.append(Delivery((peer,), self._submit(request, now)))
            case BadAnswer(reason):
                told.append(Delivery((peer,), self._match.shown(None, reason, is_refusal=True)))
            case EndOfInput():
                told += self._forget(peer, "hung up")
            case Leave(fault):
                told += self._forget(peer, fault or "left")
            case _:
                # Nobody is asked for anything here.
                return reaction
        told += self._go_on(now)
        return reaction

    def compact(self) -> Compaction | None:
        return self._compaction

    @property
    def waiting_players(self) -> Sequence[str]:
        return [""] if self._match.places and not self._match.is_full else ()

    def view(self) -> RoomView[MoveT]:
        match, version = self._match, self._versions_gone + self._match.version
        is_open = not match.is_full
        table = view_table("table-1", version, self._game, match.referee, is_open=is_open)
        return RoomView(
            kind=RoomKind.POLLED_TABLE,
            version=version,
            game=self._game.name,
            tables=(table,) if match.places else (),
            waiting=tuple(self.waiting_players),
        )

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction(changed=False)
        self._reaction = reaction
        self._compaction = None
        referee = self._match.referee
        if referee is not None and referee.tick(now):
            reaction.changed = True
            self._match.break_off("a player took too long")
        reaction.deliveries = self._go_on(now)
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
            return self._next_at is not None and now >= self._next_at
        if terms.seconds_to_abandon is None or self._seat_of(join) is not None:
            return False
        return now >= match.last_move_at + terms.seconds_to_abandon

    def _begin_next(self, now: float) -> list[Delivery[MoveT]]:
        """Replace the match by a fresh one. One that was abandoned is cancelled first."""
        self._reaction.changed = True
        match, told = self._match, list[Delivery[MoveT]]()
        if match.result is None:
            match.break_off(ABANDONED)
            # It does not count as finished: a hall that is open for one match goes on.
            self._note_end(now, is_finished=False)
            told = self._go_on(now)
        self._log += match.log_lines
        self._versions_gone += match.version + 1
        self._match = self._fresh_match()
        return told

    def _seat_of(self, join: Join) -> Seat | None:
        """Return the seat of a player who joins again, None if it has none.

        A client is known by the key that it joined with (A-Q34), a page by its token.
        """
        has_key = self._terms.secrets and bool(join.secret)
        credential = join.credential
        has_token = credential is not None and credential.proof is Proof.TOKEN
        for seat in Seat:
            place = self._match.place_of(seat)
            if place is not None and (
                (has_key and place.key == join.secret)
                or (has_token and place.credential == credential)
            ):
                return seat
        return None

    def _join(self, join: Join, now: float) -> Seated | Refused:
        """Give out the seats. Who joins again may have lost our answer."""
        match, known = self._match, self._seat_of(join)
        place = match.place_of(known) if known else None
        if place is not None:
            return Seated(known, place.secret)
        if match.is_full:
            wait = None if self._next_at is None else max(0.0, self._next_at - now)
            return Refused(Refusal.FULL, wait)
        self._reaction.changed = True
        secret = self._shuffler.token() if self._terms.secrets else None
        seat = match.join(Place(secret, join.secret, join.credential))
        if match.is_full:
            match.begin(self._terms.clock, self._shuffler.seed(), now)
        return Seated(seat, secret)

    def _eyes(self, viewer: Seat | None, secret: str | None) -> Seat | None:
        """With whose eyes somebody may look who wants to look with these."""
        return viewer if viewer and self._may_speak_for(viewer, secret) else None

    def _submit(self, request: Submit[MoveT], now: float) -> Snapshot[MoveT]:
        seat, match = request.seat, self._match
        if not self._may_speak_for(seat, request.secret):
            return match.shown(None, "the token is not that of this player", is_refusal=True)
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
        if not self._terms.secrets or seat is None:
            return True
        place = self._match.place_of(seat)
        return place is not None and secret == digest_token(place.secret or "")

    def _forget(self, peer: Peer, reason: str) -> list[Delivery[MoveT]]:
        """A connection is gone, which is nothing to the match (A-Q27)."""
        self._waiting.pop(peer, None)
        return [Delivery((peer,), Closed(reason, is_expected=True))]

    def _go_on(self, now: float) -> list[Delivery[MoveT]]:
        """Sees to the end of the match and to those who wait, and says what is due."""
        if self._match.result is not None and not self._is_noted:
            self._note_end(now)
        told: list[Delivery[MoveT]] = []
        for peer, (viewer, after, until) in list(self._waiting.items()):
            if now >= until or not self._match.is_early(after):
                del self._waiting[peer]
                told.append(Delivery((peer,), self._match.shown(viewer)))
        referee = self._match.referee
        self._reaction.log += self._log + self._match.log_lines
        self._log, self._match.log_lines = [], []
        due = [until for _, _, until in self._waiting.values()]
        due += [referee.deadline] if referee and referee.deadline is not None else []
        self.deadline = min(due, default=None)
        return told

    def _note_end(self, now: float, is_finished: bool = True) -> None:
        match = self._match
        assert match.referee is not None
        assert match.result is not None
        self._is_noted = True
        self._reaction.finished += is_finished
        record = match.referee.record(None, None)
        self._reaction.records.append(record)
        # Not before: whoever knows the seed knows every card that is to come.
        match.note(ended=match.result.ending.value, detail=match.result.detail, seed=record.seed)
        if self._terms.seconds_to_next is not None:
            self._next_at = now + self._terms.seconds_to_next

    def _fresh_match(self) -> PolledMatch[MoveT]:
        self._next_at = None
        self._is_noted = False
        self._drawn_before = self._shuffler.drawn
        """What had been drawn from the room's seed before this match."""
        return PolledMatch(self._shuffler.uuid(), self._game, self._wishes)

"""A room whose players agree on the terms: the first says what it would like, the second comes.

Every two who come make a table of their own, which ends with their match.
"""

from collections.abc import Sequence

from gamehall.core import MoveT, SeededRandom
from gamehall.match import Clock, Ending, MatchEnded, MatchEvent, MoveRefused, Referee, Result
from gamehall.rooms.deadlines import Deadlines
from gamehall.rooms.departures import HUNG_UP, LEFT, why_left
from gamehall.rooms.negotiated_table import Guest, NegotiatedTable, Stage, tell, view_agreed
from gamehall.rooms.notices import (
    Closed,
    RequestRejected,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
)
from gamehall.rooms.questions import BadAnswerText, Questions
from gamehall.rooms.reaction import Delivery, Peer, Reaction
from gamehall.rooms.requests import (
    Answer,
    Arrive,
    BadAnswer,
    Confirm,
    EndOfInput,
    Leave,
    Lost,
    Play,
    Request,
    Resign,
)
from gamehall.rooms.room import Room
from gamehall.rooms.view import RoomView


class NegotiatedTables(Room[MoveT]):
    """Tables that are made when people come, two by two, and gone when they part."""

    def __init__(
        self,
        questions: Questions[MoveT],
        clock: Clock,
        shuffler: SeededRandom,
        errors_allowed: int = 100,
        once: bool = False,
    ) -> None:
        self.deadline = None
        self._finished = 0
        self._reaction: Reaction[MoveT] = Reaction()
        """What is being built by the current call of `handle` or `tick`."""
        self._questions = questions
        self._clock = clock
        self._shuffler = shuffler
        self._errors_allowed = errors_allowed
        self._once = once
        self._places: dict[Peer, tuple[NegotiatedTable[MoveT], Guest]] = {}
        self._open: dict[NegotiatedTable[MoveT], None] = {}
        """The tables that want a second player, the one that has wanted it longest first."""
        self._deadlines: Deadlines[NegotiatedTable[MoveT]] = Deadlines()
        self._tables_made = 0
        self._changes = 0
        """How often something has changed that can be seen, save in the matches there are."""

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        place = self._places.get(peer)
        if place is None:
            reaction.deliveries = self._handle_stranger(peer, request)
            return reaction
        told = reaction.deliveries
        table, guest = place
        match request:
            case Leave(fault):
                told += self._leave(table, guest, fault or LEFT)
            case EndOfInput():
                # A player who hangs up has left, whosever turn it is.
                told += self._leave(table, guest, HUNG_UP)
            case Lost():
                told += self._lose(table, guest)
            case BadAnswer(reason):
                told += self._complain(table, guest, reason)
            case Answer():
                told += self._answer(table, guest, request)
            case Confirm(agrees):
                told += self._confirm(table, guest, agrees, now)
            case Play(move):
                told += self._play(table, guest, move, now)
            case Resign():
                told += self._resign(table, guest)
            case _:
                reaction.changed = False
        self._note_deadline(table)
        return reaction

    @property
    def is_quiet(self) -> bool:
        return not self._places and not (self._once and self._finished)

    @property
    def is_over(self) -> bool:
        return not self._places

    @property
    def waiting_players(self) -> Sequence[str]:
        return [""] * len(self._open)

    def view(self) -> RoomView[MoveT]:
        tables = dict.fromkeys(table for table, _ in self._places.values())
        return view_agreed(tables, self._changes)

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        for table in list(self._deadlines.due(now)):
            if table.referee is not None:
                reaction.deliveries += self._report(table, table.referee.tick(now))
                self._note_deadline(table)
        self.deadline = self._deadlines.next()
        return reaction

    def _handle_stranger(self, peer: Peer, request: Request[MoveT]) -> list[Delivery[MoveT]]:
        match request:
            case Arrive() if self._once and not self._open and (self._places or self._finished):
                self._reaction.changed = False
                return [Delivery((peer,), Closed("there is no further table"))]
            case Arrive():
                return self._arrive(peer)
            case Leave(str(fault)):
                self._reaction.changed = False
                return [Delivery((peer,), Closed(fault))]
            case _:
                self._reaction.changed = False
                return []

    def _arrive(self, peer: Peer) -> list[Delivery[MoveT]]:
        """Takes the second seat that has been free for longest, or the first at a new table."""
        self._changes += 1
        guest = Guest(peer)
        table = next(iter(self._open), None)
        if table is not None:
            del self._open[table]
            table.second = guest
            self._places[peer] = (table, guest)
            return self._propose(table) if table.stage is Stage.WAITING else []
        self._tables_made += 1
        table = NegotiatedTable(self._tables_made, guest)
        self._open[table] = None
        self._places[peer] = (table, guest)
        return [self._ask(table)]

    def _ask(self, table: NegotiatedTable[MoveT]) -> Delivery[MoveT]:
        """Asks what has not been answered yet."""
        return tell(table.first, TermsQuestion(self._questions.names[len(table.answers)]))

    def _answer(
        self, table: NegotiatedTable[MoveT], guest: Guest, answer: Answer
    ) -> list[Delivery[MoveT]]:
        if table.stage is not Stage.ASKING or guest is not table.first:
            return self._complain(table, guest, "nothing has been asked")
        asked = self._questions.names[len(table.answers)]
        if answer.question is not None and answer.question != asked:
            return self._complain(table, guest, f"asked was {asked}, not {answer.question[:40]!r}")
        try:
            read = self._questions.read(asked, answer.text, table.answers)
        except BadAnswerText as error:
            return self._complain(table, guest, str(error))
        guest.errors = 0
        table.answers[asked] = read
        if len(table.answers) < len(self._questions.names):
            return [self._ask(table)]
        table.stage = Stage.WAITING
        return self._propose(table) if table.second is not None else []

    def _propose(self, table: NegotiatedTable[MoveT]) -> list[Delivery[MoveT]]:
        """Both are there: they hear the terms."""
        self._changes += 1
        second = table.second
        assert second is not None
        game, seat = self._questions.agree(table.answers)
        table.game = game
        table.first.seat, second.seat = seat, seat.other
        table.stage = Stage.CONFIRMING
        return [
            tell(table.first, TermsProposed(seat, game)),
            tell(second, TermsProposed(seat.other, game)),
        ]

    def _confirm(
        self, table: NegotiatedTable[MoveT], guest: Guest, agrees: bool, now: float
    ) -> list[Delivery[MoveT]]:
        if table.stage is not Stage.CONFIRMING:
            return self._complain(table, guest, "there are no terms to confirm")
        guest.errors = 0
        if not agrees:
            return self._part(table, "the terms were not agreed to")
        guest.agrees = True
        if not all(one.agrees for one in table.everybody):
            return []
        assert table.game is not None
        table.stage = Stage.PLAYING
        table.referee = Referee(table.game, self._clock, self._shuffler.seed())
        return table.tell_all(TermsAgreed(), table.referee.begin(now))

    def _play(
        self, table: NegotiatedTable[MoveT], guest: Guest, move: MoveT, now: float
    ) -> list[Delivery[MoveT]]:
        if table.referee is None or guest.seat is None:
            return self._complain(table, guest, "the game has not begun")
        events = table.referee.play(guest.seat, move, now)
        first = events[0]
        if isinstance(first, MoveRefused):
            return self._complain(table, guest, first.reason)
        guest.errors = 0
        told = self._report(table, events)
        if table.referee.result is None:
            told += table.tell_all(table.referee.standing())
        return told

    def _resign(self, table: NegotiatedTable[MoveT], guest: Guest) -> list[Delivery[MoveT]]:
        if table.referee is None or guest.seat is None:
            return self._complain(table, guest, "the game has not begun")
        ended = table.referee.retire(guest.seat, Ending.RESIGNED, "the other resigned")
        return self._report(table, ended)

    def _complain(
        self, table: NegotiatedTable[MoveT], guest: Guest, reason: str
    ) -> list[Delivery[MoveT]]:
        """Something could not be taken: what was asked is asked again (G-04, G-Q35).

        With too much of that in a row somebody has to go.
        """
        guest.errors += 1
        told: list[Delivery[MoveT]] = [tell(guest, RequestRejected(reason))]
        if guest.errors >= self._errors_allowed:
            told += self._leave(table, guest, "too many errors in a row")
        elif table.stage is Stage.ASKING:
            told.append(self._ask(table))
        return told

    def _lose(self, table: NegotiatedTable[MoveT], guest: Guest) -> list[Delivery[MoveT]]:
        """Somebody is gone who cannot help it: a match counts for nobody."""
        if table.referee is None or table.referee.result is not None:
            return self._leave(table, guest, "lost")
        ended = table.referee.decide(
            Result(None, Ending.CANCELLED, "a player did not come back after a restart of the hall")
        )
        return self._report(table, [ended])

    def _leave(
        self, table: NegotiatedTable[MoveT], guest: Guest, reason: str
    ) -> list[Delivery[MoveT]]:
        """Somebody is gone: in a match it has lost; before that the other may wait on (G-Q32)."""
        if table.referee is not None and guest.seat is not None:
            detail = why_left("the opponent", reason)
            return self._report(table, table.referee.retire(guest.seat, Ending.LEFT, detail))
        if table.stage is Stage.CONFIRMING:
            return self._part(table, reason)
        self._changes += 1
        del self._places[guest.peer]
        told: list[Delivery[MoveT]] = [tell(guest, Closed(reason))]
        other = table.other(guest)
        self._open.pop(table, None)
        if guest is not table.first:
            table.second = None
            self._open[table] = None
        elif other is not None:
            del self._places[other.peer]
            told += self._arrive(other.peer)
        return told

    def _report(
        self, table: NegotiatedTable[MoveT], events: list[MatchEvent[MoveT]]
    ) -> list[Delivery[MoveT]]:
        told = table.tell_all(*events)
        if events and isinstance(events[-1], MatchEnded):
            assert table.referee is not None
            self._reaction.records.append(table.referee.record(None, None))
            told += self._part(table, "the match is over", is_expected=True)
        return told

    def _part(
        self, table: NegotiatedTable[MoveT], reason: str, is_expected: bool = False
    ) -> list[Delivery[MoveT]]:
        """The table is no more."""
        self._finished += 1
        self._reaction.finished += 1
        self._changes += table.version + 1
        for guest in table.everybody:
            del self._places[guest.peer]
        return table.tell_all(Closed(reason, is_expected))

    def _note_deadline(self, table: NegotiatedTable[MoveT]) -> None:
        self._deadlines.set(table, table.referee.deadline if table.referee else None)
        self.deadline = self._deadlines.next()

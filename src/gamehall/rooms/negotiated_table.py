"""Tables whose players agree on the terms: the first says what it would like, the second comes.

Every two who come make a table of their own, which ends with their match.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import ClassVar, Generic

import msgspec

from gamehall.core import Game, MoveT, Seat, SeededRandom
from gamehall.match import Clock, Ending, MatchEnded, MatchEvent, MoveRefused, Referee, Result
from gamehall.rooms.absences import Absences
from gamehall.rooms.names import why_not
from gamehall.rooms.notices import (
    AWAY_TOO_LONG,
    HUNG_UP,
    LEFT,
    Closed,
    Notice,
    Refused,
    RequestRejected,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
    why_left,
)
from gamehall.rooms.reaction import Delivery, Occupancy, Opening, Peer, Reaction, Transfer
from gamehall.rooms.requests import (
    Answer,
    Arrive,
    Away,
    BadAnswer,
    Confirm,
    EndOfInput,
    Join,
    Leave,
    Lost,
    Play,
    Request,
    Resign,
    Return,
)
from gamehall.rooms.room import Lobby, Table
from gamehall.rooms.view import RoomKind, RoomView, view_table


class BadAnswerText(Exception):
    """An answer about the terms that cannot be taken. Its text says what could."""


class Questions(ABC, Generic[MoveT]):
    """What the first player is asked, and the game that its answers make."""

    names: ClassVar[tuple[str, ...]]
    """In the order in which they are asked."""

    @abstractmethod
    def read(self, question: str, text: str, answers: Mapping[str, object]) -> object:
        """What an answer says, given those before it. Raises BadAnswerText."""

    @abstractmethod
    def agree(self, answers: Mapping[str, object]) -> tuple[Game[MoveT], Seat]:
        """The game, and the seat of whoever answered. Not checked: that all is answered."""


class NegotiatedLobby(Lobby[MoveT]):
    """Seats people two by two, in the order in which they come.

    On the wire of document 002 they have no names and just arrive; others join under one. Two
    players may have the same name: nobody is spoken to by it here.
    """

    def __init__(
        self,
        questions: Questions[MoveT],
        clock: Clock,
        errors_allowed: int = 100,
        once: bool = False,
    ) -> None:
        self._questions = questions
        self._clock = clock
        self._errors_allowed = errors_allowed
        self._once = once
        self._tables: set[int] = set()
        self._wanting: dict[int, None] = {}
        """The tables that want a second player, the one that has wanted it longest first."""
        self._opened = 0
        """The highest number of a table so far."""
        self._finished = 0

    def open_table(self, number: int, random: SeededRandom) -> "NegotiatedTable[MoveT]":
        return NegotiatedTable(number, self._questions, self._clock, random, self._errors_allowed)

    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        self._opened = max(self._opened, number)
        self._finished += finished
        if occupancy is None:
            self._tables.discard(number)
            self._wanting.pop(number, None)
            return
        self._tables.add(number)
        if not occupancy.has_free_seat:
            self._wanting.pop(number, None)
        elif number not in self._wanting:
            self._wanting[number] = None

    @property
    def _is_over(self) -> bool:
        """Whether nobody else may come, since there is only one table."""
        return self._once and not self._wanting and bool(self._tables or self._finished)

    def view(self) -> RoomView[MoveT]:
        return RoomView(kind=RoomKind.AGREED_TABLES, version=0, game="", tables=(), waiting=())

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction(changed=False)
        match request:
            case Arrive() | Join() if self._is_over:
                closed: Notice[MoveT] = Closed("there is no further table")
                reaction.deliveries = [Delivery((peer,), closed)]
            case Join(name) if name and (refusal := why_not(name, request.policy)):
                reaction.deliveries = [Delivery((peer,), Refused(refusal))]
            case Arrive() | Join():
                table = next(iter(self._wanting), None)
                if table is None:
                    table = self._opened + 1
                    reaction.opens = [Opening(table)]
                reaction.transfers = [Transfer(peer, table, request)]
            case Leave(str(fault)):
                reaction.deliveries = [Delivery((peer,), Closed(fault))]
            case _:
                pass
        return reaction


class Stage(Enum):
    """How far a table is."""

    ASKING = auto()
    WAITING = auto()
    """All is answered, and nobody has come yet."""
    CONFIRMING = auto()
    PLAYING = auto()


class Guest:
    """Somebody at a table."""

    __slots__ = ("agrees", "arrival", "errors", "name", "peer", "seat")

    def __init__(self, peer: Peer, arrival: Arrive | Join) -> None:
        self.peer = peer
        self.arrival = arrival
        self.name = arrival.name if isinstance(arrival, Join) else ""
        self.seat: Seat | None = None
        self.agrees = False
        self.errors = 0
        """In a row."""


class NegotiatedTable(Table[MoveT]):
    """Two players on the way from the first question to the end of their match."""

    def __init__(
        self,
        number: int,
        questions: Questions[MoveT],
        clock: Clock,
        random: SeededRandom,
        errors_allowed: int = 100,
    ) -> None:
        self.deadline = None
        self._name = f"table-{number}"
        self._questions = questions
        self._clock = clock
        self._random = random
        self._errors_allowed = errors_allowed
        self._guests: list[Guest] = []
        """Who is there, the first first."""
        self._stage = Stage.ASKING
        self._answers: dict[str, object] = {}
        self._game: Game[MoveT] | None = None
        self._referee: Referee[MoveT] | None = None
        self._absences = Absences()
        self._changes = 0
        """How often something has changed that can be seen, save in the match."""
        self._reaction: Reaction[MoveT] = Reaction()
        """What is being built by the current call of `handle` or `tick`."""

    @property
    def occupancy(self) -> Occupancy:
        players = {guest.peer: guest.name for guest in self._guests}
        return Occupancy(players, has_free_seat=len(players) < len(Seat))

    @property
    def waiting_players(self) -> Sequence[str]:
        return [guest.name for guest in self._guests] if len(self._guests) == 1 else ()

    def view(self) -> RoomView[MoveT]:
        version = self._changes + (0 if self._referee is None else 1 + self._referee.steps)
        view: RoomView[MoveT] = RoomView(
            kind=RoomKind.AGREED_TABLES,
            version=version,
            game="",
            tables=(),
            # Those who do not know yet what they will play are waiting.
            waiting=tuple(guest.name for guest in self._guests),
        )
        if self._game is None:
            return view
        table = view_table(
            self._name, version, self._game, self._referee, players=self._names_by_seat
        )
        return msgspec.structs.replace(view, tables=(table,), waiting=())

    @property
    def _names_by_seat(self) -> tuple[str | None, str | None]:
        names = {guest.seat: guest.name or None for guest in self._guests}
        return names.get(Seat.FIRST), names.get(Seat.SECOND)

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        guest = next((guest for guest in self._guests if guest.peer == peer), None)
        if guest is not None:
            self._handle_guest(guest, request, now)
        elif isinstance(request, Arrive | Join) and len(self._guests) < len(Seat):
            self._arrive(Guest(peer, request))
        else:
            reaction.changed = False
        self._note_deadline()
        return reaction

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        if self._referee is not None:
            self._report(self._referee.tick(now))
        for peer in self._absences.over(now):
            # The turn of the other, or another who is away too, may have ended the match.
            for guest in [one for one in self._guests if one.peer == peer]:
                self._leave(guest, AWAY_TOO_LONG)
        self._note_deadline()
        return reaction

    def _note_deadline(self) -> None:
        turn = self._referee.deadline if self._referee else None
        due = (turn, self._absences.deadline)
        self.deadline = min((when for when in due if when is not None), default=None)

    def _handle_guest(self, guest: Guest, request: Request[MoveT], now: float) -> None:
        match request:
            case Leave(fault):
                self._leave(guest, fault or LEFT)
            case EndOfInput():
                # A player who hangs up has left, whosever turn it is.
                self._leave(guest, HUNG_UP)
            case Lost():
                self._lose(guest)
            case Away():
                self._go_away(guest, request, now)
            case Return():
                self._welcome_back(guest, now)
            case BadAnswer(reason):
                self._reject(guest, reason)
            case Answer():
                self._answer(guest, request)
            case Confirm(agrees):
                self._confirm(guest, agrees, now)
            case Play(move):
                self._play(guest, move, now)
            case Resign():
                self._resign(guest)
            case _:
                self._reaction.changed = False

    def _arrive(self, guest: Guest) -> None:
        self._guests.append(guest)
        self._note_people()
        if len(self._guests) == 1:
            self._ask()
        elif self._stage is Stage.WAITING:
            self._propose()

    def _go_away(self, guest: Guest, away: Away, now: float) -> None:
        """A guest's connection is lost: its seat is kept, and its clock stands (X-07)."""
        if not self._absences.begin(guest.peer, away, now):
            self._leave(guest, AWAY_TOO_LONG)
        elif self._referee is not None and guest.seat is not None:
            self._referee.stop_clock(guest.seat, now)

    def _welcome_back(self, guest: Guest, now: float) -> None:
        """A guest is connected again: it hears what it needs to go on, and its clock goes on."""
        self._reaction.changed = self._absences.end(guest.peer, now)
        if self._stage is Stage.ASKING and guest is self._guests[0]:
            self._ask()
        if self._game is not None and guest.seat is not None:
            self._tell(guest, TermsProposed(guest.seat, self._game))
        if self._referee is not None and guest.seat is not None:
            self._referee.resume_clock(guest.seat, now)
            self._tell(guest, TermsAgreed())
            self._tell(guest, self._referee.standing())

    def _ask(self) -> None:
        """Ask the first guest what has not been answered yet."""
        asked = self._questions.names[len(self._answers)]
        self._tell(self._guests[0], TermsQuestion(asked))

    def _answer(self, guest: Guest, answer: Answer) -> None:
        if self._stage is not Stage.ASKING or guest is not self._guests[0]:
            self._reject(guest, "nothing has been asked")
            return
        asked = self._questions.names[len(self._answers)]
        if answer.question is not None and answer.question != asked:
            self._reject(guest, f"asked was {asked}, not {answer.question[:40]!r}")
            return
        try:
            read = self._questions.read(asked, answer.text, self._answers)
        except BadAnswerText as error:
            self._reject(guest, str(error))
            return
        guest.errors = 0
        self._answers[asked] = read
        if len(self._answers) < len(self._questions.names):
            self._ask()
            return
        self._stage = Stage.WAITING
        if len(self._guests) == len(Seat):
            self._propose()

    def _propose(self) -> None:
        """Both are there: they hear the terms."""
        self._changes += 1
        self._game, seat = self._questions.agree(self._answers)
        self._stage = Stage.CONFIRMING
        for guest, its_seat in zip(self._guests, (seat, seat.other), strict=True):
            guest.seat = its_seat
            self._tell(guest, TermsProposed(its_seat, self._game))

    def _confirm(self, guest: Guest, agrees: bool, now: float) -> None:
        if self._stage is not Stage.CONFIRMING:
            self._reject(guest, "there are no terms to confirm")
            return
        if agrees and guest.agrees:
            self._reaction.changed = False
            return
        guest.errors = 0
        if not agrees:
            self._part("the terms were not agreed to")
            return
        guest.agrees = True
        if all(one.agrees for one in self._guests):
            assert self._game is not None
            self._stage = Stage.PLAYING
            self._referee = Referee(self._game, self._clock, self._random.seed())
            self._absences.begin_match([one.peer for one in self._guests], now)
            for one in self._guests:
                if one.peer in self._absences.since and one.seat is not None:
                    self._referee.stop_clock(one.seat, now)
            self._tell_all(TermsAgreed(), self._referee.begin(now))

    def _play(self, guest: Guest, move: MoveT, now: float) -> None:
        if self._referee is None or guest.seat is None:
            self._reject(guest, "the game has not begun")
            return
        events = self._referee.play(guest.seat, move, now)
        first = events[0]
        if isinstance(first, MoveRefused):
            self._reject(guest, first.reason)
            return
        guest.errors = 0
        self._report(events)
        if self._referee.result is None:
            self._tell_all(self._referee.standing())

    def _resign(self, guest: Guest) -> None:
        if self._referee is None or guest.seat is None:
            self._reject(guest, "the game has not begun")
        else:
            number = "first" if guest.seat is Seat.FIRST else "second"
            who = guest.name or f"the {number} player"
            self._report(self._referee.retire(guest.seat, Ending.RESIGNED, f"{who} resigned"))

    def _reject(self, guest: Guest, reason: str) -> None:
        """Something could not be taken: what was asked is asked again (G-04, G-Q35).

        With too much of that in a row a guest has to go.
        """
        guest.errors += 1
        self._tell(guest, RequestRejected(reason))
        if guest.errors >= self._errors_allowed:
            self._leave(guest, "too many errors in a row")
        elif self._stage is Stage.ASKING:
            self._ask()

    def _lose(self, guest: Guest) -> None:
        """A guest is gone who cannot help it: a match counts for nobody."""
        if self._referee is None or self._referee.result is not None:
            self._leave(guest, "lost")
            return
        ended = self._referee.decide(
            Result(None, Ending.CANCELLED, "a player did not come back after a restart of the hall")
        )
        self._report([ended])

    def _leave(self, guest: Guest, reason: str) -> None:
        """A guest is gone: in a match it has lost; before that the other may wait on (G-Q32)."""
        if self._referee is not None and guest.seat is not None:
            detail = why_left("the opponent", reason)
            self._report(self._referee.retire(guest.seat, Ending.LEFT, detail))
            return
        if self._stage is Stage.CONFIRMING:
            self._part(reason)
            return
        was_first = guest is self._guests[0]
        self._tell(guest, Closed(reason))
        self._guests.remove(guest)
        self._absences.forget(guest.peer)
        if was_first:
            # Whoever waited for the first one's answers begins again, as if it came only now.
            self._reaction.transfers = [
                Transfer(one.peer, None, one.arrival) for one in self._guests
            ]
            self._guests.clear()
        self._note_people()

    def _report(self, events: list[MatchEvent[MoveT]]) -> None:
        self._tell_all(*events)
        if events and isinstance(events[-1], MatchEnded):
            assert self._referee is not None
            self._reaction.records.append(self._referee.record(*self._names_by_seat))
            self._part("the match is over", is_expected=True)

    def _part(self, reason: str, is_expected: bool = False) -> None:
        """The table is no more."""
        self._reaction.finished += 1
        self._tell_all(Closed(reason, is_expected))
        self._guests.clear()
        self._note_people()

    def _tell(self, guest: Guest, notice: Notice[MoveT]) -> None:
        self._reaction.deliveries.append(Delivery((guest.peer,), notice))

    def _tell_all(self, *notices: Notice[MoveT]) -> None:
        """Tell everybody these notices, one after the other."""
        for notice in notices:
            for guest in self._guests:
                self._tell(guest, notice)

    def _note_people(self) -> None:
        self._changes += 1
        self._reaction.occupancy = self.occupancy
        self._reaction.closed = not self._guests

"""Tables whose players agree on the terms: the first says what it would like, the second comes.

Every two who come make a table of their own. It ends with their match, unless both are native
clients, who may play on.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import ClassVar, Final, Generic

from msgspec.structs import replace

from gamehall.core import Game, GamehallError, MoveT, Seat, SeededRandom
from gamehall.match import Clock, Ending, MatchEnded, MatchEvent, MoveRefused, Referee, Result
from gamehall.rooms.absences import Absences
from gamehall.rooms.names import why_not
from gamehall.rooms.notices import (
    AWAY_TOO_LONG,
    HUNG_UP,
    LEFT,
    ChatSent,
    Closed,
    Notice,
    PlayersChanged,
    Refusal,
    Refused,
    RequestRejected,
    SeatInfo,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
    why_left,
)
from gamehall.rooms.requests import (
    Answer,
    Arrive,
    Away,
    BadAnswer,
    Chat,
    Confirm,
    EndOfInput,
    Join,
    Leave,
    Lost,
    Play,
    Propose,
    ProposedTerms,
    Rematch,
    Request,
    Resign,
    Return,
)
from gamehall.rooms.room import (
    Compaction,
    Delivery,
    Entry,
    Lobby,
    Occupancy,
    Peer,
    Proposed,
    Reaction,
    Table,
    TableOpening,
    Transfer,
)
from gamehall.rooms.view import RoomKind, RoomView, view_table


class AnswerTextError(GamehallError):
    """An answer about the terms that cannot be taken. Its text says what could."""


MOST_PROPOSALS: Final = 10
"""How often the players of a table may propose other terms."""


class Questions(ABC, Generic[MoveT]):
    """What the first player is asked, and the game that its answers make."""

    names: ClassVar[tuple[str, ...]]
    """In the order in which they are asked."""

    @abstractmethod
    def read(self, question: str, text: str, answers: Mapping[str, object]) -> object:
        """What an answer says, given those before it. Raises AnswerTextError."""

    @abstractmethod
    def read_terms(self, proposed: ProposedTerms) -> dict[str, object]:
        """Return all answers as terms give them that were chosen in a form. Raises AnswerTextError.

        Who does not care for a seat has the first.
        """

    @abstractmethod
    def write_terms(self, answers: Mapping[str, object]) -> ProposedTerms:
        """Return the terms that give these answers."""

    @abstractmethod
    def agree(self, answers: Mapping[str, object]) -> tuple[Game[MoveT], Seat]:
        """The game, and the seat of whoever answered. Not checked: that all is answered."""

    def propose(self, terms: ProposedTerms) -> Proposed[MoveT]:
        """Return the game on these terms, and the seat that is left. Raises AnswerTextError."""
        game, _ = self.agree(self.read_terms(terms))
        return Proposed(game, None if terms.seat is None else terms.seat.other)


class NegotiatedLobby(Lobby[MoveT]):
    """Seats people two by two, in the order in which they come.

    On the wire of document 002 they have no names and just arrive; others join under one. Two
    players may have the same name: nobody is spoken to by it here. A native player who says what it
    would like to play sits down where another wants the same, and opens a table if nobody does.
    """

    def __init__(
        self,
        questions: Questions[MoveT],
        clock: Clock,
        errors_allowed: int = 100,
        once: bool = False,
        counter_proposals: bool = False,
    ) -> None:
        """`counter_proposals`: whether a wire client who refuses the terms may name others."""
        self._questions = questions
        self._clock = clock
        self._errors_allowed = errors_allowed
        self._once = once
        self._counter_proposals = counter_proposals
        self._tables: dict[int, Occupancy] = {}
        self._wanting: dict[int, None] = {}
        """The tables that want a second player, the one that has wanted it longest first."""
        self._opened = 0
        """The highest number of a table so far."""
        self._finished = 0

    def open_table(self, number: int, random: SeededRandom) -> "NegotiatedTable[MoveT]":
        return NegotiatedTable(
            number=number,
            questions=self._questions,
            clock=self._clock,
            random=random,
            errors_allowed=self._errors_allowed,
            counter_proposals=self._counter_proposals,
        )

    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        self._opened = max(self._opened, number)
        self._finished += finished
        if occupancy is None:
            self._tables.pop(number, None)
            self._wanting.pop(number, None)
            return
        self._tables[number] = occupancy
        if not occupancy.is_waiting:
            self._wanting.pop(number, None)
        elif number not in self._wanting:
            self._wanting[number] = None

    @property
    def _is_over(self) -> bool:
        """Whether nobody else may come, since there is only one table."""
        return self._once and not self._wanting and bool(self._tables or self._finished)

    def view(self) -> RoomView[MoveT]:
        return RoomView(kind=RoomKind.AGREED_TABLES, version=0, tables=(), waiting=())

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction(changed=False)
        match request:
            case Join(table=int(table)) if not self._has_seat_for(request, table):
                reaction.deliveries = [Delivery((peer,), Refused(Refusal.FULL))]
            case Arrive() | Join() if self._is_over:
                closed: Notice[MoveT] = Closed("there is no further table")
                reaction.deliveries = [Delivery((peer,), closed)]
            case Join(name) if name and (refusal := why_not(name, request.policy)):
                reaction.deliveries = [Delivery((peer,), Refused(refusal))]
            case Arrive() | Join():
                self._seat(peer, request, reaction)
            case Leave(str(fault)):
                reaction.deliveries = [Delivery((peer,), Closed(fault))]
            case _:
                pass
        return reaction

    def _has_seat_for(self, join: Join, table: int) -> bool:
        found = self._tables.get(table)
        return found is not None and found.has_seat_for(join)

    def _seat(self, peer: Peer, arrival: Arrive | Join, reaction: Reaction[MoveT]) -> None:
        """Send a newcomer to a table."""
        try:
            table = self._table_for(arrival)
        except AnswerTextError as error:
            reaction.deliveries = [Delivery((peer,), RequestRejected(str(error)))]
            return
        if table is None:
            table = self._opened + 1
            reaction.opens = [TableOpening(table)]
        reaction.transfers = [Transfer(peer, table, arrival)]

    def _table_for(self, arrival: Arrive | Join) -> int | None:
        """The table for a newcomer, None if it gets a new one. Raises AnswerTextError."""
        if isinstance(arrival, Arrive) or not (
            arrival.table or arrival.is_private or arrival.terms
        ):
            return next(iter(self._wanting), None)
        wanted = None if arrival.terms is None else self._questions.propose(arrival.terms)
        if arrival.table is not None:
            return arrival.table
        if arrival.is_private or wanted is None:
            return None
        for table in self._wanting:
            proposed = self._tables[table].proposed
            if proposed is not None and proposed.fits(wanted):
                return table
        return None


class TableStage(Enum):
    """How far a table is."""

    ASKING = auto()
    WAITING = auto()
    """All is answered, and nobody has come yet."""
    CONFIRMING = auto()
    PLAYING = auto()
    OVER = auto()
    """The match is over, and its native players may play another."""


class TablePlayer:
    """Somebody at a table."""

    __slots__ = (
        "agrees",
        "arrival",
        "errors",
        "is_native",
        "name",
        "peer",
        "seat",
        "wants_rematch",
    )

    def __init__(self, peer: Peer, arrival: Arrive | Join) -> None:
        self.peer = peer
        self.arrival = arrival
        self.name = arrival.name if isinstance(arrival, Join) else ""
        self.is_native = isinstance(arrival, Join) and arrival.policy.native
        self.seat: Seat | None = None
        self.agrees = False
        self.wants_rematch = False
        self.errors = 0
        """In a row."""

    @property
    def terms(self) -> ProposedTerms | None:
        """What it wanted to play when it came; None if it has not said."""
        return self.arrival.terms if isinstance(self.arrival, Join) else None

    @property
    def is_bot(self) -> bool:
        """Whether it is a bot of the house: no other player can say anything here."""
        return isinstance(self.arrival, Join) and bool(self.arrival.bot)

    @property
    def is_private(self) -> bool:
        """Whether it waits for a house bot, and for no other opponent."""
        return isinstance(self.arrival, Join) and self.arrival.is_private


class NegotiatedTable(Table[MoveT]):
    """Two players on the way from the first question to the end of their match.

    One of them proposes: the first, until the other proposes something else.
    """

    def __init__(
        self,
        number: int,
        questions: Questions[MoveT],
        clock: Clock,
        random: SeededRandom,
        errors_allowed: int = 100,
        counter_proposals: bool = False,
    ) -> None:
        self.deadline = None
        self._number = number
        self._name = f"table-{number}"
        self._questions = questions
        self._clock = clock
        self._random = random
        self._errors_allowed = errors_allowed
        self._counter_proposals = counter_proposals
        self._guests: list[TablePlayer] = []
        """Who is there, the first first."""
        self._proposer: TablePlayer | None = None
        """Whose answers are, or will be, the terms."""
        self._proposals = 0
        """How often others were proposed than before."""
        self._stage = TableStage.ASKING
        self._answers: dict[str, object] = {}
        self._game: Game[MoveT] | None = None
        self._referee: Referee[MoveT] | None = None
        self._absences = Absences()
        self._changes = 0
        """How often something has changed that can be seen, save in the match."""
        self._reaction: Reaction[MoveT] = Reaction()
        """What is being built by the current call of `handle` or `tick`."""
        self._is_news_of_players = False
        """Whether the current call has changed what PlayersChanged tells."""
        self._compaction: Compaction | None = None
        """What rebuilds the table, if the current call has begun another match."""

    @property
    def occupancy(self) -> Occupancy:
        players = {guest.peer: guest.name for guest in self._guests}
        is_alone = len(players) == 1 and self._stage in (TableStage.ASKING, TableStage.WAITING)
        is_private = any(guest.is_private for guest in self._guests)
        is_away = any(guest.peer in self._absences.since for guest in self._guests)
        return Occupancy(
            players,
            has_free_seat=not players or is_alone,
            is_private=is_private,
            is_waiting=is_alone and not is_private and not is_away,
            proposed=self._proposed if self._stage is TableStage.WAITING else None,
        )

    @property
    def _proposed(self) -> Proposed[MoveT]:
        """What the proposer would like to play."""
        game, seat = self._questions.agree(self._answers)
        assert self._proposer is not None
        terms = self._proposer.terms
        is_any = self._proposer.is_native and terms is not None and terms.seat is None
        return Proposed(game, None if is_any else seat.other)

    @property
    def waiting_players(self) -> Sequence[str]:
        return [guest.name for guest in self._guests] if self.occupancy.is_waiting else ()

    def view(self) -> RoomView[MoveT]:
        version = self._changes + (0 if self._referee is None else 1 + self._referee.steps)
        view: RoomView[MoveT] = RoomView(
            kind=RoomKind.AGREED_TABLES,
            version=version,
            tables=(),
            # Those who do not know yet what they will play are waiting.
            waiting=tuple(guest.name for guest in self._guests),
        )
        occupancy = self.occupancy
        if occupancy.has_free_seat and not occupancy.is_waiting and not occupancy.is_private:
            # A newcomer cannot count on a player who is away.
            return replace(view, waiting=())
        game = self._game or (self._proposed.game if self._stage is TableStage.WAITING else None)
        if game is None:
            return view
        table = view_table(
            self._name,
            version,
            game,
            self._referee,
            players=self._names_by_seat,
            is_open=occupancy.is_waiting,
        )
        if occupancy.is_waiting:
            [proposer] = self._guests
            free_seat = None if occupancy.proposed is None else occupancy.proposed.free_seat
            table = replace(
                table, free_seat=free_seat, is_negotiable=self._may_be_asked_again(proposer)
            )
        waiting = view.waiting if occupancy.is_waiting else ()
        return replace(view, tables=(table,), waiting=waiting)

    @property
    def _names_by_seat(self) -> tuple[str | None, str | None]:
        names = {guest.seat: guest.name or None for guest in self._guests}
        if self._guests and self._guests[0].seat is None:
            # Before the seats are given out, those who are there are shown in their order.
            names = dict(zip(Seat, (guest.name or None for guest in self._guests), strict=False))
        return names.get(Seat.FIRST), names.get(Seat.SECOND)

    def compact(self) -> Compaction | None:
        return self._compaction

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction = self._begin_call()
        guest = next((guest for guest in self._guests if guest.peer == peer), None)
        if guest is not None:
            self._handle_guest(guest, request, now)
        elif isinstance(request, Arrive | Join) and self.occupancy.has_free_seat:
            self._arrive(TablePlayer(peer, request), now)
        else:
            reaction.changed = False
        self._end_call(now)
        return reaction

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction = self._begin_call()
        if self._referee is not None:
            self._report(self._referee.tick(now))
        for peer in self._absences.over(now):
            # The turn of the other, or another who is away too, may have ended the match.
            for guest in [one for one in self._guests if one.peer == peer]:
                self._leave(guest, AWAY_TOO_LONG)
        self._end_call(now)
        return reaction

    def _begin_call(self) -> Reaction[MoveT]:
        self._reaction = Reaction()
        self._compaction = None
        return self._reaction

    def _end_call(self, now: float) -> None:
        """Note the next deadline, and tell native clients who sits here if that has changed."""
        turn = self._referee.deadline if self._referee else None
        due = (turn, self._absences.deadline)
        self.deadline = min((when for when in due if when is not None), default=None)
        if not self._is_news_of_players:
            return
        self._is_news_of_players = False
        self._reaction.occupancy = self.occupancy
        natives = tuple(guest.peer for guest in self._guests if guest.is_native)
        if natives:
            infos = {guest.seat: self._seat_info(guest, now) for guest in self._guests}
            if self._guests[0].seat is None:
                infos = {
                    seat: self._seat_info(guest, now)
                    for seat, guest in zip(Seat, self._guests, strict=False)
                }
            players = (infos.get(Seat.FIRST), infos.get(Seat.SECOND))
            match = self._referee.match if self._referee else None
            changed = PlayersChanged(self._number, players, match)
            self._reaction.deliveries.append(Delivery(natives, changed))

    def _seat_info(self, guest: TablePlayer, now: float) -> SeatInfo:
        return SeatInfo(
            name=guest.name,
            is_native=guest.is_native,
            is_bot=guest.is_bot,
            seconds_to_return=self._absences.seconds_left(guest.peer, now),
            wants_rematch=guest.wants_rematch,
        )

    def _handle_guest(self, guest: TablePlayer, request: Request[MoveT], now: float) -> None:
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
                self._answer(guest, request, now)
            case Propose(terms):
                self._propose_others(guest, terms, now)
            case Confirm(agrees):
                self._confirm(guest, agrees, now)
            case Play(move):
                self._play(guest, move, now)
            case Join(is_private=True) if isinstance(guest.arrival, Join) and not guest.is_private:
                # The free seat is reserved for a bot.
                guest.arrival = replace(guest.arrival, is_private=True)
                self._note_people()
            case Resign():
                self._resign(guest)
            case Rematch():
                self._rematch(guest, now)
            case Chat(text) if guest.is_bot:
                self._reaction.changed = False
                others = tuple(one.peer for one in self._guests if one.is_native and one != guest)
                said = ChatSent(guest.name, text)
                self._reaction.deliveries.append(Delivery(others, said))
            case _:
                self._reaction.changed = False

    # Who comes and goes

    def _arrive(self, guest: TablePlayer, now: float) -> None:
        self._guests.append(guest)
        self._note_people()
        if len(self._guests) > 1:
            if self._stage is TableStage.WAITING:
                self._propose(now)
            return
        self._proposer = guest
        if guest.is_native and guest.terms is not None:
            # Its form has answered the questions; the lobby has checked it.
            self._answers = self._questions.read_terms(guest.terms)
            self._stage = TableStage.WAITING
        else:
            self._ask()

    def _go_away(self, guest: TablePlayer, away: Away, now: float) -> None:
        """A guest's connection is lost: its seat is kept, and its clock stands (X-07)."""
        is_needed = away.is_restart or self._stage is not TableStage.OVER
        self._changes += 1
        self._is_news_of_players = True
        if not is_needed or not self._absences.begin(guest.peer, away, now):
            self._leave(guest, AWAY_TOO_LONG)
        elif self._referee is not None and guest.seat is not None:
            self._referee.stop_clock(guest.seat, now)

    def _welcome_back(self, guest: TablePlayer, now: float) -> None:
        """A guest is connected again: it hears what it needs to go on, and its clock goes on."""
        self._reaction.changed = self._absences.end(guest.peer, now)
        self._changes += 1
        self._is_news_of_players = True
        if self._stage is TableStage.ASKING and guest is self._proposer:
            self._ask()
        if self._game is not None and guest.seat is not None:
            self._tell_terms(guest)
        if self._referee is not None and guest.seat is not None:
            self._referee.resume_clock(guest.seat, now)
            self._tell(guest, TermsAgreed())
            self._tell(guest, self._referee.standing())

    def _lose(self, guest: TablePlayer) -> None:
        """A guest is gone who cannot help it: a match counts for nobody."""
        if self._referee is None or self._referee.result is not None:
            self._leave(guest, "lost")
            return
        ended = self._referee.decide(
            Result(None, Ending.CANCELLED, "a player did not come back after a restart of the hall")
        )
        self._report([ended])

    def _leave(self, guest: TablePlayer, reason: str) -> None:
        """A guest is gone: in a match it has lost; before that the other may wait on (G-Q32)."""
        is_over = self._stage is TableStage.OVER
        if self._referee is not None and guest.seat is not None and not is_over:
            detail = why_left(guest.name or "the opponent", reason)
            self._report(self._referee.retire(guest.seat, Ending.LEFT, detail))
            if self._stage is TableStage.OVER:
                self._remove(guest, reason)
            return
        is_asked_second = self._stage is TableStage.ASKING and self._proposals > 0
        if self._stage is TableStage.CONFIRMING or is_asked_second:
            self._part(reason)
            return
        was_proposer = guest is self._proposer and not is_over
        self._remove(guest, reason)
        if was_proposer:
            # Whoever waited for the first one's answers begins again, as if it came only now.
            self._reaction.transfers = [
                Transfer(one.peer, None, one.arrival) for one in self._guests
            ]
            self._guests.clear()
            self._note_people()

    def _remove(self, guest: TablePlayer, reason: str) -> None:
        self._tell(guest, Closed(reason))
        self._guests.remove(guest)
        self._absences.forget(guest.peer)
        self._note_people()

    # The terms

    def _ask(self) -> None:
        """Ask the one who proposes what has not been answered yet."""
        assert self._proposer is not None
        asked = self._questions.names[len(self._answers)]
        self._tell(self._proposer, TermsQuestion(asked))

    def _answer(self, guest: TablePlayer, answer: Answer, now: float) -> None:
        if self._stage is not TableStage.ASKING or guest is not self._proposer:
            self._reject(guest, "nothing has been asked")
            return
        asked = self._questions.names[len(self._answers)]
        if answer.question is not None and answer.question != asked:
            self._reject(guest, f"asked was {asked}, not {answer.question[:40]!r}")
            return
        try:
            read = self._questions.read(asked, answer.text, self._answers)
        except AnswerTextError as error:
            self._reject(guest, str(error))
            return
        guest.errors = 0
        self._answers[asked] = read
        if len(self._answers) < len(self._questions.names):
            self._ask()
        else:
            self._all_answered(now)

    def _all_answered(self, now: float) -> None:
        self._stage = TableStage.WAITING
        self._changes += 1
        self._is_news_of_players = True
        if len(self._guests) == len(Seat):
            self._propose(now)

    def _propose_others(self, guest: TablePlayer, terms: ProposedTerms, now: float) -> None:
        """A guest proposes terms: all answers at once, or others than the opponent proposed."""
        is_asked = self._stage is TableStage.ASKING and guest is self._proposer
        if not is_asked:
            if self._stage is not TableStage.CONFIRMING:
                self._reject(guest, "there is nothing to agree on")
                return
            other = next(one for one in self._guests if one is not guest)
            if not self._may_be_asked_again(other):
                self._reject(guest, "this opponent cannot be asked again: agree, or leave")
                return
            if self._proposals >= MOST_PROPOSALS:
                self._reject(guest, "there were too many proposals: agree, or leave")
                return
        try:
            answers = self._questions.read_terms(terms)
        except AnswerTextError as error:
            self._reject(guest, str(error))
            return
        guest.errors = 0
        self._proposals += not is_asked
        self._proposer, self._answers = guest, answers
        self._all_answered(now)

    def _may_be_asked_again(self, guest: TablePlayer) -> bool:
        """Return True if a player may be asked to agree to other terms than it has proposed."""
        return (guest.is_native or self._counter_proposals) and self._proposals < MOST_PROPOSALS

    def _tell_terms(self, guest: TablePlayer) -> None:
        assert self._game is not None
        assert guest.seat is not None
        may_counter = any(
            self._may_be_asked_again(other) for other in self._guests if other is not guest
        )
        self._tell(guest, TermsProposed(guest.seat, self._game, guest.agrees, may_counter))

    def _propose(self, now: float) -> None:
        """Both are there: they hear the terms.

        A native player who proposes has agreed, and so has one who came with the same terms.
        """
        self._changes += 1
        proposer, proposed = self._proposer, self._proposed
        self._game, seat = self._questions.agree(self._answers)
        self._stage = TableStage.CONFIRMING
        [other] = [guest for guest in self._guests if guest is not proposer]
        assert proposer is not None
        if proposed.free_seat is None and other.terms is not None and other.terms.seat is seat:
            # Who proposes does not care for its seat, and the other does.
            seat = seat.other
        other.agrees = (
            not self._proposals
            and other.is_native
            and other.terms is not None
            and self._questions.propose(other.terms).fits(proposed)
        )
        proposer.agrees = proposer.is_native
        proposer.seat, other.seat = seat, seat.other
        for guest in self._guests:
            self._tell_terms(guest)
        self._is_news_of_players = True
        self._begin_if_agreed(now)

    def _confirm(self, guest: TablePlayer, agrees: bool, now: float) -> None:
        if self._stage is not TableStage.CONFIRMING:
            self._reject(guest, "there are no terms to confirm")
            return
        if agrees and guest.agrees:
            self._reaction.changed = False
            return
        guest.errors = 0
        if agrees:
            guest.agrees = True
            self._begin_if_agreed(now)
        elif self._counter_proposals and guest is not self._proposer and not self._proposals:
            # The one who refuses is asked what it would like to play, once.
            self._proposals += 1
            self._proposer, self._answers, self._stage = guest, {}, TableStage.ASKING
            self._ask()
        else:
            self._part("the terms were not agreed to")

    def _begin_if_agreed(self, now: float) -> None:
        if all(one.agrees for one in self._guests):
            self._begin(now)

    # The match

    def _begin(self, now: float) -> None:
        """Both agree: a match begins."""
        assert self._game is not None
        self._stage = TableStage.PLAYING
        self._is_news_of_players = True
        self._referee = Referee(self._game, self._clock, self._random.seed())
        self._absences.begin_match([one.peer for one in self._guests], now)
        for one in self._guests:
            if one.peer in self._absences.since and one.seat is not None:
                self._referee.stop_clock(one.seat, now)
        self._tell_all(TermsAgreed(), self._referee.begin(now))

    def _play(self, guest: TablePlayer, move: MoveT, now: float) -> None:
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
        if self._stage is TableStage.PLAYING and self._guests:
            self._tell_all(self._referee.standing())

    def _resign(self, guest: TablePlayer) -> None:
        if self._referee is None or guest.seat is None:
            self._reject(guest, "the game has not begun")
        else:
            number = "first" if guest.seat is Seat.FIRST else "second"
            who = guest.name or f"the {number} player"
            self._report(self._referee.retire(guest.seat, Ending.RESIGNED, f"{who} resigned"))

    def _rematch(self, guest: TablePlayer, now: float) -> None:
        """A native player wants another match on the same terms, with the seats swapped.

        One whose opponent has left waits for another.
        """
        # A player whose opponent has left since may ask once more: then it waits for the next one.
        has_asked = guest.wants_rematch and len(self._guests) == len(Seat)
        if self._stage is not TableStage.OVER or has_asked:
            self._reaction.changed = False
            return
        guest.wants_rematch = True
        self._is_news_of_players = True
        if not all(one.wants_rematch for one in self._guests):
            return
        self._changes += 1
        drawn = self._random.drawn
        self._guests.sort(key=lambda one: one.seat is Seat.FIRST)
        guests, arrivals = self._guests, []
        for one, seat in zip(guests, Seat, strict=False):
            one.wants_rematch, one.agrees, one.errors, one.seat = False, False, 0, None
            assert isinstance(one.arrival, Join)
            terms = replace(self._questions.write_terms(self._answers), seat=seat)
            one.arrival = replace(one.arrival, terms=terms)
            arrivals.append(Entry[MoveT](now, one.peer, one.arrival))
            arrivals += self._absences.present_entries(one.peer)
        self._compaction = Compaction(drawn, arrivals)
        # As if both had just come, wanting the same.
        self._guests, self._proposals, self._game, self._referee = [], 0, None, None
        self._stage = TableStage.ASKING
        for one in guests:
            self._arrive(one, now)

    def _report(self, events: list[MatchEvent[MoveT]]) -> None:
        self._tell_all(*events)
        if not events or not isinstance(events[-1], MatchEnded):
            return
        assert self._referee is not None
        self._reaction.records.append(self._referee.record(*self._names_by_seat))
        if all(guest.is_native for guest in self._guests):
            self._reaction.finished += 1
            self._stage = TableStage.OVER
            self._is_news_of_players = True
        else:
            self._part("the match is over", is_expected=True)

    def _reject(self, guest: TablePlayer, reason: str) -> None:
        """Something could not be taken: what was asked is asked again (G-04, G-Q35).

        With too much of that in a row a guest has to go.
        """
        guest.errors += 1
        self._tell(guest, RequestRejected(reason))
        if guest.errors >= self._errors_allowed:
            self._leave(guest, "too many errors in a row")
        elif self._stage is TableStage.ASKING:
            self._ask()

    def _part(self, reason: str, is_expected: bool = False) -> None:
        """The table is no more."""
        self._reaction.finished += 1
        self._tell_all(Closed(reason, is_expected))
        self._guests.clear()
        self._note_people()

    def _tell(self, guest: TablePlayer, notice: Notice[MoveT]) -> None:
        self._reaction.deliveries.append(Delivery((guest.peer,), notice))

    def _tell_all(self, *notices: Notice[MoveT]) -> None:
        """Tell everybody these notices, one after the other."""
        for notice in notices:
            for guest in self._guests:
                self._tell(guest, notice)

    def _note_people(self) -> None:
        self._changes += 1
        self._is_news_of_players = True
        self._reaction.closed = not self._guests

"""Tables whose two players agree on the terms: the first proposes them, the second confirms.

Every two newcomers get a table of their own. It closes after their match, unless both are native
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
from gamehall.rooms.names import refuse_name
from gamehall.rooms.notices import (
    AWAY_TOO_LONG,
    HUNG_UP,
    LEFT,
    TERMS_NOT_AGREED,
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
from gamehall.rooms.timing import earliest
from gamehall.rooms.view import RoomKind, RoomView, view_table


class AnswerTextError(GamehallError):
    """An answer about the terms is invalid. The text says which ones are valid."""


MOST_PROPOSALS: Final = 10
"""How many counter-proposals the players of a table may make."""


class Questions(ABC, Generic[MoveT]):
    """The questions to the first player, and the game that follows from its answers."""

    names: ClassVar[tuple[str, ...]]
    """In the order in which they are asked."""

    @abstractmethod
    def read(self, question: str, text: str, answers: Mapping[str, object]) -> object:
        """Parse an answer, given those before it. Raises AnswerTextError."""

    @abstractmethod
    def read_terms(self, proposed: ProposedTerms) -> dict[str, object]:
        """Return the answers to all questions that give these terms. Raises AnswerTextError.

        Terms without a seat get the first one.
        """

    @abstractmethod
    def write_terms(self, answers: Mapping[str, object]) -> ProposedTerms:
        """Return the terms that these answers give."""

    @abstractmethod
    def agree(self, answers: Mapping[str, object]) -> tuple[Game[MoveT], Seat]:
        """Return the game, and the seat of the player who answered. All must be answered."""

    def propose(self, terms: ProposedTerms) -> Proposed[MoveT]:
        """Return the game on these terms, and the seat that is left. Raises AnswerTextError."""
        game, _ = self.agree(self.read_terms(terms))
        return Proposed(game, None if terms.seat is None else terms.seat.other)


class NegotiatedLobby(Lobby[MoveT]):
    """Seats newcomers in pairs, in the order of arrival.

    At a go-text door players have no names and just arrive; others join under a name,
    which need not be unique. A native player who proposes terms sits down where another player
    waits with the same ones, otherwise at a new table.
    """

    def __init__(
        self,
        questions: Questions[MoveT],
        clock: Clock,
        errors_allowed: int = 100,
        once: bool = False,
        counter_proposals: bool = False,
    ) -> None:
        """`counter_proposals`: whether a wire client that refuses the terms may propose others."""
        super().__init__()
        self._questions = questions
        self._clock = clock
        self._errors_allowed = errors_allowed
        self._once = once
        self._counter_proposals = counter_proposals
        self._tables: dict[int, Occupancy] = {}
        self._waiting: dict[int, None] = {}
        """The tables that wait for a second player, the longest waiting first."""
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
        else:
            self._tables[number] = occupancy
        if occupancy is None or not occupancy.is_waiting:
            self._waiting.pop(number, None)
        else:
            self._waiting.setdefault(number)

    @property
    def _is_over(self) -> bool:
        """Whether the lobby has opened its only table, and no one waits there."""
        return self._once and not self._waiting and bool(self._tables or self._finished)

    def view(self) -> RoomView[MoveT]:
        return RoomView(kind=RoomKind.AGREED_TABLES, version=0, tables=(), waiting=())

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now, changed=False)
        match request:
            case Join(table=int(table)) if not self._has_seat_for(request, table):
                self._tell(peer, Refused(Refusal.FULL))
            case Arrive() | Join() if self._is_over:
                self._tell(peer, Closed("there is no further table"))
            case Join(name) if name and (refusal := refuse_name(name, request.policy)):
                self._tell(peer, Refused(refusal))
            case Arrive() | Join():
                self._seat(peer, request)
            case Leave(str(fault)):
                self._tell(peer, Closed(fault))
            case _:
                pass
        return reaction

    def _has_seat_for(self, join: Join, table: int) -> bool:
        found = self._tables.get(table)
        return found is not None and found.has_seat_for(join)

    def _seat(self, peer: Peer, arrival: Arrive | Join) -> None:
        """Send a newcomer to a table."""
        try:
            table = self._table_for(arrival)
        except AnswerTextError as error:
            self._tell(peer, RequestRejected(str(error)))
            return
        if table is None:
            table = self._opened + 1
            self._reaction.tables_to_open = [TableOpening(table)]
        self._reaction.transfers = [Transfer(peer, table, arrival)]

    def _table_for(self, arrival: Arrive | Join) -> int | None:
        """Return the table for a newcomer, None for a new one. Raises AnswerTextError."""
        if isinstance(arrival, Arrive) or not (
            arrival.table or arrival.is_private or arrival.terms
        ):
            return next(iter(self._waiting), None)
        wanted = None if arrival.terms is None else self._questions.propose(arrival.terms)
        if arrival.table is not None:
            return arrival.table
        if arrival.is_private or wanted is None:
            return None
        for table in self._waiting:
            proposed = self._tables[table].proposed
            if proposed is not None and proposed.fits(wanted):
                return table
        return None


class TableStage(Enum):
    """What the players of a table are doing."""

    ASKING = auto()
    WAITING = auto()
    """All questions are answered, and the second player has not arrived."""
    CONFIRMING = auto()
    PLAYING = auto()
    OVER = auto()
    """The match is over, and its native players may play another."""


class TablePlayer:
    """A player at a table."""

    __slots__ = ("agrees", "arrival", "errors", "join", "peer", "seat", "wants_rematch")

    def __init__(self, peer: Peer, arrival: Arrive | Join) -> None:
        self.peer = peer
        self.arrival = arrival
        self.join = arrival if isinstance(arrival, Join) else Join("")
        self.seat: Seat | None = None
        self.agrees = False
        self.wants_rematch = False
        self.errors = 0
        """In a row."""

    @property
    def name(self) -> str:
        return self.join.name

    @property
    def is_native(self) -> bool:
        return self.join.policy.native

    def join_again(self, join: Join) -> None:
        """Replace the request with which the player has joined."""
        self.arrival = self.join = join


class NegotiatedTable(Table[MoveT]):
    """Two players, from the first question to the end of their match.

    One of them is the proposer: the first, until the other proposes other terms.
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
        super().__init__()
        self._number = number
        self._name = f"table-{number}"
        self._questions = questions
        self._clock = clock
        self._random = random
        self._errors_allowed = errors_allowed
        self._counter_proposals = counter_proposals
        self._players: list[TablePlayer] = []
        """In the order of arrival."""
        self._proposer: TablePlayer | None = None
        """The player whose answers are, or will be, the terms."""
        self._proposals = 0
        """The number of counter-proposals."""
        self._stage = TableStage.ASKING
        self._answers: dict[str, object] = {}
        self._game: Game[MoveT] | None = None
        self._referee: Referee[MoveT] | None = None
        self._absences = Absences()
        self._changes = 0
        """The number of visible changes, except in the match."""
        self._players_changed = False
        """Whether the current call has changed anything that PlayersChanged contains."""
        self._compaction: Compaction | None = None
        """What rebuilds the table, if the current call has begun another match."""

    @property
    def occupancy(self) -> Occupancy:
        players = {player.peer: player.name for player in self._players}
        is_alone = len(players) == 1 and self._stage in (TableStage.ASKING, TableStage.WAITING)
        is_private = any(player.join.is_private for player in self._players)
        is_away = any(player.peer in self._absences.since for player in self._players)
        return Occupancy(
            players,
            has_free_seat=not players or is_alone,
            is_private=is_private,
            is_waiting=is_alone and not is_private and not is_away,
            proposed=self._proposed if self._stage is TableStage.WAITING else None,
        )

    @property
    def _proposed(self) -> Proposed[MoveT]:
        """What the proposer wants to play."""
        game, seat = self._questions.agree(self._answers)
        assert self._proposer is not None
        terms = self._proposer.join.terms
        is_any = self._proposer.is_native and terms is not None and terms.seat is None
        return Proposed(game, None if is_any else seat.other)

    @property
    def waiting_players(self) -> Sequence[str]:
        return [player.name for player in self._players] if self.occupancy.is_waiting else ()

    def view(self) -> RoomView[MoveT]:
        version = self._changes + (0 if self._referee is None else 1 + self._referee.steps)
        view: RoomView[MoveT] = RoomView(
            kind=RoomKind.AGREED_TABLES,
            version=version,
            tables=(),
            # Players who have not agreed on a game yet are shown as waiting.
            waiting=tuple(player.name for player in self._players),
        )
        occupancy = self.occupancy
        if occupancy.has_free_seat and not occupancy.is_waiting and not occupancy.is_private:
            # The player is away: a newcomer cannot expect an opponent here.
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
            [proposer] = self._players
            free_seat = None if occupancy.proposed is None else occupancy.proposed.free_seat
            table = replace(
                table, free_seat=free_seat, is_negotiable=self._may_be_asked_again(proposer)
            )
        waiting = view.waiting if occupancy.is_waiting else ()
        return replace(view, tables=(table,), waiting=waiting)

    @property
    def _by_seat(self) -> Mapping[Seat | None, TablePlayer]:
        """The players by seat or, before the seats are assigned, in the order of arrival."""
        if self._players and self._players[0].seat is None:
            return dict(zip(Seat, self._players, strict=False))
        return {player.seat: player for player in self._players}

    @property
    def _names_by_seat(self) -> tuple[str | None, str | None]:
        names = {seat: player.name or None for seat, player in self._by_seat.items()}
        return names.get(Seat.FIRST), names.get(Seat.SECOND)

    def compact(self) -> Compaction | None:
        return self._compaction

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now)
        self._compaction = None
        player = next((player for player in self._players if player.peer == peer), None)
        if player is not None:
            self._handle_player(player, request)
        elif isinstance(request, Arrive | Join) and self.occupancy.has_free_seat:
            self._arrive(TablePlayer(peer, request))
        else:
            reaction.changed = False
        self._end_call()
        return reaction

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now)
        self._compaction = None
        if self._referee is not None:
            self._deliver_events(self._referee.end_if_out_of_time(now))
        for peer in self._absences.expired(now):
            # The match, and so the table, may be over by now.
            for player in [one for one in self._players if one.peer == peer]:
                self._leave(player, AWAY_TOO_LONG)
        self._end_call()
        return reaction

    def _end_call(self) -> None:
        """Note the next deadline, and report the players if they have changed."""
        turn_due = self._referee.deadline if self._referee else None
        self.deadline = earliest(turn_due, self._absences.deadline)
        if not self._players_changed:
            return
        self._players_changed = False
        self._reaction.occupancy = self.occupancy
        natives = tuple(player.peer for player in self._players if player.is_native)
        if natives:
            infos = {seat: self._seat_info(player) for seat, player in self._by_seat.items()}
            players = (infos.get(Seat.FIRST), infos.get(Seat.SECOND))
            match = self._referee.match_name if self._referee else None
            changed = PlayersChanged(self._number, players, match)
            self._reaction.deliveries.append(Delivery(natives, changed))

    def _seat_info(self, player: TablePlayer) -> SeatInfo:
        seconds_to_return = self._absences.seconds_left(player.peer, self._now)
        return SeatInfo.of(player.join, seconds_to_return, player.wants_rematch)

    def _handle_player(self, player: TablePlayer, request: Request[MoveT]) -> None:
        match request:
            case Leave(fault):
                self._leave(player, fault or LEFT)
            case EndOfInput():
                # a player who ends its input has left, whosever turn it is.
                self._leave(player, HUNG_UP)
            case Lost():
                self._lose(player)
            case Away():
                self._disconnect(player, request)
            case Return():
                self._reconnect(player)
            case BadAnswer(reason):
                self._reject(player, reason)
            case Answer():
                self._answer(player, request)
            case Propose(terms):
                self._counter_propose(player, terms)
            case Confirm(agrees):
                self._confirm(player, agrees)
            case Play(move):
                self._play(player, move)
            case Join(is_private=True) if (
                isinstance(player.arrival, Join) and not player.join.is_private
            ):
                # The free seat is reserved for a bot from now on.
                player.join_again(replace(player.join, is_private=True))
                self._note_players_changed()
            case Resign():
                self._resign(player)
            case Rematch():
                self._rematch(player)
            case Chat() if player.join.bot:
                # At these tables only house bots may chat.
                self._reaction.changed = False
                others = tuple(one.peer for one in self._players if one.is_native and one != player)
                sent = ChatSent(
                    player.name,
                    request.text,
                    is_from_server=request.is_from_server,
                    substitute=request.substitute,
                )
                self._reaction.deliveries.append(Delivery(others, sent))
            case _:
                self._reaction.changed = False

    # Arriving and leaving

    def _arrive(self, player: TablePlayer) -> None:
        self._players.append(player)
        self._note_players_changed()
        if len(self._players) > 1:
            if self._stage is TableStage.WAITING:
                self._propose()
            return
        self._proposer = player
        if player.is_native and player.join.terms is not None:
            # The lobby has checked these terms.
            self._answers = self._questions.read_terms(player.join.terms)
            self._stage = TableStage.WAITING
        else:
            self._ask()

    def _disconnect(self, player: TablePlayer, away: Away) -> None:
        """Keep the seat of a disconnected player, and stop its clock (X-07)."""
        is_needed = away.is_restart or self._stage is not TableStage.OVER
        self._changes += 1
        self._players_changed = True
        if not is_needed or not self._absences.begin(player.peer, away, self._now):
            self._leave(player, AWAY_TOO_LONG)
        elif self._referee is not None and player.seat is not None:
            self._referee.stop_clock(player.seat, self._now)

    def _reconnect(self, player: TablePlayer) -> None:
        """Tell a player that is connected again the state of the table; its clock runs again."""
        self._reaction.changed = self._absences.end(player.peer, self._now)
        self._changes += 1
        self._players_changed = True
        if self._stage is TableStage.ASKING and player is self._proposer:
            self._ask()
        if self._game is not None and player.seat is not None:
            self._tell_terms(player)
        if self._referee is not None and player.seat is not None:
            self._referee.resume_clock(player.seat, self._now)
            self._tell(player.peer, TermsAgreed(), self._referee.current_event())

    def _lose(self, player: TablePlayer) -> None:
        """Remove a player whom a restart has disconnected for good; cancel the match."""
        if self._referee is None or self._referee.result is not None:
            self._leave(player, "lost")
            return
        detail = "a player did not come back after a restart of the server"
        self._deliver_events([self._referee.decide(Result(None, Ending.CANCELLED, detail))])

    def _leave(self, player: TablePlayer, reason: str) -> None:
        """Remove a player. It loses a running match; before that the other may wait (G-Q32)."""
        is_over = self._stage is TableStage.OVER
        if self._referee is not None and player.seat is not None and not is_over:
            detail = why_left(player.name or "the opponent", reason)
            self._deliver_events(self._referee.forfeit(player.seat, Ending.LEFT, detail))
            if self._stage is TableStage.OVER:
                self._remove(player, reason)
            return
        is_asked_second = self._stage is TableStage.ASKING and self._proposals > 0
        if self._stage is TableStage.CONFIRMING or is_asked_second:
            self._close(reason)
            return
        was_proposer = player is self._proposer and not is_over
        self._remove(player, reason)
        if was_proposer:
            # The player who waited for the terms of the first returns to the lobby.
            self._reaction.transfers = [
                Transfer(one.peer, None, one.arrival) for one in self._players
            ]
            self._players.clear()
            self._note_players_changed()

    def _remove(self, player: TablePlayer, reason: str) -> None:
        self._tell(player.peer, Closed(reason))
        self._players.remove(player)
        self._absences.forget(player.peer)
        self._note_players_changed()

    # The terms

    def _ask(self) -> None:
        """Ask the proposer the next question."""
        assert self._proposer is not None
        asked = self._questions.names[len(self._answers)]
        self._tell(self._proposer.peer, TermsQuestion(asked))

    def _answer(self, player: TablePlayer, answer: Answer) -> None:
        if self._stage is not TableStage.ASKING or player is not self._proposer:
            self._reject(player, "nothing has been asked")
            return
        asked = self._questions.names[len(self._answers)]
        if answer.question is not None and answer.question != asked:
            self._reject(player, f"asked was {asked}, not {answer.question[:40]!r}")
            return
        try:
            read = self._questions.read(asked, answer.text, self._answers)
        except AnswerTextError as error:
            self._reject(player, str(error))
            return
        player.errors = 0
        self._answers[asked] = read
        if len(self._answers) < len(self._questions.names):
            self._ask()
        else:
            self._all_answered()

    def _all_answered(self) -> None:
        self._stage = TableStage.WAITING
        self._changes += 1
        self._players_changed = True
        if len(self._players) == len(Seat):
            self._propose()

    def _counter_propose(self, player: TablePlayer, terms: ProposedTerms) -> None:
        """A player answers all questions at once, or makes a counter-proposal."""
        is_asked = self._stage is TableStage.ASKING and player is self._proposer
        if not is_asked and (error := self._refuse_counter_proposal(player)):
            self._reject(player, error)
            return
        try:
            answers = self._questions.read_terms(terms)
        except AnswerTextError as error:
            self._reject(player, str(error))
            return
        player.errors = 0
        self._proposals += not is_asked
        self._proposer, self._answers = player, answers
        self._all_answered()

    def _refuse_counter_proposal(self, player: TablePlayer) -> str:
        """Return why a player may not propose other terms now; "" if it may."""
        if self._stage is not TableStage.CONFIRMING:
            return "there is nothing to agree on"
        [other] = [one for one in self._players if one is not player]
        if not self._may_be_asked_again(other):
            return "this opponent cannot be asked again: agree, or leave"
        if self._proposals >= MOST_PROPOSALS:
            return "there were too many proposals: agree, or leave"
        return ""

    def _may_be_asked_again(self, player: TablePlayer) -> bool:
        """Return True if a player may be asked to agree to other terms than it has proposed."""
        return (player.is_native or self._counter_proposals) and self._proposals < MOST_PROPOSALS

    def _tell_terms(self, player: TablePlayer) -> None:
        assert self._game is not None
        assert player.seat is not None
        may_counter = any(
            self._may_be_asked_again(other) for other in self._players if other is not player
        )
        terms = TermsProposed(player.seat, self._game, player.agrees, may_counter)
        self._tell(player.peer, terms)

    def _propose(self) -> None:
        """Tell both players the terms.

        A native proposer has agreed, and so has a native player who came with the same terms.
        """
        self._changes += 1
        proposer, proposed = self._proposer, self._proposed
        self._game, seat = self._questions.agree(self._answers)
        self._stage = TableStage.CONFIRMING
        [other] = [player for player in self._players if player is not proposer]
        assert proposer is not None
        terms = other.join.terms
        if proposed.free_seat is None and terms is not None and terms.seat is seat:
            # The proposer takes any seat, and the other wants this one.
            seat = seat.other
        other.agrees = (
            not self._proposals
            and other.is_native
            and terms is not None
            and self._questions.propose(terms).fits(proposed)
        )
        proposer.agrees = proposer.is_native
        proposer.seat, other.seat = seat, seat.other
        for player in self._players:
            self._tell_terms(player)
        self._players_changed = True
        self._begin_if_agreed()

    def _confirm(self, player: TablePlayer, agrees: bool) -> None:
        if self._stage is not TableStage.CONFIRMING:
            self._reject(player, "there are no terms to confirm")
            return
        if agrees and player.agrees:
            self._reaction.changed = False
            return
        player.errors = 0
        if agrees:
            player.agrees = True
            self._begin_if_agreed()
        elif self._counter_proposals and player is not self._proposer and not self._proposals:
            # The player who refuses is asked for its own terms, once.
            self._proposals += 1
            self._proposer, self._answers, self._stage = player, {}, TableStage.ASKING
            self._ask()
        else:
            self._close(TERMS_NOT_AGREED)

    # The match

    def _begin_if_agreed(self) -> None:
        if not all(player.agrees for player in self._players):
            return
        assert self._game is not None
        self._stage = TableStage.PLAYING
        self._players_changed = True
        self._referee = Referee(self._game, self._clock, self._random.seed())
        self._absences.begin_match([player.peer for player in self._players], self._now)
        for player in self._players:
            if player.peer in self._absences.since and player.seat is not None:
                self._referee.stop_clock(player.seat, self._now)
        self._tell_both(TermsAgreed(), self._referee.begin(self._now))

    def _play(self, player: TablePlayer, move: MoveT) -> None:
        if self._referee is None or player.seat is None:
            self._reject(player, "the game has not begun")
            return
        events = self._referee.play(player.seat, move, self._now)
        first = events[0]
        if isinstance(first, MoveRefused):
            self._reject(player, first.reason)
            return
        player.errors = 0
        self._deliver_events(events)
        if self._stage is TableStage.PLAYING and self._players:
            self._tell_both(self._referee.current_event())

    def _resign(self, player: TablePlayer) -> None:
        if self._referee is None or player.seat is None:
            self._reject(player, "the game has not begun")
        else:
            number = "first" if player.seat is Seat.FIRST else "second"
            detail = f"{player.name or f'the {number} player'} resigned"
            self._deliver_events(self._referee.forfeit(player.seat, Ending.RESIGNED, detail))

    def _rematch(self, player: TablePlayer) -> None:
        """Begin another match on the same terms, with seats swapped, when all have asked for it.

        A player whose opponent has left waits for another.
        """
        # It may ask again when its opponent has left since: then it waits for a new one.
        has_asked = player.wants_rematch and len(self._players) == len(Seat)
        if self._stage is not TableStage.OVER or has_asked:
            self._reaction.changed = False
            return
        player.wants_rematch = True
        self._players_changed = True
        if not all(one.wants_rematch for one in self._players):
            return
        self._changes += 1
        drawn = self._random.drawn
        self._players.sort(key=lambda one: one.seat is Seat.FIRST)
        players, entries = self._players, []
        for one, seat in zip(players, Seat, strict=False):
            one.wants_rematch, one.agrees, one.errors, one.seat = False, False, 0, None
            terms = replace(self._questions.write_terms(self._answers), seat=seat)
            one.join_again(replace(one.join, terms=terms))
            entries.append(Entry[MoveT](self._now, one.peer, one.join))
            entries += self._absences.present_entries(one.peer)
        self._compaction = Compaction(drawn, entries)
        # From here on as if both had just arrived with the same terms.
        self._players, self._proposals, self._game, self._referee = [], 0, None, None
        self._stage = TableStage.ASKING
        for one in players:
            self._arrive(one)

    def _deliver_events(self, events: list[MatchEvent[MoveT]]) -> None:
        self._tell_both(*events)
        if not events or not isinstance(events[-1], MatchEnded):
            return
        assert self._referee is not None
        self._reaction.records.append(self._referee.record(*self._names_by_seat))
        if all(player.is_native for player in self._players):
            self._reaction.finished += 1
            self._stage = TableStage.OVER
            self._players_changed = True
        else:
            self._close("the match is over", is_expected=True)

    def _reject(self, player: TablePlayer, reason: str) -> None:
        """Reject a request, and repeat an open question (G-04, G-Q35).

        A player with too many errors in a row is removed.
        """
        player.errors += 1
        self._tell(player.peer, RequestRejected(reason))
        if player.errors >= self._errors_allowed:
            self._leave(player, "too many errors in a row")
        elif self._stage is TableStage.ASKING:
            self._ask()

    def _close(self, reason: str, is_expected: bool = False) -> None:
        """Remove both players and close the table."""
        self._reaction.finished += 1
        self._tell_both(Closed(reason, is_expected))
        self._players.clear()
        self._note_players_changed()

    def _tell_both(self, *notices: Notice[MoveT]) -> None:
        for notice in notices:
            for player in self._players:
                self._tell(player.peer, notice)

    def _note_players_changed(self) -> None:
        self._changes += 1
        self._players_changed = True
        self._reaction.room_is_empty = not self._players

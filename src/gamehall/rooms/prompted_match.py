"""A match whose players move when they are asked to, each by the manners of its protocol."""

from typing import Generic

from gamehall.core import Game, MoveT, Seat
from gamehall.match import (
    Ending,
    MatchEnded,
    MoveFault,
    MoveRefused,
    Record,
    Referee,
    Result,
)
from gamehall.rooms.notices import HUNG_UP, LEFT, MatchBegan, Notice, ProbeAnswered, why_left
from gamehall.rooms.requests import (
    AskAgain,
    BadAnswer,
    EndOfInput,
    Join,
    Leave,
    Play,
    Probe,
    Request,
)
from gamehall.rooms.room import Delivery, Peer
from gamehall.rooms.timing import SlidingWindow
from gamehall.rooms.view import TableView, view_table

PROBE_WINDOW_SECONDS = 1.0


class Entrant:
    """A peer that has signed up: first it waits, then it plays."""

    __slots__ = (
        "has_hung_up",
        "id",
        "join",
        "joined_at",
        "name",
        "number",
        "peer",
        "policy",
        "probes",
        "shown_name",
        "signed_up_as",
    )

    def __init__(self, peer: Peer, join: Join, joined_at: float) -> None:
        self.peer = peer
        self.join = join
        self.joined_at = joined_at
        self.signed_up_as = join.name
        self.policy = join.policy
        self.probes = SlidingWindow(join.policy.probes_per_second, PROBE_WINDOW_SECONDS)
        self.has_hung_up = False
        """Whether it will say nothing more; it may still be listening."""
        self.number = 0
        """In the tournament, in the order of arrival."""
        self.name = ""
        """What it is called in the tournament, on the wires."""
        self.shown_name = ""
        """What people and native clients see it called there."""
        self.id = ""

    def name_for(self, reader: "Entrant") -> str:
        """Return what that player sees it called."""
        return self.shown_name if reader.policy.native else self.name

    def begin_prompt(self) -> None:
        """Count probes anew: the player is asked for its next move.

        A client that checks every move once must not be sent away because the hall and its
        opponent are quick (S1-Q17). Probes without an open prompt go on counting to the last one,
        so nobody evades the limit by asking while it waits.
        """
        if not self.policy.one_probe_window:
            self.probes.restart()


UNASKED = "moved without having been asked"
TOO_CURIOUS = "asked too many questions in a second"


class PromptedMatch(Generic[MoveT]):
    """One match between two entrants. To be told that one's turn has begun is to be asked.

    An outstanding prompt is never withdrawn (X-06): if the other player fails meanwhile, the match
    goes on until the one who was asked has answered, whatever the answer, or its time is over.
    """

    def __init__(self, game: Game[MoveT], first: Entrant, second: Entrant, seed: int) -> None:
        self._game = game
        self._players = {Seat.FIRST: first, Seat.SECOND: second}
        self._seats = {first: Seat.FIRST, second: Seat.SECOND}
        self._referee = Referee(
            game=game, clock=first.policy.clock, seed=seed, second_clock=second.policy.clock
        )
        self._asked: Seat | None = None
        """Who owes an answer."""
        self._bad_answers = 0
        """Since the prompt that is open was first put."""
        self._has_half = False
        """Whether part of the move was said since the prompt that is open was first put."""
        self._delays = 0
        """How often the deadline was moved without a move."""
        self.failures: dict[Entrant, Result] = {}
        """Who is out of the tournament, and what it was told of this match."""
        self.reasons: dict[Entrant, str] = {}
        """Why each of them is out."""

    @property
    def deadline(self) -> float | None:
        """When the answer that is owed must have come."""
        return self._referee.deadline

    @property
    def result(self) -> Result | None:
        """How it ended, None while it goes on."""
        return self._referee.result

    @property
    def version(self) -> int:
        """A higher one whenever something has changed that can be seen."""
        return self._delays + self._referee.steps

    @property
    def goes_on(self) -> bool:
        """Whether it has not ended, and nobody has failed."""
        return self._referee.result is None and not self.failures

    @property
    def winner(self) -> Entrant | None:
        """Who won, None if nobody has."""
        seat = self._referee.result and self._referee.result.winner
        return self._players[seat] if seat else None

    def record(self) -> Record:
        """The match in writing. Not checked: that it is over."""
        return self._referee.record(*(player.shown_name for player in self._players.values()))

    def view(self, name: str, version: int) -> TableView[MoveT]:
        """What somebody who looks on can see, at the table of this name."""
        first, second = (player.shown_name for player in self._players.values())
        return view_table(name, version, self._game, self._referee, players=(first, second))

    def begin(self, now: float) -> list[Delivery[MoveT]]:
        """Tells both, and asks for the first move."""
        told: list[Delivery[MoveT]] = [
            Delivery((player.peer,), self._beginning(seat))
            for seat, player in self._players.items()
        ]
        self._referee.begin(now)
        return told + self._ask()

    def _beginning(self, seat: Seat) -> MatchBegan:
        """What the player in a seat hears when the match begins."""
        opponent = self._players[seat.other].name_for(self._players[seat])
        return MatchBegan(seat, opponent, self._referee.match)

    def handle(
        self, entrant: Entrant, request: Request[MoveT], now: float
    ) -> list[Delivery[MoveT]]:
        """What follows from a request of one of the players who has not failed."""
        seat = self._seats[entrant]
        match request:
            case Play() | BadAnswer() | AskAgain() if self._asked is not seat:
                return self._fail(seat, Ending.ILLEGAL_MOVE, UNASKED)
            case Play() | BadAnswer() | AskAgain() if self.failures:
                return self._end()
            case Play(move):
                return self._play(seat, move, now)
            case BadAnswer(reason):
                return self._refuse(seat, reason, now)
            case AskAgain() if not self._has_half:
                self._has_half, self._bad_answers = True, 0
                return [self._ask_again(seat, now)]
            case AskAgain():
                # Part of this turn was said before, over a connection that was lost. The time that
                # is left goes on, or a player could put off its turn for ever.
                return [self._tell(seat, self._referee.standing())]
            case Probe(move):
                return self._probe(seat, move, now)
            case EndOfInput():
                return self._fail(seat, Ending.LEFT, HUNG_UP) if self._asked is seat else []
            case Leave(str(fault)):
                return self._fail(seat, Ending.BROKE_PROTOCOL, fault)
            case Leave():
                return self._fail(seat, Ending.LEFT, LEFT)
            case _:
                return []

    def stop_clock(self, entrant: Entrant, now: float) -> None:
        """A player's connection is lost: its clock stands (X-07)."""
        self._delays += 1
        self._referee.stop_clock(self._seats[entrant], now)

    def welcome_back(self, entrant: Entrant, now: float) -> list[Delivery[MoveT]]:
        """A player has been away: it hears whom it meets, and is asked again what it was asked.

        Its clock goes on from where it stood.
        """
        seat = self._seats[entrant]
        self._delays += 1
        self._referee.resume_clock(seat, now)
        told = [self._tell(seat, self._beginning(seat))]
        if self._asked is seat or self._players[seat].policy.native:
            told.append(self._tell(seat, self._referee.standing()))
        return told

    def tick(self, now: float) -> list[Delivery[MoveT]]:
        """Time has passed. Whoever owes an answer for too long fails, unless it has won already."""
        if self.deadline is None or now < self.deadline or self._asked is None:
            return []
        if self.failures:
            return self._end()
        return self._fail(self._asked, Ending.OUT_OF_TIME, "took too long to answer")

    def _play(self, seat: Seat, move: MoveT, now: float) -> list[Delivery[MoveT]]:
        events = self._referee.play(seat, move, now)
        first = events[0]
        if isinstance(first, MoveRefused):
            return self._refuse(seat, first.reason, now)
        self._asked = None
        self._bad_answers = 0
        both = [player.peer for player in self._players.values()]
        told = [Delivery(both, happening) for happening in events]
        return told if self.result is not None else told + self._ask()

    def _refuse(self, seat: Seat, reason: str, now: float) -> list[Delivery[MoveT]]:
        """A bad answer: the player is asked again, or fails if that was one too many."""
        self._bad_answers += 1
        if self._bad_answers > self._players[seat].policy.retries:
            return self._fail(seat, Ending.ILLEGAL_MOVE, reason)
        refused = MoveRefused(
            seat=seat,
            fault=MoveFault.ILLEGAL,
            reason=reason,
            position=self._referee.position,
            in_a_row=self._bad_answers,
        )
        return [self._tell(seat, refused), self._ask_again(seat, now)]

    def _probe(self, seat: Seat, move: MoveT | None, now: float) -> list[Delivery[MoveT]]:
        """Whether a move could be played. Too many such questions are a failure (S1-27)."""
        if not self._players[seat].probes.count(now):
            return self._fail(seat, Ending.BROKE_PROTOCOL, TOO_CURIOUS)
        is_legal = self._asked is seat and move is not None and self._referee.position.allows(move)
        return [self._tell(seat, ProbeAnswered(is_legal))]

    def _ask(self) -> list[Delivery[MoveT]]:
        """Asks whoever is to move. The answer of somebody who has hung up is missing (X-07)."""
        seat = self._referee.position.to_move
        assert seat is not None
        self._asked = seat
        self._has_half = False
        self._players[seat].begin_prompt()
        standing = self._referee.standing()
        told = [self._tell(seat, standing)]
        if not self._referee.moves and self._players[seat.other].policy.native:
            # A page shows the board to both from the start. Wires tell only who is asked.
            told.append(self._tell(seat.other, standing))
        if self._players[seat].has_hung_up:
            told += self._fail(seat, Ending.LEFT, HUNG_UP)
        return told

    def _ask_again(self, seat: Seat, now: float) -> Delivery[MoveT]:
        """Asks whoever has been asked already, who has all its time again."""
        due = self.deadline
        standing = self._referee.ask_again(now)
        self._delays += self.deadline != due
        return self._tell(seat, standing)

    def _fail(self, seat: Seat, ending: Ending, detail: str) -> list[Delivery[MoveT]]:
        """A player is out, and told so at once; the other first answers what it was asked."""
        both = bool(self.failures)
        player = self._players[seat]
        self.reasons[player] = detail
        if ending is Ending.LEFT:
            detail = why_left(player.shown_name, detail)
        result = Result(None if both else seat.other, ending, detail)
        self.failures[player] = result
        told = [self._tell(seat, MatchEnded(result, self._referee.position))]
        if self._asked is seat:
            self._asked = None
        return told if self._asked is not None else told + self._end()

    def _end(self) -> list[Delivery[MoveT]]:
        """Ends the match by what the last player to fail was told, and tells who has not failed."""
        self._asked = None
        ended = self._referee.decide(list(self.failures.values())[-1])
        return [
            Delivery((player.peer,), ended)
            for player in self._players.values()
            if player not in self.failures
        ]

    def _tell(self, seat: Seat, notice: Notice[MoveT]) -> Delivery[MoveT]:
        return Delivery((self._players[seat].peer,), notice)

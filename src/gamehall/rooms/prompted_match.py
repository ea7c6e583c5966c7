"""A match whose players move when they are prompted, each by the policy of its protocol."""

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
from gamehall.rooms.notices import (
    HUNG_UP,
    LEFT,
    ChatSent,
    MatchBegan,
    Notice,
    ProbeAnswered,
    why_left,
)
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
    """A client that has signed up, and later plays in a tournament."""

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
        """Whether it has ended its input; it may still be reading."""
        self.number = 0
        """In the order of arrival, from 0."""
        self.name = ""
        """Its name in the tournament, on the wires."""
        self.shown_name = ""
        """Its name for people and native clients."""
        self.id = ""
        """A UUID."""

    def name_for(self, reader: "Entrant") -> str:
        """Return its name as that player sees it."""
        return self.shown_name if reader.policy.native else self.name

    def begin_prompt(self) -> None:
        """Count probes from 0 again, because the player is prompted for its next move.

        A client that probes every move once must not be disqualified because the server and its
        opponent are fast (S1-Q17). Probes after its answer count for the last prompt, so a client
        cannot evade the limit by probing while it waits.
        """
        if not self.policy.one_probe_window:
            self.probes.restart()


UNPROMPTED = "moved without having been asked"
TOO_MANY_PROBES = "asked too many questions in a second"


class PromptedMatch(Generic[MoveT]):
    """One match between two entrants. The notice that a player's turn has begun is its prompt.

    A prompt is never withdrawn (X-06): if the opponent fails while a player is prompted, the match
    ends only when that player has answered, whatever the answer, or its time is over.
    """

    def __init__(self, game: Game[MoveT], first: Entrant, second: Entrant, seed: int) -> None:
        self._game = game
        self._players = {Seat.FIRST: first, Seat.SECOND: second}
        self._seats = {first: Seat.FIRST, second: Seat.SECOND}
        self._referee = Referee(
            game=game, clock=first.policy.clock, seed=seed, second_clock=second.policy.clock
        )
        self._asked: Seat | None = None
        """The player with an open prompt."""
        self._bad_answers = 0
        """The number of bad answers to the open prompt."""
        self._has_half = False
        """Whether part of the answer to the open prompt has arrived."""
        self._delays = 0
        """How often the deadline has changed without a move."""
        self.failures: dict[Entrant, Result] = {}
        """The players who are disqualified, and the result that each was told."""
        self.reasons: dict[Entrant, str] = {}
        """The reason of each disqualification."""

    @property
    def deadline(self) -> float | None:
        """When the answer to the open prompt is due."""
        return self._referee.deadline

    @property
    def result(self) -> Result | None:
        """None while the match is running."""
        return self._referee.result

    @property
    def version(self) -> int:
        """Increases with every visible change."""
        return self._delays + self._referee.steps

    @property
    def is_running(self) -> bool:
        """Whether the match has not ended, and no player has failed."""
        return self._referee.result is None and not self.failures

    @property
    def winner(self) -> Entrant | None:
        """None if there is no winner."""
        seat = self._referee.result and self._referee.result.winner
        return self._players[seat] if seat else None

    def record(self) -> Record:
        """Return the record of the match. Not checked: that it is over."""
        return self._referee.record(*(player.shown_name for player in self._players.values()))

    def view(self, name: str, version: int) -> TableView[MoveT]:
        """Return the view of the match, as that of a table with this name."""
        first, second = (player.shown_name for player in self._players.values())
        return view_table(name, version, self._game, self._referee, players=(first, second))

    def begin(self, now: float) -> list[Delivery[MoveT]]:
        """Tell both players, and prompt for the first move."""
        told = [self._tell(seat, self._beginning(seat)) for seat in self._players]
        self._referee.begin(now)
        return told + self._ask()

    def _beginning(self, seat: Seat) -> MatchBegan:
        opponent = self._players[seat.other].name_for(self._players[seat])
        return MatchBegan(seat, opponent, self._referee.match_name)

    def handle(
        self, entrant: Entrant, request: Request[MoveT], now: float
    ) -> list[Delivery[MoveT]]:
        """Handle a request of a player who has not failed."""
        seat = self._seats[entrant]
        match request:
            case Play() | BadAnswer() | AskAgain() if self._asked is not seat:
                return self._fail(seat, Ending.ILLEGAL_MOVE, UNPROMPTED)
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
                # The first part of this move had arrived before the player reconnected. It gets no
                # new time, otherwise it could delay its turn forever.
                return [self._tell(seat, self._referee.current_event())]
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
        """Stop the clock of a player whose connection is lost (X-07)."""
        self._delays += 1
        self._referee.stop_clock(self._seats[entrant], now)

    def reconnect(self, entrant: Entrant, now: float) -> list[Delivery[MoveT]]:
        """Repeat the beginning of the match, and an open prompt, to a player who is back.

        Its clock runs again with the time that was left.
        """
        seat = self._seats[entrant]
        self._delays += 1
        self._referee.resume_clock(seat, now)
        told = [self._tell(seat, self._beginning(seat))]
        if self._asked is seat or self._players[seat].policy.native:
            told.append(self._tell(seat, self._referee.current_event()))
        return told

    def tick(self, now: float) -> list[Delivery[MoveT]]:
        """Handle the deadline: the prompted player fails, unless its opponent has failed before."""
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
        told = [Delivery(both, event) for event in events]
        return told if self.result is not None else told + self._ask()

    def _refuse(self, seat: Seat, reason: str, now: float) -> list[Delivery[MoveT]]:
        """Prompt again after a bad answer; after too many of them the player fails."""
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
        """Answer whether a move is legal. A player who asks too often fails (S1-27)."""
        if not self._players[seat].probes.take(now):
            return self._fail(seat, Ending.BROKE_PROTOCOL, TOO_MANY_PROBES)
        is_legal = self._asked is seat and move is not None and self._referee.position.allows(move)
        return [self._tell(seat, ProbeAnswered(is_legal))]

    def _ask(self) -> list[Delivery[MoveT]]:
        """Prompt the player to move. A player who has ended its input fails (X-07)."""
        seat = self._referee.position.to_move
        assert seat is not None
        self._asked = seat
        self._has_half = False
        self._players[seat].begin_prompt()
        event = self._referee.current_event()
        told = [self._tell(seat, event)]
        if not self._referee.moves and self._players[seat.other].policy.native:
            # A page shows the board to both players from the start; wires tell only the prompted.
            told.append(self._tell(seat.other, event))
        if self._players[seat].has_hung_up:
            told += self._fail(seat, Ending.LEFT, HUNG_UP)
        return told

    def _ask_again(self, seat: Seat, now: float) -> Delivery[MoveT]:
        """Repeat the open prompt; the player has all its time again."""
        due = self.deadline
        event = self._referee.ask_again(now)
        self._delays += self.deadline != due
        return self._tell(seat, event)

    def _fail(self, seat: Seat, ending: Ending, detail: str) -> list[Delivery[MoveT]]:
        """Disqualify a player and tell it at once; a prompted opponent answers first (X-06)."""
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
        if self._asked is None:
            return told + self._end()
        if self._players[self._asked].policy.native:
            # A page says why the opponent does not move any more; wires have no word for it.
            gone = "has left" if ending is Ending.LEFT else "is out of the tournament"
            words = f"{player.shown_name} {gone}: make your move, and you win"
            told.append(
                self._tell(self._asked, ChatSent(player.shown_name, words, is_from_server=True))
            )
        return told

    def _end(self) -> list[Delivery[MoveT]]:
        """End the match with the result that the last failed player was told."""
        self._asked = None
        ended = self._referee.decide(list(self.failures.values())[-1])
        return [
            Delivery((player.peer,), ended)
            for player in self._players.values()
            if player not in self.failures
        ]

    def _tell(self, seat: Seat, notice: Notice[MoveT]) -> Delivery[MoveT]:
        return Delivery((self._players[seat].peer,), notice)

"""The referee of one match."""

from collections import Counter
from typing import Generic

import msgspec

from gamehall.core import Game, IllegalMove, MoveT, Position, Seat
from gamehall.match.events import (
    Ending,
    MatchEnded,
    MatchEvent,
    MoveFault,
    MovePlayed,
    MoveRefused,
    Result,
    TurnBegan,
)
from gamehall.match.record import Record, RecordedMove, match_name, write_terms


class Clock(msgspec.Struct, frozen=True):
    """The time limits of a match. The current time is an argument of its methods."""

    seconds_per_turn: float | None = None
    """None: no limit."""
    grace_seconds: float = 0.25
    """Added to every limit to allow for network delays (X-10)."""

    def deadline(self, now: float) -> float | None:
        """Return when a turn that begins now is over, None if there is no limit."""
        if self.seconds_per_turn is None:
            return None
        return now + self.seconds_per_turn + self.grace_seconds

    def left(self, deadline: float, now: float) -> float:
        """Return the seconds that a player's clock shows, without the grace."""
        return round(max(0.0, deadline - self.grace_seconds - now), 3)


class Referee(Generic[MoveT]):
    """Runs one match: applies the rules and the clock, and returns events.

    Moves are accepted from the start; the clock runs from the call of `begin` on.
    """

    __slots__ = (
        "_away",
        "_begun",
        "_first_clock",
        "_game",
        "_illegal_moves",
        "_is_timed",
        "_moves",
        "_second_clock",
        "_seed",
        "_stopped_deadline",
        "_turn_began",
        "deadline",
        "position",
        "result",
        "start",
    )

    def __init__(
        self, game: Game[MoveT], clock: Clock, seed: int, second_clock: Clock | None = None
    ) -> None:
        """`second_clock` is for the second seat, if its limits differ."""
        self.position: Position[MoveT] = game.start(seed)
        self.start = self.position
        """The position before the first move."""
        self.result: Result | None = None
        self.deadline: float | None = None
        self._first_clock = clock
        self._second_clock = second_clock or clock
        self._is_timed = {None} != {clock.seconds_per_turn, self._second_clock.seconds_per_turn}
        self._game = game
        self._seed = seed
        self._begun = False
        self._turn_began = 0.0
        self._away: dict[Seat, float] = {}
        """The players whose clocks are stopped, and since when."""
        self._stopped_deadline: float | None = None
        """The deadline of the turn while the clock of the player to move is stopped."""
        self._moves: list[tuple[Seat, MoveT, float, float | None]] = []
        """Seat, move, seconds taken, and seconds left."""
        self._illegal_moves: Counter[Seat] = Counter()

    @property
    def match_name(self) -> str:
        """The name of the match, as in its record."""
        return match_name(self._seed)

    @property
    def moves(self) -> tuple[tuple[Seat, MoveT], ...]:
        """All moves so far, with the seat of each."""
        return tuple((seat, move) for seat, move, _, _ in self._moves)

    @property
    def steps(self) -> int:
        """Increases with every move, and with the result."""
        return len(self._moves) + (self.result is not None)

    def begin(self, now: float) -> MatchEvent[MoveT]:
        """Start the clock: the current turn begins now, with all its time."""
        self._begun = True
        # For players who are away, the time before this does not count.
        self._away = dict.fromkeys(self._away, now)
        return self.ask_again(now)

    def ask_again(self, now: float) -> MatchEvent[MoveT]:
        """Begin the current turn again, with all its time."""
        if self.result is None:
            self._turn_began = now
            self.deadline = self._deadline(self.position, now)
        return self.current_event()

    def stop_clock(self, seat: Seat, now: float) -> None:
        """Stop the clock of a player whose connection is lost, if it is running."""
        if seat in self._away or self.result is not None:
            return
        self._away[seat] = now
        if self.position.to_move is seat:
            self._stopped_deadline, self.deadline = self.deadline, None

    def resume_clock(self, seat: Seat, now: float) -> None:
        """Let a player's clock run again, with the time that was left when it was stopped."""
        stopped_at = self._away.pop(seat, None)
        if stopped_at is None or self.result is not None or self.position.to_move is not seat:
            return
        stopped_for = now - max(stopped_at, self._turn_began)
        self._turn_began += stopped_for
        if self._stopped_deadline is not None:
            self.deadline, self._stopped_deadline = self._stopped_deadline + stopped_for, None

    def current_event(self) -> MatchEvent[MoveT]:
        """Return the event that describes the present state of the match."""
        if self.result is not None:
            return MatchEnded(self.result, self.position)
        seat = self.position.to_move
        assert seat is not None
        return TurnBegan(seat, self.position, self.deadline)

    def play(self, seat: Seat, move: MoveT, now: float) -> list[MatchEvent[MoveT]]:
        """Make a move for `seat`.

        A refused move does not change the position; one after the deadline ends the match.
        """
        if self.deadline is not None and now >= self.deadline:
            return self.end_if_out_of_time(now)
        position = self.position
        if position.to_move is not seat or self.result is not None:
            is_over = self.result is not None
            reason = "the match is over" if is_over else "it is not your turn"
            return [self._refuse(seat, MoveFault.OUT_OF_TURN, reason)]
        try:
            self.position = after = position.after(move)
        except IllegalMove as error:
            self._illegal_moves[seat] += 1
            return [self._refuse(seat, MoveFault.ILLEGAL, str(error))]
        if self._illegal_moves:
            self._illegal_moves[seat] = 0
        if self._begun:
            clock = self._first_clock if seat is Seat.FIRST else self._second_clock
            left = None if self.deadline is None else clock.left(self.deadline, now)
            self._moves.append((seat, move, round(now - self._turn_began, 3), left))
            self._turn_began = now
        else:
            self._moves.append((seat, move, 0.0, None))
        outcome = after.outcome
        if outcome is None:
            if self._is_timed and self._begun:
                self.deadline = self._deadline(after, now)
            return [MovePlayed(seat=seat, move=move, position=after, deadline=self.deadline)]
        result = Result(outcome.winner, Ending.PLAYED_OUT, outcome.reason)
        return [
            MovePlayed(seat=seat, move=move, position=after, deadline=None),
            self.decide(result),
        ]

    def _refuse(self, seat: Seat, fault: MoveFault, reason: str) -> MoveRefused[MoveT]:
        return MoveRefused(
            seat=seat,
            fault=fault,
            reason=reason,
            position=self.position,
            in_a_row=self._illegal_moves[seat],
        )

    def forfeit(self, seat: Seat, ending: Ending, detail: str) -> list[MatchEvent[MoveT]]:
        """End the match because of `seat`: the opponent wins, unless `ending` is CANCELLED."""
        if self.result is not None:
            return []
        winner = None if ending is Ending.CANCELLED else seat.other
        return [self.decide(Result(winner, ending, detail))]

    def end_if_out_of_time(self, now: float) -> list[MatchEvent[MoveT]]:
        """End the match if the deadline has passed: the player to move loses."""
        seat = self.position.to_move
        if self.deadline is None or now < self.deadline or seat is None:
            return []
        return self.forfeit(seat, Ending.OUT_OF_TIME, "the turn took too long")

    def decide(self, result: Result) -> MatchEnded[MoveT]:
        """End the match with this result. Not checked: that it is still running."""
        self.result = result
        self.deadline = self._stopped_deadline = None
        return MatchEnded(result, self.position)

    def record(self, first: str | None, second: str | None) -> Record:
        """Return the record, with the names of the players. Not checked: that it is over."""
        assert self.result is not None
        write = self._game.write_move
        moves = tuple(
            RecordedMove(seat=seat, move=write(move), seconds=seconds, seconds_left=left)
            for seat, move, seconds, left in self._moves
        )
        return Record(
            game=self._game.name,
            terms=write_terms(self._game),
            seed=self._seed,
            players=(first, second),
            moves=moves,
            result=self.result,
        )

    def _deadline(self, position: Position[MoveT], now: float) -> float | None:
        """Return the deadline of a turn that begins now; None if that player's clock is stopped."""
        clock = self._first_clock if position.to_move is Seat.FIRST else self._second_clock
        due = clock.deadline(now)
        if position.to_move in self._away:
            self._stopped_deadline = due
            return None
        return due

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
    """The time terms of a match. It never asks what time it is: it is told."""

    seconds_per_turn: float | None = None
    """None: players take as long as they like."""

    grace_seconds: float = 0.25
    """Added to every limit, for the way of a message through the network (X-10)."""

    def deadline(self, now: float) -> float | None:
        """When a turn that begins now is over for good."""
        if self.seconds_per_turn is None:
            return None
        return now + self.seconds_per_turn + self.grace_seconds

    def left(self, deadline: float, now: float) -> float:
        """How many seconds a player sees on its clock; the grace does not show."""
        return round(max(0.0, deadline - self.grace_seconds - now), 3)


class Referee(Generic[MoveT]):
    """Runs one match: applies the rules and the clock, and says what happened.

    It is told the time with every call and never asks for it. Moves are taken from the start on;
    the clock runs once `begin` has said that the players are there.
    """

    __slots__ = (
        "_away",
        "_begun",
        "_due",
        "_first_clock",
        "_game",
        "_illegal_moves",
        "_is_timed",
        "_moves",
        "_second_clock",
        "_seed",
        "_turn_began",
        "deadline",
        "position",
        "result",
        "start",
    )

    def __init__(
        self, game: Game[MoveT], clock: Clock, seed: int, second_clock: Clock | None = None
    ) -> None:
        """`second_clock` is for the second seat, if its time is not that of the first."""
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
        """Whose clocks stand, and since when."""
        self._due: float | None = None
        """When the turn would be over if the clock of the player to move did not stand."""
        self._moves: list[tuple[Seat, MoveT, float, float | None]] = []
        """What was played, with the seconds that it took and those that were left."""
        self._illegal_moves: Counter[Seat] = Counter()

    @property
    def match(self) -> str:
        """By what name the match is spoken of, as its record will have it."""
        return match_name(self._seed)

    @property
    def moves(self) -> tuple[tuple[Seat, MoveT], ...]:
        """What was played so far, from the first move on, and by whom."""
        return tuple((seat, move) for seat, move, _, _ in self._moves)

    @property
    def steps(self) -> int:
        """A number that grows with every move, and with the result."""
        return len(self._moves) + (self.result is not None)

    @property
    def has_illegal_moves(self) -> bool:
        """Return True if the last move that a player has tried was illegal."""
        return any(self._illegal_moves.values())

    def begin(self, now: float) -> MatchEvent[MoveT]:
        """Both players are there: the turn, whosever it is, begins now and has all its time."""
        self._begun = True
        # What time those who are away missed before that does not matter.
        self._away = dict.fromkeys(self._away, now)
        return self.ask_again(now)

    def ask_again(self, now: float) -> MatchEvent[MoveT]:
        """The turn, whosever it is, begins anew and has all its time."""
        if self.result is None:
            self._turn_began = now
            self.deadline = self._deadline(self.position, now)
        return self.standing()

    def stop_clock(self, seat: Seat, now: float) -> None:
        """Stop a player's clock: its connection is lost. Nothing changes if it stands already."""
        if seat in self._away or self.result is not None:
            return
        self._away[seat] = now
        if self.position.to_move is seat:
            self._due, self.deadline = self.deadline, None

    def resume_clock(self, seat: Seat, now: float) -> None:
        """Let a player's clock go on: if it is to move, it has as much time left as before."""
        stopped_at = self._away.pop(seat, None)
        if stopped_at is None or self.result is not None or self.position.to_move is not seat:
            return
        stood = now - max(stopped_at, self._turn_began)
        self._turn_began += stood
        if self._due is not None:
            self.deadline, self._due = self._due + stood, None

    def standing(self) -> MatchEvent[MoveT]:
        """Where the match stands: what somebody who comes now needs to hear."""
        if self.result is not None:
            return MatchEnded(self.result, self.position)
        seat = self.position.to_move
        assert seat is not None
        return TurnBegan(seat, self.position, self.deadline)

    def play(self, seat: Seat, move: MoveT, now: float) -> list[MatchEvent[MoveT]]:
        """`seat` wants to make a move.

        A refused move changes nothing; one after the deadline ends the match.
        """
        if self.deadline is not None and now >= self.deadline:
            return self.tick(now)
        position = self.position
        if position.to_move is not seat or self.result is not None:
            over = self.result is not None
            reason = "the match is over" if over else "it is not your turn"
            tried = self._illegal_moves[seat]
            return [
                MoveRefused(
                    seat=seat,
                    fault=MoveFault.OUT_OF_TURN,
                    reason=reason,
                    position=position,
                    in_a_row=tried,
                )
            ]
        try:
            self.position = after = position.after(move)
        except IllegalMove as refusal:
            tried = self._illegal_moves[seat] = self._illegal_moves[seat] + 1
            return [
                MoveRefused(
                    seat=seat,
                    fault=MoveFault.ILLEGAL,
                    reason=str(refusal),
                    position=position,
                    in_a_row=tried,
                )
            ]
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

    def retire(self, seat: Seat, ending: Ending, detail: str) -> list[MatchEvent[MoveT]]:
        """`seat` takes no further part: the other wins, unless the match is cancelled."""
        if self.result is not None:
            return []
        winner = None if ending is Ending.CANCELLED else seat.other
        return [self.decide(Result(winner, ending, detail))]

    def tick(self, now: float) -> list[MatchEvent[MoveT]]:
        """Time has passed. Whoever has let its turn run out loses."""
        seat = self.position.to_move
        if self.deadline is None or now < self.deadline or seat is None:
            return []
        return self.retire(seat, Ending.OUT_OF_TIME, "the turn took too long")

    def decide(self, result: Result) -> MatchEnded[MoveT]:
        """The match ends here and now. Not checked: that it has not ended before."""
        self.result = result
        self.deadline = self._due = None
        return MatchEnded(result, self.position)

    def record(self, first: str | None, second: str | None) -> Record:
        """The match in writing, between players of these names. Not checked: that it is over."""
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
        """When a turn that begins now is over; None as well while that player's clock stands."""
        clock = self._first_clock if position.to_move is Seat.FIRST else self._second_clock
        due = clock.deadline(now)
        if position.to_move in self._away:
            self._due = due
            return None
        return due

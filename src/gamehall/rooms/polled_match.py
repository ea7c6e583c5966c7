"""One match of a polled table: its players, their planned moves, and its snapshots."""

from abc import ABC, abstractmethod
from typing import Generic

import msgspec

from gamehall.core import Game, IllegalMove, MoveT, Position, Seat
from gamehall.match import (
    Clock,
    Ending,
    MatchEvent,
    MoveFault,
    MovePlayed,
    MoveRefused,
    Referee,
    Result,
)
from gamehall.match.record import write_terms
from gamehall.rooms.notices import PlannedMovePlayed, Snapshot
from gamehall.rooms.requests import Join, PlannedMove, Submit, UnreadableMove
from gamehall.rooms.room import LogLine


class MovePlanner(ABC, Generic[MoveT]):
    """Turns a planned move into moves, depending on the position in which it is made."""

    @abstractmethod
    def before(self, position: Position[MoveT], planned: PlannedMove[MoveT]) -> MoveT | None:
        """Return a move that must be made first, even if the planned move is refused, or None."""

    @abstractmethod
    def moves(self, position: Position[MoveT], planned: PlannedMove[MoveT]) -> list[MoveT]:
        """Return the moves of which the planned move consists here. Raises IllegalMove.

        An empty list means that the planned move is accepted and has no effect.
        """

    @abstractmethod
    def turn(self, position: Position[MoveT]) -> int:
        """Return the number of the turn, from 0."""


SEATS = tuple(Seat)

REFUSALS_LOGGED = 1000
"""In the log of one match, so that a client cannot fill the disk."""

NOT_BEGUN = "the game has not begun"


class PolledSeat(msgspec.Struct):
    """A seat that is taken."""

    secret: str | None = None
    """The token that was given to a client of the wire."""
    key: str = ""
    """The idempotency key with which a client of the wire joined."""
    native: Join | None = None
    """The request of a native player; None for a client of the wire."""
    last_key: str | None = None
    """The idempotency key of the last Submit."""
    last_error: str = ""
    """The error of the last Submit."""

    @property
    def name(self) -> str:
        """Empty for a client of the wire: its protocol has no names."""
        return self.native.name if self.native else ""


class PolledMatch(Generic[MoveT]):
    """One match, from the first player who joins to the result."""

    def __init__(self, name: str, game: Game[MoveT], planner: MovePlanner[MoveT]) -> None:
        """`name` must be unique among the matches of the room."""
        self.places: list[PolledSeat] = []
        self.referee: Referee[MoveT] | None = None
        self.error = ""
        """Why the match was broken off; empty if it was not."""
        self.version = 0
        """Increases with every visible change."""
        self.last_move_at = 0.0
        """When the last move was made or, before the first, when the match began."""
        self.log_lines: list[LogLine] = []
        self.events: list[MatchEvent[MoveT]] = []
        """Events that the table has not delivered to a native player yet."""
        self._name = name
        self._game = game
        self._planner = planner
        self._played: list[PlannedMovePlayed[MoveT]] = []
        self._log: tuple[PlannedMovePlayed[MoveT], ...] = ()
        """A copy of `_played` for snapshots, which must not change later."""
        self._snapshots: dict[Seat | None, tuple[int, Snapshot[MoveT]]] = {}
        """The last snapshot for each viewer, with its version: most clients poll."""
        self._refused = 0
        self.note(game=game.name, terms=write_terms(game))

    @property
    def is_full(self) -> bool:
        """Whether both players have joined."""
        return len(self.places) == len(SEATS)

    @property
    def result(self) -> Result | None:
        """None while the match is running or has not begun."""
        return self.referee.result if self.referee else None

    def join(self, place: PolledSeat) -> Seat:
        """Give out the next seat and return it. Not checked: that one is free."""
        self.places.append(place)
        self.version += 1
        self.note(joined=len(self.places) - 1)
        return SEATS[len(self.places) - 1]

    def leave(self) -> None:
        """Remove the only player who has joined. Not checked: that there is only one."""
        self.places.clear()
        self.version = 0
        self.note(left=0)

    def begin(self, clock: Clock, seed: int, now: float) -> None:
        """Begin the match. Not checked: that both players have joined."""
        self.referee = Referee(self._game, clock, seed)
        self.events.append(self.referee.begin(now))
        self.last_move_at = now
        self.version += 1

    def place_of(self, seat: Seat) -> PolledSeat | None:
        """Return who has a seat, None if it is free."""
        number = SEATS.index(seat)
        return self.places[number] if number < len(self.places) else None

    def is_early(self, after: int) -> bool:
        """Return True if turn `after` is not over yet, and the match has not ended."""
        if self.referee is None:
            return True
        return self.result is None and self._planner.turn(self.referee.position) <= after

    def play_up_to_refusal(self, request: Submit[MoveT], now: float) -> str:
        """Make planned moves up to the first that is refused. Return why it was, or ""."""
        if self.referee is None:
            return NOT_BEGUN
        for number, planned in enumerate(request.planned):
            try:
                self._play_planned(self.referee, request.seat, planned, now)
            except IllegalMove as error:
                return self._refuse(request.seat, number, error)
        return ""

    def play_all_or_none(self, request: Submit[MoveT], now: float) -> str:
        """Make planned moves unless one of them is refused. Return why it was, or ""."""
        if self.referee is None:
            return NOT_BEGUN
        # The moves are planned only once: the planner may draw others the next time.
        position = self.referee.position
        batch: list[tuple[list[MoveT], PlannedMovePlayed[MoveT]]] = []
        for number, planned in enumerate(request.planned):
            try:
                checked = self._check(request.seat, position.to_move, planned)
                moves, played, position = self._plan(position, request.seat, checked)
            except IllegalMove as error:
                return self._refuse(request.seat, number, error)
            batch.append((moves, played))
        for moves, played in batch:
            self._note_planned(played, moves, now)
            for move in moves:
                self._play(self.referee, request.seat, move, now)
        return ""

    def _plan(
        self, position: Position[MoveT], seat: Seat, planned: PlannedMove[MoveT]
    ) -> tuple[list[MoveT], PlannedMovePlayed[MoveT], Position[MoveT]]:
        """Return the moves of a planned move, and the position after them. Raises IllegalMove."""
        moves: list[MoveT] = []
        while (first := self._planner.before(position, planned)) is not None:
            moves.append(first)
            position = position.after(first)
        played = PlannedMovePlayed(seat, planned, self._planner.turn(position))
        for move in self._planner.moves(position, planned):
            moves.append(move)
            position = position.after(move)
        return moves, played, position

    def play(self, seat: Seat, move: MoveT, now: float) -> bool:
        """Make a single move of a native player, without a planner.

        Return False if it was refused and changed nothing. Not checked: that the match has begun.
        """
        assert self.referee is not None
        turn = self._planner.turn(self.referee.position)
        events = self.referee.play(seat, move, now)
        self.events += events
        match events[0]:
            case MovePlayed():
                self._played.append(PlannedMovePlayed(seat, PlannedMove(move), turn))
                self._note_move(seat, move, now)
            case MoveRefused(fault=fault):
                return fault is MoveFault.ILLEGAL
            case _:
                # The player's time was over.
                self.version += 1
        return True

    def forfeit(self, seat: Seat, ending: Ending, detail: str) -> None:
        """End the match because a player has resigned or left; the other wins."""
        assert self.referee is not None
        self.events += self.referee.forfeit(seat, ending, detail)
        self.error = detail
        self.version += 1

    def tick(self, now: float) -> bool:
        """Break off the match if the turn is over. Return True if it was."""
        events = self.referee.end_if_out_of_time(now) if self.referee else []
        self.events += events
        if events:
            self.break_off("a player took too long")
        return bool(events)

    def break_off(self, error: str) -> None:
        """Cancel the match."""
        self.error = error
        self.version += 1
        if self.referee is not None and self.referee.result is None:
            self.events.append(self.referee.decide(Result(None, Ending.CANCELLED, error)))

    def shown(
        self, viewer: Seat | None, error: str = "", is_refusal: bool = False
    ) -> Snapshot[MoveT]:
        """Return a snapshot of the match for a viewer."""
        version, known = self._snapshots.get(viewer, (None, None))
        if known is None or version != self.version:
            if len(self._log) < len(self._played):
                self._log = tuple(self._played)
            known = Snapshot(
                viewer,
                players=len(self.places),
                position=self.referee.position if self.referee else None,
                result=self.result,
                log=self._log,
                version=f"{self._name[:8]}-{self.version}",
                error=self.error,
            )
            self._snapshots[viewer] = (self.version, known)
        if not error and not is_refusal:
            return known
        return msgspec.structs.replace(known, error=error or self.error, is_refusal=is_refusal)

    def note(self, **content: object) -> None:
        """Add a line to the log of this match."""
        self.log_lines.append(LogLine(self._name, content))

    def _refuse(self, seat: Seat, number: int, error: IllegalMove) -> str:
        """Return the error of a planned move that is illegal."""
        self._refused += 1
        if self._refused <= REFUSALS_LOGGED:
            self.note(player_index=SEATS.index(seat), refused=number, error=str(error))
        # The error that ended the match belongs to no move of this request, so it has no number.
        return self.error or f"move {number}: {error}"

    def _play_planned(
        self,
        referee: Referee[MoveT],
        seat: Seat,
        planned: PlannedMove[MoveT] | UnreadableMove,
        now: float,
    ) -> None:
        planned = self._check(seat, referee.position.to_move, planned)
        while (first := self._planner.before(referee.position, planned)) is not None:
            self._play(referee, seat, first, now)
        turn = self._planner.turn(referee.position)
        moves = self._planner.moves(referee.position, planned)
        self._note_planned(PlannedMovePlayed(seat, planned, turn), moves, now)
        for move in moves:
            self._play(referee, seat, move, now)

    def _note_planned(
        self, played: PlannedMovePlayed[MoveT], moves: list[MoveT], now: float
    ) -> None:
        """Add a planned move to the log; `moves` are those of which it consists."""
        self._played.append(played)
        self.last_move_at = now
        if not moves:
            # It has no effect, but it is shown among the player's moves.
            self.version += 1
            index, written = SEATS.index(played.seat), self._game.write_move(played.planned.move)
            self.note(player_index=index, without_effect=written)

    def _check(
        self, seat: Seat, to_move: Seat | None, planned: PlannedMove[MoveT] | UnreadableMove
    ) -> PlannedMove[MoveT]:
        """Return the planned move. Raises IllegalMove if the player may make no move at all."""
        if self.result is not None or to_move is None:
            raise IllegalMove(self.error or "the game has ended")
        if to_move is not seat:
            raise IllegalMove(f"it is not player {SEATS.index(seat)}'s turn")
        if isinstance(planned, UnreadableMove):
            raise IllegalMove(planned.reason)
        return planned

    def _play(self, referee: Referee[MoveT], seat: Seat, move: MoveT, now: float) -> None:
        """Make a move that is known to be legal."""
        self.events += referee.play(seat, move, now)
        self._note_move(seat, move, now)

    def _note_move(self, seat: Seat, move: MoveT, now: float) -> None:
        self.last_move_at = now
        self.version += 1
        self.note(player_index=SEATS.index(seat), move=self._game.write_move(move))

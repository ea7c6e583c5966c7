"""One match of a polled table: who has joined, what was wished for, what came of it."""

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
    """Grants wishes: a wish may be several moves, depending on the position it meets."""

    @abstractmethod
    def before(self, position: Position[MoveT], wish: PlannedMove[MoveT]) -> MoveT | None:
        """A move that is to be made first, whatever becomes of the wish; None: no further one."""

    @abstractmethod
    def moves(self, position: Position[MoveT], wish: PlannedMove[MoveT]) -> list[MoveT]:
        """The moves that make up the wish here. Raises IllegalMove, and then none is made.

        There are none if the wish is granted and changes nothing.
        """

    @abstractmethod
    def turn(self, position: Position[MoveT]) -> int:
        """Which turn it is, from 0."""


SEATS = tuple(Seat)

REFUSALS_NOTED = 1000
"""In the log of a match, so that nobody can fill the disk with them."""

NOT_BEGUN = "the game has not begun"


class PolledSeat(msgspec.Struct):
    """A seat that somebody has taken."""

    secret: str | None = None
    key: str = ""
    """What a client of the wire joined with."""
    native: Join | None = None
    """How a native player has joined; None for a client of the wire."""
    last_key: str | None = None
    last_error: str = ""
    """The player's number for what it last submitted, and what was said to that."""

    @property
    def name(self) -> str:
        """Empty for a client of the wire: those have no names."""
        return self.native.name if self.native else ""


class PolledMatch(Generic[MoveT]):
    """From the first who joins to the result."""

    def __init__(self, name: str, game: Game[MoveT], wishes: MovePlanner[MoveT]) -> None:
        """`name` is one that no other match of the room has."""
        self.places: list[PolledSeat] = []
        self.referee: Referee[MoveT] | None = None
        self.error = ""
        """Why it cannot go on, empty if it can."""
        self.version = 0
        """Another one whenever something is shown that was not shown before."""
        self.last_move_at = 0.0
        """When the last move was made or, before the first, when the match began."""
        self.log_lines: list[LogLine] = []
        self.events: list[MatchEvent[MoveT]] = []
        """What has happened since the table last took it from here, to tell a native player."""
        self._name = name
        self._game = game
        self._wishes = wishes
        self._granted: list[PlannedMovePlayed[MoveT]] = []
        self._log: tuple[PlannedMovePlayed[MoveT], ...] = ()
        """The same, as it was when somebody last looked: what is shown must not grow."""
        self._snapshots: dict[Seat | None, tuple[int, Snapshot[MoveT]]] = {}
        """What each viewer was last shown, and which version that was: most clients poll."""
        self._refused = 0
        self.note(game=game.name, terms=write_terms(game))

    @property
    def is_full(self) -> bool:
        """Whether both players are there."""
        return len(self.places) == len(SEATS)

    @property
    def result(self) -> Result | None:
        """How it ended, None while it goes on or has not begun."""
        return self.referee.result if self.referee else None

    def join(self, place: PolledSeat) -> Seat:
        """Somebody takes the next seat. Not checked: that there is one."""
        self.places.append(place)
        self.version += 1
        self.note(joined=len(self.places) - 1)
        return SEATS[len(self.places) - 1]

    def leave(self) -> None:
        """The only player who has joined is gone: all is as before. Not checked: that it is so."""
        self.places.clear()
        self.version = 0
        self.note(left=0)

    def begin(self, clock: Clock, seed: int, now: float) -> None:
        """Both are there."""
        self.referee = Referee(self._game, clock, seed)
        self.events.append(self.referee.begin(now))
        self.last_move_at = now
        self.version += 1

    def place_of(self, seat: Seat) -> PolledSeat | None:
        """Who sits there, None if nobody does."""
        number = SEATS.index(seat)
        return self.places[number] if number < len(self.places) else None

    def is_early(self, after: int) -> bool:
        """Whether somebody who wants to see what comes after that turn must wait."""
        if self.referee is None:
            return True
        return self.result is None and self._wishes.turn(self.referee.position) <= after

    def grant_up_to_refusal(self, request: Submit[MoveT], now: float) -> str:
        """Grants wishes up to the first that is refused, and says why that was."""
        if self.referee is None:
            return NOT_BEGUN
        for number, wish in enumerate(request.wishes):
            try:
                self._grant(self.referee, request.seat, wish, now)
            except IllegalMove as rule:
                return self._refuse(request.seat, number, rule)
        return ""

    def grant_all_or_none(self, request: Submit[MoveT], now: float) -> str:
        """Grants wishes unless one of them is refused, and says why that was."""
        if self.referee is None:
            return NOT_BEGUN
        # What will be played is settled here, once: to ask again might give other moves.
        position = self.referee.position
        planned: list[tuple[list[MoveT], PlannedMovePlayed[MoveT]]] = []
        for number, wish in enumerate(request.wishes):
            try:
                self._check(request.seat, position.to_move, self.result, wish)
                assert isinstance(wish, PlannedMove)
                moves, noted, position = self._plan(position, request.seat, wish)
            except IllegalMove as rule:
                return self._refuse(request.seat, number, rule)
            planned.append((moves, noted))
        for moves, noted in planned:
            self._note_granted(noted, moves, now)
            for move in moves:
                self._play(self.referee, request.seat, move, now)
        return ""

    def _plan(
        self, position: Position[MoveT], seat: Seat, wish: PlannedMove[MoveT]
    ) -> tuple[list[MoveT], PlannedMovePlayed[MoveT], Position[MoveT]]:
        """What a wish would come to. Raises IllegalMove."""
        moves: list[MoveT] = []
        while (first := self._wishes.before(position, wish)) is not None:
            moves.append(first)
            position = position.after(first)
        noted = PlannedMovePlayed(seat, wish, self._wishes.turn(position))
        for move in self._wishes.moves(position, wish):
            moves.append(move)
            position = position.after(move)
        return moves, noted, position

    def play(self, seat: Seat, move: MoveT, now: float) -> bool:
        """A native player makes a single move; nothing is chosen for it.

        Return False if that was refused and changed nothing. Not checked: that the match has begun.
        """
        assert self.referee is not None
        turn = self._wishes.turn(self.referee.position)
        events = self.referee.play(seat, move, now)
        self.events += events
        match events[0]:
            case MovePlayed():
                self._granted.append(PlannedMovePlayed(seat, PlannedMove(move), turn))
                self._note_move(seat, move, now)
            case MoveRefused(fault=fault):
                return fault is MoveFault.ILLEGAL
            case _:
                # Its time was over.
                self.version += 1
        return True

    def retire(self, seat: Seat, ending: Ending, detail: str) -> None:
        """A player gives up or is gone: the other wins. Those who ask are told why."""
        assert self.referee is not None
        self.events += self.referee.retire(seat, ending, detail)
        self.error = detail
        self.version += 1

    def tick(self, now: float) -> bool:
        """Time has passed. Return True if a player has let its turn run out."""
        events = self.referee.tick(now) if self.referee else []
        self.events += events
        if events:
            self.break_off("a player took too long")
        return bool(events)

    def break_off(self, error: str) -> None:
        """Nobody may move any more."""
        self.error = error
        self.version += 1
        if self.referee is not None and self.referee.result is None:
            self.events.append(self.referee.decide(Result(None, Ending.CANCELLED, error)))

    def shown(
        self, viewer: Seat | None, error: str = "", is_refusal: bool = False
    ) -> Snapshot[MoveT]:
        """Return how it stands, with the eyes of that viewer."""
        version, known = self._snapshots.get(viewer, (None, None))
        if known is None or version != self.version:
            if len(self._log) < len(self._granted):
                self._log = tuple(self._granted)
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
        """Something that belongs into the log of this match."""
        self.log_lines.append(LogLine(self._name, content))

    def _refuse(self, seat: Seat, number: int, rule: IllegalMove) -> str:
        """What is said to a wish that a rule forbids."""
        self._refused += 1
        if self._refused <= REFUSALS_NOTED:
            self.note(player_index=SEATS.index(seat), refused=number, error=str(rule))
        # The error that ended the match stands as it is: it belongs to no move of this request.
        return self.error or f"move {number}: {rule}"

    def _grant(
        self,
        referee: Referee[MoveT],
        seat: Seat,
        wish: PlannedMove[MoveT] | UnreadableMove,
        now: float,
    ) -> None:
        self._check(seat, referee.position.to_move, referee.result, wish)
        assert isinstance(wish, PlannedMove)
        while (first := self._wishes.before(referee.position, wish)) is not None:
            self._play(referee, seat, first, now)
        turn = self._wishes.turn(referee.position)
        moves = self._wishes.moves(referee.position, wish)
        self._note_granted(PlannedMovePlayed(seat, wish, turn), moves, now)
        for move in moves:
            self._play(referee, seat, move, now)

    def _note_granted(
        self, noted: PlannedMovePlayed[MoveT], moves: list[MoveT], now: float
    ) -> None:
        """Add a wish to those that were granted; `moves` are what comes of it."""
        self._granted.append(noted)
        self.last_move_at = now
        if not moves:
            # It is shown among the player's moves, though the match goes on as it was.
            self.version += 1
            index, written = SEATS.index(noted.seat), self._game.write_move(noted.wish.move)
            self.note(player_index=index, without_effect=written)

    def _check(
        self,
        seat: Seat,
        to_move: Seat | None,
        result: Result | None,
        wish: PlannedMove[MoveT] | UnreadableMove,
    ) -> None:
        """Raises IllegalMove if a wish need not be looked at any further."""
        if result is not None or to_move is None:
            raise IllegalMove(self.error or "the game has ended")
        if to_move is not seat:
            raise IllegalMove(f"it is not player {SEATS.index(seat)}'s turn")
        if isinstance(wish, UnreadableMove):
            raise IllegalMove(wish.reason)

    def _play(self, referee: Referee[MoveT], seat: Seat, move: MoveT, now: float) -> None:
        """Makes a move that is known to be legal."""
        self.events += referee.play(seat, move, now)
        self._note_move(seat, move, now)

    def _note_move(self, seat: Seat, move: MoveT, now: float) -> None:
        self.last_move_at = now
        self.version += 1
        self.note(player_index=SEATS.index(seat), move=self._game.write_move(move))

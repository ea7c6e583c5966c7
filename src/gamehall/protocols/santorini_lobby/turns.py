"""What a Turn means, which has one Placement and one Direction.

A turn of Santorini needs a worker, a move and a build. So the pair can be the cell moved to and
the build from there, or the worker's cell and its move; then the build is asked for separately
(S0-Q11).
"""

from enum import Enum
from typing import NamedTuple

from gamehall.core import Seat
from gamehall.games.santorini import Cell, SantoriniPosition, Turn
from gamehall.games.santorini.compass import Step
from gamehall.wire.session import UnreadableMoveError


class TurnReading(Enum):
    """What the Placement of a Turn is."""

    AUTO = "auto"
    """The worker's cell if there is an own worker, else the cell moved to."""
    DESTINATION = "destination"
    ORIGIN = "origin"


class TurnParts(NamedTuple):
    """The parts of a Turn as they were sent; `step` and `to` stand in the same place."""

    placement: Cell
    step: Step | None
    to: Cell | None
    build: Step | None
    """Only in the forms with three parts, which leave no doubt (S0-Q14)."""

    @property
    def is_explicit(self) -> bool:
        """Whether it names the worker, the move and the build."""
        return self.to is not None or self.build is not None


class HalfTurn(NamedTuple):
    """A worker that is to move, and whose build is still to be asked for."""

    origin: Cell
    to: Cell


class Meaning(NamedTuple):
    """What an answer means, and by which reading; None if it left no doubt."""

    move: Turn | HalfTurn
    reading: TurnReading | None


def understand(
    answer: TurnParts,
    position: SantoriniPosition,
    seat: Seat,
    reading: TurnReading,
    half: HalfTurn | None,
) -> Meaning:
    """The turn, or half of it, that an answer means. Raises UnreadableMoveError.

    Whether it is legal is for the rules to say.
    """
    if answer.is_explicit:
        turn = _explicit(answer, position)
        if half is not None and (turn.origin, turn.to) != half:
            raise UnreadableMoveError("a worker has moved already, and is to build")
        return Meaning(turn, None)
    own = position.workers_of(seat)
    if half is not None:
        return Meaning(_second_half(answer, half), TurnReading.ORIGIN)
    if reading is TurnReading.AUTO:
        # Nobody can move onto an own worker, so this is certain.
        is_origin = answer.placement in own
        reading = TurnReading.ORIGIN if is_origin else TurnReading.DESTINATION
    if reading is TurnReading.DESTINATION:
        return Meaning(_destination(answer, position, own), reading)
    if answer.placement not in own:
        raise UnreadableMoveError("there is no worker of yours at that Placement")
    return Meaning(_origin(answer, position), reading)


def _explicit(answer: TurnParts, position: SantoriniPosition) -> Turn:
    """[from, moveDir, buildDir] or [from, to, buildDir]."""
    origin = answer.placement
    to = answer.step.leads_to(origin) if answer.step is not None else answer.to
    assert to is not None
    return _turn(position, origin, to, answer.build)


def _destination(answer: TurnParts, position: SantoriniPosition, own: tuple[Cell, ...]) -> Turn:
    """[to, buildDir]: whichever worker can do that, the one placed first if both can (S0-Q12)."""
    turns = [_turn(position, worker, answer.placement, answer.step) for worker in own]
    return next((turn for turn in turns if position.allows(turn)), turns[0])


def _origin(answer: TurnParts, position: SantoriniPosition) -> Turn | HalfTurn:
    """[from, moveDir]: the whole turn if it wins, and otherwise half of it."""
    if answer.step is None:
        raise UnreadableMoveError("a move needs a Direction")
    origin = answer.placement
    to = answer.step.leads_to(origin)
    # Wherever a worker can move without winning, it can build where it came from (SR-08).
    turn = _turn(position, origin, to, Step(-answer.step.rows, -answer.step.columns))
    if turn.build is None or not position.allows(turn):
        return turn
    return HalfTurn(origin, to)


def _second_half(answer: TurnParts, half: HalfTurn) -> Turn:
    """[the worker's new or old cell, buildDir]."""
    if answer.placement not in half:
        raise UnreadableMoveError("a build is by the worker that has just moved")
    if answer.step is None:
        raise UnreadableMoveError("a build needs a Direction")
    return Turn(half.origin, half.to, answer.step.leads_to(half.to))


def _turn(position: SantoriniPosition, origin: Cell, to: Cell, build: Step | None) -> Turn:
    """A turn with the build left out if the move wins (S0-Q13)."""
    if build is None or position.wins_at(to):
        return Turn(origin, to, None)
    return Turn(origin, to, build.leads_to(to))

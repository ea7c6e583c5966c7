"""Interpret a Turn, which has one Placement and one Direction.

A turn of Santorini needs a worker, a move and a build. So the pair is either the cell moved to and
the build, or the worker's cell and its move; then another prompt asks for the build (S0-Q11).
"""

from enum import Enum
from typing import NamedTuple

from gamehall.core import Seat
from gamehall.games.santorini import Cell, SantoriniPosition, Turn
from gamehall.games.santorini.compass import Step
from gamehall.wire.session import UnreadableMoveError


class TurnReading(Enum):
    """What the Placement of a Turn means."""

    AUTO = "auto"
    """The worker's cell if an own worker stands there, else the cell moved to."""
    DESTINATION = "destination"
    ORIGIN = "origin"


class TurnParts(NamedTuple):
    """The parts of a Turn as they were sent. `step` and `to` are in the same place."""

    placement: Cell
    step: Step | None
    to: Cell | None
    build: Step | None
    """Only in the forms with three parts, which are unambiguous (S0-Q14)."""

    @property
    def is_explicit(self) -> bool:
        return self.to is not None or self.build is not None


class HalfTurn(NamedTuple):
    """A move whose build must still be asked for."""

    origin: Cell
    to: Cell


class Meaning(NamedTuple):
    """What an answer means."""

    move: Turn | HalfTurn
    reading: TurnReading | None
    """How it was read, None if it was unambiguous."""


def interpret(
    answer: TurnParts,
    position: SantoriniPosition,
    seat: Seat,
    reading: TurnReading,
    half: HalfTurn | None,
) -> Meaning:
    """Return the turn, or half of it, that an answer means. Raises UnreadableMoveError.

    Not checked: that it is legal.
    """
    if answer.is_explicit:
        turn = _explicit(answer, position)
        if half is not None and (turn.origin, turn.to) != half:
            raise UnreadableMoveError("the worker has moved already and must build")
        return Meaning(turn, None)
    own = position.workers_of(seat)
    if half is not None:
        return Meaning(_second_half(answer, half), TurnReading.ORIGIN)
    if reading is TurnReading.AUTO:
        # A worker cannot move to another worker's cell, so this is certain.
        is_origin = answer.placement in own
        reading = TurnReading.ORIGIN if is_origin else TurnReading.DESTINATION
    if reading is TurnReading.DESTINATION:
        return Meaning(_destination(answer, position, own), reading)
    if answer.placement not in own:
        raise UnreadableMoveError("you have no worker at that Placement")
    return Meaning(_origin(answer, position), reading)


def _explicit(answer: TurnParts, position: SantoriniPosition) -> Turn:
    """Read [from, moveDir, buildDir] or [from, to, buildDir]."""
    origin = answer.placement
    to = answer.step.leads_to(origin) if answer.step is not None else answer.to
    assert to is not None
    return _turn(position, origin, to, answer.build)


def _destination(answer: TurnParts, position: SantoriniPosition, own: tuple[Cell, ...]) -> Turn:
    """Read [to, buildDir]. If both workers can do that, the one placed first does (S0-Q12)."""
    turns = [_turn(position, worker, answer.placement, answer.step) for worker in own]
    return next((turn for turn in turns if position.allows(turn)), turns[0])


def _origin(answer: TurnParts, position: SantoriniPosition) -> Turn | HalfTurn:
    """Read [from, moveDir]. Return the whole turn if the move wins, otherwise half of it."""
    if answer.step is None:
        raise UnreadableMoveError("a move needs a Direction")
    origin = answer.placement
    to = answer.step.leads_to(origin)
    # After any move that does not win, the worker can build on the cell it came from (SR-08). So
    # the move is legal if the turn with that build is.
    turn = _turn(position, origin, to, Step(-answer.step.rows, -answer.step.columns))
    if turn.build is None or not position.allows(turn):
        return turn
    return HalfTurn(origin, to)


def _second_half(answer: TurnParts, half: HalfTurn) -> Turn:
    """Read [the worker's new or old cell, buildDir]."""
    if answer.placement not in half:
        raise UnreadableMoveError("the worker that has just moved must build")
    if answer.step is None:
        raise UnreadableMoveError("a build needs a Direction")
    return Turn(half.origin, half.to, answer.step.leads_to(half.to))


def _turn(position: SantoriniPosition, origin: Cell, to: Cell, build: Step | None) -> Turn:
    """Return a turn, without its build if the move wins (S0-Q13)."""
    if build is None or position.wins_at(to):
        return Turn(origin, to, None)
    return Turn(origin, to, build.leads_to(to))

"""Read and write the JSON values of a Santorini tournament."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from gamehall.games.santorini import Cell
from gamehall.games.santorini.compass import Step, east_or_west, north_or_south, read_step
from gamehall.tournaments.standings import Win
from gamehall.wire.framing import ProtocolError
from gamehall.wire.json import two_whole_numbers, two_words

NAME = re.compile(r"[a-z]+")
"""Sign-up names (S1-02) and the names given by the server (S1-04)."""
LONGEST_NAME = 256

CHECKS = ("check-placement", "check-turn")

WINNER, LOSER, CHEATER = "WINNER", "LOSER", "CHEATER"


class TurnRequest(NamedTuple):
    """[worker-id, Direction] or [worker-id, Direction, Direction]."""

    worker: str
    move: Step
    build: Step | None


def check_name(name: str, lenient: bool) -> None:
    """Raise ProtocolError if this is not a sign-up name; lenient: if it is too long (S1-Q03)."""
    if len(name) > LONGEST_NAME or not (lenient or NAME.fullmatch(name)):
        raise ProtocolError(
            f"{name[:40]!r} is not a sign-up name: it has 1 to {LONGEST_NAME} lower-case letters"
        )


def read_only_request(values: list[object]) -> object:
    """Return the request of a check from the values after its name. Raises ProtocolError."""
    if len(values) != 1:
        raise ProtocolError("a check has exactly one request")
    return values[0]


def read_placement(value: object, base: int) -> Cell:
    """Read a placement-request, [row, column]. Raises ProtocolError."""
    numbers = two_whole_numbers(value)
    if numbers is None:
        raise ProtocolError("a placement is [row, column]")
    return Cell(numbers[0] - base, numbers[1] - base)


def read_turn(value: object, strict: bool) -> TurnRequest:
    """Read a turn-request. Raises ProtocolError."""
    if isinstance(value, list) and 2 <= len(value) <= 3 and isinstance(value[0], str):
        build = _read_direction(value[2], strict) if len(value) == 3 else None
        return TurnRequest(value[0], _read_direction(value[1], strict), build)
    raise ProtocolError("a turn is [worker-id, Direction] or [worker-id, Direction, Direction]")


def _read_direction(value: object, strict: bool) -> Step:
    words = two_words(value)
    if words is not None:
        # S1-Q15: the words may be in the other order or in another letter case.
        step = DIRECTIONS.get(words) or (None if strict else read_step(words))
        if step is not None:
            return step
    raise ProtocolError('a Direction is [EastWest, NorthSouth], as in ["EAST","PUT"]')


DIRECTIONS = {
    (east_west, north_south): step
    for east_west in ("EAST", "PUT", "WEST")
    for north_south in ("NORTH", "PUT", "SOUTH")
    if (step := read_step((east_west, north_south)))
}
"""The nine Directions as they are defined (S1-22)."""


def write_direction(step: Step) -> list[str]:
    """Return a Direction, [EastWest, NorthSouth]."""
    return [east_or_west(step).upper(), north_or_south(step).upper()]


def tournament_result(cheaters: Iterable[str], wins: Iterable[Win]) -> list[object]:
    """Return a tournament-result, [Cheaters, [Game, ...]]."""
    return [list(cheaters), [list(win) for win in wins]]

"""Read and write the JSON values of the Santorini lobby."""

from collections.abc import Sequence

from gamehall.core import Seat
from gamehall.games.santorini import Cell, SantoriniPosition
from gamehall.games.santorini.compass import Step, east_or_west, north_or_south, read_step
from gamehall.protocols.santorini_lobby.turns import HalfTurn, TurnParts
from gamehall.wire.json import two_whole_numbers, two_words
from gamehall.wire.session import UnreadableMoveError

LONGEST_NAME = 256

PLAYERS = {seat: str(seat.value) for seat in Seat}
"""The names of the players on a board: 1 placed its workers first (S0-Q18)."""

NORTH_SOUTH = ("North", "South", "Put")
EAST_WEST = ("East", "West", "Put")


def read_placement(parts: Sequence[object], base: int, strict: bool) -> Cell:
    """Read [posx, posy], also without its brackets (S0-Q28). Raises UnreadableMoveError."""
    cell = read_cell(parts[0], base, strict) if parts else None
    if cell is None and not strict and len(parts) >= 2:
        cell = read_cell([parts[0], parts[1]], base, strict)
    if cell is None:
        raise UnreadableMoveError("a Placement is [posx, posy]")
    return cell


def read_turn(parts: Sequence[object], base: int, strict: bool) -> TurnParts:
    """Read [Placement, Direction], also without its brackets (S0-Q28).

    Raises UnreadableMoveError.
    """
    if parts and isinstance(parts[0], list) and two_whole_numbers(parts[0]) is None:
        parts = parts[0]
    elif strict:
        raise UnreadableMoveError("a Turn is [Placement, Direction]")
    placement = read_cell(parts[0], base, strict) if parts else None
    if placement is None:
        raise UnreadableMoveError("a Turn begins with a Placement, [posx, posy]")
    second = parts[1] if len(parts) > 1 else None
    third = parts[2] if len(parts) > 2 else None
    step, to = read_direction(second, strict), read_cell(second, base, strict)
    build = read_direction(third, strict)
    # S0-Q13: a winning move needs no Direction; whether it wins is checked later.
    if step is None and to is None and (second is not None or build is not None):
        raise UnreadableMoveError("a Direction is [NorthSouth, EastWest]")
    # S0-Q06: further elements are ignored; but an array here is meant as a build (S0-Q14).
    if isinstance(third, list) and build is None:
        raise UnreadableMoveError("the Direction of a build is [NorthSouth, EastWest]")
    return TurnParts(placement=placement, step=step, to=to, build=build)


def read_cell(value: object, base: int, strict: bool) -> Cell | None:
    """Read a Placement: the column from the west, then the row from the north (S0-Q16)."""
    numbers = two_whole_numbers(value, as_floats=not strict)
    return Cell(numbers[1] - base, numbers[0] - base) if numbers else None


def read_direction(value: object, strict: bool) -> Step | None:
    """Read a Direction; unless strict, in any order of its words and letter case (S0-Q15)."""
    words = two_words(value)
    if words is None or (strict and not (words[0] in NORTH_SOUTH and words[1] in EAST_WEST)):
        return None
    return read_step(words)


def write_cell(cell: Cell, base: int) -> list[int]:
    return [cell.column + base, cell.row + base]


def write_direction(step: Step) -> list[str]:
    return [north_or_south(step).capitalize(), east_or_west(step).capitalize()]


def board(position: SantoriniPosition, half: HalfTurn | None) -> list[list[int | str]]:
    """Return the board for a client that asked for it (S0-Q18).

    A cell is a height, or "<height><player><1|2>" with a worker. In the middle of a turn, the
    worker has moved and not yet built.
    """
    rows = position.rows(PLAYERS)
    if half is not None:
        (row, column), (to_row, to_column) = half
        label = str(rows[row][column])
        rows[row][column] = int(label[0])
        rows[to_row][to_column] = f"{rows[to_row][to_column]}{label[1:]}"
    return rows

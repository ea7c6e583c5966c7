"""The JSON values of document 000, in both directions."""

from collections.abc import Sequence

from gamehall.core import Seat
from gamehall.games.santorini import Cell, SantoriniPosition
from gamehall.games.santorini.compass import Step, east_or_west, north_or_south, read_step
from gamehall.protocols.santorini_lobby.turns import Answer, HalfTurn
from gamehall.wire.json_reading import two_whole_numbers, two_words
from gamehall.wire.session import NoMove

LONGEST_NAME = 256

PLAYERS = {seat: str(seat.value) for seat in Seat}
"""What the players are called on a board: 1 is who placed first (S0-Q18)."""

NORTH_SOUTH = ("North", "South", "Put")
EAST_WEST = ("East", "West", "Put")


def read_placement(parts: Sequence[object], base: int, strict: bool) -> Cell:
    """Placement, [posx, posy], also written flat as two parts (S0-Q28). Raises NoMove."""
    cell = read_cell(parts[0], base, strict) if parts else None
    if cell is None and not strict and len(parts) >= 2:
        cell = read_cell([parts[0], parts[1]], base, strict)
    if cell is None:
        raise NoMove("a Placement is [posx, posy]")
    return cell


def read_turn(parts: Sequence[object], base: int, strict: bool) -> Answer:
    """Turn, [Placement, Direction], also written flat as two parts (S0-Q28). Raises NoMove."""
    if parts and isinstance(parts[0], list) and two_whole_numbers(parts[0]) is None:
        parts = parts[0]
    elif strict:
        raise NoMove("a Turn is [Placement, Direction]")
    placement = read_cell(parts[0], base, strict) if parts else None
    if placement is None:
        raise NoMove("a Turn begins with a Placement, [posx, posy]")
    second = parts[1] if len(parts) > 1 else None
    third = parts[2] if len(parts) > 2 else None
    step, to = read_direction(second, strict), read_cell(second, base, strict)
    build = read_direction(third, strict)
    # R13: a move that wins needs no Direction, so null will do until it is known whether it wins.
    if step is None and to is None and (second is not None or build is not None):
        raise NoMove("a Direction is [NorthSouth, EastWest]")
    # R6: whatever follows is not looked at, unless it is a Direction that went wrong.
    if isinstance(third, list) and build is None:
        raise NoMove("the Direction of a build is [NorthSouth, EastWest]")
    return Answer(placement, step, to, build)


def read_cell(value: object, base: int, strict: bool) -> Cell | None:
    """A Placement; R16: posx is the column, counted from the west, posy the row from the north."""
    numbers = two_whole_numbers(value, as_floats=not strict)
    return Cell(numbers[1] - base, numbers[0] - base) if numbers else None


def read_direction(value: object, strict: bool) -> Step | None:
    """A Direction. 000 has the words in one order and writing; R15: others are understood too."""
    words = two_words(value)
    if words is None or (strict and not (words[0] in NORTH_SOUTH and words[1] in EAST_WEST)):
        return None
    return read_step(words)


def write_cell(cell: Cell, base: int) -> list[int]:
    """Placement."""
    return [cell.column + base, cell.row + base]


def write_direction(step: Step) -> list[str]:
    """Direction."""
    return [north_or_south(step).capitalize(), east_or_west(step).capitalize()]


def board(position: SantoriniPosition, half: HalfTurn | None) -> list[list[int | str]]:
    """What a client that asked for it is shown: heights, and "<height><player><1|2>" (S0-Q18).

    In the middle of a turn its worker has moved and not yet built.
    """
    rows = position.rows(PLAYERS)
    if half is not None:
        (row, column), (to_row, to_column) = half
        label = str(rows[row][column])
        rows[row][column] = int(label[0])
        rows[to_row][to_column] = f"{rows[to_row][to_column]}{label[1:]}"
    return rows

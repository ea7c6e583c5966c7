"""Go as SGF has it: stones that are put, taken away and played, whatever the rules say."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec
from sgfmill.boards import Board

from gamehall.core import Seat
from gamehall.games.go import Move, Point, Stone, notation, picture
from gamehall.games.go.notation import write as write_move
from gamehall.games.go.notation import write_point

COLOURS: Final = {Seat.FIRST: "b", Seat.SECOND: "w"}
NAMES: Final = {Seat.FIRST: "black", Seat.SECOND: "white"}

POINTS_NAMED = 10
"""Of how many stones that are put at a time each is named."""


class Setup(NamedTuple):
    """Stones that are put onto the board or taken away, outside of the rules."""

    black: frozenset[Point]
    white: frozenset[Point]
    empty: frozenset[Point]


class Played(NamedTuple):
    """A move that somebody made, within the rules or not."""

    seat: Seat
    move: Move
    seconds_left: float | None


class SgfPosition(msgspec.Struct, frozen=True):
    """Stones on a board, however they came there."""

    size: int
    stones: dict[Point, Seat]
    last: Point | None
    captured: dict[Seat, int]

    def diagram(self) -> str:
        """The board in letters."""
        return notation.write_diagram(self.size, self.stones, self.last, self.captured)

    def picture(self) -> str:
        """The board as an SVG document."""
        return picture.draw(self.size, self.stones, self.last, self.captured)

    def in_words(self) -> str:
        """The board in words."""
        return notation.describe(self.size, self.stones, self.captured)


def positions_of(size: int, start: Setup, steps: Iterable[Setup | Played]) -> Iterator[SgfPosition]:
    """Yield the position before the first step, and that after each."""
    board = Board(size)
    captured = dict.fromkeys(Seat, 0)
    _set_up(board, start)
    yield _position(board, None, captured)
    for step in steps:
        last: Point | None = None
        match step:
            case Setup():
                _set_up(board, step)
            case Played(seat, Stone(last)):
                captured = _play(board, seat, last, captured)
            case Played():
                pass
        yield _position(board, last, captured)


def caption(step: Setup | Played, size: int) -> str:
    """Return what was done in a step, in words."""
    match step:
        case Played(seat, move):
            return f"{NAMES[seat]} {write_move(move, size)}"
        case Setup(black, white, empty):
            if len(black) + len(white) + len(empty) > POINTS_NAMED:
                counts = ((len(black), "black"), (len(white), "white"), (len(empty), "empty"))
                return "set up: " + ", ".join(f"{count} {name}" for count, name in counts if count)
            named = (("black", black), ("white", white), ("empty", empty))
            return "set up: " + "; ".join(
                f"{name} {', '.join(write_point(point, size) for point in sorted(points))}"
                for name, points in named
                if points
            )


def _set_up(board: Board, setup: Setup) -> None:
    black, white, empty = ([_place(point, board.side) for point in points] for points in setup)
    board.apply_setup(black, white, empty)


def _play(board: Board, seat: Seat, point: Point, captured: dict[Seat, int]) -> dict[Seat, int]:
    """Put a stone, whatever was there, and return how many stones each has captured then."""
    row, column = _place(point, board.side)
    # A stone on another takes its place: to SGF a move is made, whether legal or not.
    board.apply_setup([], [], [(row, column)])
    before = _counts(board)
    board.play(row, column, COLOURS[seat])
    after = _counts(board)
    taken = {
        seat.other: before[seat] + 1 - after[seat],
        seat: before[seat.other] - after[seat.other],
    }
    return {one: captured[one] + taken[one] for one in Seat}


def _counts(board: Board) -> dict[Seat, int]:
    colours = [colour for colour, _ in board.list_occupied_points()]
    return {seat: colours.count(colour) for seat, colour in COLOURS.items()}


def _position(board: Board, last: Point | None, captured: dict[Seat, int]) -> SgfPosition:
    seats = {colour: seat for seat, colour in COLOURS.items()}
    stones = {
        point_of(place, board.side): seats[colour] for colour, place in board.list_occupied_points()
    }
    return SgfPosition(board.side, stones, last, captured)


def point_of(place: tuple[int, int], size: int) -> Point:
    """Our point of a place of sgfmill, which counts rows from below."""
    return Point(size - 1 - place[0], place[1])


def _place(point: Point, size: int) -> tuple[int, int]:
    return size - 1 - point.row, point.column

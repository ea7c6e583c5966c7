"""Positions and moves of the readable rules on the compiled board, and moves back."""

from gamehall.bots.go.board import BLACK, KO, LAST, LEAD, PASS, WHITE, Board, play, set_up
from gamehall.core import Seat
from gamehall.games.go import GoPosition, Move, Pass, Point, Stone

COLOURS = {Seat.FIRST: BLACK, Seat.SECOND: WHITE}


def index_of(point: Point, size: int) -> int:
    """The index of a point."""
    return (point.row + 1) * (size + 1) + point.column + 1


def index_of_move(move: Move, size: int) -> int:
    """The index of the point of a move, PASS for a pass."""
    return PASS if isinstance(move, Pass) else index_of(move.point, size)


def move_at(index: int, size: int) -> Move:
    """The move to the point of this index, a pass for PASS."""
    row, column = divmod(index, size + 1)
    return Pass() if index == PASS else Stone(Point(row - 1, column - 1))


def set_up_like(board: Board, position: GoPosition) -> None:
    """Makes the board like that of the position, but for ko: what is legal next is not known."""
    size = position.terms.size
    set_up(board, size)
    for point, owner in position.stones.items():
        # Each chain that is on the board has a liberty, so none is captured on the way.
        play(board, index_of(point, size), COLOURS[owner])
    by_black, by_white = position.captured
    board.cells[LEAD] += by_white - by_black
    board.cells[LAST] = PASS if position.last is None else index_of(position.last, size)
    board.cells[KO] = 0

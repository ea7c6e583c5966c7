"""The rules of Santorini in their simplest form, for clients that have to know them.

Written from the rules SR-01 to SR-11, independently of the server's engine. A cell is
(row, column); row 0 is the north edge, column 0 the west edge. A step is (rows to the south,
columns to the east). A worker has the name that it has on the wire: its player's name and 1 or 2.
"""

import re
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

Cell = tuple[int, int]
Step = tuple[int, int]

SIZE = 5
LINE = range(SIZE)
CELLS: list[Cell] = list(product(LINE, LINE))
STEPS: list[Step] = list(product((-1, 0, 1), (-1, 0, 1)))


@dataclass(frozen=True, repr=False)
class Position:
    """The heights of all cells, and the cells of the workers placed so far."""

    heights: dict[Cell, int]
    workers: dict[str, Cell]

    def __repr__(self) -> str:
        """Return the rows from north to south, each worker after the height of its cell."""
        standing = {cell: worker for worker, cell in self.workers.items()}
        rows = (
            " ".join(
                f"{self.heights[row, column]}{standing.get((row, column), '')}" for column in LINE
            )
            for row in LINE
        )
        return f"<{' / '.join(rows)}>"


class Turn(NamedTuple):
    """The step of a worker, and the step from its new cell to where it builds.

    build is None for no build, which is legal only for a move that wins.
    """

    worker: str
    move: Step
    build: Step | None


EMPTY = Position(dict.fromkeys(CELLS, 0), {})


def beside(cell: Cell, step: Step) -> Cell:
    """Return the cell one step away, on the board or not."""
    return cell[0] + step[0], cell[1] + step[1]


def free_cells(position: Position) -> list[Cell]:
    """Return the cells where a worker may be placed."""
    return [cell for cell in CELLS if cell not in position.workers.values()]


def placed(position: Position, worker: str, cell: Cell) -> Position:
    """Return the position with one more worker, or with this worker on another cell."""
    return Position(position.heights, {**position.workers, worker: cell})


def moved(position: Position, turn: Turn) -> Position:
    """Return the position after the move of a turn, and before its build."""
    there = beside(position.workers[turn.worker], turn.move)
    return placed(position, turn.worker, there)


def after(position: Position, turn: Turn) -> Position:
    """Return the position after a legal turn. The build of a winning turn does not take place."""
    if reaches_top(position, turn) or turn.build is None:
        return moved(position, turn)
    site = beside(beside(position.workers[turn.worker], turn.move), turn.build)
    grown = {**position.heights, site: position.heights[site] + 1}
    return Position(grown, moved(position, turn).workers)


def reaches_top(position: Position, turn: Turn) -> bool:
    """Return whether the move of a turn, legal or not, leads to a cell of height 3."""
    return position.heights.get(beside(position.workers[turn.worker], turn.move)) == 3


def fault(position: Position, player: str, turn: Turn) -> str | None:
    """Return why this turn is illegal for the player, None if it is legal."""
    if turn.worker not in position.workers or turn.worker[:-1] != player:
        return "not a worker of this player"
    here = position.workers[turn.worker]
    there = beside(here, turn.move)
    if there == here:
        return "stands still"
    if there not in position.heights:
        return "moves off the board"
    if there in position.workers.values():
        return "moves onto a worker"
    if position.heights[there] == 4:
        return "moves onto a dome"
    if position.heights[there] > position.heights[here] + 1:
        return "climbs more than one level"
    if reaches_top(position, turn):
        return None
    if turn.build is None:
        return "neither wins nor builds"
    site = beside(there, turn.build)
    if site == there:
        return "builds under itself"
    if site not in position.heights:
        return "builds off the board"
    if site in moved(position, turn).workers.values():
        return "builds under a worker"
    if position.heights[site] == 4:
        return "builds on a dome"
    return None


def all_turns(position: Position) -> list[Turn]:
    """Return all turns of the workers on the board, legal or not."""
    builds: list[Step | None] = [None, *STEPS]
    return [Turn(*parts) for parts in product(position.workers, STEPS, builds)]


def legal_turns(position: Position, player: str) -> list[Turn]:
    """Return the legal turns of a player, each winning move once and without a build."""
    return [
        turn
        for turn in all_turns(position)
        if fault(position, player, turn) is None
        and (turn.build is None or not reaches_top(position, turn))
    ]


def faulty_turns(position: Position, player: str) -> dict[str, list[Turn]]:
    """Return the illegal turns of a player, by reason."""
    turns: dict[str, list[Turn]] = {}
    for turn in all_turns(position):
        reason = fault(position, player, turn)
        if reason is not None:
            turns.setdefault(reason, []).append(turn)
    return turns


def ends_game(position: Position, turn: Turn, other: str) -> bool:
    """Return whether a legal turn wins: it reaches the top, or the opponent cannot move then."""
    return reaches_top(position, turn) or not legal_turns(after(position, turn), other)


def follows(before: Position, now: Position, player: str) -> bool:
    """Return whether a legal turn that does not reach the top leads from `before` to `now`."""
    return any(
        after(before, turn) == now
        for turn in legal_turns(before, player)
        if not reaches_top(before, turn)
    )


def follows_placing(known: Position, now: Position, other: str) -> bool:
    """Return whether a player can be asked for its first turn in the position `now`.

    The opponent may have placed workers and made a turn since then.

    Args:
        known: the position after the player's last placement.
    """
    if len(now.workers) != 4:
        return False
    unseen = [worker for worker in now.workers if worker not in known.workers]
    # An unseen worker was placed where it now stands, or one step from there.
    origins = [[beside(now.workers[worker], step) for step in STEPS] for worker in unseen]
    for cells in product(*origins):
        start = known
        for worker, cell in zip(unseen, cells, strict=True):
            if worker[:-1] == other and cell in free_cells(start):
                start = placed(start, worker, cell)
        if start.workers.keys() == now.workers.keys() and (
            start == now or follows(start, now, other)
        ):
            return True
    return False


def read_board(board: object, player_name: str) -> Position:
    """Return the position of a Board on the wire.

    Raises AssertionError for everything but SIZE rows of SIZE cells, each a number 0 to 4 or a
    string of a height, a player's name and 1 or 2.

    Args:
        player_name: a regular expression.
    """
    assert isinstance(board, list), f"a Board is an array of rows, not {board!r}"
    assert len(board) == SIZE, f"{len(board)} rows instead of {SIZE}: {board!r}"
    position = Position({}, {})
    for row, line in enumerate(board):
        assert isinstance(line, list), f"row {row} is not an array: {board!r}"
        assert len(line) == SIZE, f"row {row} has {len(line)} cells, not {SIZE}: {board!r}"
        for column, content in enumerate(line):
            position.heights[row, column], worker = read_cell(content, player_name)
            if worker is not None:
                assert worker not in position.workers, f"{worker} stands twice: {board!r}"
                position.workers[worker] = row, column
    for worker in position.workers:
        assert f"{worker[:-1]}1" in position.workers, f"{worker} without a first: {board!r}"
    return position


def read_cell(content: object, player_name: str) -> tuple[int, str | None]:
    """Return the height and the worker of a Cell on the wire."""
    if isinstance(content, str):
        match = re.fullmatch(f"([0-3])({player_name}[12])", content)
        assert match is not None, f"{content!r} is not a height and a worker"
        return int(match[1]), match[2]
    assert type(content) is int, f"a cell is a number or a string, not {content!r}"
    assert 0 <= content <= 4, f"{content} is not a height 0 to 4"
    return content, None

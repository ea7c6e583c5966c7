"""Base Santorini as plainly as it can be told, for clients that must know what is allowed.

Written from the rules SR-01 to SR-11, without a look at the server's engine. A cell is
(row, column), row 0 is the north edge, column 0 the west edge. A step is (rows to the south,
columns to the east). A worker is called as on the wire: its player's name, then 1 or 2.
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
    """The heights of all cells, and where the workers placed so far stand."""

    heights: dict[Cell, int]
    workers: dict[str, Cell]

    def __repr__(self) -> str:
        """The rows from north to south, workers behind the heights they stand on."""
        standing = {cell: worker for worker, cell in self.workers.items()}
        rows = (
            " ".join(
                f"{self.heights[row, column]}{standing.get((row, column), '')}" for column in LINE
            )
            for row in LINE
        )
        return f"<{' / '.join(rows)}>"


class Turn(NamedTuple):
    """A worker's step and, counted from its new cell, where it builds.

    build is None for "no build", which is right only for a move that wins.
    """

    worker: str
    move: Step
    build: Step | None


EMPTY = Position(dict.fromkeys(CELLS, 0), {})


def beside(cell: Cell, step: Step) -> Cell:
    """The cell one step away, be it on the board or not."""
    return cell[0] + step[0], cell[1] + step[1]


def free_cells(position: Position) -> list[Cell]:
    """Where a worker may be placed."""
    return [cell for cell in CELLS if cell not in position.workers.values()]


def placed(position: Position, worker: str, cell: Cell) -> Position:
    """The position with one worker more."""
    return Position(position.heights, {**position.workers, worker: cell})


def moved(position: Position, turn: Turn) -> Position:
    """The position after the move of the turn and before its build."""
    there = beside(position.workers[turn.worker], turn.move)
    return placed(position, turn.worker, there)


def after(position: Position, turn: Turn) -> Position:
    """The position after a legal turn; the build of a winning turn does not take place."""
    if reaches_top(position, turn) or turn.build is None:
        return moved(position, turn)
    site = beside(beside(position.workers[turn.worker], turn.move), turn.build)
    grown = {**position.heights, site: position.heights[site] + 1}
    return Position(grown, moved(position, turn).workers)


def reaches_top(position: Position, turn: Turn) -> bool:
    """Whether the move of the turn, legal or not, leads to a cell of height 3."""
    return position.heights.get(beside(position.workers[turn.worker], turn.move)) == 3


def fault(position: Position, player: str, turn: Turn) -> str | None:
    """What forbids the player this turn; None when nothing does."""
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
    """All that can be said about the workers on the board, allowed or not."""
    builds: list[Step | None] = [None, *STEPS]
    return [Turn(*parts) for parts in product(position.workers, STEPS, builds)]


def legal_turns(position: Position, player: str) -> list[Turn]:
    """What the player may do; each winning move once, without a build."""
    return [
        turn
        for turn in all_turns(position)
        if fault(position, player, turn) is None
        and (turn.build is None or not reaches_top(position, turn))
    ]


def faulty_turns(position: Position, player: str) -> dict[str, list[Turn]]:
    """What the player may not do, by reason."""
    turns: dict[str, list[Turn]] = {}
    for turn in all_turns(position):
        reason = fault(position, player, turn)
        if reason is not None:
            turns.setdefault(reason, []).append(turn)
    return turns


def ends_game(position: Position, turn: Turn, other: str) -> bool:
    """Whether a legal turn wins: by reaching the top, or as the other player cannot move then."""
    return reaches_top(position, turn) or not legal_turns(after(position, turn), other)


def follows(before: Position, now: Position, player: str) -> bool:
    """Whether one legal turn of the player that does not reach the top leads from before to now."""
    return any(
        after(before, turn) == now
        for turn in legal_turns(before, player)
        if not reaches_top(before, turn)
    )


def follows_placing(known: Position, now: Position, other: str) -> bool:
    """Whether `now` can be my first turn, when `known` is what I knew after my last placement.

    The other player has placed the rest of his workers since then and may have had his turn.
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
    """The position that a Board on the wire stands for.

    player_name is a regular expression. Raises AssertionError for everything but SIZE rows of
    SIZE cells, each a number 0 to 4 or a string of a height, a player's name and 1 or 2.
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
    """Height and worker of a Cell on the wire."""
    if isinstance(content, str):
        match = re.fullmatch(f"([0-3])({player_name}[12])", content)
        assert match is not None, f"{content!r} is not a height and a worker"
        return int(match[1]), match[2]
    assert type(content) is int, f"a cell is a number or a string, not {content!r}"
    assert 0 <= content <= 4, f"{content} is not a height 0 to 4"
    return content, None

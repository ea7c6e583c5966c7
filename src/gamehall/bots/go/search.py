"""The search: from the root down to a position that is new, a playout from there, and back up.

How RAVE and visits are weighed is David Silver's formula in the short form that Pachi and Michi
have. To end a playout as soon as one side is far ahead is folklore (the mercy rule). The numbers
are our own.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    BLACK,
    FIELD,
    LEAD,
    PASS,
    STRIDE,
    Cells,
    PlayoutBoard,
    area_lead,
    copy,
    new_board,
    play,
    play_pass,
)
from gamehall.bots.go.playout import Chance, Shapes, play_out
from gamehall.bots.go.tree import (
    CHILD_COUNT,
    FIRST_CHILD,
    MOVE,
    PRIOR_VISITS,
    RAVE_VISITS,
    RAVE_WINS,
    ROOT,
    VISITS,
    WINS,
    Tree,
    expand,
)

VISITS_TO_EXPAND = 3.0
"""How often a position is played out before it gets children."""
RAVE_EQUAL = 3000.0
"""After how many visits these begin to count more than what RAVE says."""

DEEPEST = 400
LONGEST = 2048
"""How many moves a path down the tree, and one with the playout, may have."""
MOST_CHILDREN = 362


class Desk(NamedTuple):
    """What a search writes on while it thinks."""

    board: PlayoutBoard
    spare: PlayoutBoard
    path: npt.NDArray[np.int64]
    """The nodes from the root down."""
    moves: npt.NDArray[np.int64]
    first_at: npt.NDArray[np.int64]
    """For each point which move was the first there, -1 if none was."""


def new_desk() -> Desk:
    """Return an empty desk."""
    path = np.zeros(DEEPEST + 1, dtype=np.int64)
    moves = np.zeros(LONGEST, dtype=np.int64)
    return Desk(new_board(), new_board(), path, moves, np.full(FIELD, -1, dtype=np.int64))


@compiled
def search(
    root: PlayoutBoard,
    root_colour: int,
    root_passes: int,
    komi: float,
    is_by_territory: bool,
    tree: Tree,
    desk: Desk,
    chance: Chance,
    shapes: Shapes,
    playouts: int,
) -> None:
    """Play this many playouts. The root must have children.

    Under territory scoring stones on the board do not count. Then every stone of the tree costs
    a point, as it does in a game; those of a playout do not, since it fills what is anybody's.
    """
    board, path, moves = desk.board, desk.path, desk.moves
    links, counts = tree.links, tree.counts
    mercy = mercy_of(root.cells, komi)
    for _ in range(playouts):
        copy(root, board)
        colour, passes = root_colour, root_passes
        node = ROOT
        depth = 0
        while passes < 2 and depth < DEEPEST:
            if links[node, CHILD_COUNT] == 0:
                visits = counts[node, VISITS] - counts[node, PRIOR_VISITS]
                if visits < VISITS_TO_EXPAND or tree.used[0] + MOST_CHILDREN > len(links):
                    break
                expand(board, desk.spare, colour, shapes, tree, node)
            node = _best_child(tree, node)
            point = links[node, MOVE]
            moves[depth] = point
            depth += 1
            path[depth] = node
            if point == PASS:
                passes += 1
                play_pass(board.cells)
            else:
                passes = 0
                play(board, point, colour)
            colour = 3 - colour
        lead = -komi
        if is_by_territory:
            lead -= board.cells[LEAD]
        length = depth
        if passes == 2:
            lead += area_lead(board.cells)
        else:
            area, length = play_out(board, desk.spare, colour, chance, shapes, moves, depth, mercy)
            lead += area
        black_won = 1.0 if lead > 0.0 else 0.5 if lead == 0.0 else 0.0
        won = black_won if root_colour == BLACK else 1.0 - black_won
        _learn(tree, path, depth, moves, length, desk.first_at, won)


@compiled
def mercy_of(cells: Cells, komi: float) -> int:
    """Return by how many stones somebody has to lead so that a playout need not go on."""
    size = cells[STRIDE] - 1
    # On small boards even many stones are captured again.
    share = size * size // 3 if size > 5 else size * size
    mercy: int = share + np.int64(abs(komi)) + 1
    return mercy


@compiled
def _best_child(tree: Tree, node: int) -> int:
    """Return the child that promises most."""
    links, counts = tree.links, tree.counts
    first = links[node, FIRST_CHILD]
    best: int = first
    most = -1.0
    for child in range(first, first + links[node, CHILD_COUNT]):
        visits, rave_visits = counts[child, VISITS], counts[child, RAVE_VISITS]
        value = counts[child, WINS] / visits
        if rave_visits > 0.0:
            share = rave_visits / (rave_visits + visits + rave_visits * visits / RAVE_EQUAL)
            value += share * (counts[child, RAVE_WINS] / rave_visits - value)
        if value > most:
            best, most = child, value
    return best


@compiled
def _learn(
    tree: Tree,
    path: Cells,
    depth: int,
    moves: Cells,
    length: int,
    first_at: Cells,
    root_won: float,
) -> None:
    """Tells the nodes on the path, and their children by RAVE, how it went.

    `root_won`: 1 if the player to move at the root has won, 0 if it has lost.
    """
    links, counts = tree.links, tree.counts
    for index in range(length - 1, depth - 1, -1):
        first_at[moves[index]] = index
    for level in range(depth, -1, -1):
        node = path[level]
        to_move_won = root_won if level % 2 == 0 else 1.0 - root_won
        counts[node, VISITS] += 1.0
        counts[node, WINS] += 1.0 - to_move_won
        if level < depth:
            first_at[moves[level]] = level
        first = links[node, FIRST_CHILD]
        for child in range(first, first + links[node, CHILD_COUNT]):
            point = links[child, MOVE]
            at = first_at[point]
            if at >= level and (at - level) % 2 == 0 and point != PASS:
                counts[child, RAVE_VISITS] += 1.0
                counts[child, RAVE_WINS] += to_move_won
    for index in range(length):
        first_at[moves[index]] = -1

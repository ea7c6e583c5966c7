"""The search: descend from the root to a new position, play it out, and update the nodes.

RAVE and visits are weighed by David Silver's formula, in the short form of Pachi and Michi. To end
a playout as soon as one side is far ahead (the mercy rule) is folklore. The numbers are our own.
"""

from typing import NamedTuple

import numpy as np

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    BLACK,
    FIELD,
    PASS,
    PLACED_LEAD,
    STRIDE,
    Board,
    Cells,
    area_lead,
    copy,
    new_board,
    play,
    play_pass,
)
from gamehall.bots.go.playout import Rng, Shapes, play_out
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
"""A node gets children when it has been visited this often."""
RAVE_EQUAL = 3000.0
"""After this many visits, the results of a node weigh as much as those of RAVE."""

MAX_DEPTH = 400
"""The most moves in the tree."""
MAX_MOVES = 2048
"""The most moves in the tree and the playout together."""
MAX_CHILDREN = 362


class Buffers(NamedTuple):
    """Arrays that the search uses while it runs."""

    board: Board
    spare: Board
    path: Cells
    """The nodes from the root down."""
    moves: Cells
    first_at: Cells
    """For each point, the number of the first move there, or -1."""


def new_buffers() -> Buffers:
    """Allocate the buffers of a search."""
    return Buffers(
        board=new_board(),
        spare=new_board(),
        path=np.zeros(MAX_DEPTH + 1, dtype=np.int64),
        moves=np.zeros(MAX_MOVES, dtype=np.int64),
        first_at=np.full(FIELD, -1, dtype=np.int64),
    )


@compiled
def search(
    root: Board,
    root_colour: int,
    root_passes: int,
    komi: float,
    is_by_territory: bool,
    tree: Tree,
    buffers: Buffers,
    rng: Rng,
    shapes: Shapes,
    playouts: int,
) -> None:
    """Run this many playouts. The root must have children.

    Under territory scoring, stones on the board do not count, so every stone in the tree costs a
    point. Stones in a playout do not, since the players fill their own territory there.
    """
    board, path, moves = buffers.board, buffers.path, buffers.moves
    links, counts = tree.links, tree.counts
    mercy = mercy_margin(root.cells, komi)
    for _ in range(playouts):
        copy(root, board)
        colour, passes = root_colour, root_passes
        node = ROOT
        depth = 0
        while passes < 2 and depth < MAX_DEPTH:
            if links[node, CHILD_COUNT] == 0:
                visits = counts[node, VISITS] - counts[node, PRIOR_VISITS]
                if visits < VISITS_TO_EXPAND or tree.used[0] + MAX_CHILDREN > len(links):
                    break
                expand(board, buffers.spare, colour, shapes, tree, node)
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
            lead -= board.cells[PLACED_LEAD]
        length = depth
        if passes == 2:
            lead += area_lead(board.cells)
        else:
            area, length = play_out(board, buffers.spare, colour, rng, shapes, moves, depth, mercy)
            lead += area
        black_won = 1.0 if lead > 0.0 else 0.5 if lead == 0.0 else 0.0
        won = black_won if root_colour == BLACK else 1.0 - black_won
        _update(tree, path, depth, moves, length, buffers.first_at, won)


@compiled
def mercy_margin(cells: Cells, komi: float) -> int:
    """Return the lead in stones at which a playout ends early."""
    size = cells[STRIDE] - 1
    # On small boards, even a large number of stones can still be captured.
    share = size * size // 3 if size > 5 else size * size
    mercy: int = share + np.int64(abs(komi)) + 1
    return mercy


@compiled
def _best_child(tree: Tree, node: int) -> int:
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
def _update(
    tree: Tree,
    path: Cells,
    depth: int,
    moves: Cells,
    length: int,
    first_at: Cells,
    root_won: float,
) -> None:
    """Update the nodes on the path, and the RAVE counts of their children.

    `root_won` is 1 if the player to move at the root has won, 0 if it has lost.
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

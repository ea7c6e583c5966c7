"""The tree of a search, and the priors of its new nodes.

A node is a row of two arrays. The children of a node stand side by side. Wins are counted for the
player who made the move that leads to the node.

Priors are visits and wins that a move has before it was tried. What counts, and the numbers, are
those of Michi by Petr Baudis (2015); those for the pass are our own. Distances along chains are
those of the common fate graph (Thore Graepel and others, "Learning on Graphs in the Game of Go",
2001).
"""

from collections.abc import Collection
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    BLACK,
    BONUS,
    BREATHS,
    COLOUR,
    EDGE,
    EMPTY,
    FOUND,
    FREE,
    FREE_COUNT,
    HEAD,
    LAST,
    MARK,
    NEXT,
    PASS,
    STACK,
    STONES,
    STRIDE,
    WHITE,
    Cells,
    PlayoutBoard,
    is_legal,
    liberty,
)
from gamehall.bots.go.playout import Shapes, code_around
from gamehall.bots.go.tactics import add_chases, add_escapes, add_rescues, is_eye, is_self_atari

Links: TypeAlias = npt.NDArray[np.int64]
Counts: TypeAlias = npt.NDArray[np.float32]

MOVE, FIRST_CHILD, CHILD_COUNT = range(3)
"""Columns of links. A node without children has not been looked at closely."""
VISITS, WINS, RAVE_VISITS, RAVE_WINS, PRIOR_VISITS, PRIOR_WINS = range(6)
"""Columns of counts. Visits and wins begin with prior ones: what is expected beforehand.

RAVE: how it went whenever the move was made by the same player later on, as if it were made now.
"""

ROOT = 0


class Tree(NamedTuple):
    """Room for nodes, and how many there are, which is an array of one number."""

    links: Links
    counts: Counts
    used: npt.NDArray[np.int64]


def new_tree(room: int) -> Tree:
    """Return a tree that consists of a root without children."""
    links = np.zeros((room, 3), dtype=np.int64)
    counts = np.zeros((room, 6), dtype=np.float32)
    return Tree(links, counts, np.ones(1, dtype=np.int64))


def make_bare(tree: Tree) -> None:
    """Take all nodes out of a tree but the root."""
    tree.links[ROOT] = 0
    tree.counts[ROOT] = 0.0
    tree.used[0] = 1


def children(tree: Tree, node: int) -> range:
    """Return the nodes that one move leads to."""
    first = int(tree.links[node, FIRST_CHILD])
    return range(first, first + int(tree.links[node, CHILD_COUNT]))


def child_by(tree: Tree, node: int, move: int) -> int:
    """Return the node that a move leads to, ROOT if it is not there."""
    found = (child for child in children(tree, node) if tree.links[child, MOVE] == move)
    return next(found, ROOT)


def keep_children(tree: Tree, moves: Collection[int]) -> None:
    """Leave the root only the children that these moves lead to."""
    all_children = children(tree, ROOT)
    kept = [child for child in all_children if int(tree.links[child, MOVE]) in moves]
    # What stands further right is copied further left, so nothing is overwritten too early.
    for target, child in zip(all_children, kept, strict=False):
        tree.links[target] = tree.links[child]
        tree.counts[target] = tree.counts[child]
    tree.links[ROOT, CHILD_COUNT] = len(kept)


@compiled
def copy_subtree(tree: Tree, node: int, target: Tree) -> None:
    """Make the target a tree of what is below a node, which becomes its root."""
    links, counts = tree.links, tree.counts
    for column in range(3):
        target.links[ROOT, column] = links[node, column]
    for column in range(6):
        target.counts[ROOT, column] = counts[node, column]
    used = 1
    # What has been copied and not yet looked at still knows its children in the old tree.
    looked_at = 0
    while looked_at < used:
        first, count = target.links[looked_at, FIRST_CHILD], target.links[looked_at, CHILD_COUNT]
        target.links[looked_at, FIRST_CHILD] = used
        for child in range(first, first + count):
            for column in range(3):
                target.links[used, column] = links[child, column]
            for column in range(6):
                target.counts[used, column] = counts[child, column]
            used += 1
        looked_at += 1
    target.used[0] = used


EVEN = 10.0
"""Visits of every move, half of which are wins."""
SELF_ATARI = 10
"""Losses."""
CAPTURE_ONE, CAPTURE_MANY = 15, 30
"""Wins for what captures or saves one stone, or more."""
SHAPE = 10
NEAREST, NEAR, NEARBY = 24, 22, 8
"""Wins at a distance of one, two and three from the last move."""
FARTHEST = 3
OPENING = 10
"""Where no stones are near: wins on the third line, losses on the two below it."""
PASSING = 10.0
"""Visits, half of which are wins if it may be time to pass; otherwise all are losses."""


@compiled
def expand(
    board: PlayoutBoard, spare: PlayoutBoard, colour: int, shapes: Shapes, tree: Tree, node: int
) -> None:
    """Give a node its children: moves that make sense, and the pass."""
    cells = board.cells
    first = tree.used[0]
    tree.links[node, FIRST_CHILD] = first
    free_count = cells[FREE_COUNT]
    for index in range(free_count):
        cells[BONUS + cells[FREE + index]] = 0
    _add_captures(board, spare, colour)
    _mark_distances(cells)
    child = first
    for index in range(free_count):
        point = cells[FREE + index]
        if is_eye(cells, point, colour) or not is_legal(cells, point, colour):
            continue
        good, bad = cells[BONUS + point], 0
        if is_self_atari(board, point, colour):
            bad += SELF_ATARI
        if shapes[code_around(cells, point)]:
            good += SHAPE
        distance = cells[MARK + point]
        if distance == 1:
            good += NEAREST
        elif distance == 2:
            good += NEAR
        elif distance == 3:
            good += NEARBY
        height = _line(cells, point)
        if height < 3 and _is_lonely(cells, point):
            if height == 2:
                good += OPENING
            else:
                bad += OPENING
        _set(tree, child, point, EVEN + good + bad, EVEN / 2 + good)
        child += 1
    size = cells[STRIDE] - 1
    is_late = 3 * free_count < size * size or cells[LAST] == PASS
    _set(tree, child, PASS, PASSING, PASSING / 2 if is_late else 0.0)
    tree.used[0] = child + 1
    tree.links[node, CHILD_COUNT] = child + 1 - first


@compiled
def _set(tree: Tree, node: int, move: int, visits: float, wins: float) -> None:
    """Make a node that has only been heard of."""
    links, counts = tree.links, tree.counts
    links[node, MOVE] = move
    links[node, CHILD_COUNT] = 0
    counts[node, VISITS] = visits
    counts[node, WINS] = wins
    counts[node, PRIOR_VISITS] = visits
    counts[node, PRIOR_WINS] = wins
    counts[node, RAVE_VISITS] = 0.0
    counts[node, RAVE_WINS] = 0.0


@compiled
def _add_captures(board: PlayoutBoard, spare: PlayoutBoard, colour: int) -> None:
    """Give a bonus to what captures or catches stones, and to what saves such."""
    cells = board.cells
    stride = cells[STRIDE]
    for head in range(stride, (stride + 1) * stride):
        here = cells[COLOUR + head]
        if (here != BLACK and here != WHITE) or cells[HEAD + head] != head:
            continue
        count = 0
        if cells[BREATHS + head] == 1:
            if here == colour:
                count = add_escapes(board, spare, head, count)
            else:
                cells[FOUND] = liberty(board, head)
                count = 1
        elif cells[BREATHS + head] == 2:
            if here == colour:
                count = add_rescues(board, spare, head, count)
            else:
                count = add_chases(board, spare, head, count)
        gain = CAPTURE_ONE if cells[STONES + head] == 1 else CAPTURE_MANY
        for index in range(count):
            point = cells[FOUND + index]
            cells[BONUS + point] = max(cells[BONUS + point], gain)


@compiled
def _mark_distances(cells: Cells) -> None:
    """Mark empty points by their distance from the last move, 0 if it is large.

    Chains are crossed at no cost: what happens to one stone of a chain happens to all.
    """
    stride = cells[STRIDE]
    for point in range(stride, (stride + 1) * stride):
        cells[MARK + point] = 0
    last = cells[LAST]
    if last == PASS or cells[COLOUR + last] == EMPTY:
        return
    bottom = top = 0
    distance = 1
    top = _push_chain(cells, last, distance, top)
    while bottom < top:
        point = cells[STACK + bottom]
        bottom += 1
        distance = cells[MARK + point]
        if distance > FARTHEST:
            break
        for step in (-stride, -1, 1, stride):
            beside = point + step
            here = cells[COLOUR + beside]
            if here == EDGE or cells[MARK + beside] != 0:
                continue
            if here == EMPTY:
                cells[MARK + beside] = distance + 1
                cells[STACK + top] = beside
                top += 1
            else:
                top = _push_chain(cells, beside, distance + 1, top)
    for index in range(top):
        cells[MARK + cells[STACK + index]] -= 1


@compiled
def _push_chain(cells: Cells, stone: int, mark: int, top: int) -> int:
    start = stone
    while True:
        cells[MARK + stone] = mark
        cells[STACK + top] = stone
        top += 1
        stone = cells[NEXT + stone]
        if stone == start:
            return top


@compiled
def _line(cells: Cells, point: int) -> int:
    """Return how many lines are between a point and the nearest edge."""
    stride = cells[STRIDE]
    size = stride - 1
    row, column = point // stride - 1, point % stride - 1
    height: int = min(min(row, size - 1 - row), min(column, size - 1 - column))
    return height


@compiled
def _is_lonely(cells: Cells, point: int) -> bool:
    """Return True if there is no stone within three steps."""
    stride = cells[STRIDE]
    size = stride - 1
    row, column = point // stride, point % stride
    for above in range(max(1, row - 3), min(size, row + 3) + 1):
        rest = 3 - abs(above - row)
        for beside in range(max(1, column - rest), min(size, column + rest) + 1):
            if cells[COLOUR + above * stride + beside] != EMPTY:
                return False
    return True

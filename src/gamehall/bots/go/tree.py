"""The tree of a search, and the priors of its new nodes.

A node is a row in each of two arrays. The children of a node are consecutive rows. Wins count for
the player who made the move that leads to the node.

Priors are visits and wins that a move has before it was tried. Their criteria and numbers are those
of Michi by Petr Baudis (2015), except for the pass, which is our own. Distances along chains are
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
    COLOUR,
    EDGE,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_POINTS,
    FOUND,
    HEAD,
    LAST,
    LIBERTY_COUNT,
    MARK,
    NEXT,
    PASS,
    STACK,
    STONES,
    STRIDE,
    WHITE,
    Board,
    Cells,
    is_legal,
    liberty,
)
from gamehall.bots.go.playout import Shapes, neighbourhood_code
from gamehall.bots.go.tactics import add_attacks, add_defences, add_escapes, is_eye, is_self_atari

Links: TypeAlias = npt.NDArray[np.int64]
Counts: TypeAlias = npt.NDArray[np.float32]

MOVE, FIRST_CHILD, CHILD_COUNT = range(3)
"""Columns of links."""
VISITS, WINS, RAVE_VISITS, RAVE_WINS, PRIOR_VISITS, PRIOR_WINS = range(6)
"""Columns of counts. VISITS and WINS include the priors.

RAVE counts the playouts in which the same player made the move here or later.
"""

ROOT = 0


class Tree(NamedTuple):
    """The nodes of a tree."""

    links: Links
    counts: Counts
    used: npt.NDArray[np.int64]
    """An array of one number: how many rows are used."""


def new_tree(capacity: int) -> Tree:
    """Return a tree that consists of a root without children."""
    links = np.zeros((capacity, 3), dtype=np.int64)
    counts = np.zeros((capacity, 6), dtype=np.float32)
    return Tree(links, counts, np.ones(1, dtype=np.int64))


def clear(tree: Tree) -> None:
    """Remove all nodes except the root."""
    tree.links[ROOT] = 0
    tree.counts[ROOT] = 0.0
    tree.used[0] = 1


def children(tree: Tree, node: int) -> range:
    first = int(tree.links[node, FIRST_CHILD])
    return range(first, first + int(tree.links[node, CHILD_COUNT]))


def child_with_move(tree: Tree, node: int, move: int) -> int:
    """Return the child that a move leads to, or ROOT."""
    found = (child for child in children(tree, node) if tree.links[child, MOVE] == move)
    return next(found, ROOT)


def keep_children(tree: Tree, moves: Collection[int]) -> None:
    """Remove the children of the root that other moves lead to."""
    all_children = children(tree, ROOT)
    kept = [child for child in all_children if int(tree.links[child, MOVE]) in moves]
    # Rows are only copied to the left, so none is overwritten before it is copied.
    for target, child in zip(all_children, kept, strict=False):
        tree.links[target] = tree.links[child]
        tree.counts[target] = tree.counts[child]
    tree.links[ROOT, CHILD_COUNT] = len(kept)


@compiled
def copy_subtree(tree: Tree, node: int, target: Tree) -> None:
    """Copy a node, as the root, and everything below it to the target."""
    links, counts = tree.links, tree.counts
    for column in range(3):
        target.links[ROOT, column] = links[node, column]
    for column in range(6):
        target.counts[ROOT, column] = counts[node, column]
    used = 1
    # Rows from `done` on still refer to their children in the old tree.
    done = 0
    while done < used:
        first, count = target.links[done, FIRST_CHILD], target.links[done, CHILD_COUNT]
        target.links[done, FIRST_CHILD] = used
        for child in range(first, first + count):
            for column in range(3):
                target.links[used, column] = links[child, column]
            for column in range(6):
                target.counts[used, column] = counts[child, column]
            used += 1
        done += 1
    target.used[0] = used


# Priors.
EVEN = 10.0
"""Visits of every move, half of them wins."""
SELF_ATARI = 10
"""Losses for a self-atari."""
CAPTURE_ONE, CAPTURE_MANY = 15, 30
"""Wins for a move that captures or saves one stone, or more."""
SHAPE = 10
"""Wins for the middle of a shape."""
DISTANCE_1, DISTANCE_2, DISTANCE_3 = 24, 22, 8
"""Wins at this distance from the last move."""
MAX_DISTANCE = 3
OPENING = 10
"""Where no stones are near: wins on the third line, losses on the two lines below it."""
PASSING = 10.0
"""Visits of a pass. Half of them are wins late in the game or after a pass, otherwise none."""


@compiled
def expand(board: Board, spare: Board, colour: int, shapes: Shapes, tree: Tree, node: int) -> None:
    """Give a node its children: the pass, and all legal moves except into own eyes."""
    cells = board.cells
    first = tree.used[0]
    tree.links[node, FIRST_CHILD] = first
    empty_count = cells[EMPTY_COUNT]
    for index in range(empty_count):
        cells[BONUS + cells[EMPTY_POINTS + index]] = 0
    _add_captures(board, spare, colour)
    _mark_distances(cells)
    child = first
    for index in range(empty_count):
        point = cells[EMPTY_POINTS + index]
        if is_eye(cells, point, colour) or not is_legal(cells, point, colour):
            continue
        good, bad = cells[BONUS + point], 0
        if is_self_atari(board, point, colour):
            bad += SELF_ATARI
        if shapes[neighbourhood_code(cells, point)]:
            good += SHAPE
        distance = cells[MARK + point]
        if distance == 1:
            good += DISTANCE_1
        elif distance == 2:
            good += DISTANCE_2
        elif distance == 3:
            good += DISTANCE_3
        height = _line(cells, point)
        if height < 3 and _is_isolated(cells, point):
            if height == 2:
                good += OPENING
            else:
                bad += OPENING
        _set_node(tree, child, point, EVEN + good + bad, EVEN / 2 + good)
        child += 1
    size = cells[STRIDE] - 1
    is_late = 3 * empty_count < size * size or cells[LAST] == PASS
    _set_node(tree, child, PASS, PASSING, PASSING / 2 if is_late else 0.0)
    tree.used[0] = child + 1
    tree.links[node, CHILD_COUNT] = child + 1 - first


@compiled
def _set_node(tree: Tree, node: int, move: int, visits: float, wins: float) -> None:
    """Initialize a node without children."""
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
def _add_captures(board: Board, spare: Board, colour: int) -> None:
    """Set the bonus of moves that capture or save stones, also by a ladder."""
    cells = board.cells
    stride = cells[STRIDE]
    for head in range(stride, (stride + 1) * stride):
        here = cells[COLOUR + head]
        if (here != BLACK and here != WHITE) or cells[HEAD + head] != head:
            continue
        count = 0
        if cells[LIBERTY_COUNT + head] == 1:
            if here == colour:
                count = add_escapes(board, spare, head, count)
            else:
                cells[FOUND] = liberty(board, head)
                count = 1
        elif cells[LIBERTY_COUNT + head] == 2:
            if here == colour:
                count = add_defences(board, spare, head, count)
            else:
                count = add_attacks(board, spare, head, count)
        gain = CAPTURE_ONE if cells[STONES + head] == 1 else CAPTURE_MANY
        for index in range(count):
            point = cells[FOUND + index]
            cells[BONUS + point] = max(cells[BONUS + point], gain)


@compiled
def _mark_distances(cells: Cells) -> None:
    """Mark empty points with their distance from the last move, 0 if it is large.

    Steps within a chain count 0, as all its stones share one fate.
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
        if distance > MAX_DISTANCE:
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
    """Return the number of lines between a point and the nearest edge."""
    stride = cells[STRIDE]
    size = stride - 1
    row, column = point // stride - 1, point % stride - 1
    height: int = min(min(row, size - 1 - row), min(column, size - 1 - column))
    return height


@compiled
def _is_isolated(cells: Cells, point: int) -> bool:
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

"""The tree of a search: positions by the moves that lead to them, and how often they were won.

A node is a row of two arrays. The children of a node stand side by side. What was won is seen by
the player who made the move that leads to the node.
"""

from collections.abc import Collection
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled

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
    """A tree that consists of a root without children."""
    links = np.zeros((room, 3), dtype=np.int64)
    counts = np.zeros((room, 6), dtype=np.float32)
    return Tree(links, counts, np.ones(1, dtype=np.int64))


def make_bare(tree: Tree) -> None:
    """Takes all nodes out of a tree but the root."""
    tree.links[ROOT] = 0
    tree.counts[ROOT] = 0.0
    tree.used[0] = 1


def children(tree: Tree, node: int) -> range:
    """The nodes that one move leads to."""
    first = int(tree.links[node, FIRST_CHILD])
    return range(first, first + int(tree.links[node, CHILD_COUNT]))


def child_by(tree: Tree, node: int, move: int) -> int:
    """The node that a move leads to, ROOT if it is not there."""
    found = (child for child in children(tree, node) if tree.links[child, MOVE] == move)
    return next(found, ROOT)


def keep_children(tree: Tree, moves: Collection[int]) -> None:
    """Leaves the root only the children that these moves lead to."""
    all_children = children(tree, ROOT)
    kept = [child for child in all_children if int(tree.links[child, MOVE]) in moves]
    # What stands further right is copied further left, so nothing is overwritten too early.
    for target, child in zip(all_children, kept, strict=False):
        tree.links[target] = tree.links[child]
        tree.counts[target] = tree.counts[child]
    tree.links[ROOT, CHILD_COUNT] = len(kept)


@compiled
def copy_subtree(tree: Tree, node: int, target: Tree) -> None:
    """Makes the target a tree of what is below a node, which becomes its root."""
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

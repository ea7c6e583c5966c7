"""The positions that a game has been through: a set that is a value.

A set of Python would have to be copied for every move. This is a tree of sixteen branches at each
fork, by four bits of the key at a time: adding a key makes anew only the forks on its way, and the
rest is shared. As long as keys are random bits, forks on the way are few.
"""

from typing import TypeAlias

Node: TypeAlias = "tuple[Node | int | None, ...]"
"""For each of the sixteen values of four bits: nothing, one key, or a fork by the next four."""

EMPTY: Node = (None,) * 16


def contains(node: Node, key: int) -> bool:
    """Whether the key has been added."""
    rest = key
    while True:
        found = node[rest & 15]
        if not isinstance(found, tuple):
            return found == key
        node = found
        rest >>= 4


def with_added(node: Node, key: int, depth: int = 0) -> Node:
    """The set with one more key. Not checked: that it is not there already."""
    index = key >> depth & 15
    found = node[index]
    fork: Node | int
    if found is None or found == key:
        fork = key
    elif isinstance(found, tuple):
        fork = with_added(found, key, depth + 4)
    else:
        fork = with_added(with_added(EMPTY, found, depth + 4), key, depth + 4)
    forks = list(node)
    forks[index] = fork
    return tuple(forks)

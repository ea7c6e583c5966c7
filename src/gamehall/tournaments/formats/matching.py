"""Pairs for everybody, where not everybody may be paired with everybody."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
from typing import TypeAlias

Graph: TypeAlias = list[set[int]]
"""For each of those who are numbered from 0 on, with whom it may be paired."""

Mates: TypeAlias = list[int]
"""For each, with whom it is paired; NOBODY for who is not."""

NOBODY = -1


def perfect_matching(graph: Graph, order: Iterable[int] | None = None) -> Mates | None:
    """Return a pairing of everybody, or None if there is none.

    Those who come first in the order are served first, when there is a choice.
    """
    mates = [NOBODY] * len(graph)
    ranks = list(range(len(graph)) if order is None else order)
    for one in ranks:
        if mates[one] == NOBODY:
            free = (other for other in ranks if other in graph[one] and mates[other] == NOBODY)
            other = next(free, NOBODY)
            if other != NOBODY:
                mates[one], mates[other] = other, one
    for one in ranks:
        if mates[one] == NOBODY and not _augment(graph, mates, one, frozenset()):
            return None
    return mates


def first_choice_matching(
    graph: Graph, choices: Callable[[Set[int]], tuple[int, Sequence[int]]]
) -> Mates | None:
    """Return a pairing of everybody in which one after the other chooses; None if there is none.

    `choices` is told who is left and says whose turn it is, and whom that one would have, the
    dearest first, with everybody it may have among them. It gets the dearest that leaves a pairing
    for all others.
    """
    mates = perfect_matching(graph)
    if mates is None:
        return None
    left = set(range(len(graph)))
    gone: set[int] = set()
    while left:
        one, wanted = choices(left)
        for other in wanted:
            if other in graph[one] and other in left:
                trial = _joined(graph, mates, one, other, gone)
                if trial is not None:
                    mates = trial
                    break
        both = {one, mates[one]}
        left -= both
        gone |= both
    return mates


def _joined(graph: Graph, mates: Mates, one: int, other: int, gone: set[int]) -> Mates | None:
    """The pairing changed so that these two are together; None if then not all can be paired."""
    if mates[one] == other:
        return mates
    trial = mates.copy()
    widowed = mates[one]
    trial[mates[one]] = trial[mates[other]] = NOBODY
    trial[one], trial[other] = other, one
    if _augment(graph, trial, widowed, gone | {one, other}):
        return trial
    return None


def _augment(graph: Graph, mates: Mates, root: int, gone: Set[int]) -> bool:
    """Pair one more, by a path along which all change partners; whether there is one.

    Jack Edmonds' algorithm ("Paths, Trees, and Flowers", 1965): a tree of paths grows from the
    root; an odd ring that is found on the way is treated as one, its base. Whoever is gone is not
    there.
    """
    base = list(range(len(graph)))
    parent = [NOBODY] * len(graph)
    is_even = [False] * len(graph)
    is_even[root] = True
    queue = deque([root])

    def common_base(one: int, other: int) -> int:
        passed = set()
        while True:
            one = base[one]
            passed.add(one)
            if mates[one] == NOBODY:
                break
            one = parent[mates[one]]
        while base[other] not in passed:
            other = parent[mates[base[other]]]
        return base[other]

    def mark_ring(one: int, end: int, child: int, ring: set[int]) -> None:
        while base[one] != end:
            ring |= {base[one], base[mates[one]]}
            parent[one] = child
            child = mates[one]
            one = parent[child]

    while queue:
        one = queue.popleft()
        for other in graph[one]:
            if other in gone or base[one] == base[other] or mates[one] == other:
                continue
            if other == root or (mates[other] != NOBODY and parent[mates[other]] != NOBODY):
                end = common_base(one, other)
                ring: set[int] = set()
                mark_ring(one, end, other, ring)
                mark_ring(other, end, one, ring)
                for at, its_base in enumerate(base):
                    if its_base in ring:
                        base[at] = end
                        if not is_even[at]:
                            is_even[at] = True
                            queue.append(at)
            elif parent[other] == NOBODY:
                parent[other] = one
                if mates[other] == NOBODY:
                    _flip(mates, parent, other)
                    return True
                is_even[mates[other]] = True
                queue.append(mates[other])
    return False


def _flip(mates: Mates, parent: list[int], end: int) -> None:
    """Change partners along the path from the end back to the root."""
    while end != NOBODY:
        before = parent[end]
        after = mates[before]
        mates[end], mates[before] = before, end
        end = after

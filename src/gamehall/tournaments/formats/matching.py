"""Perfect matchings of a graph: each node gets one of its neighbours as its partner.

docs/decisions/0034-swiss-matching.md says why this is not networkx.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
from typing import TypeAlias

Graph: TypeAlias = list[set[int]]
"""For each node, numbered from 0, its neighbours."""

Mates: TypeAlias = list[int]
"""For each node, its partner, or UNMATCHED."""

UNMATCHED = -1


def perfect_matching(graph: Graph, order: Iterable[int] | None = None) -> Mates | None:
    """Return a perfect matching, or None if there is none.

    Nodes are matched in the given order, each with the first free neighbour. If that leaves a node
    without a partner, others change theirs.
    """
    mates = [UNMATCHED] * len(graph)
    ranks = list(range(len(graph)) if order is None else order)
    for one in ranks:
        if mates[one] == UNMATCHED:
            free = (other for other in ranks if other in graph[one] and mates[other] == UNMATCHED)
            other = next(free, UNMATCHED)
            if other != UNMATCHED:
                mates[one], mates[other] = other, one
    for one in ranks:
        if mates[one] == UNMATCHED and not _augment(graph, mates, one, frozenset()):
            return None
    return mates


def first_choice_matching(
    graph: Graph, choices: Callable[[Set[int]], tuple[int, Sequence[int]]]
) -> Mates | None:
    """Return the perfect matching in which nodes choose partners in turn, or None.

    `choices` takes the remaining nodes and returns the one that chooses next, and its possible
    partners by preference. A node gets the first of them that leaves a perfect matching of all
    others. So the result depends on the choices alone, and not on how matchings are found.
    """
    mates = perfect_matching(graph)
    if mates is None:
        return None
    left = set(range(len(graph)))
    removed: set[int] = set()
    while left:
        one, wanted = choices(left)
        for other in wanted:
            if other in graph[one] and other in left:
                trial = _with_pair(graph, mates, (one, other), removed)
                if trial is not None:
                    mates = trial
                    break
        both = {one, mates[one]}
        left -= both
        removed |= both
    return mates


def _with_pair(
    graph: Graph, mates: Mates, pair: tuple[int, int], removed: Set[int]
) -> Mates | None:
    """Return a matching with this pair that is similar to `mates`, or None if there is none."""
    one, other = pair
    if mates[one] == other:
        return mates
    trial = mates.copy()
    left_over = mates[one]
    trial[mates[one]] = trial[mates[other]] = UNMATCHED
    trial[one], trial[other] = other, one
    return trial if _augment(graph, trial, left_over, removed | {one, other}) else None


def _augment(graph: Graph, mates: Mates, root: int, removed: Set[int]) -> bool:
    """Match the root along an augmenting path without removed nodes. Return False if none exists.

    This is Jack Edmonds' algorithm ("Paths, Trees, and Flowers", 1965). A tree of alternating paths
    grows from the root; a cycle of odd length (a blossom) is treated as one node, its base.
    """
    base = list(range(len(graph)))
    parent = [UNMATCHED] * len(graph)
    is_even = [False] * len(graph)
    is_even[root] = True
    queue = deque([root])

    def common_base(one: int, other: int) -> int:
        passed = set()
        while True:
            one = base[one]
            passed.add(one)
            if mates[one] == UNMATCHED:
                break
            one = parent[mates[one]]
        while base[other] not in passed:
            other = parent[mates[base[other]]]
        return base[other]

    def mark_blossom(one: int, end: int, child: int, blossom: set[int]) -> None:
        while base[one] != end:
            blossom |= {base[one], base[mates[one]]}
            parent[one] = child
            child = mates[one]
            one = parent[child]

    while queue:
        one = queue.popleft()
        for other in graph[one]:
            if other in removed or base[one] == base[other] or mates[one] == other:
                continue
            if other == root or (mates[other] != UNMATCHED and parent[mates[other]] != UNMATCHED):
                end = common_base(one, other)
                blossom: set[int] = set()
                mark_blossom(one, end, other, blossom)
                mark_blossom(other, end, one, blossom)
                for at, its_base in enumerate(base):
                    if its_base in blossom:
                        base[at] = end
                        if not is_even[at]:
                            is_even[at] = True
                            queue.append(at)
            elif parent[other] == UNMATCHED:
                parent[other] = one
                if mates[other] == UNMATCHED:
                    _flip(mates, parent, other)
                    return True
                is_even[mates[other]] = True
                queue.append(mates[other])
    return False


def _flip(mates: Mates, parent: list[int], end: int) -> None:
    """Swap matched and unmatched edges along the path from the end back to the root."""
    while end != UNMATCHED:
        before = parent[end]
        after = mates[before]
        mates[end], mates[before] = before, end
        end = after

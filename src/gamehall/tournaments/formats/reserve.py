"""Rounds kept in reserve, so that a contest without rematches never finds itself at a dead end."""

from collections.abc import Callable

from gamehall.tournaments.formats.matching import Graph, Mates, perfect_matching
from gamehall.tournaments.pairing import in_rounds

ATTEMPTS = 4


class Reserve:
    """Rounds that can still be played, whatever happens, with nobody meeting anybody twice.

    Three rounds of six players can leave two rings of three, among whom no fourth round is
    possible though each has two left to meet. So no round is played unless the rest is known to be
    possible; the last resort is a round of the reserve itself.
    """

    def __init__(self, size: int, rounds: int) -> None:
        """`size` is even; there are fewer rounds than that."""
        # If everybody may meet at least half of all, everybody can be paired (Gabriel Dirac, 1952),
        # so as long as that holds to the last round nothing can go wrong, and nothing is kept.
        self._is_needed = rounds > size // 2
        self._rounds: list[Mates] = []
        if self._is_needed:
            for pairs in in_rounds(size)[:rounds]:
                mates = [0] * size
                for one, other in pairs:
                    mates[one], mates[other] = other, one
                self._rounds.append(mates)

    def allow(self, graph: Graph, wanted: Mates | None, apart: Callable[[Mates], float]) -> Mates:
        """The round that is played: the wanted one if the rest stays possible after it.

        Otherwise, of those in reserve, the one whose pairs are least apart.
        """
        if wanted is not None:
            if not self._is_needed:
                return wanted
            rest = _rest(graph, wanted, len(self._rounds) - 1)
            if rest is not None:
                self._rounds = rest
                return wanted
        best = min(self._rounds, key=apart)
        self._rounds.remove(best)
        return best


def _rest(graph: Graph, taken: Mates, rounds: int) -> list[Mates] | None:
    """So many more rounds after the one that is taken, or None if none were found."""
    for attempt in range(ATTEMPTS):
        left = [others - {taken[one]} for one, others in enumerate(graph)]
        found: list[Mates] = []
        order = range(len(graph))
        while len(found) < rounds:
            # Another order gives other rounds.
            turned = [*order[attempt:], *order[:attempt]]
            mates = perfect_matching(left, turned)
            if mates is None:
                break
            found.append(mates)
            for one, other in enumerate(mates):
                left[one].discard(other)
        else:
            return found
    return None

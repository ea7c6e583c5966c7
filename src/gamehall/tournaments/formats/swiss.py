"""The Swiss system: players with equal scores meet, and no two players meet twice."""

from collections.abc import Callable, Sequence, Set
from math import ceil, log2
from typing import ClassVar

from gamehall.tournaments.formats.format import places
from gamehall.tournaments.formats.matching import (
    Graph,
    Mates,
    first_choice_matching,
    perfect_matching,
)
from gamehall.tournaments.formats.staged import Course, Pairing, StagedFormat, TournamentStage
from gamehall.tournaments.pairing import in_rounds
from gamehall.tournaments.tally import DRAW, LOSS, WIN

ATTEMPTS = 4


class Reserve:
    """Rounds that are guaranteed to be possible without two players meeting twice.

    After three rounds of six players, the remaining pairs can form two rings of three players, and
    then no fourth round is possible. So a round is played only if enough further rounds are known
    to be possible after it; otherwise one of the reserve is played.
    """

    def __init__(self, size: int, rounds: int) -> None:
        """`size` must be even and larger than `rounds`."""
        # If each player may still meet at least half of the others, all can be paired (Gabriel
        # Dirac, 1952). If that holds up to the last round, no reserve is needed.
        self._is_needed = rounds > size // 2
        self._rounds: list[Mates] = []
        if self._is_needed:
            for pairs in in_rounds(size)[:rounds]:
                mates = [0] * size
                for one, other in pairs:
                    mates[one], mates[other] = other, one
                self._rounds.append(mates)

    def allow(self, graph: Graph, wanted: Mates | None, apart: Callable[[Mates], float]) -> Mates:
        """Return the wanted round if the rest stays possible after it.

        Otherwise return the round of the reserve for which `apart` is smallest.
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
    """Return more rounds after the one that is taken, or None if they were not found."""
    for attempt in range(ATTEMPTS):
        left = [others - {taken[one]} for one, others in enumerate(graph)]
        found: list[Mates] = []
        order = range(len(graph))
        while len(found) < rounds:
            # Each attempt takes the players in another order, and finds other rounds.
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


def most_rounds(players: int) -> int:
    """Return the maximum number of rounds if no pair meets twice and no player rests twice."""
    return players if players % 2 else players - 1


def usual_rounds(players: int) -> int:
    """Return one round more than a knockout has, or the maximum."""
    return min(ceil(log2(players)) + 1, most_rounds(players))


class Swiss(StagedFormat):
    """Rounds in which players meet who have won about equally often, and no two meet twice.

    The player who scores more in the games of a pairing wins it. Among players who have won equally
    often, the upper half meets the lower half, by seeds. If their number is odd, the last player
    who has not rested yet rests, which counts as winning all games of a pairing.

    Pairing the upper half with the lower half follows FIDE's Dutch system; its other rules, such as
    those on colours and floats, are not implemented.
    """

    name: ClassVar[str] = "swiss"

    def __init__(self, players: int, games: int, in_pairs: bool, rounds: int | None = None) -> None:
        super().__init__(players, games, in_pairs)
        most = most_rounds(players)
        if rounds is not None and not 1 <= rounds <= most:
            raise ValueError(
                f"{players} players can have 1 to {most} rounds in which no two meet twice, "
                f"not {rounds}"
            )
        self.rounds = usual_rounds(players) if rounds is None else rounds
        self._won = [0.0] * players
        """The pairings won; a draw is half a win."""
        self._scored = [0.0] * players
        self._opponents: list[list[int]] = [[] for _ in range(players)]
        self.begin()

    def course(self) -> Course:
        players = self.terms.players
        # If their number is odd, there is a virtual player: its opponent rests.
        size = players + players % 2
        graph: Graph = [set(range(size)) - {one} for one in range(size)]
        reserve = Reserve(size, self.rounds)
        for number in range(1, self.rounds + 1):
            mates = reserve.allow(graph, first_choice_matching(graph, self._choices), self._apart)
            for one, other in enumerate(mates):
                graph[one].discard(other)
            pairs = self._tables(mates)
            games = self.terms.encounters_per_pairing
            scores = yield TournamentStage(
                number, [Pairing(one, other, games) for one, other in pairs]
            )
            for (one, other), score in zip(pairs, scores, strict=True):
                won = WIN if score.one > score.other else LOSS
                won = DRAW if score.one == score.other else won
                self._credit(one, won, score.one)
                self._credit(other, WIN - won, score.other)
                self._opponents[one].append(other)
                self._opponents[other].append(one)
            if size > players:
                self._credit(mates[players], WIN, WIN * self.terms.games)

    @property
    def expected(self) -> int:
        return self.rounds * (self.terms.players // 2) * self.terms.encounters_per_pairing

    def ranking(self) -> list[list[int]]:
        """Rank by pairings won, then by games, then by what the opponents have won.

        The last is the tie-break of Bruno Buchholz (1932), with pairings for games.
        """
        return places(
            [
                (won, scored, sum(self._won[opponent] for opponent in opponents))
                for won, scored, opponents in zip(
                    self._won, self._scored, self._opponents, strict=True
                )
            ]
        )

    def remark(self) -> str:
        return "" if self.is_over else f"round {self.round} of {self.rounds}"

    def _credit(self, player: int, won: float, scored: float) -> None:
        self._won[player] += won
        self._scored[player] += scored

    def _order(self, players: Set[int]) -> list[int]:
        """Return players by pairings won, the most first, then by seed."""
        return sorted(players, key=lambda player: (-self._won[player], player))

    def _choices(self, left: Set[int]) -> tuple[int, Sequence[int]]:
        """Return the next player to pair, and its possible opponents, the best choice first."""
        virtual = self.terms.players
        if virtual in left:
            return virtual, self._order(left - {virtual})[::-1]
        first, *others = self._order(left)
        won = self._won[first]
        alike = 1 + sum(self._won[other] == won for other in others)
        # Among equals, the best opponent is the first of the lower half, then those close to it.
        best = alike // 2 - 1
        by_choice = sorted(
            enumerate(others), key=lambda at: (won - self._won[at[1]], abs(at[0] - best))
        )
        return first, [other for _, other in by_choice]

    def _apart(self, mates: Mates) -> float:
        """Return how much the results of the players who meet in a round differ."""
        return sum((self._won[one] - self._won[other]) ** 2 for one, other in self._tables(mates))

    def _tables(self, mates: Mates) -> list[tuple[int, int]]:
        """Return the pairs of a round, the better player first, the best pair first."""
        order = self._order(set(range(self.terms.players)))
        rank = {player: at for at, player in enumerate(order)}
        return [
            (one, mates[one])
            for one in order
            if mates[one] in rank and rank[one] < rank[mates[one]]
        ]

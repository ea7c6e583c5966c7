"""What the matches of a tournament come to, with and without those who cheated."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from enum import Enum
from typing import NamedTuple


class Win(NamedTuple):
    """One match that somebody has won, by the names of both."""

    winner: str
    loser: str


class CheaterRule(Enum):
    """What becomes of the matches of somebody who was sent away (S0-Q22, S1-Q23).

    The match in which it happened is the opponent's in any case, unless matches are dropped.
    """

    REAWARD = "reaward"
    """What it had won counts for those whom it beat. What it did not play counts for nobody."""
    KEEP = "keep"
    """What was played stands. What it did not play counts for nobody."""
    DROP = "drop"
    """Nothing that it played counts."""
    FORFEIT = "forfeit"
    """What was played stands. What it did not play counts for those who would have met it."""


class Rank(NamedTuple):
    """How much somebody has won and lost."""

    name: str
    won: int
    lost: int


def settle(
    wins: Iterable[Win], cheaters: Container[str], unplayed: Iterable[Win], rule: CheaterRule
) -> list[Win]:
    """The matches that count, in the order in which they were played.

    `unplayed` are the matches that did not take place because the loser was sent away before.
    """
    match rule:
        case CheaterRule.KEEP:
            return list(wins)
        case CheaterRule.FORFEIT:
            return [*wins, *(win for win in unplayed if win.winner not in cheaters)]
        case CheaterRule.DROP:
            return [w for w in wins if w.winner not in cheaters and w.loser not in cheaters]
        case CheaterRule.REAWARD:
            return [
                Win(win.loser, win.winner) if win.winner in cheaters else win
                for win in wins
                if not (win.winner in cheaters and win.loser in cheaters)
            ]


def by_pair(wins: Iterable[Win]) -> list[Win]:
    """One entry for each pair: who has won more of its matches, or the last of them if equal."""
    matches: dict[frozenset[str], list[Win]] = {}
    for win in wins:
        matches.setdefault(frozenset(win), []).append(win)
    return [_better(of_pair) for of_pair in matches.values()]


def standings(players: Sequence[str], wins: Iterable[Win]) -> list[Rank]:
    """Everybody, the most successful first; among equals whoever came first."""
    won: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for win in wins:
        won[win.winner] += 1
        lost[win.loser] += 1
    table = [Rank(name, won[name], lost[name]) for name in players]
    return sorted(table, key=lambda standing: (-standing.won, standing.lost))


def _better(wins: Sequence[Win]) -> Win:
    """The win of whoever has more of them."""
    count = Counter(win.winner for win in wins)
    return max(reversed(wins), key=lambda win: count[win.winner])

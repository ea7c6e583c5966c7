"""The matches of a tournament that count, and the standings that follow from them."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from enum import Enum
from typing import NamedTuple


class Win(NamedTuple):
    """One decided match, by the names of both players."""

    winner: str
    loser: str


class CheaterRule(Enum):
    """How the matches of a disqualified player count (S0-Q22, S1-Q23).

    The match in which it happened is won by the opponent in any case, unless matches are dropped.
    """

    REAWARD = "reaward"
    """Matches that it has won count as wins of the opponents. Unplayed ones do not count."""
    KEEP = "keep"
    """Played matches count. Unplayed ones do not."""
    DROP = "drop"
    """None of its matches counts."""
    FORFEIT = "forfeit"
    """Played matches count. Unplayed ones count as wins of the opponents."""


class Rank(NamedTuple):
    """How many matches a player has won and lost."""

    name: str
    won: int
    lost: int


def settle(
    wins: Iterable[Win], cheaters: Container[str], unplayed: Iterable[Win], rule: CheaterRule
) -> list[Win]:
    """Return the matches that count, in the order in which they were played.

    `unplayed` are the matches that did not take place because the loser was disqualified before.
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
    """Return one win for each pair: of the player who won more matches, or the last if equal."""
    matches: dict[frozenset[str], list[Win]] = {}
    for win in wins:
        matches.setdefault(frozenset(win), []).append(win)
    return [_better(of_pair) for of_pair in matches.values()]


def standings(players: Sequence[str], wins: Iterable[Win]) -> list[Rank]:
    """Return the ranks of all players, the best first; equals in the order of `players`."""
    won: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for win in wins:
        won[win.winner] += 1
        lost[win.loser] += 1
    table = [Rank(name, won[name], lost[name]) for name in players]
    return sorted(table, key=lambda standing: (-standing.won, standing.lost))


def _better(wins: Sequence[Win]) -> Win:
    """Return a win of the player who has more of them."""
    count = Counter(win.winner for win in wins)
    return max(reversed(wins), key=lambda win: count[win.winner])

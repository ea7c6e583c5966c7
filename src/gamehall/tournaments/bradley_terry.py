"""The model of Bradley and Terry: the strengths under which the results are most likely.

A player who is stronger by d scores 1 / (1 + exp(-d)) of the points. Strengths are natural
logarithms of odds, and only differences mean something. A draw is half a win and half a loss.

The model is that of Ralph Bradley and Milton Terry ("Rank Analysis of Incomplete Block Designs",
1952), and of Ernst Zermelo (1929) before them. The strengths are found by Newton's method, not by
the slower iteration that Zermelo gave and David Hunter generalised ("MM Algorithms for Generalized
Bradley-Terry Models", 2004).
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

_SMALL_STEP = 1e-9
"""Newton's method squares the error in each step, so after such a step it is negligible."""
_MOST_STEPS = 200


class PairScores(NamedTuple):
    """Scores by pair: entry k is about the players `one[k]` and `other[k]`, each pair once."""

    one: NDArray[np.intp]
    other: NDArray[np.intp]
    won: Floats
    """The points of `one`."""
    lost: Floats
    """The points of `other`."""


def expected(leads: Floats) -> Floats:
    """Return the expected share of the points of players with these leads."""
    share: Floats = np.exp(-np.logaddexp(0.0, -leads))
    return share


def likelihood(scores: PairScores, leads: Floats) -> float:
    """Return the logarithm of the likelihood of all results, given the lead of each `one`."""
    won = scores.won @ np.logaddexp(0.0, -leads)
    return float(-won - scores.lost @ np.logaddexp(0.0, leads))


def weigh(players: int, scores: PairScores, weights: Floats) -> Floats:
    """Return the Laplacian of the graph whose edges are the pairs with these weights."""
    matrix = np.zeros((players, players))
    matrix[scores.one, scores.other] = -weights
    matrix[scores.other, scores.one] = -weights
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix


def inverse(laplacian: Floats) -> Floats:
    """Return the inverse on vectors that sum up to 0. The graph must be connected."""
    players = len(laplacian)
    # A Laplacian maps constant vectors to 0, so they may be given any weight.
    filled = laplacian + np.trace(laplacian) / players**2
    inverted: Floats = np.linalg.inv(filled) - 1 / np.trace(laplacian)
    return inverted


def strengths(players: int, scores: PairScores) -> Floats:
    """Return the most likely strengths, 0 on average.

    They must exist: see `is_settled`.
    """
    found = np.zeros(players)
    best = likelihood(scores, np.zeros(len(scores.won)))
    for _ in range(_MOST_STEPS):
        leads = found[scores.one] - found[scores.other]
        share = expected(leads)
        games = scores.won + scores.lost
        surplus = scores.won - games * share
        slope = np.bincount(scores.one, surplus, players)
        slope -= np.bincount(scores.other, surplus, players)
        curvature = weigh(players, scores, games * share * (1 - share))
        filled = curvature + np.trace(curvature) / players**2
        step = np.linalg.solve(filled, slope)
        step -= step.mean()
        size = float(np.abs(step).max())
        if size < _SMALL_STEP:
            return found + step
        # Far from the maximum the quadratic approximation is poor, so long steps are cut.
        step *= min(1.0, 3.0 / size)
        found, best = _uphill(scores, found, step, best)
    return found


def _uphill(scores: PairScores, start: Floats, step: Floats, best: float) -> tuple[Floats, float]:
    """Return where a step leads that raises the likelihood, halved if necessary, and its value."""
    for _ in range(40):
        reached = start + step
        value = likelihood(scores, reached[scores.one] - reached[scores.other])
        # At the maximum, differences are only rounding errors.
        if value >= best - 1e-12 * abs(best):
            break
        step = step / 2
    return reached, value


def is_settled(players: int, scores: PairScores) -> bool:
    """Return True if most likely strengths exist.

    They do if any two players are linked by a chain in which each has scored against the next.
    Otherwise the likelihood has no maximum: it grows with the strength of some players.
    The condition is Lester Ford's ("Solution of a Ranking Problem from Binary Comparisons", 1957).
    """
    scored = np.zeros((players, players), dtype=bool)
    scored[scores.one, scores.other] = scores.won > 0
    scored[scores.other, scores.one] = scores.lost > 0
    return bool(_reached(scored, 0).all() and _reached(scored.T, 0).all())


def groups(players: int, pairs: list[tuple[int, int]]) -> list[list[int]]:
    """Return the connected components of the graph of players who have met."""
    met = np.zeros((players, players), dtype=bool)
    for one, other in pairs:
        met[one, other] = met[other, one] = True
    found: list[list[int]] = []
    seen: set[int] = set()
    for player in range(players):
        if player not in seen:
            found.append([int(member) for member in np.flatnonzero(_reached(met, player))])
            seen.update(found[-1])
    return found


def _reached(steps: NDArray[np.bool_], start: int) -> NDArray[np.bool_]:
    """Return the nodes that can be reached from `start`, including itself."""
    reached = np.zeros(len(steps), dtype=bool)
    reached[start] = True
    while True:
        further = reached | steps[reached].any(axis=0)
        if (further == reached).all():
            return reached
        reached = further

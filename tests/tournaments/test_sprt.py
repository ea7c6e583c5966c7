"""The sequential probability ratio test."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from gamehall.tournaments.sprt import (
    NORMALISED_ELO,
    Model,
    Sprt,
    SprtVerdict,
    normalised_elo,
    read_sprt,
)

FIVE = st.lists(st.integers(0, 300), min_size=5, max_size=5)
THREE = st.lists(st.integers(0, 300), min_size=3, max_size=3)
COUNTS = st.one_of(FIVE, THREE)


def single(lead: float, reluctance: float) -> NDArray[np.float64]:
    """Return the probabilities of a loss, a draw and a win; `reluctance` raises that of a draw."""
    loss, win = (1 / (1 + math.exp(side * lead + reluctance)) for side in (1, -1))
    return np.array([loss, 1 - win - loss, win])


def pair(lead: float, reluctance: float, bias: float) -> NDArray[np.float64]:
    """Return the five cells of two matches with one opening, which favours a side."""
    openings = [
        np.convolve(single(lead + own, reluctance), single(lead - own, reluctance))
        for own in (-bias, 0, bias)
    ]
    shares: NDArray[np.float64] = np.mean(openings, axis=0)
    return shares


def strength(shares: NDArray[np.float64], model: Model) -> float:
    """Return the true Elo by its definition."""
    scores = np.linspace(0, 1, len(shares))
    mean = float(shares @ scores)
    if model is Model.LOGISTIC:
        return 400 * math.log10(mean / (1 - mean))
    deviation = math.sqrt(shares @ (scores - mean) ** 2)
    return (mean - 0.5) / (deviation * math.sqrt(len(shares) // 2)) * 800 / math.log(10)


def shares_of(
    elo: float, model: Model, shares_at: Callable[[float], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the distribution of a family that has exactly this strength."""
    low, high = -5.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if strength(shares_at(middle), model) < elo else (low, middle)
    return shares_at(low)


def errors(sprt: Sprt, shares: NDArray[np.float64], wrong: SprtVerdict, runs: int) -> int:
    """How many of the tests of a bot end wrongly if one looks after every eight encounters."""
    chance = np.random.default_rng(2024)
    found = 0
    for _ in range(runs):
        counts = np.zeros(len(shares), dtype=np.int64)
        verdict = SprtVerdict.GOES_ON
        while verdict is SprtVerdict.GOES_ON:
            counts += chance.multinomial(8, shares)
            verdict = sprt.verdict(counts.tolist())
        found += verdict is wrong
    return found


@pytest.mark.parametrize(
    ("sprt", "shares_at"),
    [
        (Sprt(0, 90), lambda lead: pair(lead, 0.5, 0.0)),
        (Sprt(0, 90), lambda lead: pair(lead, 1.0, 2.0)),
        (Sprt(-30, 60, model=Model.LOGISTIC), lambda lead: pair(lead, 1.0, 1.0)),
        (Sprt(-60, 60, 0.1, 0.02), lambda lead: single(lead, 1.0)),
    ],
    ids=["independent matches", "biased openings", "logistic", "single matches"],
)
def test_error_rates_are_as_specified(
    sprt: Sprt, shares_at: Callable[[float], NDArray[np.float64]]
) -> None:
    runs = 1000
    weak = shares_of(sprt.elo0, sprt.model, shares_at)
    assert errors(sprt, weak, SprtVerdict.ACCEPTED, runs) <= sprt.alpha * runs
    strong = shares_of(sprt.elo1, sprt.model, shares_at)
    assert errors(sprt, strong, SprtVerdict.REJECTED, runs) <= sprt.beta * runs


def likelihood_by_search(counts: Sequence[int], elo: float, model: Model) -> float:
    """Return the maximum likelihood under the constraint, from a general optimiser."""
    seen, total = np.array(counts, dtype=float), sum(counts)

    def surplus(shares: NDArray[np.float64]) -> float:
        scores = np.linspace(0, 1, len(counts))
        mean = float(shares @ scores)
        if model is Model.LOGISTIC:
            return mean - 1 / (1 + 10 ** (-elo / 400))
        ratio = elo * math.log(10) / 800 * math.sqrt(len(counts) // 2)
        return mean - 0.5 - ratio * math.sqrt(max(0.0, float(shares @ (scores - mean) ** 2)))

    found = minimize(
        lambda shares: -(seen @ np.log(shares)) / total,
        np.full(len(counts), 1 / len(counts)),
        jac=lambda shares: -seen / shares / total,
        bounds=[(1e-7, 1)] * len(counts),
        constraints=[
            {"type": "eq", "fun": lambda shares: shares.sum() - 1},
            {"type": "eq", "fun": surplus},
        ],
        options={"maxiter": 1000, "ftol": 1e-14},
        method="SLSQP",
    )
    assert abs(surplus(found.x)) < 1e-8
    return float(-found.fun * total)


@pytest.mark.parametrize("model", Model)
@pytest.mark.parametrize(
    "counts",
    [[10, 40, 90, 45, 12], [1, 2, 3, 4, 5], [30, 5, 1, 5, 30], [400, 90, 50, 3, 1], [20, 70, 33]],
)
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 5), (-20, 30), (50, 120)])
def test_the_ratio_equals_that_of_an_optimiser(
    counts: list[int], elo0: float, elo1: float, model: Model
) -> None:
    searched = likelihood_by_search(counts, elo1, model) - likelihood_by_search(counts, elo0, model)
    assert Sprt(elo0, elo1, model=model).llr(counts) == pytest.approx(searched, abs=2e-3)


@pytest.mark.parametrize(
    ("elo0", "elo1", "counts", "published"),
    [
        (0.0, 2.0, [371, 10263, 24989, 10642, 379], 2.95),
        (0.5, 2.5, [47, 8181, 25234, 8575, 47], 2.94),
        (0.0, 2.0, [320, 12431, 27275, 12858, 316], 2.95),
        (0.5, 2.5, [197, 45541, 117722, 46579, 228], 2.96),
        (0.0, 2.0, [478, 19228, 42113, 19677, 504], 2.93),
        (0.0, 2.0, [365, 16618, 36229, 16974, 390], 2.25),
        (0.0, 2.0, [36027, 68692, 36433], 0.92),
    ],
)
def test_normalised_ratios_equal_those_published_for_chess_engines(
    elo0: float, elo1: float, counts: list[int], published: float
) -> None:
    assert Sprt(elo0, elo1).llr(counts) == pytest.approx(published, abs=0.0051)


@pytest.mark.parametrize(
    ("elo0", "elo1", "counts", "published"),
    [
        (-0.25, 1.25, [253, 4282, 17604, 4431, 286], 2.94),
        (0.25, 1.25, [58, 3302, 33130, 3518, 84], 2.97),
        (-0.5, 1.5, [17, 253, 1042, 337, 39], 2.96),
        (-1.0, 3.0, [424, 2948, 5832, 3045, 460], 2.94),
        (0.0, 5.0, [759, 1863, 880], 2.95),
    ],
)
def test_logistic_ratios_equal_those_published_for_chess_engines(
    elo0: float, elo1: float, counts: list[int], published: float
) -> None:
    ratio = Sprt(elo0, elo1, model=Model.LOGISTIC).llr(counts)
    assert ratio == pytest.approx(published, abs=0.0051)


def test_normalised_elo_equals_published_values() -> None:
    estimate, low, high = normalised_elo([379, 10170, 21828, 10640, 343])
    assert estimate == pytest.approx(3.05, abs=0.005)
    assert (high - low) / 2 == pytest.approx(2.31, abs=0.005)


def test_the_bounds_are_those_of_wald() -> None:
    assert Sprt(0, 2).upper == pytest.approx(math.log(19))
    assert Sprt(0, 2).lower == pytest.approx(-math.log(19))
    assert Sprt(0, 2, alpha=0.01, beta=0.2).upper == pytest.approx(math.log(80))
    assert Sprt(0, 2, alpha=0.01, beta=0.2).lower == pytest.approx(math.log(0.2 / 0.99))


def test_the_verdict_is_reached_at_the_bounds() -> None:
    sprt = Sprt(0, 50)
    assert sprt.verdict([0, 0, 0, 0, 0]) is SprtVerdict.GOES_ON
    assert sprt.verdict([2, 10, 20, 12, 4]) is SprtVerdict.GOES_ON
    assert sprt.verdict([5, 30, 80, 70, 30]) is SprtVerdict.ACCEPTED
    assert sprt.verdict([20, 60, 80, 50, 20]) is SprtVerdict.REJECTED


@pytest.mark.parametrize("model", Model)
def test_only_draws_lead_to_a_rejection(model: Model) -> None:
    sprt = Sprt(0, 50, model=model)
    assert sprt.llr([0, 0, 1, 0, 0]) < 0
    assert sprt.verdict([0, 0, 1000, 0, 0]) is SprtVerdict.REJECTED
    assert sprt.verdict([0, 1000, 0]) is SprtVerdict.REJECTED


@pytest.mark.parametrize("model", Model)
def test_only_wins_lead_to_an_early_acceptance(model: Model) -> None:
    sprt = Sprt(0, 50, model=model)
    assert sprt.verdict([0, 0, 0, 0, 2]) is SprtVerdict.GOES_ON
    assert sprt.verdict([0, 0, 0, 0, 40]) is SprtVerdict.ACCEPTED
    assert sprt.verdict([40, 0, 0, 0, 0]) is SprtVerdict.REJECTED


@given(COUNTS, st.sampled_from(Model), st.floats(-100, 100), st.floats(1, 100))
@settings(max_examples=100)
def test_swapping_the_players_mirrors_the_test(
    counts: list[int], model: Model, elo0: float, width: float
) -> None:
    ratio = Sprt(elo0, elo0 + width, model=model).llr(counts)
    mirrored = Sprt(-elo0 - width, -elo0, model=model).llr(counts[::-1])
    assert math.isfinite(ratio)
    assert mirrored == pytest.approx(-ratio, abs=1e-5)


@given(COUNTS, st.floats(1, 50))
@settings(max_examples=100)
def test_another_win_never_lowers_the_logistic_ratio(counts: list[int], elo1: float) -> None:
    # Empty cells count a little, so the first count of a cell adds a little less than one.
    assume(min(counts) > 0)
    sprt = Sprt(0, elo1, model=Model.LOGISTIC)
    assert sprt.llr([*counts[:-1], counts[-1] + 1]) >= sprt.llr(counts)


@given(COUNTS)
@settings(max_examples=50)
def test_an_estimate_is_within_its_interval_and_symmetric(counts: list[int]) -> None:
    estimate, low, high = normalised_elo(counts)
    assert low <= estimate <= high
    assert normalised_elo(counts[::-1]) == pytest.approx((-estimate, -high, -low), abs=1e-3)


@pytest.mark.parametrize("reluctance", [0.5, 2.0])
def test_true_strengths_lie_within_their_intervals(reluctance: float) -> None:
    shares = pair(0.3, reluctance, 1.0)
    chance = np.random.default_rng(7)
    inside = 0
    for counts in chance.multinomial(40, shares, 100).tolist():
        interval = normalised_elo(counts)
        inside += interval.low <= strength(shares, Model.NORMALISED) <= interval.high
    assert inside >= 90


def test_without_encounters_the_interval_is_unbounded() -> None:
    assert normalised_elo([0, 0, 0]) == normalised_elo([0] * 5) == (0, -math.inf, math.inf)


def test_only_wins_give_only_a_lower_limit() -> None:
    estimate, low, high = normalised_elo([0, 0, 0, 0, 10])
    assert 50 < low < 400
    assert estimate == high == math.inf


@pytest.mark.parametrize("wins", [1, 273, 1_000_000])
def test_an_infinite_estimate_has_an_infinite_interval(wins: int) -> None:
    assert normalised_elo([0, 0, wins])[::2] == (math.inf, math.inf)
    assert normalised_elo([wins, 0, 0])[:2] == (-math.inf, -math.inf)
    estimate, low, high = normalised_elo([0, 0, 0, 1, wins])
    assert low <= estimate <= high


def test_a_pair_counts_as_much_as_two_matches_that_are_independent() -> None:
    single_shares, pair_shares = single(0.2, 1.0), pair(0.2, 1.0, 0.0)
    assert strength(single_shares, Model.NORMALISED) == pytest.approx(
        strength(pair_shares, Model.NORMALISED)
    )
    counts = [round(1e9 * share) for share in pair_shares]
    assert normalised_elo(counts).estimate == pytest.approx(
        strength(single_shares, Model.NORMALISED), abs=1e-4
    )
    assert pytest.approx(347.4356, abs=1e-4) == NORMALISED_ELO


def test_a_test_is_parsed() -> None:
    assert read_sprt({"elo0": "0", "elo1": "5"}) == Sprt(0, 5, 0.05, 0.05, Model.NORMALISED)
    assert read_sprt(
        {"elo0": "-1.5", "elo1": "2", "alpha": "0.01", "beta": "0.1", "model": "logistic"}
    ) == Sprt(-1.5, 2, 0.01, 0.1, Model.LOGISTIC)
    assert read_sprt({"elo0": "0", "elo1": "5", "model": "normalized"}).model is Model.NORMALISED


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"elo0": "5"}, "elo0 .5. must be less than elo1 .5."),
        ({"elo0": "none"}, "elo0 must be a number, not 'none'"),
        ({"elo1": "nan"}, "elo1 must be a number"),
        ({"elo1": "1000"}, "elo1 must be from -500 to 500"),
        ({"alpha": "0"}, "alpha must be more than 0"),
        ({"beta": "0.5"}, "beta must be more than 0 and less than 0.5"),
        ({"model": "bayesian"}, "model must be normalised or logistic"),
        ({"gamma": "1"}, "gamma is none of"),
    ],
)
def test_an_invalid_test_is_rejected(changed: dict[str, str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_sprt({"elo0": "0", "elo1": "5", **changed})


def test_a_test_needs_both_strengths() -> None:
    with pytest.raises(ValueError, match="elo1 is missing"):
        read_sprt({"elo0": "0"})


@pytest.mark.parametrize("counts", [[], [1, 2], [1, 2, 3, 4], [1, -1, 3]])
def test_invalid_counts_are_rejected(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="three or five counts"):
        Sprt(0, 5).llr(counts)

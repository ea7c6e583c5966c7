"""The benchmark of what is compiled: the kernels of bots beside other programs that do the same.

A row for each; to add one, write a function that makes a Contest, and name it in CONTESTS.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gamehall.bench.kernels_connect_four import perft_contest, solver_contest
from gamehall.bench.kernels_contest import Contest
from gamehall.bench.kernels_go import playouts_contest as go_playouts_contest
from gamehall.bench.kernels_santorini import playouts_contest, search_contest
from gamehall.bench.machine import BenchError
from gamehall.bench.progress import show_progress
from gamehall.bench.speed import spread

CONTESTS: tuple[Callable[[], Contest], ...] = (
    perft_contest,
    solver_contest,
    go_playouts_contest,
    playouts_contest,
    search_contest,
)
REMARKS = (
    "perft counts all games of some length; the other is the same algorithm in C, by gcc -O2.",
    "playouts are random games; the other is OpenSpiel's loop in C++ for Go, and SantorinAI as its",
    "own tester plays it, without what that prints. All of it is on one core, by CPU time.",
)


@dataclass(slots=True)
class Rates:
    """How much was done in a second, one value per round."""

    contest: Contest
    kernel: list[float]
    other: list[float]

    def ratios(self) -> list[float]:
        """The kernel to the other, both from the same round."""
        return [mine / others for mine, others in zip(self.kernel, self.other, strict=True)]

    def figures(self) -> dict[str, object]:
        """Everything measured, fit for JSON."""
        found: dict[str, object] = {
            "unit": self.contest.unit,
            "per_second": spread(self.kernel)._asdict(),
        }
        if self.other:
            found["other"] = self.contest.other_name
            found["other_per_second"] = spread(self.other)._asdict()
            found["ratio"] = spread(self.ratios())._asdict()
        return found


def run(
    report: Callable[[str], None],
    seconds: float,
    rounds: int,
    contests: Sequence[Callable[[], Contest]] = CONTESTS,
) -> dict[str, object]:
    """Measure, report a table line by line, and give all figures in a form fit for JSON.

    seconds: how long each side is measured in a round. rounds: how often that is repeated.
    Raises BenchError if there is no figure, because both sides do not come to the same.
    """
    figures: dict[str, object] = {"rounds": rounds}
    title = f"compiled kernels, {rounds} rounds of {seconds:g} s"
    report(f"{title:<52}median (lowest - highest)")
    report(f"{'':28}{'in a second':>24}{'the other':>24}{'ratio':>24}")
    missing: list[str] = []
    for make in contests:
        contest = make()
        rates = measured(contest, seconds, rounds)
        figures[contest.name] = rates.figures()
        report(row(rates))
        missing += [contest.why_alone] if contest.why_alone else []
    for line in (*REMARKS, *missing):
        report(line)
    return figures


def measured(contest: Contest, seconds: float, rounds: int) -> Rates:
    """Both sides of a contest in turn, round after round. Raises BenchError if they disagree."""
    rates = Rates(contest, [], [])
    try:
        show_progress(f"{contest.name}: compiling")
        if not contest.agrees():
            raise BenchError(f"{contest.name}: {contest.other_name} comes to another result")
        for number in range(1, rounds + 1):
            show_progress(f"{contest.name}, round {number} of {rounds}")
            rates.kernel.append(rate(contest.kernel, seconds))
            if contest.other is not None:
                rates.other.append(rate(contest.other, seconds))
    finally:
        show_progress("")
        contest.close()
    return rates


def rate(do: Callable[[float], tuple[float, float | None]], seconds: float) -> float:
    """How much is done in a second of CPU time.

    do: is given the seconds; it says how much was done, and the CPU time of another program.
    """
    before = time.process_time()
    done, elsewhere = do(seconds)
    return done / (time.process_time() - before if elsewhere is None else elsewhere)


def row(rates: Rates) -> str:
    """A line of the table."""
    name = f"{rates.contest.name}, {rates.contest.unit}"
    line = f"{name:<28}{short_spread(rates.kernel):>24}"
    if rates.other:
        line += f"{short_spread(rates.other):>24}{short_spread(rates.ratios()):>24}"
    return line


def short_spread(values: Sequence[float]) -> str:
    """`8.34M (7.79M - 8.9M)`."""
    found = spread(values)
    return f"{short(found.median)} ({short(found.low)} - {short(found.high)})"


def short(value: float) -> str:
    """Three figures of a number, with G, M and k for thousands of millions, millions, thousands."""
    rounded = float(f"{value:.3g}")
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rounded >= unit:
            return f"{rounded / unit:.3g}{letter}"
    return f"{rounded:.3g}"

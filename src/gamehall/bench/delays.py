"""How long answers wait until they are written down, as the hall itself has counted it."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from gamehall.bench.machine import BenchError, StartedServer

ANSWERS = "gamehall_answer_seconds"
"""From a request to its answer."""
JOURNAL = "gamehall_journal_seconds"
"""What a transaction takes."""
SECONDS_TO_ANSWER = 10.0


class Delays(NamedTuple):
    """How many durations there were up to each bound, and beyond all of them."""

    bounds: Sequence[float]
    """In seconds; the last is infinite."""
    counts: Sequence[int]

    @property
    def total(self) -> int:
        return sum(self.counts)

    def figures(self) -> dict[str, int]:
        """A count for each bound, fit for JSON."""
        return {f"{bound:g}": count for bound, count in zip(self.bounds, self.counts, strict=True)}


def read_delays(server: StartedServer, name: str) -> Delays:
    """What a hall with a web door has counted under this name. Raises BenchError."""
    try:
        with urlopen(f"{server.page}metrics", timeout=SECONDS_TO_ANSWER) as answer:
            text = answer.read().decode()
    except OSError as error:
        raise BenchError(f"{server.page}metrics: {error}") from None
    so_far: Counter[float] = Counter()
    """Of all rooms together."""
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == f"{name}_bucket":
                so_far[float(sample.labels["le"])] += int(sample.value)
    if not so_far:
        raise BenchError(f"{server.page}metrics says nothing of {name}")
    bounds = sorted(so_far)
    counts = [so_far[bound] for bound in bounds]
    return Delays(bounds, [counts[0], *(later - earlier for earlier, later in pairwise(counts))])


def delay_table(title: str, delays: Delays) -> list[str]:
    """A row per bound, with a bar, as far as there is anything."""
    lines = [f"{title}, {delays.total:,} of them"]
    left = delays.total
    for below, bound, count in zip(
        (0.0, *delays.bounds), delays.bounds, delays.counts, strict=False
    ):
        if left == 0:
            break
        left -= count
        is_last = bound == float("inf")
        words = f"over {below * 1000:g} ms" if is_last else f"up to {bound * 1000:g} ms"
        share = count / delays.total
        lines.append(f"  {words:<14}{share:>7.1%}  {'#' * round(share * 50)}".rstrip())
    return lines

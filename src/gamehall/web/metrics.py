"""The counts of the server as Prometheus metrics."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from gamehall.rooms.counts import HallCounts, Histogram

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class HallCollector(Collector):
    """Reads the counts when metrics are requested, so that counting itself stays cheap."""

    def __init__(self, counts: HallCounts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        yield from self._doors()
        yield from self._rooms()
        journal = self._counts.journal
        waiting = GaugeMetricFamily(
            "gamehall_journal_waiting", "Groups of entries that are not written yet"
        )
        waiting.add_metric([], journal.waiting)
        yield waiting
        yield _histogram(
            "gamehall_journal_seconds",
            "What a transaction of the journal takes",
            [],
            journal.seconds,
        )

    def _doors(self) -> Iterator[Metric]:
        connections = GaugeMetricFamily(
            "gamehall_connections", "Connections that there are now", labels=["door"]
        )
        admitted = CounterMetricFamily(
            "gamehall_connections_admitted", "Connections that were let in", labels=["door"]
        )
        refused = CounterMetricFamily(
            "gamehall_connections_refused", "Connections that were not let in", labels=["door"]
        )
        requests = CounterMetricFamily(
            "gamehall_requests", "Requests that came through a door", labels=["door"]
        )
        for name, door in self._counts.doors.items():
            connections.add_metric([name], door.open)
            admitted.add_metric([name], door.admitted)
            refused.add_metric([name], door.refused)
            requests.add_metric([name], door.requests)
        yield from (connections, admitted, refused, requests)

    def _rooms(self) -> Iterator[Metric]:
        matches = CounterMetricFamily(
            "gamehall_matches", "Matches that have ended", labels=["room", "ending"]
        )
        moves = CounterMetricFamily("gamehall_moves", "Moves in these matches", labels=["room"])
        waiting = GaugeMetricFamily(
            "gamehall_answers_held", "Answers that wait until they are written", labels=["room"]
        )
        answers = HistogramMetricFamily(
            "gamehall_answer_seconds", "From a request to its answer", labels=["room"]
        )
        for name, room in self._counts.rooms.items():
            for ending, count in room.matches.items():
                matches.add_metric([name, ending], count)
            moves.add_metric([name], room.moves)
            waiting.add_metric([name], room.waiting_for_commit)
            _add(answers, [name], room.answers)
        yield from (matches, moves, waiting, answers)


def write_metrics(counts: HallCounts) -> bytes:
    """Return all metrics as text."""
    registry = CollectorRegistry()
    registry.register(HallCollector(counts))
    return generate_latest(registry)


def _histogram(
    name: str, words: str, labels: list[str], histogram: Histogram
) -> HistogramMetricFamily:
    family = HistogramMetricFamily(name, words, labels=[])
    _add(family, labels, histogram)
    return family


def _add(family: HistogramMetricFamily, labels: list[str], histogram: Histogram) -> None:
    """Add a histogram. Prometheus expects cumulative buckets; ours are not."""
    counts, so_far = list(histogram.counts), 0
    buckets: list[tuple[str, float]] = []
    for bound, count in zip([*map(str, histogram.bounds), "+Inf"], counts, strict=True):
        so_far += count
        buckets.append((bound, so_far))
    family.add_metric(labels, buckets, histogram.total)

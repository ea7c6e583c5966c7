"""What came of a siege, as figures and as a table."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gamehall.bench.siege_hall import DOORS, Reading

ALL = "all doors"


class Phase(NamedTuple):
    """What was measured between two readings."""

    name: str
    seconds: float
    honest: Mapping[str, Any]
    """What the honest say."""
    hostile: Mapping[str, Any] | None
    """What the besiegers say of this phase, None if there were none."""
    before: Reading
    after: Reading

    @property
    def busy(self) -> float:
        """The share of one core that the hall took."""
        return (self.after.cpu_seconds - self.before.cpu_seconds) / self.seconds

    @property
    def disturbed(self) -> int:
        """How many honest clients were."""
        return sum(self.honest["doors"][door]["disturbed"] for door in DOORS)

    def hostile_count(self, door: str, what: str) -> int:
        """How many besiegers that has happened to at a door."""
        return 0 if self.hostile is None else int(self.hostile["doors"][door].get(what, 0))

    def refused(self, door: str) -> int:
        """How many were not let in, by the hall's own count or that of those outside."""
        here = self.after.refused.get(door, 0) - self.before.refused.get(door, 0)
        return max(0, here) + self.hostile_count(door, "refused")

    def asked(self, door: str) -> float | None:
        """How much was asked of the hall per second, None if it could not say so."""
        if door not in self.after.requests or door not in self.before.requests:
            return None
        return (self.after.requests[door] - self.before.requests[door]) / self.seconds

    def figures(self) -> dict[str, Any]:
        """All of it, fit for JSON."""
        return {
            "seconds": self.seconds,
            "busy": self.busy,
            "disturbed": self.disturbed,
            "honest": self.honest,
            "hostile": self.hostile,
            "before": self.before._asdict(),
            "after": self.after._asdict(),
        }


def table(phases: Sequence[Phase]) -> list[str]:
    """A row per phase and door, and one for the hall."""
    lines = [
        f"{'':14}{'':22}{'games':>7}{'moves':>8}{'round trip, ms':>27}{'dis-':>8}"
        f"{'open':>7}{'hostile ones':>27}{'asked':>11}{'CPU':>6}{'RSS':>8}{'kept':>9}",
        f"{'':14}{'':22}{'':>7}{'/s':>8}{'median':>9}{'p99':>9}{'max':>9}{'turbed':>8}"
        f"{'':>7}{'let in':>9}{'refused':>9}{'dropped':>9}{'/s':>11}{'':>6}{'MB':>8}{'MB':>9}",
    ]
    for phase in phases:
        lines += [_door_row(phase, door) for door in DOORS]
        lines.append(_hall_row(phase))
    return lines


def ratio_lines(peace: Phase, siege: Phase) -> list[str]:
    """What the siege made of it, door by door: siege to peace."""
    lines = [f"siege to peace{'':22}{'':>7}{'moves':>8}{'median':>9}{'p99':>9}{'max':>9}"]
    for door in DOORS:
        before, under = peace.honest["doors"][door], siege.honest["doors"][door]
        rates = (before["moves"] / peace.seconds, under["moves"] / siege.seconds)
        cells = _ratio(*rates).rjust(8)
        for what in ("median", "p99", "longest"):
            cells += _ratio(before["wait_ms"][what], under["wait_ms"][what]).rjust(9)
        lines.append(f"{'':14}{door:22}{'':>7}{cells}")
    return lines


def newcomer_lines(phases: Sequence[Phase]) -> list[str]:
    """How long those had to wait who came and asked for one thing."""
    lines = [f"newcomers{'':27}{'let in':>15}{'median':>9}{'p99':>9}{'max':>9}{'late':>8}"]
    for phase in phases:
        for door, seen in phase.honest["newcomers"].items():
            if seen["waits"] or seen["disturbed"]:
                row = f"{phase.name:14}{door:22}{seen['waits']:>15,}{_waits(seen)}"
                lines.append(f"{row}{seen['disturbed']:>8,}")
    return lines


def lag_lines(phases: Sequence[Phase]) -> list[str]:
    """How late the program of the honest was itself, which is in their round trips, too."""
    lags = [(phase.name, phase.honest["lag_ms"]) for phase in phases]
    words = [f"{_number(lag['p99'])} ({name})" for name, lag in lags]
    return [f"of that, the honest were late themselves, p99 in ms: {', '.join(words)}"]


def reason_lines(phases: Sequence[Phase]) -> list[str]:
    """Who was disturbed, and how, as far as that was noted."""
    return [
        f"{phase.name}: {reason}"
        for phase in phases
        for door in DOORS
        for reason in phase.honest["doors"][door]["reasons"]
    ]


def _door_row(phase: Phase, door: str) -> str:
    done = phase.honest["doors"][door]
    return (
        f"{phase.name:14}{door:22}{done['games']:>7,}{done['moves'] / phase.seconds:>8.1f}"
        f"{_waits(done)}{done['disturbed']:>8,}{_whole(phase.after.open.get(door)):>7}"
        f"{phase.hostile_count(door, 'let_in'):>9,}{phase.refused(door):>9,}"
        f"{phase.hostile_count(door, 'dropped'):>9,}{_whole(phase.asked(door)):>11}"
    )


def _hall_row(phase: Phase) -> str:
    doors = phase.honest["doors"]
    games = sum(doors[door]["games"] for door in DOORS)
    moves = sum(doors[door]["moves"] for door in DOORS) / phase.seconds
    let_in, dropped = (
        sum(phase.hostile_count(door, what) for door in DOORS) for what in ("let_in", "dropped")
    )
    refused = sum(map(phase.refused, DOORS))
    asked = [rate for door in DOORS if (rate := phase.asked(door)) is not None]
    return (
        f"{phase.name:14}{ALL:22}{games:>7,}{moves:>8.1f}{'':>27}{phase.disturbed:>8,}"
        f"{_whole(sum(phase.after.open.values()) or None):>7}{let_in:>9,}{refused:>9,}{dropped:>9,}"
        f"{_whole(sum(asked) if asked else None):>11}{phase.busy:>6.0%}"
        f"{phase.after.resident_bytes / 1e6:>8.1f}{phase.after.kept_bytes / 1e6:>9.1f}"
    )


def _waits(done: Mapping[str, Any]) -> str:
    return "".join(_number(done["wait_ms"][what]).rjust(9) for what in ("median", "p99", "longest"))


def _ratio(base: float | None, other: float | None) -> str:
    return f"{other / base:.2f}" if base and other is not None else "-"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _whole(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"

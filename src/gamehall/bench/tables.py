"""The table of servers that were compared."""

from collections.abc import Sequence

from gamehall.bench.contest import Kind
from gamehall.bench.speed import Speeds, Spread, spread


def speed_table(
    title: str, speeds: Speeds, bases: Sequence[Kind], games: bool = False
) -> list[str]:
    """A row per server: medians over the rounds, with lowest and highest.

    `bases`: the servers to which each is set in proportion. `games`: whether to show games, too.
    """
    width = max(8, *(len(kind) + 1 for kind in speeds.loads))
    heading = f"{'':{width}}{f'CPU us/{speeds.counted}':>23}{f'{speeds.counted}s/s':>29}"
    heading += f"{'games/s':>20}" if games else ""
    heading += f"{'busy':>7}" + "".join(f"{f'to {base}':>20}" for base in bases)
    lines = [f"{title:<36}median (lowest - highest)", heading]
    for kind in speeds.loads:
        cpu = with_spread(spread(speeds.cpu_microseconds_per_move(kind)), ".1f")
        rate = with_spread(spread(speeds.moves_per_second(kind)), ",.0f")
        row = f"{kind:{width}}{cpu:>23}{rate:>29}"
        if games:
            row += f"{with_spread(spread(speeds.games_per_second(kind)), ',.0f'):>20}"
        row += f"{spread(speeds.busy(kind)).median:>7.0%}"
        for base in bases:
            row += f"{with_spread(spread(speeds.cpu_ratio(kind, base)), '.2f'):>20}"
        lines.append(row)
    return lines


def with_spread(values: Spread, form: str) -> str:
    """`2.0 (1.9 - 2.2)`."""
    return f"{values.median:{form}} ({values.low:{form}} - {values.high:{form}})"

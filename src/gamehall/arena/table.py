"""The standings for a terminal."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gamehall.arena.summary import MOST_ELO, Cell, Line, SeatShare, Summary

MOST_IN_CROSS_TABLE = 12
"""With more bots it would not fit on a screen."""
MOST_FAULTS = 5
SURE, UNSURE = 0.9995, 0.0005


def standings(summary: Summary) -> Table:
    """Everybody, the best first."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("bot", overflow="fold")
    for column in ("points", "games", "score", "Elo", "±95 %", "better than next", "1st", "2nd"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in summary.lines:
        table.add_row(*_standing(line))
    return table


def cross_table(summary: Summary) -> Table:
    """What everybody has scored against everybody."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("", overflow="fold")
    for line in summary.lines:
        table.add_column(str(line.place), justify="right", no_wrap=True)
    for line, cells in zip(summary.lines, summary.cross_table, strict=True):
        table.add_row(str(line.place), Text(line.name), *map(_scored, cells))
    return table


def whole(summary: Summary) -> RenderableType:
    """The standings, and who has beaten whom."""
    parts: list[RenderableType] = [standings(summary), Text("")]
    if 2 < len(summary.lines) <= MOST_IN_CROSS_TABLE:
        parts += [cross_table(summary), Text("")]
    return Group(*parts)


def words(summary: Summary) -> Iterator[str]:
    """What is to be said below the standings."""
    endings = ", ".join(f"{times} {ending}" for ending, times in summary.endings.items())
    yield f"{summary.matches} games: {endings or 'none yet'}"
    for line in summary.lines:
        for ending, times in line.faults.items():
            yield f"{line.name}: {times} lost by its own fault ({ending})"
    for fault in summary.faults[:MOST_FAULTS]:
        yield f"  {fault.match}: {fault.bot} against {fault.opponent}: {fault.detail}"
    if len(summary.faults) > MOST_FAULTS:
        yield "  and others: --json or --report shows them with what was seen"
    if summary.test is not None:
        test = summary.test
        yield (
            f"normalised Elo {_elo(test.normalised_elo)} ({_elo(test.low)} to {_elo(test.high)});"
            f" LLR {test.llr:.2f} ({test.lower:.2f} to {test.upper:.2f})"
        )
    yield from summary.remarks


def _elo(number: float) -> str:
    sign = "-" if number < 0 else "+"
    return f"{sign}\N{INFINITY}" if abs(number) >= MOST_ELO else f"{number:+.1f}"


def _standing(line: Line) -> tuple[str | Text, ...]:
    return (
        str(line.place),
        Text(line.name),
        f"{line.points:g}",
        str(line.matches),
        f"{line.points / line.matches:.1%}" if line.matches else "",
        f"{line.elo:+.0f}",
        "" if line.error is None else f"{line.error:.0f}",
        _likelihood(line.superiority),
        _share(line.as_first),
        _share(line.as_second),
    )


def _share(share: SeatShare) -> str:
    return f"{share.won}-{share.drawn}-{share.lost}"


def _scored(cell: Cell | None) -> str:
    if cell is None:
        return "—"
    return f"{cell.points:g}/{cell.matches}" if cell.matches else "·"


def _likelihood(share: float | None) -> str:
    if share is None:
        return ""
    if share > SURE:
        return "> 99.9 %"
    return "< 0.1 %" if share < UNSURE else f"{share:.1%}"

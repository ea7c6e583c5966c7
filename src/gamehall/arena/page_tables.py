"""The tables of the page: the standings, who scored what against whom, who is likely stronger."""

from collections.abc import Callable

from gamehall.arena.page_markup import Markup, join, named, tag
from gamehall.arena.page_words import counted, elo, likelihood, percent
from gamehall.arena.summary import Cell, Line, SeatShare, Summary

MOST_WITH_POINTS = 14
"""With more bots a cell of the cross table has room for one number only."""
MANY = 24
"""From so many bots on, the letters of a cross table are small."""

FAULTS = "faults"
COLUMNS = (
    ("", "The place: equals have the same"),
    ("bot", None),
    ("Elo", "Rating, relative to the average of all"),
    ("± 95 %", "The true rating is so close, 95 times out of 100"),
    ("better than next", "How likely it is that this bot is stronger than the next one"),
    ("score", "Points as a share of the games; a draw is half a point"),
    ("points", None),
    ("games", None),
    ("moving first", "Won, drawn and lost when it made the first move"),
    ("moving second", "Won, drawn and lost when the other one made the first move"),
    (FAULTS, "Games that it has lost by its own fault"),
    ("ms/move", "Milliseconds that it thought over a move, on average"),
)
LEFT_COLUMNS = 2


def draw_standings(summary: Summary) -> Markup:
    """Everybody, the best first."""
    has_faults = any(line.faults for line in summary.lines)
    head = (
        tag("th", name, scope="col", title=meaning, class_=None if k < LEFT_COLUMNS else "n")
        for k, (name, meaning) in enumerate(COLUMNS)
        if has_faults or name != FAULTS
    )
    return _scrolling(
        tag(
            "table",
            tag("thead", tag("tr", *head)),
            tag("tbody", *(_standing(line, has_faults) for line in summary.lines)),
            class_="standings",
        )
    )


def draw_cross_table(summary: Summary) -> Markup:
    """What everybody has scored against everybody, in per cent of the points."""
    has_points = len(summary.lines) <= MOST_WITH_POINTS

    def draw(cell: Cell, one: Line, other: Line) -> Markup:
        return _scored(cell, one, other, has_points)

    return _matrix(summary, draw)


def draw_superiorities(summary: Summary) -> Markup:
    """How likely it is that the bot of a row is stronger than that of a column."""
    return _matrix(summary, _superior)


def _standing(line: Line, has_faults: bool) -> Markup:
    faults = sum(line.faults.values())
    return tag(
        "tr",
        tag("td", str(line.place), class_="place"),
        tag("th", named(line.name), scope="row"),
        _number(tag("strong", elo(line.elo)) if line.matches else ""),
        _number("" if line.error is None else f"{line.error:,.0f}"),
        _number(likelihood(line.superiority) if line.superiority and line.matches else ""),
        _number(percent(line.points / line.matches, 1) if line.matches else ""),
        _number(f"{line.points:,g}"),
        _number(f"{line.matches:,}"),
        _number(_share(line.as_first)),
        _number(_share(line.as_second)),
        _number(f"{faults:,}", "bad" if faults else None) if has_faults else "",
        _number(_milliseconds(line)),
        class_="best" if line.place == 1 and line.matches else None,
    )


def _milliseconds(line: Line) -> str:
    milliseconds = 1_000 * line.seconds_per_move
    if not line.matches:
        return ""
    return f"{milliseconds:,.0f}" if milliseconds >= 10 else f"{milliseconds:.2g}"


def _number(content: str, look: str | None = None) -> Markup:
    return tag("td", content, class_=f"n {look}" if look else "n")


def _share(share: SeatShare) -> str:
    return f"{share.won:,}–{share.drawn:,}–{share.lost:,}"  # noqa: RUF001


def _matrix(summary: Summary, draw: Callable[[Cell, Line, Line], Markup]) -> Markup:
    """A table with a row and a column for each bot; nobody meets itself."""
    lines = summary.lines
    head = (
        tag("th", tag("span", line.name), scope="col", title=line.name, class_="up")
        for line in lines
    )
    rows = (
        tag(
            "tr",
            tag("th", tag("span", one.name), scope="row", title=one.name),
            *(
                tag("td", class_="self") if cell is None else draw(cell, one, other)
                for other, cell in zip(lines, cells, strict=True)
            ),
        )
        for one, cells in zip(lines, summary.cross_table, strict=True)
    )
    return _scrolling(
        tag(
            "table",
            tag("thead", tag("tr", tag("td"), *head)),
            tag("tbody", *rows),
            class_="matrix small" if len(lines) >= MANY else "matrix",
            style=f"--bots:{len(lines)}",
        )
    )


def _scored(cell: Cell, one: Line, other: Line, has_points: bool) -> Markup:
    if not cell.matches:
        return tag("td", "·", title=f"{one.name} has not met {other.name}", class_="none")
    share = cell.points / cell.matches
    points = f"{cell.points:,g}/{cell.matches:,}"
    stronger = "" if cell.superiority is None else likelihood(cell.superiority)
    return tag(
        "td",
        f"{100 * share:.0f}",
        tag("small", points) if has_points else "",
        title=f"{one.name} against {other.name}: {cell.points:,g} of"
        f" {counted(cell.matches, 'point')}" + (f", stronger: {stronger}" if stronger else ""),
        class_=_colour(share),
    )


def _superior(cell: Cell, one: Line, other: Line) -> Markup:
    if cell.superiority is None:
        return tag("td", "·", title=f"{one.name} has not met {other.name}", class_="none")
    return tag(
        "td",
        _short(cell.superiority),
        title=f"{one.name} is stronger than {other.name}: {likelihood(cell.superiority)}",
        class_=_colour(cell.superiority),
    )


def _short(share: float) -> str:
    """In per cent, never quite 0 or 100."""
    if share > 0.995:
        return ">99"
    return "<1" if share < 0.005 else f"{100 * share:.0f}"


def _colour(share: float) -> str:
    """The name of a colour for something from 0 to 1; the style has eleven."""
    return f"s{round(10 * min(1.0, max(0.0, share)))}"


def _scrolling(table: Markup) -> Markup:
    """A table that may be wider than the page. It takes the keys, to be moved without a mouse."""
    return tag("div", join(table), class_="wide", tabindex="0")

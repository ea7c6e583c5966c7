"""The ratings as a plot: names on the left, a dot and an error bar for each, Elo below.

Places across are in percent and places down in the size of letters, so that the plot is as wide as
there is room while its letters stay as they are.
"""

import math
from typing import NamedTuple

from gamehall.arena.page_markup import Markup, tag
from gamehall.arena.page_words import elo
from gamehall.arena.summary import Line, Summary

ROW = 1.8
"""How high the row of one bot is; the style says the same of the names beside it."""
CAP = 0.32
MOST_STEPS = 6
"""More numbers on the axis would be hard to read."""
MOST_TICKS_ON_PHONE = 3
"""With more of them, a phone leaves out every other number."""
LONGEST_ERROR_ELO = 1_200.0
"""A longer error bar would leave no room for what is known; it goes off the edge."""
LEAST_HALF_WIDTH_ELO = 50.0


class Axis(NamedTuple):
    """From where to where the plot goes, in Elo."""

    low: float
    high: float
    step: float
    """From one number on the axis to the next."""

    @property
    def ticks(self) -> list[float]:
        """Where the axis has numbers."""
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [self.step * number for number in range(first, last + 1)]

    def place(self, number: float) -> str:
        """Where that is from left to right; what is beyond an edge is at it."""
        share = (number - self.low) / (self.high - self.low)
        return f"{100 * min(1.0, max(0.0, share)):.2f}%"


def draw_ratings(summary: Summary) -> Markup:
    """The plot, with the names beside it."""
    lines = summary.lines
    axis = make_axis(lines)
    height = ROW * len(lines)
    picture = tag(
        "svg",
        *(_stripe(number) for number in range(1, len(lines), 2)),
        *_grid(axis, height),
        *(_row(number, line, axis) for number, line in enumerate(lines)),
        width="100%",
        height=f"{height + 2.2:.1f}em",
        role="img",
        aria_label="Ratings with their 95 % intervals; the numbers are in the standings",
    )
    return tag(
        "div",
        tag("ol", *(tag("li", line.name, title=line.name) for line in lines), class_="names"),
        picture,
        tag("ol", *(tag("li", _value(line)) for line in lines), class_="values"),
        class_="plot",
    )


def make_axis(lines: list[Line]) -> Axis:
    """An axis that holds everybody, and as much of the error bars as makes sense."""
    errors = [min(line.error or 0.0, LONGEST_ERROR_ELO) for line in lines]
    low = min((line.elo - error for line, error in zip(lines, errors, strict=True)), default=0.0)
    high = max((line.elo + error for line, error in zip(lines, errors, strict=True)), default=0.0)
    low, high = min(low, -LEAST_HALF_WIDTH_ELO), max(high, LEAST_HALF_WIDTH_ELO)
    step = _round_step((high - low) / MOST_STEPS)
    margin = (high - low) * 0.03
    return Axis(low - margin, high + margin, step)


def _round_step(least: float) -> float:
    """The next number that people count in: 10, 20, 25 or 50, or with other zeros."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * digit for digit in (1, 2, 2.5, 5, 10) if power * digit >= least)


def _grid(axis: Axis, height: float) -> list[Markup]:
    drawn: list[Markup] = []
    for tick in axis.ticks:
        place = axis.place(tick)
        look = "zero" if tick == 0 else "tick"
        drawn.append(tag("line", x1=place, x2=place, y1="0", y2=_em(height + 0.2), class_=look))
        is_minor = len(axis.ticks) > MOST_TICKS_ON_PHONE and round(tick / axis.step) % 2
        drawn.append(
            tag(
                "text",
                elo(tick),
                x=place,
                y=_em(height + 1.5),
                text_anchor="middle",
                class_="minor" if is_minor else look,
            )
        )
    return drawn


def _stripe(number: int) -> Markup:
    """Leads the eye from a name to its number; the style has the same on both sides."""
    return tag("rect", x="0", y=_em(ROW * number), width="100%", height=_em(ROW), class_="stripe")


def _row(number: int, line: Line, axis: Axis) -> Markup:
    """The dot and the error bar of one bot, with the numbers for whoever points at it."""
    middle = ROW * (number + 0.5)
    parts = [tag("title", f"{line.name}: {_value(line)}")]
    if line.error is not None:
        parts += _bar(line.elo - line.error, line.elo + line.error, middle, axis)
    look = "dot" if line.error is not None else "dot unknown"
    parts.append(tag("circle", cx=axis.place(line.elo), cy=_em(middle), r="0.36em", class_=look))
    return tag("g", *parts, class_="best" if line.place == 1 else None)


def _bar(low: float, high: float, middle: float, axis: Axis) -> list[Markup]:
    """What is likely, with a cap at each end that is in the picture."""
    across = tag(
        "line",
        x1=axis.place(low),
        x2=axis.place(high),
        y1=_em(middle),
        y2=_em(middle),
        class_="bar",
    )
    caps = [
        tag(
            "line",
            x1=axis.place(end),
            x2=axis.place(end),
            y1=_em(middle - CAP),
            y2=_em(middle + CAP),
            class_="bar",
        )
        for end in (low, high)
        if axis.low <= end <= axis.high
    ]
    return [across, *caps]


def _value(line: Line) -> str:
    return "no games" if line.error is None else f"{elo(line.elo)} ± {line.error:,.0f}"


def _em(number: float) -> str:
    return f"{number:.2f}em"

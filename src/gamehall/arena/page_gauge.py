"""The sequential test as a bar: where its ratio lies between the bounds that decide."""

from gamehall.arena.page_markup import Markup, join, tag
from gamehall.arena.page_words import signed
from gamehall.arena.summary import MOST_ELO, SequentialTest

MARGIN = 0.06
"""What is left beyond each bound, as a share of the width."""


def draw_test(test: SequentialTest) -> Markup:
    """How the test stands, as a bar and in words."""
    return join(
        tag("div", _gauge(test), class_="gauge"),
        tag(
            "p",
            f"The log-likelihood ratio (LLR) is {signed(test.llr, 2)}. The test goes on while it"
            f" lies between {signed(test.lower, 2)} and {signed(test.upper, 2)}."
            f" Normalised Elo: {_interval(test)}.",
            class_="note",
        ),
    )


def _interval(test: SequentialTest) -> str:
    if max(-test.low, test.high) >= MOST_ELO:
        return "not known yet"
    low, high = signed(test.low, 1), signed(test.high, 1)
    return f"{signed(test.normalised_elo, 1)} (95 %: {low} to {high})"


def _gauge(test: SequentialTest) -> Markup:
    lower, upper, now = (_place(test, number) for number in (test.lower, test.upper, test.llr))
    nothing = _place(test, 0.0)
    left, right = sorted((nothing, now))
    return tag(
        "svg",
        tag("rect", x="0", y="1.6em", width=_percent(lower), height="1.2em", class_="reject"),
        tag(
            "rect",
            x=_percent(lower),
            y="1.6em",
            width=_percent(upper - lower),
            height="1.2em",
            class_="track",
        ),
        tag(
            "rect",
            x=_percent(upper),
            y="1.6em",
            width=_percent(1 - upper),
            height="1.2em",
            class_="accept",
        ),
        tag(
            "rect",
            x=_percent(left),
            y="1.9em",
            width=_percent(right - left),
            height="0.6em",
            class_="way",
        ),
        *(
            tag("line", x1=_percent(at), x2=_percent(at), y1="1.4em", y2="3em", class_=look)
            for at, look in ((lower, "bound"), (nothing, "zero"), (upper, "bound"))
        ),
        tag("circle", cx=_percent(now), cy="2.2em", r="0.5em", class_="dot"),
        _label(now, "1em", f"LLR {signed(test.llr, 2)}", "now"),
        _label(lower, "4.2em", f"{signed(test.lower, 2)} rejected", "", "start"),
        _label(upper, "4.2em", f"accepted {signed(test.upper, 2)}", "", "end"),
        width="100%",
        height="4.6em",
        role="img",
        aria_label=f"LLR {test.llr:.2f} between {test.lower:.2f} and {test.upper:.2f}",
    )


def _label(at: float, down: str, text: str, look: str, anchor: str | None = None) -> Markup:
    """A text that does not leave the picture where it is near an edge."""
    if anchor is None:
        anchor = "start" if at < 0.15 else "end" if at > 0.85 else "middle"
    return tag("text", text, x=_percent(at), y=down, text_anchor=anchor, class_=look or None)


def _place(test: SequentialTest, number: float) -> float:
    """Where that is, from 0 at the left edge to 1 at the right one."""
    width = test.upper - test.lower
    share = (number - test.lower) / width if width > 0 else 0.5
    return min(1.0, max(0.0, MARGIN + share * (1 - 2 * MARGIN)))


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"

"""What is said around the tables: who moves first, how games ended, who failed, what to type."""

import math
import shlex
from collections.abc import Iterable, Sequence

from gamehall.arena.page_markup import Markup, fragment, join, named, tag
from gamehall.arena.page_words import ENDINGS, counted, percent
from gamehall.arena.summary import Fault, SeatShare, Summary

Z_95 = 1.96
MOST_UNFOLDED = 10
"""So many faults are seen at once; there may be a hundred."""


def draw_seats(summary: Summary) -> Markup:
    """How much the first move is worth."""
    total = SeatShare(
        sum(line.as_first.won for line in summary.lines),
        sum(line.as_first.drawn for line in summary.lines),
        sum(line.as_first.lost for line in summary.lines),
    )
    matches = total.won + total.drawn + total.lost
    if not matches:
        return tag("p", "No games yet.")
    score = (total.won + total.drawn / 2) / matches
    parts = (
        ("first", total.won, "won by who moved first"),
        ("drawn", total.drawn, "drawn"),
        ("second", total.lost, "won by who moved second"),
    )
    return join(
        tag("p", _worth(score, _score_error(total, matches))),
        tag(
            "div",
            *(
                tag("span", style=f"flex-grow:{number}", class_=look, title=f"{number:,} {what}")
                for look, number, what in parts
                if number
            ),
            class_="split",
            role="img",
            aria_label=", ".join(f"{number} {what}" for _, number, what in parts),
        ),
        tag(
            "ul",
            *(
                tag("li", f"{number:,} {what} ({percent(number / matches, 0)})", class_=look)
                for look, number, what in parts
            ),
            class_="legend",
        ),
    )


def _worth(score: float, error: float) -> str:
    """What the first move is worth, and whether that may be chance."""
    measured = f"Who moved first scored {percent(score, 1)} ± {percent(error, 1)} of the points"
    if abs(score - 0.5) <= error:
        return f"{measured}: that may well be chance."
    return f"{measured}: the first move is {'an advantage' if score > 0.5 else 'a burden'}."


def _score_error(share: SeatShare, matches: int) -> float:
    """Half the 95 % interval of a score, as if every game stood alone. A win and a loss that
    nobody played keep it from vanishing where all games ended alike."""
    won, lost = share.won + 1, share.lost + 1
    played = won + share.drawn + lost
    mean = (won + share.drawn / 2) / played
    squares = won * (1 - mean) ** 2 + share.drawn * (0.5 - mean) ** 2 + lost * mean**2
    return Z_95 * math.sqrt(squares / played / matches)


def draw_endings(summary: Summary) -> Markup:
    """How games have ended, the most frequent first."""
    total = sum(summary.endings.values())
    if not total:
        return tag("p", "No games yet.")
    rows = (
        tag(
            "tr",
            tag("th", ending, tag("small", ENDINGS.get(ending, "")), scope="row"),
            tag("td", f"{times:,}", class_="n"),
            tag("td", percent(times / total, 1), class_="n"),
            tag(
                "td",
                tag(
                    "span",
                    style=f"width:{100 * times / total:.1f}%",
                    class_="length" if ending == "played out" else "length bad",
                ),
                class_="lengths",
            ),
        )
        for ending, times in summary.endings.items()
    )
    return tag("div", tag("table", tag("tbody", *rows), class_="endings"), class_="wide")


def draw_faults(summary: Summary, listed: Iterable[str]) -> Markup:
    """Who has lost by its own fault, and what shows it. `listed` are matches to link to."""
    total = sum(times for line in summary.lines for times in line.faults.values())
    by_bot = [
        tag("li", tag("strong", named(line.name)), f": {_by_cause(line.faults)}")
        for line in summary.lines
        if line.faults
    ]
    there = frozenset(listed)
    shown = [_fault(fault, fault.match in there) for fault in summary.faults]
    more = shown[MOST_UNFOLDED:]
    left_out = total - len(summary.faults)
    note = f"The first {len(summary.faults):,} of {total:,} are shown." if left_out > 0 else ""
    return join(
        tag("ul", *by_bot, class_="by-bot") if by_bot else "",
        tag("p", note, class_="note") if note else "",
        *shown[:MOST_UNFOLDED],
        tag("details", tag("summary", f"{len(more):,} more"), *more, class_="fault")
        if more
        else "",
    )


def _by_cause(faults: dict[str, int]) -> str:
    return ", ".join(f"{times:,} × {cause}" for cause, times in faults.items())  # noqa: RUF001


def _fault(fault: Fault, is_listed: bool) -> Markup:
    match = tag("a", fault.match, href=fragment(fault.match)) if is_listed else fault.match
    return tag(
        "details",
        tag(
            "summary",
            tag("strong", named(fault.bot)),
            " against ",
            named(fault.opponent),
            ": ",
            tag("span", fault.ending, class_="cause"),
            f" {fault.detail}",
        ),
        tag("pre", fault.evidence) if fault.evidence else tag("p", "Nothing more was seen."),
        tag("p", "Match ", match, ": ", _typed("gamehall", "replay", fault.match), class_="note"),
        class_="fault",
    )


def draw_remarks(remarks: Sequence[str]) -> Markup:
    """What is to be said besides."""
    return tag("ul", *(tag("li", remark) for remark in remarks))


def draw_again(summary: Summary, match: str | None, command: str) -> Markup:
    """What to type to see a game, for example this one, to go on, and to play all of it again."""
    example = match or next((fault.match for fault in summary.faults), "MATCH")
    resumed = "Show it again" if summary.is_over else "Go on with it"
    repeat = (
        tag("code", command)
        if command
        else join("the same command, with ", _typed("--seed", str(summary.seed)))
    )
    steps = (
        ("Look at a game", _typed("gamehall", "replay", example, "--all")),
        (resumed, _typed("gamehall", "arena", "--resume", summary.name)),
        ("Play all of it again", repeat),
    )
    return join(
        tag("dl", *(join(tag("dt", what), tag("dd", how)) for what, how in steps)),
        tag(
            "p",
            f"This run is called {summary.name} and has the seed {summary.seed}: openings and the"
            " chance of every bot follow from it. Bots that think by the clock may still differ."
            f" {counted(len(summary.lines), 'bot')} took part.",
            class_="note",
        ),
    )


def _typed(*words: str) -> Markup:
    """A command as a shell reads it."""
    return tag("code", shlex.join(words))

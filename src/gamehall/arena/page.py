"""How a run stands, as one page of HTML that needs nothing else, not even a script.

Everything on it is in its file: the style, the plots, the pictures of games. The page itself
forbids a browser to fetch anything. All text goes through page_markup.py, which escapes it.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib import resources

from gamehall.arena import page_sections as sections
from gamehall.arena import page_tables as tables
from gamehall.arena import page_words as words
from gamehall.arena.page_gauge import draw_test
from gamehall.arena.page_markup import Markup, join, raw, tag
from gamehall.arena.page_matches import ListedMatch, draw_matches, draw_replays, has_pictures
from gamehall.arena.page_plot import draw_ratings
from gamehall.arena.summary import Summary

__all__ = ["ListedMatch", "write_page"]

MOST_SIDE_BY_SIDE = 8
"""With more bots two matrices do not fit beside each other."""
MOST_UNFOLDED = 20
"""With more bots the second matrix is folded."""

SCRIPT = """
"use strict";
// Steps stay where they are on the screen, and leave no trail of pages to go back through.
document.addEventListener("click", (click) => {
  const link = click.target.closest(".positions a");
  if (!link) return;
  click.preventDefault();
  const [left, top, kind] = [scrollX, scrollY, link.rel];
  addEventListener("hashchange", () => {
    scrollTo(left, top);
    const next = kind && document.querySelector(`:target a[rel=${kind}]`);
    if (next) next.focus({ preventScroll: true });
  }, { once: true });
  location.replace(link.hash);
});
document.addEventListener("keydown", (key) => {
  const kind = { ArrowLeft: "prev", ArrowRight: "next" }[key.key];
  const link = kind && document.querySelector(`.positions :target a[rel=${kind}]`);
  if (!link || key.altKey || key.ctrlKey || key.metaKey) return;
  key.preventDefault();
  link.click();
});
"""


def write_page(
    summary: Summary, matches: Sequence[ListedMatch] = (), command: str | None = None
) -> str:
    """The page. `matches` are listed, and those that have pictures can be replayed.

    `command` is what plays the same run again, if somebody can say.
    """
    style = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    script = SCRIPT if any(map(has_pictures, matches)) else ""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{words.title(summary)} arena: {summary.name}"),
        tag("style", raw(style)),
    )
    body = tag(
        "body",
        _header(summary),
        tag("main", *_sections(summary, matches, command or "")),
        tag("footer", f"Gamehall arena · run {summary.name} · seed {summary.seed}"),
        tag("script", raw(script)) if script else "",
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _policy(script: str) -> str:
    """What the page may do: show what is in it, run its own script, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    scripts = f"'sha256-{digest}'" if script else "'none'"
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {scripts};"
        " base-uri 'none'; form-action 'none'"
    )


def _header(summary: Summary) -> Markup:
    sentence, detail = words.verdict(summary)
    facts = [
        words.form(summary),
        *words.terms(summary),
        words.counted(len(summary.lines), "bot"),
        words.progress(summary),
    ]
    return tag(
        "header",
        tag("p", "Arena", class_="kicker"),
        tag("h1", words.title(summary)),
        tag("ul", *(tag("li", fact) for fact in facts), class_="facts"),
        tag(
            "p",
            sentence,
            join(": ", tag("span", f"{detail}.", class_="sure")) if detail else ".",
            class_="verdict",
        ),
        tag("p", _warning(summary), class_="note") if _warning(summary) else "",
    )


def _warning(summary: Summary) -> str:
    """What to keep in mind when reading the ratings."""
    if not summary.matches or not summary.is_bounded:
        return ""
    return (
        "Somebody has won or lost everything: how far apart the ratings are is then a guess; who"
        " is ahead is not."
    )


def _sections(summary: Summary, matches: Sequence[ListedMatch], command: str) -> Iterator[Markup]:
    if summary.test is not None:
        yield _section("The test", draw_test(summary.test))
    yield _section("Standings", tables.draw_standings(summary))
    yield _section(
        "Ratings",
        draw_ratings(summary),
        "Elo relative to the average of all; 100 Elo more mean 64 points of 100. The bars hold the"
        " true rating 95 times out of 100.",
    )
    if summary.matches:
        yield _matrices(summary)
    yield tag(
        "div",
        _section("The first move", sections.draw_seats(summary)),
        _section("How games ended", sections.draw_endings(summary)),
        class_="pair",
    )
    if summary.faults or any(line.faults for line in summary.lines):
        listed = (match.name for match in matches)
        yield _section("Faults", sections.draw_faults(summary, listed))
    if summary.remarks:
        yield _section("Remarks", sections.draw_remarks(summary.remarks))
    if any(map(has_pictures, matches)):
        yield _section(
            "Games to look at",
            draw_replays(matches),
            "Step with the arrows; every position has its own address.",
        )
    if matches:
        yield _section("Games", draw_matches(matches))
    example = next((match.name for match in matches), None)
    yield _section("See it for yourself", sections.draw_again(summary, example, command))


def _matrices(summary: Summary) -> Markup:
    """Who scored what against whom, and who is likely stronger; side by side if both are small."""
    stronger = tables.draw_superiorities(summary)
    if len(summary.lines) > MOST_UNFOLDED:
        stronger = tag("details", tag("summary", "Show all pairs"), stronger)
    return tag(
        "div",
        _section(
            "Who beat whom",
            tables.draw_cross_table(summary),
            "Per cent of the points that the bot on the left has scored against the one above."
            " Blue is more than half, orange less.",
        ),
        _section(
            "Who is stronger",
            stronger,
            "How likely it is that the bot on the left is stronger than the one above, in per"
            " cent, by all games together; 50 means that nobody knows.",
        ),
        class_="pair" if len(summary.lines) <= MOST_SIDE_BY_SIDE else "stack",
    )


def _section(heading: str, content: Markup, note: str = "") -> Markup:
    return tag(
        "section",
        tag("h2", heading),
        content,
        tag("p", note, class_="note") if note else "",
        id=heading.lower().replace(" ", "-"),
        class_="card",
    )

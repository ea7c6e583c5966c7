"""The results of a run in HTML: as a standalone file, and as a part of a web page.

`templates/results.html` has the results for both. This module chooses what is shown, and formats
numbers.
"""

import math
import shlex
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
from jinja2 import Environment
from markupsafe import Markup

from gamehall.arena.match_runner import Row
from gamehall.arena.numbers import (
    LEAST_SHOWN,
    in_hundred,
    likelihood,
    milliseconds,
    percent,
    signed,
)
from gamehall.arena.runner import Run, SeatShare
from gamehall.arena.summary import MOST_ELO, SequentialTest, StandingsLine, Summary
from gamehall.core import counted
from gamehall.export.standalone import colours, embed, make_environment, read_file
from gamehall.games.catalogue import all_games
from gamehall.match import Ending, Record, RecordError
from gamehall.match.record import positions, read_game
from gamehall.tournaments.formats import FORMATS
from gamehall.tournaments.ratings import Z_95

PACKAGE = "gamehall.arena"
MOST_LISTED = 2_000
MOST_WITH_PICTURES = 6
LETTERS_OF_PICTURES = 3_000_000
"""The limit for all pictures together: a larger page opens slowly."""
MOST_STEPS = 6
"""Of the axis: more numbers would be hard to read."""
MOST_TICKS_ON_PHONE = 3
"""With more ticks, phones show only every other number."""
LONGEST_ERROR_ELO = 1_200.0
"""Longer error bars are cut at the edge of the plot, to leave room for the ratings."""
LEAST_HALF_WIDTH_ELO = 50.0
GAUGE_MARGIN = 0.06
"""The space beyond each bound of a test, as a share of the width."""
COLUMNS = (
    ("", "The place: bots that are level have the same"),
    ("bot", None),
    ("Elo", "Rating, relative to the average of all"),
    ("± 95 %", "Half the width of the 95 % interval of the rating"),
    ("better than next", "The likelihood that this bot is stronger than the next one"),
    ("score", "Points as a share of the games; a draw is half a point"),
    ("points", None),
    ("games", None),
    ("moving first", "Games won, drawn and lost when it made the first move"),
    ("moving second", "Games won, drawn and lost when its opponent made the first move"),
    ("faults", "Games lost by its own fault"),
    ("ms/move", "Average thinking time per move in milliseconds"),
)
LONGEST_NAME = 40
"""The length of a name in a sentence."""
MOST_NAMES = 3
"""The number of names in a sentence."""
SURE, LIKELY = 0.95, 0.8
"""The likelihoods from which a bot is called better, or probably better."""
ALMOST = 0.99
"""From this likelihood on, one more digit is shown."""
RANKED_BY_FORMAT = frozenset({"knockout", "double-elimination", "swiss", "ladder"})
"""Formats in which a bot can come first without the best rating."""
OTHER_FORMATS = {
    "sprt": "two bots play until a test can tell which is better",
    "adaptive": "the bots play whose games tell most about the ranking",
}
ENDINGS = {
    Ending.PLAYED_OUT: "ended by the rules of the game",
    Ending.RESIGNED: "a bot resigned",
    Ending.ILLEGAL_MOVE: "a bot tried an illegal move",
    Ending.OUT_OF_TIME: "a bot took too long",
    Ending.BROKE_PROTOCOL: "a bot sent an invalid answer",
    Ending.LEFT: "a bot left",
    Ending.CRASHED: "a bot failed",
    Ending.TOO_LONG: "drawn at the limit of moves",
    Ending.CANCELLED: "does not count",
}


class ListedMatch(msgspec.Struct, frozen=True):
    """A match as the page shows it."""

    name: str
    """The name of the match, for `gamehall replay`."""
    first: str
    second: str
    winner: str | None
    """The name of the winner, None after a draw."""
    ending: str
    moves: int
    positions: list[str] = []
    """SVG pictures from the first position to the last; empty if the match has no replay."""


class Axis(NamedTuple):
    """The axis of the ratings, in Elo."""

    low: float
    high: float
    step: float
    """The distance between two numbers on the axis."""

    @property
    def ticks(self) -> list[float]:
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [self.step * number for number in range(first, last + 1)]

    def is_minor(self, tick: float) -> bool:
        """Return True if phones do not show this number."""
        return len(self.ticks) > MOST_TICKS_ON_PHONE and round(tick / self.step) % 2 == 1

    def place(self, number: float) -> str:
        """Return the position of a number in per cent of the width, cut at the edges."""
        share = (number - self.low) / (self.high - self.low)
        return f"{100 * min(1.0, max(0.0, share)):.2f}%"


class SeatPart(NamedTuple):
    """A part of the bar that shows the value of the first move."""

    look: str
    """The CSS class."""
    number: int
    """The number of games."""
    what: str
    share: float


class SeatResults(NamedTuple):
    """The value of the first move."""

    sentence: str
    parts: list[SeatPart]


def write_page(
    summary: Summary, matches: Sequence[ListedMatch] = (), command: str | None = None
) -> str:
    """Return a standalone page.

    Args:
        summary: the standings.
        matches: the matches to list; those with pictures get a replay.
        command: the command that plays the same run again, if it is known.
    """
    script = read_file(PACKAGE, "templates/page.js") if any(m.positions for m in matches) else ""
    styles = [
        colours(),
        read_file(PACKAGE, "templates/page.css"),
        read_file(PACKAGE, "static/results.css"),
    ]
    context = _context(summary, matches, command)
    return _environment().get_template("page.html").render(context, **embed(styles, script))


def write_results(summary: Summary, replay_at: str) -> Markup:
    """Return the results as a part of a page that includes results.css and colours.css.

    Args:
        summary: the standings.
        replay_at: the start of the URL of a replay, to which the name of the match is added.
    """
    context = _context(summary, (), None) | {"replay_at": replay_at}
    return Markup(_environment().get_template("results.html").render(context))


def _context(
    summary: Summary, matches: Sequence[ListedMatch], command: str | None
) -> dict[str, Any]:
    """Return the variables of the templates."""
    named = [match.name for match in matches] + [fault.match for fault in summary.faults]
    return {
        "summary": summary,
        "matches": matches,
        "repeat": command,
        "example": next(iter(named), "MATCH"),
        "title": title(summary),
        "verdict": verdict(summary),
        "facts": [
            form(summary),
            *terms(summary),
            counted(len(summary.lines), "bot"),
            progress(summary),
        ],
        "axis": make_axis(summary.lines),
        "seats": measure_seats(summary),
        "has_replays": any(match.positions for match in matches),
        "replay_at": "",
    }


@cache
def _environment() -> Environment:
    environment = make_environment(PACKAGE)
    environment.filters |= {
        "as_id": as_id,
        "colour": colour,
        "counted": counted,
        "em": lambda number: f"{number:.2f}em",
        "fragment": lambda name: "#" + quote(as_id(name)),
        "in_hundred": in_hundred,
        "likelihood": likelihood,
        "milliseconds": milliseconds,
        "number": format,
        "percent": percent,
        "share": lambda share: f"{100 * share:.2f}%",
        "shell": shlex.join,
        "signed": signed,
    }
    environment.globals |= {
        "columns": COLUMNS,
        "is_unbounded": lambda test: max(-test.low, test.high) >= MOST_ELO,
        "meanings": {ending.value: words for ending, words in ENDINGS.items()},
        "place_in_test": place_in_test,
        "position_id": lambda match, number: f"{as_id(match.name)}-{number}",
        "rating": rating,
    }
    return environment


def as_id(name: str) -> str:
    """Return a name as the id of an element: without spaces."""
    return "_".join(name.encode("utf-8", "replace").decode().split()) or "_"


def chosen_matches(run: Run) -> list[ListedMatch]:
    """Return the first matches of a run, with pictures of a few of them. Raises StorageError."""
    rows = list(islice(run.rows(), MOST_LISTED))
    names = run.config.names
    room = LETTERS_OF_PICTURES
    pictures: dict[str, list[str]] = {}
    for row in _most_interesting(rows):
        drawn = _pictures(run.record(row.name))
        room -= sum(map(len, drawn))
        if room < 0 or len(pictures) == MOST_WITH_PICTURES:
            break
        pictures[row.name] = drawn
    return [
        ListedMatch(
            name=row.name,
            first=names[row.first],
            second=names[row.second],
            winner=None if row.winner is None else names[row.winner],
            ending=row.ending.value,
            moves=row.moves,
            positions=pictures.get(row.name, []),
        )
        for row in rows
    ]


def _most_interesting(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the longest match, the shortest, one with a fault, one that was drawn, then others."""
    played = [row for row in rows if row.moves]
    if not played:
        return
    seen: set[str] = set()
    faults = (row for row in played if row.blame is not None)
    draws = (row for row in played if row.winner is None)
    longest = max(played, key=lambda row: row.moves)
    shortest = min(played, key=lambda row: row.moves)
    for row in (longest, shortest, *islice(faults, 1), *islice(draws, 1), *played):
        if row.name not in seen:
            seen.add(row.name)
            yield row


def _pictures(record: Record | None) -> list[str]:
    """Return pictures of all positions of a match; empty if it cannot be replayed."""
    if record is None:
        return []
    try:
        game = read_game(all_games()[record.game], record)
        *before, last = (position.seen_by(None) for position in positions(game, record))
        return [position.picture() for position in [*before, last.stopped()]]
    except RecordError:
        return []


def make_axis(lines: list[StandingsLine]) -> Axis:
    """Return an axis with all ratings and their error bars, except for very long ones."""
    errors = [min(line.error or 0.0, LONGEST_ERROR_ELO) for line in lines]
    low = min((line.elo - error for line, error in zip(lines, errors, strict=True)), default=0.0)
    high = max((line.elo + error for line, error in zip(lines, errors, strict=True)), default=0.0)
    low, high = min(low, -LEAST_HALF_WIDTH_ELO), max(high, LEAST_HALF_WIDTH_ELO)
    step = _round_step((high - low) / MOST_STEPS)
    margin = (high - low) * 0.03
    return Axis(low - margin, high + margin, step)


def _round_step(least: float) -> float:
    """Return the next round number: 10, 20, 25 or 50 times a power of ten."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * digit for digit in (1, 2, 2.5, 5, 10) if power * digit >= least)


def rating(line: StandingsLine) -> str:
    """Return the rating of a bot with its error."""
    return "no games" if line.error is None else f"{signed(line.elo)} ± {line.error:,.0f}"


def place_in_test(test: SequentialTest, number: float) -> float:
    """Return the position of a log-likelihood ratio, from 0 at the left edge to 1 at the right."""
    width = test.upper - test.lower
    share = (number - test.lower) / width if width > 0 else 0.5
    return min(1.0, max(0.0, GAUGE_MARGIN + share * (1 - 2 * GAUGE_MARGIN)))


def measure_seats(summary: Summary) -> SeatResults | None:
    """Return the value of the first move, None if nothing was played."""
    total = SeatShare(
        sum(line.as_first.won for line in summary.lines),
        sum(line.as_first.drawn for line in summary.lines),
        sum(line.as_first.lost for line in summary.lines),
    )
    if not total.matches:
        return None
    parts = (
        ("first", total.won, "won by the first player"),
        ("drawn", total.drawn, "drawn"),
        ("second", total.lost, "won by the second player"),
    )
    return SeatResults(
        _describe_first_move(total.points / total.matches, _score_error(total)),
        [SeatPart(look, number, what, number / total.matches) for look, number, what in parts],
    )


def _describe_first_move(score: float, error: float) -> str:
    measured = f"The first player scored {percent(score, 1)} ± {percent(error, 1)} of the points"
    if abs(score - 0.5) <= error:
        return f"{measured}: this may be chance."
    return f"{measured}: the first move is {'an advantage' if score > 0.5 else 'a disadvantage'}."


def _score_error(share: SeatShare) -> float:
    """Return half the width of the 95 % interval of a score, as if games were independent.

    A virtual win and a virtual loss keep it above 0 if all games ended alike.
    """
    won, lost = share.won + 1, share.lost + 1
    played = won + share.drawn + lost
    mean = (won + share.drawn / 2) / played
    squares = won * (1 - mean) ** 2 + share.drawn * (0.5 - mean) ** 2 + lost * mean**2
    return Z_95 * math.sqrt(squares / played / share.matches)


def colour(share: float) -> str:
    """Return the CSS class for a number from 0 to 1: s0 to s10."""
    return f"s{round(10 * min(1.0, max(0.0, share)))}"


def title(summary: Summary) -> str:
    """Return the title of the game, or its name if its package is not installed."""
    game = all_games().get(summary.game)
    return game.title if game else summary.game


def terms(summary: Summary) -> Iterator[str]:
    """Yield the terms of the game, as in `board size 6`."""
    for term, value in summary.terms.items():
        written = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
        yield f"{term.replace('_', ' ')} {written}"


def form(summary: Summary) -> str:
    """Return the format and its description."""
    kind = FORMATS.get(summary.format)
    meaning = OTHER_FORMATS.get(summary.format) if kind is None else kind.summary
    name = "sequential test" if summary.format == "sprt" else summary.format.replace("-", " ")
    return name if meaning is None else f"{name}: {meaning}"


def progress(summary: Summary) -> str:
    """Return how many games were played, and how many there will be."""
    games = counted(summary.matches, "game")
    if summary.is_over:
        return f"{games}, complete"
    of = "" if summary.expected is None else f" of {summary.expected:,}"
    return f"{summary.matches:,}{of} games so far" if of else f"{games} so far"


def verdict(summary: Summary) -> tuple[str, str]:
    """Return the result in a sentence, and its likelihood and size, which may be empty."""
    lines = summary.lines
    if not summary.matches or len(lines) < 2:
        return "No games yet", ""
    best, second = lines[0], lines[1]
    if summary.test is not None and len(lines) == 2:
        return _tested(summary, summary.test)
    if _is_won_by_format(summary):
        sentence = f"{_short(best.name)} wins the {summary.format.replace('-', ' ')}"
        return sentence, _stronger(best, second)
    if best.superiority is None or best.place == second.place:
        return _level(summary)
    one, other = _short(best.name), _short(second.name)
    others = "" if len(lines) == 2 else f", the next of {len(lines)} bots"
    sure = _sure(best.superiority)
    if best.superiority >= SURE:
        return f"{one} is better than {other}{others}", f"{sure}, {_lead(summary)}"
    if best.superiority >= LIKELY:
        sentence = f"{one} is probably better than {other}{others}"
        return sentence, f"only {sure}, {_lead(summary)}"
    sentence = f"{one} and {other} cannot be told apart yet"
    return sentence, f"{one} is ahead, but only {sure}, {_lead(summary)}"


def _tested(summary: Summary, test: SequentialTest) -> tuple[str, str]:
    candidate, rival = summary.lines
    if candidate.name != test.candidate:
        candidate, rival = rival, candidate
    one, other = _short(candidate.name), _short(rival.name)
    lead = _lead(summary, candidate.elo)
    if test.verdict == "accepted":
        return f"{one} is better than {other}", f"the test is accepted, {lead}"
    if test.verdict == "rejected":
        return f"{one} is not better than {other} by {test.elo1:g} Elo", f"{lead}"
    yet = "" if summary.is_over else " yet"
    return f"The test cannot tell{yet} whether {one} is better than {other}", f"{lead} so far"


def _sure(share: float) -> str:
    is_extreme = share >= ALMOST or share < LEAST_SHOWN
    return f"{likelihood(share) if is_extreme else percent(share, 0)} sure"


def _is_won_by_format(summary: Summary) -> bool:
    is_first_alone = summary.lines[0].place != summary.lines[1].place
    return summary.is_over and summary.format in RANKED_BY_FORMAT and is_first_alone


def _stronger(best: StandingsLine, second: StandingsLine) -> str:
    if best.superiority is None:
        return ""
    return f"{_sure(best.superiority)} that it is stronger than {_short(second.name)}"


def _lead(summary: Summary, of_two: float | None = None) -> str:
    """Return the lead of the best bot, or that of the one of two bots which has this rating.

    With two bots the error of the lead is twice that of each: both are equally far from the mean.
    """
    best, second = summary.lines[0], summary.lines[1]
    lead = signed(best.elo - second.elo if of_two is None else 2 * of_two)
    if summary.is_bounded:
        # A symmetric error would include 0, though there is no doubt which bot is better.
        return f"about {lead} Elo"
    if len(summary.lines) == 2 and best.error is not None:
        return f"{lead} ± {2 * best.error:,.0f} Elo"
    if best.lead is not None:
        return f"{lead} Elo ({signed(best.lead.low)} to {signed(best.lead.high)})"
    return f"{lead} Elo"


def _short(name: str) -> str:
    """Return a name, cut to fit into a sentence."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _level(summary: Summary) -> tuple[str, str]:
    """Return the verdict if several bots share the first place."""
    level = [_short(line.name) for line in summary.lines if line.place == summary.lines[0].place]
    few = f"{', '.join(level[:-1])} and {level[-1]}"
    names = few if len(level) <= MOST_NAMES else f"{len(level)} bots"
    if len(level) == len(summary.lines):
        return f"{names} are level", ""
    return f"{names} share the first place of {len(summary.lines)}", ""

"""The results of a run in HTML: a file that needs nothing else, and a part of the page at the web.

`templates/results.html` has the results, for both; this module chooses what is shown, and puts
numbers into words.
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
from gamehall.arena.runner import Run
from gamehall.arena.summary import MOST_ELO, SeatShare, SequentialTest, StandingsLine, Summary
from gamehall.export.standalone import colours, embed, make_environment, read_file
from gamehall.games.catalogue import all_games
from gamehall.match import Record, RecordError
from gamehall.match.record import positions, read_game
from gamehall.tournaments.formats import FORMATS

HERE = "gamehall.arena"
MOST_LISTED = 2_000
MOST_WITH_PICTURES = 6
LETTERS_OF_PICTURES = 3_000_000
"""All pictures together; a page that is larger opens slowly."""
MOST_STEPS = 6
"""More numbers on the axis would be hard to read."""
MOST_TICKS_ON_PHONE = 3
"""With more of them, a phone leaves out every other number."""
LONGEST_ERROR_ELO = 1_200.0
"""A longer error bar would leave no room for what is known; it goes off the edge."""
LEAST_HALF_WIDTH_ELO = 50.0
GAUGE_MARGIN = 0.06
"""What is left beyond each bound of a test, as a share of the width."""
Z_95 = 1.96
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
    ("faults", "Games that it has lost by its own fault"),
    ("ms/move", "Milliseconds that it thought over a move, on average"),
)
LONGEST_NAME = 40
"""Letters of a name in a sentence."""
MOST_NAMES = 3
"""Names in a sentence."""
SURE, LIKELY = 0.95, 0.8
"""From which likelihood on a bot is called better, or probably better."""
ALMOST, MOST, LEAST = 0.99, 0.9995, 0.0005
"""From where on a further digit is shown, and where numbers end."""
RANKED_BY_FORMAT = frozenset({"knockout", "double-elimination", "swiss", "ladder"})
"""Where a bot can come first without being the strongest."""
OTHER_FORMATS = {
    "sprt": "two bots meet until a test can tell which is better",
    "adaptive": "those meet of whom most is to be learnt",
}
ENDINGS = {
    "played out": "the rules decided",
    "resigned": "a bot gave up",
    "illegal move": "a bot tried what the rules forbid",
    "out of time": "a bot took too long",
    "broke protocol": "a bot answered what is no answer",
    "left": "a bot went away",
    "crashed": "a bot failed",
    "too long": "nobody had won after as many moves as a game may have: a draw",
    "cancelled": "it counts for nobody",
}


class ListedMatch(msgspec.Struct, frozen=True):
    """A match as the page shows it."""

    name: str
    """The name by which `gamehall replay` finds it."""
    first: str
    second: str
    winner: str | None
    """The name of one of the two, None if it was drawn."""
    ending: str
    moves: int
    positions: list[str] = []
    """SVG pictures from the first position to the last, or none."""


class Axis(NamedTuple):
    """The axis of the ratings, in Elo."""

    low: float
    high: float
    step: float
    """The distance between two numbers on the axis."""

    @property
    def ticks(self) -> list[float]:
        """The numbers on the axis."""
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [self.step * number for number in range(first, last + 1)]

    def is_minor(self, tick: float) -> bool:
        """Return True if a phone leaves out this number."""
        return len(self.ticks) > MOST_TICKS_ON_PHONE and round(tick / self.step) % 2 == 1

    def place(self, number: float) -> str:
        """Return where a number is drawn, in per cent; what is beyond an edge is drawn at it."""
        share = (number - self.low) / (self.high - self.low)
        return f"{100 * min(1.0, max(0.0, share)):.2f}%"


class SeatPart(NamedTuple):
    """How many games ended in one way, for the seats."""

    look: str
    number: int
    what: str
    share: float


class SeatResults(NamedTuple):
    """What the first move is worth."""

    sentence: str
    parts: list[SeatPart]


def write_page(
    summary: Summary, matches: Sequence[ListedMatch] = (), command: str | None = None
) -> str:
    """Return the page. `matches` are listed, and those that have pictures can be replayed.

    `command` is what plays the same run again, if that is known.
    """
    script = read_file(HERE, "templates/page.js") if any(m.positions for m in matches) else ""
    styles = [
        colours(),
        read_file(HERE, "templates/page.css"),
        read_file(HERE, "static/results.css"),
    ]
    shown = _shown(summary, matches, command)
    return _environment().get_template("page.html").render(shown, **embed(styles, script))


def write_results(summary: Summary, replay_at: str) -> Markup:
    """Return the results as a part of another page, which has results.css and colours.css.

    `replay_at` and the name of a match make the address where it can be replayed.
    """
    shown = _shown(summary, (), None) | {"replay_at": replay_at}
    return Markup(_environment().get_template("results.html").render(shown))


def _shown(summary: Summary, matches: Sequence[ListedMatch], command: str | None) -> dict[str, Any]:
    """Return what the templates ask for."""
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
    environment = make_environment(HERE)
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
        "meanings": ENDINGS,
        "place_in_test": place_in_test,
        "position_id": lambda match, number: f"{as_id(match.name)}-{number}",
        "rating": rating,
    }
    return environment


def as_id(name: str) -> str:
    """Return a name as the id of an element, which has no spaces."""
    return "_".join(name.encode("utf-8", "replace").decode().split()) or "_"


def chosen_matches(run: Run) -> list[ListedMatch]:
    """Return the first matches of a run, the most telling with pictures. Raises StorageError."""
    rows = list(islice(run.rows(), MOST_LISTED))
    names = run.config.names
    room = LETTERS_OF_PICTURES
    pictures: dict[str, list[str]] = {}
    for row in _telling(rows):
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


def _telling(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield matches worth looking at first: the longest, the shortest, a fault, a draw, others."""
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
    """Return pictures of all positions of a match, none if it cannot be replayed."""
    if record is None:
        return []
    try:
        game = read_game(all_games()[record.game], record)
        return [position.seen_by(None).picture() for position in positions(game, record)]
    except RecordError:
        return []


def make_axis(lines: list[StandingsLine]) -> Axis:
    """Return an axis that holds all ratings, and as much of the error bars as makes sense."""
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
    """Return where a log-likelihood ratio is drawn, from 0 at the left edge to 1 at the right."""
    width = test.upper - test.lower
    share = (number - test.lower) / width if width > 0 else 0.5
    return min(1.0, max(0.0, GAUGE_MARGIN + share * (1 - 2 * GAUGE_MARGIN)))


def measure_seats(summary: Summary) -> SeatResults | None:
    """Return what the first move is worth, None if nothing was played."""
    total = SeatShare(
        sum(line.as_first.won for line in summary.lines),
        sum(line.as_first.drawn for line in summary.lines),
        sum(line.as_first.lost for line in summary.lines),
    )
    matches = total.won + total.drawn + total.lost
    if not matches:
        return None
    score = (total.won + total.drawn / 2) / matches
    return SeatResults(
        _worth(score, _score_error(total, matches)),
        [
            SeatPart(
                look="first",
                number=total.won,
                what="won by who moved first",
                share=total.won / matches,
            ),
            SeatPart(look="drawn", number=total.drawn, what="drawn", share=total.drawn / matches),
            SeatPart(
                look="second",
                number=total.lost,
                what="won by who moved second",
                share=total.lost / matches,
            ),
        ],
    )


def _worth(score: float, error: float) -> str:
    """Say what the first move is worth, and whether that may be chance."""
    measured = f"Who moved first scored {percent(score, 1)} ± {percent(error, 1)} of the points"
    if abs(score - 0.5) <= error:
        return f"{measured}: that may well be chance."
    return f"{measured}: the first move is {'an advantage' if score > 0.5 else 'a burden'}."


def _score_error(share: SeatShare, matches: int) -> float:
    """Return half the 95 % interval of a score, as if games were independent.

    A virtual win and a virtual loss keep it from vanishing where all games ended alike.
    """
    won, lost = share.won + 1, share.lost + 1
    played = won + share.drawn + lost
    mean = (won + share.drawn / 2) / played
    squares = won * (1 - mean) ** 2 + share.drawn * (0.5 - mean) ** 2 + lost * mean**2
    return Z_95 * math.sqrt(squares / played / matches)


def milliseconds(seconds: float) -> str:
    """Return seconds in milliseconds, with two digits if they are few."""
    number = 1_000 * seconds
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def in_hundred(share: float) -> str:
    """Return a likelihood in per cent, never quite 0 or 100."""
    if share > 0.995:
        return ">99"
    return "<1" if share < 0.005 else f"{100 * share:.0f}"


def colour(share: float) -> str:
    """Return the class of a colour for a number from 0 to 1; the style has eleven."""
    return f"s{round(10 * min(1.0, max(0.0, share)))}"


def title(summary: Summary) -> str:
    """Return the headline: the game."""
    return summary.game.replace("-", " ").title()


def terms(summary: Summary) -> Iterator[str]:
    """Yield the terms of the game, each in a few words."""
    for term, value in summary.terms.items():
        written = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
        yield f"{term.replace('_', ' ')} {written}"


def form(summary: Summary) -> str:
    """Return the format, and what it means."""
    kind = FORMATS.get(summary.format)
    meaning = OTHER_FORMATS.get(summary.format) if kind is None else kind.summary
    name = "sequential test" if summary.format == "sprt" else summary.format.replace("-", " ")
    return name if meaning is None else f"{name}: {meaning}"


def progress(summary: Summary) -> str:
    """Say how much was played, of how much."""
    games = counted(summary.matches, "game")
    if summary.is_over:
        return f"{games}, complete"
    of = "" if summary.expected is None else f" of {summary.expected:,}"
    return f"{summary.matches:,}{of} games so far" if of else f"{games} so far"


def verdict(summary: Summary) -> tuple[str, str]:
    """Return the result in one sentence, and how sure and how large it is, which may be empty."""
    lines = summary.lines
    if not summary.matches or len(lines) < 2:
        return "No games yet, so nobody knows", ""
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


def likelihood(share: float) -> str:
    """Return a likelihood in per cent, never quite 0 or 100."""
    if share > MOST:
        return "> 99.9 %"
    if share < LEAST:
        return "< 0.1 %"
    return percent(share, 1)


def percent(share: float, digits: int) -> str:
    """Return a share in per cent."""
    return f"{share:.{digits}%}".replace("%", " %")


def signed(number: float, digits: int = 0) -> str:
    """Return a number with its sign, which is as wide as a digit; 0 has none."""
    written = f"{number:+,.{digits}f}"
    is_nothing = not any(digit in written for digit in "123456789")
    return written[1:] if is_nothing else written.replace("-", "\N{MINUS SIGN}")


def counted(number: int, what: str) -> str:
    """Return a number with its noun in the singular or plural."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _tested(summary: Summary, test: SequentialTest) -> tuple[str, str]:
    """Return the verdict of a sequential test."""
    candidate, rival = summary.lines
    if candidate.name != test.candidate:
        candidate, rival = rival, candidate
    one, other = _short(candidate.name), _short(rival.name)
    lead = _lead(summary, candidate.elo)
    if test.verdict == "accepted":
        return f"{one} is better than {other}", f"the test is sure, {lead}"
    if test.verdict == "rejected":
        return f"{one} is not better than {other} by as much as was hoped", f"{lead}"
    yet = "" if summary.is_over else " yet"
    return f"The test cannot tell{yet} whether {one} is better than {other}", f"{lead} so far"


def _sure(share: float) -> str:
    """Say how sure something is, with as many digits as matter."""
    return f"{likelihood(share) if share >= ALMOST or share < LEAST else percent(share, 0)} sure"


def _is_won_by_format(summary: Summary) -> bool:
    is_first_alone = summary.lines[0].place != summary.lines[1].place
    return summary.is_over and summary.format in RANKED_BY_FORMAT and is_first_alone


def _stronger(best: StandingsLine, second: StandingsLine) -> str:
    if best.superiority is None:
        return ""
    return f"{_sure(best.superiority)} that it is stronger than {_short(second.name)}"


def _lead(summary: Summary, of_two: float | None = None) -> str:
    """Say by how much the best leads, or the one of two that has this rating.

    Of two bots the error of the lead is twice that of each, as both are equally far from the mean.
    """
    best, second = summary.lines[0], summary.lines[1]
    lead = signed(best.elo - second.elo if of_two is None else 2 * of_two)
    if summary.is_bounded:
        # A symmetric error would reach below 0 where there is no doubt which is better.
        return f"about {lead} Elo"
    if len(summary.lines) == 2 and best.error is not None:
        return f"{lead} ± {2 * best.error:,.0f} Elo"
    if best.lead is not None:
        return f"{lead} Elo ({signed(best.lead.low)} to {signed(best.lead.high)})"
    return f"{lead} Elo"


def _short(name: str) -> str:
    """Cut a name so that it leaves room for the rest of a sentence."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _level(summary: Summary) -> tuple[str, str]:
    """Return the verdict if several share the first place."""
    level = [_short(line.name) for line in summary.lines if line.place == summary.lines[0].place]
    few = f"{', '.join(level[:-1])} and {level[-1]}"
    names = few if len(level) <= MOST_NAMES else f"{len(level)} bots"
    if len(level) == len(summary.lines):
        return f"{names} are level", "nobody is ahead"
    return f"{names} share the first place of {len(summary.lines)}", ""

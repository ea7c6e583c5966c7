"""What a run has come to, in words that need no explanation."""

from collections.abc import Iterator

from gamehall.arena.summary import Line, SequentialTest, Summary
from gamehall.tournaments.formats import FORMATS

LONGEST_NAME = 40
"""So many letters of a name a sentence bears."""
MOST_NAMES = 3
"""So many names as well."""
SURE, LIKELY = 0.95, 0.8
"""From where on somebody is called better, or probably better."""
ALMOST, MOST, LEAST = 0.99, 0.9995, 0.0005
"""From where on a digit more is of interest, and where numbers end."""
RANKED_BY_FORMAT = frozenset({"knockout", "double-elimination", "swiss", "ladder"})
"""Where somebody can come first without being the strongest."""
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


def title(summary: Summary) -> str:
    """The game, as a headline has it."""
    return summary.game.replace("-", " ").title()


def terms(summary: Summary) -> Iterator[str]:
    """What is agreed beside the rules, each in a few words."""
    for term, value in summary.terms.items():
        written = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
        yield f"{term.replace('_', ' ')} {written}"


def form(summary: Summary) -> str:
    """The format, and what that means."""
    kind = FORMATS.get(summary.format)
    meaning = OTHER_FORMATS.get(summary.format) if kind is None else kind.summary
    name = "sequential test" if summary.format == "sprt" else summary.format.replace("-", " ")
    return name if meaning is None else f"{name}: {meaning}"


def progress(summary: Summary) -> str:
    """How much was played, of how much."""
    games = counted(summary.matches, "game")
    if summary.is_over:
        return f"{games}, complete"
    of = "" if summary.expected is None else f" of {summary.expected:,}"
    return f"{summary.matches:,}{of} games so far" if of else f"{games} so far"


def verdict(summary: Summary) -> tuple[str, str]:
    """The one sentence that matters, and how sure and how much that is; either may be empty."""
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
    """A likelihood, which is never quite nothing and never quite certain."""
    if share > MOST:
        return "> 99.9 %"
    if share < LEAST:
        return "< 0.1 %"
    return percent(share, 1)


def percent(share: float, digits: int) -> str:
    """A share as people write it."""
    return f"{share:.{digits}%}".replace("%", " %")


def elo(number: float) -> str:
    """A rating or a difference, with its sign."""
    return signed(number, 0)


def signed(number: float, digits: int) -> str:
    """With a sign that is as wide as a digit, and none for nothing."""
    written = f"{number:+,.{digits}f}"
    is_nothing = not any(digit in written for digit in "123456789")
    return written[1:] if is_nothing else written.replace("-", "\N{MINUS SIGN}")


def counted(number: int, what: str) -> str:
    """So many, with the word for one or for more of them."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _tested(summary: Summary, test: SequentialTest) -> tuple[str, str]:
    """What a sequential test says."""
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
    """How sure something is, no more exact than one needs to know."""
    return f"{likelihood(share) if share >= ALMOST or share < LEAST else percent(share, 0)} sure"


def _is_won_by_format(summary: Summary) -> bool:
    is_first_alone = summary.lines[0].place != summary.lines[1].place
    return summary.is_over and summary.format in RANKED_BY_FORMAT and is_first_alone


def _stronger(best: Line, second: Line) -> str:
    if best.superiority is None:
        return ""
    return f"{_sure(best.superiority)} that it is stronger than {_short(second.name)}"


def _lead(summary: Summary, of_two: float | None = None) -> str:
    """By how much the best leads, or the one of two that has this rating.

    Of two bots the error of that is twice that of each, as both are as far from their average.
    """
    best, second = summary.lines[0], summary.lines[1]
    lead = elo(best.elo - second.elo if of_two is None else 2 * of_two)
    if summary.is_bounded:
        # Errors to both sides alike would reach below 0 where nobody doubts who is better.
        return f"about {lead} Elo"
    if len(summary.lines) == 2 and best.error is not None:
        return f"{lead} ± {2 * best.error:,.0f} Elo"
    if best.lead is not None:
        return f"{lead} Elo ({elo(best.lead.low)} to {elo(best.lead.high)})"
    return f"{lead} Elo"


def _short(name: str) -> str:
    """A name that leaves room for the rest of a sentence."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _level(summary: Summary) -> tuple[str, str]:
    """What there is to say if several share the first place."""
    level = [_short(line.name) for line in summary.lines if line.place == summary.lines[0].place]
    few = f"{', '.join(level[:-1])} and {level[-1]}"
    names = few if len(level) <= MOST_NAMES else f"{len(level)} bots"
    if len(level) == len(summary.lines):
        return f"{names} are level", "nobody is ahead"
    return f"{names} share the first place of {len(summary.lines)}", ""

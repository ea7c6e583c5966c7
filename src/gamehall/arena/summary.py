"""The standings of a run as data, for the terminal, the HTML page and the JSON API."""

import math
from collections import Counter
from copy import copy
from typing import Any

import msgspec

from gamehall.arena.config import ArenaConfig
from gamehall.arena.match_runner import Row
from gamehall.arena.runner import ArenaScores, Run, SeatShare
from gamehall.match import Ending
from gamehall.tournaments.formats.format import places
from gamehall.tournaments.formats.sprt import SprtFormat
from gamehall.tournaments.ratings import Interval, Ratings, rate
from gamehall.tournaments.sprt import normalised_elo

MOST_ELO = 9_999.0
"""Stands for infinity, which JSON does not have."""


class LeadInterval(msgspec.Struct, frozen=True):
    """By how much a bot is stronger than another, with the 95 % interval from `low` to `high`."""

    elo: float
    low: float
    high: float


class StandingsLine(msgspec.Struct, frozen=True):
    """One bot in the standings."""

    place: int
    """From 1. Bots that are level have the same place."""
    name: str
    points: float
    matches: int
    elo: float
    """Relative to the average of all bots."""
    error: float | None
    """Half the width of the 95 % interval."""
    superiority: float | None
    """The likelihood that this bot is stronger than the next one in the standings."""
    as_first: SeatShare
    as_second: SeatShare
    faults: dict[str, int]
    """The number of matches lost by its own fault, by ending."""
    seconds_per_move: float
    lead: LeadInterval | None = None
    """The lead over the next bot in the standings."""


class CrossTableCell(msgspec.Struct, frozen=True):
    """The results of a bot against another one."""

    points: float
    matches: int
    superiority: float | None
    """The likelihood that it is the stronger one."""


class Fault(msgspec.Struct, frozen=True):
    """A match that a bot has lost by its own fault."""

    match: str
    """The name of the match, for `gamehall replay`."""
    bot: str
    opponent: str
    ending: str
    detail: str
    evidence: str
    """What the bot raised or printed, and the last position."""


class SequentialTest(msgspec.Struct, frozen=True):
    """The state of the sequential test of two bots."""

    candidate: str
    """The bot that may be better than the other."""
    elo0: float
    elo1: float
    llr: float
    lower: float
    upper: float
    verdict: str
    normalised_elo: float
    low: float
    high: float


class Summary(msgspec.Struct, frozen=True):
    """The standings of a run, final or not."""

    name: str
    game: str
    terms: dict[str, Any]
    format: str
    seed: int
    is_over: bool
    matches: int
    expected: int | None
    """The number of matches of the whole run, None if it depends on the results."""
    lines: list[StandingsLine]
    """The best bot first."""
    cross_table: list[list[CrossTableCell | None]]
    """Rows and columns in the order of `lines`; the diagonal is None."""
    endings: dict[str, int]
    faults: list[Fault]
    remarks: list[str]
    test: SequentialTest | None
    is_bounded: bool
    """Whether a bot has won or lost everything, so that its rating is only a bound."""


def summarise(run: Run) -> Summary:
    """Return the standings of a run."""
    config, scores = run.config, run.scores
    ratings = rate(scores.tally)
    # Some formats decide the ranking, such as knockouts; otherwise the ratings do.
    order = run.format.ranking() or places([round(elo, 6) for elo in ratings.elo])
    ranked = [player for equals in order for player in equals]
    place_of = {
        player: 1 + sum(map(len, order[:number]))
        for number, equals in enumerate(order)
        for player in equals
    }
    expected = run.format.expected
    return Summary(
        name=run.name,
        game=config.game,
        terms=config.terms,
        format=run.format.name,
        seed=config.seed,
        is_over=run.is_over,
        matches=scores.matches,
        expected=None if expected is None else expected * config.matches_per_encounter,
        lines=[
            _line(player, place_of[player], after, config, scores, ratings)
            for player, after in zip(ranked, [*ranked[1:], None], strict=True)
        ],
        cross_table=[[_cell(one, other, scores, ratings) for other in ranked] for one in ranked],
        endings=_most_frequent_first(scores.endings),
        faults=[_fault(row, config) for row in scores.first_faults()],
        remarks=_remarks(run, ratings),
        test=_test(run),
        is_bounded=ratings.is_bounded,
    )


def _line(
    player: int,
    place: int,
    after: int | None,
    config: ArenaConfig,
    scores: ArenaScores,
    ratings: Ratings,
) -> StandingsLine:
    of_player = scores.players[player]
    matches = of_player.as_first.matches + of_player.as_second.matches
    error = ratings.error(player)
    return StandingsLine(
        place=place,
        name=config.names[player],
        points=of_player.as_first.points + of_player.as_second.points,
        matches=matches,
        elo=ratings.elo[player],
        error=error if math.isfinite(error) else None,
        superiority=ratings.superiority(player, after) if after is not None and matches else None,
        as_first=copy(of_player.as_first),
        as_second=copy(of_player.as_second),
        faults=_most_frequent_first(of_player.faults),
        seconds_per_move=of_player.seconds / of_player.moves if of_player.moves else 0.0,
        lead=LeadInterval(*map(_finite, ratings.difference(player, after)))
        if after is not None and matches
        else None,
    )


def _most_frequent_first(endings: Counter[Ending]) -> dict[str, int]:
    found = sorted(endings.items(), key=lambda item: (-item[1], item[0].value))
    return {ending.value: times for ending, times in found}


def _cell(one: int, other: int, scores: ArenaScores, ratings: Ratings) -> CrossTableCell | None:
    if one == other:
        return None
    matches = scores.tally.matches_of(one, other)
    superiority = ratings.superiority(one, other) if matches else None
    return CrossTableCell(scores.tally.score_of(one, other), matches, superiority)


def _fault(row: Row, config: ArenaConfig) -> Fault:
    names = config.names
    blamed = row.blame if row.blame is not None else row.first
    opponent = row.second if blamed == row.first else row.first
    return Fault(
        match=row.name,
        bot=names[blamed],
        opponent=names[opponent],
        ending=row.ending.value,
        detail=row.detail,
        evidence=row.evidence,
    )


def _remarks(run: Run, ratings: Ratings) -> list[str]:
    remark = run.format.remark()
    found = [remark] if remark else []
    if ratings.is_bounded and run.scores.matches:
        found.append(
            "A bot has won or lost all games against the others: its rating is an estimate from a"
            " virtual draw."
        )
    for name, player in zip(run.config.names, run.scores.players, strict=True):
        if player.printed:
            found.append(
                f"{name} prints to standard output ({player.printed!r}), which is ignored and does"
                " no harm."
            )
    return found


def _test(run: Run) -> SequentialTest | None:
    if not isinstance(run.format, SprtFormat):
        return None
    test, sums = run.format.test, run.format.sums
    elo = normalised_elo(sums) if sum(sums) else Interval(0.0, -math.inf, math.inf)
    return SequentialTest(
        run.config.names[0],
        test.elo0,
        test.elo1,
        test.llr(sums),
        test.lower,
        test.upper,
        run.format.verdict.value,
        *map(_finite, elo),
    )


def _finite(number: float) -> float:
    # JSON does not have infinity.
    return max(-MOST_ELO, min(MOST_ELO, number))

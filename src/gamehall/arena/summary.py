"""The standings of a run as data: everything that is shown follows from this."""

import math
from collections import Counter
from typing import Any

import msgspec

from gamehall.arena.config import ArenaConfig
from gamehall.arena.match_runner import Row
from gamehall.arena.runner import ArenaScores, Player, Run, Share
from gamehall.match import Ending
from gamehall.tournaments.formats.format import places
from gamehall.tournaments.formats.sprt import SprtFormat
from gamehall.tournaments.ratings import Interval, Ratings, rate
from gamehall.tournaments.sprt import normalised_elo

MOST_ELO = 9_999.0
"""What stands for no bound at all."""


class SeatShare(msgspec.Struct, frozen=True):
    """What a bot has scored in one of the two seats."""

    won: int
    drawn: int
    lost: int


class LeadInterval(msgspec.Struct, frozen=True):
    """By how much a bot is stronger than another; `low` to `high` holds it 95 times out of 100."""

    elo: float
    low: float
    high: float


class StandingsLine(msgspec.Struct, frozen=True):
    """One bot in the standings."""

    place: int
    """From 1 on; equals have the same."""
    name: str
    points: float
    matches: int
    elo: float
    """Relative to the average of all."""
    error: float | None
    """Half the width of the interval that holds the true one 95 times out of 100."""
    superiority: float | None
    """How likely it is that this bot is stronger than the next one in the standings."""
    as_first: SeatShare
    as_second: SeatShare
    faults: dict[str, int]
    """How often it has lost by its own fault, by how that was."""
    seconds_per_move: float
    lead: LeadInterval | None = None
    """Over the next one in the standings."""


class CrossTableCell(msgspec.Struct, frozen=True):
    """What a bot has scored against another one, and how likely it is the stronger one."""

    points: float
    matches: int
    superiority: float | None


class Fault(msgspec.Struct, frozen=True):
    """A match that somebody has lost by its own fault, and what shows it."""

    match: str
    """Its name: `gamehall replay` shows it."""
    bot: str
    opponent: str
    ending: str
    detail: str
    evidence: str


class SequentialTest(msgspec.Struct, frozen=True):
    """How the sequential test of two bots stands."""

    candidate: str
    """The one that may be better than the other."""
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
    """How a run stands."""

    name: str
    game: str
    terms: dict[str, Any]
    format: str
    seed: int
    is_over: bool
    matches: int
    expected: int | None
    """How many matches there will be, None if nobody can say."""
    lines: list[StandingsLine]
    """The standings, the best first."""
    cross_table: list[list[CrossTableCell | None]]
    """Rows and columns in the order of the standings; nobody meets itself."""
    endings: dict[str, int]
    faults: list[Fault]
    remarks: list[str]
    """What is to be said besides, each a sentence or a line."""
    test: SequentialTest | None
    is_bounded: bool
    """Whether somebody has won or lost everything, so that its rating is only a bound."""


def summarise(run: Run) -> Summary:
    """How this run stands."""
    config, scores = run.config, run.scores
    ratings = rate(scores.tally)
    order = _order(run, ratings)
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
        endings=_by_number(scores.endings),
        faults=[_fault(row, config) for row in scores.first_faults()],
        remarks=_remarks(run, ratings),
        test=_test(run),
        is_bounded=ratings.is_bounded,
    )


def _order(run: Run, ratings: Ratings) -> list[list[int]]:
    """Who is where: by the format if that decides, otherwise by ratings."""
    return run.format.ranking() or places([round(elo, 6) for elo in ratings.elo])


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
        as_first=_seat_share(of_player.as_first),
        as_second=_seat_share(of_player.as_second),
        faults=_by_number(of_player.faults),
        seconds_per_move=_seconds_per_move(of_player),
        lead=_lead(player, after, ratings) if after is not None and matches else None,
    )


def _lead(player: int, after: int, ratings: Ratings) -> LeadInterval:
    return LeadInterval(*(_finite(number) for number in ratings.difference(player, after)))


def _by_number(endings: Counter[Ending]) -> dict[str, int]:
    """The most frequent first, whatever came first."""
    found = sorted(endings.items(), key=lambda item: (-item[1], item[0].value))
    return {ending.value: times for ending, times in found}


def _seat_share(share: Share) -> SeatShare:
    return SeatShare(share.won, share.drawn, share.lost)


def _seconds_per_move(player: Player) -> float:
    return player.seconds / player.moves if player.moves else 0.0


def _cell(one: int, other: int, scores: ArenaScores, ratings: Ratings) -> CrossTableCell | None:
    matches = scores.tally.matches_of(one, other) if one != other else 0
    if one == other:
        return None
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
            "Somebody has won or lost everything that links it to others: its rating is a guess"
            " from a virtual draw."
        )
    for name, player in zip(run.config.names, run.scores.players, strict=True):
        if player.printed:
            found.append(
                f"{name} prints to standard output ({player.printed!r}): nobody reads that, and it"
                " does no harm."
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
        *(_finite(number) for number in elo),
    )


def _finite(number: float) -> float:
    """Fit for JSON, which knows nothing that is infinite."""
    return max(-MOST_ELO, min(MOST_ELO, number))

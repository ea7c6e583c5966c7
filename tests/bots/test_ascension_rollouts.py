"""Moves of Ascension compared by playing the match out in imagined worlds."""

import itertools

from gamehall.bots.ascension.appraisal import WEIGHTS
from gamehall.bots.ascension.memory import Memory, imagined
from gamehall.bots.ascension.planner import Comparison, played_out, result_for
from gamehall.bots.bot import Budget
from gamehall.core import Seat
from gamehall.games.ascension import AscensionPosition, EndTurn
from tests.games.ascension_tables import GAME, table

STARTERS = ["Apprentice"] * 8 + ["Militia"] * 2
TAKE_HONOR = GAME.read_move("defeat Cultist")


def patience() -> Budget:
    """A budget that is never spent: time stands still."""
    return Budget(float, 1.0, None)


def last_turn(honor: int, other_honor: int) -> AscensionPosition:
    """The second player has 2 power left, and the match ends with this turn."""
    return table(
        power=2,
        honor=honor,
        other_honor=other_honor,
        deck=STARTERS,
        other_deck=STARTERS,
        honor_pool=0,
        turn_owner=Seat.SECOND,
    )


def compared(position: AscensionPosition, budget: Budget) -> object:
    """What is chosen instead of ending the turn, which is the first of two moves."""
    seen = position.seen_by(Seat.SECOND)
    memory = Memory()
    memory.look(seen)
    seeds = itertools.count()
    comparison = Comparison([EndTurn(), TAKE_HONOR], Seat.SECOND, WEIGHTS)
    return comparison.best(lambda: imagined(seen, Seat.SECOND, memory, next(seeds)), budget)


def test_a_move_that_wins_takes_the_place_of_one_that_loses() -> None:
    assert compared(last_turn(10, 11), patience()) == TAKE_HONOR


def test_the_margin_decides_where_the_winner_is_the_same() -> None:
    assert compared(last_turn(30, 11), patience()) == TAKE_HONOR
    assert compared(last_turn(0, 11), patience()) == TAKE_HONOR


def test_without_time_the_first_move_stands() -> None:
    assert compared(last_turn(10, 11), Budget(float, 0.0, None)) == EndTurn()


def test_worlds_that_were_not_played_to_their_end_do_not_count() -> None:
    # Each look at the clock takes a second, so the time is up within the first world.
    seconds = itertools.count()
    budget = Budget(lambda: float(next(seconds)), 4.0, None)
    assert compared(last_turn(10, 11), budget) == EndTurn()


def test_a_match_is_played_out_to_its_end_by_the_same_moves() -> None:
    start = GAME.start(4)
    ended = played_out(start, WEIGHTS, patience())
    assert ended.outcome is not None
    assert ended == played_out(start, WEIGHTS, patience())


def test_any_win_is_better_than_any_loss_and_a_larger_margin_than_a_smaller() -> None:
    results = [
        result_for(last_turn(honor, 50).after(EndTurn()), Seat.SECOND)
        for honor in (0, 49, 50, 51, 500)
    ]
    assert results == sorted(results)
    assert results[1] < 0.5 < results[2], "the second player wins a tie"
    assert results[0] < results[1]
    assert results[3] < results[4]

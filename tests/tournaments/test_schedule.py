"""What is to be played when."""

from hypothesis import given
from hypothesis import strategies as st

from gamehall.tournaments.pairing import Pair, in_order_of_arrival, in_rounds
from gamehall.tournaments.schedule import Schedule


def schedule(players: int, parallel: bool) -> Schedule:
    rounds = [pair for pairs in in_rounds(players) for pair in pairs]
    return Schedule(players, rounds if parallel else in_order_of_arrival(players), parallel)


def test_without_parallel_one_pair_meets_after_the_other() -> None:
    one_by_one = schedule(3, parallel=False)
    for pair in in_order_of_arrival(3):
        assert one_by_one.begin() == [pair]
        assert one_by_one.begin() == []
        assert not one_by_one.is_done
        one_by_one.end(pair)
    assert one_by_one.begin() == []
    assert one_by_one.is_done


def test_with_parallel_as_many_meet_as_can() -> None:
    assert len(schedule(40, parallel=True).begin()) == 20
    assert len(schedule(39, parallel=True).begin()) == 19


def test_nobody_waits_for_a_round_to_be_over() -> None:
    at_once = schedule(6, parallel=True)
    first, second, _ = at_once.begin()
    at_once.end(first)
    assert at_once.begin() == []
    at_once.end(second)
    [*following] = at_once.begin()
    assert {player for pair in following for player in pair} == {*first, *second}


def test_whoever_became_free_since_is_thought_of() -> None:
    at_once = schedule(4, parallel=True)
    first, second = at_once.begin()
    at_once.end(first)
    at_once.end(second)
    assert len(at_once.begin()) == 2


def test_who_withdraws_is_met_by_nobody() -> None:
    one_by_one = schedule(4, parallel=False)
    assert one_by_one.begin() == [Pair(0, 1)]
    assert one_by_one.withdraw(0) == [Pair(0, 2), Pair(0, 3)]
    one_by_one.end(Pair(0, 1))
    met = []
    while pairs := one_by_one.begin():
        met += pairs
        one_by_one.end(pairs[0])
    assert met == [Pair(1, 2), Pair(1, 3), Pair(2, 3)]
    assert one_by_one.is_done


@given(st.data(), st.integers(2, 9), st.booleans())
def test_every_pair_meets_once_whoever_is_ready_first(
    choice: st.DataObject, players: int, parallel: bool
) -> None:
    """Or not at all, if one of them has withdrawn before."""
    plan = schedule(players, parallel)
    meeting: list[Pair] = []
    met: list[Pair] = []
    dropped: list[Pair] = []
    while True:
        meeting += plan.begin()
        busy = [player for pair in meeting for player in pair]
        assert len(set(busy)) == len(busy)
        if not meeting:
            break
        if choice.draw(st.integers(0, 9)) == 0:
            dropped += plan.withdraw(choice.draw(st.integers(0, players - 1)))
        pair = meeting.pop(choice.draw(st.integers(0, len(meeting) - 1)))
        plan.end(pair)
        met.append(pair)
    assert plan.is_done
    assert sorted(met + dropped) == sorted(in_order_of_arrival(players))

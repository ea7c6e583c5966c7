"""Rate limits."""

from hypothesis import given
from hypothesis import strategies as st

from gamehall.rooms.timing import SlidingWindow, TokenBucket


def test_a_burst_can_be_taken_at_once() -> None:
    allowance = TokenBucket(per_second=8, at_once=3)
    assert [allowance.take(1, now=5.0) for _ in range(5)] == [True] * 3 + [False] * 2
    assert allowance.again_at == 5.0


def test_tokens_are_refilled() -> None:
    allowance = TokenBucket(per_second=8, at_once=3)
    while allowance.take(1, now=5.0):
        pass
    assert allowance.take(1, now=5.01)
    assert not allowance.take(1, now=5.0625)
    assert allowance.take(1, now=5.14)


def test_a_large_amount_overdraws_the_bucket() -> None:
    allowance = TokenBucket(per_second=10, at_once=10)
    assert allowance.take(100, now=0.0)
    assert not allowance.take(1, now=8.9)
    assert allowance.take(1, now=9.1)


def test_spending_unavailable_tokens_delays_the_next() -> None:
    allowance = TokenBucket(per_second=8, at_once=2)
    assert allowance.spend(1, now=5.0)
    assert not allowance.spend(1, now=5.0)
    assert not allowance.spend(1, now=5.0)
    assert allowance.again_at == 5.125


def test_a_rate_of_zero_means_no_limit() -> None:
    allowance = TokenBucket(per_second=0, at_once=0)
    assert all(allowance.take(1_000_000, now=1.0) for _ in range(1000))
    assert all(allowance.spend(1_000_000, now=1.0) for _ in range(1000))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=200))
def test_no_more_than_the_burst_and_the_rate_can_be_taken(gaps: list[float]) -> None:
    allowance = TokenBucket(per_second=10, at_once=5)
    now, taken = 100.0, 0
    for gap in gaps:
        now += gap
        taken += allowance.take(1, now)
    assert taken <= 5 + 10 * (now - 100.0) + 1


def test_S1_27_a_window_allows_ten_events_in_any_second() -> None:
    window = SlidingWindow(limit=10, seconds=1.0)
    assert all(window.take(0.1 * number) for number in range(10))
    assert not window.take(0.95)
    assert window.take(1.0), "the first is a second ago"
    assert not window.take(1.05)


def test_events_beyond_the_limit_are_not_counted() -> None:
    window = SlidingWindow(limit=1, seconds=1.0)
    assert window.take(0.0)
    assert not any(window.take(0.5) for _ in range(100))
    assert window.take(1.0)


def test_a_restarted_window_is_empty() -> None:
    window = SlidingWindow(limit=1, seconds=1.0)
    assert window.take(0.0)
    window.restart()
    assert window.take(0.0)
    assert not window.take(0.0)


def test_a_limit_of_zero_allows_nothing() -> None:
    assert not SlidingWindow(limit=0, seconds=1.0).take(5.0)


def test_events_count_for_the_length_of_the_window() -> None:
    window = SlidingWindow(2, 1.0)
    assert window.times(0.0) == []
    window.take(0.0)
    window.take(0.5)
    assert window.times(0.9) == [0.0, 0.5]
    assert window.times(1.4) == [0.5]
    assert window.times(1.5) == []

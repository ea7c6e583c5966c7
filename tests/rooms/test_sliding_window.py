"""How often something has happened of late."""

from gamehall.rooms.sliding_window import SlidingWindow


def test_S1_27_ten_in_any_second_and_not_eleven() -> None:
    window = SlidingWindow(most=10, seconds=1.0)
    assert all(window.count(0.1 * number) for number in range(10))
    assert not window.count(0.95)
    assert window.count(1.0), "the first is a second ago"
    assert not window.count(1.05)


def test_what_was_too_much_does_not_count_again() -> None:
    window = SlidingWindow(most=1, seconds=1.0)
    assert window.count(0.0)
    assert not any(window.count(0.5) for _ in range(100))
    assert window.count(1.0)


def test_a_window_that_starts_anew_forgets_what_was_counted() -> None:
    window = SlidingWindow(most=1, seconds=1.0)
    assert window.count(0.0)
    window.restart()
    assert window.count(0.0)
    assert not window.count(0.0)


def test_nothing_is_allowed_if_most_is_nought() -> None:
    assert not SlidingWindow(most=0, seconds=1.0).count(5.0)


def test_what_is_counted_matters_for_as_long_as_the_window() -> None:
    window = SlidingWindow(2, 1.0)
    assert window.is_empty(0.0)
    window.count(0.0)
    window.count(0.5)
    assert not window.is_empty(1.4)
    assert window.is_empty(1.5)

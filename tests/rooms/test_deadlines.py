"""Deadlines, compared with a dictionary."""

from hypothesis import given
from hypothesis import strategies as st

from gamehall.rooms.timing import Deadlines

WORDS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from("abcde"), st.none() | st.integers(0, 20).map(float)),
        st.integers(0, 20).map(float),
    )
)


@given(WORDS)
def test_deadlines_behave_like_a_dictionary(words: list[tuple[str, float | None] | float]) -> None:
    """A pair sets the deadline of a key; a number is a time at which due keys are removed."""
    deadlines: Deadlines[str] = Deadlines()
    plain: dict[str, float] = {}
    for word in words:
        if isinstance(word, float):
            due = list(deadlines.due(word))
            assert [plain[key] for key in due] == sorted(plain[key] for key in due)
            assert set(due) == {key for key, when in plain.items() if when <= word}
            plain = {key: when for key, when in plain.items() if when > word}
        else:
            key, when = word
            deadlines.set(key, when)
            if when is None:
                plain.pop(key, None)
            else:
                plain[key] = when
        assert deadlines.next() == min(plain.values(), default=None)


def test_moving_a_deadline_again_and_again_does_not_use_more_memory() -> None:
    deadlines: Deadlines[str] = Deadlines()
    for second in range(100_000):
        deadlines.set("table", float(second))
    assert len(deadlines._heap) < 100

"""The first vacant place against the simplest way to find it: looking at all of them."""

from hypothesis import given
from hypothesis import strategies as st

from gamehall.rooms.vacancies import Vacancies


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans())))
def test_like_looking_at_all_of_them(changes: list[tuple[int, bool]]) -> None:
    vacant = [True] * 5
    vacancies = Vacancies(range(5), lambda place: vacant[place])
    for place, becomes_vacant in changes:
        vacant[place] = becomes_vacant
        if becomes_vacant:
            vacancies.offer(place)
        expected = vacant.index(True) if True in vacant else None
        assert vacancies.first() == expected


def test_places_known_to_be_taken_are_not_looked_at_again() -> None:
    looked_at = []

    def is_vacant(place: int) -> bool:
        looked_at.append(place)
        return False

    vacancies = Vacancies(range(1000), is_vacant)
    assert vacancies.first() is None
    looked_at.clear()
    assert vacancies.first() is None
    vacancies.offer(7)
    assert vacancies.first() is None
    assert looked_at == [7]

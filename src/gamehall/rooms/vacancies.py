"""Where the next newcomer goes."""

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Generic, TypeVar

PlaceT = TypeVar("PlaceT")


class Vacancies(Generic[PlaceT]):
    """Finds the first of many places that is vacant, without looking at all of them.

    Every place starts out as perhaps vacant. One that turns out not to be is forgotten until
    `offer` says that something there has become free.
    """

    def __init__(self, places: Sequence[PlaceT], is_vacant: Callable[[PlaceT], bool]) -> None:
        self._places = places
        self._is_vacant = is_vacant
        self._perhaps = list(range(len(places)))
        self._known = set(self._perhaps)

    def first(self) -> PlaceT | None:
        """The first vacant place, None if there is none."""
        while self._perhaps:
            place = self._places[self._perhaps[0]]
            if self._is_vacant(place):
                return place
            self._known.remove(heappop(self._perhaps))
        return None

    def offer(self, number: int) -> None:
        """Something may have become free at the place of this number."""
        if number not in self._known:
            self._known.add(number)
            heappush(self._perhaps, number)

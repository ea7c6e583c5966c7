"""The clocks of rooms, as their journals show them: the time away is nobody's."""

from collections.abc import Callable

import msgspec

from tests.simulation.chronicle import Chronicle

SMALLEST_DIFFERENCE = 1e-6
"""In seconds; less is how numbers are rounded."""


class RoomClock:
    """What the clock of one room must show in one run of the program.

    It stands while the room waits for those who knew it before a crash, and runs from then on.
    """

    def __init__(
        self, room: str, stood_at: float, opened_at: float, is_awaiting: Callable[[], bool]
    ) -> None:
        """`stood_at`: when, by this clock, the last entry was made that is safe.

        `is_awaiting` says whether the room waits for anybody.
        """
        self._room = room
        self._stood_at = stood_at
        self._runs_since = opened_at
        self._is_awaiting = is_awaiting
        self._stands = True

    def look(self, now: float) -> None:
        """To be called when the room is there, and whenever somebody may have come back."""
        if self._stands:
            # Whoever is the last to come, or to be given up, finds the clock still standing.
            self._runs_since = now
            self._stands = self._is_awaiting()

    def check(self, entry: bytes, now: float, chronicle: Chronicle) -> None:
        """Complains if an entry that is made now bears a time at which the clock cannot be."""
        shows: float = msgspec.json.decode(entry)[0]
        self.look(now)
        ran = shows - self._stood_at
        should = now - self._runs_since
        if ran - should > SMALLEST_DIFFERENCE:
            chronicle.complain(
                f"a clock runs while players are away: that of {self._room} has gone on by"
                f" {ran:.3f} seconds since the hall was opened again, and everybody has been"
                f" there for {should:.3f} of them"
            )
        elif should - ran > SMALLEST_DIFFERENCE:
            chronicle.complain(
                f"a clock stands though nobody is away: that of {self._room} has gone on by"
                f" {ran:.3f} seconds in {should:.3f}"
            )

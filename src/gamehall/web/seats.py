"""All who play at pages: each place belongs to the browser that took it."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from hashlib import sha256

from gamehall.web.lines import FindTable
from gamehall.web.model import SeatLine
from gamehall.web.seat import NotNow, WebSeat
from gamehall.web.security import Forbidden
from gamehall.web.ways import Entrance

MOST = 500
MOST_OF_ONE = 8
SECONDS_UNSEEN = 90.0
"""How long a place is kept at whose page nobody looks: a line may break, a phone may sleep."""
SECONDS_OF_MEMORY = 600.0
"""How long a visit that is over can still be looked at."""
SECONDS_BETWEEN_LOOKS = 5.0


class Seats:
    """Lets browsers play, and clears away after those who are gone."""

    def __init__(
        self, entrances: Sequence[Entrance], clock: Callable[[], float], find_table: FindTable
    ) -> None:
        """`find_table`: how the hall itself sees the table of somebody."""
        self._entrances = {entrance.room: entrance for entrance in entrances}
        self._find_table = find_table
        self._clock = clock
        self._seats: dict[str, WebSeat] = {}
        self._owners: dict[str, str] = {}
        self._visits: set[asyncio.Task[None]] = set()

    def sit(self, browser: str, room: str, name: str) -> WebSeat:
        """A browser takes a place in a room. Raises NotNow, and KeyError if there is no room."""
        entrance = self._entrances[room]
        own = self._of(browser)
        for seat in own:
            if (seat.room, seat.name) == (room, name):
                # It is there already: a page that was closed is open again.
                return seat
        if len(own) >= MOST_OF_ONE:
            raise NotNow(f"you have {MOST_OF_ONE} places already: leave one first")
        if sum(not seat.is_gone for seat in self._seats.values()) >= MOST:
            raise NotNow("there are too many players at the pages just now: try again later")
        self._forget_oldest()
        identity = secrets.token_urlsafe(9)
        # The same after a restart of the hall, and nobody can tell it without the cookie.
        token = sha256(f"{browser} {room} {name}".encode()).hexdigest()
        seat = WebSeat(identity, entrance, name, self._clock, self._find_table, token)
        self._seats[identity] = seat
        self._owners[identity] = browser
        visit = asyncio.create_task(seat.run())
        self._visits.add(visit)
        visit.add_done_callback(self._visits.discard)
        return seat

    def _forget_oldest(self) -> None:
        """Forget the places that were left first, if very many are still remembered."""
        gone = [identity for identity, seat in self._seats.items() if seat.is_gone]
        for identity in gone[: max(0, len(gone) - MOST)]:
            del self._seats[identity], self._owners[identity]

    def list_of(self, browser: str) -> list[SeatLine]:
        """Where a browser plays, that it may find its way back."""
        return [
            SeatLine(seat.id, seat.room, self._entrances[seat.room].game.title, seat.name)
            for seat in self._of(browser)
        ]

    def count(self, room: str) -> int:
        """How many play in a room."""
        return sum(seat.room == room and not seat.is_gone for seat in self._seats.values())

    def look_again(self, room: str) -> None:
        """There is something new to see of a room, for those who play there too."""
        for seat in self._seats.values():
            if seat.room == room and not seat.is_gone:
                seat.look_again()

    def find(self, identity: str, browser: str | None) -> WebSeat:
        """The place of this browser. Raises KeyError if there is none, Forbidden if not its own."""
        seat = self._seats[identity]
        if browser is None or not secrets.compare_digest(self._owners[identity], browser):
            raise Forbidden("this place belongs to somebody else")
        return seat

    async def look_after(self) -> None:
        """Goes on until it is cancelled: who is not seen for long has left."""
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            now = self._clock()
            for identity, seat in list(self._seats.items()):
                if seat.topic.is_heard:
                    seat.last_seen = now
                elif not seat.is_gone and now > seat.last_seen + SECONDS_UNSEEN:
                    seat.leave()
                elif seat.is_gone and now > seat.last_seen + SECONDS_OF_MEMORY:
                    del self._seats[identity], self._owners[identity]

    async def close(self) -> None:
        """All leave: the hall closes."""
        for seat in self._seats.values():
            seat.topic.close()
        for visit in self._visits:
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)

    def _of(self, browser: str) -> list[WebSeat]:
        """The places of a browser that it has not left."""
        owned = (self._seats[one] for one, owner in self._owners.items() if owner == browser)
        return [seat for seat in owned if not seat.is_gone]

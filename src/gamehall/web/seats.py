"""All seats of browsers: each belongs to the browser that took it."""

import asyncio
import secrets
from collections.abc import Sequence
from hashlib import sha256
from itertools import count

from gamehall.web.errors import ForbiddenError, NotFoundError, RefusedError
from gamehall.web.model import SeatLine, SeatStage
from gamehall.web.seat import (
    SECONDS_TO_RETURN,
    PlayableRoom,
    Services,
    Wants,
    WebSeat,
)

MOST = 500
MOST_OF_ONE = 8
SECONDS_UNSEEN = 15.0
"""How long a browser may be silent before its player counts as away: a phone may sleep."""
SECONDS_OF_MEMORY = 600.0
"""How long a seat that was left can still be looked at."""
SECONDS_BETWEEN_LOOKS = 1.0


class Seats:
    """Lets browsers play, and clears away after those that are gone."""

    def __init__(self, rooms: Sequence[PlayableRoom], services: Services) -> None:
        self._rooms = {room.name: room for room in rooms}
        self._services = services
        self._seats: dict[str, WebSeat] = {}
        self._owners: dict[str, str] = {}

    def sit(self, browser: str, room: str, wants: Wants) -> WebSeat:
        """Give a browser a seat in a room, or the one that it has and comes back to.

        Raises RefusedError, and KeyError if there is no such room.
        """
        own = [
            seat for seat in self._of(browser) if seat.room == room and seat.joined_as == wants.name
        ]
        for seat in own:
            if _comes_back(seat, wants):
                return self.touch(seat)
        if wants.place is None and (wants.table is not None or wants.terms is not None):
            # Its old offer must not meet the visitor itself, nor make others wait for nobody.
            for seat in own:
                self._leave_unless_met(seat)
        self._leave_finished(browser)
        if len(self._of(browser)) >= MOST_OF_ONE:
            raise RefusedError(f"you have {MOST_OF_ONE} seats already: leave one first")
        if sum(not seat.is_gone for seat in self._seats.values()) >= MOST:
            raise RefusedError("there are too many players at the pages just now: try again later")
        self._forget_oldest()
        taken = {seat.place for seat in own if not seat.is_gone}
        place = wants.place
        if place is None or place in taken:
            place = next(number for number in count() if number not in taken)
        seat = WebSeat(
            self._rooms[room],
            wants,
            self._services,
            identity=secrets.token_urlsafe(9),
            place=place,
            token=_token(browser, room, wants.name, place),
        )
        self._seats[seat.id] = seat
        self._owners[seat.id] = browser
        return seat

    def _leave_unless_met(self, seat: WebSeat) -> None:
        """Leave a seat across which nobody sits, and that waits for an opponent."""
        if seat.waits_alone:
            # The seat of an absent browser is kept, unless the browser comes back and leaves.
            self.touch(seat).leave()

    def _leave_finished(self, browser: str) -> None:
        """Leave the seats of a browser whose match is over and whose page is closed."""
        for seat in self._of(browser):
            if (
                seat.stage is SeatStage.OVER
                and not seat.topic.is_heard
                and not seat.is_in_tournament
            ):
                seat.leave()

    def _forget_oldest(self) -> None:
        """Forget the seats that were left first, if very many are still remembered."""
        gone = [identity for identity, seat in self._seats.items() if seat.is_gone]
        for identity in gone[: max(0, len(gone) - MOST)]:
            del self._seats[identity], self._owners[identity]

    def list_of(self, browser: str | None) -> list[SeatLine]:
        """Return the seats that a browser has not left."""
        return [seat.line() for seat in self._of(browser)]

    def find(self, identity: str, browser: str | None) -> WebSeat:
        """Return a seat of this browser. Raises NotFoundError and ForbiddenError."""
        seat = self._seats.get(identity)
        if seat is None:
            raise NotFoundError("there is no such seat: it was left, or has expired")
        if browser is None or not secrets.compare_digest(self._owners[identity], browser):
            raise ForbiddenError("this seat belongs to another browser")
        return self.touch(seat)

    def touch(self, seat: WebSeat) -> WebSeat:
        """Note that the browser of a seat is there. Return the seat."""
        seat.last_seen = self._services.clock()
        if seat.is_away and not seat.is_gone:
            seat.come_back()
        return seat

    async def look_after(self) -> None:
        """Go on until cancelled: keep the seats of absent browsers for a while, not for ever."""
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            now = self._services.clock()
            for identity, seat in list(self._seats.items()):
                if seat.topic.is_heard:
                    self.touch(seat)
                elif seat.is_gone and now > seat.last_seen + SECONDS_OF_MEMORY:
                    del self._seats[identity], self._owners[identity]
                elif not seat.is_gone and now > seat.last_seen + SECONDS_UNSEEN:
                    self._miss(seat, now)

    def _miss(self, seat: WebSeat, now: float) -> None:
        """The browser of a seat has not been heard of."""
        if not seat.is_away:
            seat.go_away()
        elif now > seat.last_seen + SECONDS_UNSEEN + SECONDS_TO_RETURN:
            seat.expire()

    async def close(self) -> None:
        """The hall closes: rooms keep the seats, for the next hall that opens."""
        for seat in self._seats.values():
            seat.topic.close()

    def _of(self, browser: str | None) -> list[WebSeat]:
        """The seats of a browser that it has not left."""
        owned = (self._seats[one] for one, owner in self._owners.items() if owner == browser)
        return [seat for seat in owned if not seat.is_gone]


def _comes_back(seat: WebSeat, wants: Wants) -> bool:
    """Return True if a visitor of the same name in the same room wants this seat of its own.

    Its page may have been closed. After the end of a match a visitor who clicks Play wants a new
    one, and so does one at a table with the computer who wants to play with people.
    """
    if wants.place is not None:
        return seat.place == wants.place
    if wants.table is not None:
        return seat.table == wants.table
    is_plain = not wants.bot and wants.terms is None
    return is_plain and not seat.plays_computer and seat.stage is not SeatStage.OVER


def _token(browser: str, room: str, name: str, place: int) -> str:
    """Return by what a player is recognised: the same after a restart of the hall.

    It cannot be told without the cookie.
    """
    # Names may have blanks, but no line breaks: no two players have the same text.
    number = f"\n{place}" if place else ""
    return sha256(f"{browser} {room} {name}{number}".encode()).hexdigest()

"""All seats of browsers. Each belongs to the browser that took it."""

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

MAX_SEATS = 500
MAX_SEATS_PER_BROWSER = 8
SECONDS_UNTIL_AWAY = 15.0
"""How long a browser may be silent before its player counts as away: a phone may sleep."""
SECONDS_TO_FORGET = 600.0
"""How long the page of a seat that was left can still be opened."""
SECONDS_BETWEEN_CHECKS = 1.0


class Seats:
    """Gives seats to browsers, and ends the seats of browsers that stay away."""

    def __init__(self, rooms: Sequence[PlayableRoom], services: Services) -> None:
        self._rooms = {room.name: room for room in rooms}
        self._services = services
        self._seats: dict[str, WebSeat] = {}
        self._owners: dict[str, str] = {}

    def sit(self, browser: str, room: str, wants: Wants) -> WebSeat:
        """Give a browser a new seat in a room, or the one to which it returns.

        Raises RefusedError, and KeyError if there is no such room.
        """
        own = [
            seat
            for seat in self._seats_of(browser)
            if seat.room == room and seat.joined_as == wants.name
        ]
        for seat in own:
            if _is_meant_by(seat, wants):
                return self.touch(seat)
        if wants.place is None and (wants.table is not None or wants.terms is not None):
            # Withdraw older offers: nobody should be paired with them, least of all this player.
            for seat in own:
                self._leave_if_alone(seat)
        self._leave_finished(browser)
        if len(self._seats_of(browser)) >= MAX_SEATS_PER_BROWSER:
            raise RefusedError(f"you have {MAX_SEATS_PER_BROWSER} seats already: leave one first")
        if sum(not seat.is_gone for seat in self._seats.values()) >= MAX_SEATS:
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

    def _leave_if_alone(self, seat: WebSeat) -> None:
        """Leave a seat that still waits for an opponent."""
        if seat.waits_alone:
            # An absent player cannot leave: reconnect first.
            self.touch(seat).leave()

    def _leave_finished(self, browser: str) -> None:
        """Leave the seats of a browser whose match has ended and whose page is closed."""
        for seat in self._seats_of(browser):
            if (
                seat.stage is SeatStage.OVER
                and not seat.topic.is_heard
                and not seat.is_in_tournament
            ):
                seat.leave()

    def _forget_oldest(self) -> None:
        """Forget the oldest of the seats that were left, beyond a limit."""
        gone = [identity for identity, seat in self._seats.items() if seat.is_gone]
        for identity in gone[: max(0, len(gone) - MAX_SEATS)]:
            del self._seats[identity], self._owners[identity]

    def list_of(self, browser: str | None) -> list[SeatLine]:
        """Return the seats that a browser has not left."""
        return [seat.line() for seat in self._seats_of(browser)]

    def find(self, identity: str, browser: str | None) -> WebSeat:
        """Return a seat of this browser. Raises NotFoundError and ForbiddenError."""
        seat = self._seats.get(identity)
        if seat is None:
            raise NotFoundError("there is no such seat: it was left, or has expired")
        if browser is None or not secrets.compare_digest(self._owners[identity], browser):
            raise ForbiddenError("this seat belongs to another browser")
        return self.touch(seat)

    def touch(self, seat: WebSeat) -> WebSeat:
        """Note that the browser of a seat is connected. Return the seat."""
        seat.last_seen = self._services.clock()
        if seat.is_away and not seat.is_gone:
            seat.come_back()
        return seat

    async def check_presence(self) -> None:
        """Mark browsers as away and end their seats, until cancelled."""
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
            now = self._services.clock()
            for identity, seat in list(self._seats.items()):
                if seat.topic.is_heard:
                    self.touch(seat)
                elif seat.is_gone and now > seat.last_seen + SECONDS_TO_FORGET:
                    del self._seats[identity], self._owners[identity]
                elif not seat.is_gone and now > seat.last_seen + SECONDS_UNTIL_AWAY:
                    self._note_absence(seat, now)

    def _note_absence(self, seat: WebSeat, now: float) -> None:
        """Mark the browser of a seat as away, or end the seat when it was away for too long."""
        if not seat.is_away:
            seat.go_away()
        elif now > seat.last_seen + SECONDS_UNTIL_AWAY + SECONDS_TO_RETURN:
            seat.expire()

    async def close(self) -> None:
        """End the streams. The rooms keep the seats, for the server after a restart."""
        for seat in self._seats.values():
            seat.topic.close()

    def _seats_of(self, browser: str | None) -> list[WebSeat]:
        """Return the seats that a browser has not left."""
        owned = (self._seats[one] for one, owner in self._owners.items() if owner == browser)
        return [seat for seat in owned if not seat.is_gone]


def _is_meant_by(seat: WebSeat, wants: Wants) -> bool:
    """Return True if a request by the same name in the same room means this seat, not a new one.

    The page may have been closed. A player who clicks Play after a match, or while playing the
    computer, wants a new seat.
    """
    if wants.place is not None:
        return seat.place == wants.place
    if wants.table is not None:
        return seat.table == wants.table
    is_plain = not wants.bot and wants.terms is None
    return is_plain and not seat.plays_computer and seat.stage is not SeatStage.OVER


def _token(browser: str, room: str, name: str, place: int) -> str:
    """Return the credential of a player, which is the same after a restart of the server.

    It cannot be computed without the id in the browser's cookie.
    """
    # A name may contain blanks but no line break, so no two seats give the same text.
    number = f"\n{place}" if place else ""
    return sha256(f"{browser} {room} {name}{number}".encode()).hexdigest()

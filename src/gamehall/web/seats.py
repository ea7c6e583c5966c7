"""All seats of browsers: each belongs to the browser that took it."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from hashlib import sha256

from gamehall.server.hall import Hall
from gamehall.server.house_bots import PlayBot
from gamehall.web.model import SeatLine
from gamehall.web.seat import SECONDS_TO_RETURN, NotNow, PlayableRoom, Wants, WebSeat
from gamehall.web.security import Forbidden

MOST = 500
MOST_OF_ONE = 8
SECONDS_UNSEEN = 15.0
"""How long a browser may be silent before its player counts as away: a phone may sleep."""
SECONDS_OF_MEMORY = 600.0
"""How long a seat that was left can still be looked at."""
SECONDS_BETWEEN_LOOKS = 1.0


class Seats:
    """Lets browsers play, and clears away after those that are gone."""

    def __init__(
        self,
        rooms: Sequence[PlayableRoom],
        hall: Hall,
        clock: Callable[[], float],
        play_bot: PlayBot,
    ) -> None:
        self._rooms = {room.name: room for room in rooms}
        self._hall = hall
        self._clock = clock
        self._play_bot = play_bot
        self._seats: dict[str, WebSeat] = {}
        self._owners: dict[str, str] = {}

    def sit(self, browser: str, room: str, name: str, wants: Wants) -> WebSeat:
        """Give a browser a seat in a room. Raises NotNow, and KeyError if there is no room."""
        own = self._of(browser)
        is_back = wants == Wants() or wants.table is not None
        for seat in own:
            if is_back and (seat.room, seat.name) == (room, name):
                # It is there already: a page that was closed is open again.
                return self.touch(seat)
        if len(own) >= MOST_OF_ONE:
            raise NotNow(f"you have {MOST_OF_ONE} seats already: leave one first")
        if sum(not seat.is_gone for seat in self._seats.values()) >= MOST:
            raise NotNow("there are too many players at the pages just now: try again later")
        self._forget_oldest()
        identity = secrets.token_urlsafe(9)
        # The same after a restart of the hall, and it cannot be told without the cookie. A second
        # seat of that name, such as against another bot, is another player.
        same = sum((seat.room, seat.name) == (room, name) for seat in own)
        parts = [browser, room, name, *([str(same)] if same else [])]
        token = sha256(" ".join(parts).encode()).hexdigest()
        seat = WebSeat(
            identity,
            self._rooms[room],
            name,
            wants,
            token,
            self._hall,
            self._clock,
            self._play_bot,
        )
        self._seats[identity] = seat
        self._owners[identity] = browser
        return seat

    def _forget_oldest(self) -> None:
        """Forget the seats that were left first, if very many are still remembered."""
        gone = [identity for identity, seat in self._seats.items() if seat.is_gone]
        for identity in gone[: max(0, len(gone) - MOST)]:
            del self._seats[identity], self._owners[identity]

    def list_of(self, browser: str) -> list[SeatLine]:
        """Return where a browser plays, so that it may find its way back."""
        return [
            SeatLine(seat.id, seat.room, self._rooms[seat.room].game.title, seat.name)
            for seat in self._of(browser)
        ]

    def find(self, identity: str, browser: str | None) -> WebSeat:
        """Return a seat of this browser.

        Raises KeyError if there is none of that name, Forbidden if it is not the browser's.
        """
        seat = self._seats[identity]
        if browser is None or not secrets.compare_digest(self._owners[identity], browser):
            raise Forbidden("this seat belongs to another browser")
        return self.touch(seat)

    def touch(self, seat: WebSeat) -> WebSeat:
        """Note that the browser of a seat is there."""
        seat.last_seen = self._clock()
        if seat.is_away and not seat.is_gone:
            seat.come_back()
        return seat

    async def look_after(self) -> None:
        """Go on until cancelled: keep the seats of absent browsers for a while, not for ever."""
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            now = self._clock()
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

    def _of(self, browser: str) -> list[WebSeat]:
        """The seats of a browser that it has not left."""
        owned = (self._seats[one] for one, owner in self._owners.items() if owner == browser)
        return [seat for seat in owned if not seat.is_gone]

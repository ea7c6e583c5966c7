"""The whole running server."""

import asyncio
import errno
import itertools
from collections.abc import Callable, Iterable

from gamehall.core import Shuffler
from gamehall.hosting.room import Peer
from gamehall.server.door import Door
from gamehall.server.plan import DoorPlan
from gamehall.server.timers import SetAlarm, Timers
from gamehall.server.usher import Usher


class CannotOpen(Exception):
    """A door that could not be opened. The text tells a person why and what to do."""


class Hall:
    """Rooms, and the doors that lead into them."""

    def __init__(
        self,
        plans: Iterable[DoorPlan],
        seed: int,
        clock: Callable[[], float],
        call_later: SetAlarm,
    ) -> None:
        """`clock` must never go back; `call_later` is that of the loop which runs the hall."""
        self.timers = Timers(clock, call_later)
        shuffler = Shuffler(seed)
        peers = map(Peer, itertools.count(1))
        self._ushers: list[Usher] = []
        self._doors: list[Door] = []
        for plan in plans:
            room = plan.protocol.room(plan.settings, shuffler)
            usher = Usher(room, self.timers)
            self._ushers.append(usher)
            self._doors.append(Door(plan, usher, self.timers, peers))

    async def open(self, host: str) -> list[tuple[str, str]]:
        """Opens every door and says where each listens: its name, and HOST:PORT.

        Raises CannotOpen, and then none is open.
        """
        opened: list[tuple[str, str]] = []
        for door in self._doors:
            try:
                opened.append((door.name, await door.open(host)))
            except (OSError, UnicodeError) as error:
                await self.close("the hall could not open")
                raise CannotOpen(_why(door.name, error)) from None
        return opened

    async def close(self, reason: str) -> None:
        """Closes every door and every connection in an orderly way."""
        await asyncio.gather(*(door.close(reason) for door in self._doors))

    async def first_matches_ended(self) -> None:
        """Waits until a match has ended in every room."""
        ends = [asyncio.Event() for _ in self._ushers]
        for usher, end in zip(self._ushers, ends, strict=True):
            usher.after_a_match(end.set)
        for end in ends:
            await end.wait()


def _why(door: str, error: OSError | UnicodeError) -> str:
    """Why a door did not open, and what to do about it."""
    if isinstance(error, UnicodeError):
        return f"cannot open the door {door}: that is no host; choose another address with --host"
    text = f"cannot open the door {door}: {error.strerror}"
    if error.errno in (errno.EADDRINUSE, errno.EACCES):
        return (
            f"{text}; choose another port, as in --door {door}=PORT, or {door}=0 for any free one"
        )
    return f"{text}; choose another address with --host"

"""The whole running server."""

import asyncio
import errno
import itertools
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from gamehall.core import Shuffler
from gamehall.hosting.report import TournamentReport
from gamehall.hosting.room import Peer
from gamehall.play import Record
from gamehall.server.door import Door
from gamehall.server.plan import DoorPlan
from gamehall.server.timers import SetAlarm, Timers
from gamehall.server.usher import Usher

log = logging.getLogger(__name__)


class CannotOpen(Exception):
    """A door that could not be opened. The text tells a person why and what to do."""


Announce: TypeAlias = Callable[[str, TournamentReport], None]
"""Is told which room's tournament has ended, and what it has come to."""


Keep: TypeAlias = Callable[[str, Record], None]
"""Is told in which room a match has ended, and how it went."""


def _forget(_room: str, _record: Record) -> None:
    """What a hall does whose matches nobody wants to keep."""


def _say_nothing(_room: str, _report: TournamentReport) -> None:
    """What a hall does that nobody listens to."""


class Hall:
    """Rooms, and the doors that lead into them."""

    def __init__(
        self,
        plans: Sequence[DoorPlan],
        seed: int,
        clock: Callable[[], float],
        call_later: SetAlarm,
        announce: Announce = _say_nothing,
        keep: Keep = _forget,
    ) -> None:
        """`clock` must never go back; `call_later` is that of the loop which runs the hall.

        `announce` is told of every tournament that has ended, `keep` of every match.
        """
        self.timers = Timers(clock, call_later)
        shuffler = Shuffler(seed)
        peers = map(Peer, itertools.count(1))
        self._ushers = {
            plan.protocol.name: Usher(plan.protocol.room(plan.settings, shuffler), self.timers)
            for plan in plans
            if plan.has_own_room
        }
        self._doors = [Door(plan, self._ushers[plan.room], self.timers, peers) for plan in plans]
        self._awaited = set(self._ushers)
        """The rooms in which nothing has come to an end yet."""
        self._all_ended = asyncio.Event()
        self._announce = announce
        for name, usher in self._ushers.items():
            usher.after_each_end(partial(self._note_end, name))
            usher.keep_records(partial(keep, name))

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
        """Closes every door and every connection in an orderly way.

        Tournaments are broken off by that, which is no result worth announcing.
        """
        self._announce = _say_nothing
        await asyncio.gather(*(door.close(reason) for door in self._doors))

    async def everything_ended_once(self) -> None:
        """Waits until a match or a tournament has ended in every room."""
        await self._all_ended.wait()

    def _note_end(self, room: str, reports: list[TournamentReport]) -> None:
        self._awaited.discard(room)
        if not self._awaited:
            self._all_ended.set()
        for report in reports:
            try:
                self._announce(room, report)
            except Exception:
                # A fault of ours, which must not become one of whoever made the last move.
                log.exception("%s: the result could not be announced", room)


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

"""Between the connections and a room."""

import logging
from collections.abc import Callable
from typing import Any

from gamehall.hosting.notices import Notice
from gamehall.hosting.requests import Leave, Request
from gamehall.hosting.room import Delivery, Peer, Room
from gamehall.server.timers import Timers
from gamehall.server.witness import Witness

log = logging.getLogger(__name__)


class Usher:
    """Carries requests into a room and its notices out, to peers that come through any door.

    What is worth keeping goes to the witness.
    """

    def __init__(self, name: str, room: Room[Any], timers: Timers, witness: Witness) -> None:
        self._name = name
        self._room = room
        self._timers = timers
        self._witness = witness
        self._deadline: float | None = None
        self._tell: dict[Peer, Callable[[Notice[Any]], None]] = {}
        self._finished = 0
        self._after_each_end: Callable[[], None] | None = None

    def after_each_end(self, call: Callable[[], None]) -> None:
        """Call whenever matches or tournaments of the room have ended."""
        self._after_each_end = call

    def retire_witness(self) -> None:
        """What happens from now on is not worth keeping."""
        self._witness = Witness()

    def welcome(self, peer: Peer, tell: Callable[[Notice[Any]], None]) -> None:
        """A peer has connected: `tell` takes notices to it."""
        self._tell[peer] = tell

    def deafen(self, peer: Peer) -> None:
        """Nothing more can be told to this peer, though it has not left."""
        self._tell.pop(peer, None)

    def farewell(self, peer: Peer, now: float) -> None:
        """A peer is no longer connected."""
        self.deafen(peer)
        self.ask(peer, Leave(None), now)

    def ask(self, peer: Peer, request: Request[Any], now: float) -> None:
        """A peer wants something of the room."""
        self._deliver(self._room.handle(peer, request, now))

    def tick(self, now: float) -> None:
        """The room's deadline has come."""
        self._deadline = None
        self._deliver(self._room.tick(now))

    def _deliver(self, deliveries: list[Delivery[Any]]) -> None:
        for delivery in deliveries:
            notice = delivery.notice
            for peer in delivery.peers:
                tell = self._tell.get(peer)
                if tell is not None:
                    tell(notice)
        if self._room.deadline != self._deadline:
            self._deadline = self._room.deadline
            self._timers.set(self, self._deadline)
        self.testify()
        if self._room.finished != self._finished:
            self._finished = self._room.finished
            if self._after_each_end is not None:
                self._after_each_end()

    def testify(self) -> None:
        """Tells the witness what there is to tell.

        A fault of that must not become one of whoever made the last move (X-09).
        """
        room, witness = self._room, self._witness
        try:
            if room.records:
                records, room.records = room.records, []
                for record in records:
                    witness.match_ended(self._name, record)
            for line in room.take_log():
                witness.noted(self._name, line)
            for report in room.take_reports():
                witness.tournament_ended(self._name, report)
        except Exception:
            log.exception("%s: what happened could not be kept", self._name)

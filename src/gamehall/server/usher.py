"""Between the connections and a room."""

from collections.abc import Callable
from typing import Any

from gamehall.hosting.notices import Notice
from gamehall.hosting.report import TournamentReport
from gamehall.hosting.requests import Leave, Request
from gamehall.hosting.room import Delivery, Peer, Room
from gamehall.play import Record
from gamehall.server.timers import Timers


def _forget(_record: Record) -> None:
    """What becomes of records that nobody keeps."""


class Usher:
    """Carries requests into a room and its notices out, to peers that come through any door."""

    def __init__(self, room: Room[Any], timers: Timers) -> None:
        self._room = room
        self._timers = timers
        self._deadline: float | None = None
        self._tell: dict[Peer, Callable[[Notice[Any]], None]] = {}
        self._finished = 0
        self._after_each_end: Callable[[list[TournamentReport]], None] | None = None
        self._keep: Callable[[Record], None] = _forget

    def after_each_end(self, call: Callable[[list[TournamentReport]], None]) -> None:
        """Call whenever matches or tournaments of the room have ended, with what the latter are."""
        self._after_each_end = call

    def keep_records(self, keep: Callable[[Record], None]) -> None:
        """Hand over the record of every match that ends."""
        self._keep = keep

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
        if self._room.records:
            records, self._room.records = self._room.records, []
            for record in records:
                self._keep(record)
        if self._room.finished != self._finished:
            self._finished = self._room.finished
            if self._after_each_end is not None:
                self._after_each_end(self._room.take_reports())

"""Between the connections and a room."""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gamehall.hosting.kept_room import Answer, KeptRoom
from gamehall.hosting.notices import Notice
from gamehall.hosting.requests import Join, Leave, Request, Return
from gamehall.hosting.room import Delivery, Peer
from gamehall.server.timers import Timers
from gamehall.server.witness import Witness

log = logging.getLogger(__name__)


class Line(NamedTuple):
    """What leads to a peer."""

    door: str
    seconds_to_return: float
    """How long the peer's place is kept if the line breaks; 0: not at all."""
    tell: Callable[[Notice[Any]], None]
    go_on: Callable[[], None]
    """To be called when what the peer has asked for is answered."""


class Held(NamedTuple):
    """An answer that nobody may hear before it is safe, and who has asked."""

    answer: Answer[Any]
    asker: Peer | None
    finished: int
    """How many matches or tournaments the room had come to the end of by then."""


class Usher:
    """Carries requests into a room and its notices out, to peers that come through any door.

    A notice leaves when what led to it is safe. A peer whose line breaks may come back under its
    name, if the room waits for it: then its new line leads to the same peer.
    """

    def __init__(self, room: KeptRoom[Any], timers: Timers, witness: Witness) -> None:
        self._room = room
        self._timers = timers
        self._witness = witness
        self._deadline: float | None = None
        self._lines: dict[Peer, Line] = {}
        self._same: dict[Peer, Peer] = {}
        """For those who have come back: who they are."""
        self._held: deque[Held] = deque()
        self._safe = 0
        """The highest number that is safe."""
        self._finished = 0
        self._is_closed = False
        self._after_each_end: Callable[[], None] | None = None

    def after_each_end(self, call: Callable[[], None]) -> None:
        """Call whenever matches or tournaments of the room have ended."""
        self._after_each_end = call

    def close(self) -> None:
        """The hall closes: the room hears nothing more, neither of those who leave nor of time."""
        self._is_closed = True
        self._timers.set(self, None)

    def welcome(self, peer: Peer, line: Line) -> None:
        """A peer has connected."""
        self._lines[peer] = line

    def deafen(self, peer: Peer) -> None:
        """Nothing more can be told to this peer, though it has not left."""
        self._lines.pop(self._same.get(peer, peer), None)

    def farewell(self, peer: Peer, now: float) -> None:
        """The line to a peer is broken. It has left, unless its place is kept for a while."""
        peer = self._same.pop(peer, peer)
        line = self._lines.pop(peer, None)
        if self._is_closed:
            return
        reception = self._room.reception
        if line is not None and line.seconds_to_return and peer in reception.known:
            reception.lose(peer, now + line.seconds_to_return)
            self._set_timer()
        else:
            self._hold(self._room.ask(peer, "", Leave(None), now), None)

    def ask(self, peer: Peer, request: Request[Any], now: float) -> bool:
        """A peer wants something of the room. Whether it has been answered already."""
        if self._is_closed:
            return True
        peer = self._same.get(peer, peer)
        line = self._lines.get(peer)
        door = line.door if line else ""
        if line and isinstance(request, Join):
            lost = self._room.reception.find(door, request.name)
            if lost is not None:
                self._same[peer], request = lost, Return()
                self._lines[lost] = self._lines.pop(peer)
                self._room.reception.welcome_back(lost)
                self._room.look_at_clock(now)
                peer = lost
        return self._hold(self._room.ask(peer, door, request, now), peer)

    def tick(self, now: float) -> None:
        """A deadline of the room, or of those who are waited for, has come."""
        self._deadline = None
        for peer in self._room.reception.give_up(now):
            self._hold(self._room.ask(peer, "", Leave(None), now), None)
        self._room.look_at_clock(now)
        self._hold(self._room.tick(now), None)

    def release(self, number: int) -> None:
        """Everything up to this number is safe: those who wait for it may hear it."""
        self._safe = number
        held = self._held
        while held and (held[0].answer.number or 0) <= number:
            answer, asker, finished = held.popleft()
            self._deliver(answer.deliveries, finished)
            line = self._lines.get(asker) if asker is not None else None
            if line is not None:
                line.go_on()
        if not held:
            self.testify()

    def testify(self) -> None:
        """Tells the witness what there is to tell.

        A fault of that must not become one of whoever made the last move (X-09).
        """
        room, witness = self._room, self._witness
        try:
            for line in room.take_log():
                witness.noted(room.name, line)
            for report in room.take_reports():
                witness.tournament_ended(room.name, report)
        except Exception:
            log.exception("%s: what happened could not be kept", room.name)

    def _hold(self, answer: Answer[Any], asker: Peer | None) -> bool:
        """Delivers an answer, now if it is safe. Whether it was."""
        is_safe = answer.number is None or answer.number <= self._safe
        if is_safe and not self._held:
            self._deliver(answer.deliveries, self._room.finished)
            self.testify()
        elif answer.deliveries or asker is not None:
            self._held.append(Held(answer, asker, self._room.finished))
        self._room.begin_anew_if_quiet()
        self._set_timer()
        return is_safe

    def _deliver(self, deliveries: Sequence[Delivery[Any]], finished: int) -> None:
        for delivery in deliveries:
            notice = delivery.notice
            for peer in delivery.peers:
                line = self._lines.get(peer)
                if line is not None:
                    line.tell(notice)
        if finished != self._finished:
            self._finished = finished
            if self._after_each_end is not None:
                self._after_each_end()

    def _set_timer(self) -> None:
        deadline = self._room.deadline
        if deadline != self._deadline:
            self._deadline = deadline
            self._timers.set(self, deadline)

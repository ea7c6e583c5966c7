"""Between the connections and a room."""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, cast

from gamehall.match import Record
from gamehall.rooms.kept_room import Answer, KeptRoom
from gamehall.rooms.notices import Closed, Notice
from gamehall.rooms.report import TournamentReport
from gamehall.rooms.requests import EndOfInput, Join, Leave, Look, Request, Return
from gamehall.rooms.room import Delivery, LogLine, Peer
from gamehall.rooms.view import RoomView
from gamehall.server.logged import about, loggable
from gamehall.server.observer import Observer
from gamehall.server.timers import Timers

log = logging.getLogger(__name__)

NO_NEWS: Final[tuple[list[LogLine], list[TournamentReport]]] = ([], [])


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

    order: int
    """Answers are numbered as they come."""
    answer: Answer[Any]
    asker: Peer | None
    finished: int
    """How many matches or tournaments the room had come to the end of by then."""
    log: list[LogLine]
    reports: list[TournamentReport]
    since: float


class Usher:
    """Carries requests into a room and its notices out, to peers that come through any door.

    A notice leaves when what led to it is safe. A peer whose line breaks may come back under its
    name, if the room waits for it: then its new line leads to the same peer.
    """

    def __init__(self, room: KeptRoom[Any], timers: Timers, observer: Observer) -> None:
        self._room = room
        self._timers = timers
        self._witness = observer
        self._deadline: float | None = None
        self._lines: dict[Peer, Line] = {}
        self._same: dict[Peer, Peer] = {}
        """For those who have come back: who they are."""
        self._since: dict[Peer, int] = {}
        """For those who have come back: with which answer. Earlier ones were for the old line."""
        self._hung_up: set[Peer] = set()
        """The connections whose peers are waited for since they hung up, until they are closed."""
        self._order = 0
        self._held: deque[Held] = deque()
        self._safe = 0
        """The highest number that is safe."""
        self._look: tuple[Look, Notice[Any]] | None = None
        """How somebody looked last, and what it was shown, if nothing has happened since."""
        self._finished = 0
        self._is_closed = False
        self._after_each_end: Callable[[], None] | None = None
        self._after_each_change: Callable[[], None] | None = None
        self._looks: deque[tuple[int, RoomView[Any], Callable[[RoomView[Any]], None]]] = deque()
        """Who has looked on, what was to be seen, and the last answer that this rests upon."""
        # A room that was had back may wait for somebody, though nobody comes.
        self._set_timer()

    @property
    def is_over(self) -> bool:
        """Whether nothing goes on, and nobody waits to hear of anything."""
        return self._room.is_over and not self._held

    @property
    def waiting_players(self) -> Sequence[str]:
        """The names of those who wait for somebody to play with, "" for one without."""
        return self._room.waiting_players

    def after_each_end(self, call: Callable[[], None]) -> None:
        """Call whenever matches or tournaments of the room have ended."""
        self._after_each_end = call

    def after_each_change(self, call: Callable[[], None]) -> None:
        """Call whenever something was said in the room, or has changed there, and is safe.

        What was said need not have changed anything that can be seen.
        """
        self._after_each_change = call

    def show(self, call: Callable[[RoomView[Any]], None]) -> None:
        """Call with what somebody who looks on can see of the room now, as soon as that is safe."""
        seen = self._room.view()
        if self._held:
            self._looks.append((self._held[-1].order, seen, call))
        else:
            call(seen)

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
        if peer in self._hung_up:
            self._hung_up.discard(peer)
            return
        peer = self._same.pop(peer, peer)
        line = self._lines.pop(peer, None)
        self._since.pop(peer, None)
        if self._is_closed:
            return
        reception = self._room.reception
        if line is not None and line.seconds_to_return and peer in reception.known:
            self._keep_place(peer, line, now)
        else:
            self._hold(self._room.ask(peer, "", Leave(None), now), None, now)

    def ask(self, peer: Peer, request: Request[Any], now: float) -> bool:
        """A peer wants something of the room. Whether it has been answered already."""
        if self._is_closed:
            return True
        connected = peer
        if peer in self._same:
            peer = self._same[peer]
        line = self._lines.get(peer)
        if (
            type(request) is EndOfInput
            and line
            and line.seconds_to_return
            and self._room.reception.has_place(peer)
        ):
            # Where places are kept, it does not matter how a connection ends.
            self._hung_up.add(connected)
            self._same.pop(connected, None)
            del self._lines[peer]
            self._since.pop(peer, None)
            self._keep_place(peer, line, now)
            line.tell(Closed("hung up", is_expected=True))
            return True
        is_look = type(request) is Look
        if is_look and line and self._look_is_known(cast("Look", request), line):
            return True
        door = line.door if line else ""
        if line and type(request) is Join and peer not in self._room.reception.known:
            lost = self._room.reception.find(door, request.name, request.secret)
            if lost is not None:
                self._same[peer], request = lost, Return()
                self._lines[lost] = self._lines.pop(peer)
                self._since[lost] = self._order + 1
                self._room.reception.welcome_back(lost)
                self._room.look_at_clock(now)
                peer = lost
                name = loggable(self._room.reception.known[lost].name)
                log.info("%s is back at %s", name, door, extra=about(room=self._room.name))
        answer = self._room.ask(peer, door, request, now)
        is_told = self._hold(answer, peer, now)
        if is_look and is_told and answer.deliveries:
            look = cast("Look", request)
            if look.after is None:
                self._look = (look, answer.deliveries[-1].notice)
        return is_told

    def _keep_place(self, peer: Peer, line: Line, now: float) -> None:
        """Wait for a peer whose connection has ended."""
        self._room.reception.lose(peer, now + line.seconds_to_return)
        log.info(
            "keeping %s's seat at %s for %g s",
            loggable(self._room.reception.known[peer].name),
            line.door,
            line.seconds_to_return,
            extra=about(room=self._room.name),
        )
        self._set_timer()

    def _look_is_known(self, look: Look, line: Line) -> bool:
        """Whether somebody has looked with the same eyes since anything happened, and so is told.

        Many look many times before anything happens.
        """
        if self._look is None or self._look[0] != look:
            return False
        line.tell(self._look[1])
        return True

    def tick(self, now: float) -> None:
        """A deadline of the room, or of those who are waited for, has come."""
        self._deadline = None
        for peer in self._room.reception.give_up(now):
            lost = self._room.reception.known.get(peer)
            # The leaving of another whose time is over may have sent this one away.
            if lost is not None:
                log.info(
                    "%s has not come back to %s: its seat is free",
                    loggable(lost.name),
                    lost.door,
                    extra=about(room=self._room.name),
                )
            self._hold(self._room.ask(peer, "", Leave(None), now), None, now)
        self._room.look_at_clock(now)
        self._hold(self._room.tick(now), None, now)

    def release(self, number: int) -> None:
        """Everything up to this number is safe: those who wait for it may hear it."""
        self._safe = max(self._safe, number)
        answered: list[Line] = []
        held, counts = self._held, self._room.counts
        is_any_safe = False
        while held and (held[0].answer.number or 0) <= self._safe:
            is_any_safe = True
            first = held.popleft()
            counts.held = len(held)
            self._deliver(first.answer.deliveries, first.finished, first.order)
            self._tell_witness(first.log, first.reports, first.answer.records)
            counts.answers.add(self._timers.clock() - first.since)
            if first.asker is not None:
                line = self._line(first.asker, first.order)
                if line is not None:
                    answered.append(line)
        if is_any_safe:
            self._show_what_is_safe()
            if self._after_each_change is not None:
                self._tell_of_change(self._after_each_change)
        # Not before: whoever goes on may ask again, and so this would never come to an end.
        for line in answered:
            line.go_on()

    def testify(self) -> None:
        """Tells the witness what there is to tell."""
        self._tell_witness(*self._room.take_news())

    def _tell_witness(
        self,
        lines: list[LogLine],
        reports: list[TournamentReport],
        records: Sequence[Record] = (),
    ) -> None:
        """A fault of that must not become one of whoever made the last move (X-09)."""
        room, observer = self._room, self._witness
        try:
            for record in records:
                observer.match_ended(room.name, record)
            for line in lines:
                observer.noted(room.name, line)
            for report in reports:
                observer.tournament_ended(room.name, report)
        except Exception:
            log.exception(
                "%s: what happened could not be kept", room.name, extra=about(room=room.name)
            )

    def _show_what_is_safe(self) -> None:
        first_held = self._held[0].order if self._held else self._order + 1
        while self._looks and self._looks[0][0] < first_held:
            _, seen, call = self._looks.popleft()
            self._tell_of_change(partial(call, seen))

    def _tell_of_change(self, call: Callable[[], None]) -> None:
        """A fault of those who look on must not become one of whoever made the last move (X-09)."""
        try:
            call()
        except Exception:
            name = self._room.name
            log.exception("%s: what happened could not be shown", name, extra=about(room=name))

    def _hold(self, answer: Answer[Any], asker: Peer | None, now: float) -> bool:
        """Delivers an answer to what was asked now, at once if it is safe. Whether it was."""
        room = self._room
        self._look = None
        self._order += 1
        # Taken now, since the room may be another one when the answer is safe.
        lines, reports = room.take_news() if room.has_news else NO_NEWS
        # While some are held, what is safe has its turn after them: they are being released.
        is_told = not self._held and (answer.number is None or answer.number <= self._safe)
        if is_told:
            self._deliver(answer.deliveries, room.finished, self._order)
            if lines or reports or answer.records:
                self._tell_witness(lines, reports, answer.records)
            room.counts.answers.add(self._timers.clock() - now)
        elif (
            answer.deliveries
            or asker is not None
            or lines
            or reports
            or self._after_each_change is not None
        ):
            held = Held(self._order, answer, asker, room.finished, lines, reports, now)
            self._held.append(held)
            room.counts.held = len(self._held)
        # Whoever was waited for may have been sent away meanwhile.
        room.settle(now)
        self._set_timer()
        if is_told and self._after_each_change is not None:
            self._tell_of_change(self._after_each_change)
        return is_told

    def _line(self, peer: Peer, order: int) -> Line | None:
        """What leads to a peer, None if nothing does or did not when that answer was given."""
        if self._since and order < self._since.get(peer, 0):
            return None
        return self._lines.get(peer)

    def _deliver(self, deliveries: Sequence[Delivery[Any]], finished: int, order: int) -> None:
        for delivery in deliveries:
            notice = delivery.notice
            for peer in delivery.peers:
                line = self._line(peer, order)
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

"""Checks of clocks: time in which the server cannot play does not count against players."""

from typing import Any, NamedTuple

import msgspec

from gamehall.rooms.room import Peer, Room
from gamehall.server.hall_clock import HallClock
from tests.simulation.event_log import EventLog
from tests.simulation.matches import absences_of, running_matches
from tests.simulation.scheduler import Scheduler

SMALLEST_DIFFERENCE = 1e-6
"""In seconds; smaller ones are rounding errors."""

LONGEST_COMMIT = 0.08
"""How long a clock may run during a commit, until the server notices that it is overdue."""

SECONDS_TO_RECOVER = 0.5
"""How long the clock may stay stopped after a stall."""


class RoomClock:
    """Checks that the clock of a room continues after a restart where it had stopped."""

    def __init__(self, room: str, stood_at: float, opened_at: float) -> None:
        """`stood_at`: the time of the last entry before the restart."""
        self._room = room
        self._stood_at = stood_at
        self._opened_at = opened_at

    def check(self, entry: bytes, now: float, event_log: EventLog) -> None:
        """Report a violation if a new entry has a wrong time."""
        shows: float = msgspec.json.decode(entry)[0]
        ran, should = shows - self._stood_at, now - self._opened_at
        if abs(ran - should) > SMALLEST_DIFFERENCE:
            event_log.report(
                f"a clock is not that of its room: {self._room} has gone on by {ran:.3f} seconds"
                f" since the server was opened, and that was {should:.3f} seconds ago"
            )


class Turn(NamedTuple):
    """A turn of a player."""

    moves: int
    peer: Peer
    deadline: float | None


class TurnClocks:
    """Checks, at every entry of a room, the clocks of disconnected players (X-07).

    While the player to move is away its clock is stopped; when it is back it has as much time left
    as before.
    """

    def __init__(self, room: str, event_log: EventLog) -> None:
        self._room = room
        self._event_log = event_log
        self._away: set[Peer] = set()
        self._turns: dict[int, Turn] = {}
        """By the seed of the match."""
        self._left: dict[int, float] = {}
        """The seconds that the player to move had left when its connection was lost."""

    def begin(self, room: Room[Any], now: float) -> None:
        """Start with a new room, or a restored one: then all players are away."""
        self._away = set(absences_of(room))
        self._turns = _turns(room)
        for match in running_matches(room):
            referee, seat = match.referee, match.referee.position.to_move
            deadline = referee._stopped_deadline
            if match.to_move in self._away and deadline is not None and seat is not None:
                # It may have been away before the restart.
                since = max(referee._away[seat], referee._turn_began)
                self._left[match.seed] = deadline - since
        self._check_standing()

    def check(self, room: Room[Any], entry: bytes) -> None:
        """Report a violation if the entry has set a wrong deadline."""
        now, peer, request = msgspec.json.decode(entry)
        kind = request["type"] if request else None
        before, self._turns = self._turns, _turns(room)
        for seed, turn in self._turns.items():
            old = before.get(seed)
            is_same_turn = old is not None and (old.moves, old.peer) == (turn.moves, turn.peer)
            if old is None or not is_same_turn:
                self._left.pop(seed, None)
            elif turn.peer == peer and kind == "Away" and old.deadline is not None:
                self._left[seed] = old.deadline - now
            elif turn.peer == peer and kind == "Return" and seed in self._left:
                self._check_left(self._left.pop(seed), turn, now)
        if kind == "Away":
            self._away.add(peer)
        elif kind is not None:
            self._away.discard(peer)
        self._check_standing()

    def _check_standing(self) -> None:
        for turn in self._turns.values():
            if turn.peer in self._away and turn.deadline is not None:
                self._report("its player to move is away, and has a deadline")

    def _check_left(self, left: float, turn: Turn, now: float) -> None:
        has = None if turn.deadline is None else turn.deadline - now
        if has is None or abs(has - left) > SMALLEST_DIFFERENCE:
            self._report(f"a player had {left:.3f} seconds left, and has {has} when it is back")

    def _report(self, what: str) -> None:
        self._event_log.report(f"a clock runs while players are away: in {self._room}, {what}")


def _turns(room: Room[Any]) -> dict[int, Turn]:
    return {
        match.seed: Turn(match.moves, match.to_move, match.referee.deadline)
        for match in running_matches(room)
        if match.to_move is not None
    }


class HallClockCheck:
    """Checks that the server's clock runs, except while the server cannot read input."""

    def __init__(self, clock: HallClock, scheduler: Scheduler, event_log: EventLog) -> None:
        self._clock = clock
        self._scheduler = scheduler
        self._event_log = event_log
        self._beat_at = self._stall_ended_at = scheduler.now
        self._showed = self._showed_at_stall = self.shows
        self.is_closing = False
        """Whether the server is closing; then slow commits do not stop the clock."""

    @property
    def shows(self) -> float:
        """The time of the server's clock, without counting as a reading of it."""
        return self._clock._now

    def begin_stall(self) -> None:
        """Note that the process stops."""
        self._stall_ended_at = float("inf")
        self._showed_at_stall = self.shows

    def end_stall(self, seconds: float) -> None:
        """Check the clock after the process has continued and handled its input."""
        ran = self.shows - self._showed_at_stall
        self._stall_ended_at = self._scheduler.now
        if ran > SMALLEST_DIFFERENCE:
            self._event_log.report(
                f"a stall is not subtracted: the clock has gone on by {ran:.3f} seconds while the"
                f" process did nothing for {seconds:.3f}"
            )

    def check_beat(self, busy_until: float) -> None:
        """Check a reading of the clock. `busy_until` is the end of the last commit."""
        now, shows = self._scheduler.now, self.shows
        passed, ran = now - self._beat_at, shows - self._showed
        is_calm = max(self._stall_ended_at + SECONDS_TO_RECOVER, busy_until) < self._beat_at
        if ran > passed + SMALLEST_DIFFERENCE:
            self._event_log.report(f"the server's clock is fast: {ran:.3f} s in {passed:.3f}")
        elif is_calm and ran < passed - SMALLEST_DIFFERENCE:
            self._event_log.report(f"the server's clock stands: {ran:.3f} s in {passed:.3f}")
        self._beat_at, self._showed = now, shows

    def check_commit(self, seconds: float) -> None:
        """Check a commit that took this long by the server's clock."""
        if seconds > LONGEST_COMMIT and not self.is_closing:
            self._event_log.report(
                f"a clock runs while the disk is slow: by {seconds:.3f} seconds in one commit"
            )

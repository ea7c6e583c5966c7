"""Clocks: time limits are the players', whatever happens to the hall, its process or its disk."""

from typing import Any, NamedTuple

import msgspec

from gamehall.rooms.room import Peer, Room
from gamehall.server.hall_clock import HallClock
from tests.simulation.chronicle import Chronicle
from tests.simulation.clockwork import Clockwork
from tests.simulation.matches import absences_of, running_matches

SMALLEST_DIFFERENCE = 1e-6
"""In seconds; less is how numbers are rounded."""

LONGEST_COMMIT = 0.08
"""How long a clock may run during a commit: until it is overdue, and the timer comes."""

SECONDS_TO_RECOVER = 0.5
"""How long a clock may stand after a stall."""


class RoomClock:
    """What the clock of one room must show in one run of the hall: it goes on where it stood."""

    def __init__(self, room: str, stood_at: float, opened_at: float) -> None:
        """`stood_at`: the time of its last entry before the restart, by this clock."""
        self._room = room
        self._stood_at = stood_at
        self._opened_at = opened_at

    def check(self, entry: bytes, now: float, chronicle: Chronicle) -> None:
        """Complain if a new entry has a time that the clock cannot show now."""
        shows: float = msgspec.json.decode(entry)[0]
        ran, should = shows - self._stood_at, now - self._opened_at
        if abs(ran - should) > SMALLEST_DIFFERENCE:
            chronicle.complain(
                f"a clock is not that of its room: {self._room} has gone on by {ran:.3f} seconds"
                f" since the hall was opened, and that was {should:.3f} seconds ago"
            )


class Turn(NamedTuple):
    """Who is to move in a match, and until when."""

    moves: int
    peer: Peer
    deadline: float | None


class TurnClocks:
    """Watches, at every entry of a room, the clocks of players whose connections are lost (X-07).

    While the player to move is away its clock stands; when it is back it has as much time left as
    before.
    """

    def __init__(self, room: str, chronicle: Chronicle) -> None:
        self._room = room
        self._chronicle = chronicle
        self._away: set[Peer] = set()
        self._turns: dict[int, Turn] = {}
        """By the seeds of the matches."""
        self._left: dict[int, float] = {}
        """How many seconds the player to move had left when its connection was lost."""

    def begin(self, room: Room[Any], now: float) -> None:
        """The room begins, or was restored: then everybody is away, and time stands."""
        self._away = set(absences_of(room))
        self._turns = _turns(room)
        for match in running_matches(room):
            referee, seat = match.referee, match.referee.position.to_move
            if match.to_move in self._away and referee._due is not None and seat is not None:
                # It may have been away already when the hall was closed.
                since = max(referee._away[seat], referee._turn_began)
                self._left[match.seed] = referee._due - since
        self._check_standing()

    def check(self, room: Room[Any], entry: bytes) -> None:
        """Complain if the entry has moved a deadline that it should not, or not as it should."""
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
                self._complain("its player to move is away, and has a deadline")

    def _check_left(self, left: float, turn: Turn, now: float) -> None:
        has = None if turn.deadline is None else turn.deadline - now
        if has is None or abs(has - left) > SMALLEST_DIFFERENCE:
            self._complain(f"a player had {left:.3f} seconds left, and has {has} when it is back")

    def _complain(self, what: str) -> None:
        self._chronicle.complain(f"a clock runs while players are away: in {self._room}, {what}")


def _turns(room: Room[Any]) -> dict[int, Turn]:
    return {
        match.seed: Turn(match.moves, match.to_move, match.referee.deadline)
        for match in running_matches(room)
        if match.to_move is not None
    }


class HallClockCheck:
    """Checks the clock of the hall: it runs with real time, except while the hall cannot listen."""

    def __init__(self, clock: HallClock, clockwork: Clockwork, chronicle: Chronicle) -> None:
        self._clock = clock
        self._clockwork = clockwork
        self._chronicle = chronicle
        self._beat_at = self._stall_ended_at = clockwork.now
        self._showed = self._showed_at_stall = self.shows
        self.is_closing = False
        """Whether the hall is closing: then slow commits do not stop the clock."""

    @property
    def shows(self) -> float:
        """The time by the hall's clock; unlike a reading of it, this does not count as one."""
        return self._clock._now

    def begin_stall(self) -> None:
        """The process stops."""
        self._stall_ended_at = float("inf")
        self._showed_at_stall = self.shows

    def end_stall(self, seconds: float) -> None:
        """The process goes on, and has handled all that arrived meanwhile."""
        ran = self.shows - self._showed_at_stall
        self._stall_ended_at = self._clockwork.now
        if ran > SMALLEST_DIFFERENCE:
            self._chronicle.complain(
                f"a stall is not subtracted: the clock has gone on by {ran:.3f} seconds while the"
                f" process did nothing for {seconds:.3f}"
            )

    def check_beat(self, busy_until: float) -> None:
        """The clock has just been read. `busy_until`: when a commit was under way last."""
        now, shows = self._clockwork.now, self.shows
        passed, ran = now - self._beat_at, shows - self._showed
        is_calm = max(self._stall_ended_at + SECONDS_TO_RECOVER, busy_until) < self._beat_at
        if ran > passed + SMALLEST_DIFFERENCE:
            self._chronicle.complain(f"the hall's clock is fast: {ran:.3f} s in {passed:.3f}")
        elif is_calm and ran < passed - SMALLEST_DIFFERENCE:
            self._chronicle.complain(f"the hall's clock stands: {ran:.3f} s in {passed:.3f}")
        self._beat_at, self._showed = now, shows

    def check_commit(self, seconds: float) -> None:
        """A commit is durable. `seconds`: how long it took by the hall's clock."""
        if seconds > LONGEST_COMMIT and not self.is_closing:
            self._chronicle.complain(
                f"a clock runs while the disk is slow: by {seconds:.3f} seconds in one commit"
            )

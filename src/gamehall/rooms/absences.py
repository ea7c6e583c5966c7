"""The seats of those whose connections are lost: until when each is kept."""

from collections.abc import Iterable
from typing import Any, Final

from gamehall.rooms.requests import Away, Return
from gamehall.rooms.room import Entry, Peer
from gamehall.rooms.timing import Deadlines

SHORTEST_ABSENCE: Final = 0.5
"""In seconds."""


class Absences:
    """Who is away from a room, and how much of its time away each has used (X-07).

    A player may be away for some time in all in one match, so that nobody gains time by losing its
    connection again and again. What a restart of the hall takes does not count.
    """

    __slots__ = ("_until", "since", "used")

    def __init__(self) -> None:
        self.since: dict[Peer, tuple[float, Away]] = {}
        """Who is away, since when, and how that began."""
        self._until: Deadlines[Peer] = Deadlines()
        self.used: dict[Peer, float] = {}
        """How many seconds each has been away in its match, until it was back."""

    @property
    def deadline(self) -> float | None:
        """When the next seat is given up."""
        return self._until.next() if self.since else None

    def begin(self, peer: Peer, away: Away, now: float) -> bool:
        """Keep a seat for as long as is left. Return False if nothing is."""
        if away.is_restart:
            self.end(peer, now)
        left = away.seconds - (0.0 if away.is_restart else self.used.get(peer, 0.0))
        if left <= 0:
            return False
        self.since[peer] = (now, away)
        self._until.set(peer, now + left)
        return True

    def end(self, peer: Peer, now: float) -> bool:
        """Stop keeping a seat, if it is kept: the player is back. Return False if it is not.

        An absence counts for SHORTEST_ABSENCE at least, so that nobody comes and goes all the time.
        """
        if peer not in self.since:
            return False
        since, away = self.since.pop(peer)
        self._until.set(peer, None)
        if not away.is_restart:
            seconds = max(now - since, SHORTEST_ABSENCE)
            self.used[peer] = self.used.get(peer, 0.0) + seconds
        return True

    def seconds_left(self, peer: Peer, now: float) -> float | None:
        """Return how long the seat of a player is still kept, None if the player is not away."""
        if peer not in self.since:
            return None
        since, away = self.since[peer]
        used = 0.0 if away.is_restart else self.used.get(peer, 0.0)
        return max(0.0, since + away.seconds - used - now)

    def over(self, now: float) -> list[Peer]:
        """Return those whose seats have been kept for long enough. They are away no longer."""
        gone = list(self._until.due(now)) if self.since else []
        for peer in gone:
            del self.since[peer]
        return gone

    def forget(self, peer: Peer) -> None:
        """A player is gone for good."""
        self.used.pop(peer, None)
        self.since.pop(peer, None)
        self._until.set(peer, None)

    def begin_match(self, peers: Iterable[Peer], now: float) -> None:
        """A new match of these begins, in which they have used nothing yet."""
        for peer in peers:
            self.used.pop(peer, None)
            if peer in self.since:
                _, away = self.since[peer]
                self.since[peer] = (now, away)
                self._until.set(peer, now + away.seconds)

    def past_entries(self, peer: Peer) -> list[Entry[Any]]:
        """Return what must be replayed for a player to have used as much time as it has."""
        used = self.used.get(peer)
        if used is None:
            return []
        return [Entry(0.0, peer, Away(used + 1.0)), Entry(used, peer, Return())]

    def present_entries(self, peer: Peer) -> list[Entry[Any]]:
        """Return what must be replayed after that for a player to be away, if it is."""
        if peer not in self.since:
            return []
        since, away = self.since[peer]
        return [Entry(since, peer, away)]

"""The seats of those whose connections are lost: until when each is kept."""

from collections.abc import Iterable

from gamehall.rooms.deadlines import Deadlines
from gamehall.rooms.reaction import Peer
from gamehall.rooms.requests import Away


class Absences:
    """Who is away from a room, and how much of its time away each has used (X-07).

    A player may be away for some time in all in one match, so that nobody gains time by losing its
    connection again and again. What a restart of the hall takes does not count.
    """

    __slots__ = ("_until", "since", "used")

    def __init__(self) -> None:
        self.since: dict[Peer, float | None] = {}
        """Who is away, and since when; None if that does not count."""
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
            self.since[peer] = None
            self._until.set(peer, now + away.seconds)
            return True
        left = away.seconds - self.used.get(peer, 0.0)
        if left <= 0:
            return False
        self.since[peer] = now
        self._until.set(peer, now + left)
        return True

    def end(self, peer: Peer, now: float) -> None:
        """Stop keeping a seat, if it is kept: the player is back, or gone."""
        if peer in self.since:
            since = self.since.pop(peer)
            self._until.set(peer, None)
            if since is not None:
                self.used[peer] = self.used.get(peer, 0.0) + now - since

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
            if self.since.get(peer) is not None:
                self.since[peer] = now

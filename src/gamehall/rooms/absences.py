"""The seats that are kept for disconnected players."""

from collections.abc import Iterable
from typing import Any, Final

from gamehall.rooms.requests import Away, Return
from gamehall.rooms.room import Entry, Peer
from gamehall.rooms.timing import Deadlines

SHORTEST_ABSENCE: Final = 0.5
"""In seconds."""


class Absences:
    """The disconnected players of a room, and how long each has been away in its match (X-07).

    The time away is limited in total per match, so that a player gains nothing by disconnecting
    again and again. The time that a restart of the server takes does not count.
    """

    __slots__ = ("_until", "since", "used")

    def __init__(self) -> None:
        self.since: dict[Peer, tuple[float, Away]] = {}
        """When each disconnected player was lost, and the request that said so."""
        self._until: Deadlines[Peer] = Deadlines()
        self.used: dict[Peer, float] = {}
        """The seconds that each player has been away in its match, without the current absence."""

    @property
    def deadline(self) -> float | None:
        """When the next seat is given up."""
        return self._until.next() if self.since else None

    def begin(self, peer: Peer, away: Away, now: float) -> bool:
        """Keep a seat for the time that is left. Return False if none is."""
        if away.is_restart:
            self.end(peer, now)
        left = away.seconds - (0.0 if away.is_restart else self.used.get(peer, 0.0))
        if left <= 0:
            return False
        self.since[peer] = (now, away)
        self._until.set(peer, now + left)
        return True

    def end(self, peer: Peer, now: float) -> bool:
        """Note that a player is connected again. Return False if it was not away."""
        if peer not in self.since:
            return False
        since, away = self.since.pop(peer)
        self._until.set(peer, None)
        if not away.is_restart:
            # The minimum keeps a player from disconnecting very often.
            seconds = max(now - since, SHORTEST_ABSENCE)
            self.used[peer] = self.used.get(peer, 0.0) + seconds
        return True

    def is_doubtful(self, peer: Peer) -> bool:
        """Return True if a player is away of its own accord, and not because of a restart."""
        return peer in self.since and not self.since[peer][1].is_restart

    def seconds_left(self, peer: Peer, now: float) -> float | None:
        """Return how long the seat of a player is still kept, None if the player is not away."""
        if peer not in self.since:
            return None
        since, away = self.since[peer]
        used = 0.0 if away.is_restart else self.used.get(peer, 0.0)
        return max(0.0, since + away.seconds - used - now)

    def expired(self, now: float) -> list[Peer]:
        """Remove the players who have been away for too long, and return them."""
        gone = list(self._until.due(now)) if self.since else []
        for peer in gone:
            del self.since[peer]
        return gone

    def forget(self, peer: Peer) -> None:
        """Forget a player who has left."""
        self.used.pop(peer, None)
        self.since.pop(peer, None)
        self._until.set(peer, None)

    def begin_match(self, peers: Iterable[Peer], now: float) -> None:
        """Give the players of a new match all their time again."""
        for peer in peers:
            self.used.pop(peer, None)
            if peer in self.since:
                _, away = self.since[peer]
                self.since[peer] = (now, away)
                self._until.set(peer, now + away.seconds)

    def past_entries(self, peer: Peer) -> list[Entry[Any]]:
        """Return the journal entries that restore how much time a player has used."""
        used = self.used.get(peer)
        if used is None:
            return []
        return [Entry(0.0, peer, Away(used + 1.0)), Entry(used, peer, Return())]

    def present_entries(self, peer: Peer) -> list[Entry[Any]]:
        """Return the journal entries that restore the current absence of a player, if any."""
        if peer not in self.since:
            return []
        since, away = self.since[peer]
        return [Entry(since, peer, away)]

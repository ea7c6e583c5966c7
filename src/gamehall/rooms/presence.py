"""Who is who in a room, and whose seats are kept while their connections are lost."""

from typing import Any, NamedTuple

from gamehall.rooms.deadlines import Deadlines
from gamehall.rooms.notices import Refused, Seated
from gamehall.rooms.reaction import Peer, Reaction
from gamehall.rooms.requests import Join, Leave, Request


class Identity(NamedTuple):
    """What a player is recognised by: the door it came through, its name and its secret."""

    door: str
    name: str
    secret: str = ""


class Presence:
    """Knows everybody who has joined under a name, and keeps the seats of those who are lost.

    Two players may share a name at some doors; then neither can be recognised. A player without a
    name cannot be recognised either.
    """

    def __init__(self) -> None:
        self.known: dict[Peer, Identity] = {}
        self._seated: set[Peer] = set()
        """Those of them who have a seat, and therefore keep the name that they joined with."""
        self._spectators: set[Peer] = set()
        self._lost: Deadlines[Peer] = Deadlines()
        self._absent: set[Peer] = set()

    @property
    def deadline(self) -> float | None:
        """When the seat of the next lost player is given up."""
        return self._lost.next()

    @property
    def is_waiting(self) -> bool:
        """Return True if a seat is kept for a lost player."""
        return bool(self._absent)

    def note(self, peer: Peer, door: str, request: Request[Any], reaction: Reaction[Any]) -> None:
        """Remember what a request and the room's reaction say about who `peer` is."""
        match request:
            case Join(name, _, secret):
                notices = [one.notice for one in reaction.deliveries if peer in one.peers]
                is_refused = any(isinstance(notice, Refused) for notice in notices)
                if name and not is_refused and peer not in self._seated:
                    self.known[peer] = Identity(door, name, secret)
                for seated in (one for one in notices if isinstance(one, Seated)):
                    if seated.seat is not None:
                        self._seated.add(peer)
                        self._spectators.discard(peer)
                    else:
                        self._spectators.add(peer)
            case Leave():
                self.forget(peer)
            case _:
                pass

    def has_seat(self, peer: Peer) -> bool:
        """Return True for a known player, who may come back; a spectator has no seat to keep."""
        return peer in self.known and peer not in self._spectators

    def lose(self, peer: Peer, until: float) -> None:
        """Keep the seat of a known player, whose connection is lost, until then."""
        self._absent.add(peer)
        self._lost.set(peer, until)

    def find(self, identity: Identity) -> Peer | None:
        """Return the lost player with this identity, None if there is not exactly one."""
        found = [peer for peer in self._absent if self.known.get(peer) == identity]
        return found[0] if len(found) == 1 else None

    def welcome_back(self, peer: Peer) -> None:
        """A lost player is connected again."""
        self._absent.discard(peer)
        self._lost.set(peer, None)

    def expired(self, now: float) -> list[Peer]:
        """Return the lost players whose seats have been kept for long enough, and stop waiting."""
        gone = list(self._lost.due(now))
        self._absent.difference_update(gone)
        return gone

    def forget(self, peer: Peer) -> None:
        """A player is gone for good."""
        if peer in self.known:
            del self.known[peer]
            self._seated.discard(peer)
            self._spectators.discard(peer)
            self.welcome_back(peer)

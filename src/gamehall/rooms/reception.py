"""Who is who: by their names people are known again when their line has broken."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from gamehall.rooms.deadlines import Deadlines
from gamehall.rooms.notices import Closed, Refused, Seated
from gamehall.rooms.requests import Join, Leave, Request
from gamehall.rooms.room import Delivery, Peer

FAREWELLS = (Closed, Refused)
"""What nobody hears who is to be known again."""


class Acquaintance(NamedTuple):
    """By what somebody is known: the door it came through, and what it called itself there."""

    door: str
    name: str
    secret: str = ""


class Reception:
    """Knows by name everybody who has joined, and keeps a place for those who are lost.

    Only names that nobody else has at that door are good for that; whoever shares one with another
    who is still there is not known.
    """

    def __init__(self) -> None:
        self.known: dict[Peer, Acquaintance] = {}
        self._seated: set[Peer] = set()
        """Those of them who have a seat, and with it the name that they keep."""
        self._spectators: set[Peer] = set()
        self._lost: Deadlines[Peer] = Deadlines()
        self._absent: set[Peer] = set()

    @property
    def deadline(self) -> float | None:
        """When the next of those who are lost is given up."""
        return self._lost.next()

    @property
    def waits(self) -> bool:
        """Whether a place is kept for somebody."""
        return bool(self._absent)

    def note(
        self, peer: Peer, door: str, request: Request[Any], told: Iterable[Delivery[Any]]
    ) -> None:
        """Somebody has asked for something, and this was said to it."""
        # Most requests are moves, which say nothing of who is who.
        if not isinstance(request, Join | Leave):
            return
        match request:
            case Join(name, _, secret):
                notices = [delivery.notice for delivery in told if peer in delivery.peers]
                is_refused = any(isinstance(notice, Refused) for notice in notices)
                if name and not is_refused and peer not in self._seated:
                    self.known[peer] = Acquaintance(door, name, secret)
                for seated in (one for one in notices if isinstance(one, Seated)):
                    if seated.seat is not None:
                        self._seated.add(peer)
                        self._spectators.discard(peer)
                    else:
                        self._spectators.add(peer)
            case Leave():
                self.forget(peer)

    def observe(self, deliveries: Iterable[Delivery[Any]]) -> None:
        """This was said; whoever is sent away is not known any more."""
        for delivery in deliveries:
            if isinstance(delivery.notice, Closed):
                for peer in delivery.peers:
                    self.forget(peer)

    def has_place(self, peer: Peer) -> bool:
        """Return True for a known player, who may come back; a spectator has none to keep."""
        return peer in self.known and peer not in self._spectators

    def lose(self, peer: Peer, until: float) -> None:
        """The line to somebody who is known is broken; its place is kept until then."""
        self._absent.add(peer)
        self._lost.set(peer, until)

    def find(self, door: str, name: str, secret: str = "") -> Peer | None:
        """Who is lost that was known by all that, None if there is not exactly one."""
        wanted = Acquaintance(door, name, secret)
        found = [peer for peer in self._absent if self.known.get(peer) == wanted]
        return found[0] if len(found) == 1 else None

    def welcome_back(self, peer: Peer) -> None:
        """Somebody who was lost is here again."""
        self._absent.discard(peer)
        self._lost.set(peer, None)

    def give_up(self, now: float) -> list[Peer]:
        """Those whose place has been kept for long enough."""
        gone = list(self._lost.due(now))
        self._absent.difference_update(gone)
        return gone

    def forget(self, peer: Peer) -> None:
        """Somebody is gone for good."""
        self.known.pop(peer, None)
        self._seated.discard(peer)
        self._spectators.discard(peer)
        self.welcome_back(peer)

"""Who is who in the rooms, and whose seats are kept while their connections are lost."""

from collections import Counter
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


class Member(NamedTuple):
    """Somebody who has joined a room under a name."""

    identity: Identity
    room: str
    is_seated: bool = False
    is_spectator: bool = False


class Presence:
    """Knows everybody who has joined under a name, and keeps the seats of those who are lost.

    Two players may share a name at some doors; then neither can be recognised. A player without a
    name cannot be recognised either.
    """

    def __init__(self) -> None:
        self.members: dict[Peer, Member] = {}
        self._lost: dict[Identity, set[Peer]] = {}
        self._until: Deadlines[Peer] = Deadlines()
        self._waiting: Counter[str] = Counter()
        """For how many lost players each room waits."""

    @property
    def deadline(self) -> float | None:
        """When the seat of the next lost player is given up."""
        return self._until.next()

    def is_waiting(self, room: str) -> bool:
        """Return True if a seat in that room is kept for a lost player."""
        return self._waiting[room] > 0

    def note(
        self, room: str, peer: Peer, door: str, request: Request[Any], reaction: Reaction[Any]
    ) -> None:
        """Remember what a request and the room's reaction say about who `peer` is."""
        match request:
            case Join(name, _, secret):
                notices = [one.notice for one in reaction.deliveries if peer in one.peers]
                known = self.members.get(peer)
                is_refused = any(isinstance(notice, Refused) for notice in notices)
                if is_refused or (known is None and not name):
                    # A member who is refused another name stays who and where it is.
                    return
                # Whoever has a seat keeps the name that it joined with.
                if known is None or not known.is_seated:
                    known = Member(Identity(door, name, secret), room)
                for seated in (one for one in notices if isinstance(one, Seated)):
                    is_spectator = seated.seat is None
                    known = known._replace(
                        is_seated=known.is_seated or not is_spectator, is_spectator=is_spectator
                    )
                self.members[peer] = known._replace(room=room)
            case Leave():
                self.forget(peer)
            case _:
                pass

    def has_seat(self, peer: Peer) -> bool:
        """Return True for a known player, who may come back; a spectator has no seat to keep."""
        member = self.members.get(peer)
        return member is not None and not member.is_spectator

    def lose(self, peer: Peer, until: float) -> None:
        """Keep the seat of a known player, whose connection is lost, until then."""
        member = self.members[peer]
        self._lost.setdefault(member.identity, set()).add(peer)
        self._waiting[member.room] += 1
        self._until.set(peer, until)

    def find(self, identity: Identity) -> Peer | None:
        """Return the lost player with this identity, None if there is not exactly one."""
        found = self._lost.get(identity, ())
        return next(iter(found)) if len(found) == 1 else None

    def welcome_back(self, peer: Peer) -> None:
        """Stop waiting for a player: it is connected again, given up or gone."""
        member = self.members[peer]
        lost = self._lost.get(member.identity)
        if lost is None or peer not in lost:
            return
        lost.discard(peer)
        if not lost:
            del self._lost[member.identity]
        self._waiting[member.room] -= 1
        if not self._waiting[member.room]:
            del self._waiting[member.room]
        self._until.set(peer, None)

    def expired(self, now: float) -> list[Peer]:
        """Return the lost players whose seats have been kept for long enough, and stop waiting."""
        gone = list(self._until.due(now))
        for peer in gone:
            self.welcome_back(peer)
        return gone

    def forget_room(self, room: str) -> None:
        """Everybody in that room is gone for good, also those who are lost."""
        for peer in [peer for peer, member in self.members.items() if member.room == room]:
            self.forget(peer)

    def forget(self, peer: Peer) -> None:
        """A player is gone for good."""
        if peer in self.members:
            self.welcome_back(peer)
            del self.members[peer]

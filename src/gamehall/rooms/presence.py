"""Who is who in the rooms, and who may come back to a seat."""

from typing import Any, NamedTuple

from gamehall.rooms.notices import Refused, Seated
from gamehall.rooms.requests import BeginTournament, Credential, Join, Leave, Proof, Request
from gamehall.rooms.room import Peer, Reaction


class Member(NamedTuple):
    """Somebody who has joined a room, and can be recognised."""

    name: str
    door: str
    credential: Credential
    room: str
    is_seated: bool = False
    is_spectator: bool = False
    bot: str = ""
    """Of a house bot: how it is written."""


class Presence:
    """Knows everybody who can be recognised, and whose connections are lost.

    A name alone never takes a seat: who comes back must show the credential with which the seat
    was taken. An address is a weak one, so it takes back only a seat whose connection is lost; a
    token or a secret also replaces a connection that is alive.
    """

    def __init__(self) -> None:
        self.members: dict[Peer, Member] = {}
        self._holders: dict[Credential, set[Peer]] = {}
        self._lost: set[Peer] = set()

    def note(self, room: str, peer: Peer, request: Request[Any], reaction: Reaction[Any]) -> None:
        """Remember what a request and the room's reaction say about who `peer` is."""
        match request:
            case Join() if not reaction.transfers:
                # Who is sent on by a lobby is known when it has arrived.
                self._note_join(room, peer, request, reaction)
            case BeginTournament():
                for entrant, join in request.entrants:
                    self._note_join(room, Peer(entrant), join, reaction)
            case Leave():
                self.forget(peer)
            case _:
                pass

    def _note_join(self, room: str, peer: Peer, join: Join, reaction: Reaction[Any]) -> None:
        notices = [one.notice for one in reaction.deliveries if peer in one.peers]
        known = self.members.get(peer)
        is_refused = any(isinstance(notice, Refused) for notice in notices)
        if is_refused or (known is None and join.credential is None):
            # A member who is refused another name stays who and where it is.
            return
        # Whoever has a seat keeps the name that it joined with.
        if join.credential is not None and (known is None or not known.is_seated):
            self.forget(peer)
            known = Member(
                name=join.name, door=join.door, credential=join.credential, room=room, bot=join.bot
            )
            self._holders.setdefault(join.credential, set()).add(peer)
        assert known is not None
        for seated in (one for one in notices if isinstance(one, Seated)):
            is_spectator = seated.seat is None
            known = known._replace(
                is_seated=known.is_seated or not is_spectator, is_spectator=is_spectator
            )
        self.members[peer] = known._replace(room=room)

    def has_seat(self, peer: Peer) -> bool:
        """Return True for a known player, who may come back; a spectator has no seat to keep."""
        member = self.members.get(peer)
        return member is not None and not member.is_spectator

    def identify(self, credential: Credential, owner: str) -> Peer | None:
        """Return who has this credential and may take its seat now, None if nobody has.

        `owner`: the room behind the door, to which all its tables belong. The same credential means
        nothing elsewhere.

        One whose connection is lost comes first, and of several the one who came first: the same
        player may be in a tournament and wait for the next. Two in one room cannot be told apart,
        and neither is recognised.
        """
        holders = {
            peer
            for peer in self._holders.get(credential, set())
            if self.members[peer].room.partition("/")[0] == owner
        }
        lost = holders & self._lost
        if not lost and credential.proof is Proof.ADDRESS:
            return None
        rooms = [self.members[peer].room for peer in lost or holders]
        alone = (peer for peer in lost or holders if rooms.count(self.members[peer].room) == 1)
        return min(alone, default=None)

    def lose(self, peer: Peer) -> None:
        """The connection of a known player is lost."""
        self._lost.add(peer)

    def welcome_back(self, peer: Peer) -> None:
        """A known player is connected again."""
        self._lost.discard(peer)

    def is_lost(self, peer: Peer) -> bool:
        """Return True if the connection of this player is lost, and its seat is kept."""
        return peer in self._lost

    def forget_room(self, room: str) -> None:
        """Everybody in that room is gone for good, also those who are lost."""
        for peer in [peer for peer, member in self.members.items() if member.room == room]:
            self.forget(peer)

    def forget(self, peer: Peer) -> None:
        """A player is gone for good."""
        member = self.members.pop(peer, None)
        self._lost.discard(peer)
        if member is not None:
            holders = self._holders[member.credential]
            holders.discard(peer)
            if not holders:
                del self._holders[member.credential]

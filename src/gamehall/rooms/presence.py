"""Recognises players by their credentials, so that they can return to their seats."""

from typing import Any, NamedTuple

from gamehall.rooms.notices import Refused, Seated
from gamehall.rooms.requests import BeginTournament, Credential, Join, Leave, Proof, Request
from gamehall.rooms.room import Peer, Reaction


class Member(NamedTuple):
    """A client that has joined a room and can be recognised."""

    name: str
    door: str
    credential: Credential
    room: str
    is_seated: bool = False
    is_spectator: bool = False
    bot: str = ""
    """The specification of a house bot, as in `perfect@2`."""


class Presence:
    """The clients that can be recognised, and which of them are disconnected.

    A name alone never takes a seat: a returning client must show the credential with which it
    joined. An address is a weak credential, so it only takes back the seat of a lost connection; a
    token or a secret also replaces a live connection.
    """

    def __init__(self) -> None:
        self.members: dict[Peer, Member] = {}
        self._holders: dict[Credential, set[Peer]] = {}
        self._lost: set[Peer] = set()

    def note(self, room: str, peer: Peer, request: Request[Any], reaction: Reaction[Any]) -> None:
        """Update what is known of `peer` from its request and the room's reaction."""
        match request:
            case Join() if not reaction.transfers:
                # A client that a lobby transfers is noted when the table has accepted it.
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
            # A member whose second request to join is refused stays as it is.
            return
        # A seated player keeps the name that it joined with.
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
        """Return True if this is a known player whose seat can be kept; spectators have none."""
        member = self.members.get(peer)
        return member is not None and not member.is_spectator

    def identify(self, credential: Credential, owner: str) -> Peer | None:
        """Return the peer that has this credential and whose seat it may take now, or None.

        Lost connections come first, and of several the oldest: the same player may be in a
        tournament and wait for the next. Two peers in one room cannot be told apart, so neither is
        recognised.

        Args:
            credential: what the returning client has shown.
            owner: the name of the room behind the door; a credential is valid at its tables only.
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

    def disconnect(self, peer: Peer) -> None:
        """Note that the connection of a known player is lost."""
        self._lost.add(peer)

    def reconnect(self, peer: Peer) -> None:
        """Note that a known player is connected again."""
        self._lost.discard(peer)

    def is_lost(self, peer: Peer) -> bool:
        """Return True if this player is disconnected and its seat is kept."""
        return peer in self._lost

    def forget_room(self, room: str) -> None:
        """Forget all clients of a room, also the disconnected ones."""
        for peer in [peer for peer, member in self.members.items() if member.room == room]:
            self.forget(peer)

    def forget(self, peer: Peer) -> None:
        """Forget a client that has left."""
        member = self.members.pop(peer, None)
        self._lost.discard(peer)
        if member is not None:
            holders = self._holders[member.credential]
            holders.discard(peer)
            if not holders:
                del self._holders[member.credential]

"""Who is who: a seat belongs to the player who took it, and is kept for as long as was promised."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.room import Peer, Room
from gamehall.rooms.tournament import Tournament
from gamehall.server.hall import SECONDS_TO_RETURN
from tests.simulation.chronicle import Chronicle, Violation
from tests.simulation.clients import Client, Identity
from tests.simulation.matches import absences_of, have_been_away
from tests.simulation.wires import Wire


class Owners:
    """Remembers as whom the hall has spoken to every client."""

    def __init__(self) -> None:
        self._owners: dict[Peer, Identity] = {}

    def open_again(self, known: Iterable[Peer]) -> None:
        """A hall has opened that knows these peers; the numbers of others are free."""
        self._owners = {peer: self._owners[peer] for peer in known if peer in self._owners}

    def check(self, client: Client, wire: Wire) -> None:
        """Raise Violation if the hall takes a client for another, who has proved more."""
        assert wire.peer is not None
        owner = self._owners.setdefault(Peer(wire.peer), client.identity)
        if not client.identity.can_pass_for(owner):
            raise Violation(
                f"a seat is taken by another player: {client.identity} is spoken to as {owner}"
            )


class Absence(NamedTuple):
    """Since when a player has been away, and for how long its seat must be kept."""

    since: float
    seconds: float


class KeptSeats:
    """Watches, at every entry of a room, that seats are kept for as long as was promised (X-07)."""

    def __init__(self, room: str, chronicle: Chronicle) -> None:
        self._room = room
        self._chronicle = chronicle
        self._away: dict[Peer, Absence] = {}
        self._have_been_away: set[Peer] = set()
        self._is_decided = False
        """Whether the match at the table is over, so that nobody's seat is kept."""

    def begin(self, room: Room[Any], now: float) -> None:
        """The hall was opened again: everybody may come back."""
        self._away = {peer: Absence(now, SECONDS_TO_RETURN) for peer in absences_of(room)}
        self._have_been_away = have_been_away(room)
        self._is_decided = isinstance(room, OpenTable) and room._is_decided

    def check(self, room: Room[Any], entry: bytes) -> None:
        """Complain if the entry has given up a seat too early."""
        now, peer, request = msgspec.json.decode(entry)
        if request is not None:
            self._away.pop(peer, None)
        if request is not None and request["type"] == "Away":
            if peer not in self._have_been_away and not self._is_decided:
                # Who has been away before may have less time left in the same match.
                self._away[peer] = Absence(now, request["seconds"])
            self._have_been_away.add(peer)
        self._is_decided = isinstance(room, OpenTable) and room._is_decided
        for one, absence in list(self._away.items()):
            if _is_given_up(room, one):
                del self._away[one]
                if now < absence.since + absence.seconds:
                    self._chronicle.complain(
                        f"a seat is kept too short in {self._room}: for {now - absence.since:.3f}"
                        f" seconds instead of {absence.seconds}"
                    )


def _is_given_up(room: Room[Any], peer: Peer) -> bool:
    match room:
        case OpenTable():
            return peer not in room._members
        case Tournament():
            return peer not in room._players and room._report is None
        case _:
            return False


def check_names(name: str, lobby: OpenLobby[Any]) -> None:
    """Raise Violation if two at the tables of a lobby have the same name."""
    names = [
        given.casefold()
        for who in lobby._tables.values()
        for given in (*who.players.values(), *who.spectators.values())
    ]
    if len(names) != len(set(names)):
        raise Violation(f"a name is taken twice: in {name} there are {sorted(names)}")

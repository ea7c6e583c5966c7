"""Checks that a seat belongs to the player who took it, and is kept as long as promised."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.room import Peer, Room
from gamehall.rooms.tournament import Tournament
from gamehall.server.hall import SECONDS_TO_RETURN
from tests.simulation.clients import Client, Identity
from tests.simulation.event_log import EventLog, Violation
from tests.simulation.matches import absences_of, have_been_away
from tests.simulation.network import Link


class Owners:
    """Remembers which client each peer number belongs to."""

    def __init__(self) -> None:
        self._owners: dict[Peer, Identity] = {}

    def open_again(self, known: Iterable[Peer]) -> None:
        """Forget the peers that a restarted server does not know: it uses their numbers again."""
        self._owners = {peer: self._owners[peer] for peer in known if peer in self._owners}

    def check(self, client: Client, link: Link) -> None:
        """Raise Violation if the server takes a client for another one."""
        assert link.peer is not None
        owner = self._owners.setdefault(Peer(link.peer), client.identity)
        if not client.identity.can_pass_for(owner):
            raise Violation(
                f"a seat is taken by another player: {client.identity} is spoken to as {owner}"
            )


class Absence(NamedTuple):
    """When a player was disconnected, and how long its seat must be kept."""

    since: float
    seconds: float


class KeptSeats:
    """Checks, at every entry of a room, that seats are kept as long as promised (X-07)."""

    def __init__(self, room: str, event_log: EventLog) -> None:
        self._room = room
        self._event_log = event_log
        self._away: dict[Peer, Absence] = {}
        self._have_been_away: set[Peer] = set()
        self._is_decided = False
        """Whether the match at the table is over, so that seats are not kept."""

    def begin(self, room: Room[Any], now: float) -> None:
        """Start with a new room, or a restored one, to which all players may return."""
        self._away = {peer: Absence(now, SECONDS_TO_RETURN) for peer in absences_of(room)}
        self._have_been_away = have_been_away(room)
        self._is_decided = isinstance(room, OpenTable) and room._is_decided

    def check(self, room: Room[Any], entry: bytes) -> None:
        """Report a violation if the entry has given up a seat too early."""
        now, peer, request = msgspec.json.decode(entry)
        if request is not None:
            self._away.pop(peer, None)
        if request is not None and request["type"] == "Away":
            if peer not in self._have_been_away and not self._is_decided:
                # A player who was away before may have less time left in the same match.
                self._away[peer] = Absence(now, request["seconds"])
            self._have_been_away.add(peer)
        self._is_decided = isinstance(room, OpenTable) and room._is_decided
        for one, absence in list(self._away.items()):
            if _is_given_up(room, one):
                del self._away[one]
                if now < absence.since + absence.seconds:
                    self._event_log.report(
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
    """Raise Violation if two clients at the tables of a lobby have the same name."""
    names = [
        given.casefold()
        for who in lobby._tables.values()
        for given in (*who.players.values(), *who.spectators.values())
    ]
    if len(names) != len(set(names)):
        raise Violation(f"a name is taken twice: in {name} there are {sorted(names)}")

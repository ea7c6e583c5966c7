"""Which names a room accepts, and who has which."""

import msgspec

from gamehall.rooms.notices import Refusal
from gamehall.rooms.reaction import Peer

RESERVED = ("admin", "administrator", "server", "system", "root", "moderator")


class NameRules(msgspec.Struct, frozen=True):
    """The properties that a name must have: its length, and not to be one of the reserved."""

    shortest: int = 1
    longest: int = 32
    reserved: tuple[str, ...] = RESERVED


class Names:
    """The names in use. Two that differ only in letter case count as the same."""

    def __init__(self, rules: NameRules) -> None:
        self._rules = rules
        self._reserved = {name.casefold() for name in rules.reserved}
        self._owners: dict[str, Peer] = {}

    def refusal(self, name: str, peer: Peer) -> Refusal | None:
        """Why `peer` may not have this name, None if it may; the first reason in this order.

        The properties of the name come before the state of the room (T-Q22).
        """
        if len(name) < self._rules.shortest:
            return Refusal.NAME_TOO_SHORT
        if len(name) > self._rules.longest:
            return Refusal.NAME_TOO_LONG
        if not (name.isascii() and name.isprintable() and name == name.strip(" ")):
            return Refusal.NAME_HAS_INVALID_CHARACTERS
        if name.casefold() in self._reserved:
            return Refusal.NAME_NOT_ALLOWED
        if self._owners.get(name.casefold(), peer) != peer:
            return Refusal.NAME_TAKEN
        return None

    def give(self, name: str, peer: Peer) -> None:
        """`name` is the peer's from now on."""
        self._owners[name.casefold()] = peer

    def free(self, name: str, peer: Peer) -> None:
        """The peer gives up `name`, if it has it."""
        if self._owners.get(name.casefold()) == peer:
            del self._owners[name.casefold()]

"""Which names a room accepts, and who has which."""

from collections.abc import Iterator, Sequence
from itertools import count, product
from string import ascii_lowercase

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


def internal_names(signed_up: Sequence[str]) -> list[str]:
    """A name for each player, given those they signed up with in the order of arrival.

    A name that consists of lower-case letters and is nobody else's stays as it is. Of two alike
    the first keeps it; the others get letters appended, until what comes out is neither anybody's
    own name nor given to anybody (S1-Q05).
    """
    own = [_letters_of(name) for name in signed_up]
    taken = set(own)
    # Whoever signed up in just these letters goes before those whose name had to be reduced.
    order = sorted(range(len(own)), key=lambda player: own[player] != signed_up[player])
    kept: set[str] = set()
    given: dict[int, str] = {}
    for player in order:
        name = own[player]
        if name in kept:
            name = next(name + ending for ending in _endings() if name + ending not in taken)
            taken.add(name)
        else:
            kept.add(name)
        given[player] = name
    return [given[player] for player in range(len(own))]


def _letters_of(name: str) -> str:
    """The ASCII letters of a name in lower case; `player` if it has none."""
    return "".join(c for c in name.lower() if c in ascii_lowercase) or "player"


def _endings() -> Iterator[str]:
    """a, b, ..., z, aa, ab, ..."""
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            yield "".join(letters)

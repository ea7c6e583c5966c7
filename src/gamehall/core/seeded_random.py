"""Seeded randomness. Below the shell, only this module may use the random module."""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from random import Random
from typing import TypeVar
from uuid import UUID

import msgspec

T = TypeVar("T")


MATCH_SEED_BITS = 63
"""The length of a match's seed: it fits wherever seeds are stored as signed 64-bit numbers.

A shorter seed would be easier to find by brute force: the public name of a match is a hash of it.
"""


class SeededRandom:
    """A random source: two with the same seed return the same values in the same order.

    For bots and arenas, whose choices are no secret. It is fast, but all later values can be
    computed from a few hundred of its seeds. For what players must not know, rooms have a
    SecretRandom.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._drawn: Counter[str] = Counter()

    def seed(self) -> int:
        """Return a seed for another random source, such as that of a match."""
        self._drawn["match"] += 1
        return self._random.getrandbits(MATCH_SEED_BITS)

    def uuid(self) -> str:
        """Return a random UUID in canonical form, from which no other values can be computed."""
        self._drawn["uuid"] += 1
        return self._uuid()

    def token(self) -> str:
        """Return a random UUID as a player's credential."""
        self._drawn["token"] += 1
        return self._uuid()

    def pick(self, things: Sequence[T]) -> T:
        """Return a random element. Not checked: that there is one."""
        self._drawn["pick"] += 1
        return self._random.choice(things)

    def count(self, purpose: str) -> int:
        """Return how often this was called for the purpose, including this call."""
        self._drawn[purpose] += 1
        return self._drawn[purpose]

    @property
    def drawn(self) -> dict[str, int]:
        """How many values were drawn for each purpose so far."""
        return dict(self._drawn)

    def _uuid(self) -> str:
        drawn = blake2b(self._random.randbytes(32), digest_size=16).digest()
        return str(UUID(bytes=drawn, version=4))


class Chance(msgspec.Struct, frozen=True):
    """A random source as an immutable value, which positions carry with them.

    Its values follow from the seed and the number of earlier draws. So equal positions have equal
    futures, and what was drawn does not allow to compute what will be.
    """

    seed: int
    times_used: int = 0

    def shuffled(self, things: Iterable[str]) -> tuple[tuple[str, ...], "Chance"]:
        """Return these in random order, which does not depend on theirs, and the next Chance."""
        order = sorted(things)
        self._random().shuffle(order)
        return tuple(order), self._used()

    def pick(self, things: Iterable[str]) -> tuple[str, "Chance"]:
        """Return a random element, which does not depend on their order, and the next Chance.

        Not checked: that there is one.
        """
        return self._random().choice(sorted(things)), self._used()

    def _random(self) -> Random:
        # A str seed is hashed as a whole, so neighbouring numbers are unrelated.
        return Random(f"{self.seed}/{self.times_used}")

    def _used(self) -> "Chance":
        return Chance(self.seed, self.times_used + 1)

"""Chance under a seed: the one place below the shell that may use the random module."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from random import Random
from typing import TypeVar
from uuid import UUID

import msgspec

T = TypeVar("T")


class Shuffler:
    """A source of chance: two shufflers with one seed say the same things in the same order."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def seed(self) -> int:
        """A seed for something that needs chance of its own, such as one match."""
        return self._random.getrandbits(63)

    def uuid(self) -> str:
        """A random UUID in its canonical writing. It tells nothing of what else is random here."""
        drawn = blake2b(self._random.randbytes(32), digest_size=16).digest()
        return str(UUID(bytes=drawn, version=4))

    def pick(self, things: Sequence[T]) -> T:
        """One of these. Not checked: that there is one."""
        return self._random.choice(things)


class Chance(msgspec.Struct, frozen=True):
    """Chance as a value, for positions to carry with them.

    What is drawn follows from the seed and from how often something was drawn before; so equal
    positions have equal futures, and what has been seen does not tell what is to come.
    """

    seed: int
    times_used: int = 0

    def shuffled(self, things: Iterable[str]) -> tuple[tuple[str, ...], "Chance"]:
        """These in a random order, whatever order they came in; and the chance that is left."""
        order = sorted(things)
        self._random().shuffle(order)
        return tuple(order), self._used()

    def pick(self, things: Iterable[str]) -> tuple[str, "Chance"]:
        """One of these, whatever order they came in; and the chance that is left.

        Not checked: that there is one.
        """
        return self._random().choice(sorted(things)), self._used()

    def _random(self) -> Random:
        # A text is hashed as a whole, so neighbouring numbers have nothing in common.
        return Random(f"{self.seed}/{self.times_used}")

    def _used(self) -> "Chance":
        return Chance(self.seed, self.times_used + 1)

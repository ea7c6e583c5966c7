"""Chance under a seed: the one place below the shell that may use the random module."""

from random import Random
from uuid import UUID


class Shuffler:
    """A source of chance: two shufflers with one seed say the same things in the same order."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def seed(self) -> int:
        """A seed for something that needs chance of its own, such as one match."""
        return self._random.getrandbits(63)

    def uuid(self) -> str:
        """A random UUID in its canonical writing."""
        return str(UUID(int=self._random.getrandbits(128), version=4))

"""Seeded randomness. Below the shell, only this module may use the random module."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import count
from random import Random
from typing import TypeVar
from uuid import UUID

import msgspec

T = TypeVar("T")


SECRET_BYTES = 32
"""The length of a room's secret."""

MATCH_SEED_BITS = 63
"""The length of a match's seed: it fits wherever seeds are stored as signed 64-bit numbers.

A shorter seed would be easier to find by brute force: the public name of a match is a hash of it.
"""


class SeededRandom:
    """A random source: two with the same seed return the same values in the same order.

    For bots and arenas, whose choices are no secret. It is fast, but all later values can be
    computed from a few hundred of its seeds. Use SecretRandom for what players must not know.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._drawn: Counter[str] = Counter()

    def seed(self) -> int:
        """Return a seed for another random source, such as that of a match."""
        return self._random.getrandbits(MATCH_SEED_BITS)

    def uuid(self) -> str:
        """Return a random UUID in canonical form, from which no other values can be computed."""
        drawn = blake2b(self._random.randbytes(32), digest_size=16).digest()
        return str(UUID(bytes=drawn, version=4))

    def token(self) -> str:
        """Return a random UUID as a player's credential."""
        return self.uuid()

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


class SecretRandom(SeededRandom):
    """The random source of a room: past values do not allow to compute later ones.

    Each value is a keyed hash, under the room's secret, of its purpose and of a counter for that
    purpose. So purposes are independent: the n-th match gets the same seed no matter how many ids
    were drawn before it.
    """

    def __init__(
        self, secret: bytes, drawn: Mapping[str, int] | None = None, token_key: bytes = b""
    ) -> None:
        """Create a random source, or continue another.

        Args:
            drawn: the counters of another source with the same secret, to continue it.
            token_key: an additional key for tokens, which is stored apart from the secret.

        Raises:
            ValueError: the length of the secret is not SECRET_BYTES.
        """
        if len(secret) != SECRET_BYTES:
            raise ValueError(f"a room's secret has {SECRET_BYTES} bytes, not {len(secret)}")
        self._secret = secret
        self._token_key = token_key
        self._drawn = Counter(drawn or {})

    def seed(self) -> int:
        """Return the seed of the room's next match, of MATCH_SEED_BITS bits."""
        return match_seed(self._secret, self.count("match") - 1)

    def uuid(self) -> str:
        drawn = _keyed_hash(self._secret, b"uuid", self.count("uuid") - 1)
        return str(UUID(bytes=drawn[:16], version=4))

    def token(self) -> str:
        drawn = _keyed_hash(self._secret, b"token", self.count("token") - 1)
        sealed = blake2b(drawn, digest_size=16, key=self._token_key).digest()
        return str(UUID(bytes=sealed, version=4))

    def pick(self, things: Sequence[T]) -> T:
        drawn = _keyed_hash(self._secret, b"pick", self.count("pick") - 1)
        # With 256 bits the bias of the remainder is negligible.
        return things[int.from_bytes(drawn, "big") % len(things)]


def match_seed(secret: bytes, number: int) -> int:
    """Return the seed of a room's match of this number, from 0."""
    drawn = int.from_bytes(_keyed_hash(secret, b"match", number), "big")
    return drawn >> SECRET_BYTES * 8 - MATCH_SEED_BITS


def room_secrets(hall_seed: int, room: str) -> Iterator[bytes]:
    """Yield the secrets of a room, one for each time that it is opened while the server runs.

    They follow from the server's seed, which has 256 random bits unless an operator has set it.
    """
    key = blake2b(str(hall_seed).encode(), digest_size=SECRET_BYTES).digest()
    return (_keyed_hash(key, b"room", number, room) for number in count())


def _keyed_hash(key: bytes, purpose: bytes, number: int, name: str = "") -> bytes:
    """Return SECRET_BYTES bytes that cannot be computed without the key."""
    content = f"{number}/{name}".encode()
    return blake2b(content, digest_size=SECRET_BYTES, key=key, person=purpose).digest()


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

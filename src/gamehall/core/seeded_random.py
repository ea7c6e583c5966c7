"""Chance under a seed: the one place below the shell that may use the random module."""

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
"""The length of a match's seed.

As a signed number of 64 bits it fits wherever seeds are stored. Fewer would be easier to find by
trying them all: the name of a match, which anybody may see, is a hash of its seed.
"""


class SeededRandom:
    """A source of chance: two shufflers with one seed say the same things in the same order.

    For bots and arenas, whose choices anybody may know. It is quick, but a few hundred of its
    seeds are enough to compute all that follow: what players must not know takes SecretRandom.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._drawn: Counter[str] = Counter()

    def seed(self) -> int:
        """A seed for something that needs chance of its own, such as one match."""
        return self._random.getrandbits(63)

    def uuid(self) -> str:
        """A random UUID in its canonical writing. It tells nothing of what else is random here."""
        drawn = blake2b(self._random.randbytes(32), digest_size=16).digest()
        return str(UUID(bytes=drawn, version=4))

    def token(self) -> str:
        """Return what somebody may be recognised by: a random UUID."""
        return self.uuid()

    def pick(self, things: Sequence[T]) -> T:
        """One of these. Not checked: that there is one."""
        self._drawn["pick"] += 1
        return self._random.choice(things)

    def count(self, purpose: str) -> int:
        """Return how often this was called for a purpose, this time included."""
        self._drawn[purpose] += 1
        return self._drawn[purpose]

    @property
    def drawn(self) -> dict[str, int]:
        """What was counted or, of a room's secret, drawn for each purpose so far."""
        return dict(self._drawn)


class SecretRandom(SeededRandom):
    """A source of chance for a room: what it has given out does not tell what it will give.

    Everything is a hash under the room's secret, of what it is for and of how often something was
    drawn for that. So what is drawn for one purpose does not depend on the others: the n-th match
    has its seed however many ids were given out before it.
    """

    def __init__(
        self, secret: bytes, drawn: Mapping[str, int] | None = None, token_key: bytes = b""
    ) -> None:
        """Begin, or go on.

        Args:
            drawn: what another with the same secret has drawn; this one goes on from there.
            token_key: tokens follow from this as well, which is stored apart from the secret.

        Raises:
            ValueError: the secret has another length than SECRET_BYTES.
        """
        if len(secret) != SECRET_BYTES:
            raise ValueError(f"a room's secret has {SECRET_BYTES} bytes, not {len(secret)}")
        self._secret = secret
        self._token_key = token_key
        self._drawn = Counter(drawn or {})

    def seed(self) -> int:
        """The seed of the room's next match, of MATCH_SEED_BITS bits."""
        return match_seed(self._secret, self.count("match") - 1)

    def uuid(self) -> str:
        """A random UUID in its canonical writing."""
        drawn = _keyed(self._secret, b"uuid", self.count("uuid") - 1)
        return str(UUID(bytes=drawn[:16], version=4))

    def token(self) -> str:
        drawn = _keyed(self._secret, b"token", self.count("token") - 1)
        sealed = blake2b(drawn, digest_size=16, key=self._token_key).digest()
        return str(UUID(bytes=sealed, version=4))

    def pick(self, things: Sequence[T]) -> T:
        """One of these. Not checked: that there is one."""
        drawn = _keyed(self._secret, b"pick", self.count("pick") - 1)
        # Of so many bits the remainder prefers none of a few things noticeably.
        return things[int.from_bytes(drawn, "big") % len(things)]


def match_seed(secret: bytes, number: int) -> int:
    """The seed of a room's match of this number, from 0."""
    drawn = int.from_bytes(_keyed(secret, b"match", number), "big")
    return drawn >> SECRET_BYTES * 8 - MATCH_SEED_BITS


def room_secrets(hall_seed: int, room: str) -> Iterator[bytes]:
    """The secrets of a room, one for each time that it begins anew while the hall runs.

    They follow from the hall's seed: unless somebody has chosen that one, it has 256 random bits.
    """
    key = blake2b(str(hall_seed).encode(), digest_size=SECRET_BYTES).digest()
    return (_keyed(key, b"room", number, room) for number in count())


def _keyed(key: bytes, purpose: bytes, number: int, name: str = "") -> bytes:
    """As many bytes as a secret has, which nobody can tell without the key."""
    content = f"{number}/{name}".encode()
    return blake2b(content, digest_size=SECRET_BYTES, key=key, person=purpose).digest()


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

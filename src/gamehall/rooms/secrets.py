"""The secrets of rooms, and the seeds, ids and credentials that are drawn from them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import count
from uuid import UUID

from gamehall.core import SeededRandom
from gamehall.core.seeded_random import MATCH_SEED_BITS, T

SECRET_BYTES = 32
"""The length of a room's secret."""


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

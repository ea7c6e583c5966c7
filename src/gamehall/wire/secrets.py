"""Names that carry a secret, which is needed to come back under them."""

from hashlib import blake2b
from typing import NamedTuple

from gamehall.wire.settings import DoorSettings

SEPARATOR = ":"
BYTES_KEPT = 8


class SignUp(NamedTuple):
    """What somebody wants to be called, and what proves later that it is the same."""

    name: str
    secret: str
    """Not the secret itself, which is nobody's business, but what can only be made of it."""


def read_sign_up(text: str, settings: DoorSettings) -> SignUp:
    """What a client says it is called: at a door with secrets, NAME or NAME:SECRET."""
    if not settings.secrets:
        return SignUp(text, "")
    name, _, secret = text.partition(SEPARATOR)
    if not secret:
        return SignUp(name, "")
    mark = blake2b(f"{name}{SEPARATOR}{secret}".encode(), digest_size=BYTES_KEPT)
    return SignUp(name, mark.hexdigest())

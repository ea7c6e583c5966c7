"""A door of any hall, ours or another's, as a URL: tttp://host:7003, or tttp+tls:// with TLS."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec

from gamehall.wire.protocol import AnyProtocol

TLS = "+tls"


class BadAddress(Exception):
    """Text that is no address. The message says what would be."""


class Address(msgspec.Struct, frozen=True):
    """Where a door is, and what is spoken there."""

    protocol: AnyProtocol
    host: str
    port: int
    tls: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.protocol.name}{TLS if self.tls else ''}://{host}:{self.port}"


def read_address(text: str, protocols: Mapping[str, AnyProtocol]) -> Address:
    """The address that is written there; without a port, the protocol's own. Raises BadAddress."""
    known = ", ".join(protocols)
    scheme, colon, _ = text.partition("://")
    if not colon:
        raise BadAddress(f"{text!r} is not an address: write DOOR://HOST:PORT; doors are {known}")
    door = scheme.removesuffix(TLS)
    if door not in protocols:
        raise BadAddress(f"{text!r}: there is no door {door!r}; there are: {known}")
    protocol = protocols[door]
    try:
        parts = urlsplit(text)
        port = parts.port if parts.port is not None else protocol.port
    except ValueError as error:
        raise BadAddress(f"{text!r} is not an address: {error}") from None
    is_plain = parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username)
    if not parts.hostname or not is_plain:
        example = f"{scheme}://localhost:{protocol.port}"
        raise BadAddress(f"{text!r} is not an address: write a host and a port, as in {example}")
    return Address(protocol, parts.hostname, port, tls=scheme.endswith(TLS))

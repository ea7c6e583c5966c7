"""The address of a door as a URL: tttp://host:7003, or tttp+tls://host:7003 for TLS."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec

from gamehall.core import GamehallError
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import suggestion

TLS = "+tls"


class AddressError(GamehallError):
    """An address is invalid. The message shows how to write one."""


class Address(msgspec.Struct, frozen=True):
    """The host, port and protocol of a door, of this server or any other."""

    protocol: AnyProtocol
    host: str
    port: int
    tls: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.protocol.name}{TLS if self.tls else ''}://{host}:{self.port}"


def read_address(text: str, protocols: Mapping[str, AnyProtocol]) -> Address:
    """Parse an address. The port defaults to the protocol's own. Raises AddressError."""
    known = ", ".join(protocols)
    scheme, colon, _ = text.partition("://")
    if not colon:
        raise AddressError(f"{text!r} is not an address: write DOOR://HOST:PORT; doors are {known}")
    door = scheme.removesuffix(TLS)
    if door not in protocols:
        hint = suggestion(door, list(protocols))
        raise AddressError(f"{text!r}: there is no door {door!r}; {hint}")
    protocol = protocols[door]
    try:
        parts = urlsplit(text)
        port = parts.port if parts.port is not None else protocol.port
    except ValueError as error:
        raise AddressError(f"{text!r} is not an address: {error}") from None
    is_plain = parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username)
    if not parts.hostname or not is_plain:
        example = f"{scheme}://localhost:{protocol.port}"
        raise AddressError(f"{text!r} is not an address: write a host and a port, as in {example}")
    return Address(protocol, parts.hostname, port, tls=scheme.endswith(TLS))

"""The address of a server and the TCP connection to it.

An address is a URL: tttp://host:7003, or tttp+tls://host:7003 for TLS. The server may be ours or
any other that speaks one of the documents.
"""

import asyncio
import errno
import os
import ssl
from collections.abc import Mapping
from typing import TypeAlias
from urllib.parse import urlsplit

import msgspec

from gamehall.wire.protocol import AnyProtocol

TLS = "+tls"


class BadAddress(Exception):
    """A text is not an address. The message shows how to write one."""


class Address(msgspec.Struct, frozen=True):
    """The host and port of a door, and the protocol that it speaks."""

    protocol: AnyProtocol
    host: str
    port: int
    tls: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.protocol.name}{TLS if self.tls else ''}://{host}:{self.port}"


def read_address(text: str, protocols: Mapping[str, AnyProtocol]) -> Address:
    """Parse an address; without a port it is the protocol's own. Raises BadAddress."""
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


BYTES_AT_A_TIME = 65_536

SECONDS_TO_TURN_AWAY = 2.0
"""How soon a server hangs up that does not speak the protocol."""

Line: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class CannotVisit(Exception):
    """The server cannot be reached. The text tells the user why."""


async def connect(address: Address, tls: ssl.SSLContext | None) -> Line:
    """Connect to the server. Raises CannotVisit."""
    try:
        return await asyncio.open_connection(address.host, address.port, ssl=tls)
    except ssl.SSLError as error:
        words = error.reason or str(error)
        if isinstance(error, ssl.SSLCertVerificationError):
            words = f"{error.verify_message}; give its certificate with --tls-ca FILE"
        raise CannotVisit(f"cannot speak TLS with {address}: {words}") from None
    except OSError as error:
        # asyncio lists every address that it has tried; a short message is enough.
        words = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        if error.errno == errno.ECONNREFUSED:
            words += "; is the hall open? gamehall serve opens it"
        raise CannotVisit(f"cannot connect to {address}: {words}") from None


async def read(reader: asyncio.StreamReader) -> bytes:
    """Return the next bytes, b"" if the server has closed the connection or is gone."""
    try:
        return await reader.read(BYTES_AT_A_TIME)
    except OSError:
        return b""

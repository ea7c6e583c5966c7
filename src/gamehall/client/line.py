"""The line between a client and a server."""

import asyncio
import errno
import os
import ssl
from typing import TypeAlias

from gamehall.client.address import Address

BYTES_AT_A_TIME = 65_536

SECONDS_TO_TURN_AWAY = 2.0
"""How soon a server hangs up that does not understand a word."""

Line: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class CannotVisit(Exception):
    """There is no way in. The text tells a person why."""


async def connect(address: Address, tls: ssl.SSLContext | None) -> Line:
    """The line to a server. Raises CannotVisit."""
    try:
        return await asyncio.open_connection(address.host, address.port, ssl=tls)
    except ssl.SSLError as error:
        words = error.reason or str(error)
        if isinstance(error, ssl.SSLCertVerificationError):
            words = f"{error.verify_message}; give its certificate with --tls-ca FILE"
        raise CannotVisit(f"cannot speak TLS with {address}: {words}") from None
    except OSError as error:
        # asyncio tells of every address that it has tried; a few words will do.
        words = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        if error.errno == errno.ECONNREFUSED:
            words += "; is the hall open? gamehall serve opens it"
        raise CannotVisit(f"cannot connect to {address}: {words}") from None


async def read(reader: asyncio.StreamReader) -> bytes:
    """What has come, b"" if the server has hung up or is gone."""
    try:
        return await reader.read(BYTES_AT_A_TIME)
    except OSError:
        return b""

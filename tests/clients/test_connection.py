"""The way to a server that is not there, or is not trusted: what people are told to do."""

import asyncio
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from gamehall.clients.address import read_address
from gamehall.clients.tcp import ConnectionFailedError, connect
from gamehall.protocols.catalogue import all_protocols


def test_who_is_refused_hears_how_a_hall_is_opened() -> None:
    with socket.socket() as nobody:
        # Bound, so that it is nobody else's, and not listening.
        nobody.bind(("127.0.0.1", 0))
        door = read_address(f"tttp://127.0.0.1:{nobody.getsockname()[1]}", all_protocols())
        with pytest.raises(
            ConnectionFailedError, match=r"refused; is the server running\? gamehall serve starts"
        ):
            asyncio.run(connect(door, None))


def test_who_does_not_trust_a_certificate_hears_how_to(tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x -keyout {key} -out {cert}"
    subprocess.run(command.split(), check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)

    async def visit() -> None:
        async with await asyncio.start_server(
            lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context
        ) as server:
            port = server.sockets[0].getsockname()[1]
            door = read_address(f"tttp+tls://127.0.0.1:{port}", all_protocols())
            await connect(door, ssl.create_default_context())

    with pytest.raises(
        ConnectionFailedError, match=r"self.signed.*; give its certificate with --tls-ca FILE"
    ):
        asyncio.run(visit())

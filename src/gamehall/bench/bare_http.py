"""A bare HTTP server: httptools on uvloop, and one response to whatever is asked.

`python -m gamehall.bench.bare_http FILE` answers every request with the bytes of that file, head
and all. Of a request nothing is looked at but where it ends: no server of HTTP can cost less.
"""

import argparse
import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import cast

import httptools

from gamehall.bench import bare


class Prepared(asyncio.Protocol):
    """One request, one write."""

    __slots__ = ("_parse", "_response", "_write")

    _write: Callable[[bytes], None]

    def __init__(self, response: bytes) -> None:
        self._response = response
        self._parse = httptools.HttpRequestParser(self).feed_data

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._write = cast("asyncio.Transport", transport).write

    def data_received(self, data: bytes) -> None:
        self._parse(data)

    def on_message_complete(self) -> None:
        """Called by httptools at the end of a request."""
        self._write(self._response)


def main() -> None:
    """Serve what the command line names."""
    parser = argparse.ArgumentParser(description="A bare HTTP server to compare a door with.")
    parser.add_argument("response", type=Path, help="file with a whole response")
    response = parser.parse_args().response.read_bytes()
    bare.run(lambda: Prepared(response))


if __name__ == "__main__":
    main()

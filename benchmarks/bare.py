"""Servers without a game, to compare doors with: uvloop and little else.

    python -m benchmarks.bare relay FILE      the recorded answers of a door to a script
    python -m benchmarks.bare http FILE       the same HTTP response to every request, by httptools
    python -m benchmarks.bare aiohttp FILE    the same, by aiohttp

The relay parses nothing: a pair of connections has one message in flight, so one read is one
message. It writes the recorded answers to both players. No server of a two-player game can do less.
Connections are paired in the order of their arrival.
"""

import argparse
import asyncio
import itertools
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias, cast

import httptools
import msgspec
import uvloop

Answers: TypeAlias = Sequence[tuple[bytes, bytes]]


class Pair:
    """Two connections, and the answers for them."""

    __slots__ = ("answers", "writes")

    def __init__(self, answers: Iterator[tuple[bytes, bytes]]) -> None:
        self.answers = answers
        self.writes: list[Callable[[bytes], None]] = []


class Relay(asyncio.Protocol):
    """Writes the next answers to both connections after each read."""

    __slots__ = ("_opening_and_lap", "_pair")

    incomplete: Pair | None = None
    """The pair that lacks its second connection."""

    def __init__(self, opening: Answers, lap: Answers) -> None:
        self._opening_and_lap = opening, lap

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        opening, lap = self._opening_and_lap
        pair = Relay.incomplete or Pair(itertools.chain(opening, itertools.cycle(lap)))
        pair.writes.append(cast("asyncio.Transport", transport).write)
        Relay.incomplete = None if len(pair.writes) == 2 else pair
        self._pair = pair

    def data_received(self, data: bytes) -> None:
        pair = self._pair
        first, second = next(pair.answers)
        if first:
            pair.writes[0](first)
        if second:
            pair.writes[1](second)


class Prepared(asyncio.Protocol):
    """Writes the same response after each HTTP request."""

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
        """Respond. Called by httptools at the end of a request."""
        self._write(self._response)


async def aiohttp_factory(response: bytes) -> Callable[[], asyncio.Protocol]:
    """Return the protocol factory of an aiohttp server."""
    from aiohttp import web

    _, _, body = response.partition(b"\r\n\r\n")

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    application = web.Application()
    application.router.add_get("/state", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    assert runner.server is not None
    return runner.server


async def serve(mode: str, content: bytes) -> None:
    """Serve on a free port of this machine until SIGTERM."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    factory: Callable[[], asyncio.Protocol]
    if mode == "relay":
        opening, lap = msgspec.msgpack.decode(content, type=tuple[Answers, Answers])
        factory = lambda: Relay(opening, lap)  # noqa: E731
    elif mode == "http":
        factory = lambda: Prepared(content)  # noqa: E731
    else:
        factory = await aiohttp_factory(content)
    server = await loop.create_server(factory, "127.0.0.1", 0)
    # The output of `gamehall serve`, so that both are started in the same way.
    print(f"listening bare 127.0.0.1:{server.sockets[0].getsockname()[1]}\nready", flush=True)
    await stopped.wait()
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A server without a game.")
    parser.add_argument("mode", choices=("relay", "http", "aiohttp"))
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    uvloop.run(serve(options.mode, options.file.read_bytes()))

"""Bare uvloop servers that move the bytes of the game without the game.

`python -m gamehall.bench.echo echo` answers every message with 48 bytes to its sender;
`... relay` sends them to the sender and to its partner too. Connections are partners in the order
of their arrival: first and second, third and fourth.

Nothing is parsed: the load generator has at most one message under way per pair, so that one read
is one message. Transports are left as uvloop makes them.
"""

import argparse
import asyncio
from collections.abc import Callable
from typing import cast

from gamehall.bench import bare
from gamehall.bench.catsgame import FRESH_BOARD


class Echo(asyncio.Protocol):
    """One read, one write."""

    __slots__ = ("write",)

    write: Callable[[bytes], None]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.write = cast("asyncio.Transport", transport).write

    def data_received(self, data: bytes) -> None:
        self.write(FRESH_BOARD)


class Relay(asyncio.Protocol):
    """One read, two writes: what any server of a game for two has to do."""

    __slots__ = ("partner_write", "write")

    write: Callable[[bytes], None]
    partner_write: Callable[[bytes], None]
    without_partner: "Relay | None" = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.write = cast("asyncio.Transport", transport).write
        partner = Relay.without_partner
        if partner is None:
            Relay.without_partner = self
        else:
            Relay.without_partner = None
            self.partner_write = partner.write
            partner.partner_write = self.write

    def data_received(self, data: bytes) -> None:
        self.write(FRESH_BOARD)
        self.partner_write(FRESH_BOARD)


PROTOCOLS: dict[str, type[asyncio.Protocol]] = {"echo": Echo, "relay": Relay}


def main() -> None:
    """Serve in the mode that the command line names."""
    parser = argparse.ArgumentParser(description="A bare uvloop server to compare a door with.")
    parser.add_argument("mode", choices=sorted(PROTOCOLS))
    bare.run(PROTOCOLS[parser.parse_args().mode])


if __name__ == "__main__":
    main()

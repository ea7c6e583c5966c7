"""The honest clients: pairs that play game after game at every door of a hall.

A program of its own, with all of them in one loop. It is told on its standard input, a line each,
what to do, and answers each line by a line of JSON:

    python -m gamehall.bench.siege_honest --pairs 10 --tables 20 tttp=40001 go-text=40002 ...

* `sit` has everybody sit down, and begin to play;
* `phase` says what they have done since it was last said, and begins to count anew;
* `end` says that too, and has everybody leave.
"""

import argparse
import asyncio
import itertools
import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import uvloop

from gamehall.bench.machine import BenchError, raise_open_files_limit
from gamehall.bench.siege_guest import Guest, HonestClient, Looker, Newcomer
from gamehall.bench.siege_hall import ASCENSION, DOORS, GO, LOBBY, TOURNAMENT, TTTP
from gamehall.bench.siege_tally import Tally, Waits
from gamehall.bots.bot import RandomBot
from gamehall.bots.visitor import Visitor
from gamehall.core import Seat
from gamehall.protocols.catalogue import all_protocols

SECONDS_TO_SIT_DOWN = 30.0
SECONDS_BETWEEN_LOOKS = 0.25
SECONDS_OF_LAG_TESTS = 0.02
SECONDS_BETWEEN_NEWCOMERS = 0.5
GAMES_WITHOUT_END = 1_000_000_000

GO_ANSWERS = {"boardsize": "9", "color": "black", "handicap": "0", "komi": "6.5"}


class Party:
    """All honest clients, at all doors."""

    def __init__(
        self, ports: Mapping[str, int], pairs: int, tables_each: int, think_seconds: float
    ) -> None:
        """`tables_each`: how many tables of Go a pair sits down at beforehand, to play at later."""
        self._ports = ports
        self._pairs = pairs
        self._tables_each = tables_each
        self._think_seconds = think_seconds
        self._seeds = itertools.count()
        self._protocols = all_protocols()
        self._lags: list[float] = []
        self._clients: list[HonestClient] = []
        self._knocks: set[asyncio.Task[None]] = set()
        self._go_tables: list[list[tuple[Guest, Guest]]] = []
        self.tally = Tally(DOORS)

    async def sit_down(self) -> None:
        """Everybody takes a place and plays. Raises BenchError if that cannot be had."""
        try:
            async with asyncio.timeout(SECONDS_TO_SIT_DOWN):
                for number in range(self._pairs):
                    for colour in ("red", "blue"):
                        await self._seat(TTTP, f"{colour}{number}")
                    self._go_tables.append(
                        [await self._agree_on_go(number) for _ in range(self._tables_each)]
                    )
                for seat in Seat:
                    await self._seat(ASCENSION, f"player {seat.value}")
                for number in range(2 * self._pairs - 2):
                    looker = Looker(f"looker {number}", self.tally, self._think_seconds)
                    await self._connect(looker)
                await asyncio.gather(self._sign_up(LOBBY), self._sign_up(TOURNAMENT))
        except TimeoutError:
            raise BenchError("not every honest client has found a place in time") from None
        for tables in self._go_tables:
            self._play_next(tables)

    async def watch(self) -> None:
        """Looks now and then whether somebody waits too long, and at how late this loop is."""
        looks_at = knocks_at = time.perf_counter()
        while True:
            due = time.perf_counter() + SECONDS_OF_LAG_TESTS
            await asyncio.sleep(SECONDS_OF_LAG_TESTS)
            now = time.perf_counter()
            self._lags.append(max(0.0, now - due))
            if now >= looks_at:
                looks_at = now + SECONDS_BETWEEN_LOOKS
                self._clients = [client for client in self._clients if not client.is_done]
                for client in self._clients:
                    client.look_at_watch(now)
            if now >= knocks_at:
                knocks_at = now + SECONDS_BETWEEN_NEWCOMERS
                for door in (TTTP, ASCENSION):
                    number = next(self._seeds)
                    newcomer = Newcomer(door, f"new{number}", self.tally)
                    self._knocks.add(asyncio.create_task(self._connect(newcomer)))

    def take_figures(self) -> dict[str, Any]:
        """What was done since this was last asked."""
        figures = {
            **self.tally.figures(),
            "lag_ms": Waits.of(self._lags).figures(),
            "cpu_seconds": time.process_time(),
            "tables_left": min(map(len, self._go_tables), default=0),
        }
        self._lags = []
        self.tally.begin_phase()
        return figures

    def leave(self) -> None:
        """Everybody goes."""
        for client in self._clients:
            client.leave()

    async def _seat(self, door: str, name: str) -> Guest:
        """Sits down where nobody else can sit any more."""
        guest = await self._arrive(door, name)
        await guest.is_seated.wait()
        return guest

    async def _sign_up(self, door: str) -> None:
        """Everybody who takes part in a tournament does."""
        players = [await self._arrive(door, name) for name in names(2 * self._pairs)]
        await asyncio.gather(*(player.is_seated.wait() for player in players))

    async def _agree_on_go(self, number: int) -> tuple[Guest, Guest]:
        """Two who are at one table, and only have to confirm the terms."""
        first = await self._arrive(GO, f"black of pair {number}")
        second = await self._arrive(GO, f"white of pair {number}")
        await first.is_seated.wait()
        await second.is_seated.wait()
        return first, second

    def _play_next(self, tables: list[tuple[Guest, Guest]]) -> None:
        """A pair begins at its next table, if it has one left."""
        if tables:
            first, second = tables.pop()
            first.when_over = lambda: self._play_next(tables)
            first.begin()
            second.begin()

    async def _arrive(self, door: str, name: str) -> Guest:
        protocol = self._protocols[door]
        wanted = GAMES_WITHOUT_END if door == TTTP else None
        answers = GO_ANSWERS if door == GO else protocol.answers
        guest = Guest(
            door,
            name,
            self.tally,
            protocol.client(protocol.settings()),
            Visitor(name, answers, wanted),
            RandomBot(next(self._seeds)),
            self._think_seconds,
        )
        await self._connect(guest)
        return guest

    async def _connect(self, client: HonestClient) -> None:
        self._clients.append(client)
        loop = asyncio.get_running_loop()
        await loop.create_connection(client.itself, "127.0.0.1", self._ports[client.door])


def names(count: int) -> Iterator[str]:
    """So many names of nothing but letters."""
    letters = itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=3)
    return ("honest" + "".join(some) for some in itertools.islice(letters, count))


async def heed_lines(party: Party) -> None:
    """Does what it is told, line by line, until the end."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    watching = asyncio.create_task(party.watch())
    while line := (await reader.readline()).decode().strip():
        if line == "sit":
            await party.sit_down()
        print(json.dumps(party.take_figures()), flush=True)
        if line == "end":
            break
    party.leave()
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching


def read_port(argument: str) -> tuple[str, int]:
    """`tttp=40001`."""
    door, _, port = argument.partition("=")
    return door, int(port)


def main() -> None:
    """Runs the program, or exits and says why not."""
    parser = argparse.ArgumentParser(description="Honest clients at every door.")
    parser.add_argument("--pairs", type=int, required=True, help="at each door")
    parser.add_argument("--tables", type=int, required=True, help="of Go, for each pair")
    parser.add_argument("--think", type=float, required=True, help="seconds over each move")
    parser.add_argument("doors", type=read_port, nargs="+", metavar="door=port")
    arguments = parser.parse_args()
    raise_open_files_limit()

    async def play() -> None:
        ports = dict(arguments.doors)
        await heed_lines(Party(ports, arguments.pairs, arguments.tables, arguments.think))

    try:
        uvloop.run(play())
    except (BenchError, OSError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()

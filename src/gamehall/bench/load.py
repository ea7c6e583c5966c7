"""The load generator: pairs of connections that play the cat's game as fast as they are answered.

A program of its own, so that its CPU time is not the server's. It is given the servers to compare,
each as kind:pid:port, and plays at one after the other in slices of a fraction of a second, since
the speed of a shared machine wanders from second to second, and ratios must not wander with it:

    python -m gamehall.bench.load --connections 64 --seconds 2 echo:4711:40001 tttp:4712:40002

It prints one line of JSON, a `Load` per kind. It reads the servers' CPU clocks itself, since it
alone knows the moment at which the messages are counted.

With every kind each pair has exactly one message under way. A relay and a door (tttp) answer both
players, and the next to move does so when his own copy is there; an echo answers only the mover,
and the next to move does so then.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple, cast

import uvloop

from gamehall.bench.catsgame import BLUE, FRESH_BOARD, RED, SCRIPT, UPDATE_LENGTH
from gamehall.bench.machine import BenchError, Server, cpu_seconds, raise_open_files_limit
from gamehall.bench.visitors import connect, seat_pair

WARM_UP_SECONDS = 1.0
SLICE_SECONDS = 0.2
SECONDS_TO_GET_GOING = 0.02
SECONDS_TO_COME_TO_REST = 5.0


class Kind(StrEnum):
    """What a server does with a message."""

    ECHO = "echo"
    RELAY = "relay"
    TTTP = "tttp"


class Load(NamedTuple):
    """What was done in the measured time."""

    moves: int
    seconds: float
    server_cpu_seconds: float
    load_cpu_seconds: float


class Player(asyncio.Protocol):
    """One end of a pair. It counts bytes: an answer of a wrong length brings its pair to a halt."""

    __slots__ = ("bytes_due", "bytes_seen", "last_seen", "pair", "write")

    write: Callable[[bytes], None]

    def __init__(self, pair: "Pair") -> None:
        self.pair = pair
        self.bytes_due = 0
        self.bytes_seen = 0
        self.last_seen = b""

    def itself(self) -> "Player":
        """What a loop that wants a factory of protocols is given."""
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.write = cast("asyncio.Transport", transport).write

    def data_received(self, data: bytes) -> None:
        self.last_seen = data
        self.bytes_seen = seen = self.bytes_seen + len(data)
        pair = self.pair
        if pair.awaited is self and seen == self.bytes_due:
            pair.advance()


class Pair:
    """Red and Blue, and how far they are."""

    __slots__ = ("awaited", "blue", "both_answered", "moves", "over", "red")

    def __init__(self, both_answered: bool) -> None:
        self.both_answered = both_answered
        self.red = Player(self)
        self.blue = Player(self)
        self.awaited = self.red
        self.moves = 0
        self.over = False

    def advance(self) -> None:
        """Send the next message of the script, and await the answer that the one after follows."""
        if self.over:
            return
        step = SCRIPT[self.moves % len(SCRIPT)]
        self.moves += 1
        mover = self.red if step.mover == RED else self.blue
        if self.both_answered:
            self.red.bytes_due += UPDATE_LENGTH
            self.blue.bytes_due += UPDATE_LENGTH
            next_mover = SCRIPT[self.moves % len(SCRIPT)].mover
            self.awaited = self.blue if next_mover == BLUE else self.red
        else:
            mover.bytes_due += UPDATE_LENGTH
            self.awaited = mover
        mover.write(step.message)

    def at_rest(self) -> bool:
        """Whether every message has been answered to everybody it must be answered to."""
        return all(player.bytes_seen == player.bytes_due for player in (self.red, self.blue))

    def board_is_right(self) -> bool:
        """Whether both players have last seen the board that the moves so far make."""
        board = SCRIPT[(self.moves - 1) % len(SCRIPT)].update if self.moves else FRESH_BOARD
        return all(player.last_seen[-UPDATE_LENGTH:] == board for player in (self.red, self.blue))


class Contest:
    """All pairs at one server: at rest, or playing."""

    def __init__(self, kind: Kind, server: Server) -> None:
        self.kind = kind
        self.server = server
        self.pairs: list[Pair] = []

    async def sit_down(self, connections: int) -> None:
        """Connect all players, and seat them if there are seats."""
        loop = asyncio.get_running_loop()
        sockets = iter(connect(self.server, connections))
        for _ in range(connections // 2):
            pair = Pair(both_answered=self.kind is not Kind.ECHO)
            red, blue = next(sockets), next(sockets)
            if self.kind is Kind.TTTP:
                seat_pair(red, blue, len(self.pairs) + 1)
            await loop.create_connection(pair.red.itself, sock=red)
            await loop.create_connection(pair.blue.itself, sock=blue)
            self.pairs.append(pair)

    async def walk_through(self) -> None:
        """Play one whole game step by step, and look at the board after each."""
        for _ in SCRIPT:
            for pair in self.pairs:
                pair.over = False
                pair.advance()
            await self._come_to_rest()

    async def play(self, seconds: float) -> Load:
        """Play for so long, and come to rest again.

        Raises BenchError if a message was not answered as it must be: a wrong server has no speed.
        """
        for pair in self.pairs:
            pair.over = False
            pair.advance()
        await asyncio.sleep(SECONDS_TO_GET_GOING)
        before = self._reading()
        await asyncio.sleep(seconds)
        after = self._reading()
        await self._come_to_rest()
        return Load(
            after.moves - before.moves,
            after.seconds - before.seconds,
            after.server_cpu_seconds - before.server_cpu_seconds,
            after.load_cpu_seconds - before.load_cpu_seconds,
        )

    def _reading(self) -> Load:
        moves = sum(pair.moves for pair in self.pairs)
        return Load(moves, time.monotonic(), cpu_seconds(self.server.pid), time.process_time())

    async def _come_to_rest(self) -> None:
        for pair in self.pairs:
            pair.over = True
        deadline = time.monotonic() + SECONDS_TO_COME_TO_REST
        while not all(pair.at_rest() for pair in self.pairs):
            if time.monotonic() > deadline:
                raise BenchError(f"{self.kind}: too few or too many bytes came as answers")
            await asyncio.sleep(0.001)
        if self.kind is Kind.TTTP and not all(pair.board_is_right() for pair in self.pairs):
            raise BenchError(f"{self.kind}: a player saw another board than the moves make")


async def compare(
    contests: Sequence[Contest], connections: int, seconds: float
) -> dict[Kind, Load]:
    """Play at all servers in turn, at each for so long in all, and give what was done at each."""
    for contest in contests:
        await contest.sit_down(connections)
        await contest.walk_through()
        await contest.play(WARM_UP_SECONDS)
    slices = max(1, round(seconds / SLICE_SECONDS))
    loads = [[await contest.play(seconds / slices) for contest in contests] for _ in range(slices)]
    return {
        contest.kind: Load(*map(sum, zip(*done, strict=True)))
        for contest, done in zip(contests, zip(*loads, strict=True), strict=True)
    }


def contest_at(argument: str) -> Contest:
    """The contest at a server given as kind:pid:port."""
    kind, pid, port = argument.split(":")
    return Contest(Kind(kind), Server(int(pid), int(port)))


def main() -> None:
    """Play at the servers that the command line names, and print what was done."""
    parser = argparse.ArgumentParser(description="Play the cat's game at many tables at once.")
    parser.add_argument("--connections", type=int, required=True, help="an even number")
    parser.add_argument("--seconds", type=float, required=True, help="at each server")
    parser.add_argument("servers", type=contest_at, nargs="+", metavar="kind:pid:port")
    options = parser.parse_args()
    raise_open_files_limit()
    try:
        loads = uvloop.run(compare(options.servers, options.connections, options.seconds))
    except (BenchError, OSError) as error:
        raise SystemExit(str(error)) from None
    print(json.dumps({kind: load._asdict() for kind, load in loads.items()}))


if __name__ == "__main__":
    main()

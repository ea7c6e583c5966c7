"""The load generator: pairs of connections that play the cat's game as fast as they are answered.

A program of its own, so that its CPU time is not the server's. It is given the servers to compare,
each as kind:pid:port, and plays at one after the other in slices of a fraction of a second, since
the speed of a shared machine wanders from second to second, and ratios must not wander with it:

    python -m gamehall.bench.tttp_load --connections 64 --seconds 2 echo:4711:40001 door:4712:40002

It prints one line of JSON, a `Load` per kind. It reads the servers' CPU clocks itself, since it
alone knows the moment at which the messages are counted.

With every kind each pair has exactly one message under way. A relay and a door answer both players,
and the next to move does so when his own copy is there; an echo answers only the mover, and the
next to move does so then.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import cast

from gamehall.bench.catsgame import BLUE, FRESH_BOARD, RED, SCRIPT, UPDATE_LENGTH
from gamehall.bench.contest import (
    HALLS,
    SLICE_SECONDS,
    Contest,
    Kind,
    Load,
    parser_of_load,
    print_loads,
    total,
)
from gamehall.bench.joining import seat_pair
from gamehall.bench.machine import BenchError, Server
from gamehall.bench.visitors import connect

WARM_UP_SECONDS = 1.0
SECONDS_TO_GET_GOING = 0.02


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


class PairContest(Contest):
    """All pairs at one server."""

    def __init__(self, kind: Kind, server: Server) -> None:
        super().__init__(kind, server)
        self.pairs: list[Pair] = []

    @property
    def moves(self) -> int:
        return sum(pair.moves for pair in self.pairs)

    @property
    def games(self) -> int:
        return sum(pair.moves // len(SCRIPT) for pair in self.pairs)

    async def sit_down(self, connections: int) -> None:
        """Connect all players, and seat them if there are seats."""
        loop = asyncio.get_running_loop()
        sockets = iter(connect(self.server, connections))
        for _ in range(connections // 2):
            pair = Pair(both_answered=self.kind is not Kind.ECHO)
            red, blue = next(sockets), next(sockets)
            if self.kind in HALLS:
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
        before = self.reading()
        await asyncio.sleep(seconds)
        done = self.reading().since(before)
        await self._come_to_rest()
        return done

    async def _come_to_rest(self) -> None:
        for pair in self.pairs:
            pair.over = True
        await self.until(
            lambda: all(pair.at_rest() for pair in self.pairs),
            "too few or too many bytes came as answers",
        )
        if self.kind in HALLS and not all(pair.board_is_right() for pair in self.pairs):
            raise BenchError(f"{self.kind}: a player saw another board than the moves make")


async def compare(
    servers: Iterable[tuple[Kind, Server]], connections: int, seconds: float
) -> dict[Kind, Load]:
    """Play at all servers in turn, at each for so long in all, and give what was done at each."""
    contests = [PairContest(kind, server) for kind, server in servers]
    for contest in contests:
        await contest.sit_down(connections)
        await contest.walk_through()
        await contest.play(WARM_UP_SECONDS)
    slices = max(1, round(seconds / SLICE_SECONDS))
    loads: dict[Kind, list[Load]] = {contest.kind: [] for contest in contests}
    for _ in range(slices):
        for contest in contests:
            loads[contest.kind].append(await contest.play(seconds / slices))
    return {kind: total(done) for kind, done in loads.items()}


def main() -> None:
    """Play at the servers that the command line names, and print what was done."""
    parser = parser_of_load("Play the cat's game at many tables at once.")
    parser.add_argument("--connections", type=int, required=True, help="an even number")
    parser.add_argument("--seconds", type=float, required=True, help="at each server")
    options = parser.parse_args()
    print_loads(compare(options.servers, options.connections, options.seconds))


if __name__ == "__main__":
    main()

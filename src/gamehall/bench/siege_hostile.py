"""The besiegers: thousands of hostile connections to every door of a hall.

A program of its own, with all of them in one loop. It is told on its standard input, a line each,
what to do, and answers each line by a line of JSON:

    python -m gamehall.bench.siege_hostile --connections 5000 tttp=40001 go-text=40002 ...

* `gather` has them all come, but for those who come and go, and answers when they are in or have
  tried for long enough;
* `begin` has those begin who have waited for it, and those come who come and go;
* `count` says what has become of them so far;
* `end` says that too, and has them all leave.
"""

import argparse
import asyncio
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import uvloop

from gamehall.bench.machine import raise_open_files_limit
from gamehall.bench.siege_besieger import RESTLESS, SHARES, Attack, Besieger
from gamehall.bench.siege_honest import read_port

AT_A_TIME = 300
"""So many knock at the same time."""

SECONDS_TO_GET_IN = 15.0
SECONDS_TO_KNOCK = 20.0
SECONDS_TO_RETURN = 0.2
"""How soon somebody comes again who was thrown out."""

SECONDS_BETWEEN_LOOKS = 0.05


class ConnectionLimits:
    """All besiegers. Whoever is thrown out comes again, so that there are always so many."""

    def __init__(
        self, ports: Mapping[str, int], connections: int, attacks: Sequence[Attack]
    ) -> None:
        self._ports = ports
        self._plan = plan(list(ports), connections, attacks)
        self._numbers = itertools.count()
        self._inside: set[Besieger] = set()
        self._knocking = asyncio.Semaphore(AT_A_TIME)
        self._tasks: set[asyncio.Task[None]] = set()
        self.has_begun = False
        self._is_on = False
        self._most_inside = 0
        self._let_in = 0
        self._counts: dict[str, Counter[str]] = {door: Counter() for door in ports}
        self._thrown_out: Counter[str] = Counter()

    async def gather(self) -> None:
        """All come who stay; returns when they are in, or have had time enough for that."""
        self._is_on = True
        staying = [(attack, door) for attack, door in self._plan if attack is not Attack.CHURN]
        for attack, door in staying:
            self._send(attack, door, 0.0)
        deadline = time.monotonic() + SECONDS_TO_GET_IN
        while self._let_in < len(staying) and time.monotonic() < deadline:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)

    def begin(self) -> None:
        """Gives the signal."""
        self.has_begun = True
        for besieger in list(self._inside):
            if besieger.attack in RESTLESS:
                besieger.begin()
        for attack, door in self._plan:
            if attack is Attack.CHURN:
                self._send(attack, door, 0.0)

    def end(self) -> None:
        """All of them go."""
        self._is_on = False
        for task in self._tasks:
            task.cancel()
        for besieger in list(self._inside):
            besieger.leave()

    def came_in(self, besieger: Besieger) -> None:
        self._inside.add(besieger)
        self._most_inside = max(self._most_inside, len(self._inside))
        self._let_in += 1
        self._counts[besieger.door]["let_in"] += 1

    def is_out(self, besieger: Besieger) -> None:
        self._inside.discard(besieger)
        if not besieger.leaves:
            self._counts[besieger.door]["dropped"] += 1
            self._thrown_out[besieger.attack] += 1
        if self._is_on:
            pause = 0.0 if besieger.leaves else SECONDS_TO_RETURN
            self._send(besieger.attack, besieger.door, pause)

    def figures(self) -> dict[str, Any]:
        """What has become of them so far."""
        return {
            "doors": {door: dict(counts) for door, counts in self._counts.items()},
            "inside": len(self._inside),
            "most_inside": self._most_inside,
            "dropped_by_attack": dict(self._thrown_out),
            "cpu_seconds": time.process_time(),
        }

    def _send(self, attack: Attack, door: str, pause: float) -> None:
        task = asyncio.create_task(self._knock(attack, door, pause))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _knock(self, attack: Attack, door: str, pause: float) -> None:
        """Tries to get in until it is in."""
        loop = asyncio.get_running_loop()
        while self._is_on:
            await asyncio.sleep(pause)
            besieger = Besieger(self, attack, door, next(self._numbers))
            try:
                async with self._knocking, asyncio.timeout(SECONDS_TO_KNOCK):
                    await loop.create_connection(besieger.itself, "127.0.0.1", self._ports[door])
            except (OSError, TimeoutError):
                self._counts[door]["refused"] += 1
                pause = SECONDS_TO_RETURN
            else:
                return


def plan(
    doors: Sequence[str], connections: int, attacks: Sequence[Attack]
) -> list[tuple[Attack, str]]:
    """Who does what, where: every attack at every door, by their shares."""
    each = -(-connections // len(doors))
    total = sum(SHARES[attack] for attack in attacks)
    at_a_door = [attack for attack in attacks for _ in range(round(each * SHARES[attack] / total))]
    # Rounding leaves some too many or too few.
    at_a_door += [attacks[0]] * (each - len(at_a_door))
    return [(attack, door) for attack in at_a_door[:each] for door in doors][:connections]


async def heed_lines(crowd: ConnectionLimits) -> None:
    """Does what it is told, line by line, until the end."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := (await reader.readline()).decode().strip():
        if line == "gather":
            await crowd.gather()
        if line == "begin":
            crowd.begin()
        print(json.dumps(crowd.figures()), flush=True)
        if line == "end":
            break
    crowd.end()
    await asyncio.sleep(0)


def main() -> None:
    """Runs the program, or exits and says why not."""
    parser = argparse.ArgumentParser(description="Hostile clients at every door.")
    parser.add_argument("--connections", type=int, required=True, help="held open at a time")
    parser.add_argument("--attack", action="append", type=Attack, help="only this; may be repeated")
    parser.add_argument("doors", type=read_port, nargs="+", metavar="door=port")
    arguments = parser.parse_args()
    raise_open_files_limit()

    async def besiege() -> None:
        attacks = arguments.attack or list(Attack)
        await heed_lines(ConnectionLimits(dict(arguments.doors), arguments.connections, attacks))

    try:
        uvloop.run(besiege())
    except OSError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()

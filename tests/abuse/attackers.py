"""Hostile clients at every door of a server, as a program of its own.

    python -m tests.abuse.attackers everything 60 tttp=40001 go-text=40002 ...

Print `in` when all are connected, and attack until standard input is closed. An attacker that is
disconnected reconnects, so that their number stays the same. At the end print a line of JSON: the
number of connections that each door has had.

The messages are written from the protocol documents, without code of the server.
"""

import asyncio
import itertools
import json
import os
import random
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

import uvloop

from tests.support.resets import reset_when_closed

SECONDS_TO_CONNECT = 20.0
SECONDS_TO_RETURN = 0.2
MAX_CONNECTING = 300


# Messages


@dataclass(frozen=True)
class Messages:
    """The messages of an attacker at a door."""

    hello: Callable[[int], bytes]
    """Joins, as the player with this number."""
    flood: bytes
    """Many small valid messages of a client that has joined."""
    heavy: bytes
    """Few messages that cost the server as much as possible."""
    half: bytes
    """The beginning of a message."""
    keepalive_answer: bytes = b""
    """The answer to every message of the server, if it needs one."""


LONGEST_CHAT = 13_000
LONGEST_LINE = 60_000
"""Bytes, a little less than the longest message that text protocols allow."""
DEEP = [[0]] * 200
"""A JSON value with a little less than the allowed number of parts."""


def line(value: object) -> bytes:
    """Return a message of the JSON protocols."""
    return json.dumps(value).encode() + b"\n"


def letters(number: int) -> str:
    """Return a name of letters only: some protocols allow nothing else."""
    return "evil" + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def chat(text: bytes) -> bytes:
    """Return a CHAT message of TTTP."""
    return b"CHAT" + len(text).to_bytes(2, "big") + text


def join(name: bytes) -> bytes:
    """Return a JOIN message of TTTP."""
    return b"JOIN" + bytes([len(name)]) + name


def request(method: str, target: str, content: object = None) -> bytes:
    """Return an HTTP request."""
    body = b"" if content is None else json.dumps(content).encode()
    head = f"{method} {target} HTTP/1.1\r\nHost: hall\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


GO_TERMS = b"RESPONSE 19\nRESPONSE 1\nRESPONSE 0\nRESPONSE 6.5\nTERMSCONFIRM Yes\n"
MOVES_OF_UNKNOWN_PLAYER = {
    "player_index": 99,
    "moves": [{"type": "end_turn"}] * (LONGEST_LINE // 24),
}

MESSAGES: Mapping[str, Messages] = {
    "tttp": Messages(
        # Every second attacker first tries the name of a player who is connected.
        hello=lambda number: (
            (join(b"red%d" % (number % 4)) if number % 2 else b"") + join(b"evil%d" % number)
        ),
        flood=b"".join(b"PLAY" + bytes((column, 0)) + chat(b"ha") for column in range(7)) + b"RMCH",
        heavy=chat(b"x" * LONGEST_CHAT) * 4 + b"RMCH",
        half=b"CHAT\xff",
    ),
    "santorini-lobby": Messages(
        hello=lambda number: line(["join", letters(number), {"board": True}]),
        flood=line(["stillalive"]) * 32,
        heavy=line(["stillalive", "x" * LONGEST_LINE]) + line(["give_turn", DEEP]),
        half=b'["join", "ev',
        keepalive_answer=line(["stillalive"]),
    ),
    "santorini-tournament": Messages(
        hello=lambda number: line(letters(number)),
        flood=line(["check-placement", [0, 0]]) * 32,
        heavy=line(["check-turn", ["evil", "x" * LONGEST_LINE]]) + line(["check-turn", DEEP]),
        half=b'"evi',
    ),
    "go-text": Messages(
        hello=lambda _: GO_TERMS,
        flood="".join(
            f"PLAY {row} {column}\n" for row in range(19) for column in range(19)
        ).encode(),
        heavy=b"PLAY " + b"9" * LONGEST_LINE + b" 0\n" + b"PLAY 0 " + b"x " * 20_000 + b"\n",
        half=b"RESPONSE board",
    ),
    "ascension-http": Messages(
        hello=lambda _: request("POST", "/join", {}),
        flood=(request("GET", "/state") + request("GET", "/state?player_index=1")) * 16,
        heavy=request("POST", "/moves", MOVES_OF_UNKNOWN_PLAYER) * 2,
        half=b"POST /moves HTTP/1.1\r\nHost: hall\r\nContent-Length: 1000\r\n\r\n{",
    ),
}


# Attacks


@dataclass(frozen=True)
class Attack:
    """The behaviour of an attacker."""

    share: int
    """The percentage of attackers that do this in the attack `everything`."""
    first: Callable[[Messages, int], bytes] = lambda messages, number: b""
    """The message after connecting."""
    more: Callable[[Messages], Iterator[bytes]] | None = None
    """The messages after that, sent as fast as the server reads them, with pauses."""
    pause_seconds: float = 0.0
    reads: bool = True
    leaves: bool = False
    """Reset the connection at once, and reconnect."""
    answers: bool = False
    """Answer keepalives, so that the connection stays open."""

    @property
    def is_loud(self) -> bool:
        """True if it keeps the server busy."""
        return self.more is not None and self.pause_seconds < 1


def hello(messages: Messages, number: int) -> bytes:
    """Join like a player."""
    return messages.hello(number)


def flood(messages: Messages) -> Iterator[bytes]:
    """Yield valid messages without end."""
    return itertools.repeat(messages.flood)


def single_bytes(messages: Messages) -> Iterator[bytes]:
    """Yield the bytes of valid messages, one at a time."""
    return (bytes([one]) for one in itertools.cycle(messages.hello(0) + messages.flood))


def garbage(_: Messages) -> Iterator[bytes]:
    """Yield random bytes."""
    return (random.randbytes(4096) for _ in itertools.count())


ATTACKS: Mapping[str, Attack] = {
    "silence": Attack(22),
    "half a message": Attack(15, lambda messages, _: messages.half),
    "a byte a second": Attack(15, more=single_bytes, pause_seconds=1.0),
    "garbage": Attack(3, more=garbage, pause_seconds=0.05),
    "flood": Attack(12, hello, flood),
    "heavy messages": Attack(
        3, hello, lambda messages: itertools.repeat(messages.heavy), pause_seconds=0.05
    ),
    "never reading": Attack(15, hello, flood, reads=False),
    "coming and going": Attack(3, hello, leaves=True),
    "taking places": Attack(12, hello, answers=True),
}
EVERYTHING = "everything"


class Attackers:
    """All attackers. Each is a task that never ends by itself."""

    def __init__(self, ports: Mapping[str, int], plan: list[tuple[Attack, str]]) -> None:
        self._ports = ports
        self._plan = plan
        self._numbers = itertools.count()
        self._connecting = asyncio.Semaphore(MAX_CONNECTING)
        self._have_been_in = 0
        self.all_in = asyncio.Event()
        """Set when each of them has been connected."""
        self.connections: Counter[str] = Counter()
        """The number of connections so far, by door."""

    def begin(self) -> list[asyncio.Task[None]]:
        """Start the tasks."""
        return [asyncio.create_task(self._run(attack, door)) for attack, door in self._plan]

    async def _run(self, attack: Attack, door: str) -> None:
        is_first = True
        while True:
            # The attacker reconnects whatever has ended its connection.
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                async with self._connecting, asyncio.timeout(SECONDS_TO_CONNECT):
                    reader, writer = await asyncio.open_connection(
                        "127.0.0.1", self._ports[door], limit=1 << 16 if attack.reads else 1
                    )
                self.connections[door] += 1
                if is_first:
                    is_first = False
                    self._have_been_in += 1
                    if self._have_been_in == len(self._plan):
                        self.all_in.set()
                try:
                    await self._attack(attack, MESSAGES[door], reader, writer)
                finally:
                    writer.close()
            await asyncio.sleep(SECONDS_TO_RETURN)

    async def _attack(
        self,
        attack: Attack,
        messages: Messages,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        writer.write(attack.first(messages, next(self._numbers)))
        if attack.leaves:
            reset_when_closed(writer.get_extra_info("socket"))
            writer.transport.abort()
            return
        sending = None
        if attack.more is not None:
            sending = asyncio.create_task(self._send(attack, messages, writer))
        try:
            if attack.reads:
                while await reader.read(1 << 16):
                    if attack.answers and messages.keepalive_answer:
                        writer.write(messages.keepalive_answer)
            elif sending is not None:
                await sending
        finally:
            if sending is not None:
                sending.cancel()
                with suppress(OSError, asyncio.CancelledError):
                    await sending

    async def _send(self, attack: Attack, messages: Messages, writer: asyncio.StreamWriter) -> None:
        assert attack.more is not None
        for data in attack.more(messages):
            writer.write(data)
            await writer.drain()
            await asyncio.sleep(attack.pause_seconds)


def plan(attack: str, connections: int) -> list[tuple[Attack, str]]:
    """Return the attack and the door of each attacker."""
    if attack != EVERYTHING:
        chosen = [ATTACKS[attack]] * connections
    else:
        hundred = [one for one in ATTACKS.values() for _ in range(one.share)]
        random.Random(1).shuffle(hundred)
        chosen = list(itertools.islice(itertools.cycle(hundred), connections))
    # A hundred is a multiple of the number of doors. A shift by one combines all with all.
    doors = (
        door
        for turn in itertools.count()
        for door in itertools.islice(itertools.cycle(MESSAGES), turn % 5, turn % 5 + 100)
    )
    return list(zip(chosen, doors, strict=False))


async def main(attack: str, connections: int, ports: Mapping[str, int]) -> None:
    """Attack until standard input is closed."""
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    attackers = Attackers(ports, plan(attack, connections))
    tasks = attackers.begin()  # The event loop keeps only weak references to tasks.
    await attackers.all_in.wait()
    sys.stdout.write("in\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    sys.stdout.write(json.dumps(attackers.connections) + "\n")
    sys.stdout.flush()
    assert not any(task.done() for task in tasks)
    # Leave closing the connections to the kernel.
    os._exit(0)


if __name__ == "__main__":
    _, name, number, *doors = sys.argv
    uvloop.run(main(name, int(number), {door: int(port) for door, port in
                                        (one.split("=") for one in doors)}))  # fmt: skip

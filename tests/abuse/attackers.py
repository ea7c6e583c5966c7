"""Hostile clients at every door of a hall, as a program of its own.

    python -m tests.abuse.attackers everything 60 tttp=40001 go-text=40002 ...

Prints `in` when they are connected, and attacks until its standard input is closed. An attacker
that is disconnected comes back, so that there are always as many. At the end it prints a line of
JSON: how many connections there have been at each door.

The messages are written from the protocol documents, with none of the server's code.
"""

import asyncio
import itertools
import json
import os
import random
import resource
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

import uvloop

SECONDS_TO_CONNECT = 20.0
SECONDS_TO_RETURN = 0.2
CONNECTING_AT_A_TIME = 300
RESET = struct.pack("ii", 1, 0)
"""For SO_LINGER: closing resets the connection."""


# What is said at each door


@dataclass(frozen=True)
class Messages:
    """What an attacker can send to a door."""

    hello: Callable[[int], bytes]
    """Come in, as the player with this number."""
    flood: bytes
    """Many small valid messages of a client that is in."""
    heavy: bytes
    """Few messages that cost the server as much as possible."""
    half: bytes
    """The beginning of a message."""
    keepalive_answer: bytes = b""
    """What answers anything that the server says, if it must be answered."""


LONGEST_CHAT = 13_000
LONGEST_LINE = 60_000
"""Bytes, a little less than the longest message that doors of text allow."""
DEEP = [[0]] * 200
"""A JSON value with a little less than the most parts that are allowed."""


def line(value: object) -> bytes:
    """A message of the doors that speak JSON."""
    return json.dumps(value).encode() + b"\n"


def letters(number: int) -> str:
    """A name of letters only, since some doors allow nothing else."""
    return "evil" + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def chat(text: bytes) -> bytes:
    """CHAT of TTTP."""
    return b"CHAT" + len(text).to_bytes(2, "big") + text


def join(name: bytes) -> bytes:
    """JOIN of TTTP."""
    return b"JOIN" + bytes([len(name)]) + name


def request(method: str, target: str, content: object = None) -> bytes:
    """An HTTP request."""
    body = b"" if content is None else json.dumps(content).encode()
    head = f"{method} {target} HTTP/1.1\r\nHost: hall\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


GO_TERMS = b"RESPONSE 19\nRESPONSE 1\nRESPONSE 0\nRESPONSE 6.5\nTERMSCONFIRM Yes\n"
NOBODYS_MOVES = {"player_index": 99, "moves": [{"type": "end_turn"}] * (LONGEST_LINE // 24)}

MESSAGES: Mapping[str, Messages] = {
    "tttp": Messages(
        # Every second one first asks for the name of a player who is there.
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
        heavy=request("POST", "/moves", NOBODYS_MOVES) * 2,
        half=b"POST /moves HTTP/1.1\r\nHost: hall\r\nContent-Length: 1000\r\n\r\n{",
    ),
}


# What attackers do


@dataclass(frozen=True)
class Attack:
    """What an attacker does with its connection."""

    share: int
    """How many of a hundred do this when everything is tried at once."""
    first: Callable[[Messages, int], bytes] = lambda messages, number: b""
    """What it sends as soon as it is connected."""
    more: Callable[[Messages], Iterator[bytes]] | None = None
    """What it sends after that, as fast as the server takes it, with a pause in between."""
    pause_seconds: float = 0.0
    reads: bool = True
    leaves: bool = False
    """Whether it resets the connection at once, and comes back."""
    answers: bool = False
    """Whether it answers keepalives, so as to stay."""

    @property
    def is_loud(self) -> bool:
        """Whether it keeps the server busy."""
        return self.more is not None and self.pause_seconds < 1


def hello(messages: Messages, number: int) -> bytes:
    """Come in like a player."""
    return messages.hello(number)


def flood(messages: Messages) -> Iterator[bytes]:
    """Valid messages without end."""
    return itertools.repeat(messages.flood)


def single_bytes(messages: Messages) -> Iterator[bytes]:
    """The bytes of valid messages, one at a time."""
    return (bytes([one]) for one in itertools.cycle(messages.hello(0) + messages.flood))


def garbage(_: Messages) -> Iterator[bytes]:
    """Bytes that mean nothing."""
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
    """All attackers. Each is a task, which never ends by itself."""

    def __init__(self, ports: Mapping[str, int], plan: list[tuple[Attack, str]]) -> None:
        self._ports = ports
        self._plan = plan
        self._numbers = itertools.count()
        self._connecting = asyncio.Semaphore(CONNECTING_AT_A_TIME)
        self._have_been_in = 0
        self.all_in = asyncio.Event()
        """Whether each of them has been connected."""
        self.connections: Counter[str] = Counter()
        """How many there have been, by door."""

    def begin(self) -> list[asyncio.Task[None]]:
        """Start all of them."""
        return [asyncio.create_task(self._run(attack, door)) for attack, door in self._plan]

    async def _run(self, attack: Attack, door: str) -> None:
        is_first = True
        while True:
            # Whatever ends a connection, the attacker comes back.
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
            line_: socket.socket = writer.get_extra_info("socket")
            line_.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
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
    """Return what each attacker does, and at which door: the doors in turn."""
    if attack != EVERYTHING:
        chosen = [ATTACKS[attack]] * connections
    else:
        hundred = [one for one in ATTACKS.values() for _ in range(one.share)]
        random.Random(1).shuffle(hundred)
        chosen = list(itertools.islice(itertools.cycle(hundred), connections))
    # A hundred is a multiple of the number of doors: shifted by one each time, all meet all.
    doors = (
        door
        for turn in itertools.count()
        for door in itertools.islice(itertools.cycle(MESSAGES), turn % 5, turn % 5 + 100)
    )
    return list(zip(chosen, doors, strict=False))


async def main(attack: str, connections: int, ports: Mapping[str, int]) -> None:
    """Attack until standard input is closed."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    attackers = Attackers(ports, plan(attack, connections))
    tasks = attackers.begin()  # Kept here: a loop keeps only weak references to tasks.
    await attackers.all_in.wait()
    sys.stdout.write("in\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    sys.stdout.write(json.dumps(attackers.connections) + "\n")
    sys.stdout.flush()
    assert not any(task.done() for task in tasks)
    # Attackers do not say goodbye: the kernel closes their connections.
    os._exit(0)


if __name__ == "__main__":
    _, name, number, *doors = sys.argv
    uvloop.run(main(name, int(number), {door: int(port) for door, port in
                                        (one.split("=") for one in doors)}))  # fmt: skip

"""What load generators have in common: contests at servers, what was done there, and saying so."""

import argparse
import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable
from enum import StrEnum
from typing import Any, NamedTuple

import uvloop

from gamehall.bench.machine import BenchError, Server, cpu_seconds, raise_open_files_limit

SLICE_SECONDS = 0.2
"""How long one server is under load before it is the next one's turn."""

SECONDS_TO_COME_TO_REST = 5.0


class Kind(StrEnum):
    """What a server does with a message."""

    ECHO = "echo"
    RELAY = "relay"
    REPLAY = "replay"
    HTTPTOOLS = "httptools"
    AIOHTTP = "aiohttp"
    DOOR = "door"
    UNKEPT = "unkept"
    """The door of a hall that writes nothing down."""
    VARIED = "varied"
    """The door again, but no two messages are alike."""


HALLS = (Kind.DOOR, Kind.UNKEPT)


class Load(NamedTuple):
    """What was done in the measured time."""

    moves: int
    """Or requests, where these are counted and not moves."""
    games: int
    seconds: float
    server_cpu_seconds: float
    load_cpu_seconds: float

    def since(self, before: "Load") -> "Load":
        """What was done between two readings."""
        return Load(
            self.moves - before.moves,
            self.games - before.games,
            self.seconds - before.seconds,
            self.server_cpu_seconds - before.server_cpu_seconds,
            self.load_cpu_seconds - before.load_cpu_seconds,
        )


def total(loads: Iterable[Load]) -> Load:
    """What was done in several times, of which there is at least one."""
    return Load(*map(sum, zip(*loads, strict=True)))


class Contest(ABC):
    """All who play at one server: at rest, or playing."""

    def __init__(self, kind: Kind, server: Server) -> None:
        self.kind = kind
        self.server = server

    @property
    @abstractmethod
    def moves(self) -> int:
        """How many have been made."""

    @property
    @abstractmethod
    def games(self) -> int:
        """How many have been ended."""

    def reading(self) -> Load:
        """What has been done so far, and by now."""
        cpu = cpu_seconds(self.server.pid)
        return Load(self.moves, self.games, time.monotonic(), cpu, time.process_time())

    async def until(self, is_so: Callable[[], bool], problem: str) -> None:
        """Wait for the server to be done with everything. Raises BenchError if it never is."""
        deadline = time.monotonic() + SECONDS_TO_COME_TO_REST
        while not is_so():
            if time.monotonic() > deadline:
                raise BenchError(f"{self.kind}: {problem}")
            await asyncio.sleep(0.001)


def parser_of_load(description: str) -> argparse.ArgumentParser:
    """A command line that names the servers at which to play."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("servers", type=_kind_and_server, nargs="+", metavar="kind:pid:port")
    return parser


def _kind_and_server(argument: str) -> tuple[Kind, Server]:
    kind, pid, port = argument.split(":")
    return Kind(kind), Server(int(pid), int(port))


def print_loads(comparison: Coroutine[Any, Any, dict[Kind, Load]]) -> None:
    """Run a comparison and print what was done at each server, as JSON, or exit and say why not."""
    raise_open_files_limit()
    try:
        loads = uvloop.run(comparison)
    except (BenchError, OSError) as error:
        raise SystemExit(str(error)) from None
    print(json.dumps({kind: load._asdict() for kind, load in loads.items()}))

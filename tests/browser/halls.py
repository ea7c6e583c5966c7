"""Halls to visit, and what is in them before anybody comes."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.served import GAMEHALL, PATIENCE_SECONDS, Served


def pages_of(hall: Served) -> str:
    """Where the pages of a hall are."""
    [line] = [line for line in hall.lines if line.startswith("listening web ")]
    return line.split()[2]


@contextmanager
def open_hall(*doors: str, settings: tuple[str, ...] = (), seed: int = 7) -> Iterator[Served]:
    """A hall with these doors and its pages; everything random in it is always the same."""
    opened = [f"--door={door}=0" for door in (*doors, "web")]
    with Served(*opened, *(f"--set={setting}" for setting in settings), f"--seed={seed}") as hall:
        yield hall


@contextmanager
def bots_at(hall: Served, door: str, *names: str, bot: str = "random") -> Iterator[None]:
    """Bots that play at a door, each in a program of its own; they must come to an end."""
    address = f"{door}://127.0.0.1:{hall.port(door)}"
    programs = [
        subprocess.Popen(
            [GAMEHALL, "bot", address, "--bot", bot, f"--name={name}", f"--seed={number}"],
            stdout=subprocess.DEVNULL,
        )
        for number, name in enumerate(names)
    ]
    try:
        yield
        for program in programs:
            program.wait(PATIENCE_SECONDS)
    finally:
        for program in programs:
            program.kill()
            program.wait()


def port_of(address: str) -> int:
    """The port of the pages at an address."""
    return int(address.rstrip("/").rpartition(":")[2])

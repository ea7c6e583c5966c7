"""Halls to visit, and what is in them before anybody comes."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gamehall.play import Record
from gamehall.storage import open_database
from gamehall.storage.archive import INSERT
from tests.served import GAMEHALL, PATIENCE_SECONDS, Served


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
    programs = [
        subprocess.Popen(
            [GAMEHALL, "bot", f"{door}://127.0.0.1:{hall.port(door)}"]
            + ["--bot", bot, "--name", name, "--seed", str(number)],
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


def keep(folder: Path, *records: Record) -> None:
    """Puts records into the folder of a hall that is not open yet."""
    connection = open_database(str(folder)).connect()
    for record in records:
        connection.run(INSERT, record.game, record.match, record.to_json())
    connection.close()


def port_of(address: str) -> int:
    """The port of the pages at an address."""
    return int(address.rstrip("/").rpartition(":")[2])

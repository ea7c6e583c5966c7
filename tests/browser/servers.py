"""Servers for the browser tests, and bots that connect to them."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.served import GAMEHALL, PATIENCE_SECONDS, Served


def web_address(server: Served) -> str:
    """Return the address of a server's pages."""
    [line] = [line for line in server.lines if line.startswith("listening web ")]
    return line.split()[2]


@contextmanager
def run_server(*doors: str, settings: tuple[str, ...] = (), seed: int = 7) -> Iterator[Served]:
    """Run a server with these doors and its pages; everything random in it follows the seed."""
    opened = [f"--door={door}=0" for door in (*doors, "web")]
    with Served(*opened, *(f"--set={setting}" for setting in settings), f"--seed={seed}") as server:
        yield server


@contextmanager
def run_bots(server: Served, door: str, *names: str, bot: str = "random") -> Iterator[None]:
    """Run bots that connect to a door, each in its own process; wait at the end until they stop."""
    address = f"{door}://127.0.0.1:{server.port(door)}"
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
    return int(address.rstrip("/").rpartition(":")[2])

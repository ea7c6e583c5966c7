"""The commands that start the servers to compare."""

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory


def bare_server(module: str, *arguments: str) -> Sequence[str]:
    """The command of a server without a game: a module of this folder."""
    return (sys.executable, "-m", f"gamehall.bench.{module}", *arguments)


def hall(
    door: str, settings: Mapping[str, object], *arguments: str, keeps: bool = True
) -> Sequence[str]:
    """The command of a hall with this one door, on a free port, set like this.

    `keeps`: whether it writes down what happens, as halls do.
    """
    options = [word for item in settings.items() for word in ("--set", _assignment(door, *item))]
    gamehall = str(Path(sys.executable).with_name("gamehall"))
    kept = ("--data", _passing_folder().name if keeps else "none")
    return (gamehall, "serve", "--door", f"{door}=0", *kept, *options, *arguments)


@cache
def _passing_folder() -> TemporaryDirectory[str]:
    """For what halls keep while they are measured; gone at the end of the program."""
    return TemporaryDirectory(prefix="gamehall-bench-")


def _assignment(door: str, name: str, value: object) -> str:
    return f"{door}.{name}={value}"

"""The commands that start the servers to compare."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path


def bare_server(module: str, *arguments: str) -> Sequence[str]:
    """The command of a server without a game: a module of this folder."""
    return (sys.executable, "-m", f"gamehall.bench.{module}", *arguments)


def hall(door: str, settings: Mapping[str, object], *arguments: str) -> Sequence[str]:
    """The command of a hall with this one door, on a free port, set like this."""
    options = [word for item in settings.items() for word in ("--set", _assignment(door, *item))]
    gamehall = str(Path(sys.executable).with_name("gamehall"))
    return (gamehall, "serve", "--door", f"{door}=0", *options, *arguments)


def _assignment(door: str, name: str, value: object) -> str:
    return f"{door}.{name}={value}"

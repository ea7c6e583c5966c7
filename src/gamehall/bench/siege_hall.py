"""The hall that is besieged: every game door, a real database, and what it says about itself."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

from gamehall.bench.commands import hall
from gamehall.bench.machine import (
    BenchError,
    StartedServer,
    cpu_seconds,
    open_files,
    resident_bytes,
)

LOBBY = "santorini-lobby"
TOURNAMENT = "santorini-tournament"
GO = "go-text"
TTTP = "tttp"
ASCENSION = "ascension-http"
DOORS = (LOBBY, TOURNAMENT, GO, TTTP, ASCENSION)

LISTENING = re.compile(r"^listening (\S+) (?:http://)?\S+:(\d+)/?$", re.MULTILINE)
SAMPLE = re.compile(r'^(gamehall_\w+)(?:\{door="([^"]+)"\})? ([0-9.e+]+)$', re.MULTILINE)

SPARE_TABLES = 20
"""Beside those of the honest, for the besiegers to take."""

SECONDS_TO_ANSWER = 10.0
"""After which the hall is taken to be too busy to say how it stands."""


class Reading(NamedTuple):
    """What the hall has used and let in by a moment."""

    cpu_seconds: float
    resident_bytes: int
    kept_bytes: int
    """What is on disk."""
    files: int
    """Connections are among them."""
    open: Mapping[str, int]
    """Connections that there are, by door. This and the others are empty if the hall is mute."""
    refused: Mapping[str, int]
    """Connections that there have not been."""
    requests: Mapping[str, int]


def changed_settings(tables: int, players: int) -> dict[str, dict[str, object]]:
    """What is not at its default, by door, for so many tables and players of a tournament.

    The honest must not depend on a place that anybody may take. So they keep what they have got
    before the siege: at TTTP they stay at their tables, by RMCH; in tournaments they are so many
    as it takes to begin, and meet so often that it outlasts everything; the one game of Ascension
    is a long one, and belongs to those who have its tokens.
    """
    return {
        LOBBY: {"players": players, "parallel": "true", "games-per-pair": 1000},
        TOURNAMENT: {"players": players, "parallel": "true", "games": 1000},
        TTTP: {"tables": tables + SPARE_TABLES},
        ASCENSION: {"tokens": "true", "honor": 1000},
    }


def command_of_hall(
    folder: Path, settings: Mapping[str, Mapping[str, object]], *arguments: str
) -> Sequence[str]:
    """The command of a hall with every door and the page with its counts, on free ports."""
    first, *others = DOORS
    words = [*hall(first, settings.get(first, {}))]
    words[words.index("--data") + 1] = str(folder)
    for door in others:
        words += ["--door", f"{door}=0"]
        for name, value in settings.get(door, {}).items():
            words += ["--set", f"{door}.{name}={value}"]
    return [*words, "--door", "web=0", *arguments]


class SiegeHall:
    """A running hall, and how to look at it from outside."""

    def __init__(self, server: StartedServer, folder: Path) -> None:
        self.server = server
        self._folder = folder
        written = os.pread(server.output.fileno(), 10_000, 0).decode()
        ports = {name: int(port) for name, port in LISTENING.findall(written)}
        self._page = f"http://127.0.0.1:{ports.pop('web')}/metrics"
        self.ports: Mapping[str, int] = {door: ports[door] for door in DOORS}

    def read(self) -> Reading:
        """How it stands now. Raises BenchError if the hall is no more."""
        pid = self.server.pid
        if self.server.child.poll() is not None:
            raise BenchError(self.server.complaint(f"ended with {self.server.child.returncode}"))
        # Before the page is asked for, which costs something itself.
        cpu, resident, files = cpu_seconds(pid), resident_bytes(pid), open_files(pid)
        kept = sum(file.stat().st_size for file in self._folder.rglob("*") if file.is_file())
        counts: dict[str, dict[str, int]] = {}
        for name, door, value in SAMPLE.findall(self._metrics()):
            counts.setdefault(name, {})[door] = int(float(value))
        return Reading(
            cpu,
            resident,
            kept,
            files,
            counts.get("gamehall_connections", {}),
            counts.get("gamehall_connections_refused_total", {}),
            counts.get("gamehall_requests_total", {}),
        )

    def _metrics(self) -> str:
        """What the hall says of itself, empty if it does not find the time."""
        try:
            with urlopen(self._page, timeout=SECONDS_TO_ANSWER) as answer:
                text: str = answer.read().decode()
        except OSError:
            # A hall that is too busy for this is what a siege is to find out.
            return ""
        return text

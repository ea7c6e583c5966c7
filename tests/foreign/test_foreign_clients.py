"""Clients in other languages play whole games at every door.

They were written from PROTOCOL.md alone. A client exits with 1 if the server does anything that the
page does not allow.
"""

import os
import subprocess
from pathlib import Path

import pytest

from gamehall.protocols.catalogue import all_protocols
from tests.support.programs import find_program
from tests.support.served import Served

FOLDER = Path(__file__).parent
PATIENCE_SECONDS = 120
PLAYERS: dict[str, list[list[str]]] = {
    "tttp": [["ann"], ["bob"]],
    "go-text": [["5"], ["5"]],
    "santorini-lobby": [["ann"], ["bob"], ["cat"]],
    "santorini-tournament": [["ann"], ["bob"], ["cat"]],
    "ascension-http": [[], []],
}
"""The arguments of each client of a game, besides the port."""


def program(door: str, folder: Path) -> list[str]:
    """Return the command that runs the client of a door. Compile a client in C first."""
    [source] = FOLDER.glob(f"{door.replace('-', '_')}.*")
    path = os.environ["PATH"]
    if source.suffix == ".pl":
        # Debian always has perl, but its modules only with the package perl.
        find_program("json_pp", path, "perl")
        return [find_program("perl", path, "perl"), str(source)]
    gcc = find_program("gcc", path, "gcc")
    built = folder / source.stem
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1"]
    subprocess.run([gcc, *options, "-o", built, source], check=True)
    return [str(built)]


@pytest.mark.parametrize("door", all_protocols())
def test_clients_written_from_the_page_alone_finish_their_games(door: str, tmp_path: Path) -> None:
    command = program(door, tmp_path)
    with Served("--door", f"{door}=0") as hall:
        clients = [
            subprocess.Popen(
                [*command, str(hall.port(door)), *words],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for words in PLAYERS[door]
        ]
        ends = [client.communicate(timeout=PATIENCE_SECONDS) for client in clients]
        assert [client.returncode for client in clients] == [0] * len(clients), ends
        assert all(output for output, _ in ends)
        assert hall.stop() == 0

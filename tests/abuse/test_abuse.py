"""Hostile clients at all doors: games go on, nobody is disturbed, and memory stays bounded.

`make abuse` does the same with 5,000 attackers instead of 60. Nothing here depends on how long
anything takes, as long as it comes to an end.
"""

import http.client
import json
import os
import resource
import select
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from tests.abuse.attackers import ATTACKS, EVERYTHING, MESSAGES, join, plan
from tests.abuse.players import ARGUMENTS, DOORS, PATIENCE_SECONDS, Players
from tests.support.served import Served

CONNECTIONS = int(os.environ.get("GAMEHALL_ABUSE", "60"))


def connections_of(attack: str) -> int:
    """Return how many attackers there are: fewer if all of them do the same, and if it is loud."""
    if attack == EVERYTHING:
        return CONNECTIONS
    return max(60, CONNECTIONS // 10) // (6 if ATTACKS[attack].is_loud else 1)


GAMEHALL = (sys.executable, "-m", "gamehall")
"""The program itself: the one that also checks its rooms remembers all that it is told."""

MEGABYTE = 1 << 20


def bytes_allowed(connections: int) -> int:
    """By how much the hall may grow: a client that does not read is kept up to a megabyte for."""
    return 64 * MEGABYTE + connections * MEGABYTE // 4


@contextmanager
def attacked(ports: Mapping[str, int], attack: str, connections: int) -> Iterator[Counter[str]]:
    """Attack meanwhile. At the end the counter has the connections that each door has had."""
    words = [sys.executable, "-m", "tests.abuse.attackers", attack, str(connections)]
    words += [f"{door}={port}" for door, port in ports.items()]
    seen: Counter[str] = Counter()
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        try:
            ready, _, _ = select.select([program.stdout], [], [], PATIENCE_SECONDS)
            assert ready, "not all attackers could connect"
            assert program.stdout.readline() == "in\n"
            yield seen
            program.stdin.close()
            seen.update(json.loads(program.stdout.readline()))
            program.wait(PATIENCE_SECONDS)
        finally:
            program.kill()


def newcomers_are_answered(ports: Mapping[str, int]) -> None:
    """Check that a client that connects now gets an answer, at a door of each kind."""
    with socket.create_connection(("127.0.0.1", ports["tttp"]), PATIENCE_SECONDS) as one:
        one.sendall(join(b"newcomer"))
        assert one.recv(4, socket.MSG_WAITALL) == b"JOIN"
    looking = http.client.HTTPConnection(
        "127.0.0.1", ports["ascension-http"], timeout=PATIENCE_SECONDS
    )
    looking.request("GET", "/state")
    assert looking.getresponse().status == http.client.OK
    looking.close()


@pytest.fixture(autouse=True)
def as_many_files_as_allowed() -> Iterator[None]:
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("attack", [*ATTACKS, EVERYTHING])
def test_TM_25_players_finish_their_games_whatever_others_do(attack: str) -> None:
    connections = connections_of(attack)
    players = Players(seed=1)
    with Served(*ARGUMENTS, program=GAMEHALL) as hall:
        ports = {door: hall.port(door) for door in DOORS}
        players.take_seats(ports)
        before = hall.resident_bytes()
        with attacked(ports, attack, connections) as connected:
            players.play_to_the_end()
            newcomers_are_answered(ports)
            grown = hall.resident_bytes() - before
        newcomers_are_answered(ports)
        code = hall.stop()
    assert code == 0, hall.errors
    assert "Traceback" not in hall.errors, hall.errors
    assert grown < bytes_allowed(connections), f"{grown / MEGABYTE:.0f} MB"
    # The attackers have been there, too.
    assert connected.keys() == set(DOORS)
    assert all(players.total[door] > 0 for door in DOORS)


def test_every_attack_is_made_at_every_door() -> None:
    assert MESSAGES.keys() == set(DOORS)
    sent = set(plan(EVERYTHING, 5000))
    assert len(sent) == len(ATTACKS) * len(DOORS)
    assert sum(attack.share for attack in ATTACKS.values()) == 100

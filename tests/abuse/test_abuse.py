"""Hostile clients at all doors: games continue, and memory stays bounded.

`make abuse` does the same with 5,000 attackers instead of 60. The tests do not depend on how long
anything takes.
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
from tests.abuse.players import ARGUMENTS, DOORS, TIMEOUT_SECONDS, Players
from tests.support.served import Served

CONNECTIONS = int(os.environ.get("GAMEHALL_ABUSE", "60"))


def connections_of(attack: str) -> int:
    """Return the number of attackers: fewer if all do the same, and if that is costly."""
    if attack == EVERYTHING:
        return CONNECTIONS
    return max(60, CONNECTIONS // 10) // (6 if ATTACKS[attack].is_loud else 1)


GAMEHALL = (sys.executable, "-m", "gamehall")
"""Not the server that checks its rooms, which keeps all requests in memory."""

MEGABYTE = 1 << 20


def bytes_allowed(connections: int) -> int:
    """Return by how much the memory may grow: up to a megabyte is queued for a slow reader."""
    return 64 * MEGABYTE + connections * MEGABYTE // 4


@contextmanager
def attacked(ports: Mapping[str, int], attack: str, connections: int) -> Iterator[Counter[str]]:
    """Attack during the block. Afterwards the counter has the connections of each door."""
    words = [sys.executable, "-m", "tests.abuse.attackers", attack, str(connections)]
    words += [f"{door}={port}" for door, port in ports.items()]
    seen: Counter[str] = Counter()
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        try:
            ready, _, _ = select.select([program.stdout], [], [], TIMEOUT_SECONDS)
            assert ready, "not all attackers could connect"
            assert program.stdout.readline() == "in\n"
            yield seen
            program.stdin.close()
            seen.update(json.loads(program.stdout.readline()))
            program.wait(TIMEOUT_SECONDS)
        finally:
            program.kill()


def check_new_clients(ports: Mapping[str, int]) -> None:
    """Check that a client that connects now is answered, over TCP and over HTTP."""
    with socket.create_connection(("127.0.0.1", ports["tttp"]), TIMEOUT_SECONDS) as one:
        one.sendall(join(b"newcomer"))
        assert one.recv(4, socket.MSG_WAITALL) == b"JOIN"
    looking = http.client.HTTPConnection(
        "127.0.0.1", ports["ascension-http"], timeout=TIMEOUT_SECONDS
    )
    looking.request("GET", "/state")
    assert looking.getresponse().status == http.client.OK
    looking.close()


@pytest.fixture(autouse=True)
def raised_file_limit() -> Iterator[None]:
    before, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (before, limit))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("attack", [*ATTACKS, EVERYTHING])
def test_TM_25_players_finish_their_games_during_an_attack(attack: str) -> None:
    connections = connections_of(attack)
    players = Players(seed=1)
    with Served(*ARGUMENTS, program=GAMEHALL) as hall:
        ports = {door: hall.port(door) for door in DOORS}
        players.take_seats(ports)
        before = hall.resident_bytes()
        with attacked(ports, attack, connections) as connected:
            players.play_to_the_end()
            check_new_clients(ports)
            grown = hall.resident_bytes() - before
        check_new_clients(ports)
        code = hall.stop()
    assert code == 0, hall.errors
    assert "Traceback" not in hall.errors, hall.errors
    assert grown < bytes_allowed(connections), f"{grown / MEGABYTE:.0f} MB"
    # The attackers were connected.
    assert connected.keys() == set(DOORS)
    assert all(players.total[door] > 0 for door in DOORS)


def test_every_attack_is_made_at_every_door() -> None:
    assert MESSAGES.keys() == set(DOORS)
    sent = set(plan(EVERYTHING, 5000))
    assert len(sent) == len(ATTACKS) * len(DOORS)
    assert sum(attack.share for attack in ATTACKS.values()) == 100

"""Pages, metrics and health checks for operators, and closing with --drain."""

import json
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.end_to_end.test_bot import BotProcess
from tests.independent.tttp_clients import StreamClient, Update
from tests.support.served import Served

HOST = "127.0.0.1"


@pytest.fixture
def hall() -> Iterator[Served]:
    with Served("--door=tttp=0", "--door=web=0") as served:
        yield served


def address(hall: Served) -> str:
    [line] = [line for line in hall.lines if line.startswith("listening web ")]
    return line.split()[2]


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def metrics(hall: Served) -> dict[str, float]:
    status, text = get(address(hall) + "metrics")
    assert status == 200
    lines = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in lines}


def test_the_address_of_the_web_door_is_a_url(hall: Served) -> None:
    assert address(hall).startswith(f"http://{HOST}:")
    assert hall.lines[-1] == "ready"


def test_healthz_is_ok(hall: Served) -> None:
    assert get(address(hall) + "healthz") == (200, '{"status":"ok"}')


def test_the_page_lists_the_doors(hall: Served) -> None:
    status, page = get(address(hall))
    assert status == 200
    assert f"{HOST}:{hall.port()}" in page
    assert get(address(hall) + "nothing")[0] == 404


def test_metrics_count_connections_requests_and_matches(hall: Served) -> None:
    door = f"tttp://{HOST}:{hall.port()}"
    bots = [BotProcess(door, "random", "--name", name, "--games", "2") for name in ("ann", "bob")]
    assert [bot.end()[0] for bot in bots] == [0, 0]
    with StreamClient(HOST, hall.port()) as red:
        red.join(b"red")
        counted = metrics(hall)
    assert counted['gamehall_connections{door="tttp"}'] == 1
    assert counted['gamehall_connections_admitted_total{door="tttp"}'] == 3
    assert counted['gamehall_requests_total{door="tttp"}'] > 10
    assert counted['gamehall_matches_total{ending="played out",room="tttp"}'] == 2
    assert counted['gamehall_moves_total{room="tttp"}'] >= 14
    answered = counted['gamehall_answer_seconds_count{room="tttp"}']
    assert answered > 10
    assert counted['gamehall_answer_seconds_bucket{le="+Inf",room="tttp"}'] == answered
    assert counted["gamehall_journal_seconds_count"] > 0
    assert counted["gamehall_journal_waiting"] == 0


def test_drain_waits_for_a_match_to_end() -> None:
    with Served("--door=tttp=0", "--door=web=0", "--drain", "30") as hall:
        door = f"tttp://{HOST}:{hall.port()}"
        with StreamClient(HOST, hall.port()) as red, StreamClient(HOST, hall.port()) as blue:
            red.join(b"red")
            blue.join(b"blue")
            red.read()
            hall.program.send_signal(signal.SIGTERM)
            while get(address(hall) + "healthz")[0] == 200:
                pass
            assert json.loads(get(address(hall) + "healthz")[1]) == {"status": "closing"}
            assert "cannot connect" in BotProcess(door, "random").end()[2], "no new clients"
            red.play(3, 0)
            updates = [red.read(), red.read()]
            turns = [one.turn for one in updates if isinstance(one, Update)]
            assert turns == [1, 2], "the update before the signal, and the next one"
        assert hall.wait() == 0


def test_a_second_signal_ends_the_drain() -> None:
    with (
        Served("--door=tttp=0", "--drain", "3000") as hall,
        StreamClient(HOST, hall.port()) as red,
    ):
        red.join(b"red")
        hall.program.send_signal(signal.SIGTERM)
        hall.program.send_signal(signal.SIGINT)
        assert hall.wait() == 0

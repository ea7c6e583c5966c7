"""Whole tournaments between clients written from the documents alone."""

from pathlib import Path

import msgspec
import pytest

from tests.independent.santorini_clients import run_together
from tests.independent.santorini_lobby_clients import Ending, Reading, SeeingClient
from tests.independent.santorini_tournament_clients import LineClient, StreamClient
from tests.naive.running import Client
from tests.support.served import Served

ROOT = Path(__file__).parents[2]
HOST = "127.0.0.1"


class Report(msgspec.Struct):
    """The part of a tournament's report that matters here."""

    wins: list[tuple[str, str]]


def report_of(hall: Served) -> Report:
    """Return what the server prints of its one tournament."""
    assert hall.wait() == 0, hall.errors
    [line] = hall.output.splitlines()
    word, _, report = line.split(" ", 2)
    assert word == "result"
    return msgspec.json.decode(report, type=Report)


def test_S1_04_S1_05_S1_16_S1_17_everybody_plays_everybody_thrice() -> None:
    with Served(
        *("--door", "santorini-tournament=0", "--once"),
        *("--set", "santorini-tournament.players=4"),
    ) as hall:
        port = hall.port("santorini-tournament")
        clients: list[LineClient] = [
            LineClient(HOST, port, "ann", 1),
            StreamClient(HOST, port, "ann", 2),
            LineClient(HOST, port, "bob", 3),
            StreamClient(HOST, port, "cat", 4),
        ]
        run_together(clients)
        names = {client.internal_name for client in clients}
        assert len(names) == 4
        assert {"ann", "bob", "cat"} < names
        for client in clients:
            assert sorted(client.opponents) == sorted([*(names - {client.internal_name})] * 3)
        assert len(report_of(hall).wins) == 18


@pytest.mark.parametrize("readings", [(Reading.DESTINATION, Reading.ORIGIN), (Reading.ORIGIN,) * 2])
def test_S0_Q11_both_readings_of_a_turn_play_each_other(readings: tuple[Reading, ...]) -> None:
    with Served(
        *("--door", "santorini-lobby=0", "--once"),
        *("--set", "santorini-lobby.players=2", "--set", "santorini-lobby.games-per-pair=5"),
    ) as hall:
        port = hall.port("santorini-lobby")
        clients = [
            SeeingClient(HOST, port, f"player {number}", number, reading=reading)
            for number, reading in enumerate(readings)
        ]
        run_together(clients)
        for client in clients:
            assert len(client.endings) == 5
            assert Ending.BROKEN_OFF not in client.endings
        assert len(report_of(hall).wins) == 5


def test_clients_of_both_documents_play_one_tournament() -> None:
    with Served(
        *("--door", "santorini-tournament=0", "--door", "santorini-lobby=0"),
        *("--config", str(ROOT / "examples" / "santorini.toml"), "--once"),
    ) as hall:
        line = LineClient(HOST, hall.port("santorini-tournament"), "ann", 1)
        stream = StreamClient(HOST, hall.port("santorini-tournament"), "bob", 2)
        with Client(hall, "santorini-lobby", "Cat 9") as blind:
            run_together([line, stream])
            blind.finish()
        assert line.opponents.count(stream.internal_name) == 3
        assert "cat" in line.opponents + stream.opponents
        assert report_of(hall).wins

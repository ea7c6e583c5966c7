"""Clients written from the document alone play whole games of TTTP."""

import random
import time
from collections.abc import Iterator

import pytest

from tests.independent.tttp_clients import (
    NamedRow,
    SloppyClient,
    StreamClient,
    Update,
    play_whole_game,
)
from tests.oracles.naive_connect_four import NaiveConnectFour
from tests.support.served import Served

HOST = "127.0.0.1"


@pytest.fixture(scope="module")
def hall(request: pytest.FixtureRequest) -> Iterator[Served]:
    with Served("--door", "tttp=0", "--set", f"tttp.gravity={request.param}") as hall:
        yield hall


def random_columns(seed: int) -> tuple[list[int], NaiveConnectFour]:
    """Return the columns of a random game, and the position at its end."""
    chance, game, columns = random.Random(seed), NaiveConnectFour(), []
    while game.won == 0:
        column, row = chance.choice(game.resting_cells())
        game.play(column, row)
        columns.append(column)
    return columns, game


@pytest.mark.parametrize(
    ("hall", "named_row"),
    [
        ("drop", NamedRow.TOP),
        ("drop", NamedRow.LANDING),
        *(("column", named_row) for named_row in NamedRow),
    ],
    indirect=["hall"],
)
def test_T_Q03_twenty_games_at_one_table_end_as_the_naive_game_says(
    hall: Served, named_row: NamedRow
) -> None:
    with StreamClient(HOST, hall.port()) as red, StreamClient(HOST, hall.port()) as blue:
        assert (red.join(b"red"), blue.join(b"blue")) == (1, 2)
        red.read(), red.read(), blue.read()
        for seed in range(20):
            columns, game = random_columns(seed)
            last = play_whole_game(red, blue, columns, named_row)
            assert last == Update(game.turn, game.won, game.spots())
            blue.rematch()
            assert red.read() == blue.read() == Update(1, 0, bytes(42))


def test_X_02_clients_that_take_one_recv_for_one_message_mostly_work() -> None:
    """The setting pace-ms keeps two messages from waiting together in the client's socket."""
    with (
        Served("--door", "tttp=0", "--set", "tttp.pace-ms=50") as hall,
        SloppyClient(HOST, hall.port()) as red,
        SloppyClient(HOST, hall.port()) as blue,
    ):
        began = time.monotonic()
        assert red.join(b"red") == 1
        assert red.read() == Update(1, 0, bytes(42))
        assert time.monotonic() - began >= 0.05
        assert blue.join(b"blue") == 2
        assert blue.read() == red.read() == Update(1, 0, bytes(42))
        columns, game = random_columns(1)
        last = play_whole_game(red, blue, columns, NamedRow.LANDING)
        assert last == Update(game.turn, game.won, game.spots())

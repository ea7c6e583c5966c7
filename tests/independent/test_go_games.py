"""Whole games of Go between clients written from the protocol's description alone."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

import pytest

from tests.independent.go_text_clients import (
    Behaviour,
    LineClient,
    Readings,
    StreamClient,
    Terms,
    run_pair,
)
from tests.oracles.naive_go import BLACK, WHITE, Illegal
from tests.support.served import Served

HOST = "127.0.0.1"


@pytest.fixture(scope="module")
def hall() -> Iterator[Served]:
    with Served("--door", "go-text=0") as hall:
        yield hall


def test_G_25_G_29_thirty_games_end_as_both_clients_count_them(hall: Served) -> None:
    port = hall.port("go-text")
    provoked: Counter[Illegal] = Counter()
    for seed in range(30):
        size = (2, 3, 4, 5, 9, 13)[seed % 6]
        terms = Terms(
            size,
            (BLACK, WHITE)[seed % 2],
            handicap=seed % 3,
            komi=(Decimal("0.5"), Decimal(0), Decimal("-2.5"))[seed % 3],
        )
        first_kind, second_kind = ((LineClient, StreamClient), (StreamClient, LineClient))[seed % 2]
        behaviour = Behaviour(
            illegal_probability=0.3,
            answers_badly_first=seed % 2 == 0,
            answers_last_pass=seed % 5 == 0,
        )
        with (
            first_kind(HOST, port, terms, seed=seed, behaviour=behaviour) as first,
            second_kind(
                HOST, port, seed=seed + 100, behaviour=Behaviour(illegal_probability=0.2)
            ) as second,
        ):
            run_pair(first, second)
            assert first.ending == second.ending == "scored"
            provoked += first.provoked + second.provoked
    assert all(provoked[kind] for kind in Illegal), "every kind of illegal move was refused"


def test_G_24_G_09_resignations_and_refusals(hall: Served) -> None:
    port = hall.port("go-text")
    terms = Terms(9, BLACK, handicap=0, komi=Decimal("6.5"))
    for behaviour, ending in (
        (Behaviour(resign_after=5), "resigned"),
        (Behaviour(agrees=False), "refused"),
    ):
        with (
            LineClient(HOST, port, terms, seed=1) as first,
            StreamClient(HOST, port, seed=2, behaviour=behaviour) as second,
        ):
            run_pair(first, second)
            assert first.ending == second.ending == ending


def test_G_Q17_G_Q19_G_Q21_G_Q24_on_other_settings() -> None:
    with Served(
        *("--door", "go-text=0", "--set", "go-text.base=1", "--set", "go-text.booleans=true"),
        *("--set", "go-text.ko=simple", "--set", "go-text.scoring=area"),
    ) as hall:
        port = hall.port("go-text")
        readings = Readings(base=1, true="true", false="false", ko="simple", scoring="area")
        terms = Terms(5, BLACK, handicap=2, komi=Decimal("2.5"))
        with (
            LineClient(HOST, port, terms, seed=1, readings=readings) as first,
            StreamClient(HOST, port, seed=2, readings=readings) as second,
        ):
            run_pair(first, second)
            assert first.ending == "scored"

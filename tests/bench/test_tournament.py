"""The benchmark runs, and a server that is wrong gets no figure."""

import json

import pytest

from gamehall.bench import tournament
from gamehall.bench.machine import BenchError


def test_four_bots_play_eighteen_games_at_the_door() -> None:
    lines: list[str] = []
    figures = tournament.run(lines.append, bots=4, rounds=1)
    rows = {words[0] for line in lines if (words := line.split())}
    assert {"replay", "door"} <= rows
    door = figures["door"]
    assert isinstance(door, dict)
    assert [done["games"] for done in door["rounds"]] == [18]


@pytest.mark.parametrize(
    "result",
    [
        "",
        json.dumps({"cheaters": {"ann": "left"}, "wins": [["bob", "ann"]] * 3}),
        json.dumps({"cheaters": {}, "wins": [["bob", "ann"]] * 2}),
    ],
)
def test_a_hall_that_reports_anything_else_gets_no_figure(result: str) -> None:
    with pytest.raises(BenchError):
        tournament.check_report(f"ready\nresult santorini-tournament {result}\n", games=3)

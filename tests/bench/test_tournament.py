"""The benchmark runs, and a server that is wrong gets no figure."""

import json

import pytest

from gamehall.bench import tournament
from gamehall.bench.machine import BenchError


@pytest.mark.parametrize(("bots", "games"), [(4, 18), (16, 360)])
def test_a_tournament_of_bots_ends_by_itself_with_the_right_results(bots: int, games: int) -> None:
    lines: list[str] = []
    figures = tournament.run(lines.append, bots, rounds=1)
    rows = {words[0] for line in lines if (words := line.split())}
    assert {"replay", "door"} <= rows
    door = figures["door"]
    assert isinstance(door, dict)
    assert [done["games"] for done in door["rounds"]] == [games]


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

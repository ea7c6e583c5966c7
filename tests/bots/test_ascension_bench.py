"""The program that measures how strong the bots for Ascension are."""

import json
import sys

import pytest

from gamehall.bench import ascension_bots
from gamehall.bench.ascension_bots import GREEDY, Task, play, share_of
from gamehall.bots.ascension.appraisal import WEIGHTS
from gamehall.core import Seat


@pytest.mark.parametrize(
    ("won", "games", "low", "high"),
    [(9, 10, 0.5958, 0.9821), (50, 100, 0.4038, 0.5962), (0, 20, 0.0, 0.1611)],
)
def test_intervals_are_wilson_s(won: int, games: int, low: float, high: float) -> None:
    share = share_of(won, games)
    assert share.share == won / games
    assert share.low == pytest.approx(low, abs=1e-4)
    assert share.high == pytest.approx(high, abs=1e-4)


def test_a_game_is_told_from_the_planner_s_side() -> None:
    for seat in Seat:
        game = play(Task(GREEDY, 5, seat, 0.0, WEIGHTS))
        assert (game.margin > 0) is (game.winner is seat)
        assert game.moves > 50
        assert 0 < game.longest_seconds <= game.seconds


def test_every_seed_is_played_from_both_seats(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--games", "4", "--seconds-per-move", "0"]
    monkeypatch.setattr(sys, "argv", ["ascension_bots", *options, "--json"])
    ascension_bots.main()
    figures = json.loads(capsys.readouterr().out)
    assert set(figures) == {"infantry", "greedy"}
    for against in figures.values():
        for seats, games in (("all", 4), ("first", 2), ("second", 2)):
            counts = against[seats]
            assert counts["wins"] + counts["losses"] + counts["draws"] == games
    monkeypatch.setattr(sys, "argv", ["ascension_bots", *options, "--opponent", "infantry"])
    ascension_bots.main()
    assert capsys.readouterr().out.startswith("planner against infantry, 4 games")


def test_a_weight_that_there_is_not_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["ascension_bots", "--weight", "luck=1"])
    with pytest.raises(SystemExit):
        ascension_bots.main()
    assert "luck is none of rune" in capsys.readouterr().err

"""All engines play the same games, and one that does not gets no figure."""

import sys

import pytest

from gamehall.bench import go
from gamehall.bench.go_engines import (
    PYTHON_ENGINES,
    GamehallEngine,
    SgfmillInPlace,
    SgfmillValues,
    engines,
)
from gamehall.bench.go_games import random_game
from gamehall.bench.machine import BenchError
from gamehall.games.go import Go, Point, Stone


def test_every_engine_comes_to_the_same_stones_after_every_move() -> None:
    whole = random_game(5, seed=1)
    assert len(whole.points) > len(whole.stones), "stones were captured"
    assert {kind.library for kind in engines()} == {"gamehall", "sgfmill", "OpenSpiel"}
    for moves in range(len(whole.points) + 1):
        game = random_game(5, seed=1, longest=moves)
        assert game.points == whole.points[:moves]
        for kind in engines():
            engine = kind(game)
            engine.play()
            assert engine.stones() == game.stones, kind


def test_a_random_game_is_legal_to_its_end() -> None:
    for seed in range(20):
        game = random_game(4, seed)
        position = Go(4).start(0)
        for point in game.points:
            position = position.after(Stone(point))
        assert position.stones == game.stones
        can_go_on = any(isinstance(move, Stone) for move in position.legal_moves())
        assert len(game.points) == 32 or not can_go_on


def test_the_same_legal_moves_are_found_but_for_superko() -> None:
    for seed in range(20):
        game = random_game(5, seed, longest=20)
        found: dict[str, int] = {}
        for kind in engines():
            engine = kind(game)
            engine.play()
            number = engine.count_legal_moves()
            assert found.setdefault(kind.library, number) == number, "whatever the way"
        go.check_counts(found)


def test_every_table_has_a_row_for_every_engine() -> None:
    lines: list[str] = []
    figures = go.run(lines.append, rounds=2, games_by_size={5: 3, 9: 1})
    moves, listing = figures["moves_5"], figures["legal_moves_5"]
    assert isinstance(moves, dict)
    assert isinstance(listing, dict)
    assert moves["games"] == 3
    assert moves["moves"] == sum(len(random_game(5, seed).points) for seed in range(3))
    by_way = [f"{kind.library}, {kind.way}" for kind in engines()]
    assert len(by_way) == 5
    for name in by_way:
        assert sum(line.startswith(f"{name} ") for line in lines) == 2, "on both boards"
        assert len(moves[name]["rounds"]) == 2
    for library in ("gamehall", "sgfmill", "OpenSpiel"):
        assert sum(line.startswith(f"{library} ") for line in lines) >= 2
        assert listing[library]["cpu_microseconds"]["low"] > 0
    assert moves["gamehall, values"]["cpu_ratio_to_gamehall"]["median"] == 1
    assert max(len(line) for line in lines) <= 100
    assert go.WITHOUT_OPEN_SPIEL not in lines


def test_without_open_spiel_it_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "gamehall.bench.go_open_spiel", raising=False)
    assert engines() == PYTHON_ENGINES
    lines: list[str] = []
    figures = go.run(lines.append, rounds=1, games_by_size={5: 1})
    assert go.WITHOUT_OPEN_SPIEL in lines
    moves = figures["moves_5"]
    assert isinstance(moves, dict)
    assert "sgfmill, values" in moves
    assert "OpenSpiel, values" not in moves


def test_an_engine_that_ends_with_other_stones_gets_no_figure() -> None:
    game = random_game(5, seed=1)
    shorter = game._replace(points=game.points[:-1])
    for kind in engines():
        engine = kind(shorter)
        engine.play()
        with pytest.raises(BenchError, match=f"{kind.library}, {kind.way}: .* other stones"):
            go.check_boards([game], [[engine]])


def test_sgfmill_as_values_refuses_suicide_and_ko_and_in_place_does_not() -> None:
    start = random_game(5, seed=1, longest=0)
    suicide = [Point(0, 1), Point(4, 4), Point(1, 0), Point(0, 0)]
    # Black's last stone takes a white one, and white takes it back at once.
    ko = [Point(0, 1), Point(0, 2), Point(1, 0), Point(1, 3), Point(2, 1), Point(2, 2), Point(4, 4)]
    ko += [Point(1, 1), Point(1, 2), Point(1, 1)]
    for points in (suicide, ko):
        game = start._replace(points=tuple(points))
        with pytest.raises(BenchError, match="ko or suicide"):
            SgfmillValues(game).play()
        SgfmillInPlace(game).play()


@pytest.mark.parametrize(
    "found",
    [
        {"gamehall": 5, "sgfmill": 6, "OpenSpiel": 7},
        {"gamehall": 7, "sgfmill": 6, "OpenSpiel": 6},
        {"gamehall": 7, "sgfmill": 6},
    ],
)
def test_other_numbers_of_legal_moves_give_no_figure(found: dict[str, int]) -> None:
    assert GamehallEngine.library in found
    with pytest.raises(BenchError):
        go.check_counts(found)

"""The benchmark of compiled kernels runs, and gives no figure where both sides do not agree."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from gamehall.bench import kernels, kernels_book, kernels_connect_four
from gamehall.bench.kernels_connect_four import WITHOUT_GCC, perft_contest, run_program
from gamehall.bench.kernels_contest import Contest, repeated
from gamehall.bench.kernels_santorini import WITHOUT_SANTORINAI, play_santorinai
from gamehall.bench.machine import BenchError
from gamehall.bots.connect_four import book, opening_book
from gamehall.bots.connect_four.opening_book import VALUES


def test_every_kernel_gets_a_row() -> None:
    lines: list[str] = []
    figures = kernels.run(lines.append, seconds=0.05, rounds=2)
    for name in (
        "Connect Four perft",
        "Connect Four solver",
        "Santorini playouts",
        "Santorini search",
    ):
        assert sum(line.startswith(f"{name}, ") for line in lines) == 1
        figure = figures[name]
        assert isinstance(figure, dict)
        assert figure["per_second"]["low"] > 0
    playouts = figures["Santorini playouts"]
    assert isinstance(playouts, dict)
    assert playouts["other"] == "SantorinAI"
    assert playouts["ratio"]["low"] > 1
    assert max(len(line) for line in lines) <= 100


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.5, "0.5"),
        (999.4, "999"),
        (999.6, "1k"),
        (1_590.0, "1.59k"),
        (999_600.0, "1M"),
        (421e6, "421M"),
        (1.03e9, "1.03G"),
    ],
)
def test_numbers_are_short(value: float, written: str) -> None:
    assert kernels.short(value) == written


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is missing (apt-get install gcc)")
def test_c_counts_the_same_games(tmp_path: Path) -> None:
    compiler = shutil.which("gcc")
    assert compiler is not None
    program = kernels_connect_four.compiled_program(compiler, tmp_path)
    assert [run_program(program, depth)(0.0)[0] for depth in (1, 5, 8)] == [7, 16807, 5673234]


def test_a_program_that_does_not_compile_gives_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels_connect_four, "PERFT_IN_C", "no program")
    with pytest.raises(BenchError, match="perft"):
        kernels_connect_four.compiled_program(shutil.which("gcc") or "false", tmp_path)


def test_without_gcc_it_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    lines: list[str] = []
    figures = kernels.run(lines.append, 0.01, 1, [perft_contest])
    assert WITHOUT_GCC in lines
    assert WITHOUT_SANTORINAI not in lines
    figure = figures["Connect Four perft"]
    assert isinstance(figure, dict)
    assert "ratio" not in figure


def test_two_sides_that_disagree_get_no_figure() -> None:
    work = repeated(lambda: 1.0)
    contest = Contest("nonsense", "things", work, "nobody", work, agrees=lambda: False)
    lines: list[str] = []
    with pytest.raises(BenchError, match="nobody comes to another result"):
        kernels.run(lines.append, 0.01, 1, [lambda: contest])


def test_a_rate_is_by_the_seconds_of_whoever_worked() -> None:
    assert kernels.rate(lambda _: (100.0, 4.0), 1.0) == 25.0


def test_santorinai_plays_a_game_to_its_end() -> None:
    assert play_santorinai() == 1.0


def test_the_book_is_written_as_it_is_and_read_again() -> None:
    module: dict[str, str] = {}
    exec(kernels_book.written(VALUES, "us"), module)
    assert module["VALUES"] == VALUES
    assert kernels_book.written(VALUES, "bitbully") == Path(opening_book.__file__).read_text()
    values = np.array([book.value(book.stones_of_key(key)) for key in book.kept().tolist()])
    assert book.written(values) == VALUES


def test_wrong_values_of_the_book_are_found() -> None:
    right = kernels_book.bitbully()
    assert kernels_book.wrong_values(50, right) == []
    assert len(kernels_book.wrong_values(50, lambda stones: -2)) == 50

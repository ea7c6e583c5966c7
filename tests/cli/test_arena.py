"""The options, the output and the errors of `gamehall arena`."""

import json
import shlex
from pathlib import Path

import pytest

from gamehall.arena.config import ArenaConfig
from gamehall.cli.arena import arena
from gamehall.cli.arena_config import ArenaOptions, command_line, read_config
from gamehall.storage import Archive, open_database
from tests.support.commands import run

BOTS = Path(__file__).parent.parent / "arena" / "bots.py"


def run_arena(*arguments: object) -> int:
    return run("arena", *arguments)


def test_the_standings_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ("--data", tmp_path, "--seed", 1)
    assert run_arena("connect-four", "random", "greedy", "random", "--games", 8, *data) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "bot",
        "points",
        "games",
        "score",
        "Elo",
        "±95",
        "%",
        "better",
        "than",
        "next",
        "1st",
        "2nd",
    ]
    assert lines[1].split()[:2] == ["1", "greedy"]
    assert {line.split()[1] for line in lines[2:4]} == {"random", "random#2"}
    assert "24 games: 24 played out" in lines


def test_the_standings_are_printed_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("connect-four", "random", "greedy", "--games", 8, "--json", "--name", "first")
    assert run_arena(*words, "--data", tmp_path, "--seed", 1) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["name"] == "first"
    assert summary["is_over"] is True
    assert summary["matches"] == summary["expected"] == 8
    assert [line["place"] for line in summary["lines"]] == [1, 2]
    assert sum(line["points"] for line in summary["lines"]) == 8
    assert summary["cross_table"][0][0] is None
    assert summary["cross_table"][0][1]["matches"] == 8
    records = Archive(open_database(tmp_path)).latest(100)
    assert len(records) == 8
    assert Archive(open_database(tmp_path)).find_match(records[0].record.match_name) is not None


def test_the_same_seed_gives_the_same_standings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = []
    for folder, seed in (("a", 5), ("b", 5), ("c", 6)):
        words = ("santorini", "random", "random", "--games", 10, "--workers", 1)
        assert run_arena(*words, "--seed", seed, "--data", tmp_path / folder) == 0
        tables.append(capsys.readouterr().out)
    assert tables[0] == tables[1] != tables[2]


def test_a_finished_run_can_be_shown_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("connect-four", "random", "greedy", "--games", 4, "--data", tmp_path)
    assert run_arena(*words, "--name", "one") == 0
    table = capsys.readouterr().out
    assert run_arena("--resume", "--data", tmp_path) == 0
    assert capsys.readouterr().out == table
    assert run_arena("--resume", "one", "--data", tmp_path) == 0
    assert capsys.readouterr().out == table


def test_classes_of_the_same_name_are_named_after_their_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ann", "bob"):
        (tmp_path / f"{name}.py").write_text(
            "from gamehall.bots import Bot\n\nclass MyBot(Bot):\n"
            "    def choose(self, position, seat, seconds_left):\n"
            "        return next(iter(position.legal_moves()))\n"
        )
    bots = [f"{tmp_path / name}.py:MyBot" for name in ("ann", "bob", "bob")]
    assert run_arena("connect-four", *bots, "--games", 2, "--data", tmp_path, "--json") == 0
    names = {line["name"] for line in json.loads(capsys.readouterr().out)["lines"]}
    assert names == {"ann.MyBot", "bob.MyBot", "bob.MyBot#2"}


def test_a_sequential_test_stops_when_it_has_a_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("connect-four", "greedy", "random", "--data", tmp_path, "--seed", 1)
    assert run_arena(*words, "--sprt", "elo0=0", "elo1=50", "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["test"]["llr"] > summary["test"]["upper"]
    assert summary["test"]["verdict"] == "accepted"
    assert summary["matches"] < 200
    assert len(Archive(open_database(tmp_path)).latest(1000)) == summary["matches"]
    assert run_arena("--resume", "--data", tmp_path) == 0
    assert "to +\N{INFINITY}); LLR" in capsys.readouterr().out, "greedy has won them all"


def test_until_stops_when_the_goal_is_reached(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("connect-four", "random", "greedy", "random", "--data", tmp_path, "--seed", 1)
    assert run_arena(*words, "--until", "top 1 known at 95%") == 0
    assert "doubt" in capsys.readouterr().out


def test_a_book_and_terms_are_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "book.txt"
    book.write_text("e5; d4\nc3\n")
    words = ("go", "random", "random", "--set", "size=5", "--set", "komi=0.5", "--book", book)
    assert run_arena(*words, "--games", 4, "--data", tmp_path, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["terms"]["size"] == 5
    begun = {
        tuple(played.move for played in kept.record.moves[:2])
        for kept in Archive(open_database(tmp_path)).latest(10)
    }
    assert {moves[0] for moves in begun} == {"E5", "C3"}


@pytest.mark.parametrize(
    "words",
    [
        ("--sprt", "elo0=0", "elo1=9", "--alpha", 0.01, "--beta", 0.1, "--elo-model", "logistic"),
        ("--until", "top 1 known at 90%"),
        ("--format", "swiss", "--rounds", 1, "--games", 5, "--no-pairs", "--book", "random:3"),
        ("--set", "line_length=5", "--games", 6),
    ],
)
def test_the_command_in_the_report_plays_the_same_run(words: tuple[object, ...]) -> None:
    arguments = ["connect-four", "random", "mcts@0.5", "--seed", "7", *map(str, words)]
    config = config_of(arguments)
    assert config_of(shlex.split(command_line(config))[2:]) == config


def config_of(arguments: list[str]) -> ArenaConfig:
    """Return the configuration that the options of `gamehall arena` describe."""
    given = arena.make_context("arena", arguments).params
    options = ArenaOptions(**{name: given[name] for name in ArenaOptions._fields})
    return read_config(given["game"], given["bots"], options)


SYNTAX = "class Bot:\n    def choose(self\n"
ERRORS = [
    ((), "name a game and at least two bots"),
    (("connect-for", "random", "random"), "did you mean connect-four?"),
    (("connect-four", "random"), "name at least two bots"),
    (("connect-four", "random", "nobody"), "there is no bot 'nobody'; for connect-four there are:"),
    (("connect-four", "random", "gtp:gnugo"), "GTP engines play go"),
    (("go", "random", "gtp:/nowhere/engine"), "cannot start /nowhere/engine"),
    (("connect-four", "random", "{broken}:Bot"), "is not Python"),
    (("connect-four", "random", f"{BOTS}:Nobody"), "has no class Nobody"),
    (("connect-four", "random", f"{BOTS}:StartsBadly"), "raised RuntimeError: not today"),
    (("connect-four", "random", "/nowhere.py:Bot"), "there is no file /nowhere.py"),
    (("connect-four", "random", "mcts@soon"), "after the @, write the seconds per move"),
    (("connect-four", "random", "random", "--games", 3), "write --games 4, or --no-pairs"),
    (("connect-four", "random", "random", "--book", "random:x"), "write random:N"),
    (("connect-four", "random", "random", "--book", "{book}"), "line 2: d9: "),
    (("connect-four", "random", "random", "--book", "/nowhere"), "No such file"),
    (
        ("connect-four", "random", "random", "--set", "size=9"),
        "has no term size; its terms are: line_length, gravity",
    ),
    (("go", "random", "random", "--set", "size=99"), "wrong terms of go"),
    (("connect-four", "random", "random", "--sprt", "elo0=5", "elo1=1"), "elo"),
    (("greedy", "random"), "name the game first, as in gamehall arena"),
    (("mine.py:Mine", "random"), "name the game first, as in gamehall arena"),
    (("connect-four", "random", "random", "--sprt", "a=5", "elo1=1"), "elo0"),
    (("connect-four", "random", "random", "greedy", "--sprt", "elo0=0", "elo1=5"), "2 players"),
    (("connect-four", "random", "random", "--until", "soon"), "is no goal"),
    (
        ("connect-four", "random", "random", "--rounds", 3),
        "the number of bots decides the rounds of a round-robin",
    ),
    (("connect-four", "random", "random", "--on", "moon"), "write local, ray, or ray://"),
    (("connect-four", "random", "random", "--report", "/no/where.html"), "there is no folder"),
    (("connect-four", "random", "random", "--name", ""), "--name cannot be ''"),
    (("--resume",), "there is no run to resume"),
    (("--resume", "other"), "there is no run 'other'"),
]


@pytest.mark.parametrize(("words", "message"), ERRORS)
def test_an_error_is_one_line(
    words: tuple[object, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, book = tmp_path / "broken.py", tmp_path / "book.txt"
    broken.write_text(SYNTAX)
    book.write_text("d1\nd1;d9\n")
    given = [str(word).format(broken=broken, book=book) for word in words]
    assert run_arena(*given, "--data", tmp_path / "hall") == 2
    output = capsys.readouterr()
    assert output.out == ""
    [line] = output.err.splitlines()
    assert message in line


def test_a_run_is_not_resumed_with_other_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(BOTS.read_text())
    words = ("connect-four", "random", f"{mine}:Good", "--games", 2, "--data", tmp_path)
    assert run_arena(*words) == 0
    capsys.readouterr()
    assert run_arena("connect-four", "random", "greedy", "--resume", "--data", tmp_path) == 2
    assert "omit game and bots" in capsys.readouterr().err
    mine.write_text(BOTS.read_text() + "\n# changed\n")
    assert run_arena("--resume", "--data", tmp_path) == 2
    assert "has changed since" in capsys.readouterr().err


def test_two_runs_cannot_have_the_same_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("connect-four", "random", "greedy", "--games", 2, "--data", tmp_path, "--name", "x")
    assert run_arena(*words) == 0
    assert run_arena(*words) == 2
    assert "there is a run 'x' already" in capsys.readouterr().err


def test_a_bot_that_prints_is_mentioned_and_does_no_harm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("connect-four", "random", f"{BOTS}:Prints", "--games", 2, "--data", tmp_path, "--json")
    assert run_arena(*words) == 0
    summary = json.loads(capsys.readouterr().out)
    assert any("Prints prints to standard output" in remark for remark in summary["remarks"])

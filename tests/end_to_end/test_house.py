"""House bots play with players who wait alone, at every door, and not with each other."""

import subprocess
from itertools import islice
from pathlib import Path

import pytest

from gamehall.cli.serve_file import HouseBotError, read_house
from gamehall.storage import Archive, open_database
from tests.end_to_end.test_bot import BotProcess
from tests.support.served import GAMEHALL, Served

DOORS = {
    "tttp": "connect-four",
    "santorini-tournament": "santorini",
    "santorini-lobby": "santorini",
    "go-text": "go",
    "ascension-http": "ascension",
}
EXAMPLE = Path(__file__).parents[2] / "examples" / "my_bot.py"


@pytest.mark.parametrize("door", DOORS)
def test_a_player_who_waits_alone_gets_an_opponent(door: str, tmp_path: Path) -> None:
    house = f"{DOORS[door]}=random"
    with Served("--door", f"{door}=0", "--house", house, "--data", str(tmp_path)) as hall:
        address = f"{door}://127.0.0.1:{hall.port(door)}"
        terms = ("--answer", "boardsize=5") if door == "go-text" else ()
        player = BotProcess(address, f"{EXAMPLE}:MyBot", "--name", "player", *terms)
        code, output, errors = player.end()
        assert (code, errors) == (0, "")
        assert output.startswith("player: game 1: ")
        assert hall.stop() == 0
        assert "has failed" not in hall.errors
    records = [kept.record for kept in Archive(open_database(tmp_path)).latest(100)]
    # No house bot has played against another one.
    assert len(records) == (3 if door == "santorini-tournament" else 1)


def test_a_house_bot_plays_several_games(tmp_path: Path) -> None:
    house = ("--house", "connect-four=random", "--data", str(tmp_path))
    with Served("--door", "tttp=0", *house) as hall:
        address = f"tttp://127.0.0.1:{hall.port()}"
        player = BotProcess(address, f"{EXAMPLE}:MyBot", "--name", "player", "--games", "3")
        code, output, errors = player.end()
        assert (code, errors) == (0, "")
        assert [line.split(":")[1] for line in output.splitlines()] == [
            " game 1",
            " game 2",
            " game 3",
        ]
        assert all(line.endswith(("in a row", "cat's game")) for line in output.splitlines())
        assert hall.stop() == 0


def test_TM_23_a_house_bot_that_fails_is_logged_and_replaced(
    tmp_path: Path,
) -> None:
    (tmp_path / "bad.py").write_text("class Bad:\n    def choose(self, *what):\n        1 / 0\n")
    house = f"connect-four={tmp_path / 'bad.py'}:Bad"
    with Served("--door", "tttp=0", "--house", house) as hall:
        player = BotProcess(f"tttp://127.0.0.1:{hall.port()}", "random", "--name", "player")
        assert hall.program.stderr is not None
        [line] = islice((one for one in hall.program.stderr if "has failed" in one), 1)
        # A game that was cancelled before the first move of the opponent does not count.
        code, output, errors = player.end()
        assert (code, errors) == (0, "")
        assert output.startswith("player: game 1: ")
        assert hall.stop() == 0
    assert "Bad.choose raised ZeroDivisionError: division by zero (bad.py, line 3)" in line
    assert line.endswith("; random plays in its place\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("perfect", "write GAME=BOT, as in connect-four=perfect"),
        ("chess=random", "there is no game 'chess'; there are: ascension"),
        ("go=nobody", "there is no bot 'nobody'; for go there are:"),
        ("go=nowhere.py:Bot", "there is no file nowhere.py"),
        ("go=mcts@soon", "after the @, write the seconds per move, as in mcts@0.5"),
    ],
)
def test_a_wrong_house_bot_is_one_error_line(text: str, words: str) -> None:
    done = subprocess.run(
        [GAMEHALL, "serve", "--house", text],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    [line] = done.stderr.splitlines()
    assert done.returncode == 2
    assert words in line


def test_a_game_has_one_house_bot() -> None:
    assert read_house(["go=random"]) == {"go": "random"}
    assert read_house(["go=mcts@0.5"]) == {"go": "mcts@0.5"}
    with pytest.raises(HouseBotError, match="go already has a house bot: random"):
        read_house(["go=random", "go=random"])

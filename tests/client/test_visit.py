"""Bots at a real door that raise, hang, cheat or talk: what their authors are told."""

import json
from pathlib import Path

import pytest

from tests.end_to_end.test_bot import Running
from tests.served import Served

RAISES = "class A:\n    def choose(self, position, seat, seconds_left):\n        return {}['x']\n"
CHEATS = (
    "from gamehall.games.connect_four import Cell\nclass A:\n"
    "    def choose(self, position, seat, seconds_left):\n        return Cell(3, 0)\n"
)
NO_MOVE = "class A:\n    def choose(self, position, seat, seconds_left):\n        return 'd1'\n"
HANGS = (
    "import threading\nclass A:\n    def choose(self, position, seat, seconds_left):\n"
    "        threading.Event().wait()\n"
)
TELLS = (
    "import sys\nclass A:\n    def choose(self, position, seat, seconds_left):\n"
    "        return next(iter(position.legal_moves()))\n"
    "    def game_over(self, position, seat, result):\n"
    "        print('over', seat.value, result.winner.value, position.outcome.reason,"
    " file=sys.stderr)\n"
)


def play(folder: Path, text: str, *settings: str) -> tuple[int, str, str]:
    """What becomes of a bot that plays Connect Four against one that moves at random."""
    (folder / "mine.py").write_text(text)
    options = [word for setting in settings for word in ("--set", f"tttp.{setting}")]
    with Served("--door", "tttp=0", *options) as hall:
        address = f"tttp://127.0.0.1:{hall.port()}"
        mine = Running(address, f"{folder / 'mine.py'}:A", "--name", "mine", "--json")
        other = Running(address, "random", "--name", "other", "--seed", "1")
        told = mine.end()
        # It may still wait for an opponent who was gone before it came.
        other.program.kill()
        other.program.communicate()
        assert hall.stop() == 0
        assert "Traceback" not in hall.errors
    return told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (RAISES, "A.choose raised KeyError: 'x' (mine.py, line 3)"),
        (CHEATS, "chose d6, which is illegal: a piece falls to"),
        (NO_MOVE, "the bot chose 'd1', which is illegal: "),
    ],
)
def test_a_bot_that_cannot_go_on_is_told_of_with_the_position(
    tmp_path: Path, text: str, words: str
) -> None:
    code, _, errors = play(tmp_path, text)
    assert code == 1
    assert words in errors
    assert "a b c d e f g" in errors, "the position is shown"
    assert "Traceback" not in errors


def test_a_bot_that_hangs_loses_by_the_clock_and_does_not_keep_its_program(tmp_path: Path) -> None:
    code, output, _ = play(tmp_path, HANGS, "turn-seconds=1")
    assert code == 0
    assert json.loads(output)["verdict"] == "lost"


def test_a_bot_hears_of_the_end(tmp_path: Path) -> None:
    code, output, errors = play(tmp_path, TELLS)
    assert code == 0
    verdict = json.loads(output)["verdict"]
    word, seat, winner, reason = errors.split(maxsplit=3)
    assert (word, reason.strip()) == ("over", "4 in a row")
    assert (seat == winner) is (verdict == "won")

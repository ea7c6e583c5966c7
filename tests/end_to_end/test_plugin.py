"""An installed package adds a game, a bot and a protocol, which work everywhere."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.served import GAMEHALL, PATIENCE_SECONDS, Served
from tests.terminal.tmux import Tmux
from tests.web.api_client import ApiClient
from tests.web.test_play import Player, web_port


@pytest.fixture(autouse=True)
def with_plugin(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs that a test starts import the package."""
    monkeypatch.setenv("PYTHONPATH", str(plugin))


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Served]:
    with Served("--door=nim-lines=0", "--door=web=0", f"--data={tmp_path}/hall") as served:
        yield served


def run(*words: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [GAMEHALL, *words], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def listed(*words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(*words, "--json").stdout)
    return found


def bot(hall: Served, name: str, kind: str) -> "subprocess.Popen[str]":
    address = f"nim-lines://127.0.0.1:{hall.port('nim-lines')}"
    return subprocess.Popen(
        [GAMEHALL, "bot", address, "--bot", kind, "--name", name, "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_game_bot_and_door_are_listed() -> None:
    [game] = [game for game in listed("games") if game["name"] == "nim"]
    assert (game["title"], game["terms"], game["doors"]) == ("Nim", {"counters": 21}, ["nim-lines"])
    assert [kind["name"] for kind in listed("bots", "nim")][:2] == ["perfect", "mcts"]
    [door] = listed("doors", "nim-lines")
    assert (door["port"], door["game"]) == (7050, "nim")


def test_the_game_is_in_the_public_api() -> None:
    show = (
        "import gamehall; print('nim' in gamehall.games());"
        "print(gamehall.play_match(gamehall.make('nim', counters=7), 'perfect', 'random').result)"
    )
    done = subprocess.run(
        [sys.executable, "-c", show], capture_output=True, text=True, check=True, cwd="/"
    )
    assert done.stdout.startswith("True\nResult(winner=<Seat.FIRST: 1>")


def test_a_reason_names_the_winner() -> None:
    show = (
        "import gamehall; record = gamehall.play_match('nim', 'perfect', 'random');"
        "print(record.result.in_words(gamehall.make('nim').__class__, ('ann', 'bob')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", show], capture_output=True, text=True, check=True, cwd="/"
    )
    assert done.stdout == "ann wins: ann took the last counter\n"


def test_the_bot_plays_in_the_arena(tmp_path: Path) -> None:
    words = ["arena", "nim", "perfect", "random", "--games=10", f"--data={tmp_path}", "--json"]
    best, other = json.loads(run(*words).stdout)["lines"]
    assert (best["name"], best["points"]) == ("perfect", 10)
    assert (other["name"], other["points"]) == ("random", 0)


def test_bots_play_at_the_door_and_the_record_is_replayed_and_exported(
    hall: Served, tmp_path: Path
) -> None:
    bots = [bot(hall, name, kind) for name, kind in (("ann", "perfect"), ("bob", "random"))]
    for one in bots:
        output, _ = one.communicate(timeout=PATIENCE_SECONDS)
        assert one.returncode == 0, output
    hall.stop()
    data = f"--data={tmp_path}/hall"
    assert "o o o o " in run("replay", "1", "--move=0", data).stdout
    record = json.loads(run("export", "1", "--to=json", data).stdout)
    assert (record["game"], record["room"]) == ("nim", "nim-lines")
    picture = ET.fromstring(run("export", "1", "--to=svg", data).stdout)
    assert picture.tag.endswith("svg")
    assert (picture.get("role"), picture[0].text) == ("img", "Nim")
    assert "Nim" in run("export", "1", "--to=html", data).stdout


def test_the_door_is_checked_by_the_checks_of_the_package(hall: Served) -> None:
    report = run("check", f"nim-lines://127.0.0.1:{hall.port('nim-lines')}").stdout
    assert report.endswith("2 passed, 0 failed, 0 not checked\n")


def test_a_person_plays_in_the_terminal(hall: Served, plugin: Path) -> None:
    opponent = bot(hall, "bob", "random")
    address = f"nim-lines://127.0.0.1:{hall.port('nim-lines')}"
    environment = {"PYTHONPATH": str(plugin)}
    with Tmux(GAMEHALL, "play", address, "--name", "ann", environment=environment) as ann:
        shown = ""
        while "exit code" not in shown:
            before = shown
            shown = ann.wait(
                lambda now, before=before: (  # type: ignore[misc]
                    now != before and (now.rstrip().endswith("\nyour move>") or "exit code" in now)
                )
            )
            if "exit code" not in shown:
                ann.enter("1")
        assert re.search("won|lost", shown)
    opponent.communicate(timeout=PATIENCE_SECONDS)


def test_a_browser_and_a_client_of_the_door_play_each_other(hall: Served) -> None:
    browser = ApiClient(web_port(hall))
    [room] = [room for room in browser.get("/api/rooms") if room["game"] == "nim"]
    assert (room["name"], room["title"]) == ("nim-lines", "Nim")
    assert [kind["name"] for kind in browser.get("/api/bots") if kind["game"] == "nim"] == [
        "perfect"
    ]
    opponent = bot(hall, "bob", "perfect")
    ann = Player(web_port(hall), "nim-lines", "Jürgen")
    assert ann.end()["verdict"]
    assert json.loads(opponent.communicate(timeout=PATIENCE_SECONDS)[0].splitlines()[0])


def test_the_bot_plays_with_a_browser(hall: Served) -> None:
    ann = Player(web_port(hall), "nim-lines", "ann")
    status, _ = ann.browser.ask("POST", "/api/rooms/nim-lines/bots", {"bot": "perfect"})
    assert status == 204
    assert ann.end()["verdict"]


BROKEN = '''
from dataclasses import dataclass
from typing import ClassVar
from gamehall.bots.bot import BotKind
from gamehall.games.connect_four import ConnectFour
from gamehall_nim import Nim
from gamehall_nim.lines import NimLines

class Abstract(Nim.__mro__[1]):
    name = "abstract"

class Loud(Nim):
    name = "Not A Name"

class Fails(Nim):
    name = "fails"
    def start(self, seed=0):
        raise RuntimeError("two\\nlines")

class Again(NimLines):
    """The name of a protocol that there is."""

class OfAGame(NimLines):
    name = "nim"

class OfNoGame(NimLines):
    name, game = "chess-lines", "chess"

AGAIN, OF_A_GAME, OF_NO_GAME = Again(), OfAGame(), OfNoGame()
BOTS = (BotKind("perfect", "connect-four", "", "broken:Bot"),)
ONE = BotKind("Loud", "nim", "", "broken:Bot")
NO_CLASS = (BotKind("lost", "nim", "", "broken"),)

@dataclass(frozen=True)
class Good(Nim):
    name: ClassVar[str] = "good"
'''
GROUPS = {
    "games": {
        "a": ("no_such_module:Game", "ModuleNotFoundError: No module named 'no_such_module'"),
        "b": ("broken:NoSuchClass", "AttributeError: module 'broken' has no attribute"),
        "c": ("broken:ONE", "a game must be a subclass of gamehall.Game"),
        "d": ("broken:Abstract", "a game must be a subclass of gamehall.Game"),
        "e": ("broken:Loud", "its name must consist of lower-case letters"),
        "f": ("broken:Fails", "RuntimeError: two lines"),
        "g": ("broken:ConnectFour", "the name connect-four is taken"),
        "h": ("exits:Game", "SystemExit: 3"),
        "i": ("broken:Good", ""),
    },
    "protocols": {
        "a": ("broken:Again", "a protocol must be an instance of WireProtocol"),
        "z": ("broken:AGAIN", "the name nim-lines is taken"),
        "c": ("broken:OF_A_GAME", "the name nim is taken"),
        "d": ("broken:OF_NO_GAME", "chess-lines is for the unknown game 'chess'"),
    },
    "bots": {
        "a": ("broken:BOTS", "the name perfect for connect-four is taken"),
        "b": ("broken:NO_CLASS", "the place of lost must be MODULE:CLASS"),
        "c": ("broken:Good", "bots must be a tuple of BotKind"),
    },
}
COMMANDS = {"games": "games", "protocols": "doors", "bots": "bots"}


@pytest.mark.parametrize("group", GROUPS)
def test_broken_entry_points_are_skipped_with_a_warning(
    group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "exits.py").write_text("raise SystemExit(3)")
    about = tmp_path / "broken-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, (value, _) in GROUPS[group].items()]
    (about / "entry_points.txt").write_text("\n".join([f"[gamehall.{group}]", *lines]))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.environ["PYTHONPATH"], str(tmp_path)]))
    done = run(COMMANDS[group], "--json")
    names = [one["name"] for one in json.loads(done.stdout)]
    assert {"games": "nim", "protocols": "nim-lines", "bots": "perfect"}[group] in names
    assert ("good" in names) == (group == "games")
    warnings = {
        match[1]: match[2]
        for line in done.stderr.splitlines()
        if (
            match := re.fullmatch(
                rf"the entry point '(\w)' in gamehall\.{group} of broken is left out: (.*)", line
            )
        )
    }
    assert len(warnings) == len(done.stderr.splitlines())
    expected = {name: words for name, (_, words) in GROUPS[group].items() if words}
    assert warnings.keys() == expected.keys()
    for name, words in expected.items():
        assert warnings[name].startswith(words)

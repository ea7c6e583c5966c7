"""`gamehall doors`, `games` and `bots`."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.served import GAMEHALL


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [GAMEHALL, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def test_doors_lists_the_doors() -> None:
    done = run("doors")
    assert done.returncode == 0
    assert ["tttp", "7003", "connect-four"] in [
        line.split()[:3] for line in done.stdout.splitlines()
    ]


def test_doors_lists_the_settings_of_a_door() -> None:
    done = run("doors", "tttp")
    assert ["gravity", "drop"] in [line.split()[:2] for line in done.stdout.splitlines()]


def test_doors_prints_json() -> None:
    [tttp] = json.loads(run("doors", "tttp", "--json").stdout)
    assert tttp["port"] == 7003
    settings = {setting["name"]: setting["default"] for setting in tttp["settings"]}
    assert settings["connect"] == "4"
    assert settings["wait-for-blue"] == "false"


def test_the_web_door_is_a_door_like_any_other() -> None:
    lines = [line.split()[:3] for line in run("doors").stdout.splitlines()]
    assert ["web", "7080", "all"] in lines
    shown = run("doors", "web")
    assert shown.returncode == 0
    assert ["max-connections", "2000"] in [line.split()[:2] for line in shown.stdout.splitlines()]
    assert "gamehall serve --set web.NAME=VALUE" in shown.stdout
    [web] = [door for door in json.loads(run("doors", "--json").stdout) if door["name"] == "web"]
    assert (web["port"], web["game"]) == (7080, None)


def test_an_unknown_door_is_one_line() -> None:
    done = run("doors", "chess")
    assert done.returncode == 2
    assert done.stderr.startswith("gamehall: there is no door 'chess'; there are: ")


def test_bots_can_be_compiled_in_advance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    done = run("bots", "connect-four", "--compile", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)[0]["name"] == "perfect"
    assert done.stderr.startswith("perfect (connect-four): ready after ")
    assert list(tmp_path.rglob("*.nbc"))


def test_games_lists_the_games() -> None:
    done = run("games")
    assert done.returncode == 0
    assert "Connect Four" in done.stdout
    [game] = [g for g in json.loads(run("games", "--json").stdout) if g["name"] == "connect-four"]
    assert game["terms"] == {"line_length": 4, "gravity": "drop"}
    assert game["doors"] == ["tttp"]


def test_without_a_command_it_prints_the_help() -> None:
    done = run()
    assert done.returncode == 0
    assert "  serve " in done.stdout


def test_the_version() -> None:
    assert run("--version").stdout.startswith("gamehall, version ")

"""`gamehall records`, `replay` and `export`."""

import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest

from gamehall import export
from gamehall.export import sgf
from gamehall.games.connect_four import ConnectFour
from gamehall.games.go import Go
from gamehall.match import Clock, Record, Referee
from gamehall.storage import open_database
from tests.export.test_sgf_foreign import FILES
from tests.match.test_record import play_at_random
from tests.support.commands import run
from tests.support.records import store

GO = play_at_random(Referee(Go(5, 0.5), Clock(), 1), 1)
FOUR = play_at_random(Referee(ConnectFour(), Clock(), 2), 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    dated = msgspec.structs.replace(GO, ended="2026-11-16T09:30:00Z", room="go-text")
    store(open_database(tmp_path / "hall"), dated, FOUR)
    return tmp_path / "hall"


def test_the_matches_are_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("records", "--data", folder) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["number", "ended", "game", "first", "second", "moves", "result"]
    assert lines[1].split()[:5] == ["2", "connect-four", "ann", "bob", str(len(FOUR.moves))]
    assert any(line.startswith("1       2026-11-16 09:30  go ") for line in lines[2:])


def test_the_matches_are_listed_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("records", "--data", folder, "--json", "--last", "5") == 0
    second, first = json.loads(capsys.readouterr().out)
    assert second["number"] == 2
    assert first == {
        "number": 1,
        "match": GO.match_name,
        "game": "go",
        "players": ["ann", "bob"],
        "moves": len(GO.moves),
        "winner": GO.result.winner and GO.result.winner.value,
        "ending": "played out",
        "room": "go-text",
        "ended": "2026-11-16T09:30:00Z",
    }


def test_a_player_without_a_name_is_listed_by_its_seat(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unnamed = msgspec.structs.replace(FOUR, players=(None, "bob"), own_name="m0123456789")
    other = msgspec.structs.replace(GO, players=("ann", None), own_name="m9876543210")
    store(open_database(tmp_path), unnamed, other)
    assert run("records", "--data", tmp_path) == 0
    shown = capsys.readouterr().out
    assert re.search(r"connect-four  first player +bob ", shown)
    assert re.search(r"go +ann +second player ", shown)
    assert "?" not in shown


def test_an_empty_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("records", "--data", tmp_path) == 0
    assert capsys.readouterr().out == "no matches yet\n"
    assert run("replay", "17", "--data", tmp_path) == 2
    assert "there is no record 17" in capsys.readouterr().err
    # A command that only reads creates no files.
    assert not list(tmp_path.iterdir())


def test_replay_shows_the_last_position(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("replay", 2, "--data", folder) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("connect-four: ann against bob\n")
    assert f"{len(FOUR.moves)}. {FOUR.moves[-1].move}" in shown
    assert "  a b c d e f g" in shown
    assert shown.endswith(f"{FOUR.result.detail}\n")


def test_a_match_is_found_by_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("replay", FOUR.match_name, "--data", folder) == 0
    assert capsys.readouterr().out.startswith("connect-four: ann against bob\n")
    assert run("replay", "m0123456789", "--data", folder) == 2
    assert "cannot read m0123456789" in capsys.readouterr().err


def test_replay_shows_one_position_or_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("replay", 2, "--data", folder, "--move", 1) == 0
    assert capsys.readouterr().out.count("a b c d e f g") == 1
    assert run("replay", 2, "--data", folder, "--all") == 0
    assert capsys.readouterr().out.count("a b c d e f g") == len(FOUR.moves) + 1


def test_export_writes_sgf_json_and_svg(
    folder: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run("export", 1, "--data", folder, "--to", "sgf", "--output", tmp_path / "g.sgf") == 0
    kept = sgf.read((tmp_path / "g.sgf").read_bytes())
    assert kept.moves == GO.moves
    assert run("export", tmp_path / "g.sgf", "--to", "json") == 0
    written = capfdbinary.readouterr().out
    assert Record.from_json(written) == kept
    (tmp_path / "g.json").write_bytes(written)
    assert run("export", tmp_path / "g.json", "--to", "svg", "--move", 0) == 0
    assert ET.fromstring(capfdbinary.readouterr().out).tag.endswith("svg")


def test_export_writes_html_and_gif(folder: Path, tmp_path: Path) -> None:
    page, gif = tmp_path / "four.html", tmp_path / "four.gif"
    assert run("export", 2, "--data", folder, "--to", "html", "--output", page) == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert run("export", 2, "--data", folder, "--to", "gif", "--output", gif) == 0
    assert gif.read_bytes().startswith(b"GIF89a")


def test_without_the_gif_packages_the_error_says_what_to_install(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    monkeypatch.delitem(sys.modules, "gamehall.export.gif", raising=False)
    monkeypatch.delattr(export, "gif", raising=False)
    assert run("export", 2, "--data", folder, "--to", "gif") == 1
    error = capsys.readouterr().err
    assert "GIF export needs Pillow and resvg: pip install 'gamehall[gif]'" in error


@pytest.mark.parametrize("form", ["html", "gif"])
def test_a_record_that_cannot_be_replayed_is_not_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(msgspec.structs.replace(FOUR, moves=FOUR.moves[1:]).to_json())
    assert run("export", path, "--to", form) == 1
    assert "it is not the turn of that player" in capsys.readouterr().err
    path.write_bytes(msgspec.structs.replace(FOUR, terms={"depth": 3}).to_json())
    assert run("export", path, "--to", form) == 1
    assert "connect-four has no term depth" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["replay", "99"], 2, "there is no record 99: gamehall records lists them"),
        (["replay", "9" * 30], 2, "there is no record 999"),
        (["replay", "9" * 5000], 2, "there is no record 999"),
        (["replay", "nowhere.json"], 2, "cannot read nowhere.json: No such file"),
        (["replay", "2", "--move", "99"], 2, "moves"),
        (["export", "2", "--to", "sgf"], 1, "SGF is for Go, and this is a record of connect-four"),
        (["export", "2", "--to", "png"], 2, "png"),
        (["export", "2", "--to", "gif", "--move", "1"], 2, "--move is only for --to svg"),
        (["export", "2", "--to", "svg", "--output", "/dev/null/x"], 2, "cannot write /dev/null/x"),
    ],
)
def test_a_usage_error_is_one_line(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    assert run(*arguments, "--data", folder) == code
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("gamehall: ")
    assert words in line


def test_a_missing_folder_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("records", "--data", "/nowhere") == 2
    assert "there is no folder /nowhere" in capsys.readouterr().err


def test_a_file_that_is_not_a_record_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text("{}")
    (tmp_path / "x.sgf").write_text("(")
    for name in ("x.json", "x.sgf"):
        assert run("replay", tmp_path / name) == 1
        assert "x." in capsys.readouterr().err


def test_a_record_of_an_unknown_game_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(msgspec.structs.replace(FOUR, game="chess").to_json())
    assert run("replay", path) == 1
    assert "there is no game 'chess'" in capsys.readouterr().err


@pytest.mark.parametrize("style", FILES)
def test_files_of_other_programs_are_replayed_and_exported(
    style: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = FILES[style]
    path = tmp_path / "game.SGF"
    path.write_text(file.content)
    assert run("replay", path, "--all") == 0
    shown = capfd.readouterr().out
    assert shown.startswith("go: ")
    assert ("\nremark: " in shown) is (file.remark is not None)
    assert (file.remark or "") in shown
    assert run("export", path, "--to", "svg") == 0
    assert ET.fromstring(capfd.readouterr().out).tag.endswith("svg")
    assert run("export", path, "--to", "html") == 0
    assert capfd.readouterr().out.startswith("<!DOCTYPE html>")
    for form in ("json", "sgf"):
        assert run("export", path, "--to", form) == (0 if file.is_playable else 1)
        written = capfd.readouterr()
        if file.is_playable:
            assert written.out
        else:
            [line] = written.err.splitlines()
            assert "our rules do not allow this game" in line
            assert "export it as svg, html or gif" in line


def test_a_game_that_our_rules_do_not_allow_is_exported_as_gif(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[5]PL[W];W[bb];B[cc];AE[bb])")
    assert run("export", path, "--to", "gif", "--output", tmp_path / "game.gif") == 0
    assert (tmp_path / "game.gif").read_bytes().startswith(b"GIF89a")


def test_replay_shows_positions_of_a_game_that_our_rules_do_not_allow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "without a suffix"
    path.write_text("(;SZ[5]PB[Ann]RE[B+R];W[bb];B[cc];AE[bb])")
    assert run("replay", path, "--move", 2) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("go: Ann against the second player\n2. black C3\n")
    assert "stones are added or removed in the middle of the game" in shown
    assert run("replay", path) == 0
    shown = capsys.readouterr().out
    assert "3. set up: empty B4\n" in shown
    assert "Ann wins: the second player resigned\n" in shown
    assert run("replay", path, "--move", 4) == 2
    assert "the match has only 3 moves" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"(;",
        b"\x00\xff" * 1000,
        b"(;GM[1]SZ[19:9])",
        b"(;SZ[9];B[zz])",
        b"(;SZ[9]GAMEHALL[{}])",
        b"{}",
        b"(" * 100_000,
        b"(;C[" + b"x" * 5_000_000 + b"])",
    ],
    ids=lambda content: repr(content[:20]),
)
@pytest.mark.parametrize("name", ["game.sgf", "game.json", "game"])
def test_a_damaged_file_is_one_line_and_exit_code_1(
    content: bytes, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    for command in (["replay", path], ["export", path, "--to", "json"]):
        assert run(*command) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        [line] = shown.err.splitlines()
        assert line.startswith(f"gamehall: {path}: ")
        assert len(line) < 400

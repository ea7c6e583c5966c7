"""The output, the shutdown and the errors of `gamehall serve`."""

import json
import os
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from gamehall.protocols.catalogue import all_protocols
from gamehall.server.plan import WEB
from tests.independent.tttp_clients import StreamClient, Update
from tests.support.served import GAMEHALL, Served, start_error

HOST = "127.0.0.1"


def test_T_Q01_X_11_port_0_is_any_free_port_and_the_address_is_printed() -> None:
    with Served("--door", "tttp=0") as hall:
        assert hall.lines == [f"listening tttp {HOST}:{hall.port()}", "ready"]
        assert hall.port() not in (0, 7003)
        with StreamClient(HOST, hall.port()) as red:
            assert red.join(b"red") == 1


def test_a_door_listens_on_ipv6() -> None:
    with Served("--host", "::1", "--door", "tttp=0") as hall:
        assert hall.lines[0] == f"listening tttp [::1]:{hall.port()}"
        with StreamClient("::1", hall.port()) as red:
            assert red.join(b"red") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_X_13_signals_close_in_an_orderly_way(number: signal.Signals) -> None:
    with Served() as hall:
        with StreamClient(HOST, hall.port()) as red, StreamClient(HOST, hall.port()) as idle:
            assert red.join(b"red") == 1
            red.read()
            red.chat(b"unread by the server perhaps")
            hall.program.send_signal(number)
            assert red.at_end(), "a clean end of the stream"
            assert idle.at_end()
        assert hall.wait() == 0
        assert "Traceback" not in hall.errors


def test_X_13_the_server_stops_although_a_client_stays_connected() -> None:
    with Served() as hall, StreamClient(HOST, hall.port()) as red:
        red.join(b"red")
        assert hall.stop() == 0


def test_X_12_the_port_is_free_immediately_after_the_end() -> None:
    with Served() as hall:
        port = hall.port()
        with StreamClient(HOST, port) as red:
            red.join(b"red")
            hall.program.send_signal(signal.SIGTERM)
            assert red.read() == Update(1, 0, bytes(42))
            assert red.at_end()
        assert hall.wait() == 0
    with Served("--door", f"tttp={port}") as again:
        assert again.port() == port


def test_once_stops_the_server_after_the_first_game() -> None:
    with Served("--door", "tttp=0", "--once", "--set", "tttp.connect=3") as hall:
        with StreamClient(HOST, hall.port()) as lonely:
            lonely.join(b"lonely")  # leaves again, which is not a game
        with StreamClient(HOST, hall.port()) as red, StreamClient(HOST, hall.port()) as blue:
            assert red.join(b"red") == 1
            assert blue.join(b"blue") == 2
            red.read(), red.read(), blue.read()
            for column in (0, 1, 0, 1, 0):
                (blue if column else red).play(column, 0)
                last = red.read()
                assert blue.read() == last
            assert isinstance(last, Update)
            assert last.won == 1
            assert red.at_end()
            assert blue.at_end()
        assert hall.wait() == 0


def test_the_command_line_overrides_settings_of_the_file(tmp_path: Path) -> None:
    config = tmp_path / "hall.toml"
    config.write_text(
        '[hall]\ndoors = ["tttp", "web"]\n[door.web]\nport = 0\n'
        '[door.tttp]\nport = 0\ngravity = "free"\nname-max = 4\n'
    )
    with Served("--config", str(config), "--set", "tttp.name-max=5") as hall:
        assert [line.split()[:2] for line in hall.lines] == [
            ["listening", "tttp"],
            ["listening", "web"],
            ["ready"],
        ]
        assert hall.port() != 7003
        with StreamClient(HOST, hall.port()) as red:
            assert red.join(b"sixsix") == 5
            assert red.join(b"fives") == 1
            red.read()
            red.play(0, 0)
            assert red.read() == Update(2, 0, b"\x01" + bytes(41))


def test_strict_is_allowed_at_a_door_without_lenient_rules() -> None:
    with Served("--door", "tttp=0", "--strict") as hall, StreamClient(HOST, hall.port()) as red:
        assert red.join(b"red") == 1


def test_the_data_folder_is_created(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "folder"
    with Served("--door", "tttp=0", "--data", str(folder), "--seed", "1") as hall:
        assert folder.is_dir()
        assert hall.stop() == 0
    assert sorted(path.name for path in folder.iterdir()) == ["hall.lock", "hall.sqlite"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", [["serve", "--door", "tttp=0"], ["doors"], ["games", "--json"]])
def test_a_full_output_is_one_error_line(command: list[str], unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [GAMEHALL, *command],
            stdout=full,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            text=True,
            timeout=30,
            check=False,
        )
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("gamehall: cannot ")
    assert "No space left on device" in line


def test_a_closed_output_is_not_an_error() -> None:
    done = subprocess.run(
        f"{GAMEHALL} doors tttp | head -n 1",
        shell=True,
        capture_output=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stderr == ""


def test_a_blocked_standard_error_does_not_block_the_server() -> None:
    with Served("--door", "tttp=0", "--log-level", "debug") as hall:
        for _ in range(3000):
            with socket.create_connection((HOST, hall.port())) as client:
                client.sendall(b"NOPE")
        with StreamClient(HOST, hall.port()) as red:
            assert red.join(b"red") == 1


@pytest.mark.parametrize("door", [*all_protocols(), WEB])
def test_a_port_in_use_is_one_error_line(door: str, tmp_path: Path) -> None:
    first = "go-text" if door == "tttp" else "tttp"
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        line = start_error(
            "--door", f"{first}=0", "--door", f"{door}={port}", "--data", str(tmp_path)
        )
    assert f"cannot open the door {door} at port {port} of {HOST}: Address already in use" in line
    assert (
        f"choose another port, as in --set {door}.port=PORT (0: any free one), which keeps" in line
    )


def test_X_13_an_interrupted_tournament_has_no_result() -> None:
    with Served(
        *("--door", "santorini-tournament=0"), *("--set", "santorini-tournament.players=2")
    ) as hall:
        players = [
            socket.create_connection(("127.0.0.1", hall.port("santorini-tournament")), 10)
            for _ in range(2)
        ]
        for player in players:
            player.sendall(b'"ann"')
        lines = [player.makefile("rb") for player in players]
        assert [line.readline() for line in lines] == [b'"ann"\n', b'"anna"\n']
        assert hall.stop() == 0
        assert hall.output == ""
        for player in players:
            player.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--door", "chess"], "there is no door 'chess'; there are: santorini-lobby, "),
        (["--door", "tttp=x"], "'x' is not a port"),
        (["--door", "tttp=70000"], "70000 is not a port: use a number from 0"),
        (["--set", "tttp.gravty=free"], "no setting 'gravty'; did you mean gravity?"),
        (["--set", "tttp.gravity=up"], "cannot be 'up': it is one of drop, strict, free, column"),
        (["--set", "tttp.connect=8"], "tttp.connect cannot be '8'"),
        (["--set", "tttp.connect=four"], "tttp.connect cannot be 'four'"),
        (["--set", "chess.x=1"], "there is no door 'chess'"),
        (["--set", "gravity=free"], "write DOOR.OPTION=VALUE"),
        (["--set", "tttp.messages-per-second=1" + "0" * 400], "messages-per-second cannot be"),
        (["--set", "tttp.join-timeout=nan"], "tttp.join-timeout cannot be 'nan'"),
        (["--set", "tttp.name-min=9", "--set", "tttp.name-max=5"], "name-min 9 is more than"),
        (["--door", "tttp=0", "--set", "tttp.port=99999"], "99999 is not a port"),
        (
            ["--set", "tttp.room=santorini-lobby"],
            "tttp cannot lead into the room of santorini-lobby: that is for santorini",
        ),
        (["--set", "santorini-lobby.room=x"], "santorini-lobby.room cannot be 'x'"),
        (
            ["--door", "santorini-lobby", "--set", "santorini-lobby.room=santorini-tournament"],
            "add --door santorini-tournament",
        ),
        (
            [
                "--set",
                "santorini-lobby.room=santorini-tournament",
                "--set",
                "santorini-tournament.room=santorini-lobby",
            ],
            "that door has no room of its own either",
        ),
        (
            [
                "--set",
                "santorini-lobby.room=santorini-tournament",
                "--set",
                "santorini-lobby.players=4",
            ],
            "santorini-lobby.players is a setting of the room, and this door shares the room of",
        ),
        (["--set", "santorini-lobby.players=1"], "players must be 0, or at least 2"),
        (
            ["--set", "santorini-lobby.min-players=9", "--set", "santorini-lobby.max-players=5"],
            "min-players 9 is more than max-players 5",
        ),
        (["--host", "x" * 70], "that is not a host name; choose another address with --host"),
        (["--host", "no.such.host.invalid"], "choose another address with --host"),
        (["--config", "no-such.toml"], "cannot read no-such.toml: No such file"),
        (["--data", "/dev/null/x"], "--data: cannot use /dev/null/x: Not a directory"),
        (["--durability", "always"], "'always' is not one of 'crash', 'power'"),
        (
            ["--data", "none", "--durability", "power"],
            "power stores every move, and --data none nothing",
        ),
        (["--log-level", "loud"], "'loud' is not one of"),
        (["--colour"], "No such option"),
    ],
)
def test_wrong_options_are_one_error_line(arguments: list[str], words: str) -> None:
    assert words in start_error(*arguments)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("door = 3", "may hold [hall], [house] and [door.NAME] tables only, not door"),
        ("[room.x]\n", "may hold [hall], [house] and [door.NAME] tables only, not room"),
        ("[door]\ntttp = 3\n", "door.tttp must be a table"),
        ("[door.chess]\n", "there is no door 'chess'"),
        ("[door.tttp]\nport = 'x'\n", "'x' is not a port"),
        ("[door.tttp]\nport = true\n", "True is not a port"),
        ("[door.tttp]\nconnect = 3.5\n", "tttp.connect cannot be 3.5"),
        ("not toml", "is not TOML"),
        ("x = " + "[" * 5000, "is not TOML"),
        ("x = " + "1" * 5000, "is not TOML"),
        ("\xff\xfe", "is not TOML"),
    ],
)
def test_a_wrong_file_is_one_error_line(tmp_path: Path, content: str, words: str) -> None:
    config = tmp_path / "hall.toml"
    config.write_bytes(content.encode("latin-1"))
    line = start_error("--config", str(config))
    assert line.startswith(f"gamehall: {config}"), "it names the file"
    assert words in line


def test_S1_Q03_the_log_has_the_reason_for_a_refused_sign_up_name() -> None:
    with Served("--door", "santorini-tournament=0") as hall:
        for name in (b'"Ann"\n', b'"bob"\n'):
            with socket.create_connection((HOST, hall.port("santorini-tournament"))) as client:
                client.sendall(name)
                client.shutdown(socket.SHUT_WR)
                assert client.recv(100) == b""
        assert hall.stop() == 0
    assert "'Ann' is not a sign-up name: it has 1 to 256 lower-case letters" in hall.errors
    assert re.search(r"santorini-tournament: bob \(127\.0\.0\.1:\d+\): hung up", hall.errors)


def test_json_logs_name_the_finished_match() -> None:
    with Served("--door", "tttp=0", "--log-format", "json") as hall:
        with StreamClient(HOST, hall.port()) as ann:
            ann.join(b"ann")
            ann.read()
            with StreamClient(HOST, hall.port()) as bob:
                bob.join(b"bob")
                ann.read()
            # The log line is written before this notice is sent.
            ann.read()
        assert hall.stop() == 0
    lines = [json.loads(line) for line in hall.errors.splitlines()]
    [ended] = [line for line in lines if "match" in line]
    assert ended["room"] == "tttp"
    assert ended["players"] == ["ann", "bob"]
    assert ended["ending"] == "cancelled"
    assert ended["message"].startswith("tttp: ann and bob have no winner (bob left)")
    assert ended["match"] in ended["message"]

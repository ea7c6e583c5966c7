"""`gamehall bot`: bots at every door, GTP engines, and engines that fail."""

import json
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gamehall.core import Seat
from gamehall.export import sgf
from gamehall.games.go import Go, GoPosition
from gamehall.games.go.notation import read
from gamehall.match import Ending, Record
from gamehall.match.record import positions, read_game
from gamehall.protocols.catalogue import all_protocols
from gamehall.storage import Archive, open_database
from tests.engines.test_gtp_program import command
from tests.independent.tttp_clients import StreamClient, Update
from tests.support import gnugo
from tests.support.foreign_tttp import BLUE, EMPTY, RED, RED_HAS_FOUR, ForeignTttp, board
from tests.support.served import GAMEHALL, Served
from tests.terminal.tmux import Tmux

PATIENCE_SECONDS = 60
NINE = ("--answer", "boardsize=9")


class BotProcess:
    """A running `gamehall bot`."""

    def __init__(self, address: str, bot: str, *arguments: str) -> None:
        self.program = subprocess.Popen(
            [GAMEHALL, "bot", address, "--bot", bot, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Programs in the background may ignore SIGINT, and their children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def end(self) -> tuple[int, str, str]:
        """Wait for the end. Return the exit code, the output, and the standard error."""
        output, errors = self.program.communicate(timeout=PATIENCE_SECONDS)
        return self.program.returncode, output, errors


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Served]:
    doors = [f"--door={door}=0" for door in ("go-text", "tttp", "santorini-tournament")]
    with Served(*doors, "--data", str(tmp_path)) as served:
        yield served


def records(folder: Path) -> list[Record]:
    """Return the stored records, the oldest first."""
    archive = Archive(open_database(folder))
    return [kept.record for kept in reversed(archive.latest(1000))]


def go_door(hall: Served) -> str:
    return f"go-text://127.0.0.1:{hall.port('go-text')}"


def last_position(record: Record) -> GoPosition:
    last = list(positions(read_game(Go, record), record))[-1]
    assert isinstance(last, GoPosition)
    return last


def test_two_gnu_gos_play_whole_games_with_replayable_records(hall: Served, tmp_path: Path) -> None:
    engine = f"gtp:{gnugo.find()} --mode gtp --level 1 --capture-all-dead --seed"
    terms = (*NINE, "--answer", "komi=5.5", "--games", "3")
    one = BotProcess(go_door(hall), f"{engine} 1", *terms, "--json")
    other = BotProcess(go_door(hall), f"{engine} 2", *terms, "--json")
    ends = [one.end(), other.end()]
    assert [(code, errors) for code, _, errors in ends] == [(0, ""), (0, "")]
    played = [[json.loads(line) for line in output.splitlines()] for _, output, _ in ends]
    assert [len(games) for games in played] == [3, 3]
    for mine, theirs in zip(*played, strict=True):
        assert {mine["verdict"], theirs["verdict"]} == {"won", "lost"}
        assert mine["detail"] == theirs["detail"]
        assert mine["ending"] == "played out"
    assert hall.stop() == 0
    kept = records(tmp_path)
    assert len(kept) == 3
    for record in kept:
        assert record.result.ending is Ending.PLAYED_OUT
        assert len(record.moves) > 30
        path = tmp_path / "game.sgf"
        path.write_bytes(sgf.write(record))
        stones = last_position(record).stones
        with gnugo.GnuGo() as loaded:
            loaded.ask(f"loadsgf {path}")
            for seat, colour in ((Seat.FIRST, "black"), (Seat.SECOND, "white")):
                listed = {read(text, 9) for text in loaded.ask(f"list_stones {colour}").split()}
                own = {point for point, owner in stones.items() if owner is seat}
                assert {move.point for move in listed} == own  # type: ignore[union-attr]


def test_two_bots_of_one_user_get_different_default_names(hall: Served, tmp_path: Path) -> None:
    address = f"tttp://127.0.0.1:{hall.port('tttp')}"
    ends = [bot.end() for bot in [BotProcess(address, "random"), BotProcess(address, "random")]]
    assert [(code, errors) for code, _, errors in ends] == [(0, ""), (0, "")]
    hall.stop()
    [record] = records(tmp_path)
    one, other = sorted(str(name) for name in record.players)
    assert other == f"{one}b"
    assert one.endswith("random")


def test_both_engines_know_the_handicap_stones(hall: Served, tmp_path: Path) -> None:
    engine = f"gtp:{gnugo.find()} --mode gtp --level 1 --capture-all-dead"
    one = BotProcess(
        go_door(hall), engine, *NINE, "--answer", "handicap=3", "--answer", "color=white"
    )
    # Either of the two may be the one that is asked.
    other = BotProcess(
        go_door(hall), engine, *NINE, "--answer", "handicap=3", "--answer", "color=white"
    )
    assert one.end()[0] == 0
    assert other.end()[0] == 0
    hall.stop()
    [record] = records(tmp_path)
    assert [move.seat for move in record.moves[:4]] == [Seat.FIRST] * 4, "black also moves first"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("dies", "has died (exit code 3); its last output: out of stones"),
        ("killed", "has died (signal 9)"),
        ("illegal", "which is illegal: A"),
        ("nonsense", "the engine's move makes no sense: 'over there' is not a move"),
        ("no GTP", "the engine does not speak GTP"),
    ],
)
def test_a_failing_engine_leaves_and_the_error_says_why(
    hall: Served, tmp_path: Path, how: str, words: str
) -> None:
    bad = BotProcess(go_door(hall), f"gtp:{command(how)}", *NINE)
    good = BotProcess(go_door(hall), f"gtp:{command('')}", *NINE, "--json")
    code, output, errors = bad.end()
    assert (code, output) == (1, "")
    error = errors.splitlines()[-1]
    assert error.startswith("gamehall: ")
    assert words in error
    assert "A B C D E F G H J" in errors, "the position"
    assert "Traceback" not in errors
    code, output, errors = good.end()
    assert (code, errors) == (0, "")
    assert json.loads(output)["verdict"] == "won"
    hall.stop()
    [record] = records(tmp_path)
    assert record.result.ending is Ending.LEFT


def test_an_engine_that_refuses_the_board_size_is_an_error(hall: Served) -> None:
    bad = BotProcess(go_door(hall), f"gtp:{command('only 19')}", *NINE)
    good = BotProcess(go_door(hall), f"gtp:{command('')}", *NINE)
    code, _, errors = bad.end()
    assert code == 1
    assert "gamehall: the engine refuses: unacceptable size" in errors
    assert good.end()[0] == 0


def test_an_engine_may_resign(hall: Served, tmp_path: Path) -> None:
    one = BotProcess(go_door(hall), f"gtp:{command('resigns')}", *NINE, "--json")
    other = BotProcess(go_door(hall), f"gtp:{command('')}", *NINE, "--json")
    verdicts = {json.loads(running.end()[1])["verdict"] for running in (one, other)}
    assert verdicts == {"won", "lost"}
    hall.stop()
    assert [record.result.ending for record in records(tmp_path)] == [Ending.RESIGNED]


def test_an_engine_that_hangs_is_stopped_when_the_server_stops(tmp_path: Path) -> None:
    with Served("--door=go-text=0", "--door=web=0", "--data", str(tmp_path)) as hall:
        bots = [BotProcess(go_door(hall), f"gtp:{command(how)}", *NINE) for how in ("hangs", "")]
        # Four answers, two confirmations and four moves. Then one engine hangs, with either colour.
        while requests(hall) < 10:
            assert all(bot.program.poll() is None for bot in bots)
        assert hall.stop() == 0
        for bot in bots:
            code, output, errors = bot.end()
            assert (code, output) == (1, "")
            assert errors == (
                "gamehall: the server has closed the connection; players have no names at this"
                " door, so the game is lost\n"
            )


def requests(hall: Served) -> float:
    """Return the number of requests that the server has received."""
    [address] = [line.split()[2] for line in hall.lines if line.startswith("listening web ")]
    with urllib.request.urlopen(f"{address}metrics", timeout=60) as answer:
        text = answer.read().decode()
    [line] = [line for line in text.splitlines() if line.startswith("gamehall_requests_total")]
    return float(line.rsplit(" ", 1)[1])


def test_ctrl_c_prints_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"go-text://127.0.0.1:{server.getsockname()[1]}"
        bot = BotProcess(address, f"gtp:{command('')}", *NINE)
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"QUERY boardsize\n")
            assert connection.recv(100) == b"RESPONSE boardsize 9\n"
            bot.program.send_signal(signal.SIGINT)
            assert bot.end() == (1, "", "\ngamehall: stopped\n")


def test_random_bots_play_connect_four(hall: Served, tmp_path: Path) -> None:
    address = f"tttp://127.0.0.1:{hall.port('tttp')}"
    ann = BotProcess(address, "random", "--name", "ann", "--games", "3", "--json", "--seed", "1")
    bob = BotProcess(address, "random", "--name", "bob", "--games", "3", "--json", "--seed", "2")
    for code, output, errors in (ann.end(), bob.end()):
        assert (code, errors) == (0, "")
        assert len(output.splitlines()) == 3
    hall.stop()
    kept = [record for record in records(tmp_path) if record.result.ending is Ending.PLAYED_OUT]
    assert len(kept) >= 3
    assert {kept[0].players[0], kept[0].players[1]} == {"ann", "bob"}


def test_random_bots_play_a_tournament(tmp_path: Path) -> None:
    arguments = ("--door=santorini-tournament=0", "--once", "--data", str(tmp_path))
    with Served(*arguments) as hall:
        address = f"santorini-tournament://127.0.0.1:{hall.port('santorini-tournament')}"
        bots = [BotProcess(address, "random", "--name", name, "--json") for name in ("ann", "bob")]
        ends = [bot.end() for bot in bots]
        assert [(code, errors) for code, _, errors in ends] == [(0, ""), (0, "")]
        assert [len(output.splitlines()) for _, output, _ in ends] == [3, 3]
        assert hall.wait() == 0
    assert len(records(tmp_path)) == 3


def usage_error(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [GAMEHALL, "bot", *arguments], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    return done.returncode, line


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["tttp://localhost:1", "--bot", "random"], 1, "cannot connect to tttp://localhost:1"),
        (["tttp://localhost:1", "--bot", "random"], 1, "gamehall serve starts it"),
        (
            ["santorini-tournament://x", "--bot", "random", "--name", "Mine_1"],
            2,
            "'Mine_1' is not a sign-up name: it has 1 to 256 lower-case letters",
        ),
        (["tttp://no.such.host", "--bot", "random"], 1, "cannot connect to tttp://no.such.host"),
        (["tttp", "--bot", "random"], 2, "is not an address"),
        (["tttp://x", "--bot", "deep-blue"], 2, "there is no bot 'deep-blue'"),
        (["tttp://x", "--bot", "gtp:gnugo"], 2, "GTP engines play go"),
        (["go-text://x", "--bot", "gtp:/nowhere"], 2, "cannot start /nowhere"),
        (["go-text://x", "--bot", "random", "--answer", "size=9"], 2, "does not ask for 'size'"),
        (["go-text://x", "--bot", "random", "--answer", "9"], 2, "is not NAME=VALUE"),
        (["go-text://x", "--bot", "random", "--set", "ko=none"], 2, "go-text.ko cannot be"),
        (["tttp://x"], 2, "--bot"),
    ],
)
def test_a_wrong_option_is_one_error_line(arguments: list[str], code: int, words: str) -> None:
    actual_code, line = usage_error(*arguments)
    assert actual_code == code
    assert words in line


@pytest.mark.parametrize("left_over", [(RED, RED, RED_HAS_FOUR), (RED, 3, EMPTY), (BLUE, 4, EMPTY)])
def test_a_game_that_was_over_before_it_joined_is_not_reported(
    left_over: tuple[int, int, bytes],
) -> None:
    with ForeignTttp() as server:
        bot = BotProcess(server.address, "random", "--name", "ann")
        server.welcome(BLUE)
        server.show(*left_over)
        assert server.read(4) == b"RMCH", "it asks for a new game"
        server.show(*left_over)  # this server waits until both players ask
        server.show(RED, 0, EMPTY)
        server.show(BLUE, 0, board((RED, 38)))
        assert server.read(6)[:4] == b"PLAY"
        server.show(RED, BLUE, board((RED, 38), (BLUE, 31)))
        code, output, errors = bot.end()
    assert (code, errors) == (0, "")
    assert output == "ann: game 1: won as the second player: the server says so\n"


def test_a_bot_that_joins_after_a_game_plays_the_next_one(hall: Served) -> None:
    port = hall.port("tttp")
    with StreamClient("127.0.0.1", port) as red:
        assert red.join(b"red") == 1
        red.read()
        with StreamClient("127.0.0.1", port) as blue:
            assert blue.join(b"blue") == 2
            shown = [blue.read(), red.read()]
            for number in range(7):
                (red, blue)[number % 2].play(number % 2, 0)
                shown = [blue.read(), red.read()]
        assert [update.won for update in shown if isinstance(update, Update)] == [1, 1]
        bot = BotProcess(f"tttp://127.0.0.1:{port}", "random", "--name", "new", "--json")
        update = red.read()
        assert isinstance(update, Update)
        assert (update.won, any(update.spots)) == (0, False), "T-Q13: a fresh board"
        while isinstance(update, Update) and update.won == 0:
            if update.turn == 1:
                red.play(update.spots.index(0), 0)
            update = red.read()
        code, output, errors = bot.end()
    assert (code, errors) == (0, "")
    assert len(output.splitlines()) == 1


def test_a_connection_that_is_closed_at_once_is_an_error_with_advice() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"go-text://127.0.0.1:{server.getsockname()[1]}"
        with Tmux(GAMEHALL, "bot", address, "--bot", "random") as terminal:
            server.accept()[0].close()
            terminal.wait("exit code 1")
            shown = terminal.screen().replace("\n", "")
            assert f"{address} closed the connection at once: is that the go-text door?" in shown
            assert "if it needs TLS, write go-text+tls://" in shown


def test_a_server_of_another_kind_is_an_error_with_advice() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"santorini-tournament://127.0.0.1:{server.getsockname()[1]}"
        with Tmux(GAMEHALL, "bot", address, "--bot", "random") as terminal:
            with server.accept()[0] as accepted:
                accepted.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                terminal.wait("exit code 1")
            shown = terminal.screen().replace("\n", "")
            assert "the server does not keep to the protocol" in shown
            assert "is that the santorini-tournament door?" in shown


def test_every_door_says_that_the_bot_waits_for_an_opponent() -> None:
    doors = list(all_protocols())
    with Served(*(f"--door={door}=0" for door in doors)) as hall, ExitStack() as opened:
        terminals = []
        for door in doors:
            address = f"{door}://127.0.0.1:{hall.port(door)}"
            terminals.append(Tmux(GAMEHALL, "bot", address, "--bot", "random"))
            opened.enter_context(terminals[-1])
        for terminal in terminals:
            terminal.wait("waiting for an opponent to join")


def test_no_free_seat_is_an_error() -> None:
    with Served("--door", "tttp=0") as hall:
        address = f"tttp://127.0.0.1:{hall.port()}"
        waiting = [
            BotProcess(address, "random", "--name", f"p{number}", "--games", "1000000")
            for number in range(2)
        ]
        with pytest.raises(subprocess.TimeoutExpired):
            waiting[0].program.wait(1.5)
        code, words = usage_error(address, "--bot", "random", "--name", "late")
        assert (code, words) == (1, "gamehall: there is no free seat")
        for running in waiting:
            running.program.kill()
            running.program.communicate()


def test_the_path_of_an_engine_may_have_spaces(hall: Served, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    engine = folder / "engine"
    engine.write_text(f"#!/bin/sh\nexec {command('')}\n")
    engine.chmod(0o755)
    one = BotProcess(go_door(hall), f"gtp:{shlex.quote(str(engine))}", *NINE)
    other = BotProcess(go_door(hall), "random", *NINE, "--seed", "3", "--games", "1")
    assert one.end()[0] == 0
    assert other.end()[0] == 0
    assert sys.executable in engine.read_text()


def test_random_bots_play_at_a_door_that_does_not_tell_the_winner(tmp_path: Path) -> None:
    arguments = ("--door=santorini-lobby=0", "--once", "--data", str(tmp_path))
    with Served(*arguments) as hall:
        address = f"santorini-lobby://127.0.0.1:{hall.port('santorini-lobby')}"
        bots = [BotProcess(address, "random", "--name", name) for name in ("ann", "bob")]
        ends = [bot.end() for bot in bots]
        for code, _, errors in ends:
            assert (code, errors) == (0, "")
        [winner] = [output for _, output, _ in ends if ": game 1: won as " in output]
        assert "does not say" not in winner
        [_] = [output for _, output, _ in ends if ": game 1: over as " in output]
        assert hall.wait() == 0

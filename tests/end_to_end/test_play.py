"""`gamehall play` in a terminal of 80 by 24 characters, with real keys and a real server."""

import contextlib
import json
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import pytest

from gamehall.cli import main
from gamehall.cli.shared import default_name
from gamehall.core import Seat
from gamehall.games.ascension import Ascension
from gamehall.games.catalogue import all_games
from gamehall.match import Ending, Record
from gamehall.match.record import positions, read_game
from gamehall.storage import Archive, open_database
from tests.independent.tttp_clients import Chat, StreamClient, Update
from tests.support.foreign_tttp import BLUE, EMPTY, RED, RED_HAS_FOUR, ForeignTttp, board
from tests.support.served import GAMEHALL, PATIENCE_SECONDS, Served
from tests.terminal.tmux import COLUMNS, LINES, Tmux

HINT = re.compile(r"as in (.+) \(or \?\)")
NO_LIMIT = {"santorini-tournament": "timeout=0", "santorini-lobby": "move-timeout=0"}
SETTINGS = (
    *(f"{door}.{limit}" for door, limit in NO_LIMIT.items()),
    *(f"{door}.players=2" for door in NO_LIMIT),
    "santorini-tournament.games=1",
    "ascension-http.honor=2",
)
DOORS = ("tttp", "go-text", "santorini-tournament", "santorini-lobby", "ascension-http")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hall")


@pytest.fixture(scope="module")
def hall(folder: Path) -> Iterator[Served]:
    """A server with all doors. Each test leaves the tables as it has found them."""
    doors = [f"--door={door}=0" for door in DOORS]
    assignments = [f"--set={assignment}" for assignment in SETTINGS]
    with Served(*doors, *assignments, "--seed=5", "--data", str(folder)) as served:
        yield served


def address_of(hall: Served, door: str) -> str:
    return f"{door}://127.0.0.1:{hall.port(door)}"


class PlayTerminal(Tmux):
    """A terminal that runs `gamehall play`."""

    def __init__(self, address: str, *arguments: str, **environment: str) -> None:
        door = address.partition(":")[0]
        limits = ["--set", NO_LIMIT[door]] if door in NO_LIMIT else []
        super().__init__(
            GAMEHALL, "play", address, "--name", "ann", *limits, *arguments, environment=environment
        )

    def wait_for_turn(self, after: str = "") -> str:
        """Wait until the person may move or the program has ended. Return the screen.

        A screen equal to `after` does not count.
        """

        def is_ready(shown: str) -> bool:
            is_asked = shown.rstrip().endswith("\nyour move>") or "exit code" in shown
            return is_asked and shown != after

        return self.wait(is_ready)

    def follow_hints(self) -> list[str]:
        """Make the moves that are shown as examples, to the end. Return all screens."""
        screens = [self.wait_for_turn()]
        while "exit code" not in screens[-1]:
            self.enter(HINT.findall(screens[-1])[-1])
            screens.append(self.wait_for_turn(screens[-1]))
        return screens


class RandomBot:
    """A running `gamehall bot` as the opponent. It is killed at the end of the test."""

    def __init__(self, address: str) -> None:
        words = [str(GAMEHALL), "bot", address, "--bot", "random", "--name", "bob", "--seed", "3"]
        self._program = subprocess.Popen(
            [*words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def first_match(self) -> dict[str, str]:
        """Wait for the end of the bot. Return its first match, as it prints it in JSON."""
        output, errors = self._program.communicate(timeout=PATIENCE_SECONDS)
        assert (self._program.returncode, errors) == (0, "")
        match: dict[str, str] = json.loads(output.splitlines()[0])
        return match

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._program.poll() is None:
            self._program.kill()
            self._program.communicate()


def last_record(folder: Path) -> Record:
    [kept, *_] = Archive(open_database(folder)).latest(1)
    return kept.record


def last_diagram(record: Record, after_move_of: str | None = None, back: int = 0) -> list[str]:
    """Return the diagram of the last position, without trailing spaces.

    Args:
        record: the match.
        after_move_of: the name of a player, for the position after the last move of that player.
        back: the number of moves to take back from there.
    """
    all_positions = list(positions(read_game(all_games()[record.game], record), record))
    number = len(record.moves)
    if after_move_of is not None:
        seat = Seat(record.players.index(after_move_of) + 1)
        while record.moves[number - 1].seat is not seat:
            number -= 1
    return [line.rstrip() for line in all_positions[number - back].diagram().splitlines()]


def assert_shows(screen: str, diagram: list[str]) -> None:
    """Fail unless the diagram is on the screen, at the left edge."""
    lines = screen.splitlines()
    for top in range(len(lines) - len(diagram) + 1):
        beside = zip(lines[top:], diagram, strict=False)
        if all(line == row or line.startswith(f"{row}  ") for line, row in beside):
            return
    pytest.fail(f"{diagram} is not in\n{screen}")


def assert_unbroken(screen: str) -> None:
    lines = screen.splitlines()
    assert len(lines) <= LINES
    for line in lines:
        assert len(line) <= COLUMNS
        assert line.find("your move>") in (-1, 0), screen
        assert "\x1b" not in line


@pytest.fixture
def red(hall: Served) -> Iterator[PlayTerminal]:
    with PlayTerminal(address_of(hall, "tttp")) as playing:
        playing.wait_for_turn()
        yield playing


@pytest.fixture
def blue(hall: Served, red: PlayTerminal) -> Iterator[StreamClient]:
    with StreamClient("127.0.0.1", hall.port()) as client:
        assert client.join(b"bob") == 2
        client.read()
        yield client


def test_connect_four_with_chat_a_refused_move_and_a_rematch(
    hall: Served, red: PlayTerminal, blue: StreamClient, folder: Path
) -> None:
    red.enter("d9")
    red.wait("'d9' is not a cell: write a letter from a to g")
    red.press("a")
    blue.chat(b"good \x1b[31mluck")
    # A chat message does not split the typed line, and its control characters are replaced.
    shown = red.wait(lambda shown: shown.rstrip().endswith("bob: good ?[31mluck\nyour move> a"))
    assert_unbroken(shown)
    red.key("BSpace")
    red.enter("say same to you")
    assert blue.read() == Chat(b"ann", b"same to you")
    for row in range(4):
        red.enter("d")
        update = blue.read()
        assert isinstance(update, Update)
        if update.won == 0:
            blue.play(0, 0)
            red.wait(f"last move: a{row + 1} by the other player")
            blue.read()
    shown = red.wait("Type rematch for a fresh board, or quit.")
    assert_unbroken(shown)
    assert "You have won: you have 4 in a row." in shown
    assert_shows(shown, last_diagram(last_record(folder)))
    assert "\x1b[1;7m\x1b[31mR" in red.coloured(), "the last move is highlighted"
    red.enter("rematch")
    red.wait(lambda shown: shown.rstrip().endswith("your move>"))
    assert isinstance(blue.read(), Update)
    red.enter("quit")
    assert red.exit_code() == 0
    update = blue.read()
    assert isinstance(update, Update)
    assert update.won == 4, "a cancelled game"


def test_a_move_is_checked_before_it_is_sent(red: PlayTerminal, blue: StreamClient) -> None:
    red.enter("d1")
    blue.read()
    red.enter("d2")
    red.wait("it is not your turn")
    blue.play(3, 0)
    blue.read()
    red.wait_for_turn()
    red.enter("d1")
    red.wait("d1 is not possible")
    red.enter("moves")
    red.wait("a1  b1  c1  d3  e1  f1  g1")
    red.enter("D 3")
    update = blue.read()
    assert isinstance(update, Update)
    assert update.spots.count(1) == 2, "no other moves were sent"


def test_a_move_that_the_server_never_confirms_is_not_shown_as_the_last_move() -> None:
    with ForeignTttp() as server, PlayTerminal(server.address) as person:
        server.welcome(RED)
        server.show(RED, 0, EMPTY)
        person.wait_for_turn()
        person.enter("d1")
        assert server.read(4) == b"PLAY"
        person.wait("You have sent d1. Waiting for the server to confirm it.")
        server.show(RED, BLUE, EMPTY)  # it came too late
        shown = person.wait("Type rematch for a fresh board, or quit.")
        assert "You have lost: the server says so." in shown
        assert "sent: d1, not confirmed by the server" in shown
        assert "last move" not in shown
        assert_shows(shown[shown.index("You have sent") :], ["1 . . . . . . .", "  a b c d e f g"])
        assert_unbroken(shown)


def test_a_game_that_was_over_before_the_player_joined_is_not_counted() -> None:
    with ForeignTttp() as server, PlayTerminal(server.address) as person:
        server.welcome(BLUE)
        server.show(BLUE, RED, RED_HAS_FOUR)
        shown = person.wait("Type rematch for a fresh board, or quit.")
        assert "This game was over before you joined." in shown
        assert "lost" not in shown
        person.enter("rematch")
        assert server.read(4) == b"RMCH"
        server.show(BLUE, 0, board((RED, 38)))
        person.wait_for_turn()
        person.enter("d2")
        assert server.read(4) == b"PLAY"


def test_the_remaining_time_is_counted_down() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_SECONDS)
        address = f"santorini-tournament://127.0.0.1:{server.getsockname()[1]}"
        with PlayTerminal(address, "--set", "timeout=5") as person:
            line, _ = server.accept()
            with line:
                shown = person.wait("Waiting for the server and the others.")
                assert "A turn at this door lasts 5 seconds" in shown
                board = json.dumps([[0] * 5] * 5)
                line.sendall(f'"ann" "bob" ["place", {board}]'.encode())
                person.wait("your move (5 s)>")
                person.press("c")
                shown = person.wait(
                    lambda shown: re.search(r"your move \([1-4] s\)> c", shown) is not None
                )
                assert_unbroken(shown)
                shown = person.wait("your move (0 s)> c")
                assert shown.count("your move") == 1, "the line is redrawn in place"


class GoOpponent:
    """A client of the Go door that sends and receives lines."""

    def __init__(self, hall: Served) -> None:
        port = hall.port("go-text")
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
        self._lines = self._socket.makefile("r", encoding="ascii", newline="\n")

    def send(self, line: str) -> None:
        self._socket.sendall(line.encode("ascii") + b"\n")

    def receive(self) -> str:
        return self._lines.readline().rstrip()

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


@pytest.fixture
def go_opponent() -> Iterator[Callable[[Served], GoOpponent]]:
    """Return a function that connects an opponent, which is closed at the end."""
    with contextlib.ExitStack() as opponents:
        yield lambda hall: opponents.enter_context(contextlib.closing(GoOpponent(hall)))


def answer_questions(person: PlayTerminal, size: str) -> None:
    for question, text in (("boardsize [19]", size), ("color [black]", ""), ("handicap [0]", "")):
        person.wait(f"{question}>")
        person.enter(text)
    person.wait("komi [6.5]>")


def test_go_with_questions_a_wrong_answer_and_an_illegal_move(
    hall: Served, folder: Path, go_opponent: Callable[[Served], GoOpponent]
) -> None:
    with PlayTerminal(address_of(hall, "go-text")) as person:
        answer_questions(person, "5")
        person.enter("much")
        person.wait("The server refuses: komi must be a number")
        person.enter("0.5")
        person.wait(lambda shown: shown.rstrip().endswith("\n>"))
        white = go_opponent(hall)
        assert white.receive() == "TERMS 5 2 0 0.5"
        white.send("TERMSCONFIRM Yes")
        shown = person.wait("do you agree? [yes]>")
        assert "size: 5, komi: 0.5" in shown
        person.enter("")
        assert [white.receive(), white.receive()] == ["TERMSOK", "START"]
        person.wait_for_turn()
        person.enter("c3")
        assert white.receive() == "OPPONENTPLAY 2 2"
        white.send("PLAY 1 1")
        person.wait("last move: B4 by the other player")
        person.enter("B4")
        person.wait("B4 is not possible")
        person.enter("pass")
        assert white.receive() == "SUCCESS"
        assert white.receive() == "OPPONENTPASS"
        white.send("PASS")
        assert person.exit_code() == 0
        shown = person.screen()
        assert "You have lost: white wins by 0.5." in shown
        assert_unbroken(shown)
    record = last_record(folder)
    assert record.result.winner is Seat.SECOND
    assert_shows(shown, [row for row in last_diagram(record) if row[:2].strip().isdigit()])


def test_a_whole_board_of_go_fits_into_the_terminal(
    hall: Served, go_opponent: Callable[[Served], GoOpponent]
) -> None:
    with PlayTerminal(address_of(hall, "go-text")) as person:
        answer_questions(person, "")
        person.enter("")
        white = go_opponent(hall)
        person.wait("do you agree?")
        white.send("TERMSCONFIRM Yes")
        person.enter("")
        shown = person.wait_for_turn()
        numbers = [line.split()[0] for line in shown.splitlines() if line[:2].strip().isdigit()]
        assert numbers == [str(number) for number in range(19, 0, -1)]
        assert "X, black, has captured 0" in shown
        assert HINT.findall(shown) == ["L10"]
        person.key("C-c")
        assert person.exit_code() == 0
        said = [white.receive() for _ in range(4)]
        assert said[-1] == "GAMEOVER True True"


@pytest.mark.parametrize("door", ["santorini-tournament", "santorini-lobby", "ascension-http"])
def test_whole_games_are_played_by_following_the_hints(
    hall: Served, folder: Path, door: str
) -> None:
    address = address_of(hall, door)
    with PlayTerminal(address) as person:
        person.wait("Waiting for the server and the others.")
        with RandomBot(address) as bot:
            screens = person.follow_hints()
            assert person.exit_code() == 0
            assert bot.first_match()["ending"] == "played out"
    for shown in screens:
        assert_unbroken(shown)
    record = last_record(folder)
    assert record.result.ending is Ending.PLAYED_OUT
    if door == "ascension-http":
        # Clients do not know the decks.
        diagram = [row for row in last_diagram(record) if row.endswith(" honor")]
    else:
        # A player of Santorini is not told the move that has beaten it. In the lobby it is not even
        # told whether its own last move was accepted.
        is_told = door == "santorini-tournament"
        diagram = last_diagram(record, after_move_of="ann", back=0 if is_told else 1)
    assert_shows(screens[-1], diagram)
    assert len(screens) > 5


def leave_in_the_middle(address: str) -> dict[str, str]:
    """Leave with Ctrl-C when it is our turn. Return the match as the opponent reports it."""
    door = address.partition(":")[0]
    with PlayTerminal(address) as person:
        if door == "go-text":
            answer_questions(person, "5")
            person.enter("")
        elif door == "tttp":
            person.wait_for_turn()
        else:
            person.wait("Waiting for the server and the others.")
        with RandomBot(address) as bot:
            if door == "go-text":
                person.wait("do you agree?")
                person.enter("")
            if door == "tttp":
                person.enter("d1")
                person.wait("by the other player")
            person.wait_for_turn()
            person.key("C-c")
            assert person.exit_code() == 0
            shown = person.screen().rstrip().splitlines()
            assert shown[-2:] == ["You have left.", "exit code 0"]
            return bot.first_match()


@pytest.mark.parametrize(
    ("door", "ending", "detail"),
    [
        ("tttp", "cancelled", "the opponent left"),
        ("go-text", "resigned", "the other gave up"),
        ("santorini-tournament", "played out", "winner"),
        ("santorini-lobby", "played out", "the server does not say how"),
    ],
)
def test_ctrl_c_leaves_and_the_opponent_is_told(
    hall: Served, door: str, ending: str, detail: str
) -> None:
    match = leave_in_the_middle(address_of(hall, door))
    assert (match["ending"], match["detail"]) == (ending, detail)


def test_a_player_who_leaves_over_http_runs_out_of_time() -> None:
    with Served("--door=ascension-http=0", "--set=ascension-http.turn-timeout=1") as hall:
        match = leave_in_the_middle(address_of(hall, "ascension-http"))
        assert match["verdict"] == "won"


def test_ctrl_c_resigns_and_closes_the_connection_in_order() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_SECONDS)
        with PlayTerminal(f"go-text://127.0.0.1:{server.getsockname()[1]}") as person:
            line, _ = server.accept()
            with line:
                line.sendall(b"TERMS 5 1 0 0.5\n")
                person.wait("do you agree?")
                person.enter("")
                assert line.recv(100) == b"TERMSCONFIRM Yes\n"
                line.sendall(b"TERMSOK\nSTART\n")
                person.wait_for_turn()
                person.key("C-c")
                assert line.recv(100) == b"RESIGN\n"
                line.sendall(b"GAMEOVER False True\n")
                assert line.recv(100) == b"", "an orderly end of the stream"
            assert person.exit_code() == 0


def test_ctrl_d_leaves_only_on_an_empty_line(red: PlayTerminal, blue: StreamClient) -> None:
    red.press("d")
    red.wait("your move> d")
    red.key("C-d")
    red.key("C-u")
    red.wait_for_turn()
    red.key("C-d")
    assert red.exit_code() == 0
    update = blue.read()
    assert isinstance(update, Update)
    assert update.won == 4


def test_tab_completes_moves_and_commands(red: PlayTerminal, blue: StreamClient) -> None:
    red.press("D")
    red.key("Tab")
    red.wait("your move> d1")
    red.key("C-u", "Tab")
    shown = red.wait("rematch")
    for word in ("a1", "g1", "moves", "words", "say", "quit"):
        assert re.search(rf"\b{word}\b", shown.partition("(or ?)")[2])
    assert_unbroken(shown)
    red.key("C-c")
    assert red.exit_code() == 0


def test_ctrl_z_restores_the_terminal_until_fg(hall: Served, tmp_path: Path) -> None:
    settings = tmp_path / "settings"
    with Tmux("bash", "--norc", "-i", environment={"PS1": "shell> "}) as shell:
        shell.enter(f"stty -g > {settings}; {GAMEHALL} play {address_of(hall, 'tttp')} --name ann")
        shell.wait("your move>")
        shell.press("e")
        shell.wait("your move> e")
        shell.key("C-z")
        shown = shell.wait(lambda shown: shown.rstrip().endswith("shell>"))
        assert "Stopped" in shown
        assert "your move>" not in shown, "the prompt is removed"
        shell.enter(f'[ "$(stty -g)" = "$(cat {settings})" ] && echo as it"" was')
        shell.wait("as it was")
        with StreamClient("127.0.0.1", hall.port()) as blue:
            assert blue.join(b"bob") == 2
            shell.enter("fg")
            shell.wait(lambda shown: shown.rstrip().endswith("your move> e"))
            shell.enter("1")
            shell.wait("last move: e1 by you")
            blue.read()
            shell.key("C-c")
            shell.wait(lambda shown: shown.rstrip().endswith("You have left.\nshell>"))
        shell.enter("exit")
        assert shell.exit_code() == 0


def test_a_typed_line_survives_resizing_and_is_kept_in_the_history(
    red: PlayTerminal, blue: StreamClient
) -> None:
    red.press("say hello")
    red.wait("your move> say hello")
    red.resize(50, 20)
    red.press(" there")
    shown = red.wait("your move> say hello there")
    assert shown.count("your move>") == 1
    blue.chat(b"x" * 60)
    red.wait(lambda shown: shown.rstrip().endswith("\nyour move> say hello there"))
    red.enter("")
    assert blue.read() == Chat(b"ann", b"hello there")
    red.wait(lambda shown: shown.rstrip().endswith("you: hello there\nyour move>"))
    red.key("Up")
    red.wait(lambda shown: shown.rstrip().endswith("\nyour move> say hello there"))
    red.key("C-c")
    assert red.exit_code() == 0


def test_a_lost_server_is_one_error_line() -> None:
    with Served() as lost, PlayTerminal(address_of(lost, "tttp"), "--reconnect", "0") as person:
        person.wait_for_turn()
        lost.stop(signal.SIGKILL)
        assert person.exit_code() == 1
        shown = person.screen().rstrip().splitlines()
        assert shown[-2:] == ["gamehall: the server has closed the connection", "exit code 1"]
        assert not any("Traceback" in line for line in shown)


def test_a_connection_that_is_closed_at_once_is_an_error_with_advice() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tttp://127.0.0.1:{server.getsockname()[1]}"
        with PlayTerminal(address) as person:
            server.accept()[0].close()
            assert person.exit_code() == 1
            shown = person.screen().replace("\n", "")
            assert f"{address} closed the connection at once: is that the tttp door?" in shown


@pytest.mark.parametrize(
    ("login", "name"),
    [("ann-1", "ann"), ("root", "player"), ("Admin", "player"), ("123", "player")],
)
def test_the_default_name_is_accepted_by_every_door(
    login: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", login)
    assert default_name("player") == name


def test_at_a_server_without_boards_moves_are_sent_unchecked() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_SECONDS)
        with PlayTerminal(f"santorini-lobby://127.0.0.1:{server.getsockname()[1]}") as person:
            line, _ = server.accept()
            with line, line.makefile("r", encoding="ascii") as said:
                assert json.loads(said.readline())[:2] == ["join", "ann"]
                line.sendall(b'["keepalive"]["set_id","x"]["start_of_game"]["get_placement"]')
                assert json.loads(said.readline()) == ["stillalive"]
                person.wait_for_turn()
                person.enter("c3")
                assert json.loads(said.readline()) == ["give_placement", [2, 2]]
                line.sendall(b'["get_turn"]')
                shown = person.wait("Your moves so far: c3.")
                assert "This server shows no board, so what you type is sent unchecked" in shown
                person.enter("c3-c4+e5")
                person.wait("are those cells adjacent?")
                person.enter("c3-c4+d4")
                assert json.loads(said.readline())[0] == "give_turn"
                line.sendall(b'["end_of_game"]')
                person.wait("The game is over; this server does not say who has won.")
            assert person.exit_code() == 0
        assert_unbroken(shown)


def test_a_dumb_terminal_gets_no_control_characters(hall: Served) -> None:
    with PlayTerminal(address_of(hall, "tttp"), TERM="dumb") as person:
        person.wait_for_turn()
        person.enter("d")
        shown = person.wait("last move: d1 by you")
        assert_shows(shown, ["1 . . . R . . .", "  a b c d e f g"])
        assert "\x1b[7m" not in person.coloured()
        person.key("C-c")
        assert person.exit_code() == 0


def test_moves_can_be_read_from_a_pipe(hall: Served) -> None:
    with StreamClient("127.0.0.1", hall.port()) as red:
        assert red.join(b"bob") == 1
        red.read()
        program = subprocess.Popen(
            [GAMEHALL, "play", address_of(hall, "tttp"), "--name", "ann"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert program.stdin is not None
        program.stdin.write(b"d1\nd2\nmoves\nd3\nd9\nd4")
        program.stdin.flush()
        for column in (0, 1, 0, 1):
            # It is red's turn after blue has joined, and after each move of blue.
            red.read()
            red.play(column, 0)
            red.read()
        output, errors = program.communicate(timeout=PATIENCE_SECONDS)
    text = output.decode()
    assert (program.returncode, errors) == (0, b"")
    assert "\x1b" not in text
    assert "your move> moves\na3  b2  c1  d3  e1  f1  g1\n" in text
    assert "your move> d9\n'd9' is not a cell" in text
    assert "You have won: you have 4 in a row." in text
    assert text.endswith("You have left.\n")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("card mystic", "Mystic, Hero: 3 runes, 1 honor. 2 runes."),
        ("card Cultist", "Cultist, Monster: 2 power, 1 honor."),
        ("card joker", "There is no card 'joker'"),
    ],
)
def test_cards_are_explained(typed: str, words: str) -> None:
    assert words in Ascension().explain(typed.removeprefix("card "))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["tttp"], 2, "is not an address"),
        (["chess://localhost"], 2, "there is no door 'chess'"),
        (["tttp://localhost:1"], 1, "cannot connect to tttp://localhost:1"),
        (["tttp://x", "--set", "connect=99"], 2, "tttp.connect cannot be"),
        (["santorini-tournament://x", "--name", "Ann"], 2, "1 to 256 lower-case letters"),
    ],
)
def test_a_wrong_option_is_one_error_line(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play", *arguments])
    assert ended.value.code == code
    output, errors = capsys.readouterr()
    assert output == ""
    [line] = errors.splitlines()
    assert words in line

"""Bots over TCP that fail, and the TCP client with servers that do not behave."""

import asyncio
import contextlib
import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from gamehall.bots.bot import RandomBot
from gamehall.clients import thinker as thinking
from gamehall.clients.address import read_address
from gamehall.clients.tcp import ConnectionFailedError, TcpClient, connect
from gamehall.clients.thinker import Thinker
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import Vocabulary
from gamehall.protocols.catalogue import all_protocols
from gamehall.wire.protocol import AnyProtocol
from tests.end_to_end.test_bot import BotProcess
from tests.support.manual_clock import ManualClock
from tests.support.served import Served

RAISES = "class A:\n    def choose(self, position, seat, seconds_left):\n        return {}['x']\n"
CHEATS = (
    "from gamehall.games.connect_four import Cell\nclass A:\n"
    "    def choose(self, position, seat, seconds_left):\n        return Cell(3, 0)\n"
)
NO_MOVE = "class A:\n    def choose(self, position, seat, seconds_left):\n        return 'd1'\n"
NO_MOVE_AT_ALL = NO_MOVE.replace("'d1'", "4")
NOT_COMPARABLE = "import numpy\n" + NO_MOVE.replace("'d1'", "numpy.zeros(2)")
EXITS = (
    "import sys\nclass A:\n    def choose(self, position, seat, seconds_left):\n"
    "        sys.exit(3)\n"
)
ENDS_ITS_PROCESS = EXITS.replace("sys", "os").replace("os.exit", "os._exit")
FILLS_MEMORY = NO_MOVE.replace("'d1'", "[bytearray(1 << 28) for _ in range(1 << 10)]")
NEVER_MOVES = "class A:\n    def choose(self, *_):\n        while True:\n            pass\n"
TALKS = (
    "print('I am', '{\"game\": 0}')\nclass A:\n"
    "    def choose(self, position, seat, seconds_left):\n"
    "        print('thinking')\n        return next(iter(position.legal_moves()))\n"
)
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


Ends = tuple[int, str, str]
"""The exit code, standard output and standard error."""


def play(folder: Path, text: str, *settings: str, options: Sequence[str] = ()) -> Ends:
    """Let a bot play Connect Four over TCP against a random bot, and return how it ended."""
    (folder / "mine.py").write_text(text)
    assignments = [word for setting in settings for word in ("--set", f"tttp.{setting}")]
    with Served("--door", "tttp=0", *assignments) as hall:
        address = f"tttp://127.0.0.1:{hall.port()}"
        mine = BotProcess(address, f"{folder / 'mine.py'}:A", "--name", "mine", "--json", *options)
        other = BotProcess(address, "random", "--name", "other", "--seed", "1")
        ended = mine.end()
        # It may still be waiting, if the bot had left before it joined.
        other.program.kill()
        other.program.communicate()
        assert hall.stop() == 0
        assert "Traceback" not in hall.errors
    return ended


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (RAISES, "A.choose raised KeyError: 'x' (mine.py, line 3)"),
        (CHEATS, "chose d6, which is illegal: a piece falls to"),
        (NO_MOVE, "choose returned the text 'd1', which is not a move: return one of"),
        (NO_MOVE_AT_ALL, "the bot chose 4, which is illegal: "),
        (NOT_COMPARABLE, "is not a move of Connect Four"),
        (EXITS, "A.choose raised SystemExit: 3 (mine.py, line 4)"),
        (ENDS_ITS_PROCESS, "the bot has failed: its process has ended with exit code 3"),
        (NEVER_MOVES, "the bot took longer than 2 s over a move"),
    ],
)
def test_the_error_of_a_failed_bot_shows_the_position(
    tmp_path: Path, text: str, words: str
) -> None:
    code, _, errors = play(tmp_path, text, options=("--limit", "2", "--memory", "1024"))
    assert code == 1
    assert words in errors
    assert "a b c d e f g" in errors, "the position is shown"
    assert "Traceback" not in errors


def test_a_bot_that_fills_memory_is_ended_without_harm(tmp_path: Path) -> None:
    # On a busy machine its time may be over before its memory is.
    code, _, errors = play(tmp_path, FILLS_MEMORY, options=("--limit", "10", "--memory", "512"))
    assert code == 1
    assert "A.choose raised MemoryError (mine.py, line 3)" in errors or "took longer" in errors
    assert "Traceback" not in errors


def test_a_bot_that_hangs_loses_on_time_and_does_not_block_the_command(tmp_path: Path) -> None:
    code, output, _ = play(tmp_path, HANGS, "turn-seconds=1")
    assert code == 0
    assert json.loads(output)["verdict"] == "lost"


def test_output_of_a_bot_goes_to_standard_error(tmp_path: Path) -> None:
    code, output, errors = play(tmp_path, TALKS)
    assert code == 0
    assert [json.loads(line)["game"] for line in output.splitlines()] == [1]
    assert errors.startswith('I am {"game": 0}\n')
    assert "thinking" in errors


def test_a_bot_is_notified_of_the_end_of_a_match(tmp_path: Path) -> None:
    code, output, errors = play(tmp_path, TELLS)
    assert code == 0
    verdict = json.loads(output)["verdict"]
    word, seat, winner, reason = errors.split(maxsplit=3)
    assert (word, reason.strip()) == ("over", "4 in a row")
    assert (seat == winner) is (verdict == "won")


JOINED_AS_RED = b"JOIN\x01"
EMPTY = b"\x00" * 42
RED_IS_TO_MOVE = b"UPDT\x01\x00" + EMPTY
RED_IS_TO_MOVE_AGAIN = b"UPDT\x01\x00" + EMPTY[:40] + b"\x01\x02"
BLUE_HAS_WON = b"UPDT\x01\x02" + EMPTY


class ConnectedBot:
    """A bot player that is connected to a server of the test."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.player: BotPlayer[Cell] = BotPlayer("ann", game=ConnectFour())
        self.has_told = asyncio.Event()
        self.is_rejected = False

    def _tell(self) -> None:
        assert not self.has_told.is_set(), "the user is told only once"
        self.has_told.set()

    async def play(self, serve: "Server") -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(len(b"JOIN\x03ann"))
            await serve(self, reader, writer)
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            door = read_address(f"tttp://127.0.0.1:{port}", all_protocols())
            protocol: AnyProtocol = door.protocol
            thinker = Thinker(
                self.player,
                RandomBot(1),
                self.clock,
                say=lambda _: self._tell(),
                tell_of_waiting=True,
            )
            client = TcpClient(
                door, lambda: protocol.client(protocol.settings()), self.player, thinker, self.clock
            )
            async with asyncio.timeout(30):
                await client.run()
            await thinker.close()
            self.is_rejected = client.is_rejected


Server = Callable[[ConnectedBot, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def act(serve: Server) -> ConnectedBot:
    async def played() -> ConnectedBot:
        bot = ConnectedBot()
        await bot.play(serve)
        return bot

    return asyncio.run(played())


def test_a_connection_that_is_closed_at_once_is_rejected() -> None:
    async def hang_up(bot: ConnectedBot, _: object, __: object) -> None:
        pass

    assert act(hang_up).is_rejected


def test_a_connection_that_is_closed_later_is_not_rejected() -> None:
    async def talk(bot: ConnectedBot, _: object, writer: asyncio.StreamWriter) -> None:
        writer.write(JOINED_AS_RED)

    async def take_time(bot: ConnectedBot, _: object, __: object) -> None:
        bot.clock.now += 2.5

    for serve in (talk, take_time):
        bot = act(serve)
        assert not bot.is_rejected
        assert bot.player.error == "the server has closed the connection"


def test_the_user_is_told_once_that_there_is_no_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "SECONDS_ALONE", 0.0)

    async def ask_for_a_move(
        bot: ConnectedBot, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(JOINED_AS_RED + RED_IS_TO_MOVE)
        await reader.readexactly(len(b"PLAY\x00\x00"))
        await bot.has_told.wait()
        writer.write(BLUE_HAS_WON)

    bot = act(ask_for_a_move)
    assert len(bot.player.matches) == 1


def test_the_user_is_told_nothing_if_there_is_an_opponent() -> None:
    async def move_too(
        bot: ConnectedBot, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(JOINED_AS_RED + RED_IS_TO_MOVE)
        await reader.readexactly(len(b"PLAY\x00\x00"))
        writer.write(RED_IS_TO_MOVE_AGAIN)
        await reader.readexactly(len(b"PLAY\x00\x00"))
        bot.clock.now += 10
        writer.write(BLUE_HAS_WON)

    assert not act(move_too).has_told.is_set()


CHAT_MESSAGE = b"CHAT\x03\x00\x02bobhi"


def test_reconnecting_to_a_server_that_closes_every_connection_ends() -> None:
    player: BotPlayer[Cell] = BotPlayer(
        "ann", Vocabulary(has_names=True), is_tournament=True, game=ConnectFour()
    )
    told: list[str] = []

    def close_all(listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection:
                    connection.recv(len(b"JOIN\x03ann"))
                    if not told:
                        connection.sendall(CHAT_MESSAGE)

    async def visit(port: int) -> None:
        door = read_address(f"tttp://127.0.0.1:{port}", all_protocols())
        protocol: AnyProtocol = door.protocol
        thinker = Thinker(player, RandomBot(1), time.monotonic, say=told.append)
        client = TcpClient(
            door,
            lambda: protocol.client(protocol.settings()),
            player,
            thinker,
            time.monotonic,
            seconds_to_reconnect=0.5,
        )
        async with asyncio.timeout(30):
            await client.run()
        await thinker.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = threading.Thread(target=close_all, args=(listening,))
        server.start()
        asyncio.run(visit(listening.getsockname()[1]))
        listening.shutdown(socket.SHUT_RDWR)
        server.join()
    assert told == ["connection lost; trying to reconnect for 0.5 s"]
    assert player.error is not None
    assert "and could not be restored within 0.5 s" in player.error


def test_the_error_of_a_refused_connection_says_how_to_start_a_server() -> None:
    with socket.socket() as unused:
        # Bound, so that no other process can listen there.
        unused.bind(("127.0.0.1", 0))
        door = read_address(f"tttp://127.0.0.1:{unused.getsockname()[1]}", all_protocols())
        with pytest.raises(
            ConnectionFailedError, match=r"refused; is the server running\? gamehall serve starts"
        ):
            asyncio.run(connect(door, None))


def test_the_error_of_an_untrusted_certificate_says_how_to_trust_it(tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x -keyout {key} -out {cert}"
    subprocess.run(command.split(), check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)

    async def visit() -> None:
        async with await asyncio.start_server(
            lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context
        ) as server:
            port = server.sockets[0].getsockname()[1]
            door = read_address(f"tttp+tls://127.0.0.1:{port}", all_protocols())
            await connect(door, ssl.create_default_context())

    with pytest.raises(
        ConnectionFailedError, match=r"self.signed.*; give its certificate with --tls-ca FILE"
    ):
        asyncio.run(visit())

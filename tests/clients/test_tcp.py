"""Bots at a real door that raise, hang, cheat or talk: what their authors are told."""

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from gamehall.bots.bot import RandomBot
from gamehall.clients import thinker as thinking
from gamehall.clients.address import read_address
from gamehall.clients.tcp import TcpClient
from gamehall.clients.thinker import Thinker
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import Vocabulary
from gamehall.protocols.catalogue import all_protocols
from gamehall.wire.protocol import AnyProtocol
from tests.end_to_end.test_bot import Running
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
"""An exit code, what was written, and what was complained of."""


def play(folder: Path, text: str, *settings: str, options: Sequence[str] = ()) -> Ends:
    """What becomes of a bot that plays Connect Four against one that moves at random."""
    (folder / "mine.py").write_text(text)
    assignments = [word for setting in settings for word in ("--set", f"tttp.{setting}")]
    with Served("--door", "tttp=0", *assignments) as hall:
        address = f"tttp://127.0.0.1:{hall.port()}"
        mine = Running(address, f"{folder / 'mine.py'}:A", "--name", "mine", "--json", *options)
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
        (NO_MOVE, "choose returned the text 'd1', which is not a move: return one of"),
        (NO_MOVE_AT_ALL, "the bot chose 4, which is illegal: "),
        (NOT_COMPARABLE, "is not a move of Connect Four"),
        (EXITS, "A.choose raised SystemExit: 3 (mine.py, line 4)"),
        (ENDS_ITS_PROCESS, "the bot has failed: its process has ended with exit code 3"),
        (FILLS_MEMORY, "A.choose raised MemoryError (mine.py, line 3)"),
        (NEVER_MOVES, "the bot took longer than 2 s over a move"),
    ],
)
def test_a_bot_that_cannot_go_on_is_told_of_with_the_position(
    tmp_path: Path, text: str, words: str
) -> None:
    code, _, errors = play(tmp_path, text, options=("--limit", "2", "--memory", "1024"))
    assert code == 1
    assert words in errors
    assert "a b c d e f g" in errors, "the position is shown"
    assert "Traceback" not in errors


def test_a_bot_that_hangs_loses_by_the_clock_and_does_not_keep_its_program(tmp_path: Path) -> None:
    code, output, _ = play(tmp_path, HANGS, "turn-seconds=1")
    assert code == 0
    assert json.loads(output)["verdict"] == "lost"


def test_what_a_bot_prints_is_shown_and_is_no_result(tmp_path: Path) -> None:
    code, output, errors = play(tmp_path, TALKS)
    assert code == 0
    assert [json.loads(line)["game"] for line in output.splitlines()] == [1]
    assert errors.startswith('I am {"game": 0}\n')
    assert "thinking" in errors


def test_a_bot_hears_of_the_end(tmp_path: Path) -> None:
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


class Watch:
    """A clock that moves when told."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Scene:
    """A visit of a bot to a server that says what a test has it say."""

    def __init__(self) -> None:
        self.watch = Watch()
        self.player: BotPlayer[Cell] = BotPlayer("ann", game=ConnectFour())
        self.is_told = asyncio.Event()
        self.is_rejected = False

    def _tell(self) -> None:
        assert not self.is_told.is_set(), "once is enough"
        self.is_told.set()

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
                self.watch,
                say=lambda _: self._tell(),
                tell_of_waiting=True,
            )
            client = TcpClient(
                door, lambda: protocol.client(protocol.settings()), self.player, thinker, self.watch
            )
            async with asyncio.timeout(30):
                await client.run()
            await thinker.close()
            self.is_rejected = client.is_rejected


Server = Callable[[Scene, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def act(serve: Server) -> Scene:
    async def played() -> Scene:
        scene = Scene()
        await scene.play(serve)
        return scene

    return asyncio.run(played())


def test_who_is_rejected_without_a_word_knows() -> None:
    async def hang_up(scene: Scene, _: object, __: object) -> None:
        pass

    assert act(hang_up).is_rejected


def test_who_has_heard_a_word_or_has_waited_was_not_turned_away() -> None:
    async def talk(scene: Scene, _: object, writer: asyncio.StreamWriter) -> None:
        writer.write(JOINED_AS_RED)

    async def take_time(scene: Scene, _: object, __: object) -> None:
        scene.watch.now += 2.5

    for serve in (talk, take_time):
        scene = act(serve)
        assert not scene.is_rejected
        assert scene.player.error == "the server has closed the connection"


def test_who_waits_alone_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "SECONDS_ALONE", 0.0)

    async def ask_for_a_move(
        scene: Scene, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(JOINED_AS_RED + RED_IS_TO_MOVE)
        await reader.readexactly(len(b"PLAY\x00\x00"))
        await scene.is_told.wait()
        writer.write(BLUE_HAS_WON)

    scene = act(ask_for_a_move)
    assert len(scene.player.matches) == 1


def test_who_is_not_alone_says_nothing() -> None:
    async def move_too(
        scene: Scene, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(JOINED_AS_RED + RED_IS_TO_MOVE)
        await reader.readexactly(len(b"PLAY\x00\x00"))
        writer.write(RED_IS_TO_MOVE_AGAIN)
        await reader.readexactly(len(b"PLAY\x00\x00"))
        scene.watch.now += 10
        writer.write(BLUE_HAS_WON)

    assert not act(move_too).is_told.is_set()


SOMETHING_SAID = b"CHAT\x03\x00\x02bobhi"


def test_a_server_that_closes_every_connection_is_not_tried_for_ever() -> None:
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
                        connection.sendall(SOMETHING_SAID)

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

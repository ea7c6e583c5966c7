"""Our clients reconnect after the server was killed during a game and started again.

This works at every door where the server can recognise players; the doors come from the catalogue.
"""

import json
import os
import signal
from pathlib import Path

import pytest

from gamehall.players.conversation import vocabulary_of
from gamehall.protocols.catalogue import all_protocols
from tests.end_to_end.test_bot import BotProcess, records
from tests.end_to_end.test_play import HINT, PlayTerminal
from tests.support.served import Served
from tests.support.tcp_proxy import TcpProxy

PROTOCOLS = all_protocols()
SETTINGS = {
    "santorini-lobby": ["move-timeout=0", "players=2"],
    "santorini-tournament": ["timeout=0", "players=2", "games=2"],
    "ascension-http": ["honor=2"],
}
NAMELESS = [
    name
    for name, protocol in PROTOCOLS.items()
    if protocol.answers and not vocabulary_of(protocol, protocol.settings()).has_names
]
"""The doors without names, where every connection is a new player."""
RETURNING = [name for name in PROTOCOLS if name not in NAMELESS]

LOST_AND_FOUND = ["connection lost; trying to reconnect for 60 s", "reconnected"]

PAUSES = '''
class Bot:
    """Waits during its second move."""

    moves = 0

    def choose(self, position, seat, seconds_left):
        self.moves += 1
        if self.moves == 2:
            open({reached!r}, "w").close()
            open({go_on!r}).close()
        return next(iter(position.legal_moves()))
'''


class Pause:
    """A bot in a file, which waits during its second move until `end` is called."""

    def __init__(self, folder: Path) -> None:
        self._reached, self._go_on = folder / "reached", folder / "go_on"
        os.mkfifo(self._reached)
        os.mkfifo(self._go_on)
        file = folder / "pauses.py"
        file.write_text(PAUSES.format(reached=str(self._reached), go_on=str(self._go_on)))
        self.bot = f"{file}:Bot"

    def wait(self) -> None:
        """Wait until the bot has reached its second move."""
        self._reached.open().close()

    def end(self) -> None:
        self._go_on.open("w").close()


@pytest.fixture
def pause(tmp_path: Path) -> Pause:
    return Pause(tmp_path)


def serve(door: str, folder: Path, port: int = 0, *more: str) -> Served:
    settings = [f"--set={door}.{setting}" for setting in SETTINGS.get(door, [])]
    return Served(f"--door={door}={port}", *settings, *more, "--seed=1", "--data", str(folder))


def options(door: str) -> list[str]:
    """Return the options of a client for the settings of the door."""
    return [word for one in SETTINGS.get(door, []) for word in ("--set", one)]


@pytest.mark.parametrize("door", RETURNING)
def test_bots_continue_after_the_server_was_killed_and_restarted(
    door: str, pause: Pause, tmp_path: Path
) -> None:
    with serve(door, tmp_path / "data") as hall:
        port = hall.port(door)
        address = f"{door}://127.0.0.1:{port}"
        known = (*options(door), "--json")
        bots = [
            BotProcess(address, pause.bot, "--name", "ann", *known),
            BotProcess(address, "random", "--name", "bob", "--seed", "3", *known),
        ]
        pause.wait()
        hall.stop(signal.SIGKILL)
    with serve(door, tmp_path / "data", port) as hall:
        pause.end()
        ends = [bot.end() for bot in bots]
        assert hall.stop() == 0
        assert "Traceback" not in hall.errors
    for code, output, errors in ends:
        assert errors.splitlines() == LOST_AND_FOUND
        assert code == 0
        verdicts = [json.loads(line)["verdict"] for line in output.splitlines()]
        assert verdicts
        assert "cancelled" not in verdicts
    assert ends[0][1].count("\n") == ends[1][1].count("\n") == len(records(tmp_path / "data"))


@pytest.mark.parametrize("door", RETURNING)
def test_a_bot_continues_after_its_connection_was_cut_if_its_seat_is_kept(
    door: str, pause: Pause, tmp_path: Path
) -> None:
    kept = f"--set={door}.return-seconds=60"
    with (
        serve(door, tmp_path / "data", 0, kept) as hall,
        TcpProxy(hall.port(door)) as proxy,
    ):
        known = (*options(door), "--json")
        ann = BotProcess(f"{door}://127.0.0.1:{proxy.port}", pause.bot, "--name", "ann", *known)
        bob = BotProcess(f"{door}://127.0.0.1:{hall.port(door)}", "random", "--name", "bob", *known)
        pause.wait()
        proxy.cut()
        pause.end()
        code, output, errors = ann.end()
        assert errors.splitlines() == LOST_AND_FOUND
        assert code == 0
        assert "cancelled" not in output
        assert bob.end()[::2] == (0, "")
        assert hall.stop() == 0


def test_a_bot_reports_that_its_seat_was_not_kept(pause: Pause, tmp_path: Path) -> None:
    with serve("tttp", tmp_path / "data") as hall, TcpProxy(hall.port("tttp")) as proxy:
        ann = BotProcess(f"tttp://127.0.0.1:{proxy.port}", pause.bot, "--name", "ann")
        bob = BotProcess(f"tttp://127.0.0.1:{hall.port('tttp')}", "random", "--name", "bob")
        pause.wait()
        proxy.cut()
        code, output, _ = bob.end()
        assert code == 0
        assert "the opponent left" in output
        code, output, errors = ann.end()
        assert (code, errors.splitlines()) == (0, LOST_AND_FOUND)
        assert "the connection was lost, and the server has not kept the seat" in output


@pytest.mark.parametrize("door", NAMELESS)
def test_at_a_door_without_names_a_bot_reports_that_the_game_is_lost(
    door: str, pause: Pause, tmp_path: Path
) -> None:
    with serve(door, tmp_path / "data") as hall:
        address = f"{door}://127.0.0.1:{hall.port(door)}"
        bots = [BotProcess(address, bot) for bot in (pause.bot, "random")]
        pause.wait()
        hall.stop(signal.SIGKILL)
    for code, output, errors in [bot.end() for bot in bots]:
        assert (code, output) == (1, "")
        assert errors == (
            "gamehall: the server has closed the connection; players have no names at this door,"
            " so the game is lost\n"
        )


def follow_hints(person: PlayTerminal, shown: str) -> None:
    """Make the moves that are shown as examples until the game is over, then leave."""

    def is_ready(now: str) -> bool:
        is_asked = now.rstrip().endswith("\nyour move>")
        return now != shown and (is_asked or "Type rematch" in now or "exit code" in now)

    while "Type rematch" not in shown and "exit code" not in shown:
        person.enter(HINT.findall(shown)[-1])
        shown = person.wait(is_ready)
    if "exit code" not in shown:
        person.enter("quit")


@pytest.mark.parametrize("door", RETURNING)
def test_a_person_continues_after_the_server_was_killed_and_restarted(
    door: str, tmp_path: Path
) -> None:
    with serve(door, tmp_path / "data") as hall:
        port = hall.port(door)
        address = f"{door}://127.0.0.1:{port}"
        known = options(door)
        bot = BotProcess(address, "random", "--name", "bob", "--seed", "3", *known)
        with PlayTerminal(address, *known) as person:
            shown = person.wait_for_turn()
            person.enter(HINT.findall(shown)[-1])
            person.wait_for_turn(shown)
            hall.stop(signal.SIGKILL)
            person.wait("Connection lost; trying to reconnect for 60 s.")
            with serve(door, tmp_path / "data", port) as back:
                person.wait("Reconnected.")
                follow_hints(person, person.wait_for_turn())
                assert person.exit_code() == 0
                code, _, errors = bot.end()
                assert (code, len(errors.splitlines())) == (0, 2)
                assert back.stop() == 0
    assert records(tmp_path / "data")

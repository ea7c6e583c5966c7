"""The documentation is correct."""

import os
import re
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import click
import pytest

from gamehall.cli.main import commands
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.plan import plan_doors, read_hall_file
from tests.independent.tttp_clients import Packet, StreamClient, Update
from tests.support.served import PATIENCE_SECONDS, Served

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("src/**/*.md"),
        *ROOT.glob("benchmarks/*.md"),
    ]
)


def code_of(page: str) -> str:
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    return str(code)


each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@each_page
def test_links_have_a_target(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        there = page.parent / path if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@each_page
def test_commands_and_options_on_a_page_exist(page: Path) -> None:
    text = re.sub(r"^```text\n.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    in_blocks = re.findall(r"^ *(?:\w*\$ )?((?:\.venv/bin/)?gamehall .+)$", text, re.MULTILINE)
    inline = re.findall(r"`(gamehall [^`]+)`", text)
    root = click.Context(commands)
    for line in [*in_blocks, *inline]:
        words = re.split(r"[\s|;&<>]+", re.sub(r"('[^']*'|\"[^\"]*\"|  +.*$)", "", line))[1:]
        command: click.Command = commands
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            name = words.pop(0)
            if name.isupper():
                return
            child = command.get_command(root, name)
            assert child is not None, line
            command = child
        options = {
            name for option in command.params for name in [*option.opts, *option.secondary_opts]
        }
        named = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert named <= options | {"--help", "--version"}, line


def test_the_bot_in_the_readme_is_the_example() -> None:
    mine = code_of(README)
    tutorial = (ROOT / "docs" / "tutorial" / "first-bot.md").read_text()
    example = (ROOT / "examples" / "my_bot.py").read_text()
    assert mine == code_of(tutorial)
    assert mine == "\n".join(
        re.sub(r'(?m)^ *""".*?"""\n+', "", example, flags=re.DOTALL).split("\n")
    )


def test_the_client_in_the_guide_is_the_example() -> None:
    guide = (ROOT / "docs" / "guides" / "writing-clients.md").read_text()
    assert code_of(guide) in (ROOT / "examples" / "random_bot.py").read_text()


def test_the_reference_pages_match_the_code() -> None:
    written = runpy.run_path(str(ROOT / "docs" / "reference" / "make.py"))["write"]()
    for name, page in written.items():
        assert (ROOT / "docs" / "reference" / name).read_text() == page


def test_the_package_in_the_page_about_games_is_the_plugin_of_the_tests() -> None:
    page = (ROOT / "docs" / "guides" / "adding-a-game.md").read_text()
    plugin = ROOT / "tests" / "plugin"
    written = [plugin / "src" / "gamehall_nim" / name for name in ("__init__.py", "bot.py")]
    assert re.findall(r"```python\n(.*?)```", page, re.DOTALL) == [
        file.read_text() for file in written
    ]
    parts = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert "\n".join(parts) == (plugin / "pyproject.toml").read_text()


class Example:
    """A running program of the examples folder."""

    def __init__(self, name: str, *arguments: str) -> None:
        self.program = subprocess.Popen(
            [sys.executable, "-u", ROOT / "examples" / name, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def next_line(self) -> str:
        assert self.program.stdout is not None
        line = self.program.stdout.readline()
        assert line, "the program has ended"
        return line

    def end(self) -> tuple[int, str]:
        """Wait for the end. Return the exit code, and the output after the last line read."""
        output, _ = self.program.communicate(timeout=PATIENCE_SECONDS)
        return self.program.returncode, output

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.program.poll() is None:
            self.program.kill()
            self.program.wait()
        assert self.program.stdout is not None
        self.program.stdout.close()


@pytest.mark.parametrize("host", ["", "localhost:", "127.0.0.1:"])
def test_the_example_bot_plays_a_game_and_the_example_watcher_sees_it(host: str) -> None:
    with Served() as hall, StreamClient("127.0.0.1", hall.port()) as red:
        where = f"{host}{hall.port()}"
        assert red.join(b"red") == 1
        red.read()
        with Example("random_bot.py", "ann", where) as bot:
            fresh = red.read()  # the bot has sat down
            red.chat(b"good luck")
            with Example("watch.py", "eve", where) as watcher:
                assert watcher.next_line() == ". . . . . . .\n"
                play_red(red, fresh)
                code, said = bot.end()
                assert code == 0
                assert re.fullmatch(r"ann has (not )?won\n", said)
                code, seen = watcher.end()
                assert code == 0
                assert "Blue's turn" in seen
                assert "won" in seen or "cat's game" in seen


def test_the_example_bot_joins_after_a_finished_game() -> None:
    with Served() as hall, StreamClient("127.0.0.1", hall.port()) as red:
        assert red.join(b"red") == 1
        red.read()
        for name in ("ann", "bob"):
            with Example("random_bot.py", name, str(hall.port())) as bot:
                fresh = red.read()
                assert isinstance(fresh, Update)
                assert (fresh.won, any(fresh.spots)) == (0, False)
                play_red(red, fresh)
                code, said = bot.end()
                assert code == 0
                assert re.fullmatch(rf"{name} has (not )?won\n", said)


def test_the_example_watcher_leaves_a_seat() -> None:
    with Served() as hall, Example("watch.py", "eve", str(hall.port())) as watcher:
        assert watcher.next_line() == "waiting for two players\n"
        with (
            Example("random_bot.py", "ann", str(hall.port())) as ann,
            Example("random_bot.py", "bob", str(hall.port())) as bob,
        ):
            for bot in (ann, bob):
                code, said = bot.end()
                assert code == 0
                assert "won" in said
            code, seen = watcher.end()
            assert code == 0
            assert "turn" in seen


def test_the_example_clients_wait_for_the_server_and_reconnect(
    tmp_path: Path,
) -> None:
    doors = {"tttp": free_port(), "santorini-tournament": free_port()}
    options = [word for door, port in doors.items() for word in ("--door", f"{door}={port}")]
    options += ["--data", str(tmp_path), "--set", "santorini-tournament.games=15"]
    with ExitStack() as running:

        def start(name: str, player: str, door: str) -> Example:
            return running.enter_context(Example(name, player, f"localhost:{doors[door]}"))

        with Example("watch.py", "eve", str(doors["tttp"])) as watcher:
            assert watcher.next_line() == "waiting for the hall\n"
        bot = start("random_bot.py", "ann", "tttp")
        santorini = [start("santorini_bot.py", n, "santorini-tournament") for n in ("cat", "dan")]
        with Served(*options) as hall, StreamClient("127.0.0.1", doors["tttp"]) as other:
            play_leftmost(other, other.join(b"bob"), until_pieces=4)
            for one in santorini:
                assert " is called " in one.next_line()
                assert one.next_line().endswith((": WINNER\n", ": LOSER\n"))
            hall.stop(signal.SIGKILL)
        with Served(*options):
            with StreamClient("127.0.0.1", doors["tttp"]) as other:
                play_leftmost(other, other.join(b"bob"))
                code, said = bot.end()
            assert code == 0
            assert re.fullmatch(r"ann has (not )?won\n", said)
            for one in santorini:
                code, said = one.end()
                assert code == 0
                assert " is called " in said, "again"
                assert re.search(r"won \d+ of 15\n$", said)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def play_red(red: StreamClient, update: Packet) -> None:
    """Play Red to the end, always in the leftmost column that is not full."""
    while isinstance(update, Update) and update.won == 0:
        if update.turn == 1:
            red.play(update.spots.index(0), 0)
        update = red.read()


def play_leftmost(player: StreamClient, seat: int, until_pieces: int = 42) -> None:
    """Play to the end, or until this number of pieces is on the board, through cancelled games."""
    while isinstance(update := player.read(), Update) and update.won in (0, 4):
        if sum(spot > 0 for spot in update.spots) >= until_pieces:
            return
        if update.won == 0 and update.turn == seat:
            player.play(update.spots.index(0), 0)


def test_the_readme_lists_all_doors() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", README, re.MULTILINE)
    assert {name: int(port) for name, port in rows} == {
        protocol.name: protocol.port for protocol in all_protocols().values()
    }


def test_the_example_configurations_are_valid() -> None:
    protocols = all_protocols()
    file = read_hall_file(ROOT / "examples" / "hall.toml", protocols)
    plans = plan_doors(protocols, [], file, [])
    assert {plan.protocol.name: plan.port for plan in plans}["tttp"] == 7003
    assert all(plan.has_own_room for plan in plans)
    file = read_hall_file(ROOT / "examples" / "class.toml", protocols)
    assert all(plan.has_own_room for plan in plan_doors(protocols, [], file, []))
    file = read_hall_file(ROOT / "examples" / "santorini.toml", protocols)
    plans = plan_doors(protocols, [], file, [])
    assert [p.protocol.name for p in plans if not p.has_own_room] == ["santorini-lobby"]


def test_the_example_bots_play_a_santorini_tournament() -> None:
    with Served("--door", "santorini-tournament=0", "--once") as hall:
        bots = [
            subprocess.Popen(
                [
                    *(sys.executable, ROOT / "examples" / "santorini_bot.py"),
                    *(name, str(hall.port("santorini-tournament"))),
                ],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for name in ("ann", "bob", "ann")
        ]
        said = [bot.communicate(timeout=PATIENCE_SECONDS)[0] for bot in bots]
        assert hall.wait() == 0
    assert hall.output.startswith('result santorini-tournament {"players":')
    for lines in said:
        assert re.fullmatch(
            r"(ann|bob) is called (\w+)\n(\2: (WINNER|LOSER)\n){6}\2: won \d of 6\n", lines
        ), lines


def test_the_pictures_match_the_code() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "pictures" / "make.py"))["draw"]()
    for name, picture in made.items():
        assert (ROOT / "docs" / "pictures" / name).read_text() == picture


def test_the_architecture_page_lists_all_packages() -> None:
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text()
    for path in (ROOT / "src" / "gamehall").glob("*/__init__.py"):
        assert f"      {path.parent.name}/" in page, path.parent
    for name in re.findall(r"\b\w+\.py\b", page):
        assert list(ROOT.glob(f"src/**/{name}")) or list(ROOT.glob(f"tests/**/{name}")), name


@pytest.mark.usefixtures("nim")
def test_the_game_of_the_adding_page_passes_the_tests_of_every_game() -> None:
    for_every_game = ["tests/games/test_every_game.py", "tests/games/test_nonsense.py"]
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *for_every_game, "-k", "nim"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert tests.returncode == 0, tests.stdout


def test_the_protocol_of_the_adding_page_works(tmp_path: Path) -> None:
    # Add it to a copy of the source, serve it, play there, and check it.
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "src" / "gamehall" / "protocols" / "four_text"
    folder.mkdir()
    page = (ROOT / "docs" / "guides" / "adding-a-protocol.md").read_text()
    files = re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert [name for name, _ in files] == ["PROTOCOL.md", "__init__.py", "conformance.py"]
    for name, text in files:
        (folder / name).write_text(text)
    with_copy = os.environ | {"PYTHONPATH": str(tmp_path / "src")}

    def run(*command: str) -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=with_copy, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    checked = [ROOT / "pyproject.toml", *folder.glob("*.py")]
    shutil.copy(checked[0], tmp_path)
    run(sys.executable, "-m", "mypy", "--strict", *map(str, checked[1:]))
    run(str(Path(sys.executable).with_name("lint-imports")), "--no-cache")
    gamehall = (sys.executable, "-m", "gamehall")
    assert "four-text" in run(*gamehall, "doors")
    with_path = ("env", f"PYTHONPATH={tmp_path / 'src'}", *gamehall)
    with Served("--door=four-text=0", program=with_path) as served:
        address = f"four-text://127.0.0.1:{served.port('four-text')}"
        report = run(*gamehall, "check", address)
        assert report.endswith("3 passed, 0 failed, 0 not checked\n")
        players = [
            subprocess.Popen(
                [*gamehall, "bot", address, "--bot", "greedy", "--name", name],
                env=with_copy,
                stdout=subprocess.PIPE,
                text=True,
            )
            for name in ("ann", "bob")
        ]
        outputs = [player.communicate(timeout=PATIENCE_SECONDS)[0] for player in players]
        assert [player.returncode for player in players] == [0, 0], outputs
        assert any("won" in output for output in outputs), outputs
        # Without its checks only clients can be checked.
        (folder / "conformance.py").unlink()
        unchecked = subprocess.run(
            [*gamehall, "check", address],
            env=with_copy,
            capture_output=True,
            text=True,
            check=False,
        )
        assert unchecked.returncode == 1
        assert "there are no checks of a four-text server yet" in unchecked.stderr
    with subprocess.Popen(
        [*gamehall, "check", "--listen", "four-text://127.0.0.1:0"],
        env=with_copy,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as checker:
        assert checker.stdout is not None
        assert checker.stderr is not None
        _, name, place = checker.stdout.readline().split()
        run(*gamehall, "bot", f"{name}://{place}", "--bot", "random")
        assert checker.stderr.readline().startswith("connect the client again")
        run(*gamehall, "bot", f"{name}://{place}", "--bot", "random")
        report, _ = checker.communicate(timeout=PATIENCE_SECONDS)
    assert report.endswith("7 passed, 0 failed, 0 not checked\n"), report


THIRD_PARTY = (ROOT / "THIRD_PARTY.md").read_text()


def test_every_dependency_is_listed_with_its_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = {re.split(r"[\[<>=]", line)[0].lower() for group in groups for line in group}
    rows = re.findall(r"^\| (.+?) \| .+ \| .+ \|$", THIRD_PARTY, re.MULTILINE)
    listed = {name.lower() for row in rows for name in re.split(r", (?:with )?", row)}
    assert wanted - listed == set()


def test_every_pinned_package_is_listed() -> None:
    """Also those that come with others, so that no licence goes unnoticed."""
    pins = (ROOT / "constraints.txt").read_text().split()
    words = re.findall(r"[\w-]+", THIRD_PARTY.replace("_", "-").lower())
    assert {pin.split("==")[0].replace("_", "-").lower() for pin in pins} - {*words} == set()


def test_ideas_are_credited_where_they_are_used() -> None:
    ideas = THIRD_PARTY.split("## Ideas\n")[1].split("## Dependencies")[0]
    places = re.findall(r"`([\w/.]+)`", ideas)
    assert places
    for place in places:
        assert (ROOT / "src" / "gamehall" / place).exists(), place


def test_the_programs_that_make_test_installs_are_named() -> None:
    makefile = (ROOT / "Makefile").read_text()
    [programs] = re.findall(r"^PROGRAMS := (.*)$", makefile, re.MULTILINE)
    assert f"({', '.join(programs.split())})" in (ROOT / "CONTRIBUTING.md").read_text()
    for program in programs.split():
        assert f"`{program}`" in THIRD_PARTY, program

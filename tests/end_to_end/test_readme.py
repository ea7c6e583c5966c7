"""Run the commands of the README and of the tutorials as they are written.

A line after `server$` starts a server, which runs until the next one starts. A line after `$` runs
in a shell and must not fail; `gamehall play` runs in a terminal. The output of a server must be the
lines that the page shows below it; for `gamehall play`, the last of these lines must appear.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.terminal.tmux import Tmux

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 240


class Command(NamedTuple):
    """A command line, and the lines that the page shows below it."""

    is_server: bool
    line: str
    shown: tuple[str, ...]

    @property
    def is_play(self) -> bool:
        return "gamehall play " in self.line


def commands(text: str) -> Iterator[Command]:
    """Yield the commands of a page."""
    for block in re.findall(r"(?:^ {4}.*\n|^ *\n(?= {4}))+", text, re.MULTILINE):
        _, *parts = re.split(r"^ {4}(server)?\$ ", block, flags=re.MULTILINE)
        for prompt, typed in zip(parts[::2], parts[1::2], strict=True):
            line, *shown = typed.splitlines()
            yield Command(
                prompt == "server", line, tuple(one[4:].rstrip() for one in shown if one.strip())
            )


class Shell:
    """A shell that runs commands one after the other."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._errors = (folder / "errors.txt").open("w+")
        self._program = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            start_new_session=True,
        )

    def run(self, line: str) -> None:
        """Run a line, and fail if its exit code is not 0."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(f"{line}\nprintf '\\nexit code %s\\n' $?\n")
        self._program.stdin.flush()
        output: list[str] = []
        for answer in self._program.stdout:
            output.append(answer)
            if answer.startswith("exit code "):
                break
        self._errors.seek(0)
        assert output[-1:] == ["exit code 0\n"], "".join([line, "\n", *output, *self._errors])

    def close(self) -> None:
        os.killpg(self._program.pid, signal.SIGKILL)
        self._program.communicate()
        self._errors.close()


class Server:
    """A server that `make serve` or `gamehall serve` has started."""

    def __init__(self, command: Command, folder: Path, environment: dict[str, str]) -> None:
        self._program = subprocess.Popen(
            ["bash", "-c", f"exec {command.line}"],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._program.stdout is not None
        printed: list[str] = []
        for line in self._program.stdout:
            printed.append(line.rstrip())
            if line == "ready\n":
                break
        else:
            _, errors = self._program.communicate()
            pytest.fail(f"{command.line}: {errors}")
        if command.shown:
            assert printed == list(command.shown)

    def close(self) -> None:
        """Press Ctrl-C."""
        os.killpg(self._program.pid, signal.SIGINT)
        _, errors = self._program.communicate(timeout=PATIENCE_SECONDS)
        assert "Traceback" not in errors


def play(command: Command, folder: Path, environment: dict[str, str]) -> None:
    """Run `gamehall play` in a terminal until the last line of the page appears; then leave."""
    prompt = command.shown[-1]
    script = f"cd {folder} && exec {command.line}"
    with Tmux("bash", "-c", script, environment=environment) as terminal:
        terminal.wait(prompt)
        terminal.key("C-c")
        terminal.exit_code()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder like a checkout after `make install`."""
    for entry in ROOT.iterdir():
        if entry.name not in (".git", ".venv"):
            (tmp_path / entry.name).symlink_to(entry)
    programs = tmp_path / ".venv"
    programs.symlink_to(Path(sys.executable).parents[1])
    return tmp_path


PAGES = [
    "README.md",
    *(f"docs/tutorial/{page.name}" for page in sorted(ROOT.glob("docs/tutorial/*.md"))),
    "docs/guides/writing-clients.md",
]


@pytest.mark.timeout(1200)
def test_every_command_of_the_pages_works_as_written(checkout: Path) -> None:
    # In this order: servers of different pages use the same ports.
    for page in PAGES:
        run_page(page, checkout)


def run_page(page: str, checkout: Path) -> None:
    found = list(commands((ROOT / page).read_text()))
    assert any(command.is_server for command in found)
    assert any(not command.is_server for command in found)
    for program in ("curl", "gnugo"):
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/games") is None:
            if os.environ.get("CI") == "true":
                pytest.fail(f"{program} is missing: apt install {program}")
            pytest.skip(f"{program} is missing: apt install {program}")
    environment = {
        "PATH": f"{os.environ['PATH']}:/usr/games",
        "HOME": os.environ.get("HOME", "/"),
        "XDG_DATA_HOME": str(checkout / "data"),
    }
    if "PYTHONPATH" in os.environ:
        environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    server: Server | None = None
    shell = Shell(checkout, environment)
    try:
        for command in found:
            if command.is_server:
                if server is not None:
                    server.close()
                server = Server(command, checkout, environment)
            elif command.is_play:
                play(command, checkout, environment)
            else:
                shell.run(command.line)
    finally:
        shell.close()
        if server is not None:
            server.close()

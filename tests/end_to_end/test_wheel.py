"""The installed wheel, outside the repository and with every Python on this computer."""

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 240


def pythons() -> dict[str, str]:
    """Return the interpreters that pyproject.toml allows, by version, including this one."""
    this = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = {this: sys.executable}
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep)]
    # pyenv keeps interpreters that are not on the PATH.
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders += sorted(root.glob("versions/*/bin"))
    for minor in range(11, 20):
        version = f"3.{minor}"
        for folder in folders:
            program = folder / f"python{version}"
            if version not in found and program.is_file() and runs(program):
                found[version] = str(program)
    return found


def runs(program: Path) -> bool:
    """Return True if an interpreter starts: pyenv also has launchers of missing ones."""
    command = [str(program), "-c", "import venv, ensurepip"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


PYTHONS = pythons()


def run(*command: str | Path, folder: Path) -> str:
    """Run a command outside the repository, and return its output."""
    finished = subprocess.run(
        command,
        cwd=folder,
        env=clean_environment(folder),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert finished.returncode == 0, f"{command}: {finished.stdout}\n{finished.stderr}"
    return finished.stdout


def clean_environment(folder: Path) -> dict[str, str]:
    """Return an environment without references to the repository, except the constraints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {
        "PIP_CONSTRAINT": str(ROOT / "constraints.txt"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "XDG_DATA_HOME": str(folder / "data"),
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", f"--wheel-dir={folder}", ROOT,
        folder=folder)  # fmt: skip
    [built] = folder.glob("gamehall-*.whl")
    return built


def test_the_wheel_contains_only_the_package(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"gamehall"}
    assert not [name for name in names if name.startswith("gamehall/bench")]


@pytest.fixture(params=PYTHONS)
def installed(
    request: pytest.FixtureRequest, wheel: Path, tmp_path: Path
) -> Iterator[tuple[Path, Path]]:
    """Install the wheel in a new environment. Yield its programs' folder, and a work folder."""
    run(PYTHONS[request.param], "-m", "venv", tmp_path / "venv", folder=tmp_path)
    programs = tmp_path / "venv" / "bin"
    run(programs / "python", "-m", "pip", "install", "--quiet", wheel, folder=tmp_path)
    yield programs, tmp_path
    shutil.rmtree(tmp_path / "venv")


def test_the_installed_wheel_runs_server_pages_bot_and_arena(
    installed: tuple[Path, Path],
) -> None:
    programs, folder = installed
    gamehall = programs / "gamehall"
    where = run(programs / "python", "-c", "import gamehall; print(gamehall.__file__)",
                folder=folder)  # fmt: skip
    assert where.startswith(str(programs.parent))

    doors = ("santorini-lobby", "santorini-tournament", "go-text", "tttp", "ascension-http", "web")
    hall = subprocess.Popen(
        [gamehall, "serve", *(f"--door={door}=0" for door in doors)],
        cwd=folder,
        env=clean_environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert hall.stdout is not None
        addresses: dict[str, str] = {}
        for line in iter(hall.stdout.readline, "ready\n"):
            assert line, "the server has not started"
            _, door, address = line.split()
            addresses[door] = address
        assert set(addresses) == set(doors)

        for page in ("", "records", "api/rooms", "rooms/tttp"):
            with urllib.request.urlopen(addresses["web"] + page, timeout=60) as answer:
                assert answer.status == 200
                assert answer.read()
        with urllib.request.urlopen(addresses["web"], timeout=60) as answer:
            linked = re.findall(r'(?:href|src)="(/static/[^"]+)"', answer.read().decode())
        assert linked
        for path in linked:
            with urllib.request.urlopen(addresses["web"].rstrip("/") + path, timeout=60) as answer:
                assert answer.read()

        door = f"tttp://{addresses['tttp']}"
        opponent = subprocess.Popen(
            [gamehall, "bot", door, "--bot", "random", "--name", "bob"],
            cwd=folder,
            env=clean_environment(folder),
            stdout=subprocess.DEVNULL,
        )
        try:
            said = run(gamehall, "bot", door, "--bot", "greedy", "--name", "ann", folder=folder)
            assert re.search(r"won|lost|draw", said)
        finally:
            assert opponent.wait(PATIENCE_SECONDS) == 0
    finally:
        hall.terminate()
        _, errors = hall.communicate(timeout=PATIENCE_SECONDS)
    assert hall.returncode == 0, errors
    assert "Traceback" not in errors

    standings = run(gamehall, "arena", "connect-four", "greedy", "random", "--games", "4",
                    folder=folder)  # fmt: skip
    assert "greedy" in standings
    assert "connect-four" in run(programs / "python", "-m", "gamehall", "games", folder=folder)

"""The import contracts hold, and a violation of each is found."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINT = Path(sys.executable).with_name("lint-imports")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT, "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the source that tests may change."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_unchanged_copy_has_no_violations(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


@pytest.mark.parametrize(
    ("contract", "module", "line"),
    [
        ("Imports point down only", "core/seat.py", "import gamehall.match.referee"),
        ("Imports point down only", "rooms/room.py", "import gamehall.wire.framing"),
        ("Imports point down only", "wire/session.py", "import gamehall.server.timers"),
        (
            "Games do not know each other",
            "games/draughts/__init__.py",
            "import gamehall.games.connect_four",
        ),
        (
            "Protocols do not know each other",
            "protocols/morse/__init__.py",
            "import gamehall.protocols.tttp",
        ),
        (
            "Only games and protocols know a particular game",
            "rooms/table.py",
            "import gamehall.games.connect_four",
        ),
        (
            "Only games and protocols know a particular game",
            "server/door.py",
            "import gamehall.protocols.tttp",
        ),
        (
            "Only games and protocols know a particular game",
            "conformance/runner.py",
            "import gamehall.protocols.tttp.conformance",
        ),
        (
            "Only games and protocols know a particular game",
            "conformance/listening.py",
            "import gamehall.games.santorini",
        ),
        (
            "What checks a protocol is imported only by the checker, by its name",
            "protocols/tttp/__init__.py",
            "import gamehall.protocols.tttp.conformance.player",
        ),
        (
            "Imports point down only",
            "protocols/tttp/session.py",
            "import gamehall.conformance.target",
        ),
        *(
            ("The core knows no clock, socket, file or randomness", module, f"import {name}")
            for module, name in [
                ("core/game.py", "random"),
                ("games/connect_four/board.py", "os"),
                ("match/clock.py", "time"),
                ("rooms/table.py", "asyncio"),
                ("wire/framing.py", "socket"),
                ("protocols/tttp/session.py", "pathlib"),
                ("protocols/tttp/session.py", "subprocess"),
                ("protocols/tttp/conformance/player.py", "random"),
                ("rooms/table.py", "sqlite3"),
            ]
        ),
    ],
)
def test_a_violation_of_each_contract_is_found(
    copy: Path, contract: str, module: str, line: str
) -> None:
    changed = copy / "src" / "gamehall" / module
    changed.parent.mkdir(exist_ok=True)
    changed.write_text((changed.read_text() if changed.exists() else "") + f"\n{line}\n")
    done = lint(copy)
    assert done.returncode == 1, done.stdout
    assert f"{contract} BROKEN" in done.stdout

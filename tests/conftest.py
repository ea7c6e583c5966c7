"""Settings of Hypothesis, and fixtures for all tests."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.replayed_rooms import Recordings, recorded

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "tests" / "plugin"

# On slow machines, examples of correct code take longer than the default deadline of 200 ms. In CI
# the examples are always the same, so that a failing build is caused by the change.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# More examples would not help, since they are the same each time. Run the tests by hand for others.
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, max_examples=40)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(autouse=True, scope="session")
def user_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Servers without --data write to a temporary folder, not to the developer's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("user_data")))
        yield


@pytest.fixture(autouse=True, scope="session")
def recordings() -> Iterator[Recordings]:
    """The requests of every room that a test makes."""
    with recorded() as rooms:
        yield rooms


@pytest.fixture(autouse=True)
def every_room_replays(recordings: Recordings) -> Iterator[None]:
    """Check that every room of the test can be rebuilt from its journal."""
    yield
    recordings.check()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A self-signed certificate for localhost, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
        f" -addext subjectAltName=DNS:localhost -keyout {key} -out {cert}"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    return cert, key


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the plugin package into a folder for PYTHONPATH."""
    folder = tmp_path_factory.mktemp("plugin")
    install = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target"]
    subprocess.run([sys.executable, "-m", "pip", *install, folder, PLUGIN], check=True)
    return folder


@pytest.fixture(params=["folder", "package"])
def nim(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the game of docs/guides/adding-a-game.md, as a package or as a folder."""
    if request.param == "package":
        monkeypatch.setenv("PYTHONPATH", str(request.getfixturevalue("plugin")))
        return
    source = tmp_path / "src"
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    folder = source / "gamehall" / "games" / "nim"
    folder.mkdir()
    source_code = (PLUGIN / "src" / "gamehall_nim" / "__init__.py").read_text()
    (folder / "__init__.py").write_text(f"{source_code}\n\nGAME = Nim\n")
    monkeypatch.setenv("PYTHONPATH", str(source))

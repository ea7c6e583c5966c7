"""Find programs that are not part of the project, and running processes."""

import contextlib
import os
import shutil
from pathlib import Path

import pytest


def find_program(name: str, path: str, package: str) -> str:
    """Return where the program is on this path. Without it, skip the test, or fail if CI is `true`.

    Args:
        package: the Debian package to install.
    """
    found = shutil.which(name, path=path)
    if found is not None:
        return found
    message = f"{name} is missing: apt install {package}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


def children_of(parent: int) -> list[int]:
    """Return the ids of the child processes."""
    found = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [one for one in found if f"\nPPid:\t{parent}\n" in status_of(one)]


def status_of(process: int) -> str:
    """Return the status file of a process, empty if it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/status").read_text()
    return ""

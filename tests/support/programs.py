"""Find programs that are not part of the project."""

import os
import shutil

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

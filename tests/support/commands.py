"""Run commands of `gamehall` in the process of the test."""

import pytest

from gamehall.cli import main


def run(*arguments: object) -> int:
    """Run `gamehall` with these arguments, and return its exit code."""
    with pytest.raises(SystemExit) as exited:
        main([str(argument) for argument in arguments])
    assert isinstance(exited.value.code, int)
    return exited.value.code

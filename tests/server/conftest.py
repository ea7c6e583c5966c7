"""Fixtures of the tests with real sockets."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest


@pytest.fixture
def stages() -> Iterator[ExitStack]:
    """Close the stages that a test has opened."""
    with ExitStack() as stack:
        yield stack

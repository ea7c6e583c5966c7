"""A conversation, step by step."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from gamehall.rooms.notices import Notice
from gamehall.rooms.requests import Request

ALONE = "a"
"""The client in a script with only one."""


class Give(NamedTuple):
    """Bytes arrive from the other end."""

    who: str
    data: bytes


class Tell(NamedTuple):
    """The room sends a notice."""

    notice: Notice[Any]


class Ask(NamedTuple):
    """The client sends a request; None: it polls."""

    request: Request[Any] | None


class Wait(NamedTuple):
    seconds: float


class EndOfInput(NamedTuple):
    """A client ends its input."""

    who: str


class Reset(NamedTuple):
    """A connection is lost."""

    who: str


Step = Give | Tell | Ask | Wait | EndOfInput | Reset


class Script(NamedTuple):
    """A conversation at a door with these settings."""

    settings: Mapping[str, str]
    doors: Mapping[str, str]
    """The doors of clients that do not use the first one."""
    steps: tuple[Step, ...]


def describe(step: Step, longest: int = 300) -> str:
    """Return the step as text, shortened if it is long."""
    text = repr(step)
    if len(text) <= longest:
        return text
    size = f" ({len(step.data)} bytes)" if isinstance(step, Give) else ""
    return f"{text[:longest]}...{size}"

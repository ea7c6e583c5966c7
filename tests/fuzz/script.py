"""What happens in one conversation, step by step."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from gamehall.rooms.notices import Notice
from gamehall.rooms.requests import Request

ALONE = "a"
"""Who speaks where there is only one."""


class Give(NamedTuple):
    """Bytes come from the other end."""

    who: str
    data: bytes


class Tell(NamedTuple):
    """The house has something to tell the peer."""

    notice: Notice[Any]


class Ask(NamedTuple):
    """The client wants something; None: to ask for news."""

    request: Request[Any] | None


class Wait(NamedTuple):
    """Time passes."""

    seconds: float


class EndOfInput(NamedTuple):
    """Somebody says nothing more."""

    who: str


class Vanish(NamedTuple):
    """Somebody is gone without a word."""

    who: str


Step = Give | Tell | Ask | Wait | EndOfInput | Vanish


class Script(NamedTuple):
    """A conversation, at a door that is set like this."""

    settings: Mapping[str, str]
    doors: Mapping[str, str]
    """Who comes through which door, if not through the first."""
    steps: tuple[Step, ...]


def describe(step: Step, longest: int = 300) -> str:
    """The step for people, cut short if it is long."""
    text = repr(step)
    if len(text) <= longest:
        return text
    size = f" ({len(step.data)} bytes)" if isinstance(step, Give) else ""
    return f"{text[:longest]}...{size}"

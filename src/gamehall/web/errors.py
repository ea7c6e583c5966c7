"""Errors of requests. Their texts are shown to the user of the page."""

from http import HTTPStatus
from typing import ClassVar

from gamehall.core import GamehallError


class RequestError(GamehallError):
    """The base of the errors of requests."""

    status: ClassVar[HTTPStatus]


class NotFoundError(RequestError):
    """The requested object does not exist."""

    status = HTTPStatus.NOT_FOUND


class ForbiddenError(RequestError):
    """The request comes from another site, or is for another browser's seat."""

    status = HTTPStatus.FORBIDDEN


class RefusedError(RequestError):
    """The action is not possible in this state."""

    status = HTTPStatus.CONFLICT


class UnavailableError(RequestError):
    """The action is not possible at the moment."""

    status = HTTPStatus.SERVICE_UNAVAILABLE


def as_sentence(words: str) -> str:
    """Return a text with a capital at the start and a full stop at the end."""
    end = "" if words.endswith((".", "?", "!")) else "."
    return f"{words[:1].upper()}{words[1:]}{end}"

"""Why a request is not answered as asked. The texts are sentences for the person at the page."""

from http import HTTPStatus
from typing import ClassVar

from gamehall.core import GamehallError


class RequestError(GamehallError):
    """A request that is not answered as asked."""

    status: ClassVar[HTTPStatus]


class NotFoundError(RequestError):
    """There is nothing of that name."""

    status = HTTPStatus.NOT_FOUND


class ForbiddenError(RequestError):
    """The request comes from another site, or is for another browser's seat."""

    status = HTTPStatus.FORBIDDEN


class RefusedError(RequestError):
    """This cannot be done."""

    status = HTTPStatus.CONFLICT


class UnavailableError(RequestError):
    """This is not possible at the moment."""

    status = HTTPStatus.SERVICE_UNAVAILABLE


def as_sentence(words: str) -> str:
    """Return a text with a capital at the start and a full stop at the end."""
    end = "" if words.endswith((".", "?", "!")) else "."
    return f"{words[:1].upper()}{words[1:]}{end}"

"""What the API offers, in one table, from which it is served and described."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, NamedTuple
from unicodedata import normalize

import msgspec
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from gamehall.core import GamehallError
from gamehall.web.model import Problem
from gamehall.web.security import SAFE, ForbiddenError, check_origin
from gamehall.web.streams import News, NewsStream

LONGEST_BODY = 16_384
LONGEST_TEXT = 1_000
JSON = "application/json"
NEWS = "text/event-stream"
SVG = "image/svg+xml"

MOST_COUNTED = 999_999


class Count(Convertor[int]):
    """A number in a path. Longer ones than anybody needs are no numbers but a nuisance."""

    regex = "[0-9]{1,6}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("count", Count())

Handle = Callable[[Request, Any], Awaitable[Response]]
"""Is given the request, and its body as it is described, None if it has none."""


class Endpoint(NamedTuple):
    """Something that can be asked for."""

    method: str
    path: str
    summary: str
    handle: Handle
    answer: Any
    """What comes back, as a type that JSON can hold."""
    body: type[msgspec.Struct] | None = None
    media: str = JSON
    status: int = 200
    errors: tuple[int, ...] = ()
    query: dict[str, str] = {}
    """What may be said behind a question mark, and what it means; all of them are numbers."""


class NotFoundError(GamehallError):
    """There is nothing of that name. The text tells what is missing."""


class RefusedError(GamehallError):
    """What was asked for cannot be done. The text tells why."""


class UnavailableError(GamehallError):
    """What was asked for cannot be had at the moment. The text tells why."""


def answer(value: Any, status: int = 200) -> Response:
    """A value as JSON."""
    return Response(msgspec.json.encode(value), status, media_type=JSON, headers=dict(SAFE))


def complain(status: int, words: str) -> Response:
    """Why there is no answer."""
    return answer(Problem(words), status)


def route(endpoint: Endpoint) -> Route:
    """The endpoint, as it is served."""

    async def serve(request: Request) -> Response:
        try:
            if endpoint.method != "GET":
                check_origin(request)
            body = await _read_body(request, endpoint.body)
            return await endpoint.handle(request, body)
        except NotFoundError as error:
            return complain(HTTPStatus.NOT_FOUND, str(error))
        except ForbiddenError as error:
            return complain(HTTPStatus.FORBIDDEN, str(error))
        except RefusedError as error:
            return complain(HTTPStatus.CONFLICT, str(error))
        except UnavailableError as error:
            return complain(HTTPStatus.SERVICE_UNAVAILABLE, str(error))
        except HTTPException as error:
            return complain(error.status_code, error.detail)

    return Route(endpoint.path, serve, methods=[endpoint.method])


async def _read_body(request: Request, kind: type[msgspec.Struct] | None) -> Any:
    """What was sent, as it is described. Raises HTTPException."""
    if kind is None:
        return None
    content = b""
    try:
        async for part in request.stream():
            content += part
            if len(content) > LONGEST_BODY:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "that is too long")
    except ClientDisconnect:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "that has no end") from None
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send {JSON}")
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise HTTPException(
            HTTPStatus.UNPROCESSABLE_ENTITY, f"that is not understood: {error}"
        ) from None


def number_from(request: Request, name: str, usual: int, lowest: int, highest: int) -> int:
    """A number behind the question mark. Raises HTTPException."""
    text = request.query_params.get(name)
    if text is None:
        return usual
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(highest))
    if not (is_number and lowest <= int(text) <= highest):
        words = f"{name} is a number from {lowest} to {highest}"
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, words)
    return int(text)


def short(text: str) -> str:
    """A text that somebody has sent, if it is not too long. Raises RefusedError."""
    if len(text) > LONGEST_TEXT:
        raise RefusedError(f"that is longer than {LONGEST_TEXT} letters")
    return text


def composed(text: str) -> str:
    """A name or an answer without white space around it, its letters as Unicode composes them.

    Some keyboards give a letter and its accent as two characters, which rooms take for another
    name.
    """
    return normalize("NFC", text.strip())


def on_one_line(text: str) -> str:
    """What can be printed of a text."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())


def stream(news: News) -> NewsStream:
    """Return a response that goes on."""
    return NewsStream(news, dict(SAFE))


def picture(svg: str) -> Response:
    """A picture that can be shown and kept."""
    headers = dict(SAFE) | {"Cache-Control": "private, max-age=3600"}
    return Response(svg, media_type=SVG, headers=headers)

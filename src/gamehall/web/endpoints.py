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

from gamehall.web.errors import RefusedError, RequestError, as_sentence
from gamehall.web.model import Problem
from gamehall.web.security import SAFE, check_origin
from gamehall.web.streams import News, NewsStream

LONGEST_BODY = 16_384
LONGEST_TEXT = 1_000
JSON = "application/json"
NEWS = "text/event-stream"
SVG = "image/svg+xml"

LARGEST_COUNT = 999_999


class Count(Convertor[int]):
    """A number in a path. One that is longer than any that is needed is not found."""

    regex = "[0-9]{1,6}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("count", Count())

Handle = Callable[..., Awaitable[Response]]
"""Takes the request and, if the endpoint has one, its body. May raise RequestError."""


class Endpoint(NamedTuple):
    """A method and a path, what answers there, and how that is described."""

    method: str
    path: str
    handle: Handle
    summary: str
    answer: Any = None
    """The type of the answer; None: no JSON."""
    body: type[msgspec.Struct] | None = None
    media: str = JSON
    status: int = HTTPStatus.OK
    errors: tuple[int, ...] = ()
    """Those statuses that do not follow from the method, the path and the body."""
    query: dict[str, str] = {}
    """The names and meanings of the query parameters, which are numbers."""


def get(path: str, handle: Handle, summary: str, **described: Any) -> Endpoint:
    """Return what answers GET at this path."""
    return Endpoint("GET", path, handle, summary, **described)


def post(path: str, handle: Handle, summary: str, **described: Any) -> Endpoint:
    """Return what answers POST at this path."""
    return Endpoint("POST", path, handle, summary, **described)


def answer(value: Any, status: int = HTTPStatus.OK) -> Response:
    """Return a value as JSON."""
    return Response(msgspec.json.encode(value), status, media_type=JSON, headers=dict(SAFE))


def no_content() -> Response:
    """Return a response which says only that all went well."""
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=dict(SAFE))


def complain(status: int, words: str) -> Response:
    """Return why a request is not answered as asked."""
    return answer(Problem(words), status)


def route(endpoint: Endpoint) -> Route:
    """Return the endpoint as Starlette serves it."""

    async def serve(request: Request) -> Response:
        try:
            if endpoint.method != "GET":
                check_origin(request)
            if endpoint.body is None:
                return await endpoint.handle(request)
            return await endpoint.handle(request, await _read_body(request, endpoint.body))
        except RequestError as error:
            return complain(error.status, as_sentence(str(error)))
        except HTTPException as error:
            return complain(error.status_code, as_sentence(error.detail))

    return Route(endpoint.path, serve, methods=[endpoint.method])


async def _read_body(request: Request, kind: type[msgspec.Struct]) -> msgspec.Struct:
    """Return the body as a value of this kind. Raises HTTPException."""
    content = b""
    try:
        async for part in request.stream():
            content += part
            if len(content) > LONGEST_BODY:
                raise HTTPException(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body exceeds {LONGEST_BODY} bytes"
                )
    except ClientDisconnect:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "the body is incomplete") from None
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send {JSON}")
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise HTTPException(
            HTTPStatus.UNPROCESSABLE_ENTITY, f"the body is not as described: {error}"
        ) from None


def number_from(request: Request, name: str, usual: int, lowest: int, highest: int) -> int:
    """Return a number from the query, or the usual one. Raises HTTPException."""
    text = request.query_params.get(name)
    if text is None:
        return usual
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(highest))
    if not (is_number and lowest <= int(text) <= highest):
        words = f"{name} is a number from {lowest} to {highest}"
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, words)
    return int(text)


def short(text: str) -> str:
    """Return a text that a client has sent, if it is not too long. Raises RefusedError."""
    if len(text) > LONGEST_TEXT:
        raise RefusedError(f"that is longer than {LONGEST_TEXT} characters")
    return text


def composed(text: str) -> str:
    """Return a name or an answer without white space around it, its letters composed (NFC).

    Some keyboards give a letter and its accent as two characters, which rooms take for another
    name.
    """
    return normalize("NFC", text.strip())


def on_one_line(text: str) -> str:
    """Return what can be printed of a text."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())


def stream(news: News) -> NewsStream:
    """Return a response that goes on."""
    return NewsStream(news, dict(SAFE))


def picture(svg: str) -> Response:
    """Return a picture that browsers may keep."""
    headers = dict(SAFE) | {"Cache-Control": "private, max-age=3600"}
    return Response(svg, media_type=SVG, headers=headers)

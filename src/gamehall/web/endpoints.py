"""Descriptions of endpoints, from which the API is both served and documented."""

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

MAX_BODY_BYTES = 16_384
MAX_TEXT_LENGTH = 1_000
JSON = "application/json"
NEWS = "text/event-stream"
SVG = "image/svg+xml"

MAX_COUNT = 999_999


class Count(Convertor[int]):
    """A number in a path; a longer one than any in use does not match."""

    regex = "[0-9]{1,6}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("count", Count())

Handle = Callable[..., Awaitable[Response]]
"""Takes the request and, if the endpoint has one, its body. May raise RequestError."""


class Endpoint(NamedTuple):
    """A method and a path, the handler, and the documentation."""

    method: str
    path: str
    handle: Handle
    summary: str
    answer: Any = None
    """The type of the response; None: no JSON."""
    body: type[msgspec.Struct] | None = None
    media: str = JSON
    status: int = HTTPStatus.OK
    errors: tuple[int, ...] = ()
    """Error statuses that do not follow from the method, the path or the body."""
    query: dict[str, str] = {}
    """The query parameters, which are numbers, each with its description."""


def get(path: str, handle: Handle, summary: str, **described: Any) -> Endpoint:
    return Endpoint("GET", path, handle, summary, **described)


def post(path: str, handle: Handle, summary: str, **described: Any) -> Endpoint:
    return Endpoint("POST", path, handle, summary, **described)


def answer(value: Any, status: int = HTTPStatus.OK) -> Response:
    """Return a value as JSON."""
    return Response(msgspec.json.encode(value), status, media_type=JSON, headers=dict(SAFE))


def no_content() -> Response:
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=dict(SAFE))


def complain(status: int, words: str) -> Response:
    """Return an error as JSON."""
    return answer(Problem(words), status)


def route(endpoint: Endpoint) -> Route:

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

    added = Route(endpoint.path, serve, methods=[endpoint.method])
    if endpoint.path.endswith("/stream") and added.methods:
        # A stream has no end, so there is no answer to HEAD.
        added.methods.discard("HEAD")
    return added


async def _read_body(request: Request, kind: type[msgspec.Struct]) -> msgspec.Struct:
    """Decode the body. Raises HTTPException."""
    content = b""
    try:
        async for part in request.stream():
            content += part
            if len(content) > MAX_BODY_BYTES:
                raise HTTPException(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body exceeds {MAX_BODY_BYTES} bytes"
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


def number_from(request: Request, name: str, default: int, lowest: int, highest: int) -> int:
    """Return a number from the query, or the default. Raises HTTPException."""
    text = request.query_params.get(name)
    if text is None:
        return default
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(highest))
    if not (is_number and lowest <= int(text) <= highest):
        words = f"{name} is a number from {lowest} to {highest}"
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, words)
    return int(text)


def short(text: str) -> str:
    """Check the length of a text, and return it. Raises RefusedError."""
    if len(text) > MAX_TEXT_LENGTH:
        raise RefusedError(f"that is longer than {MAX_TEXT_LENGTH} characters")
    return text


def composed(text: str) -> str:
    """Strip a name or an answer, and compose its letters (NFC).

    Some keyboards send a letter and its accent as two characters, which would be another name.
    """
    return normalize("NFC", text.strip())


def on_one_line(text: str) -> str:
    """Return the printable characters of a text, on one line."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())


def stream(news: News) -> NewsStream:
    return NewsStream(news, dict(SAFE))


def picture(svg: str) -> Response:
    """Return a picture that browsers may cache."""
    headers = dict(SAFE) | {"Cache-Control": "private, max-age=3600"}
    return Response(svg, media_type=SVG, headers=headers)

"""The OpenAPI 3.1 description of the API, generated from the endpoints."""

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from gamehall import __version__
from gamehall.web.endpoints import JSON, MAX_COUNT, NEWS, Endpoint
from gamehall.web.model import Problem

PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")


def describe(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the description of these endpoints."""
    kinds: list[Any] = [Problem]
    for endpoint in endpoints:
        kinds += [kind for kind in (endpoint.answer, endpoint.body) if kind is not None]
    schemas, components = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    found = dict(zip(map(repr, kinds), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        path = PARAMETER.sub(r"{\1}", endpoint.path)
        paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint, found)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gamehall",
            "version": __version__,
            "description": "Rooms, tables, records and standings of the server, and seats to play.",
        },
        "paths": paths,
        "components": {"schemas": components},
    }


def _operation(endpoint: Endpoint, schemas: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": _name(endpoint),
        "parameters": [*_path_parameters(endpoint), *_other_parameters(endpoint)],
        "responses": {
            str(endpoint.status): {
                "description": HTTPStatus(endpoint.status).phrase,
                **_content(endpoint, schemas),
            },
            **{str(code): _problem(code, schemas) for code in _errors(endpoint)},
        },
    }
    if endpoint.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {JSON: {"schema": schemas[repr(endpoint.body)]}},
        }
    return operation


def _errors(endpoint: Endpoint) -> list[int]:
    codes = set(endpoint.errors)
    if endpoint.method != "GET":
        codes.add(HTTPStatus.FORBIDDEN)
    if endpoint.method == "POST":
        codes.add(HTTPStatus.CONFLICT)
    if "{" in endpoint.path:
        codes.add(HTTPStatus.NOT_FOUND)
    if endpoint.body is not None:
        codes |= {
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            HTTPStatus.UNPROCESSABLE_ENTITY,
        }
    if endpoint.query:
        codes.add(HTTPStatus.UNPROCESSABLE_ENTITY)
    return sorted(codes)


def _problem(code: int, schemas: dict[str, Any]) -> dict[str, Any]:
    return {
        "description": HTTPStatus(code).phrase,
        "content": {JSON: {"schema": schemas[repr(Problem)]}},
    }


def _content(endpoint: Endpoint, schemas: dict[str, Any]) -> dict[str, Any]:
    if endpoint.status == HTTPStatus.NO_CONTENT:
        return {}
    if endpoint.media == JSON and endpoint.answer is not None:
        return {"content": {JSON: {"schema": schemas[repr(endpoint.answer)]}}}
    words = "Server-sent events, each with a value as JSON." if endpoint.media == NEWS else ""
    schema = {"type": "string"} | ({"description": words} if words else {})
    return {"content": {endpoint.media: {"schema": schema}}}


def _path_parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    return [
        {
            "name": found[1],
            "in": "path",
            "required": True,
            "schema": {"type": "integer", "minimum": 0, "maximum": MAX_COUNT}
            if ":count" in found[0]
            else {"type": "string"},
        }
        for found in PARAMETER.finditer(endpoint.path)
    ]


def _other_parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": name, "in": "query", "description": words, "schema": {"type": "integer"}}
        for name, words in endpoint.query.items()
    ]
    if endpoint.method != "GET":
        found.append(
            {
                "name": "X-Gamehall",
                "in": "header",
                "required": True,
                "description": "Required against cross-site requests; any value.",
                "schema": {"type": "string", "minLength": 1, "pattern": "^[!-~]+$"},
            }
        )
    return found


def _name(endpoint: Endpoint) -> str:
    words = re.findall(r"\w+", PARAMETER.sub(r"\1", endpoint.path))
    return "_".join([endpoint.method.lower(), *words[1:]]) or endpoint.method.lower()

"""A client of the HTTP API that keeps its cookie and reads streams."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any

PATIENCE_SECONDS = 60.0
DEFAULT_HEADERS = {"X-Gamehall": "1", "Content-Type": "application/json"}


class ApiClient:
    """A client of the server whose pages are on this port."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""

    def ask(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """Return the status and the body, decoded if it is JSON or text."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            sent = dict(DEFAULT_HEADERS if headers is None else headers)
            if self.cookie:
                sent["Cookie"] = self.cookie
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, sent)
            response = connection.getresponse()
            self._keep_cookie(response)
            answer = response.read()
            is_json = (response.headers["content-type"] or "").startswith("application/json")
            is_text = (response.headers["content-type"] or "").startswith(("text/", "image/svg"))
            if is_json:
                return response.status, json.loads(answer)
            return response.status, answer.decode() if is_text else answer
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        """Return the body of a GET request that must succeed."""
        status, answer = self.ask("GET", path)
        assert status == 200, answer
        return answer

    def sit(self, room: str, name: str) -> str:
        """Take a seat, and return its id."""
        status, answer = self.ask("POST", "/api/seats", {"room": room, "name": name})
        assert status == 201, answer
        return str(answer["id"])

    @contextmanager
    def stream(self, path: str) -> Iterator[Iterator[tuple[str, Any]]]:
        """Yield the name and the value of each event of a stream."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.request("GET", path, headers={"Cookie": self.cookie} if self.cookie else {})
            response = connection.getresponse()
            assert response.status == 200, response.read()
            yield messages(response)
        finally:
            connection.close()

    def _keep_cookie(self, response: HTTPResponse) -> None:
        given = response.headers["set-cookie"]
        if given:
            self.cookie = given.partition(";")[0]


def messages(response: HTTPResponse) -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of each event."""
    name, deadline = "", time.monotonic() + PATIENCE_SECONDS
    # Comments between the events keep the connection alive.
    while time.monotonic() < deadline and (line := response.readline()):
        text = line.decode().rstrip("\n")
        if text.startswith("event: "):
            name = text.removeprefix("event: ")
        elif text.startswith("data: "):
            yield name, json.loads(text.removeprefix("data: "))

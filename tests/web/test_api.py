"""The API conforms to its OpenAPI description."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.independent.tttp_clients import StreamClient
from tests.support.served import Served
from tests.web.api_client import ApiClient
from tests.web.test_play import web_port

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)


@pytest.fixture
def server() -> Iterator[Served]:
    with Served("--door=tttp=0", "--door=go-text=0", "--door=web=0") as served:
        yield served


def test_every_response_conforms_to_the_description(server: Served, tmp_path: Path) -> None:
    port = web_port(server)
    with (
        StreamClient("127.0.0.1", server.port()) as ann,
        StreamClient("127.0.0.1", server.port()) as bob,
    ):
        assert (ann.join(b"ann"), bob.join(b"bob")) == (1, 2)
        done = subprocess.run(
            [
                SCHEMATHESIS,
                "run",
                f"http://127.0.0.1:{port}/api/openapi.json",
                f"--checks={CHECKS}",
                "--exclude-path-regex=stream$",
                "--max-examples=5",
                "--seed=1",
                "--generation-database=none",
                "--no-color",
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=240,
        )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert ApiClient(port).get("/healthz") == {"status": "ok"}


@pytest.mark.parametrize(
    "path",
    [
        f"/api/records/x/positions/{'9' * 5_000}",
        f"/api/rooms/tttp/tables/table-1/positions/{'9' * 5_000}",
        f"/records/x/{'9' * 5_000}",
        "/api/rooms/%00",
        "/rooms/%ff%fe",
        "/static/%2e%2e/app.py",
    ],
)
def test_strange_addresses_are_not_found(server: Served, path: str) -> None:
    assert ApiClient(web_port(server)).ask("GET", path)[0] == 404


def test_an_invalid_cookie_is_ignored(server: Served) -> None:
    ann, eve = ApiClient(web_port(server)), ApiClient(web_port(server))
    seat = ann.sit("tttp", "ann")
    eve.cookie = "gamehall=" + "\xe9" * 30
    assert eve.ask("GET", f"/api/seats/{seat}")[0] == 403
    assert eve.ask("GET", f"/play/{seat}")[0] == 403


def test_a_room_says_how_long_a_turn_may_take() -> None:
    with Served("--door=tttp=0", "--door=santorini-tournament=0", "--door=web=0") as server:
        browser = ApiClient(web_port(server))
        rooms = {room["name"]: room["seconds_per_turn"] for room in browser.get("/api/rooms")}
        assert rooms["santorini-tournament"] == 5
        assert rooms["tttp"] is None
        assert "5 seconds a turn" in " ".join(browser.get("/rooms/santorini-tournament").split())
        assert "seconds a turn" not in browser.get("/rooms/tttp")
        assert " ".join(browser.get("/").split()).count("5 seconds a turn") == 1


def test_every_endpoint_is_described(server: Served) -> None:
    described = ApiClient(web_port(server)).get("/api/openapi.json")
    assert described["openapi"].startswith("3.1")
    paths = described["paths"]
    assert {"/api/rooms", "/api/seats", "/api/records/{match}", "/api/arenas/{run}"} <= set(paths)
    for of_path in paths.values():
        for operation in of_path.values():
            assert operation["summary"]
            assert operation["responses"]


def test_an_unknown_path_is_answered_in_json_under_api_and_by_a_page_elsewhere(
    server: Served,
) -> None:
    browser = ApiClient(web_port(server))
    assert browser.ask("GET", "/api/nothing") == (404, {"error": "Not Found"})
    assert browser.ask("PUT", "/api/rooms")[0] == 405
    status, page = browser.ask("GET", "/nothing")
    assert status == 404
    assert page.lstrip().lower().startswith("<!doctype html>")

"""Agreeing on the terms of Go: offers, proposals and counter-proposals."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.support.served import Served
from tests.web.api_client import ApiClient
from tests.web.test_play import web_port

SMALL: Final = {"size": 9, "handicap": 2, "komi": 0.5}
USUAL: Final = {"size": 19}


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with Served("--door=go-text=0", "--door=web=0") as served:
        yield served


@pytest.fixture
def browsers(server: Served) -> Iterator[list[ApiClient]]:
    """Two browsers, which leave all their seats at the end."""
    both = [ApiClient(web_port(server)) for _ in range(2)]
    yield both
    for browser in both:
        for seat in browser.get("/api/seats"):
            browser.ask("DELETE", f"/api/seats/{seat['id']}")
    offers(both[0], 0)


@pytest.fixture
def ann(browsers: list[ApiClient]) -> ApiClient:
    return browsers[0]


@pytest.fixture
def bob(browsers: list[ApiClient]) -> ApiClient:
    return browsers[1]


def sit(browser: ApiClient, name: str, **wants: Any) -> str:
    """Take a seat in the Go room; return its id."""
    body = {"room": "go-text", "name": name, **wants}
    status, state = browser.ask("POST", "/api/seats", body)
    assert status == 201, state
    return str(state["id"])


def wait_until(browser: ApiClient, seat: str, key: str, value: object) -> dict[str, Any]:
    """Return the state of a seat as soon as a field has a value."""
    with browser.stream(f"/api/seats/{seat}/stream") as stream:
        return next(state for _, state in stream if state[key] == value)


def offers(browser: ApiClient, count: int) -> list[dict[str, Any]]:
    """Return the offers of the room as soon as there are this many."""
    with browser.stream("/api/rooms/go-text/stream?tables=0") as stream:
        told = (value["offers"] for name, value in stream if name == "room")
        found: list[dict[str, Any]] = next(one for one in told if len(one) == count)
        return found


def test_a_waiting_player_can_move_to_the_table_of_another(ann: ApiClient, bob: ApiClient) -> None:
    hers, his = sit(ann, "Ann", terms=SMALL), sit(bob, "Bob", terms=USUAL)
    table = wait_until(ann, hers, "stage", "waiting")["table"]
    wait_until(bob, his, "stage", "waiting")
    seat = sit(bob, "Bob", table=table)
    assert seat != his
    assert wait_until(bob, seat, "stage", "agreeing")["players"] == ["Ann", "Bob"]
    assert bob.get(f"/api/seats/{his}")["is_gone"]
    assert offers(ann, 0) == []


def test_a_new_offer_replaces_the_old_one_of_a_player(ann: ApiClient, bob: ApiClient) -> None:
    hers = sit(ann, "Ann", terms=SMALL)
    wait_until(ann, hers, "stage", "waiting")
    sit(ann, "Ann", terms=USUAL)
    assert ann.get(f"/api/seats/{hers}")["is_gone"]
    [offer] = offers(bob, 1)
    assert "19 x 19" in offer["terms"]
    sit(ann, "Ann", table=offer["table"])
    assert len(ann.get("/api/seats")) == 1, "it is its own table"


def test_a_request_for_a_taken_table_is_refused_with_the_reason(ann: ApiClient) -> None:
    state = wait_until(ann, sit(ann, "Ann", table=999), "is_gone", True)
    assert state["messages"][0]["text"].startswith("This table is taken")


def test_an_offer_is_listed_while_the_page_of_its_player_is_open(
    ann: ApiClient, bob: ApiClient
) -> None:
    seat = sit(ann, "Ann", terms=SMALL)
    assert [offer["name"] for offer in offers(bob, 1)] == ["Ann"]
    with bob.stream("/api/rooms/go-text/stream") as stream:
        rooms = (value for name, value in stream if name == "room")
        # Nothing is heard of the browser for longer than a phone may sleep.
        room = next(room for room in rooms if not room["offers"])
        assert room["waiting"] == []
        his = sit(bob, "Bob", terms=SMALL)
        assert wait_until(bob, his, "stage", "waiting")["has_opponent"] is False
        assert ann.get(f"/api/seats/{seat}")["stage"] == "waiting"
        room = next(room for room in rooms if len(room["offers"]) == 2)


def test_a_player_who_accepts_an_offer_is_not_asked_again(ann: ApiClient, bob: ApiClient) -> None:
    hers = sit(ann, "Ann", terms=SMALL, seat=2)
    state = wait_until(ann, hers, "stage", "waiting")
    assert state["wanted"] == "board 9 x 9, handicap 2 stones, komi 0.5; you play White"
    [offer] = offers(bob, 1)
    assert (offer["values"], offer["seat"], offer["may_counter"]) == (SMALL, 1, True)
    his = sit(bob, "Bob", table=offer["table"], terms=offer["values"], seat=offer["seat"])
    state = wait_until(bob, his, "stage", "playing")
    assert (state["players"], state["seat"]) == (["Bob", "Ann"], 1)
    assert ann.get(f"/api/seats/{hers}")["stage"] == "playing"


def test_a_proposal_is_in_words_and_can_be_answered_by_another(
    ann: ApiClient, bob: ApiClient
) -> None:
    sit(ann, "Ann", terms=SMALL, seat=1)
    [offer] = offers(bob, 1)
    his = sit(bob, "Bob", table=offer["table"])
    proposal = wait_until(bob, his, "stage", "agreeing")["proposal"]
    assert (proposal["values"], proposal["may_counter"], proposal["seat"]) == (SMALL, True, 2)
    words = proposal["terms"]
    assert (words["size"], words["suicide"], words["handicap first"]) == ("9 x 9", "no", "Black")
    bob.ask("POST", f"/api/seats/{his}/propose", {"terms": {"size": 1000}})
    with bob.stream(f"/api/seats/{his}/stream") as stream:
        state = next(state for _, state in stream if any(m["is_bad"] for m in state["messages"]))
    assert state["messages"][-1]["text"] == "Boardsize must be a whole number from 2 to 25."
    bob.ask("POST", f"/api/seats/{his}/propose", {"terms": {"size": 13}})
    wanted = wait_until(bob, his, "stage", "waiting")["wanted"]
    assert wanted == "board 13 x 13, handicap none, komi 6.5; you play Black"


def test_the_player_who_places_handicap_stones_is_told_which(
    ann: ApiClient, bob: ApiClient
) -> None:
    hers, his = (
        sit(one, name, terms=SMALL, seat=seat)
        for one, name, seat in ((ann, "Ann", 1), (bob, "Bob", 2))
    )
    assert wait_until(ann, hers, "stage", "playing")["task"] == "Place handicap stone 1 of 2"
    ann.ask("POST", f"/api/seats/{hers}/move", {"move": "C3"})
    wait_until(ann, hers, "task", "Place handicap stone 2 of 2")
    ann.ask("POST", f"/api/seats/{hers}/move", {"move": "C7"})
    wait_until(bob, his, "task", "")

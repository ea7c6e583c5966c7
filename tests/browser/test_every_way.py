"""Every room at the page, in every way, with names of every script, on two sizes of a window."""

import re
import threading
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import expect

from gamehall.protocols.catalogue import all_protocols
from tests.browser.conftest import Invite
from tests.browser.guest import PHONE, Guest, scrolls_sideways
from tests.browser.halls import open_hall, pages_of
from tests.support.served import Served
from tests.web.test_every_way import CLIENTS, NAMES, PLAIN_SANTORINI, ROOMS, SETTINGS

SIZES: Final = ((1280, 800), PHONE)
WAYS: Final = ("computer", "browser", "wire")
CELLS: Final = [
    (room, way) for room in ROOMS for way in WAYS if (room, way) != (PLAIN_SANTORINI, "wire")
]
GO: Final = {"Board": "9 x 9"}
VERDICT: Final = re.compile("^(You (won|lost)|A draw): .+")

PLAY: Final = """() => {
  const id = document.getElementById("seat").dataset.seat;
  const headers = { "Content-Type": "application/json", "X-Gamehall": "1" };
  const post = (what, body) =>
    fetch(`/api/seats/${id}/${what}`, { method: "POST", headers, body: JSON.stringify(body) });
  (async () => {
    for (let moves = 0; moves < 2000;) {
      const state = await (await fetch(`/api/seats/${id}`)).json();
      if (state.stage === "gone" || (state.stage === "over" && state.table !== null)) return;
      if (state.proposal) await post("answer", { text: "yes" });
      else if (state.game === "go" && moves === 3 && state.is_to_move) await post("resign", {});
      else if (state.choices.length) {
        const names = state.choices.map((choice) => choice.move);
        const at = (moves * 7919) % names.length;
        await post("move", { move: names.includes("pass") ? "pass" : names[at] });
        moves++;
      } else await new Promise((go) => setTimeout(go, 20));
    }
  })();
}"""
"""Plays on by the API with the page's own cookie, while the page shows it."""


@pytest.fixture(scope="module")
def hall() -> Iterator[Served]:
    with open_hall(*all_protocols(), settings=SETTINGS) as served:
        yield served


def is_tournament(room: str) -> bool:
    return room in ("santorini-lobby", "santorini-tournament")


def sit_down(guest: Guest, room: str, bot: str | None = None) -> None:
    guest.sit_down(room, bot, GO if room == "go-text" else None)
    assert not scrolls_sideways(guest.page)


def check_end(guest: Guest, room: str) -> None:
    """The page tells who has won and why, leads to the replay, and says what comes next."""
    if is_tournament(room):
        expect(guest.part("next")).to_contain_text("The tournament is over. ")
        expect(guest.part("another")).to_have_text("Sign up again")
    expect(guest.part("verdict-words")).to_have_text(VERDICT)
    expect(guest.part("record")).to_be_visible()
    assert not scrolls_sideways(guest.page)


@pytest.mark.parametrize(
    ("room", "way", "number"), [(*cell, number) for number, cell in enumerate(CELLS)]
)
def test_a_game_is_played_to_its_end_at_the_page(
    hall: Served, invite: Invite, room: str, way: str, number: int
) -> None:
    size, name = SIZES[number % 2], NAMES[number % 3]
    ann = invite(pages_of(hall), name, size)
    sit_down(ann, room, "random" if way == "computer" else None)
    guests, wire = [ann], None
    if way == "browser":
        guests.append(invite(pages_of(hall), NAMES[(number + 1) % 3], SIZES[(number + 1) % 2]))
        sit_down(guests[1], room)
    elif way == "wire":
        client = CLIENTS[room](hall.port(room), "wirebot", False)
        wire = threading.Thread(target=client.play, daemon=True)
        wire.start()
    for guest in guests:
        guest.page.evaluate(PLAY)
    for guest in guests:
        check_end(guest, room)
    if ann.part("rematch").is_visible():
        for guest in guests:
            guest.part("rematch").click()
        expect(ann.part("verdict")).to_be_hidden()
    for guest in guests:
        guest.page.evaluate(LEAVE)
    if wire is not None:
        wire.join(60)
        assert not wire.is_alive()


LEAVE: Final = """() => {
  const id = document.getElementById("seat").dataset.seat;
  return fetch(`/api/seats/${id}`, { method: "DELETE", headers: { "X-Gamehall": "1" } });
}"""

"""Whole games on the pages of every room, by clicking, on a desktop and on a phone."""

import re
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

import pytest
from playwright.sync_api import expect

from gamehall.protocols.catalogue import all_protocols
from tests.browser.conftest import OpenBrowser
from tests.browser.servers import run_server, web_address
from tests.browser.user import PHONE, BrowserUser, Choose, scrolls_sideways
from tests.support.served import Served
from tests.web.test_all_rooms import CLIENTS, NAMES, PLAIN_SANTORINI, ROOMS, SETTINGS

SIZES: Final = ((1280, 800), PHONE)
OPPONENTS: Final = ("computer", "browser", "wire")
CELLS: Final = [
    (room, opponent)
    for room in ROOMS
    for opponent in OPPONENTS
    if (room, opponent) != (PLAIN_SANTORINI, "wire")
]
GO: Final = {"Board": "9 x 9"}
STONES: Final = 3
"""How many stones a player of Go puts down before it passes."""
AGAIN: Final = '[data-part="rematch"]:visible, [data-part="another"]:visible'
NEXT: Final = '[data-part="hint"]:not(:empty), [data-part="wait"]:visible'
SPREAD: Final = 7919
SECONDS_TO_PLAY: Final = 60
TOURNAMENT_RESULT: Final = re.compile("^You (won the tournament|came second|share first place): .+")
VERDICT: Final = re.compile("^(You (won|lost)|A draw): .+")


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with run_server(*all_protocols(), settings=SETTINGS) as served:
        yield served


def is_tournament(room: str) -> bool:
    return room in ("santorini-lobby", "santorini-tournament")


def chooser(room: str, number: int) -> Choose:
    """Return how the player of that number chooses, so that games are short."""
    turns = count(number)

    def choose(names: Sequence[str]) -> str:
        turn = next(turns)
        if room == "tttp":
            # Each player fills a column of its own; the wire's client fills column a.
            return names[0 if number else len(names) // 2]
        if room == "go-text":
            return "pass" if turn - number >= STONES else names[turn * SPREAD % len(names)]
        if room == "ascension-http":
            return min(names, key=lambda name: (name == "end turn", not name.startswith("play ")))
        return names[turn * SPREAD % len(names)]

    return choose


def play_to_the_end(users: Sequence[BrowserUser], room: str) -> None:
    """Play by clicking what the pages offer, until no page expects another match."""
    chooses = [chooser(room, number) for number in range(len(users))]
    deadline = time.monotonic() + SECONDS_TO_PLAY
    playing = list(zip(users, chooses, strict=True))
    while playing:
        assert time.monotonic() < deadline, [user.page.inner_text("main") for user in users]
        for user, choose in list(playing):
            is_over = not user.play_what_is_offered(choose)
            # Another match of the tournament may follow.
            if is_over and (not is_tournament(room) or user.part("another").is_visible()):
                playing.remove((user, choose))


def sit_down(user: BrowserUser, room: str, bot: str | None = None) -> None:
    user.sit_down(room, bot, GO if room == "go-text" else None)
    assert not scrolls_sideways(user.page)


def check_end(user: BrowserUser, room: str) -> None:
    """Check that the page says who won and why, links to the replay, and offers what is next."""
    if is_tournament(room):
        expect(user.part("verdict-words")).to_have_text(TOURNAMENT_RESULT)
        expect(user.part("final").locator("tbody tr")).to_have_count(2)
        expect(user.part("last-game")).to_be_visible()
        expect(user.part("another")).to_have_text("Sign up again")
    else:
        expect(user.part("verdict-words")).to_have_text(VERDICT)
    expect(user.part("record")).to_be_visible()
    assert not scrolls_sideways(user.page)


@pytest.mark.parametrize(
    ("room", "opponent", "number"), [(*cell, number) for number, cell in enumerate(CELLS)]
)
def test_a_game_is_played_to_its_end_on_the_page(
    server: Served, open_browser: OpenBrowser, room: str, opponent: str, number: int
) -> None:
    size, name = SIZES[number % 2], NAMES[number % 3]
    ann = open_browser(web_address(server), name, size)
    sit_down(ann, room, "random" if opponent == "computer" else None)
    users, wire = [ann], None
    if opponent == "browser":
        users.append(
            open_browser(web_address(server), NAMES[(number + 1) % 3], SIZES[(number + 1) % 2])
        )
        sit_down(users[1], room)
    elif opponent == "wire":
        client = CLIENTS[room](server.port(room), "wirebot", False)
        wire = threading.Thread(target=client.play, daemon=True)
        wire.start()
    if (room, opponent) == ("go-text", "computer"):
        # The computer plays on after a pass.
        choose = chooser(room, 0)
        for _ in range(STONES):
            assert ann.await_turn()
            ann.play_move(choose)
        assert ann.await_turn()
        ann.resign()
    else:
        play_to_the_end(users, room)
    for user in users:
        check_end(user, room)
    if not is_tournament(room):
        for user in users:
            # Over a wire without rematches there is a new game instead.
            user.use(user.page.locator(AGAIN))
        for user in users:
            # The board of the next match, or the table at which the player waits for it.
            expect(user.page.locator(NEXT)).to_be_visible()
        for user in users:
            user.leave()
    if wire is not None:
        wire.join(60)
        assert not wire.is_alive()

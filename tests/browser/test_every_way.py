"""Every room at the page, in every way, with names of every script, on two sizes of a window."""

import re
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

import pytest
from playwright.sync_api import expect

from gamehall.protocols.catalogue import all_protocols
from tests.browser.conftest import Invite
from tests.browser.guest import PHONE, Choose, Guest, scrolls_sideways
from tests.browser.halls import open_hall, pages_of
from tests.support.served import Served
from tests.web.test_every_way import CLIENTS, NAMES, PLAIN_SANTORINI, ROOMS, SETTINGS

SIZES: Final = ((1280, 800), PHONE)
WAYS: Final = ("computer", "browser", "wire")
CELLS: Final = [
    (room, way) for room in ROOMS for way in WAYS if (room, way) != (PLAIN_SANTORINI, "wire")
]
GO: Final = {"Board": "9 x 9"}
STONES: Final = 3
"""How many stones a player of Go puts down before it passes."""
AGAIN: Final = '[data-part="rematch"]:visible, [data-part="another"]:visible'
NEXT: Final = '[data-part="hint"]:not(:empty), [data-part="wait"]:visible'
SPREAD: Final = 7919
SECONDS_TO_PLAY: Final = 60
VERDICT: Final = re.compile("^(You (won|lost)|A draw): .+")


@pytest.fixture(scope="module")
def hall() -> Iterator[Served]:
    with open_hall(*all_protocols(), settings=SETTINGS) as served:
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


def play_to_the_end(guests: Sequence[Guest], room: str) -> None:
    """Play by clicking what the pages offer, until no page expects another match."""
    chooses = [chooser(room, number) for number in range(len(guests))]
    deadline = time.monotonic() + SECONDS_TO_PLAY
    playing = list(zip(guests, chooses, strict=True))
    while playing:
        assert time.monotonic() < deadline, [guest.page.inner_text("main") for guest in guests]
        for guest, choose in list(playing):
            is_over = not guest.play_what_is_offered(choose)
            # Another match of the tournament may follow.
            if is_over and (not is_tournament(room) or guest.part("another").is_visible()):
                playing.remove((guest, choose))


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
    if (room, way) == ("go-text", "computer"):
        # The computer plays on after a pass.
        choose = chooser(room, 0)
        for _ in range(STONES):
            assert ann.await_turn()
            ann.play_move(choose)
        assert ann.await_turn()
        ann.resign()
    else:
        play_to_the_end(guests, room)
    for guest in guests:
        check_end(guest, room)
    if not is_tournament(room):
        for guest in guests:
            # Over a wire without rematches there is a new game instead.
            guest.use(guest.page.locator(AGAIN))
        for guest in guests:
            # The board of the next match, or the table at which the player waits for it.
            expect(guest.page.locator(NEXT)).to_be_visible()
        for guest in guests:
            guest.leave()
    if wire is not None:
        wire.join(60)
        assert not wire.is_alive()

"""Words and looks of pages that nobody plays at."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import expect

from gamehall.arena.config import ArenaConfig, read_entries
from gamehall.storage import open_database
from gamehall.storage.arenas import ArenaStore
from tests.browser.conftest import Invite
from tests.browser.guest import PHONE
from tests.browser.halls import open_hall, pages_of
from tests.support.served import Served


@pytest.fixture
def hall_after_interruption(tmp_path: Path) -> Iterator[Served]:
    """A hall in whose database is a run of the arena that was stopped before its first game."""
    book = ArenaStore(open_database(tmp_path))
    entries = read_entries(["random", "greedy"], None)
    config = ArenaConfig("connect-four", {}, entries, seed=1)
    book.begin("stopped", msgspec.json.encode(config), "2026-11-16T09:30:00Z")
    book.close()
    with Served("--door=web=0", "--data", str(tmp_path)) as hall:
        yield hall


def test_a_run_that_was_interrupted_is_not_shown_as_live(
    hall_after_interruption: Served, invite: Invite
) -> None:
    eve = invite(pages_of(hall_after_interruption), "eve", PHONE)
    eve.open("/arena")
    expect(eve.page.locator("tbody")).to_contain_text("not over")
    expect(eve.page.locator("tbody .live")).to_have_count(0)
    eve.page.get_by_role("link", name="stopped").click()
    expect(eve.page.locator("main")).to_contain_text("gamehall arena --resume stopped")
    table = eve.page.locator("main .wide").first
    assert table.evaluate("one => one.scrollWidth > one.clientWidth")
    attached = table.evaluate("one => getComputedStyle(one).backgroundAttachment")
    assert "local" in attached, "a shadow that goes away at the end says that there is more"


def test_a_page_that_says_what_is_wrong_begins_with_a_capital(
    quiet_hall: Served, invite: Invite
) -> None:
    eve = invite(pages_of(quiet_hall), "eve")
    for path in ("/records/nothing", "/rooms/nowhere", "/play/nobody", "/arena/none", "/nowhere"):
        eve.open(path)
        headline = eve.page.locator("h1").inner_text()
        assert headline[0].isupper(), headline
    eve.complains_only_of("404")


def test_no_button_covers_what_it_copies(quiet_hall: Served, invite: Invite) -> None:
    eve = invite(pages_of(quiet_hall), "eve", PHONE)
    for path in ("/bots", "/arena", "/rooms/tttp"):
        eve.open(path)
        copied = eve.page.locator(".copied")
        expect(copied.first).to_be_visible()
        for one in copied.all():
            text, button = one.locator("code, pre").bounding_box(), one.locator("button")
            place = button.bounding_box()
            assert text is not None
            assert place is not None
            assert text["x"] + text["width"] <= place["x"], json.dumps([path, text, place])


def test_one_second_is_one(quiet_hall: Served, invite: Invite) -> None:
    eve = invite(pages_of(quiet_hall), "eve", PHONE)
    eve.open("/bots")
    words = eve.page.locator("tbody").inner_text()
    assert "1 second a move" in words
    assert "1 seconds" not in words


def test_an_own_offer_is_not_listed_in_the_lobby_but_the_seat_is(invite: Invite) -> None:
    with open_hall("go-text") as hall:
        ann, bob = invite(pages_of(hall), "ann", PHONE), invite(pages_of(hall), "bob")
        ann.sit_down("go-text", terms={"Board": "9 x 9"})
        bob.open()
        expect(bob.card("go-text").locator(".offer")).to_have_count(1)
        ann.page = ann.new_tab()
        for path in ("/", "/rooms/go-text"):
            ann.open(path)
            expect(ann.page.locator(".way-back")).to_contain_text(
                "Go, table 1, as ann: waiting for an opponent"
            )
            bob.sit_down("go-text", terms={"Board": "13 x 13"})
            offers = ann.page.locator(".offer")
            expect(offers).to_have_count(1)
            expect(offers).to_contain_text("Play bob")
            bob.leave()
            expect(offers).to_have_count(0)

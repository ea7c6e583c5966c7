"""Details of the lobby, the arena, bots and error pages."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import expect

from gamehall.arena.config import ArenaConfig, read_entries
from gamehall.storage import open_database
from gamehall.storage.arenas import ArenaStore
from tests.browser.conftest import OpenBrowser
from tests.browser.servers import run_server, web_address
from tests.browser.user import PHONE
from tests.support.served import Served


@pytest.fixture
def server_with_stopped_run(tmp_path: Path) -> Iterator[Served]:
    """A server whose database has an arena run that was stopped before its first game."""
    book = ArenaStore(open_database(tmp_path))
    entries = read_entries(["random", "greedy"], None)
    config = ArenaConfig("connect-four", {}, entries, seed=1)
    book.begin("stopped", msgspec.json.encode(config), "2026-11-16T09:30:00Z")
    book.close()
    with Served("--door=web=0", "--data", str(tmp_path)) as server:
        yield server


def test_a_run_that_was_interrupted_is_not_shown_as_live(
    server_with_stopped_run: Served, open_browser: OpenBrowser
) -> None:
    eve = open_browser(web_address(server_with_stopped_run), "eve", PHONE)
    eve.open("/arena")
    expect(eve.page.locator("tbody")).to_contain_text("not over")
    expect(eve.page.locator("tbody .live")).to_have_count(0)
    eve.page.get_by_role("link", name="stopped").click()
    expect(eve.page.locator("main")).to_contain_text("gamehall arena --resume stopped")
    table = eve.page.locator("main .wide").first
    assert table.evaluate("one => one.scrollWidth > one.clientWidth")
    attached = table.evaluate("one => getComputedStyle(one).backgroundAttachment")
    assert "local" in attached, "a shadow that goes away at the end says that there is more"


def test_the_headline_of_an_error_page_begins_with_a_capital(
    idle_server: Served, open_browser: OpenBrowser
) -> None:
    eve = open_browser(web_address(idle_server), "eve")
    for path in ("/records/nothing", "/rooms/nowhere", "/play/nobody", "/arena/none", "/nowhere"):
        eve.open(path)
        headline = eve.page.locator("h1").inner_text()
        assert headline[0].isupper(), headline
    assert headline == "There is no page at this address."
    eve.expect_errors("404")


def test_the_page_of_bots_names_games_by_their_titles(
    idle_server: Served, open_browser: OpenBrowser
) -> None:
    eve = open_browser(web_address(idle_server), "eve")
    eve.open("/bots")
    table = eve.page.get_by_label("Installed bots")
    expect(table).to_contain_text("Connect Four")
    expect(table).to_contain_text("any")
    expect(table.locator("td", has_text="connect-four")).to_have_count(0)


def test_no_copy_button_covers_its_text(idle_server: Served, open_browser: OpenBrowser) -> None:
    eve = open_browser(web_address(idle_server), "eve", PHONE)
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


def test_one_second_is_singular(idle_server: Served, open_browser: OpenBrowser) -> None:
    eve = open_browser(web_address(idle_server), "eve", PHONE)
    eve.open("/bots")
    words = eve.page.locator("tbody").inner_text()
    assert "1 second a move" in words
    assert "1 seconds" not in words


def test_the_lobby_lists_the_own_seat_and_not_the_own_offer(open_browser: OpenBrowser) -> None:
    with run_server("go-text") as server:
        ann, bob = (
            open_browser(web_address(server), "ann", PHONE),
            open_browser(web_address(server), "bob"),
        )
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

"""Names and chat of players are text on every page; nothing of it runs."""

import time
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import DOORS, OpenBrowser
from tests.browser.records import MOVES, make_record, store_records
from tests.browser.servers import run_server, web_address
from tests.browser.user import DASH, BrowserUser
from tests.independent.tttp_clients import StreamClient
from tests.support.served import PATIENCE_SECONDS, Served

IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(2)</script>"
BREAK = "\"><svg onload=alert(3)>'"


def is_harmless(page: Page) -> bool:
    """Return True if nothing of the names and chat became an element."""
    return page.locator('img[src="x"], [onerror], [onload], body script, svg[onload]').count() == 0


def test_TM_21_names_and_chat_are_text_at_the_table_and_in_the_lobby(
    open_browser: OpenBrowser,
) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        ann = open_browser(web_address(server), BREAK)
        ann.sit_down("tttp")
        assert bob.join(IMAGE.encode()) == 2
        assert ann.await_turn()
        bob.chat(SCRIPT.encode())
        expect(ann.part("messages")).to_contain_text(SCRIPT)
        expect(ann.part("players")).to_contain_text(IMAGE)
        expect(ann.part("players")).to_contain_text(BREAK)
        ann.make_move(ann.target("d1"))
        assert is_harmless(ann.page)
        eve = open_browser(web_address(server), IMAGE)
        eve.open()
        expect(eve.card("tttp")).to_contain_text(f"{BREAK} {DASH} {IMAGE}")
        assert is_harmless(eve.page)
        eve.open("/rooms/tttp")
        expect(eve.part("wall")).to_contain_text(IMAGE)
        assert is_harmless(eve.page)
        eve.page.locator(".mini a").click()
        expect(eve.part("players")).to_contain_text(IMAGE)
        expect(eve.part("moves")).to_contain_text("d1")
        expect(eve.part("messages")).to_contain_text(f"{IMAGE}: {SCRIPT}")
        assert is_harmless(eve.page)
        eve.page.reload()
        expect(eve.part("messages")).to_contain_text(f"{IMAGE}: {SCRIPT}")
        bob.chat(IMAGE.encode())
        expect(eve.part("messages")).to_contain_text(f"{IMAGE}: {IMAGE}")
        assert is_harmless(eve.page)


def test_a_name_that_comes_through_the_api_is_text(open_browser: OpenBrowser) -> None:
    """If the room refuses the name, the page of the seat says so and shows it as text."""
    with run_server(*DOORS) as server:
        ann = open_browser(web_address(server))
        for room in DOORS:
            ann.open()
            answer = ann.page.request.post(
                f"{ann.address}/api/seats",
                data={"room": room, "name": IMAGE},
                headers={"X-Gamehall": "1"},
            )
            assert answer.status == 201
            ann.open(f"/play/{answer.json()['id']}")
            expect(ann.part("players")).to_contain_text(IMAGE)
            assert is_harmless(ann.page)
            ann.open(f"/rooms/{room}")
            expect(ann.part("waiting")).to_be_visible()
            assert is_harmless(ann.page)


def test_a_record_shows_names_as_text(tmp_path: Path, open_browser: OpenBrowser) -> None:
    record = make_record((IMAGE, SCRIPT), name=f"m {BREAK}")
    store_records(tmp_path, record)
    with Served("--door=tttp=0", "--door=web=0", "--data", str(tmp_path)) as server:
        eve = open_browser(web_address(server), "eve")
        eve.open("/records")
        expect(eve.page.locator("tbody")).to_contain_text(SCRIPT)
        assert is_harmless(eve.page)
        eve.page.locator("tbody a").click()
        expect(eve.page.locator(".players")).to_contain_text(IMAGE)
        expect(eve.page.locator(".players")).to_contain_text(SCRIPT)
        eve.part("back").click()
        expect(eve.part("at")).to_contain_text(f"Move {len(MOVES) - 1} of")
        assert is_harmless(eve.page)


def test_an_unknown_address_that_is_markup_is_shown_as_text(
    idle_server: Served, open_browser: OpenBrowser
) -> None:
    eve = open_browser(web_address(idle_server), "eve")
    for path in ("/rooms/", "/records/", "/play/", "/arena/", "/rooms/tttp/tables/"):
        eve.open(path + "%3Cimg%20src=x%20onerror=alert(1)%3E")
        assert is_harmless(eve.page)
    eve.expect_errors("404")


def test_TM_21_what_the_content_policy_forbids_does_not_run_and_is_reported(
    idle_server: Served, open_browser: OpenBrowser
) -> None:
    """The other tests rely on it: errors that a browser reports fail the test."""
    eve = open_browser(web_address(idle_server), "eve")
    eve.open()
    eve.page.evaluate(
        "() => { const one = document.createElement('script');"
        " one.textContent = 'window.hasRun = true'; document.body.append(one); }"
    )
    assert eve.page.evaluate("window.hasRun") is None
    wait_for_error(eve, "Content Security Policy")
    eve.page.evaluate("() => { setTimeout(() => { throw new Error('a slip'); }) }")
    wait_for_error(eve, "a slip")
    eve.page.evaluate("() => { setTimeout(() => alert('look')) }")
    wait_for_error(eve, "a dialog: look")


def wait_for_error(user: BrowserUser, words: str) -> None:
    """Wait until the browser has reported an error with these words."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not any(words in one for one in user.browser_errors) and time.monotonic() < deadline:
        # Any call lets Playwright handle the events of the page.
        user.page.title()
    user.expect_errors(words)

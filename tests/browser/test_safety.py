"""Whatever players call themselves and say is text on every page, and nothing of it runs."""

import time
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import DOORS, Invite
from tests.browser.guest import DASH, Guest
from tests.browser.halls import open_hall, pages_of
from tests.browser.records import MOVES, keep, record_of
from tests.independent.tttp_clients import StreamClient
from tests.support.served import PATIENCE_SECONDS, Served

IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(2)</script>"
BREAK = "\"><svg onload=alert(3)>'"


def is_harmless(page: Page) -> bool:
    """Whether nothing of what was said has become an element."""
    return page.locator('img[src="x"], [onerror], [onload], body script, svg[onload]').count() == 0


def test_TM_21_a_name_and_a_saying_are_text_at_the_table_and_in_the_lobby(invite: Invite) -> None:
    with open_hall("tttp") as hall, StreamClient("127.0.0.1", hall.port()) as bob:
        ann = invite(pages_of(hall), BREAK)
        ann.sit_down("tttp")
        assert bob.join(IMAGE.encode()) == 2
        assert ann.await_turn()
        bob.chat(SCRIPT.encode())
        expect(ann.part("messages")).to_contain_text(SCRIPT)
        expect(ann.part("players")).to_contain_text(IMAGE)
        expect(ann.part("players")).to_contain_text(BREAK)
        ann.make_move(ann.target("d1"))
        assert is_harmless(ann.page)
        eve = invite(pages_of(hall), IMAGE)
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


def test_a_name_that_comes_through_the_api_is_text(invite: Invite) -> None:
    """Or the door refuses it; then the page of the seat says so, and shows the name as text."""
    with open_hall(*DOORS) as hall:
        ann = invite(pages_of(hall))
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


def test_a_record_shows_names_as_text(tmp_path: Path, invite: Invite) -> None:
    record = record_of((IMAGE, SCRIPT), name=f"m {BREAK}")
    keep(tmp_path, record)
    with Served("--door=tttp=0", "--door=web=0", "--data", str(tmp_path)) as hall:
        eve = invite(pages_of(hall), "eve")
        eve.open("/records")
        expect(eve.page.locator("tbody")).to_contain_text(SCRIPT)
        assert is_harmless(eve.page)
        eve.page.locator("tbody a").click()
        expect(eve.page.locator(".players")).to_contain_text(IMAGE)
        expect(eve.page.locator(".players")).to_contain_text(SCRIPT)
        eve.part("back").click()
        expect(eve.part("at")).to_contain_text(f"Move {len(MOVES) - 1} of")
        assert is_harmless(eve.page)


def test_an_address_that_is_markup_is_text_on_the_page_that_says_so(
    quiet_hall: Served, invite: Invite
) -> None:
    eve = invite(pages_of(quiet_hall), "eve")
    for path in ("/rooms/", "/records/", "/play/", "/arena/", "/rooms/tttp/tables/"):
        eve.open(path + "%3Cimg%20src=x%20onerror=alert(1)%3E")
        assert is_harmless(eve.page)
    eve.complains_only_of("404")


def test_TM_21_what_the_policy_of_the_pages_forbids_does_not_run_and_is_noticed(
    quiet_hall: Served, invite: Invite
) -> None:
    """The other tests rely on it: what a browser complains of does not go unheard."""
    eve = invite(pages_of(quiet_hall), "eve")
    eve.open()
    eve.page.evaluate(
        "() => { const one = document.createElement('script');"
        " one.textContent = 'window.hasRun = true'; document.body.append(one); }"
    )
    assert eve.page.evaluate("window.hasRun") is None
    noticed(eve, "Content Security Policy")
    eve.page.evaluate("() => { setTimeout(() => { throw new Error('a slip'); }) }")
    noticed(eve, "a slip")
    eve.page.evaluate("() => { setTimeout(() => alert('look')) }")
    noticed(eve, "a dialog: look")


def noticed(guest: Guest, words: str) -> None:
    """The browser has complained of this, or does so soon."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not any(words in one for one in guest.complaints) and time.monotonic() < deadline:
        # Whatever is asked of the page lets it be heard.
        guest.page.title()
    guest.complains_only_of(words)

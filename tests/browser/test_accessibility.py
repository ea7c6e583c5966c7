"""The pages on a phone, and with the keyboard alone."""

from playwright.sync_api import expect

from tests.browser.conftest import DOORS, OpenBrowser
from tests.browser.servers import run_server, web_address
from tests.browser.user import PHONE, scrolls_sideways, tab_to
from tests.independent.tttp_clients import StreamClient
from tests.support.served import Served


def test_no_page_is_wider_than_a_phone(idle_server: Served, open_browser: OpenBrowser) -> None:
    ann = open_browser(web_address(idle_server), size=PHONE)
    rooms = [f"/rooms/{door}" for door in DOORS]
    for path in ("/", "/records", "/records/game", "/bots", "/arena", *rooms, "/nowhere"):
        ann.open(path)
        expect(ann.page.locator("main")).to_be_visible()
        assert not scrolls_sideways(ann.page), path
    ann.expect_errors("404")


def test_a_phone_plays_and_watches_without_scrolling_sideways(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        ann = open_browser(web_address(server), size=PHONE)
        ann.sit_down("tttp")
        assert not scrolls_sideways(ann.page)
        assert bob.join(b"a-name-of-as-many-letters-as-may-") > 3
        assert bob.join(b"a-name-of-as-many-letters-as-may") == 2
        assert ann.await_turn()
        box = ann.page.locator(".board svg").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
        assert box["y"] + box["height"] <= PHONE[1], "the whole board is seen at once"
        with ann.page.expect_response("**/move") as answer:
            ann.target("d1").tap()
        assert answer.value.ok
        expect(ann.page.locator('.board [data-seat="first"] circle')).to_have_count(1)
        assert not scrolls_sideways(ann.page)
        eve = open_browser(web_address(server), "eve", PHONE)
        eve.open("/rooms/tttp")
        eve.page.locator(".mini a").click()
        expect(eve.page.locator('.board [data-seat="first"] circle')).to_have_count(1)
        assert not scrolls_sideways(eve.page)


def test_a_move_is_made_from_the_lobby_on_without_a_mouse(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        ann = open_browser(web_address(server))
        page = ann.page
        ann.open()
        tab_to(page, 'form[data-sit="tttp"] button')
        assert page.evaluate(OUTLINE) > 0
        page.keyboard.press("Enter")
        expect(page.get_by_role("textbox", name="Your name")).to_be_focused()
        page.keyboard.type("ann")
        page.keyboard.press("Enter")
        page.wait_for_url("**/play/*")
        assert bob.join(b"bob") == 2
        assert ann.await_turn()
        tab_to(page, ".board .lit")
        expect(page.locator(".board .mark.focus")).to_be_visible()
        assert page.evaluate(NAME) == "a1"
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert page.evaluate(NAME) == "c1"
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".board .mark.focus")).to_have_count(1)
        page.keyboard.press("Enter")
        expect(ann.part("last")).to_contain_text("Last move: b1")
        bob.play(0, 0)
        assert ann.await_turn()
        assert page.evaluate(NAME) == "b2", "the focus is where the last move was made"


OUTLINE = """(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  return outlineStyle === "none" ? 0 : parseFloat(outlineWidth);
})()"""
"""The width of the outline around the focused element, in pixels."""

FOCUSED = "document.activeElement.outerHTML"
NAME = "document.activeElement.dataset.target"


def test_every_control_of_the_lobby_shows_that_it_has_the_focus(
    idle_server: Served, open_browser: OpenBrowser
) -> None:
    ann = open_browser(web_address(idle_server))
    ann.open()
    controls = ann.page.locator("a, button, select, summary").locator("visible=true").count()
    seen: list[str] = []
    for _ in range(controls + 5):
        ann.page.keyboard.press("Tab")
        tag = ann.page.evaluate("document.activeElement.tagName")
        if tag != "BODY":
            seen.append(tag)
            assert ann.page.evaluate(OUTLINE) > 0, ann.page.evaluate(FOCUSED)
    assert {"A", "BUTTON", "SELECT", "SUMMARY"} <= set(seen)

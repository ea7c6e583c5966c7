"""Lost connections, restarts and refused moves: the page says so, and recovers."""

import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenBrowser
from tests.browser.servers import port_of, run_server, web_address
from tests.browser.user import DASH
from tests.independent.tttp_clients import StreamClient
from tests.support.served import Served

FIRST_EVENT_ONLY = """window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    this.addEventListener("seat", () => this.close(), { once: true });
  }
};"""
"""Closes the stream of a seat after its first event, so that the page is out of date."""


def test_a_move_on_an_outdated_page_is_refused_with_the_reason(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        ann = open_browser(web_address(server))
        ann.sit_down("tttp")
        assert bob.join(b"bob") == 2
        assert ann.await_turn()
        first = ann.page
        ann.page = ann.new_tab()
        ann.page.add_init_script(FIRST_EVENT_ONLY)
        ann.page.goto(first.url)
        expect(ann.lit).to_have_count(7)
        first.locator('.board .lit[data-target="d1"]').click()
        expect(first.locator('[data-part="last"]')).to_contain_text("d1")
        expect(ann.part("problem")).to_be_hidden()
        ann.target("a1").click()
        expect(ann.part("problem")).to_contain_text("not your turn")
        expect(first.locator('.board [data-seat="first"] circle')).to_have_count(1)
        ann.expect_errors("409")


def test_both_tabs_of_one_seat_show_the_same(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        ann = open_browser(web_address(server))
        ann.sit_down("tttp")
        assert bob.join(b"bob") == 2
        assert ann.await_turn()
        other = ann.new_tab()
        other.goto(ann.page.url)
        expect(other.locator(".board .lit")).to_have_count(7)
        ann.make_move(ann.target("d1"))
        expect(other.locator('.board [data-seat="first"] circle')).to_have_count(1)
        expect(other.locator(".board .lit")).to_have_count(0)
        bob.play(3, 0)
        expect(other.locator(".board .lit")).to_have_count(7)
        assert ann.await_turn()


def test_a_move_without_a_network_can_be_made_again(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        ann = open_browser(web_address(server))
        ann.sit_down("tttp")
        assert bob.join(b"bob") == 2
        assert ann.await_turn()
        ann.context.set_offline(True)
        ann.target("d1").click()
        expect(ann.part("problem")).to_contain_text("The server cannot be reached")
        ann.context.set_offline(False)
        ann.make_move(ann.target("d1"))
        expect(ann.part("problem")).to_be_hidden()
        ann.expect_errors("ERR_INTERNET_DISCONNECTED")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "closed"])
def test_X_07_after_a_restart_two_pages_continue_without_a_reload(
    tmp_path: Path, open_browser: OpenBrowser, number: signal.Signals
) -> None:
    kept = ("--data", str(tmp_path))
    with Served("--door=tttp=0", "--door=web=0", *kept) as server:
        ann, bob = (
            open_browser(web_address(server), "Jürgen"),
            open_browser(web_address(server), "田中"),
        )
        for user in (ann, bob):
            user.sit_down("tttp")
        assert ann.await_turn()
        ann.make_move(ann.target("d1"))
        assert bob.await_turn()
        eve = open_browser(web_address(server), "eve")
        eve.open()
        expect(eve.part("window").locator("svg")).to_be_visible()
        port, door = port_of(eve.address), server.port()
        addresses = {user: user.page.url for user in (ann, bob)}
        server.stop(number)
    expect(eve.page.locator("#line-state")).to_have_text("connection lost")
    for user in (ann, bob):
        words = "The server cannot be reached; trying again"
        expect(user.part("hint")).to_have_text(words)
        expect(user.page.locator("#line-state")).to_have_text("")
    with Served(f"--door=tttp={door}", f"--door=web={port}", *kept) as server:
        expect(eve.page.locator("#line-state")).to_have_text("")
        for user, before in addresses.items():
            expect(user.page).not_to_have_url(before)
            user.page.locator("#seat").wait_for()
        assert bob.await_turn()
        bob.make_move(bob.target("d2"))
        assert ann.await_turn()
        expect(ann.part("players")).to_contain_text("田中")
        for user in (ann, bob):
            expect(user.part("messages")).to_contain_text("The server was restarted.")
        expect(eve.card("tttp")).to_contain_text(f"Jürgen {DASH} 田中")
    for user in (ann, bob, eve):
        user.allow_errors("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "404", "403")

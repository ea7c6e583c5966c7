"""When something goes wrong: the page says so in words, and goes on when it can."""

import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Invite
from tests.browser.guest import DASH
from tests.browser.halls import open_hall, pages_of, port_of
from tests.independent.tttp_clients import StreamClient
from tests.support.served import Served

HEARS_ONCE = """window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    this.addEventListener("seat", () => this.close(), { once: true });
  }
};"""
"""Has a page hear how things stand, and nothing of what happens later."""


def test_a_move_that_comes_too_late_is_refused_in_words(invite: Invite) -> None:
    with open_hall("tttp") as hall, StreamClient("127.0.0.1", hall.port()) as bob:
        ann = invite(pages_of(hall))
        ann.sit_down("tttp")
        assert bob.join(b"bob") == 2
        assert ann.await_turn()
        first = ann.page
        ann.page = ann.new_tab()
        ann.page.add_init_script(HEARS_ONCE)
        ann.page.goto(first.url)
        expect(ann.lit).to_have_count(7)
        first.locator('.board .lit[data-target="d1"]').click()
        expect(first.locator('[data-part="last"]')).to_contain_text("d1")
        expect(ann.part("problem")).to_be_hidden()
        ann.target("a1").click()
        expect(ann.part("problem")).to_contain_text("not your turn")
        expect(first.locator('.board [data-seat="first"] circle')).to_have_count(1)
        ann.complains_only_of("409")


def test_both_tabs_of_one_seat_show_the_same(invite: Invite) -> None:
    with open_hall("tttp") as hall, StreamClient("127.0.0.1", hall.port()) as bob:
        ann = invite(pages_of(hall))
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


def test_what_is_tried_without_a_network_can_be_tried_again(invite: Invite) -> None:
    with open_hall("tttp") as hall, StreamClient("127.0.0.1", hall.port()) as bob:
        ann = invite(pages_of(hall))
        ann.sit_down("tttp")
        assert bob.join(b"bob") == 2
        assert ann.await_turn()
        ann.context.set_offline(True)
        ann.target("d1").click()
        expect(ann.part("problem")).to_contain_text("The server cannot be reached")
        ann.context.set_offline(False)
        ann.make_move(ann.target("d1"))
        expect(ann.part("problem")).to_be_hidden()
        ann.complains_only_of("ERR_INTERNET_DISCONNECTED")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "closed"])
def test_X_07_after_a_restart_two_pages_go_on_without_a_reload(
    tmp_path: Path, invite: Invite, number: signal.Signals
) -> None:
    kept = ("--data", str(tmp_path))
    with Served("--door=tttp=0", "--door=web=0", *kept) as hall:
        ann, bob = invite(pages_of(hall), "Jürgen"), invite(pages_of(hall), "田中")
        for guest in (ann, bob):
            guest.sit_down("tttp")
        assert ann.await_turn()
        ann.make_move(ann.target("d1"))
        assert bob.await_turn()
        eve = invite(pages_of(hall), "eve")
        eve.open()
        expect(eve.part("window").locator("svg")).to_be_visible()
        port, door = port_of(eve.address), hall.port()
        addresses = {guest: guest.page.url for guest in (ann, bob)}
        hall.stop(number)
    for guest in (ann, bob, eve):
        expect(guest.page.locator("#line-state")).to_have_text("connection lost")
    for guest in (ann, bob):
        words = "The server cannot be reached; trying again"
        expect(guest.part("hint")).to_have_text(words)
    with Served(f"--door=tttp={door}", f"--door=web={port}", *kept) as hall:
        expect(eve.page.locator("#line-state")).to_have_text("")
        for guest, before in addresses.items():
            expect(guest.page).not_to_have_url(before)
            guest.page.locator("#seat").wait_for()
        assert bob.await_turn()
        bob.make_move(bob.target("d2"))
        assert ann.await_turn()
        expect(ann.part("players")).to_contain_text("田中")
        for guest in (ann, bob):
            expect(guest.part("messages")).to_contain_text("The server was restarted.")
        expect(eve.card("tttp")).to_contain_text(f"Jürgen {DASH} 田中")
    for guest in (ann, bob, eve):
        guest.forgive("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "404", "403")

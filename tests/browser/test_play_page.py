"""What the page of a seat shows beside the board: chat, players, the end of a match."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import OpenBrowser
from tests.browser.servers import port_of, run_server, web_address
from tests.browser.user import PHONE, scrolls_sideways
from tests.independent.tttp_clients import StreamClient
from tests.web.api_client import ApiClient

NATIVE = "/api/rooms/tttp/tables/table-2"
"""The table of a player in a browser."""
TABLE = "/api/rooms/tttp/tables/table-1"


def test_chat_does_not_look_like_messages_of_the_server(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        ann = open_browser(web_address(server))
        ann.sit_down("tttp")
        assert bob.join(b"bob") == 2
        assert ann.await_turn()
        remark = {"name": "The server refuses", "text": "you are out"}
        assert ApiClient(port_of(ann.address)).ask("POST", f"{NATIVE}/say", remark)[0] == 204
        said = ann.part("messages").locator("li", has_text="you are out")
        expect(said.locator("bdi.who-said")).to_have_text("The server refuses")
        expect(said).to_have_text("The server refuses: you are out")
        ann.page.get_by_role("textbox", name="Say something").fill("who says so?")
        ann.page.get_by_role("button", name="Send").click()
        own = ann.part("messages").locator("li", has_text="who says so?")
        expect(own.locator("bdi.who-said")).to_have_text("ann")
        expect(own).to_have_count(1)


def test_a_player_whose_opponent_has_left_can_call_a_bot(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server:
        ann = open_browser(web_address(server))
        with StreamClient("127.0.0.1", server.port()) as bob:
            ann.sit_down("tttp")
            expect(ann.part("wait-words")).to_have_text(
                "The game begins as soon as an opponent sits down."
            )
            assert bob.join(b"bob") == 2
            assert ann.await_turn()
            expect(ann.part("hint")).to_have_text("Your turn: choose what to play.")
        expect(ann.part("verdict-words")).to_have_text("No winner: bob left.")
        expect(ann.part("next")).to_have_text(
            "bob has left. Play again to wait for another opponent."
        )
        ann.part("rematch").click()
        expect(ann.part("wait")).to_be_visible()
        expect(ann.part("verdict")).to_be_hidden()
        expect(ann.page).to_have_title("Connect Four · Gamehall")
        ann.page.get_by_label("Which bot to call").select_option("random")
        ann.page.get_by_role("button", name="Call a bot").click()
        expect(ann.part("wait")).to_be_hidden()
        assert ann.await_turn()
        expect(ann.part("players")).to_contain_text("random")
        expect(ann.page).to_have_title("● Your turn · Connect Four · Gamehall")


def test_the_end_of_a_match_links_to_its_record(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        ann = open_browser(web_address(server))
        ann.sit_down("tttp")
        assert bob.join(b"bob") == 2
        assert ann.await_turn()
        expect(ann.part("record")).to_be_hidden()
        for row in range(4):
            assert ann.await_turn()
            ann.make_move(ann.target(f"d{row + 1}"))
            bob.play(0, 0)
        expect(ann.part("verdict-words")).to_contain_text("You won: you have 4 in a row.")
        ann.page.get_by_role("link", name="Replay it").click()
        ann.page.wait_for_url(re.compile("/records/."))
        expect(ann.page.locator(".board g[data-seat] circle")).to_have_count(7)


def test_players_have_the_colour_of_their_pieces(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        ann = open_browser(web_address(server))
        ann.sit_down("tttp")
        expect(ann.page.locator(".has-piece")).to_have_count(0)
        assert bob.join(b"bob") == 2
        assert ann.await_turn()
        ann.make_move(ann.target("d1"))
        bob.play(0, 0)
        expect(ann.page.locator(".has-piece")).to_have_count(2)
        eve = open_browser(web_address(server), "eve")
        eve.open("/rooms/tttp/tables/table-2")
        expect(eve.page.locator(".has-piece")).to_have_count(2)
        for user in (ann, eve):
            for number, seat in ((1, "first"), (2, "second")):
                piece = user.page.locator(f'.board [data-seat="{seat}"] circle').first
                fill = piece.evaluate("one => getComputedStyle(one).fill")
                badge = user.page.locator(f'.player[data-seat="{number}"] .seat')
                assert badge.evaluate(DOT) == fill


def test_a_tournament_says_who_has_signed_up_and_what_leaving_means(
    open_browser: OpenBrowser,
) -> None:
    room = "santorini-tournament"
    settings = (f"{room}.players=2", f"{room}.games=1")
    with run_server(room, settings=settings) as server:
        ann = open_browser(web_address(server), "Jürgen")
        bob = open_browser(web_address(server), "田中", PHONE)
        ann.sit_down(room)
        expect(ann.part("signed-up")).to_have_text("1 player signed up: Jürgen")
        expect(ann.part("wait-words")).to_have_text(
            "The tournament begins when 1 more player signs up."
        )
        expect(ann.part("seats")).to_be_hidden()
        expect(ann.part("talk")).to_be_hidden()
        bob.sit_down(room)
        assert ann.await_turn()
        expect(ann.page.locator(".player.is-to-move").locator(".clock")).to_be_visible()
        expect(ann.part("time-limit")).to_have_text(
            "At 0:00 you lose and are out of the tournament."
        )
        expect(bob.part("time-limit")).to_have_text("At 0:00 Jürgen loses the game.")
        ann.part("leave").click()
        expect(ann.part("leave")).to_have_text(
            "Leave: you lose this game and are out of the tournament"
        )
        assert not scrolls_sideways(bob.page)
        ann.part("leave").click()
        expect(bob.part("verdict-words")).to_have_text("You won the tournament: 1 win of 1.")
        expect(bob.part("final").locator("tbody tr")).to_have_text(["1田中10", "2Jürgen01"])
        expect(bob.part("last-game")).to_have_text("Last game: You won: Jürgen left the game.")
        assert not scrolls_sideways(bob.page)


DOT = "one => getComputedStyle(one, '::after').backgroundColor"


def test_chat_is_shown_anew_when_its_numbers_start_again(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        assert bob.join(b"bob") == 1
        eve = open_browser(web_address(server), "eve")
        state = ApiClient(port_of(eve.address)).get(TABLE)
        before, after = (
            state | {"table": state["table"] | {"version": version}, "talk": talk}
            for version, talk in (
                (7, [chat_line(1, "bob", "before"), chat_line(2, "bob", "it closed")]),
                (
                    8,
                    [
                        chat_line(1, "ann", "it is"),
                        chat_line(2, "ann", "open"),
                        chat_line(3, "ann", "again"),
                    ],
                ),
            )
        )
        eve.page.add_init_script(FAKE_STREAM)
        eve.open("/rooms/tttp/tables/table-1")
        lines = eve.part("messages").locator("li")
        eve.page.evaluate("state => tell(state)", before)
        expect(lines).to_have_text(["bob: before", "bob: it closed"])
        eve.page.evaluate("state => tell(state)", after)
        expect(lines).to_have_text(["ann: it is", "ann: open", "ann: again"])


def chat_line(number: int, name: str, text: str) -> dict[str, object]:
    return {"number": number, "name": name, "text": text}


FAKE_STREAM = """window.EventSource = class extends EventTarget {
  constructor() {
    super();
    window.tell = (state) =>
      this.dispatchEvent(new MessageEvent("table", { data: JSON.stringify(state) }));
  }
};"""
"""Replaces the stream of a table by what the test sends with `tell`."""

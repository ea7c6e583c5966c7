"""Two players agree on the terms of Go, play, and play again."""

import socket

from playwright.sync_api import expect

from tests.browser.conftest import OpenBrowser
from tests.browser.servers import run_server, web_address
from tests.browser.user import PHONE, scrolls_sideways

HOST = "127.0.0.1"


def test_the_second_player_sees_the_terms_and_may_propose_others(open_browser: OpenBrowser) -> None:
    with run_server("go-text") as server:
        ann, bob = (
            open_browser(web_address(server), "Jürgen"),
            open_browser(web_address(server), "田中", PHONE),
        )
        bob.open()
        ann.sit_down("go-text", terms={"Board": "9 x 9", "Komi": "0.5", "You play": "Black"})
        offer = bob.part("offers").locator("form")
        play = offer.get_by_role("button", name="Play Jürgen")
        expect(play).to_have_text(
            "Play Jürgen: board 9 x 9, handicap none, komi 0.5, you are White"
        )
        expect(
            bob.card("go-text").get_by_role("button", name="Wait on these terms")
        ).to_be_visible()
        assert not scrolls_sideways(bob.page)
        expect(ann.part("wanted")).to_contain_text("board 9 x 9")
        offer.get_by_role("button", name="Propose other terms").click()
        bob.enter_name()
        expect(bob.part("proposed")).to_contain_text("White")
        expect(ann.part("alone")).to_be_hidden()
        expect(ann.part("wait-words")).to_have_text("田中 is asked to agree to your terms.")
        assert not scrolls_sideways(bob.page)
        bob.page.get_by_text("Propose other terms").click()
        expect(bob.part("proposal").get_by_label("Board")).to_have_value("9")
        expect(bob.part("proposal").get_by_label("Komi")).to_have_value("0.5")
        bob.part("proposal").get_by_label("Board").select_option(label="13 x 13")
        bob.part("proposal").get_by_label("You play").select_option(label="Black")
        bob.part("counter").click()
        expect(bob.part("wait-words")).to_have_text("Jürgen is asked to agree to your terms.")
        expect(ann.part("proposed")).to_contain_text("13")
        ann.page.get_by_role("button", name="Agree and play").click()
        assert bob.await_turn()
        expect(bob.lit).to_have_count(169)
        bob.make_move(bob.target("C3"))
        assert ann.await_turn()
        ann.part("resign").click()
        ann.page.get_by_role("button", name="Resign: sure?").click()
        expect(ann.part("verdict-words")).to_have_text("You lost: you resigned.")
        expect(bob.part("verdict-words")).to_have_text("You won: Jürgen resigned.")
        expect(bob.part("record")).to_be_visible()
        ann.part("rematch").click()
        expect(ann.part("next")).to_have_text("田中 was asked to play again.")
        expect(bob.part("next")).to_have_text("Jürgen wants to play again.")
        bob.part("rematch").click()
        expect(ann.part("verdict")).to_be_hidden()
        assert ann.await_turn(), "the seats are swapped"
        ann.part("leave").click()
        ann.page.get_by_role("button", name="Leave the table: sure?").click()
        expect(bob.part("verdict-words")).to_have_text("You won: Jürgen resigned.")
        expect(bob.part("next")).to_have_text(
            "Jürgen has left. Play again to wait for another opponent."
        )
        expect(bob.page.locator(".player", has_text="left")).to_contain_text("Jürgen")
        bob.part("rematch").click()
        expect(bob.part("wait")).to_be_visible()
        expect(bob.part("verdict")).to_be_hidden()


def test_a_waiting_player_can_accept_the_offer_of_another(
    open_browser: OpenBrowser,
) -> None:
    with run_server("go-text") as server:
        ann, bob = (
            open_browser(web_address(server), "Jürgen"),
            open_browser(web_address(server), "田中", PHONE),
        )
        bob.sit_down("go-text", terms={"Board": "19 x 19"})
        expect(bob.part("wait")).to_be_visible()
        expect(bob.part("offers").locator("form")).to_have_count(0)
        terms = {"Board": "9 x 9", "Handicap": "2 stones", "You play": "White"}
        ann.sit_down("go-text", terms=terms)
        with bob.page.expect_navigation():
            bob.part("offers").get_by_role("button", name="Play Jürgen").click()
        expect(ann.part("hint")).to_contain_text("is thinking.")
        assert bob.await_turn()
        expect(bob.part("hint")).to_have_text("Place handicap stone 1 of 2.")
        expect(bob.part("proposal")).to_be_hidden()


def test_a_waiting_player_without_a_name_is_called_a_player(open_browser: OpenBrowser) -> None:
    with run_server("go-text") as server, socket.create_connection((HOST, server.port("go-text"))):
        bob = open_browser(web_address(server), "田中")
        bob.open()
        waiting = bob.card("go-text").locator('[data-part="waiting"]')
        expect(waiting).to_have_text("A player waits for you")


def test_what_is_chosen_beside_an_offer_is_proposed_to_its_player(
    open_browser: OpenBrowser,
) -> None:
    with run_server("go-text") as server:
        ann, bob = (
            open_browser(web_address(server), "Jürgen"),
            open_browser(web_address(server), "田中", PHONE),
        )
        ann.sit_down("go-text", terms={"Board": "19 x 19", "You play": "Black"})
        bob.open()
        bob.card("go-text").get_by_label("Board").select_option(label="9 x 9")
        bob.card("go-text").get_by_label("Komi").select_option(label="7.5")
        bob.part("offers").get_by_role("button", name="Propose other terms").click()
        bob.enter_name()
        expect(bob.part("wait-words")).to_have_text("Jürgen is asked to agree to your terms.")
        expect(ann.part("proposed")).to_contain_text("9 x 9")
        expect(ann.part("proposed")).to_contain_text("7.5")
        ann.part("decline").click()
        expect(bob.part("verdict-words")).to_have_text("Jürgen did not agree to the terms.")
        assert not scrolls_sideways(bob.page)
        bob.part("another").click()
        expect(bob.part("wanted")).to_contain_text("board 9 x 9, handicap none, komi 7.5")

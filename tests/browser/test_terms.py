"""Two visitors agree on the terms of Go, play, and play again."""

from playwright.sync_api import expect

from tests.browser.conftest import Invite
from tests.browser.guest import PHONE, scrolls_sideways
from tests.browser.halls import open_hall, pages_of


def test_the_second_player_sees_the_terms_and_may_propose_others(invite: Invite) -> None:
    with open_hall("go-text") as hall:
        ann, bob = invite(pages_of(hall), "Jürgen"), invite(pages_of(hall), "田中", PHONE)
        bob.open()
        ann.sit_down("go-text", terms={"Board": "9 x 9", "Komi": "0.5", "You play": "Black"})
        offer = bob.part("offers").locator("form")
        expect(offer).to_contain_text("Jürgen waits: board 9 x 9, handicap none, komi 0.5")
        offer.get_by_role("button", name="Play on these terms").click()
        bob.give_name()
        expect(bob.part("proposed")).to_contain_text("White")
        expect(ann.part("wait-words")).to_have_text("田中 is asked to agree to your terms.")
        assert not scrolls_sideways(bob.page)
        bob.page.get_by_text("Propose other terms").click()
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
            "Your opponent has left. Play again to wait for the next one."
        )
        bob.part("rematch").click()
        expect(bob.part("wait")).to_be_visible()
        expect(bob.part("verdict")).to_be_hidden()

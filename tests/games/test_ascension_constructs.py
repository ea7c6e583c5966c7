"""Every construct of Ascension by name, and the rules for all constructs."""

import pytest

from gamehall.core import Seat
from gamehall.games.ascension import ChoiceKind
from tests.games.ascension_tables import (
    after,
    asked,
    gained,
    in_play,
    legal,
    mine,
    options,
    refused,
    table,
)

NEXT_OWN_TURN = ["end turn", "end turn"]


@pytest.mark.parametrize(
    ("construct", "runes", "power"),
    [
        ("Snapdragon", 1, 0),
        ("Yggdrasil Staff", 0, 1),
        ("Muramasa", 0, 3),
        ("Shadow Star", 0, 1),
        ("Voidthirster", 0, 1),
        ("Hedron Cannon", 0, 1),
    ],
)
def test_constructs_that_give_runes_or_power_once_a_turn(
    construct: str, runes: int, power: int
) -> None:
    start = table(hand=construct, deck=["Apprentice"] * 10)
    position = after(start, f"play {construct}", f"activate {construct}")
    assert gained(position) == (runes, power, 0)
    assert in_play(mine(position)) == [construct]
    assert refused(position, f"activate {construct}") == (
        f"{construct} has been used this turn: each copy can be used once a turn"
    )
    position = after(position, *NEXT_OWN_TURN, f"activate {construct}")
    assert gained(position) == (runes, power, 0)


def test_two_copies_are_used_once_each() -> None:
    position = table(constructs=["Shadow Star", "Shadow Star"])
    position = after(position, "activate Shadow Star", "activate Shadow Star")
    assert gained(position) == (0, 2, 0)
    assert "activate Shadow Star" not in legal(position)


def test_only_own_constructs_in_play_can_be_used() -> None:
    position = table(hand="Muramasa", other_constructs="Muramasa")
    assert refused(position, "activate Muramasa") == "Muramasa is not among your constructs in play"


@pytest.mark.parametrize(
    "construct", ["Burrower Mark II", "Hedron Link Device", "Rocket Courier X-99"]
)
def test_constructs_with_only_a_permanent_effect_cannot_be_activated(construct: str) -> None:
    assert refused(table(constructs=construct), f"activate {construct}") == (
        f"{construct} acts by itself and cannot be activated"
    )


def test_the_all_seeing_eye_draws_a_card() -> None:
    position = after(
        table(constructs="The All-Seeing Eye", deck="Mystic"), "activate The All-Seeing Eye"
    )
    assert mine(position).hand == ("Mystic",)


def test_the_all_seeing_eye_may_be_used_with_no_card_left() -> None:
    position = after(table(constructs="The All-Seeing Eye"), "activate The All-Seeing Eye")
    assert mine(position).hand == ()


def test_tablet_of_times_dawn_is_banished_for_one_more_turn() -> None:
    start = table(
        constructs=["Tablet of Time's Dawn", "Shadow Star"], deck=["Apprentice"] * 10, runes=3
    )
    position = after(start, "activate Shadow Star", "activate Tablet of Time's Dawn")
    assert in_play(mine(position)) == ["Shadow Star"]
    assert position.board.void == ("Tablet of Time's Dawn",)
    position = after(position, "end turn")
    assert position.to_move is Seat.FIRST
    assert position.board.turn == 1
    assert gained(position) == (0, 0, 0)
    assert len(mine(position).hand) == 5
    position = after(position, "activate Shadow Star", "end turn")
    assert position.to_move is Seat.SECOND


def test_tablet_of_times_dawn_banished_from_the_row_gives_nothing() -> None:
    start = table(hand="Seer of the Forked Path", row="Tablet of Time's Dawn")
    position = after(start, "play Seer of the Forked Path", "choose Tablet of Time's Dawn")
    assert after(position, "end turn").to_move is Seat.SECOND


def test_snapdragon_gives_honor_for_the_first_lifebound_hero_of_a_turn() -> None:
    start = table(hand=["Mystic", "Landtalker", "Wolf Shaman"], constructs="Snapdragon")
    assert gained(after(start, "play Mystic")) == (2, 0, 0)
    position = after(start, "play Landtalker")
    assert gained(position) == (3, 0, 1)
    assert gained(after(position, "play Wolf Shaman")) == (4, 0, 1)


def test_two_snapdragons_give_two_honor() -> None:
    start = table(hand="Landtalker", constructs=["Snapdragon", "Snapdragon"])
    assert gained(after(start, "play Landtalker")) == (3, 0, 2)


def test_snapdragon_that_comes_after_the_first_hero_gives_no_honor() -> None:
    start = table(hand=["Landtalker", "Snapdragon", "Wolf Shaman"])
    position = after(start, "play Landtalker", "play Snapdragon", "play Wolf Shaman")
    assert gained(position) == (4, 0, 0)


def test_snapdragons_honor_comes_after_the_heros_choice() -> None:
    start = table(hand="Cetra, Weaver of Stars", constructs="Snapdragon")
    position = after(start, "play Cetra, Weaver of Stars")
    assert gained(position) == (0, 0, 0)
    assert gained(after(position, "choose Mystic")) == (0, 0, 1)


def test_yggdrasil_staff_has_two_abilities_in_any_order() -> None:
    position = table(constructs="Yggdrasil Staff", runes=8)
    assert "activate Yggdrasil Staff" in legal(position)
    assert "activate Yggdrasil Staff: honor" in legal(position)
    position = after(position, "activate Yggdrasil Staff: honor")
    assert gained(position) == (4, 0, 3)
    assert "activate Yggdrasil Staff: honor" not in legal(position)
    assert gained(after(position, "activate Yggdrasil Staff")) == (4, 1, 3)


def test_yggdrasil_staff_takes_four_ordinary_runes_for_honor() -> None:
    position = table(constructs="Yggdrasil Staff", runes=3, restricted_runes=4)
    assert refused(position, "activate Yggdrasil Staff: honor") == (
        "Yggdrasil Staff takes 4 runes, and you have 3"
    )


def test_two_yggdrasil_staffs_exchange_twice() -> None:
    position = table(constructs=["Yggdrasil Staff"] * 2, runes=12)
    position = after(position, *["activate Yggdrasil Staff: honor"] * 2)
    assert gained(position) == (4, 0, 6)
    assert "has been used" in refused(position, "activate Yggdrasil Staff: honor")


def test_no_other_construct_gives_honor_for_runes() -> None:
    position = table(constructs="Muramasa", runes=8)
    assert refused(position, "activate Muramasa: honor") == "Muramasa does not give honor for runes"


def test_burrower_mark_ii_draws_for_itself_and_for_nothing_more_that_turn() -> None:
    start = table(hand=["Burrower Mark II", "Hedron Cannon"], deck=["Mystic", "Militia"])
    position = after(start, "play Burrower Mark II")
    assert mine(position).hand == ("Hedron Cannon", "Mystic")
    assert mine(after(position, "play Hedron Cannon")).hand == ("Mystic",)


def test_each_burrower_mark_ii_draws_once_a_turn() -> None:
    start = table(hand="Hedron Cannon", constructs=["Burrower Mark II"] * 2, deck=["Mystic"] * 3)
    assert len(mine(after(start, "play Hedron Cannon")).hand) == 2


def test_burrower_mark_ii_that_enters_second_still_draws() -> None:
    start = table(hand=["Hedron Cannon", "Burrower Mark II"], deck=["Mystic"] * 3)
    position = after(start, "play Hedron Cannon")
    assert mine(position).hand == ("Burrower Mark II",)
    assert mine(after(position, "play Burrower Mark II")).hand == ("Mystic",)


def test_burrower_mark_ii_does_not_draw_for_other_factions() -> None:
    start = table(hand="Shadow Star", constructs="Burrower Mark II", deck=["Mystic"])
    assert mine(after(start, "play Shadow Star")).hand == ()


def test_hedron_cannon_counts_mechana_constructs_itself_included() -> None:
    constructs = ["Hedron Cannon", "The Grand Design", "Burrower Mark II", "Shadow Star"]
    position = after(table(constructs=constructs), "activate Hedron Cannon")
    assert gained(position) == (0, 3, 0)


def test_hedron_link_device_makes_all_constructs_mechana_for_the_cannon() -> None:
    constructs = ["Hedron Cannon", "Hedron Link Device", "Shadow Star", "Snapdragon"]
    position = after(table(constructs=constructs), "activate Hedron Cannon")
    assert gained(position) == (0, 4, 0)


def test_hedron_link_device_lets_restricted_runes_pay_for_any_construct_of_the_row() -> None:
    without = table(row="Shadow Star", restricted_runes=3)
    assert refused(without, "acquire Shadow Star") == "Shadow Star costs 3 runes more than you have"
    linked = table(row="Shadow Star", restricted_runes=3, constructs="Hedron Link Device")
    assert mine(after(linked, "acquire Shadow Star")).discard == ("Shadow Star",)


def test_hedron_link_device_makes_all_constructs_mechana_for_burrower_and_courier() -> None:
    start = table(
        row="Shadow Star",
        runes=3,
        constructs=["Hedron Link Device", "Burrower Mark II", "Rocket Courier X-99"],
        deck="Mystic",
    )
    position = after(start, "acquire Shadow Star", "choose play")
    assert mine(position).hand == ("Mystic",)


def test_hedron_link_device_of_the_opponent_does_not_help() -> None:
    position = table(row="Shadow Star", restricted_runes=3, other_constructs="Hedron Link Device")
    assert "acquire Shadow Star" not in legal(position)


@pytest.mark.parametrize(
    ("construct", "runes"), [("The Grand Design", 2), ("Watchmaker's Altar", 1)]
)
def test_the_grand_design_and_watchmakers_altar_give_restricted_runes(
    construct: str, runes: int
) -> None:
    start = table(constructs=construct, row=["Burrower Mark II", "Spike Vixen"], runes=3)
    position = after(start, f"activate {construct}")
    assert position.board.restricted_runes == runes
    position = after(position, "acquire Burrower Mark II")
    assert position.board.restricted_runes == 0, "they are spent first"
    assert position.board.runes == runes


def test_restricted_runes_pay_for_nothing_else() -> None:
    position = table(row=["Avatar Golem", "Shadow Star"], restricted_runes=9)
    assert not any(move.startswith("acquire") for move in legal(position)), "a Golem is a hero"


def test_rocket_courier_may_put_an_acquired_mechana_construct_into_play() -> None:
    start = table(row="Watchmaker's Altar", runes=5, constructs="Rocket Courier X-99")
    position = after(start, "acquire Watchmaker's Altar")
    choice = asked(position)
    assert (choice.card, choice.kind) == ("Rocket Courier X-99", ChoiceKind.PUT_INTO_PLAY)
    assert options(position) == ["play", ""]
    assert mine(position).discard == ("Watchmaker's Altar",)
    played = after(position, "choose play")
    assert in_play(mine(played)) == ["Rocket Courier X-99", "Watchmaker's Altar"]
    assert mine(played).discard == ()
    assert "activate Watchmaker's Altar" in legal(played), "it works in the same turn"
    declined = after(position, "choose nothing")
    assert in_play(mine(declined)) == ["Rocket Courier X-99"]
    assert mine(declined).discard == ("Watchmaker's Altar",)


def test_rocket_courier_works_once_a_turn_and_declining_does_not_use_it_up() -> None:
    start = table(row=["Watchmaker's Altar"] * 3, runes=15, constructs="Rocket Courier X-99")
    position = after(start, "acquire Watchmaker's Altar", "choose nothing")
    position = after(position, "acquire Watchmaker's Altar", "choose play")
    assert options(after(position, "acquire Watchmaker's Altar")) == []


def test_rocket_courier_put_into_play_by_another_works_at_once() -> None:
    row = ["Rocket Courier X-99", "Burrower Mark II"]
    start = table(row=row, runes=7, constructs="Rocket Courier X-99", deck="Mystic")
    position = after(start, "acquire Rocket Courier X-99", "choose play")
    position = after(position, "acquire Burrower Mark II", "choose play")
    assert in_play(mine(position)) == ["Rocket Courier X-99"] * 2 + ["Burrower Mark II"]
    assert mine(position).hand == ("Mystic",), "the Burrower has drawn for itself"


def test_rocket_courier_does_not_put_itself_or_other_factions_into_play() -> None:
    alone = table(row="Rocket Courier X-99", runes=4)
    assert options(after(alone, "acquire Rocket Courier X-99")) == []
    start = table(row="Shadow Star", runes=3, constructs="Rocket Courier X-99")
    assert options(after(start, "acquire Shadow Star")) == []


def test_voidthirster_gives_honor_for_the_first_monster_of_the_row() -> None:
    start = table(row=["Tormented Soul"] * 2, power=8, constructs="Voidthirster")
    position = after(start, "defeat Cultist")
    assert gained(position) == (0, 6, 1), "the Cultist neither counts nor uses it up"
    position = after(position, "defeat Tormented Soul")
    assert gained(position) == (0, 3, 3)
    assert gained(after(position, "defeat Tormented Soul")) == (0, 0, 4)


def test_voidthirster_gives_honor_again_in_the_next_turn() -> None:
    start = table(
        row=["Tormented Soul"] * 2,
        power=3,
        constructs="Voidthirster",
        deck=["Emri, One with the Void"] * 10,
    )
    position = after(start, "defeat Tormented Soul", *NEXT_OWN_TURN)
    position = after(position, "play Emri, One with the Void", "defeat Tormented Soul")
    assert gained(position) == (0, 1, 4)


def test_each_voidthirster_gives_its_own_honor_and_for_free_defeats_too() -> None:
    start = table(hand="Arha Templar", row="Tormented Soul", constructs=["Voidthirster"] * 2)
    position = after(start, "play Arha Templar", "choose Tormented Soul")
    assert gained(position) == (0, 0, 3)


def test_voidthirsters_honor_comes_after_the_reward() -> None:
    start = table(row="Mephit", power=3, constructs="Voidthirster")
    position = after(start, "defeat Mephit")
    assert gained(position) == (0, 0, 2)
    assert gained(after(position, "choose nothing")) == (0, 0, 3)


def test_voidthirster_that_enters_after_the_first_monster_gives_no_honor_this_turn() -> None:
    start = table(hand="Voidthirster", row=["Tormented Soul"] * 2, power=6)
    position = after(start, "defeat Tormented Soul", "play Voidthirster")
    assert gained(after(position, "defeat Tormented Soul")) == (0, 0, 2)


def test_a_copy_that_enters_play_later_can_be_used_too() -> None:
    start = table(hand=["Shadow Star"], constructs="Shadow Star")
    position = after(start, "activate Shadow Star", "play Shadow Star", "activate Shadow Star")
    assert gained(position) == (0, 2, 0)

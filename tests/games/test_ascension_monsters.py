"""Every monster of Ascension by name."""

import pytest

from gamehall.core import Seat
from gamehall.games.ascension import ChoiceKind
from tests.games.ascension_tables import (
    IN_CENTER_DECK,
    IN_ROW,
    after,
    asked,
    gained,
    in_play,
    mine,
    options,
    other,
    refused,
    table,
)


@pytest.mark.parametrize(
    ("monster", "cost", "runes", "honor", "cards"),
    [
        ("Samael's Trickster", 3, 1, 1, 0),
        ("Tormented Soul", 3, 0, 1, 1),
        ("Wind Tyrant", 5, 3, 3, 0),
        ("Earth Tyrant", 6, 0, 5, 2),
    ],
)
def test_monsters_that_only_give_a_reward(
    monster: str, cost: int, runes: int, honor: int, cards: int
) -> None:
    start = table(row=monster, power=7, deck=["Mystic"] * 3)
    position = after(start, f"defeat {monster}")
    assert gained(position) == (runes, 7 - cost, honor)
    assert len(mine(position).hand) == cards
    assert position.board.void == (monster,)
    assert position.board.row == (IN_CENTER_DECK, *[IN_ROW] * 5)
    assert position.board.honor_pool == 60 - honor


def test_AR_05_the_cultist_stays_however_often_it_is_defeated() -> None:
    position = after(table(power=4), "defeat Cultist", "defeat Cultist")
    assert gained(position) == (0, 0, 2)
    assert position.board.void == ()
    assert refused(position, "defeat Cultist") == "Cultist takes 2 power, and you have 0"


def test_mephit_may_banish_a_card_of_the_refilled_row() -> None:
    start = table(row="Mephit", power=3)
    position = after(start, "defeat Mephit")
    assert options(position) == [IN_CENTER_DECK, IN_ROW, ""], "the new card is among them"
    assert gained(position) == (0, 0, 2)
    banished = after(position, f"choose {IN_CENTER_DECK}")
    assert banished.board.void == ("Mephit", IN_CENTER_DECK)
    assert after(position, "choose nothing").board.void == ("Mephit",)


def test_mistake_of_creation_may_banish_from_the_row_and_from_the_discard_pile() -> None:
    start = table(row="Mistake of Creation", power=4, discard="Militia", hand="Apprentice")
    position = after(start, "defeat Mistake of Creation")
    assert gained(position) == (0, 0, 4)
    assert (asked(position).slot, options(position)) == (0, [IN_CENTER_DECK, IN_ROW, ""])
    declined = after(position, "choose nothing")
    assert (asked(declined).slot, options(declined)) == (1, ["Militia", ""])
    assert after(declined, "choose Militia").board.void == ("Mistake of Creation", "Militia")
    assert after(declined, "choose nothing").board.void == ("Mistake of Creation",)
    both = after(position, f"choose {IN_ROW}", "choose Militia")
    assert both.board.void == ("Mistake of Creation", IN_ROW, "Militia")


def test_mistake_of_creation_does_not_ask_for_an_empty_discard_pile() -> None:
    position = after(table(row="Mistake of Creation", power=4), "defeat Mistake of Creation")
    assert options(after(position, "choose nothing")) == []


def test_avatar_of_the_fallen_gives_another_card_of_the_row() -> None:
    row = ["Avatar of the Fallen", "Muramasa", "Wind Tyrant", "Cetra, Weaver of Stars"]
    position = after(table(row=row, power=7), "defeat Avatar of the Fallen")
    assert asked(position).kind is ChoiceKind.ACQUIRE_OR_DEFEAT
    names = ["Cetra, Weaver of Stars", IN_CENTER_DECK, IN_ROW, "Muramasa", "Wind Tyrant"]
    assert options(position) == names, "mandatory, and no Mystic, Heavy Infantry or Cultist"
    assert gained(position) == (0, 0, 4)
    acquired = after(position, "choose Cetra, Weaver of Stars")
    assert mine(acquired).discard == ("Cetra, Weaver of Stars",)
    defeated = after(position, "choose Wind Tyrant")
    assert gained(defeated) == (3, 0, 7)
    assert defeated.board.void == ("Avatar of the Fallen", "Wind Tyrant")


def test_avatar_of_the_fallen_may_lead_to_a_courier_and_uses_up_a_discount() -> None:
    row = ["Avatar of the Fallen", "Hedron Cannon"]
    start = table(row=row, power=7, constructs="Rocket Courier X-99", discount=1)
    position = after(start, "defeat Avatar of the Fallen", "choose Hedron Cannon", "choose play")
    assert in_play(mine(position)) == ["Rocket Courier X-99", "Hedron Cannon"]
    assert position.board.discount == 0


def test_avatar_of_the_fallen_leads_to_choices_within_choices() -> None:
    row = ["Avatar of the Fallen", "Mistake of Creation"]
    start = table(row=row, power=7, discard="Militia", constructs="Voidthirster")
    position = after(start, "defeat Avatar of the Fallen", "choose Mistake of Creation")
    assert asked(position).card == "Mistake of Creation"
    position = after(position, f"choose {IN_ROW}", "choose Militia")
    assert gained(position) == (0, 0, 9), "4 and 4, and 1 for the first monster only"


def test_avatar_of_the_fallen_is_not_offered_itself() -> None:
    start = table(row="Avatar of the Fallen", power=7, center_deck=())
    position = after(start, "defeat Avatar of the Fallen")
    assert position.board.row[0] == "Avatar of the Fallen", "it was all there was to shuffle"
    assert options(position) == [IN_ROW]


@pytest.mark.parametrize("count", [0, 1])
def test_corrosive_widow_resolves_at_once_if_there_is_no_choice(count: int) -> None:
    start = table(row="Corrosive Widow", power=4, other_constructs=["Muramasa"] * count)
    position = after(start, "defeat Corrosive Widow")
    assert gained(position) == (0, 0, 3)
    assert in_play(other(position)) == []
    assert other(position).discard == ("Muramasa",) * count
    assert options(after(position, "end turn")) == []


def test_corrosive_widow_lets_the_opponent_choose_at_the_start_of_the_turn() -> None:
    start = table(row="Corrosive Widow", power=4, other_constructs=["Muramasa", "Shadow Star"])
    position = after(start, "defeat Corrosive Widow")
    assert position.to_move is Seat.FIRST
    position = after(position, "end turn")
    choice = asked(position)
    assert position.to_move is choice.seat is Seat.SECOND
    assert choice.kind is ChoiceKind.DESTROY_CONSTRUCT
    assert options(position) == ["Muramasa", "Shadow Star"]
    position = after(position, "choose Shadow Star")
    assert in_play(mine(position)) == ["Muramasa"]
    assert mine(position).discard == ("Shadow Star",), (
        "not in the void: it still belongs to its owner"
    )


def test_two_corrosive_widows_ask_one_after_the_other() -> None:
    constructs = ["Muramasa", "Shadow Star", "Shadow Star"]
    start = table(row=["Corrosive Widow"] * 2, power=8, other_constructs=constructs)
    position = after(start, *["defeat Corrosive Widow"] * 2, "end turn", "choose Muramasa")
    assert options(position) == ["Shadow Star"], "the choice is asked even between two copies"
    position = after(position, "choose Shadow Star")
    assert in_play(mine(position)) == ["Shadow Star"]


def test_a_second_corrosive_widow_takes_the_last_construct_without_a_choice() -> None:
    start = table(
        row=["Corrosive Widow"] * 2, power=8, other_constructs=["Muramasa", "Shadow Star"]
    )
    position = after(start, *["defeat Corrosive Widow"] * 2, "end turn", "choose Muramasa")
    assert options(position) == []
    assert in_play(mine(position)) == []


def test_the_opponents_choice_waits_until_its_own_turn() -> None:
    start = table(
        row="Corrosive Widow",
        power=4,
        constructs="Tablet of Time's Dawn",
        other_constructs=["Muramasa", "Shadow Star"],
    )
    position = after(start, "activate Tablet of Time's Dawn", "defeat Corrosive Widow", "end turn")
    assert options(position) == []
    assert options(after(position, "end turn")) == ["Muramasa", "Shadow Star"]


@pytest.mark.parametrize("count", [0, 1])
def test_sea_tyrant_leaves_a_single_construct_alone(count: int) -> None:
    start = table(row="Sea Tyrant", power=5, other_constructs=["Muramasa"] * count)
    position = after(start, "defeat Sea Tyrant")
    assert gained(position) == (0, 0, 5)
    assert in_play(other(position)) == ["Muramasa"] * count
    assert options(after(position, "end turn")) == []


def test_sea_tyrant_lets_the_opponent_keep_one_construct() -> None:
    constructs = ["Muramasa", "Shadow Star", "Muramasa", "Snapdragon"]
    start = table(row="Sea Tyrant", power=5, other_constructs=constructs)
    position = after(start, "defeat Sea Tyrant", "end turn")
    assert asked(position).kind is ChoiceKind.KEEP_CONSTRUCT
    assert options(position) == ["Muramasa", "Shadow Star", "Snapdragon"]
    position = after(position, "choose Muramasa")
    assert in_play(mine(position)) == ["Muramasa"]
    assert sorted(mine(position).discard) == ["Muramasa", "Shadow Star", "Snapdragon"]


def test_xeron_takes_a_random_card_for_good() -> None:
    hand = ["Mystic", "Militia", "Apprentice"]
    taken = set()
    for seed in range(30):
        start = table(row="Xeron, Duke of Lies", power=6, other_hand=hand, seed=seed)
        position = after(start, "defeat Xeron, Duke of Lies")
        assert gained(position) == (0, 0, 3)
        (name,) = mine(position).hand
        assert sorted([*other(position).hand, name]) == sorted(hand)
        taken.add(name)
    assert taken == set(hand)


def test_xeron_takes_nothing_from_an_empty_hand() -> None:
    position = after(table(row="Xeron, Duke of Lies", power=6), "defeat Xeron, Duke of Lies")
    assert mine(position).hand == ()

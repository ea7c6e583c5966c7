"""Every hero of Ascension by name."""

import pytest

from gamehall.games.ascension import ChoiceKind
from tests.games.ascension_tables import (
    GAME,
    IN_CENTER_DECK,
    IN_ROW,
    after,
    asked,
    gained,
    in_play,
    mine,
    options,
    refused,
    table,
)


@pytest.mark.parametrize(
    ("hero", "runes", "power", "honor"),
    [
        ("Apprentice", 1, 0, 0),
        ("Militia", 0, 1, 0),
        ("Mystic", 2, 0, 0),
        ("Heavy Infantry", 0, 2, 0),
        ("Landtalker", 3, 0, 0),
        ("Lifebound Initiate", 1, 0, 1),
        ("Demon Slayer", 0, 3, 0),
        ("Emri, One with the Void", 0, 4, 0),
    ],
)
def test_heroes_that_give_runes_power_or_honor(
    hero: str, runes: int, power: int, honor: int
) -> None:
    position = after(table(hand=hero), f"play {hero}")
    assert gained(position) == (runes, power, honor)
    assert position.board.honor_pool == 60 - honor
    assert mine(position).played == (hero,)
    assert options(position) == []


@pytest.mark.parametrize(
    ("hero", "cards", "runes", "power", "honor"),
    [
        ("Arha Initiate", 1, 0, 0, 0),
        ("Ascetic of the Lidless Eye", 2, 0, 0, 0),
        ("Master Dhartha", 3, 0, 0, 0),
        ("Flytrap Witch", 1, 0, 0, 2),
        ("Wolf Shaman", 1, 1, 0, 0),
        ("Spike Vixen", 1, 0, 1, 0),
    ],
)
def test_heroes_that_draw(hero: str, cards: int, runes: int, power: int, honor: int) -> None:
    deck = ["Mystic", "Militia", "Apprentice", "Heavy Infantry"]
    position = after(table(hand=hero, deck=deck), f"play {hero}")
    assert mine(position).hand == tuple(deck[:cards])
    assert mine(position).deck == tuple(deck[cards:])
    assert gained(position) == (runes, power, honor)


def test_arha_templar_defeats_a_monster_of_up_to_4_for_free() -> None:
    start = table(hand="Arha Templar", row=["Samael's Trickster", "Corrosive Widow", "Sea Tyrant"])
    position = after(start, "play Arha Templar")
    assert asked(position).kind is ChoiceKind.DEFEAT_FREE
    assert options(position) == ["Corrosive Widow", "Cultist", "Samael's Trickster"]
    position = after(position, "choose Samael's Trickster")
    assert gained(position) == (1, 0, 1)
    assert position.board.void == ("Samael's Trickster",)
    assert position.board.row[0] == IN_CENTER_DECK


def test_arha_templar_can_defeat_the_cultist_which_stays() -> None:
    position = after(table(hand="Arha Templar"), "play Arha Templar")
    assert options(position) == ["Cultist"]
    position = after(position, "choose Cultist")
    assert gained(position) == (0, 0, 1)
    assert position.board.void == ()


def test_arha_templar_is_not_optional() -> None:
    position = after(table(hand="Arha Templar"), "play Arha Templar")
    assert refused(position, "choose nothing") == (
        "nothing cannot be chosen for Arha Templar: choose Cultist"
    )


def test_oziah_the_peerless_defeats_up_to_6_but_not_the_avatar() -> None:
    row = ["Earth Tyrant", "Avatar of the Fallen", "Sea Tyrant"]
    position = after(table(hand="Oziah the Peerless", row=row), "play Oziah the Peerless")
    assert options(position) == ["Cultist", "Earth Tyrant", "Sea Tyrant"]
    assert gained(after(position, "choose Sea Tyrant")) == (0, 0, 5)


def test_seer_of_the_forked_path_draws_and_may_banish_a_card_of_the_row() -> None:
    start = table(
        hand="Seer of the Forked Path", deck="Mystic", row=["Mephit", "Avatar of the Fallen"]
    )
    position = after(start, "play Seer of the Forked Path")
    assert mine(position).hand == ("Mystic",)
    assert options(position) == [IN_ROW, "Mephit", ""], "the Avatar cannot be banished"
    banished = after(position, "choose Mephit")
    assert banished.board.void == ("Mephit",)
    assert banished.board.row[0] == IN_CENTER_DECK
    assert gained(banished) == (0, 0, 0), "banishing is not defeating"
    assert after(position, "choose nothing").board.void == ()


def test_temple_librarian_discards_one_and_draws_two() -> None:
    start = table(hand=["Temple Librarian", "Militia", "Mystic"], deck=["Apprentice"] * 3)
    position = after(start, "play Temple Librarian")
    assert asked(position).kind is ChoiceKind.DISCARD
    assert options(position) == ["Militia", "Mystic"]
    position = after(position, "choose Militia")
    assert mine(position).discard == ("Militia",)
    assert mine(position).hand == ("Mystic", "Apprentice", "Apprentice")


def test_temple_librarian_with_an_empty_hand_does_nothing() -> None:
    position = after(table(hand="Temple Librarian", deck=["Apprentice"]), "play Temple Librarian")
    assert options(position) == []
    assert mine(position).hand == ()


def test_temple_librarian_may_draw_again_what_was_discarded() -> None:
    start = table(hand=["Temple Librarian", "Militia"], deck=["Apprentice"])
    position = after(start, "play Temple Librarian", "choose Militia")
    assert mine(position).hand == ("Apprentice", "Militia")


def test_twofold_askara_repeats_a_hero_of_this_turn() -> None:
    start = table(hand=["Mystic", "Demon Slayer", "Twofold Askara"])
    position = after(start, "play Mystic", "play Demon Slayer", "play Twofold Askara")
    assert asked(position).kind is ChoiceKind.COPY_HERO
    assert options(position) == ["Demon Slayer", "Mystic"]
    assert gained(after(position, "choose Mystic")) == (4, 3, 0)
    assert gained(after(position, "choose Demon Slayer")) == (2, 6, 0)


def test_twofold_askara_alone_does_nothing() -> None:
    position = after(table(hand="Twofold Askara"), "play Twofold Askara")
    assert options(position) == []


def test_twofold_askara_asks_the_choice_of_the_copied_hero_in_its_name() -> None:
    start = table(hand=["Mechana Initiate", "Twofold Askara"])
    position = after(start, "play Mechana Initiate", "choose rune", "play Twofold Askara")
    position = after(position, "choose Mechana Initiate")
    assert asked(position).card == "Mechana Initiate"
    assert gained(after(position, "choose power")) == (1, 1, 0)


def test_twofold_askara_does_not_copy_constructs() -> None:
    start = table(hand=["Shadow Star", "Twofold Askara"])
    assert options(after(start, "play Shadow Star", "play Twofold Askara")) == []


def test_twofold_askara_does_not_play_the_hero_again() -> None:
    start = table(hand=["Landtalker", "Twofold Askara"], constructs="Snapdragon")
    position = after(start, "play Landtalker", "play Twofold Askara", "choose Landtalker")
    assert gained(position) == (6, 0, 1)
    assert mine(position).played == ("Landtalker", "Twofold Askara")


def test_twofold_askara_copying_a_lycanthrope_counts_the_first_one() -> None:
    start = table(hand=["Runic Lycanthrope", "Twofold Askara"])
    position = after(start, "play Runic Lycanthrope", "play Twofold Askara")
    assert gained(after(position, "choose Runic Lycanthrope")) == (4, 2, 0)


def test_cetra_acquires_any_hero_onto_the_deck() -> None:
    row = ["Emri, One with the Void", "Muramasa", "Mephit"]
    start = table(hand="Cetra, Weaver of Stars", deck="Militia", row=row)
    position = after(start, "play Cetra, Weaver of Stars")
    assert asked(position).kind is ChoiceKind.ACQUIRE_TO_DECK
    heroes = ["Emri, One with the Void", "Heavy Infantry", IN_ROW, "Mystic"]
    assert options(position) == heroes
    position = after(position, "choose Emri, One with the Void")
    assert mine(position).deck == ("Emri, One with the Void", "Militia")
    assert position.board.row[0] == IN_CENTER_DECK
    assert gained(position) == (0, 0, 0)


def test_druids_of_the_stone_circle_acquire_a_hero_of_up_to_3_onto_the_deck() -> None:
    start = table(hand="Druids of the Stone Circle", row=["Wolf Shaman", "Demon Slayer"])
    position = after(start, "play Druids of the Stone Circle")
    assert options(position) == ["Heavy Infantry", "Mystic", "Wolf Shaman"]
    position = after(position, "choose Mystic")
    assert mine(position).deck == ("Mystic",)
    assert position.board.mystics == 29


def test_druids_of_the_stone_circle_find_nothing_when_the_piles_are_empty() -> None:
    start = table(hand="Druids of the Stone Circle", mystics=0, heavies=0)
    assert options(after(start, "play Druids of the Stone Circle")) == []


def test_runic_lycanthrope_alone_gives_no_power() -> None:
    assert gained(after(table(hand="Runic Lycanthrope"), "play Runic Lycanthrope")) == (2, 0, 0)


def test_runic_lycanthrope_after_another_lifebound_hero_gives_power() -> None:
    start = table(hand=["Landtalker", "Runic Lycanthrope"])
    assert gained(after(start, "play Landtalker", "play Runic Lycanthrope")) == (5, 2, 0)


def test_runic_lycanthrope_is_not_retroactive() -> None:
    start = table(hand=["Landtalker", "Runic Lycanthrope"])
    assert gained(after(start, "play Runic Lycanthrope", "play Landtalker")) == (5, 0, 0)


def test_runic_lycanthrope_counts_a_second_lycanthrope() -> None:
    start = table(hand=["Runic Lycanthrope"] * 2)
    position = after(start, "play Runic Lycanthrope", "play Runic Lycanthrope")
    assert gained(position) == (4, 2, 0)


@pytest.mark.parametrize(
    ("constructs", "honor"),
    [
        ([], 0),
        (["Shadow Star", "Shadow Star", "Muramasa"], 1),
        (["Shadow Star", "Snapdragon", "The Grand Design", "The All-Seeing Eye"], 4),
        (["Hedron Link Device", "Snapdragon"], 2),
    ],
)
def test_avatar_golem_counts_the_printed_factions(constructs: list[str], honor: int) -> None:
    position = after(table(hand="Avatar Golem", constructs=constructs), "play Avatar Golem")
    assert gained(position) == (0, 2, honor)


@pytest.mark.parametrize(("constructs", "drawn"), [(1, 0), (2, 1), (3, 1)])
def test_kor_the_ferromancer_draws_with_two_constructs(constructs: int, drawn: int) -> None:
    start = table(
        hand="Kor, the Ferromancer", deck=["Mystic"] * 3, constructs=["Shadow Star"] * constructs
    )
    position = after(start, "play Kor, the Ferromancer")
    assert gained(position) == (0, 2, 0)
    assert len(mine(position).hand) == drawn


def test_mechana_initiate_gives_a_rune_or_a_power() -> None:
    position = after(table(hand="Mechana Initiate"), "play Mechana Initiate")
    assert asked(position).kind is ChoiceKind.RESOURCE
    assert options(position) == ["power", "rune"]
    assert gained(after(position, "choose rune")) == (1, 0, 0)
    assert gained(after(position, "choose power")) == (0, 1, 0)


def test_reactor_monk_makes_the_next_construct_cheaper() -> None:
    start = table(hand="Reactor Monk", row=["Shadow Star"] * 2, runes=3)
    position = after(start, "play Reactor Monk")
    assert (position.board.runes, position.board.discount) == (5, 1)
    position = after(position, "acquire Shadow Star")
    assert (position.board.runes, position.board.discount) == (3, 0)
    assert after(position, "acquire Shadow Star").board.runes == 0


def test_reactor_monks_add_up_and_do_not_help_with_heroes() -> None:
    start = table(hand=["Reactor Monk"] * 2, row=["Shadow Star", "Spike Vixen"])
    position = after(start, "play Reactor Monk", "play Reactor Monk", "acquire Spike Vixen")
    assert (position.board.runes, position.board.discount) == (2, 2)
    assert after(position, "acquire Shadow Star").board.runes == 1


def test_arbiter_of_the_precipice_draws_two_and_must_banish_one() -> None:
    start = table(
        hand=["Arbiter of the Precipice", "Militia"],
        deck=["Mystic", "Apprentice"],
        discard="Demon Slayer",
    )
    position = after(start, "play Arbiter of the Precipice")
    assert options(position) == ["Apprentice", "Militia", "Mystic"]
    position = after(position, "choose Apprentice")
    assert mine(position).hand == ("Militia", "Mystic")
    assert position.board.void == ("Apprentice",)


def test_arbiter_of_the_precipice_without_any_card_asks_nothing() -> None:
    position = after(table(hand="Arbiter of the Precipice"), "play Arbiter of the Precipice")
    assert options(position) == []


@pytest.mark.parametrize(
    ("hero", "runes", "power"), [("Shade of the Black Watch", 0, 2), ("Void Initiate", 1, 0)]
)
def test_shade_and_void_initiate_may_banish(hero: str, runes: int, power: int) -> None:
    start = table(hand=[hero, "Militia"], discard=["Militia", "Apprentice"], constructs="Muramasa")
    position = after(start, f"play {hero}")
    assert gained(position) == (runes, power, 0)
    assert options(position) == ["discard:Apprentice", "discard:Militia", "hand:Militia", ""]
    from_hand = after(position, "choose hand:Militia")
    assert mine(from_hand).hand == ()
    assert mine(from_hand).discard == ("Militia", "Apprentice")
    assert from_hand.board.void == ("Militia",)
    from_discard = after(position, "choose discard:Militia")
    assert mine(from_discard).hand == ("Militia",)
    assert mine(from_discard).discard == ("Apprentice",)
    declined = after(position, "choose nothing")
    assert declined.board.void == ()
    assert in_play(mine(declined)) == ["Muramasa"]


def test_kor_says_that_more_than_two_constructs_are_enough() -> None:
    assert "2 constructs or more" in GAME.explain("Kor, the Ferromancer")

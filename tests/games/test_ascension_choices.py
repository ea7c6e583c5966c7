"""Choices that clients of Ascension send with a move, and default choices."""

import pytest

from gamehall.core import IllegalMove
from gamehall.games.ascension import AscensionPosition, default_choice, with_choices
from tests.games.ascension_tables import (
    GAME,
    IN_CENTER_DECK,
    IN_ROW,
    after,
    gained,
    mine,
    options,
    table,
)


def default(position: AscensionPosition) -> str:
    return default_choice(position).option


def targeted(position: AscensionPosition, move: str, *targets: str | None) -> list[str]:
    """Return the move and the choices of its targets, in notation. Checks that all are legal."""
    moves = with_choices(position, GAME.read_move(move), targets)
    written = [GAME.write_move(each) for each in moves]
    after(position, *written)
    return written


def refusal(position: AscensionPosition, move: str, *targets: str | None) -> str:
    with pytest.raises(IllegalMove) as error:
        with_choices(position, GAME.read_move(move), targets)
    return str(error.value)


@pytest.mark.parametrize(
    ("hero", "option"),
    [
        ("Seer of the Forked Path", ""),
        ("Void Initiate", ""),
        ("Shade of the Black Watch", ""),
        ("Arbiter of the Precipice", "Apprentice"),
        ("Temple Librarian", "Apprentice"),
        ("Mechana Initiate", "rune"),
        ("Arha Templar", "Mistake of Creation"),
        ("Oziah the Peerless", "Sea Tyrant"),
        ("Druids of the Stone Circle", "Mystic"),
        ("Cetra, Weaver of Stars", IN_ROW),
    ],
)
def test_the_default_choice_of_a_hero(hero: str, option: str) -> None:
    row = ["Mistake of Creation", "Sea Tyrant", "Spike Vixen"]
    start = table(hand=[hero, "Militia", "Apprentice", "Mystic"], row=row)
    assert default(after(start, f"play {hero}")) == option


def test_the_default_of_twofold_askara_is_the_hero_of_the_highest_cost() -> None:
    start = table(hand=["Mystic", "Demon Slayer", "Twofold Askara"])
    position = after(start, "play Mystic", "play Demon Slayer", "play Twofold Askara")
    assert default(position) == "Demon Slayer"


def test_the_default_of_the_courier_is_to_play() -> None:
    start = table(row="Watchmaker's Altar", runes=5, constructs="Rocket Courier X-99")
    assert default(after(start, "acquire Watchmaker's Altar")) == "play"


@pytest.mark.parametrize(
    ("row", "option"),
    [
        (["Sea Tyrant", "Hedron Cannon"], "Hedron Cannon"),
        (["Sea Tyrant", "Muramasa"], "Sea Tyrant"),
        (["Sea Tyrant", "Earth Tyrant"], "Earth Tyrant"),
    ],
)
def test_the_default_of_the_avatar_is_the_card_with_the_most_honor(
    row: list[str], option: str
) -> None:
    start = table(row=["Avatar of the Fallen", *row], power=7)
    assert default(after(start, "defeat Avatar of the Fallen")) == option


@pytest.mark.parametrize(
    ("monster", "option"), [("Corrosive Widow", "Shadow Star"), ("Sea Tyrant", "Muramasa")]
)
def test_by_default_the_cheapest_construct_is_lost_and_the_dearest_kept(
    monster: str, option: str
) -> None:
    constructs = ["Snapdragon", "Muramasa", "Shadow Star"]
    start = table(row=monster, power=5, other_constructs=constructs)
    assert default(after(start, f"defeat {monster}", "end turn")) == option


def test_of_equal_options_the_default_is_the_first_by_name() -> None:
    start = table(hand="Arha Templar", row=["Tormented Soul", "Samael's Trickster"])
    assert default(after(start, "play Arha Templar")) == "Cultist", "all of them give 1 honor"


def test_without_a_pending_choice_there_is_no_default() -> None:
    with pytest.raises(ValueError, match="no choice is pending"):
        default_choice(table())


def test_targets_answer_the_choices_of_a_move_in_order() -> None:
    start = table(hand=["Mechana Initiate"])
    assert targeted(start, "play Mechana Initiate", "Power") == [
        "play Mechana Initiate",
        "choose power",
    ]


def test_targets_of_choices_that_follow_from_a_choice_come_right_after_it() -> None:
    start = table(hand=["Void Initiate", "Twofold Askara", "Militia"])
    position = after(start, "play Void Initiate", "choose nothing")
    assert targeted(position, "play Twofold Askara", "void initiate", "hand:militia") == [
        "play Twofold Askara",
        "choose Void Initiate",
        "choose hand:Militia",
    ]
    start = table(hand="Arha Templar", row="Mephit")
    assert targeted(start, "play Arha Templar", "Mephit", None) == [
        "play Arha Templar",
        "choose Mephit",
        "choose nothing",
    ]


def test_a_target_without_a_zone_is_looked_for_in_the_discard_pile_first() -> None:
    start = table(hand=["Void Initiate", "Militia", "Apprentice"], discard="Militia")
    assert targeted(start, "play Void Initiate", "Militia")[1] == "choose discard:Militia"
    assert targeted(start, "play Void Initiate", "Apprentice")[1] == "choose hand:Apprentice"


def test_a_zone_may_be_named_where_only_one_is_possible() -> None:
    start = table(hand=["Temple Librarian", "Militia"])
    assert targeted(start, "play Temple Librarian", "hand:Militia")[1] == "choose Militia"
    assert refusal(start, "play Temple Librarian", "discard:Militia").startswith("discard:Militia")


def test_a_choice_without_a_target_stays_open() -> None:
    assert targeted(table(hand="Mechana Initiate"), "play Mechana Initiate") == [
        "play Mechana Initiate"
    ]


def test_the_target_play_lets_a_courier_put_the_construct_into_play() -> None:
    start = table(row="Watchmaker's Altar", runes=5, constructs="Rocket Courier X-99")
    assert targeted(start, "acquire Watchmaker's Altar", "play")[1] == "choose play"


def test_the_old_spelling_of_cetra_is_understood() -> None:
    start = table(hand="Druids of the Stone Circle", row="Cetra, Weaver of Stars")
    assert refusal(start, "play Druids of the Stone Circle", "Cetra, Weaver of the Stars") == (
        "Cetra, Weaver of Stars is not a target for Druids of the Stone Circle:"
        " choose Heavy Infantry or Mystic"
    )


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("Mystic", "Mystic is not a target for Mechana Initiate: choose power or rune"),
        (None, "nothing is not a target for Mechana Initiate: choose power or rune"),
        ("gold", "'gold' is neither a card nor a word that can be a target"),
        ("", "'' is neither a card nor a word that can be a target"),
    ],
)
def test_a_wrong_target_is_illegal(target: str | None, reason: str) -> None:
    start = table(hand="Mechana Initiate")
    assert refusal(start, "play Mechana Initiate", target) == reason


def test_a_surplus_target_is_illegal_but_a_surplus_decline_is_not() -> None:
    start = table(hand="Mystic")
    assert refusal(start, "play Mystic", "Militia") == "Militia is one target too many"
    assert targeted(start, "play Mystic", None, None) == ["play Mystic"]


def test_an_illegal_move_is_illegal_whatever_its_targets() -> None:
    assert refusal(table(), "play Mystic", "Militia") == "Mystic is not in your hand"


def test_a_target_that_does_not_fit_revealed_cards_is_not_an_error() -> None:
    start = table(row="Mephit", power=3)
    assert targeted(start, "defeat Mephit", "Muramasa") == ["defeat Mephit"]
    assert targeted(start, "defeat Mephit", IN_CENTER_DECK)[1] == f"choose {IN_CENTER_DECK}"
    start = table(hand="Arbiter of the Precipice", deck=["Mystic", "Militia"])
    assert targeted(start, "play Arbiter of the Precipice", "Apprentice", "Mystic") == [
        "play Arbiter of the Precipice"
    ]
    assert refusal(start, "play Arbiter of the Precipice", "gold").startswith("'gold' is neither")


def test_a_target_can_name_the_ability_of_yggdrasil_staff() -> None:
    start = table(constructs="Yggdrasil Staff", runes=4)
    move = "activate Yggdrasil Staff"
    assert targeted(start, move, "power") == [move]
    assert targeted(start, move, "honor") == [f"{move}: honor"]
    assert targeted(start, move) == [move]


def test_yggdrasil_staff_without_a_target_gives_power_first_and_then_honor() -> None:
    move = "activate Yggdrasil Staff"
    used = after(table(constructs="Yggdrasil Staff", runes=4), move)
    assert targeted(used, move) == [f"{move}: honor"]
    poor = after(table(constructs="Yggdrasil Staff", runes=3), move)
    assert "has been used this turn" in refusal(poor, move)


def test_targets_do_not_answer_for_the_opponent() -> None:
    start = table(row="Sea Tyrant", power=5, other_constructs=["Muramasa", "Shadow Star"])
    position = after(start, "defeat Sea Tyrant")
    assert refusal(position, "end turn", "Muramasa").startswith("Muramasa is")
    assert options(after(position, "end turn")) == ["Muramasa", "Shadow Star"]


def test_a_choice_can_have_targets_too() -> None:
    start = after(table(hand="Arha Templar", row="Mistake of Creation"), "play Arha Templar")
    moves = targeted(start, "choose Mistake of Creation", IN_ROW)
    assert moves == ["choose Mistake of Creation", f"choose {IN_ROW}"]
    position = after(start, *moves)
    assert gained(position) == (0, 0, 4)
    assert mine(position).hand == ()

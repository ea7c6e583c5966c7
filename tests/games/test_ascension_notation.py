"""Moves of Ascension in notation."""

import pytest

from gamehall.games.ascension import (
    CARDS,
    Ability,
    Acquire,
    Activate,
    CardName,
    Choose,
    Defeat,
    EndTurn,
    Move,
    PlayCard,
    card_named,
)
from tests.games.ascension_tables import GAME

STAFF = CardName("Yggdrasil Staff")


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("play Apprentice", PlayCard(CardName("Apprentice"))),
        ("acquire Cetra, Weaver of Stars", Acquire(CardName("Cetra, Weaver of Stars"))),
        ("defeat Samael's Trickster", Defeat(CardName("Samael's Trickster"))),
        ("activate Yggdrasil Staff", Activate(STAFF)),
        ("activate Yggdrasil Staff: honor", Activate(STAFF, Ability.EXCHANGE)),
        ("choose hand:Militia", Choose("hand:Militia")),
        ("choose discard:Militia", Choose("discard:Militia")),
        ("choose Mephit", Choose("Mephit")),
        ("choose rune", Choose("rune")),
        ("choose play", Choose("play")),
        ("choose nothing", Choose("")),
        ("end turn", EndTurn()),
    ],
)
def test_moves_are_written_and_read(text: str, move: Move) -> None:
    assert GAME.write_move(move) == text
    assert GAME.read_move(text) == move
    assert GAME.read_move(f"  {text.upper()} ") == move
    assert GAME.read_move(text.lower().replace(" ", "   ")) == move


def test_the_default_ability_of_yggdrasil_staff_is_power() -> None:
    assert GAME.read_move("activate Yggdrasil Staff: power") == Activate(STAFF)
    assert GAME.read_move("activate yggdrasil staff : HONOR") == Activate(STAFF, Ability.EXCHANGE)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("play", "'' is not a card"),
        ("play Gandalf", "'Gandalf' is not a card"),
        ("attack Cultist", "write play, acquire, defeat or activate and a card"),
        ("end", "or end turn"),
        ("end turn now", "or end turn"),
        ("choose", "write a card, hand: or discard: and a card, rune, power, play or nothing"),
        ("choose void:Militia", "is not a choice"),
        ("choose hand:rune", "is not a choice"),
        ("activate Yggdrasil Staff: runes", "after the colon comes power or honor"),
        ("activate Nothing: honor", "'Nothing' is not a card"),
    ],
)
def test_the_error_for_an_unreadable_move_says_what_was_expected(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="is not") as error:
        GAME.read_move(text)
    assert reason in str(error.value)


def test_card_names_can_be_written_in_any_letter_case() -> None:
    for name in CARDS:
        assert card_named(name.upper()) == card_named(f" {name.lower()} ") == name
    assert card_named("Cetra, Weaver of the Stars") == "Cetra, Weaver of Stars"
    assert card_named("?") is None

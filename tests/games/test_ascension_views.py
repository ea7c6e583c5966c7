"""What players and spectators of Ascension see, in positions, diagrams and pictures."""

import random
import xml.etree.ElementTree as ET

import msgspec
import pytest

from gamehall.core import Chance, Seat
from gamehall.games.ascension import CARDS, HIDDEN, AscensionPosition, CardName, Choose
from tests.games.ascension_tables import GAME, after, asked, table

VIEWERS = [Seat.FIRST, Seat.SECOND, None]


def with_hidden_things_changed(
    position: AscensionPosition, viewer: Seat | None, chance: random.Random
) -> AscensionPosition:
    """Return a position with other decks, hidden hands and seed, which looks the same."""
    board = position.board
    names = [name for name in CARDS if not CARDS[name].is_monster]

    def others(cards: tuple[CardName, ...]) -> tuple[CardName, ...]:
        return tuple(chance.choice(names) for _ in cards)

    sides = [
        msgspec.structs.replace(
            side,
            deck=others(side.deck),
            hand=side.hand if seat is viewer else others(side.hand),
        )
        for seat, side in zip(Seat, board.sides, strict=True)
    ]
    changed = msgspec.structs.replace(
        board,
        chance=Chance(chance.getrandbits(60), chance.randrange(99)),
        sides=(sides[0], sides[1]),
        center_deck=others(board.center_deck),
    )
    return msgspec.structs.replace(position, board=changed)


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("seed", range(3))
def test_positions_that_differ_only_in_hidden_things_look_the_same(
    viewer: Seat | None, seed: int
) -> None:
    chance = random.Random(seed)
    position = GAME.start(seed)
    while position.outcome is None:
        # The options that other players see of a choice are tested below.
        if position.board.pending is None or position.board.pending.seat is viewer:
            changed = with_hidden_things_changed(position, viewer, chance)
            assert changed.seen_by(viewer) == position.seen_by(viewer)
            assert hash(changed.seen_by(viewer)) == hash(position.seen_by(viewer))
        position = position.after(chance.choice(list(position.legal_moves())))


def test_a_player_sees_the_own_hand_and_how_many_cards_there_are_elsewhere() -> None:
    start = GAME.start(4)
    board = start.seen_by(Seat.SECOND).board
    assert board.sides[1].hand == start.board.sides[1].hand
    assert board.sides[0].hand == board.sides[0].deck == board.sides[1].deck == (HIDDEN,) * 5
    assert board.center_deck == (HIDDEN,) * 94
    assert board.row == start.board.row
    assert board.chance == Chance(0)


def test_a_spectator_sees_no_hand() -> None:
    board = GAME.start(4).seen_by(None).board
    assert all(side.hand == (HIDDEN,) * 5 for side in board.sides)


def test_with_open_hands_only_decks_and_chance_are_hidden() -> None:
    start = GAME.start(4)
    board = start.seen_with_open_hands().board
    assert [side.hand for side in board.sides] == [side.hand for side in start.board.sides]
    assert board.sides[0].deck == (HIDDEN,) * 5
    assert board.chance == Chance(0)


@pytest.mark.parametrize("hero", ["Arbiter of the Precipice", "Temple Librarian"])
def test_a_choice_from_the_hand_does_not_reveal_it_to_others(hero: str) -> None:
    position = after(table(hand=[hero, "Militia", "Mystic"]), f"play {hero}")
    assert asked(position.seen_by(Seat.FIRST)).options == ("Militia", "Mystic")
    for viewer in (Seat.SECOND, None):
        choice = asked(position.seen_by(viewer))
        assert (choice.card, choice.options) == (hero, ())
    assert asked(position.seen_with_open_hands()).options == ("Militia", "Mystic")


def test_a_choice_from_hand_or_discard_pile_shows_others_only_the_discard_pile() -> None:
    start = table(hand=["Void Initiate", "Militia"], discard="Mystic")
    position = after(start, "play Void Initiate")
    assert asked(position.seen_by(Seat.SECOND)).options == ("discard:Mystic",)
    assert asked(position.seen_by(Seat.FIRST)).options == ("discard:Mystic", "hand:Militia")


def test_a_choice_from_the_row_is_seen_by_all() -> None:
    position = after(table(row="Mephit", power=3), "defeat Mephit")
    assert asked(position.seen_by(None)) == asked(position)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_neither_diagram_nor_picture_shows_hidden_cards(viewer: Seat | None) -> None:
    secrets = {"hand": "Muramasa", "deck": "Emri, One with the Void"}
    start = table(
        other_hand=secrets["hand"], other_deck=secrets["deck"], turn_owner=Seat.FIRST, hand="Mystic"
    )
    view = start.seen_by(viewer)
    for shown in (view.diagram(), view.picture()):
        assert ("Muramasa" in shown) == (viewer is Seat.SECOND)
        assert "Emri" not in shown


def test_a_diagram_has_short_lines_and_says_who_has_won() -> None:
    chance = random.Random(5)
    position = GAME.start(5)
    while position.outcome is None:
        assert all(len(line) <= 80 for line in position.diagram().splitlines())
        assert position.board.row[0] in position.diagram()
        position = position.after(chance.choice(list(position.legal_moves())))
    assert "has won" in position.diagram()


def test_an_example_of_a_diagram() -> None:
    start = table(
        hand=["Mystic", "Apprentice", "Apprentice"],
        deck=["Militia"],
        constructs=["Shadow Star", "Yggdrasil Staff"],
        runes=1,
        restricted_runes=2,
        discount=1,
        row=["Mephit", "Tablet of Time's Dawn"],
        other_discard="Mystic",
    )
    position = after(start, "activate Shadow Star").seen_by(Seat.SECOND)
    assert position.diagram() == (
        "honor pool: 60; turn 0; the first player moves\n"
        "\n"
        "  Mephit                       Monster                 3 power   2 honor\n"
        "  Tablet of Time's Dawn        Enlightened Construct   5 runes   2 honor\n"
        "  Master Dhartha               Enlightened Hero        7 runes   3 honor\n"
        "  Master Dhartha               Enlightened Hero        7 runes   3 honor\n"
        "  Master Dhartha               Enlightened Hero        7 runes   3 honor\n"
        "  Master Dhartha               Enlightened Hero        7 runes   3 honor\n"
        "  beside the row: 30 Mystic, 29 Heavy Infantry, Cultist; deck 10\n"
        "\n"
        "> first player: 0 honor, 1 rune, 1 power, 2 runes for Mechana constructs, next\n"
        "                construct 1 cheaper; deck 1\n"
        "    hand:       3 face down\n"
        "    constructs: Shadow Star (used), Yggdrasil Staff\n"
        "\n"
        "  second player: 0 honor; deck 0\n"
        "    discard:    Mystic\n"
    )


@pytest.mark.parametrize("name", [name for name in CARDS if name != "Cultist"])
def test_every_card_can_be_drawn_large_and_small(name: str) -> None:
    row = name if CARDS[CardName(name)].copies < 8 else ()
    picture = ET.fromstring(table(row=row, hand=[name] * 3).picture())
    text = " ".join("".join(element.itertext()) for element in picture.iter())
    assert name.split()[0] in text


def test_too_many_cards_are_stacked_and_overlap() -> None:
    everything = [name for name in CARDS if not CARDS[name].is_monster]
    hand = [*everything, *["Apprentice"] * 20]
    picture = table(hand=hand, constructs=["Shadow Star"] * 9).picture()
    assert "\N{MULTIPLICATION SIGN}21" in picture
    assert "\N{MULTIPLICATION SIGN}9" in picture
    ET.fromstring(picture)


@pytest.mark.parametrize("seat", Seat)
def test_a_picture_says_whose_turn_it_is_and_which_choice_is_pending(seat: Seat) -> None:
    position = table(hand="Mechana Initiate", turn_owner=seat)
    name = "First player" if seat is Seat.FIRST else "Second player"
    assert f"{name} to move" in position.picture()
    position = after(position, "play Mechana Initiate")
    assert f"{name} chooses" in position.picture()
    assert "Mechana Initiate: choose resource" in position.picture()
    position = position.after(Choose("rune"))
    assert f"{name} to move" in position.picture()


def test_a_picture_shows_restricted_runes_and_discounts() -> None:
    picture = table(restricted_runes=3, discount=1).picture()
    assert "+3 for Mechana constructs" in picture
    assert "next construct 1 cheaper" in picture


def test_a_picture_says_who_has_won() -> None:
    ended = after(table(honor=3, honor_pool=0, turn_owner=Seat.SECOND), "end turn")
    assert ">Second player has won<" in ended.picture()
    assert ">3 honor to 0, after " in ended.picture()
    tie = after(table(honor_pool=0, turn_owner=Seat.SECOND, ties=True), "end turn")
    assert ">A tie<" in tie.picture()
    assert ">both have 0 honor, after " in tie.picture()
    assert "a tie, both have 0 honor" in tie.diagram()

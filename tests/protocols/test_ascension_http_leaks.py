"""No response of Ascension over HTTP tells a client what is hidden from it.

Positions that differ only in what is hidden from a viewer give that viewer the same bytes.
"""

import random

import msgspec
import pytest

from gamehall.core import Chance, Seat
from gamehall.games.ascension import CARDS, Ascension, AscensionPosition, CardName, Side
from tests.games.ascension_tables import table
from tests.support.ascension_stage import AscensionStage, move

QUERIES = {Seat.FIRST: "?player_index=0", Seat.SECOND: "?player_index=1", None: ""}
ATTEMPTS = [[{"type": "fly"}], [{"type": "choose", "card_name": "Muramasa"}], []]


def random_position(seed: int, ended: bool = False) -> AscensionPosition:
    """Return a position after random moves, without a pending choice."""
    chance = random.Random(seed)
    position: AscensionPosition = Ascension(honor=20 if ended else 60).start(seed)
    moves_left = chance.randrange(10, 150)
    while position.outcome is None and (ended or moves_left > 0 or position.board.pending):
        position = position.after(chance.choice(list(position.legal_moves())))
        moves_left -= 1
    return position


def redealt(side: Side, chance: random.Random, *, with_hand: bool, is_over: bool) -> Side:
    """Replace hidden cards; after the end only shuffle them, since they count."""
    hidden = (side.hand if with_hand else ()) + side.deck
    cards = chance.sample(hidden, len(hidden)) if is_over else random_cards(len(hidden), chance)
    in_hand = len(side.hand) if with_hand else 0
    hand = tuple(cards[:in_hand]) if with_hand else side.hand
    return msgspec.structs.replace(side, hand=hand, deck=tuple(cards[in_hand:]))


def random_cards(count: int, chance: random.Random) -> list[CardName]:
    return chance.choices(list(CARDS), k=count)


def with_other_hidden_cards(
    position: AscensionPosition, seed: int, *hidden_hands: Seat
) -> AscensionPosition:
    """Return the position with other decks, another seed, and other cards in these hands."""
    chance, board = random.Random(seed), position.board
    is_over = position.outcome is not None
    first, second = (
        redealt(board.side(seat), chance, with_hand=seat in hidden_hands, is_over=is_over)
        for seat in Seat
    )
    changed = msgspec.structs.replace(
        board,
        chance=Chance(chance.getrandbits(60)),
        sides=(first, second),
        center_deck=tuple(random_cards(len(board.center_deck), chance)),
    )
    return msgspec.structs.replace(position, board=changed)


def hands_hidden_from(viewer: Seat | None) -> list[Seat]:
    return [seat for seat in Seat if seat is not viewer]


def responses(stage: AscensionStage, viewer: Seat | None) -> list[bytes]:
    """Return all responses that the viewer can get without changing anything, as bytes."""
    stage.request("GET", f"/state{QUERIES[viewer]}")
    answers = [stage.read("ann", 1 << 24)]
    for moves in ATTEMPTS:
        stage.request("POST", "/moves", msgspec.json.encode({"player_index": 9, "moves": moves}))
        answers.append(stage.read("ann", 1 << 24))
        if viewer is not None:
            player = int(viewer is Seat.SECOND)
            body = msgspec.json.encode({"player_index": player, "moves": moves})
            stage.request("POST", "/moves", body)
            answers.append(stage.read("ann", 1 << 24))
    return answers


def on_stage(settings: dict[str, str], position: AscensionPosition) -> AscensionStage:
    stage = AscensionStage({"long-poll": "20", "show-played": "true", **settings})
    stage.start(position)
    return stage


@pytest.mark.parametrize("seed", range(20))
def test_A_Q18_TM_11_with_open_hands_no_viewer_sees_a_deck(seed: int) -> None:
    position = random_position(seed)
    changed = with_other_hidden_cards(position, seed)
    assert changed != position
    for viewer in QUERIES:
        assert responses(on_stage({}, position), viewer) == responses(on_stage({}, changed), viewer)


@pytest.mark.parametrize("viewer", QUERIES)
@pytest.mark.parametrize("seed", range(20))
def test_A_Q18_TM_11_with_hidden_hands_no_viewer_sees_another_hand(
    seed: int, viewer: Seat | None
) -> None:
    hides = {"hide-hands": "true"}
    position = random_position(seed)
    changed = with_other_hidden_cards(position, seed, *hands_hidden_from(viewer))
    assert changed != position
    assert responses(on_stage(hides, position), viewer) == responses(
        on_stage(hides, changed), viewer
    )


@pytest.mark.parametrize("seed", range(5))
def test_A_Q18_hidden_hands_stay_hidden_after_the_end(seed: int) -> None:
    hides = {"hide-hands": "true"}
    position = random_position(seed, ended=True)
    assert position.outcome is not None
    for viewer in QUERIES:
        changed = with_other_hidden_cards(position, seed, *hands_hidden_from(viewer))
        stages = [on_stage(hides, position), on_stage(hides, changed)]
        assert responses(stages[0], viewer) == responses(stages[1], viewer)


@pytest.mark.parametrize(
    ("name", "hand", "other_hand"),
    [
        ("Arbiter of the Precipice", ["Militia"], ["Mystic"]),
        ("Temple Librarian", ["Militia", "Militia"], ["Muramasa", "Landtalker"]),
        ("Shade of the Black Watch", ["Militia"], ["Mystic"]),
        ("Void Initiate", ["Militia", "Apprentice"], ["Mystic", "Mystic"]),
    ],
)
def test_A_Q18_the_options_of_a_choice_from_a_hidden_hand_are_hidden(
    name: str, hand: list[str], other_hand: list[str]
) -> None:
    for viewer in (Seat.SECOND, None):
        seen = []
        for cards in (hand, other_hand):
            position = table(hand=[name, *cards], deck=cards, discard="Spike Vixen")
            stage = on_stage({"hide-hands": "true"}, position)
            assert "pending" in stage.moves(0, f"play {name}")
            seen.append(responses(stage, viewer))
        assert seen[0] == seen[1]


def test_A_Q18_the_error_of_a_wrong_target_is_sent_only_to_its_player() -> None:
    seen = []
    for card in ("Mystic", "Militia"):
        position = table(hand=["Void Initiate", card])
        stage = on_stage({"hide-hands": "true"}, position)
        error = stage.moves(0, move("play Void Initiate", "hand:Muramasa"))["error"]
        assert card in error
        seen.append(responses(stage, Seat.SECOND) + responses(stage, None))
    assert seen[0] == seen[1]

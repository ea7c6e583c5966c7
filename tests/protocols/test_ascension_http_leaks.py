"""What a client of Ascension over HTTP may not see, it cannot find out from any answer.

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
TRIES = [[{"type": "fly"}], [{"type": "choose", "card_name": "Muramasa"}], []]


def somewhere(seed: int, ended: bool = False) -> AscensionPosition:
    """A position that random moves have come to, in which nothing is to be chosen."""
    chance = random.Random(seed)
    position: AscensionPosition = Ascension(honor=20 if ended else 60).start(seed)
    moves_left = chance.randrange(10, 150)
    while position.outcome is None and (ended or moves_left > 0 or position.board.pending):
        position = position.after(chance.choice(list(position.legal_moves())))
        moves_left -= 1
    return position


def dealt_again(side: Side, chance: random.Random, *, with_hand: bool, is_over: bool) -> Side:
    """Other cards where they are hidden; after the end the same ones, since they count."""
    hidden = (side.hand if with_hand else ()) + side.deck
    cards = chance.sample(hidden, len(hidden)) if is_over else any_cards(len(hidden), chance)
    in_hand = len(side.hand) if with_hand else 0
    hand = tuple(cards[:in_hand]) if with_hand else side.hand
    return msgspec.structs.replace(side, hand=hand, deck=tuple(cards[in_hand:]))


def any_cards(count: int, chance: random.Random) -> list[CardName]:
    return chance.choices(list(CARDS), k=count)


def another(position: AscensionPosition, seed: int, *hidden_hands: Seat) -> AscensionPosition:
    """The position with other decks, other chances, and other cards in these hands."""
    chance, board = random.Random(seed), position.board
    is_over = position.outcome is not None
    first, second = (
        dealt_again(board.side(seat), chance, with_hand=seat in hidden_hands, is_over=is_over)
        for seat in Seat
    )
    changed = msgspec.structs.replace(
        board,
        chance=Chance(chance.getrandbits(60)),
        sides=(first, second),
        center_deck=tuple(any_cards(len(board.center_deck), chance)),
    )
    return msgspec.structs.replace(position, board=changed)


def hands_hidden_from(viewer: Seat | None) -> list[Seat]:
    return [seat for seat in Seat if seat is not viewer]


def heard(stage: AscensionStage, viewer: Seat | None) -> list[bytes]:
    """Everything that the viewer can get to hear without changing anything, as it is sent."""
    stage.request("GET", f"/state{QUERIES[viewer]}")
    answers = [stage.read("ann", 1 << 24)]
    for moves in TRIES:
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
def test_A_Q18_TM_11_with_open_hands_nobody_sees_a_deck(seed: int) -> None:
    position = somewhere(seed)
    changed = another(position, seed)
    assert changed != position
    for viewer in QUERIES:
        assert heard(on_stage({}, position), viewer) == heard(on_stage({}, changed), viewer)


@pytest.mark.parametrize("viewer", QUERIES)
@pytest.mark.parametrize("seed", range(20))
def test_A_Q18_TM_11_with_hidden_hands_nobody_sees_another_hand(
    seed: int, viewer: Seat | None
) -> None:
    hides = {"hide-hands": "true"}
    position = somewhere(seed)
    changed = another(position, seed, *hands_hidden_from(viewer))
    assert changed != position
    assert heard(on_stage(hides, position), viewer) == heard(on_stage(hides, changed), viewer)


@pytest.mark.parametrize("seed", range(5))
def test_A_Q18_nor_after_the_end(seed: int) -> None:
    hides = {"hide-hands": "true"}
    position = somewhere(seed, ended=True)
    assert position.outcome is not None
    for viewer in QUERIES:
        changed = another(position, seed, *hands_hidden_from(viewer))
        stages = [on_stage(hides, position), on_stage(hides, changed)]
        assert heard(stages[0], viewer) == heard(stages[1], viewer)


@pytest.mark.parametrize(
    ("name", "hand", "other_hand"),
    [
        ("Arbiter of the Precipice", ["Militia"], ["Mystic"]),
        ("Temple Librarian", ["Militia", "Militia"], ["Muramasa", "Landtalker"]),
        ("Shade of the Black Watch", ["Militia"], ["Mystic"]),
        ("Void Initiate", ["Militia", "Apprentice"], ["Mystic", "Mystic"]),
    ],
)
def test_A_Q18_what_a_hidden_hand_may_be_chosen_from_is_hidden(
    name: str, hand: list[str], other_hand: list[str]
) -> None:
    for viewer in (Seat.SECOND, None):
        seen = []
        for cards in (hand, other_hand):
            position = table(hand=[name, *cards], deck=cards, discard="Spike Vixen")
            stage = on_stage({"hide-hands": "true"}, position)
            assert "pending" in stage.moves(0, f"play {name}")
            seen.append(heard(stage, viewer))
        assert seen[0] == seen[1]


def test_A_Q18_a_target_that_does_not_fit_tells_only_its_player() -> None:
    seen = []
    for card in ("Mystic", "Militia"):
        position = table(hand=["Void Initiate", card])
        stage = on_stage({"hide-hands": "true"}, position)
        error = stage.moves(0, move("play Void Initiate", "hand:Muramasa"))["error"]
        assert card in error
        seen.append(heard(stage, Seat.SECOND) + heard(stage, None))
    assert seen[0] == seen[1]

"""How the planner spends the runes and the power of a turn."""

from collections import Counter
from functools import cache

import pytest

from gamehall.bots.ascension.appraisal import WEIGHTS, Situation
from gamehall.bots.ascension.habits import use_of_cards
from gamehall.bots.ascension.memory import Memory
from gamehall.bots.ascension.spending import Plan, Purse, Spending
from gamehall.core import Seat, SeededRandom
from gamehall.games.ascension import Ascension, AscensionPosition, default_choice
from tests.games.ascension_tables import GAME, table


def situation_of(position: AscensionPosition) -> Situation:
    seat = position.board.turn_owner
    memory = Memory()
    memory.look(position.seen_by(seat))
    return Situation(position.seen_by(seat), memory.owned(), WEIGHTS)


def best_plan(position: AscensionPosition) -> Plan:
    board = position.board
    purse = Purse(board.runes, board.power, board.restricted_runes, board.discount)
    return Spending(situation_of(position)).best(purse)


def moves_of(plan: Plan) -> Counter[str]:
    return Counter(map(GAME.write_move, plan.moves))


@cache
def spending_positions() -> list[AscensionPosition]:
    """Return positions of random matches in which all cards have been used."""
    found = []
    for seed in range(12):
        shuffler, position = SeededRandom(seed), Ascension().start(seed)
        while position.to_move is not None:
            board = position.board
            used = None if board.pending else use_of_cards(board)
            if not used and not board.pending and board.runes + board.power > 3:
                found.append(position)
            move = used or shuffler.pick(list(position.legal_moves()))
            position = position.after(move)
    return found


def test_all_moves_of_a_plan_are_legal_in_their_order() -> None:
    moves = 0
    for position in spending_positions():
        now = position
        for move in best_plan(position).moves:
            assert now.allows(move), GAME.write_move(move)
            now = now.after(move)
            while now.board.pending:
                now = now.after(default_choice(now))
            moves += 1
    assert moves > 1000


def test_in_the_last_turn_every_move_that_adds_honor_is_made() -> None:
    # The second player's turn with an empty pool is the last: only honor counts.
    start = table(
        runes=7,
        power=7,
        honor_pool=0,
        turn_owner=Seat.SECOND,
        row=[
            "Watchmaker's Altar",
            "Rocket Courier X-99",
            "Burrower Mark II",
            "Mistake of Creation",
        ],
    )
    assert moves_of(best_plan(start)) == Counter(
        {
            "acquire Rocket Courier X-99": 1,
            "acquire Burrower Mark II": 1,
            "defeat Mistake of Creation": 1,
            "defeat Cultist": 1,
        }
    )


def test_runes_from_a_monster_are_spent() -> None:
    start = table(
        power=5, honor_pool=0, turn_owner=Seat.SECOND, row=["Wind Tyrant", "Burrower Mark II"]
    )
    assert list(best_plan(start).moves) == [
        GAME.read_move("defeat Wind Tyrant"),
        GAME.read_move("acquire Burrower Mark II"),
    ]


@pytest.mark.parametrize(
    ("restricted_runes", "discount", "bought"),
    [
        (0, 0, ["Mystic"]),
        (2, 0, ["Watchmaker's Altar"]),
        (0, 1, ["Mystic"]),
        (1, 1, ["Watchmaker's Altar"]),
        (5, 0, ["Watchmaker's Altar", "Mystic"]),
    ],
)
def test_restricted_runes_and_discounts_pay_for_constructs(
    restricted_runes: int, discount: int, bought: list[str]
) -> None:
    start = table(
        runes=3,
        restricted_runes=restricted_runes,
        discount=discount,
        heavies=0,
        honor_pool=0,
        turn_owner=Seat.SECOND,
        row=["Watchmaker's Altar"],
    )
    assert moves_of(best_plan(start)) == Counter(f"acquire {name}" for name in bought)


def test_no_more_cards_are_bought_than_a_pile_has() -> None:
    row = ["Xeron, Duke of Lies"] * 6
    start = table(runes=10, honor_pool=0, turn_owner=Seat.SECOND, row=row, heavies=1, mystics=2)
    assert moves_of(best_plan(start)) == {"acquire Heavy Infantry": 1, "acquire Mystic": 2}


def test_only_a_player_who_leads_ends_the_game() -> None:
    # One Cultist would empty the pool, and the second player's turn would be the last.
    deck = ["Apprentice"] * 8 + ["Militia"] * 2
    for honor, is_to_end in ((30, True), (0, False)):
        start = table(
            power=2,
            deck=deck,
            other_deck=deck,
            honor=honor,
            other_honor=15,
            honor_pool=1,
            turn_owner=Seat.SECOND,
        )
        assert bool(best_plan(start).moves) is is_to_end

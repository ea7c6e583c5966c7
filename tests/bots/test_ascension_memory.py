"""The memory of hidden cards, and determinizations that are consistent with it."""

from collections import Counter
from collections.abc import Iterator

from gamehall.bots.ascension.baselines import GreedyAscensionBot
from gamehall.bots.ascension.memory import Memory, determinized
from gamehall.bots.ascension.planner import PlannerBot
from gamehall.bots.bot import Bot
from gamehall.core import Seat
from gamehall.games.ascension import HIDDEN, Ascension, AscensionPosition, CardName, Move, Supply
from gamehall.games.ascension.cards import CENTER, HEAVY_INFANTRY, MYSTIC, STARTERS
from tests.games.ascension_tables import GAME, after, table

MATCHES = 6


def positions_of_matches() -> Iterator[tuple[AscensionPosition, Seat, Memory]]:
    """Yield positions with the player to move and its memory."""
    for seed in range(MATCHES):
        quick = PlannerBot(seed, float, 0.0)
        bots: dict[Seat, Bot[Move]] = {Seat.FIRST: quick, Seat.SECOND: GreedyAscensionBot()}
        memories = {seat: Memory() for seat in Seat}
        position = Ascension().start(seed)
        while position.to_move is not None:
            seat = position.to_move
            memories[seat].look(position.seen_by(seat))
            yield position, seat, memories[seat]
            position = position.after(bots[seat].choose(position, seat, None))


def cards_of(position: AscensionPosition, seat: Seat) -> Counter[CardName]:
    return Counter(position.board.side(seat).cards)


def has_met_xeron(position: AscensionPosition) -> bool:
    """Return True if a card may have changed its owner unseen."""
    return "Xeron, Duke of Lies" in position.board.void


def test_a_player_knows_all_its_own_cards() -> None:
    looks = 0
    for position, seat, memory in positions_of_matches():
        if not has_met_xeron(position):
            assert memory.owned()[seat] == cards_of(position, seat)
            assert memory.hidden(seat) == Counter(position.board.side(seat).deck)
            looks += 1
    assert looks > 1000


def test_a_player_knows_nearly_all_cards_of_the_opponent() -> None:
    cards = missed = 0
    for position, seat, memory in positions_of_matches():
        theirs = cards_of(position, seat.other)
        cards += theirs.total()
        missed += (theirs - memory.owned()[seat.other]).total()
    assert missed / cards < 0.02


def test_a_card_that_xeron_takes_changes_its_owner() -> None:
    starters = ["Apprentice"] * 7 + ["Militia"] * 2
    start = table(
        power=6,
        hand=["Apprentice"],
        deck=starters,
        other_hand=["Apprentice"],
        other_deck=starters,
        row=["Xeron, Duke of Lies"],
    )
    memory = Memory()
    memory.look(start.seen_by(Seat.FIRST))
    later = after(start, "defeat Xeron, Duke of Lies")
    memory.look(later.seen_by(Seat.FIRST))
    assert memory.owned()[Seat.FIRST] == Counter({"Apprentice": 9, "Militia": 2})
    assert memory.owned()[Seat.SECOND] == Counter({"Apprentice": 7, "Militia": 2})


def test_a_new_match_resets_the_memory() -> None:
    memory = Memory()
    memory.look(after(table(runes=3, honor_pool=20), "acquire Mystic").seen_by(Seat.FIRST))
    memory.look(GAME.start(1).seen_by(Seat.FIRST))
    assert memory.owned()[Seat.FIRST] == Counter({"Apprentice": 8, "Militia": 2})


def test_a_determinization_looks_the_same_and_has_all_cards() -> None:
    for position, seat, memory in positions_of_matches():
        seen = position.seen_by(seat)
        world = determinized(seen, seat, memory, seed=3)
        assert world.seen_by(seat) == seen
        board = world.board
        everything = Counter(board.row + board.void + board.center_deck)
        for side in board.sides:
            everything.update(side.cards)
        there_are = Counter({card.name: card.copies for card in CENTER})
        there_are.update({card.name: 2 * card.copies for card in STARTERS})
        there_are.update({MYSTIC: 30 - board.mystics, HEAVY_INFANTRY: 29 - board.heavies})
        assert everything == +there_are


def test_a_determinization_depends_on_the_seed_only() -> None:
    seen = GAME.start(1).seen_by(Seat.FIRST)
    memory = Memory()
    memory.look(seen)
    one, same, another = (determinized(seen, Seat.FIRST, memory, seed) for seed in (1, 1, 2))
    assert one == same
    assert one.board.center_deck != another.board.center_deck


def test_impossible_positions_can_be_determinized() -> None:
    seen = table(deck=["Mystic"] * 40, other_hand=["Muramasa"] * 5).seen_by(Seat.FIRST)
    memory = Memory()
    memory.look(seen)
    world = determinized(seen, Seat.FIRST, memory, seed=1)
    assert HIDDEN not in world.board.mine.deck + world.board.sides[1].hand
    assert len(world.board.mine.deck) == 40


def test_cards_from_an_endless_supply_are_remembered() -> None:
    memory = Memory()
    position = table(runes=200, supply=Supply.ENDLESS, deck=["Apprentice"] * 8 + ["Militia"] * 2)
    memory.look(position.seen_by(Seat.FIRST))
    for _ in range(35):
        position = after(position, "acquire Mystic")
        memory.look(position.seen_by(Seat.FIRST))
    assert memory.owned()[Seat.FIRST][MYSTIC] == 35
    position = after(position, "acquire Heavy Infantry")
    memory.look(position.seen_by(Seat.FIRST))
    assert memory.owned()[Seat.FIRST][HEAVY_INFANTRY] == 1
    world = determinized(position.seen_by(Seat.FIRST), Seat.FIRST, memory, seed=1)
    assert Counter(world.board.mine.cards)[MYSTIC] == 35

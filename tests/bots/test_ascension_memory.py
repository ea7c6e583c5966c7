"""What a player remembers of hidden cards, and the worlds that are determinized from it."""

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


def seen_in_matches() -> Iterator[tuple[AscensionPosition, Seat, Memory]]:
    """Positions, and what the one who is to move remembers there."""
    for seed in range(MATCHES):
        hasty = PlannerBot(seed, float, 0.0)
        bots: dict[Seat, Bot[Move]] = {Seat.FIRST: hasty, Seat.SECOND: GreedyAscensionBot()}
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
    """Whether a card may have changed its owner unseen."""
    return "Xeron, Duke of Lies" in position.board.void


def test_a_player_knows_the_own_cards_all_through_a_match() -> None:
    looks = 0
    for position, seat, memory in seen_in_matches():
        if not has_met_xeron(position):
            assert memory.owned()[seat] == cards_of(position, seat)
            assert memory.hidden(seat) == Counter(position.board.side(seat).deck)
            looks += 1
    assert looks > 1000


def test_of_the_opponent_s_cards_few_are_missed() -> None:
    cards = missed = 0
    for position, seat, memory in seen_in_matches():
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


def test_a_new_match_is_not_taken_for_the_old_one() -> None:
    memory = Memory()
    memory.look(after(table(runes=3, honor_pool=20), "acquire Mystic").seen_by(Seat.FIRST))
    memory.look(GAME.start(1).seen_by(Seat.FIRST))
    assert memory.owned()[Seat.FIRST] == Counter({"Apprentice": 8, "Militia": 2})


def test_an_imagined_world_looks_like_the_one_that_is_seen() -> None:
    for position, seat, memory in seen_in_matches():
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


def test_worlds_differ_by_their_seed_alone() -> None:
    seen = GAME.start(1).seen_by(Seat.FIRST)
    memory = Memory()
    memory.look(seen)
    one, same, another = (determinized(seen, Seat.FIRST, memory, seed) for seed in (1, 1, 2))
    assert one == same
    assert one.board.center_deck != another.board.center_deck


def test_a_position_that_no_match_leads_to_can_be_imagined_too() -> None:
    seen = table(deck=["Mystic"] * 40, other_hand=["Muramasa"] * 5).seen_by(Seat.FIRST)
    memory = Memory()
    memory.look(seen)
    world = determinized(seen, Seat.FIRST, memory, seed=1)
    assert HIDDEN not in world.board.mine.deck + world.board.sides[1].hand
    assert len(world.board.mine.deck) == 40


def test_what_comes_from_an_endless_supply_is_remembered() -> None:
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

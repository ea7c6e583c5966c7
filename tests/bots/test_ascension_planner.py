"""The planner: it plays by the rules, by what it sees, and well."""

import itertools

import msgspec
import pytest

from gamehall.bots.ascension.appraisal import WEIGHTS
from gamehall.bots.ascension.baselines import GreedyAscensionBot, InfantryBot
from gamehall.bots.ascension.memory import Memory, determinized
from gamehall.bots.ascension.planner import PlannerBot, best_by_playouts, play_out, result_of
from gamehall.bots.bot import Bot, Budget, RandomBot
from gamehall.core import Chance, Seat, SeededRandom
from gamehall.games.ascension import CARDS, Ascension, AscensionPosition, CardName, EndTurn, Move
from tests.games.ascension_tables import GAME, after, table

STARTERS = ["Apprentice"] * 8 + ["Militia"] * 2


def planner(seed: int = 0, *, hasty: bool = False) -> PlannerBot:
    """A planner for whom time stands still; a hasty one has no time to play a match out."""
    return PlannerBot(seed, float, 0.0 if hasty else 1.0)


def chosen(position: AscensionPosition) -> str:
    """What a planner does there, in writing."""
    assert position.to_move is not None
    return GAME.write_move(planner().choose(position, position.to_move, None))


def played(
    first: Bot[Move], second: Bot[Move], seed: int, game: Ascension = GAME
) -> list[AscensionPosition]:
    """A match, position by position; every move in it is listed as legal."""
    position = game.start(seed)
    positions = [position]
    while position.to_move is not None:
        bot = first if position.to_move is Seat.FIRST else second
        move = bot.choose(position, position.to_move, None)
        assert move in list(position.legal_moves())
        position = position.after(move)
        positions.append(position)
    return positions


def with_hidden_things_changed(
    position: AscensionPosition, viewer: Seat, seed: int
) -> AscensionPosition:
    """The same for the viewer: all decks, the other's hand and the chance are others."""
    names = [name for name in CARDS if not CARDS[name].is_monster]
    shuffler = SeededRandom(seed)

    def others(cards: tuple[CardName, ...]) -> tuple[CardName, ...]:
        return tuple(shuffler.pick(names) for _ in cards)

    board = position.board
    sides = {seat: board.side(seat) for seat in Seat}
    for seat, side in sides.items():
        hand = side.hand if seat is viewer else others(side.hand)
        sides[seat] = msgspec.structs.replace(side, deck=others(side.deck), hand=hand)
    return msgspec.structs.replace(
        position,
        board=msgspec.structs.replace(
            board,
            chance=Chance(shuffler.seed()),
            sides=(sides[Seat.FIRST], sides[Seat.SECOND]),
            center_deck=others(board.center_deck),
        ),
    )


@pytest.mark.parametrize(
    "game",
    [
        Ascension(),
        Ascension(honor=1),
        Ascension(honor=5, ties=True),
        Ascension(honor=300, turns=60),
        Ascension(turns=1),
        Ascension(turns=9, ties=True),
    ],
)
def test_it_makes_legal_moves_to_the_end_on_any_terms(game: Ascension) -> None:
    # In a long match decks grow so large that playing it out would take long.
    is_hasty = game.honor > 100
    for seed in range(2):
        played(planner(seed, hasty=is_hasty), RandomBot(seed), seed, game)
        played(RandomBot(seed), planner(seed, hasty=is_hasty), seed, game)


def test_what_is_hidden_does_not_change_its_moves() -> None:
    moves = 0
    for seed in range(2):
        positions = played(planner(seed, hasty=True), GreedyAscensionBot(), seed)
        straight, otherwise = planner(seed), planner(seed)
        for number, position in enumerate(positions):
            if position.to_move is Seat.FIRST:
                changed = with_hidden_things_changed(position, Seat.FIRST, number)
                assert changed != position
                move = straight.choose(position, Seat.FIRST, None)
                assert otherwise.choose(changed, Seat.FIRST, None) == move
                moves += 1
    assert moves > 200


def test_equal_seeds_play_equal_matches() -> None:
    assert played(planner(7), GreedyAscensionBot(), 3) == played(
        planner(7), GreedyAscensionBot(), 3
    )


def test_it_moves_when_its_time_is_up() -> None:
    # Each look at the clock takes a second.
    seconds = itertools.count()
    bot = PlannerBot(1, lambda: float(next(seconds)), 3.0)
    last = table(runes=5, power=4, honor_pool=1, deck=STARTERS, other_deck=STARTERS)
    assert last.allows(bot.choose(last, Seat.FIRST, None))
    assert next(seconds) < 8
    assert last.allows(bot.choose(last, Seat.FIRST, 0.01))
    assert next(seconds) < 12


@pytest.mark.parametrize("row", ["Mistake of Creation", "Avatar of the Fallen"])
@pytest.mark.parametrize("hero", [name for name in CARDS if CARDS[name].is_hero])
def test_it_answers_whatever_a_hero_asks(hero: str, row: str) -> None:
    position = table(
        hand=[hero, "Mystic", hero, "Twofold Askara"],
        deck=STARTERS,
        discard=["Apprentice", "Spike Vixen"],
        constructs=["Rocket Courier X-99", "Burrower Mark II", "Yggdrasil Staff"],
        other_hand=["Militia"],
        other_deck=STARTERS,
        row=[row, "Corrosive Widow", "Watchmaker's Altar", "Wolf Shaman"],
        power=7,
        runes=2,
    )
    bot = planner()
    while position.to_move is Seat.FIRST:
        move = bot.choose(position, Seat.FIRST, None)
        assert move in list(position.legal_moves())
        position = position.after(move)
    assert position.board.turn == 1


def test_it_banishes_an_apprentice_rather_than_a_good_card() -> None:
    start = table(
        hand=["Shade of the Black Watch"],
        discard=["Apprentice", "Landtalker", "Demon Slayer"],
        deck=["Mystic", "Wolf Shaman", "Demon Slayer", "Mystic", "Landtalker"],
        other_deck=STARTERS,
    )
    assert chosen(after(start, "play Shade of the Black Watch")) == "choose discard:Apprentice"


def test_it_banishes_no_good_card_if_it_may_decline() -> None:
    start = table(
        hand=["Void Initiate"], discard=["Landtalker"], deck=STARTERS, other_deck=STARTERS
    )
    asked = after(start, "play Void Initiate")
    move = planner().choose(asked, Seat.FIRST, None)
    assert asked.after(move).board.void == ()


def test_it_discards_the_weakest_card_for_others() -> None:
    hand = ["Temple Librarian", "Demon Slayer", "Militia", "Landtalker"]
    start = table(hand=hand, deck=STARTERS, other_deck=STARTERS)
    assert chosen(after(start, "play Temple Librarian")) == "choose Militia"


def test_it_takes_the_resource_that_buys_more() -> None:
    for runes, power, resource in ((3, 1, "power"), (1, 2, "rune")):
        start = table(
            hand=["Mechana Initiate"],
            runes=runes,
            power=power,
            honor_pool=0,
            turn_owner=Seat.SECOND,
        )
        assert chosen(after(start, "play Mechana Initiate")) == f"choose {resource}"


def test_it_defeats_for_free_what_its_power_does_not_reach() -> None:
    start = table(
        hand=["Oziah the Peerless"],
        power=4,
        row=["Mistake of Creation", "Sea Tyrant"],
        honor_pool=0,
        turn_owner=Seat.SECOND,
    )
    assert chosen(after(start, "play Oziah the Peerless")) == "choose Sea Tyrant"


def test_it_keeps_the_construct_that_gives_the_most() -> None:
    constructs = ["Burrower Mark II", "Muramasa", "Shadow Star"]
    start = table(
        power=5,
        row=["Sea Tyrant"],
        deck=STARTERS,
        other_deck=STARTERS,
        other_constructs=constructs,
    )
    asked = after(start, "defeat Sea Tyrant", "end turn")
    assert chosen(asked) == "choose Muramasa"


def test_it_puts_onto_the_deck_what_it_then_draws() -> None:
    hand = ["Wolf Shaman", "Druids of the Stone Circle"]
    start = table(hand=hand, deck=STARTERS, other_deck=STARTERS)
    assert chosen(start) == "play Druids of the Stone Circle"


def test_it_takes_an_extra_turn_when_there_will_be_no_other() -> None:
    constructs, deck = ["Tablet of Time's Dawn"], ["Demon Slayer"] * 5
    early = table(constructs=constructs, deck=deck, other_deck=STARTERS)
    assert chosen(early) != "activate Tablet of Time's Dawn"
    late = table(
        constructs=constructs,
        deck=deck,
        other_deck=STARTERS,
        honor_pool=0,
        turn_owner=Seat.SECOND,
    )
    assert chosen(late) == "activate Tablet of Time's Dawn"


@pytest.mark.parametrize(
    ("opponent", "most_losses"),
    [(InfantryBot(), 1), (GreedyAscensionBot(), 10)],
    ids=["infantry", "greedy"],
)
def test_even_in_haste_it_beats_the_simple_bots(opponent: Bot[Move], most_losses: int) -> None:
    # Of 40 games: fewer than it wins by the benchmark, and far more than by chance.
    losses = 0
    for seed in range(20):
        for seat in Seat:
            bot = planner(seed, hasty=True)
            first, second = (bot, opponent) if seat is Seat.FIRST else (opponent, bot)
            last = played(first, second, seed)[-1]
            assert last.outcome is not None
            losses += last.outcome.winner is not seat
    assert losses <= most_losses


TAKE_HONOR = GAME.read_move("defeat Cultist")


def patience() -> Budget:
    """A budget that is never spent: time stands still."""
    return Budget(float, 1.0, None)


def last_turn(honor: int, other_honor: int) -> AscensionPosition:
    """The second player has 2 power left, and the match ends with this turn."""
    return table(
        power=2,
        honor=honor,
        other_honor=other_honor,
        deck=STARTERS,
        other_deck=STARTERS,
        honor_pool=0,
        turn_owner=Seat.SECOND,
    )


def compared(position: AscensionPosition, budget: Budget) -> object:
    """What is chosen instead of ending the turn, which is the first of two moves."""
    seen = position.seen_by(Seat.SECOND)
    memory = Memory()
    memory.look(seen)
    seeds = itertools.count()
    return best_by_playouts(
        [EndTurn(), TAKE_HONOR],
        Seat.SECOND,
        worlds=lambda: determinized(seen, Seat.SECOND, memory, next(seeds)),
        weights=WEIGHTS,
        budget=budget,
    )


def test_a_move_that_wins_takes_the_place_of_one_that_loses() -> None:
    assert compared(last_turn(10, 11), patience()) == TAKE_HONOR


def test_the_margin_decides_where_the_winner_is_the_same() -> None:
    assert compared(last_turn(30, 11), patience()) == TAKE_HONOR
    assert compared(last_turn(0, 11), patience()) == TAKE_HONOR


def test_without_time_the_first_move_stands() -> None:
    assert compared(last_turn(10, 11), Budget(float, 0.0, None)) == EndTurn()


def test_worlds_that_were_not_played_to_their_end_do_not_count() -> None:
    # Each look at the clock takes a second, so the time is up within the first world.
    seconds = itertools.count()
    budget = Budget(lambda: float(next(seconds)), 4.0, None)
    assert compared(last_turn(10, 11), budget) == EndTurn()


def test_a_match_is_played_out_to_its_end_by_the_same_moves() -> None:
    start = GAME.start(4)
    ended = play_out(start, WEIGHTS, patience())
    assert ended.outcome is not None
    assert ended == play_out(start, WEIGHTS, patience())


def test_any_win_is_better_than_any_loss_and_a_larger_margin_than_a_smaller() -> None:
    results = [
        result_of(last_turn(honor, 50).after(EndTurn()), Seat.SECOND)
        for honor in (0, 49, 50, 51, 500)
    ]
    assert results == sorted(results)
    assert results[1] < 0.5 < results[2], "the second player wins a tie"
    assert results[0] < results[1]
    assert results[3] < results[4]

"""The planner: legal moves, no use of hidden information, good play."""

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
from tests.bots.clocks import unlimited
from tests.games.ascension_tables import GAME, after, table

STARTERS = ["Apprentice"] * 8 + ["Militia"] * 2


def planner(seed: int = 0, *, quick: bool = False) -> PlannerBot:
    """Return a planner whose clock stands still; a quick one has no time for playouts."""
    return PlannerBot(seed, float, 0.0 if quick else 1.0)


def chosen_move(position: AscensionPosition) -> str:
    """Return the move of a planner in text form."""
    assert position.to_move is not None
    return GAME.write_move(planner().choose(position, position.to_move, None))


def play_match(
    first: Bot[Move], second: Bot[Move], seed: int, game: Ascension = GAME
) -> list[AscensionPosition]:
    """Return the positions of a match, after checking that all moves are legal."""
    position = game.start(seed)
    positions = [position]
    while position.to_move is not None:
        bot = first if position.to_move is Seat.FIRST else second
        move = bot.choose(position, position.to_move, None)
        assert move in list(position.legal_moves())
        position = position.after(move)
        positions.append(position)
    return positions


def with_hidden_cards_changed(
    position: AscensionPosition, viewer: Seat, seed: int
) -> AscensionPosition:
    """Replace everything that the viewer cannot see."""
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
def test_it_makes_legal_moves_to_the_end_on_all_terms(game: Ascension) -> None:
    # In long matches decks grow so large that playouts would take too long.
    is_quick = game.honor > 100
    for seed in range(2):
        play_match(planner(seed, quick=is_quick), RandomBot(seed), seed, game)
        play_match(RandomBot(seed), planner(seed, quick=is_quick), seed, game)


def test_hidden_cards_do_not_change_its_moves() -> None:
    moves = 0
    for seed in range(2):
        positions = play_match(planner(seed, quick=True), GreedyAscensionBot(), seed)
        straight, otherwise = planner(seed), planner(seed)
        for number, position in enumerate(positions):
            if position.to_move is Seat.FIRST:
                changed = with_hidden_cards_changed(position, Seat.FIRST, number)
                assert changed != position
                move = straight.choose(position, Seat.FIRST, None)
                assert otherwise.choose(changed, Seat.FIRST, None) == move
                moves += 1
    assert moves > 200


def test_the_same_seed_plays_the_same_match() -> None:
    assert play_match(planner(7), GreedyAscensionBot(), 3) == play_match(
        planner(7), GreedyAscensionBot(), 3
    )


def test_it_stops_when_its_time_is_up() -> None:
    # The clock advances by a second with each call.
    seconds = itertools.count()
    bot = PlannerBot(1, lambda: float(next(seconds)), 3.0)
    last = table(runes=5, power=4, honor_pool=1, deck=STARTERS, other_deck=STARTERS)
    assert last.allows(bot.choose(last, Seat.FIRST, None))
    assert next(seconds) < 8
    assert last.allows(bot.choose(last, Seat.FIRST, 0.01))
    assert next(seconds) < 12


@pytest.mark.parametrize("row", ["Mistake of Creation", "Avatar of the Fallen"])
@pytest.mark.parametrize("hero", [name for name in CARDS if CARDS[name].is_hero])
def test_it_answers_every_choice_of_every_hero(hero: str, row: str) -> None:
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
    assert chosen_move(after(start, "play Shade of the Black Watch")) == "choose discard:Apprentice"


def test_it_banishes_no_good_card_if_it_may_decline() -> None:
    start = table(
        hand=["Void Initiate"], discard=["Landtalker"], deck=STARTERS, other_deck=STARTERS
    )
    asked = after(start, "play Void Initiate")
    move = planner().choose(asked, Seat.FIRST, None)
    assert asked.after(move).board.void == ()


def test_it_discards_the_weakest_card() -> None:
    hand = ["Temple Librarian", "Demon Slayer", "Militia", "Landtalker"]
    start = table(hand=hand, deck=STARTERS, other_deck=STARTERS)
    assert chosen_move(after(start, "play Temple Librarian")) == "choose Militia"


def test_it_takes_the_resource_that_buys_more() -> None:
    for runes, power, resource in ((3, 1, "power"), (1, 2, "rune")):
        start = table(
            hand=["Mechana Initiate"],
            runes=runes,
            power=power,
            honor_pool=0,
            turn_owner=Seat.SECOND,
        )
        assert chosen_move(after(start, "play Mechana Initiate")) == f"choose {resource}"


def test_it_defeats_for_free_the_monster_it_lacks_the_power_for() -> None:
    start = table(
        hand=["Oziah the Peerless"],
        power=4,
        row=["Mistake of Creation", "Sea Tyrant"],
        honor_pool=0,
        turn_owner=Seat.SECOND,
    )
    assert chosen_move(after(start, "play Oziah the Peerless")) == "choose Sea Tyrant"


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
    assert chosen_move(asked) == "choose Muramasa"


def test_it_first_puts_a_card_onto_the_deck_and_then_draws_it() -> None:
    hand = ["Wolf Shaman", "Druids of the Stone Circle"]
    start = table(hand=hand, deck=STARTERS, other_deck=STARTERS)
    assert chosen_move(start) == "play Druids of the Stone Circle"


def test_it_takes_an_extra_turn_only_near_the_end() -> None:
    constructs, deck = ["Tablet of Time's Dawn"], ["Demon Slayer"] * 5
    early = table(constructs=constructs, deck=deck, other_deck=STARTERS)
    assert chosen_move(early) != "activate Tablet of Time's Dawn"
    late = table(
        constructs=constructs,
        deck=deck,
        other_deck=STARTERS,
        honor_pool=0,
        turn_owner=Seat.SECOND,
    )
    assert chosen_move(late) == "activate Tablet of Time's Dawn"


@pytest.mark.parametrize(
    ("opponent", "max_losses"),
    [(InfantryBot(), 1), (GreedyAscensionBot(), 10)],
    ids=["infantry", "greedy"],
)
def test_even_without_playouts_it_beats_the_baseline_bots(
    opponent: Bot[Move], max_losses: int
) -> None:
    # Of 40 games. The limit is above the measured losses, and far below those of random play.
    losses = 0
    for seed in range(20):
        for seat in Seat:
            bot = planner(seed, quick=True)
            first, second = (bot, opponent) if seat is Seat.FIRST else (opponent, bot)
            last = play_match(first, second, seed)[-1]
            assert last.outcome is not None
            losses += last.outcome.winner is not seat
    assert losses <= max_losses


TAKE_HONOR = GAME.read_move("defeat Cultist")


def last_turn(honor: int, other_honor: int) -> AscensionPosition:
    """Return a position in which the second player has 2 power left, and the match then ends."""
    return table(
        power=2,
        honor=honor,
        other_honor=other_honor,
        deck=STARTERS,
        other_deck=STARTERS,
        honor_pool=0,
        turn_owner=Seat.SECOND,
    )


def compare(position: AscensionPosition, budget: Budget) -> object:
    """Compare ending the turn, the habitual move, with defeating a Cultist."""
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


def test_a_winning_move_replaces_a_losing_one() -> None:
    assert compare(last_turn(10, 11), unlimited()) == TAKE_HONOR


def test_the_margin_decides_where_the_winner_is_the_same() -> None:
    assert compare(last_turn(30, 11), unlimited()) == TAKE_HONOR
    assert compare(last_turn(0, 11), unlimited()) == TAKE_HONOR


def test_without_time_the_habitual_move_is_made() -> None:
    assert compare(last_turn(10, 11), Budget(float, 0.0, None)) == EndTurn()


def test_unfinished_playouts_do_not_count() -> None:
    # The clock advances by a second with each call, so the time is up in the first playout.
    seconds = itertools.count()
    budget = Budget(lambda: float(next(seconds)), 4.0, None)
    assert compare(last_turn(10, 11), budget) == EndTurn()


def test_a_playout_reaches_the_end_and_is_deterministic() -> None:
    start = GAME.start(4)
    ended = play_out(start, WEIGHTS, unlimited())
    assert ended.outcome is not None
    assert ended == play_out(start, WEIGHTS, unlimited())


def test_any_win_is_better_than_any_loss_and_a_larger_margin_than_a_smaller() -> None:
    results = [
        result_of(last_turn(honor, 50).after(EndTurn()), Seat.SECOND)
        for honor in (0, 49, 50, 51, 500)
    ]
    assert results == sorted(results)
    assert results[1] < 0.5 < results[2], "the second player wins a tie"
    assert results[0] < results[1]
    assert results[3] < results[4]

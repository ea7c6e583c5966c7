"""The baseline bots of Ascension, move by move."""

import pytest

from gamehall.bots.ascension.baselines import GreedyAscensionBot, InfantryBot
from gamehall.bots.bot import Bot, RandomBot
from gamehall.bots.catalogue import bots_for
from gamehall.core import Seat
from gamehall.games.ascension import Ascension, AscensionPosition, Move
from tests.games.ascension_tables import GAME, after, table


def play_turn(bot: Bot[Move], position: AscensionPosition) -> list[str]:
    """Return the moves of the bot until it ends its turn."""
    moves: list[str] = []
    seat = position.board.turn_owner
    while position.to_move is seat and "end" not in moves:
        moves.append(GAME.write_move(bot.choose(position, seat, None)))
        position = after(position, moves[-1])
    return moves


def test_infantry_plays_all_cards_then_buys_heavy_infantry_then_defeats_cultists() -> None:
    hand = ["Apprentice", "Militia", "Mystic", "Heavy Infantry", "Apprentice"]
    moves = play_turn(InfantryBot(), table(hand=hand, row=["Mephit", "Void Initiate"]))
    assert sorted(moves[:5]) == sorted(f"play {name}" for name in hand)
    assert moves[5:] == ["acquire Heavy Infantry"] * 2 + ["defeat Cultist", "end turn"]


def test_infantry_ends_its_turn_when_the_pile_is_empty() -> None:
    assert play_turn(InfantryBot(), table(runes=9, heavies=0)) == ["end turn"]


def test_greedy_plays_its_cards_and_uses_its_constructs_before_it_spends() -> None:
    start = table(hand=["Apprentice"], constructs=["Shadow Star"], power=1)
    moves = play_turn(GreedyAscensionBot(), start)
    assert moves == ["play Apprentice", "activate Shadow Star", "defeat Cultist", "end turn"]


@pytest.mark.parametrize(
    ("runes", "power", "row", "moves"),
    [
        (5, 0, ["Watchmaker's Altar", "Ascetic of the Lidless Eye"], ["Watchmaker's Altar"]),
        (3, 0, ["Burrower Mark II"], ["Burrower Mark II"]),
        (2, 0, ["Void Initiate"], ["Void Initiate"]),
        (0, 4, ["Corrosive Widow", "Mistake of Creation"], ["Mistake of Creation"]),
        (0, 5, ["Wind Tyrant", "Mephit"], ["Wind Tyrant", "Mystic"]),
    ],
)
def test_greedy_takes_the_most_honor_and_among_equals_the_cheapest(
    runes: int, power: int, row: list[str], moves: list[str]
) -> None:
    done = play_turn(GreedyAscensionBot(), table(runes=runes, power=power, row=row))
    assert done[0].removeprefix("acquire ").removeprefix("defeat ") == moves[0]


def test_greedy_counts_the_bonus_of_voidthirster_for_the_first_monster() -> None:
    start = table(constructs=["Voidthirster"], power=2, row=["Samael's Trickster"])
    moves = play_turn(GreedyAscensionBot(), after(start, "activate Voidthirster"))
    assert moves[0] == "defeat Samael's Trickster"


def test_greedy_exchanges_runes_for_honor_if_that_is_more() -> None:
    start = after(table(constructs=["Yggdrasil Staff"], runes=4), "activate Yggdrasil Staff")
    assert play_turn(GreedyAscensionBot(), start) == ["activate Yggdrasil Staff: honor", "end turn"]


def test_greedy_banishes_cards_without_honor_but_not_from_the_row() -> None:
    start = table(hand=["Void Initiate"], discard=["Mystic", "Militia"])
    bot = GreedyAscensionBot()
    asked = after(start, "play Void Initiate")
    assert GAME.write_move(bot.choose(asked, Seat.FIRST, None)) == "choose discard:Militia"
    asked = after(table(hand=["Void Initiate"], discard=["Mystic"]), "play Void Initiate")
    assert asked.after(bot.choose(asked, Seat.FIRST, None)).board.void == ()
    asked = after(table(hand=["Seer of the Forked Path"]), "play Seer of the Forked Path")
    assert asked.after(bot.choose(asked, Seat.FIRST, None)).board.void == ()


@pytest.mark.parametrize("kind", [InfantryBot, GreedyAscensionBot])
@pytest.mark.parametrize("game", [Ascension(), Ascension(honor=200, ties=True, turns=40)])
def test_baseline_bots_make_legal_moves_to_the_end(
    kind: type[InfantryBot | GreedyAscensionBot], game: Ascension
) -> None:
    for seed in range(6):
        bots: dict[Seat, Bot[Move]] = {Seat.FIRST: RandomBot(seed), Seat.SECOND: kind(seed)}
        position = game.start(seed)
        while position.to_move is not None:
            move = bots[position.to_move].choose(position, position.to_move, None)
            assert move in list(position.legal_moves())
            position = position.after(move)


def test_all_ascension_bots_are_in_the_catalogue() -> None:
    found = bots_for("ascension")
    for name in ("infantry", "greedy", "planner"):
        assert found[name].make(1, float, None).choose(table(), Seat.FIRST, None)

"""The searches for any game: they find what is there, and play legal moves everywhere."""

import random
from itertools import count
from typing import Any

import pytest

from gamehall.bots import Bot
from gamehall.bots.bot import Budget, Clock
from gamehall.bots.catalogue import bots_for
from gamehall.bots.search.alpha_beta import WIN, AlphaBeta, value_to
from gamehall.bots.search.bots import AlphaBetaBot, GreedyBot, MctsBot
from gamehall.bots.search.evaluation import determinize, evaluate
from gamehall.bots.search.mcts import Mcts, Node
from gamehall.core import Position, Seat, SeededRandom
from gamehall.games.ascension import HIDDEN, Ascension, AscensionPosition
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import Cell, ConnectFour, ConnectFourPosition, Gravity
from gamehall.games.go import Go
from gamehall.games.santorini import PlacementOrder, Santorini

GAMES = sorted(all_games())


def ticking(seconds_per_look: float) -> Clock:
    """A clock on which time passes only when it is looked at."""
    looks = count()
    return lambda: next(looks) * seconds_per_look


def stopped() -> float:
    """A clock on which no time passes."""
    return 0.0


def plenty() -> Budget:
    return Budget(stopped, 1.0, None)


def after_random_moves(start: Position[Any], moves: int, chance: random.Random) -> Position[Any]:
    """Where so many random moves lead, or as many as leave the game open."""
    position = start
    for _ in range(moves):
        following = position.after(chance.choice(list(position.legal_moves())))
        if following.to_move is None:
            break
        position = following
    return position


def dropped(columns: str, game: ConnectFour | None = None) -> ConnectFourPosition:
    """Connect Four after stones in these columns, counted from 0."""
    position = (game or ConnectFour()).start(0)
    for column in columns:
        position = position.after(position.named(int(column), 0))
    return position


def minimax(position: Position[Any], depth: int, ply: int = 0) -> float:
    """The value to the player to move, by looking at everything."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return 0.0 if winner is None else ply - WIN
    assert position.to_move is not None
    if depth == 0:
        return evaluate(position, position.to_move)
    values = []
    for move in position.legal_moves():
        after = position.after(move)
        if after.outcome is not None:
            winner = after.outcome.winner
            won = WIN - (ply + 1)
            values.append(0.0 if winner is None else won if winner is position.to_move else -won)
        else:
            value = minimax(after, depth - 1, ply + 1)
            values.append(value if after.to_move is position.to_move else -value)
    return max(values)


SMALL = [
    (ConnectFour(), 9, 4),
    (ConnectFour(3), 4, 4),
    (ConnectFour(4, Gravity.FREE), 30, 3),
    (Santorini(), 9, 2),
    (Santorini(placing=PlacementOrder.MIRRORED), 1, 2),
    (Go(3), 5, 3),
    (Ascension(), 6, 3),
]


@pytest.mark.parametrize(("game", "moves", "depth"), SMALL)
def test_alpha_beta_agrees_with_minimax(game: Any, moves: int, depth: int) -> None:
    chance = random.Random(4)
    for seed in range(4):
        position = after_random_moves(game.start(seed), moves, chance)
        searched = AlphaBeta()
        for level in range(1, depth + 1):
            result = searched.search_to(position, level)
            assert result.value == minimax(position, level)
            after = position.after(result.move)
            if after.outcome is None:
                value = minimax(after, level - 1, 1)
                assert result.value == (value if after.to_move is position.to_move else -value)


def test_a_small_table_changes_nothing_but_the_work() -> None:
    position = dropped("3323")
    large, small = AlphaBeta(), AlphaBeta(max_entries=50)
    for depth in range(1, 6):
        assert small.search_to(position, depth).value == large.search_to(position, depth).value
        assert len(small._table) <= 50
    assert small.nodes > large.nodes


def test_a_win_with_the_next_stone_is_found_at_depth_1() -> None:
    position = dropped("001122")
    result = AlphaBeta().search_to(position, 1)
    assert result.move == Cell(3, 5)
    assert result.value == WIN - 1


def test_a_forced_win_is_found_at_its_depth_and_not_before() -> None:
    # Two stones in the open on the lowest row: a third beside them threatens at both ends.
    position = dropped("3626")
    before = AlphaBeta().search_to(position, 2)
    result = AlphaBeta().search_to(position, 3)
    assert abs(before.value) < WIN / 2
    assert result.value == WIN - 3
    assert result.move in (Cell(1, 5), Cell(4, 5))


def test_deepening_stops_when_the_end_is_seen() -> None:
    result = AlphaBeta().search(dropped("3626"), plenty())
    assert result.depth == 3
    assert result.value == WIN - 3


def test_when_time_is_up_the_last_finished_level_stands() -> None:
    position = dropped("33")
    hurried = AlphaBeta().search(position, Budget(ticking(0.001), 0.5, None))
    assert 1 < hurried.depth < 8
    assert hurried == AlphaBeta().search_to(position, hurried.depth)
    at_once = AlphaBeta().search(position, Budget(ticking(1.0), 0.0, None))
    assert at_once.depth == 1


def test_a_finished_position_has_a_value_for_both() -> None:
    over = dropped("0011223")
    assert value_to(Seat.FIRST, over) == WIN
    assert value_to(Seat.SECOND, over) == -WIN


@pytest.mark.parametrize("rave_games", [0.0, 100.0])
def test_monte_carlo_finds_the_win_and_the_block(rave_games: float) -> None:
    search = Mcts(SeededRandom(5), 42, rave_games=rave_games)
    assert search.best_move(dropped("001122"), plenty(), 200) == Cell(3, 5)
    assert search.best_move(dropped("06162"), plenty(), 600) == Cell(3, 5)


def test_monte_carlo_counts_every_game_once() -> None:
    tree = Mcts(SeededRandom(1), 5, rave_games=0.0).search(dropped("3"), plenty(), 70)
    assert tree.visits == 70
    assert sum(child.visits for child in tree.children.values()) == 70
    assert all(child.mover is Seat.SECOND for child in tree.children.values())
    assert all(child.rave_visits == 0 for child in tree.children.values())


def test_with_rave_own_results_come_to_count_as_much_as_the_shared_ones() -> None:
    node = Node()
    for _ in range(4):
        node.record(1.0)
    node.record_rave(0.0)
    assert node.score(0.0, rave_games=4.0) == 0.5
    assert node.score(0.0, rave_games=1.0) > 0.5 > node.score(0.0, rave_games=40.0)
    assert node.score(0.0, rave_games=0.0) == 1.0


def test_with_rave_a_move_learns_from_games_in_which_it_came_later() -> None:
    search = Mcts(SeededRandom(1), 42, rave_games=50.0)
    tree = search.search(ConnectFour(4, Gravity.FREE).start(0), plenty(), 100)
    assert all(child.rave_visits >= child.visits for child in tree.children.values())
    assert sum(child.rave_visits for child in tree.children.values()) > 300


def test_a_world_looks_like_what_is_seen_and_hides_nothing() -> None:
    chance = random.Random(1)
    for seed in range(5):
        position = after_random_moves(Ascension().start(seed), 40, chance)
        assert isinstance(position, AscensionPosition)
        seen = position.seen_by(position.to_move)
        worlds = [determinize(seen, number) for number in (1, 2)]
        for world in worlds:
            assert isinstance(world, AscensionPosition)
            assert world.seen_by(position.to_move) == seen
            assert all(HIDDEN not in side.deck + side.hand for side in world.board.sides)
        assert worlds[0] != worlds[1]


def test_what_is_hidden_does_not_matter() -> None:
    position = after_random_moves(Ascension().start(3), 30, random.Random(2))
    seat = position.to_move
    assert seat is not None
    other_world = determinize(position, 99)
    assert other_world != position
    for made in makers():
        assert made(7).choose(position, seat, None) == made(7).choose(other_world, seat, None)


def makers() -> list[Any]:
    return [
        lambda seed: AlphaBetaBot(seed, ticking(0.01), max_depth=3),
        lambda seed: MctsBot(seed, ticking(0.05)),
        GreedyBot,
    ]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("number", range(3))
def test_every_bot_plays_legal_moves_in_every_game(name: str, number: int) -> None:
    chance = random.Random(8)
    for seed in range(3):
        bot: Bot[Any] = makers()[number](seed)
        position = after_random_moves(all_games()[name]().start(seed), 10 * seed, chance)
        for _ in range(4):
            seat = position.to_move
            if seat is None:
                break
            seen = position.seen_by(seat)
            move = bot.choose(seen, seat, 1.0)
            assert move in list(position.legal_moves())
            position = position.after(move)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_the_bots_for_any_game(name: str) -> None:
    found = bots_for(name)
    assert {"alpha-beta", "mcts", "greedy"} <= found.keys()
    position = all_games()[name]().start(1)
    for kind in ("alpha-beta", "mcts", "greedy"):
        bot = found[kind].make(3, ticking(0.1))
        assert position.to_move is not None
        move = bot.choose(position.seen_by(position.to_move), position.to_move, 0.5)
        assert move in list(position.legal_moves())


def test_greedy_takes_what_is_worth_most_at_once() -> None:
    position = dropped("001122")
    assert GreedyBot(1).choose(position, Seat.FIRST, None) == Cell(3, 5)
    assert GreedyBot(1).choose(ConnectFour().start(0), Seat.FIRST, None) == Cell(3, 5)

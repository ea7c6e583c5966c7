"""The searches and bots for any game."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from gamehall.bots import Bot
from gamehall.bots.bot import Budget
from gamehall.bots.catalogue import bots_for
from gamehall.bots.search.alpha_beta import WIN, AlphaBeta, value_to
from gamehall.bots.search.bots import AlphaBetaBot, GreedyBot, MctsBot
from gamehall.bots.search.evaluation import determinize, evaluate
from gamehall.bots.search.mcts import Mcts, Node
from gamehall.core import Position, Seat, SeededRandom
from gamehall.games.ascension import HIDDEN, Ascension, AscensionPosition
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import Cell, ConnectFour, Gravity
from gamehall.games.go import Go
from gamehall.games.santorini import PlacementOrder, Santorini
from tests.bots.clocks import ticking_clock, unlimited
from tests.games.playing import drop

GAMES = sorted(all_games())
START = ConnectFour().start(0)


def after_random_moves(start: Position[Any], moves: int, chance: random.Random) -> Position[Any]:
    """Play random moves, fewer if the game would end."""
    position = start
    for _ in range(moves):
        following = position.after(chance.choice(list(position.legal_moves())))
        if following.to_move is None:
            break
        position = following
    return position


def minimax(position: Position[Any], depth: int, ply: int = 0) -> float:
    """Return the value to the player to move, without pruning."""
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


def test_a_small_table_gives_the_same_values_with_more_nodes() -> None:
    position = drop(START, "ddcd")
    large, small = AlphaBeta(), AlphaBeta(max_entries=50)
    for depth in range(1, 6):
        assert small.search_to(position, depth).value == large.search_to(position, depth).value
        assert len(small._table) <= 50
    assert small.nodes > large.nodes


def test_a_win_with_the_next_stone_is_found_at_depth_1() -> None:
    position = drop(START, "aabbcc")
    result = AlphaBeta().search_to(position, 1)
    assert result.move == Cell(3, 5)
    assert result.value == WIN - 1


def test_a_forced_win_is_found_at_its_depth_and_not_before() -> None:
    # A third stone next to the two in the lowest row threatens to win at both ends.
    position = drop(START, "dgcg")
    before = AlphaBeta().search_to(position, 2)
    result = AlphaBeta().search_to(position, 3)
    assert abs(before.value) < WIN / 2
    assert result.value == WIN - 3
    assert result.move in (Cell(1, 5), Cell(4, 5))


def test_deepening_stops_when_a_win_is_found() -> None:
    result = AlphaBeta().search(drop(START, "dgcg"), unlimited())
    assert result.depth == 3
    assert result.value == WIN - 3


def test_when_time_is_up_the_last_completed_depth_is_returned() -> None:
    position = drop(START, "dd")
    limited = AlphaBeta().search(position, Budget(ticking_clock(0.001), 0.5, None))
    assert 1 < limited.depth < 8
    assert limited == AlphaBeta().search_to(position, limited.depth)
    at_once = AlphaBeta().search(position, Budget(ticking_clock(1.0), 0.0, None))
    assert at_once.depth == 1


def test_a_finished_position_is_a_win_for_one_and_a_loss_for_the_other() -> None:
    over = drop(START, "aabbccd")
    assert value_to(Seat.FIRST, over) == WIN
    assert value_to(Seat.SECOND, over) == -WIN


@pytest.mark.parametrize("rave_games", [0.0, 100.0])
def test_mcts_finds_the_win_and_the_block(rave_games: float) -> None:
    search = Mcts(SeededRandom(5), 42, rave_games=rave_games)
    assert search.best_move(drop(START, "aabbcc"), unlimited(), 200) == Cell(3, 5)
    assert search.best_move(drop(START, "agbgc"), unlimited(), 600) == Cell(3, 5)


def test_mcts_counts_every_playout_once() -> None:
    tree = Mcts(SeededRandom(1), 5, rave_games=0.0).search(drop(START, "d"), unlimited(), 70)
    assert tree.visits == 70
    assert sum(child.visits for child in tree.children.values()) == 70
    assert all(child.mover is Seat.SECOND for child in tree.children.values())
    assert all(child.rave_visits == 0 for child in tree.children.values())


def test_after_enough_visits_own_results_weigh_as_much_as_those_of_rave() -> None:
    node = Node()
    for _ in range(4):
        node.record(1.0)
    node.record_rave(0.0)
    assert node.score(0.0, rave_games=4.0) == 0.5
    assert node.score(0.0, rave_games=1.0) > 0.5 > node.score(0.0, rave_games=40.0)
    assert node.score(0.0, rave_games=0.0) == 1.0


def test_rave_counts_playouts_in_which_the_move_came_later() -> None:
    search = Mcts(SeededRandom(1), 42, rave_games=50.0)
    tree = search.search(ConnectFour(4, Gravity.FREE).start(0), unlimited(), 100)
    assert all(child.rave_visits >= child.visits for child in tree.children.values())
    assert sum(child.rave_visits for child in tree.children.values()) > 300


def test_a_determinization_looks_the_same_and_hides_nothing() -> None:
    chance = random.Random(1)
    for seed in range(5):
        position = after_random_moves(Ascension().start(seed), 40, chance)
        assert isinstance(position, AscensionPosition)
        seen = position.seen_by(position.to_move)
        guesses = [determinize(seen, number) for number in (1, 2)]
        for guess in guesses:
            assert isinstance(guess, AscensionPosition)
            assert guess.seen_by(position.to_move) == seen
            assert all(HIDDEN not in side.deck + side.hand for side in guess.board.sides)
        assert guesses[0] != guesses[1]


def test_hidden_cards_do_not_change_the_move() -> None:
    position = after_random_moves(Ascension().start(3), 30, random.Random(2))
    seat = position.to_move
    assert seat is not None
    other = determinize(position, 99)
    assert other != position
    for make in makers():
        assert make(7).choose(position, seat, None) == make(7).choose(other, seat, None)


class Prize(Position[int], frozen=True):
    """Two doors are offered. The first player opens one; behind door 1 or 2 is a prize."""

    door: int
    """Where the prize is; 0 in views."""
    opened: int = 0

    def legal_moves(self) -> Iterator[int]:
        yield from () if self.opened else (1, 2)

    def after(self, move: int) -> "Prize":
        assert self.door, "a search must not play on in a view"
        return Prize(to_move=Seat.SECOND, outcome=None, door=self.door, opened=move)

    def seen_by(self, viewer: Seat | None) -> "Prize":
        return Prize(to_move=self.to_move, outcome=self.outcome, door=0, opened=self.opened)

    def estimate(self, seat: Seat) -> float:
        is_found = self.opened == self.door
        return 100.0 if is_found is (seat is Seat.FIRST) else -100.0

    def determinize(self, seed: int) -> "Prize":
        assert not self.door, "it is called for a view"
        door = SeededRandom(seed).pick([1, 2])
        return Prize(to_move=self.to_move, outcome=self.outcome, door=door, opened=self.opened)

    def picture(self) -> str:
        return ""

    def diagram(self) -> str:
        return ""


def test_a_game_may_bring_its_own_estimate_and_guesses_at_hidden_cards() -> None:
    start = Prize(to_move=Seat.FIRST, outcome=None, door=2)
    assert evaluate(start.after(2), Seat.FIRST) == -evaluate(start.after(1), Seat.FIRST) == 100.0
    assert {determinize(start, seed) for seed in range(10)} == {start, replace(start, door=1)}
    moves = {
        GreedyBot(seed).choose(start.seen_by(Seat.FIRST), Seat.FIRST, None) for seed in range(10)
    }
    assert moves == {1, 2}, "it chooses by its guess"
    assert start.has_hidden_information
    assert not START.has_hidden_information
    assert determinize(START, 1) == START


def makers() -> list[Any]:
    return [
        lambda seed: AlphaBetaBot(seed, ticking_clock(0.01), max_depth=3),
        lambda seed: MctsBot(seed, ticking_clock(0.05)),
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
def test_the_general_bots_play_every_game(name: str) -> None:
    found = bots_for(name)
    assert {"alpha-beta", "mcts", "greedy"} <= found.keys()
    position = all_games()[name]().start(1)
    for kind in ("alpha-beta", "mcts", "greedy"):
        bot = found[kind].make(3, ticking_clock(0.1))
        assert position.to_move is not None
        move = bot.choose(position.seen_by(position.to_move), position.to_move, 0.5)
        assert move in list(position.legal_moves())


def test_greedy_makes_the_move_of_the_highest_value() -> None:
    position = drop(START, "aabbcc")
    assert GreedyBot(1).choose(position, Seat.FIRST, None) == Cell(3, 5)
    assert GreedyBot(1).choose(START, Seat.FIRST, None) == Cell(3, 5)

"""The Santorini bot: its compiled rules and search against the game, and its play."""

import random
from itertools import count

import numpy as np
import pytest

from gamehall.bots.santorini import kernel
from gamehall.bots.santorini.board import (
    ANYWHERE,
    BOARD_WIDTH,
    MAX_TURNS,
    board_of,
    edge_distances,
    list_turns,
    neighbours_of,
    play_turn,
    turn_of,
)
from gamehall.bots.santorini.bot import NODES_PER_SLICE, Searcher, StrongBot
from gamehall.bots.santorini.evaluation import evaluate
from gamehall.bots.santorini.kernel import evaluate_board
from gamehall.bots.search.alpha_beta import WIN as READABLE_WIN
from gamehall.bots.search.alpha_beta import AlphaBeta
from gamehall.bots.search.bots import AlphaBetaBot
from gamehall.core import Seat
from gamehall.games.santorini import Place, PlacementOrder, Santorini, SantoriniPosition, Turn
from tests.bots.clocks import ticking_clock

SMALL_TABLE_BITS = 14
SIZES = (5, 6)


def random_position(size: int, turns: int, chance: random.Random) -> SantoriniPosition:
    """Play random turns, fewer if the game would end."""
    position = Santorini(size).start(0)
    while position.is_placing or turns > 0:
        following = position.after(chance.choice(list(position.legal_moves())))
        if following.outcome is not None:
            break
        turns -= 0 if position.is_placing else 1
        position = following
    return position


def random_positions(number: int, longest: int, seed: int) -> list[SantoriniPosition]:
    chance = random.Random(seed)
    return [
        random_position(chance.choice(SIZES), chance.randint(0, longest), chance)
        for _ in range(number)
    ]


def test_the_kernel_lists_and_plays_the_turns_of_the_game() -> None:
    turns, after = np.zeros(MAX_TURNS, np.int64), np.zeros(BOARD_WIDTH, np.int64)
    ends = 0
    for position in random_positions(300, 50, seed=1):
        board = board_of(position)
        number = list_turns(board, neighbours_of(position.size), ANYWHERE, turns)
        found = {turn_of(position, int(code)): int(code) for code in turns[:number]}
        assert len(found) == number
        assert found.keys() == set(position.legal_moves())
        for turn, code in found.items():
            following = position.after(turn)
            play_turn(board, code, after)
            if following.to_move is not None:
                assert (after == board_of(following)).all()
            elif turn.build is not None:
                ends += 1
                assert list_turns(after, neighbours_of(position.size), ANYWHERE, turns) == 0
                break
    assert ends > 0, "some positions must end because a player is stuck"


def test_the_kernel_and_the_evaluation_agree() -> None:
    values: set[int] = set()
    for position in random_positions(500, 50, seed=2):
        assert position.to_move is not None
        value = evaluate(position, position.to_move)
        board, size = board_of(position), position.size
        assert evaluate_board(board, neighbours_of(size), edge_distances(size)) == value
        assert evaluate(position, position.to_move.other) == -value
        values.add(value)
    assert len(values) > 100


def test_the_quickest_win_or_loss_is_found() -> None:
    decided = 0
    for position in random_positions(120, 45, seed=3):
        if position.size == 6:
            continue
        readable = AlphaBeta().search_to(position, 2)
        finding = Searcher(SMALL_TABLE_BITS).search(position, max_depth=2)
        turns_to_end = kernel.WIN - abs(finding.value)
        if abs(readable.value) > READABLE_WIN / 2:
            decided += 1
            assert turns_to_end == READABLE_WIN - abs(readable.value)
            assert (finding.value > 0) == (readable.value > 0)
        elif finding.value > kernel.DECIDED:
            assert turns_to_end > 2
    assert decided > 5


def test_a_forced_win_is_forced() -> None:
    chance = random.Random(6)
    shown = 0
    while shown < 4:
        position = random_position(5, 30, chance)
        finding = Searcher(SMALL_TABLE_BITS).search(position, max_depth=3)
        if finding.value == kernel.WIN - 3:
            shown += 1
            assert forces(position, 3)
            assert not forces(position, 1)


def forces(position: SantoriniPosition, turns: int) -> bool:
    """Return True if the player to move can force a win within so many turns of both."""
    for move in position.legal_moves():
        after = position.after(move)
        if after.outcome is not None:
            if after.outcome.winner is position.to_move:
                return True
        elif turns > 2 and all(
            answer.outcome is None and forces(answer, turns - 2)
            for answer in map(after.after, after.legal_moves())
        ):
            return True
    return False


def test_the_size_of_slices_does_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    for position in random_positions(10, 20, seed=8):
        whole = Searcher(SMALL_TABLE_BITS).search(position, max_depth=3)
        with monkeypatch.context() as patch:
            patch.setattr("gamehall.bots.santorini.bot.NODES_PER_SLICE", 3)
            assert Searcher(SMALL_TABLE_BITS).search(position, max_depth=3) == whole


def test_the_search_can_be_stopped_between_slices() -> None:
    position = random_position(5, 2, random.Random(4))
    looks = count()
    searcher = Searcher(SMALL_TABLE_BITS)
    finding = searcher.search(position, lambda: next(looks) > 20)
    assert finding.depth > 2
    assert searcher.nodes <= 22 * NODES_PER_SLICE
    assert position.allows(finding.turn)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("order", list(PlacementOrder))
@pytest.mark.parametrize("first_turn", list(Seat))
def test_it_plays_whole_games_on_all_terms(
    size: int, order: PlacementOrder, first_turn: Seat
) -> None:
    position = Santorini(size, order, first_turn).start(0)
    bots = {seat: StrongBot(seat.value, ticking_clock(0.02), 0.1) for seat in Seat}
    moves = 0
    while position.to_move is not None:
        move = bots[position.to_move].choose(position, position.to_move, 10.0)
        assert isinstance(move, Place) == position.is_placing
        position = position.after(move)
        moves += 1
    assert moves > 8


def test_one_bot_plays_on_boards_of_both_sizes_in_turn() -> None:
    bot = StrongBot(1, ticking_clock(0.02), 0.1)
    for position in random_positions(12, 20, seed=9):
        assert position.to_move is not None
        assert position.allows(bot.choose(position, position.to_move, None))


def test_it_takes_a_win_and_blocks_one() -> None:
    rows: list[list[object]] = [
        [0, 0, 0, 0, 0],
        [0, "2ann1", 3, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 2, "2bob1", 3],
        ["0bob2", 0, 0, 0, "0ann2"],
    ]
    names = {Seat.FIRST: "ann", Seat.SECOND: "bob"}
    start = Santorini().start(0)
    bot = StrongBot(1, ticking_clock(0.02), 0.1)
    winning = bot.choose(start.with_rows(rows, names, Seat.FIRST), Seat.FIRST, None)
    assert isinstance(winning, Turn)
    assert winning.build is None
    rows[1][2] = 4
    blocking = bot.choose(start.with_rows(rows, names, Seat.FIRST), Seat.FIRST, None)
    assert isinstance(blocking, Turn)
    assert blocking.build == (3, 4)


def test_it_beats_a_search_of_depth_2_with_the_same_evaluation() -> None:
    chance = random.Random(10)
    won = 0
    for number in range(6):
        position = random_position(5, 0, chance)
        strong = Seat.FIRST if number % 2 else Seat.SECOND
        bots = {
            strong: StrongBot(number, ticking_clock(0.01), 0.1),
            strong.other: AlphaBetaBot(number, ticking_clock(0.0), max_depth=2),
        }
        while position.to_move is not None:
            move = bots[position.to_move].choose(position, position.to_move, None)
            position = position.after(move)
        assert position.outcome is not None
        won += position.outcome.winner is strong
    assert won >= 5

"""The Connect Four bot: its solver against the game and another solver, and its play."""

import random
from itertools import count

import pytest
from bitbully import BitBully, Board

from benchmarks.opening_book import stones_of_key
from gamehall.bots.bot import never
from gamehall.bots.connect_four import book
from gamehall.bots.connect_four.bits import (
    BOARD,
    Stones,
    cell_of,
    has_four,
    landing_cell,
    mirrored,
    reachable_cells,
    stones_of,
    winning_cells,
)
from gamehall.bots.connect_four.bot import PerfectBot, Root
from gamehall.bots.connect_four.evaluation import evaluate, lines
from gamehall.bots.connect_four.kernel import cannot_win, is_hopeless
from gamehall.bots.connect_four.solver import (
    NODES_PER_SLICE,
    Solver,
    highest_score,
    lowest_score,
    wins_at_once,
)
from gamehall.core import Seat
from gamehall.games.connect_four import COLUMNS, Cell, ConnectFour, Gravity
from tests.bots.clocks import ticking_clock
from tests.games.playing import drop

START = ConnectFour().start(0)
SMALL_TABLE_BITS = 16


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(SMALL_TABLE_BITS)


@pytest.fixture(scope="module")
def other_solver() -> BitBully:
    return BitBully(opening_book=None)


def random_columns(stones: int, chance: random.Random) -> list[int]:
    """Return the columns of random moves after which the game is not over."""
    while True:
        position, columns = START, list[int]()
        while position.outcome is None and len(columns) < stones:
            move = chance.choice(list(position.legal_moves()))
            columns.append(move.column)
            position = position.after(move)
        if position.outcome is None:
            return columns


def sign(score: int) -> int:
    return (score > 0) - (score < 0)


def score_by(solver: Solver, stones: Stones) -> int:
    """Return the exact score, by asking for bounds as in MTD(f) (Plaat and others, 1996)."""
    low, high = lowest_score(stones), highest_score(stones)
    goal = 1
    while low < high:
        bound = solver.bound(stones, goal)
        assert bound is not None
        if bound >= goal:
            low, goal = bound, bound + 1
        else:
            high, goal = bound, bound
    return low


def score_from_stones_left(score: int, stones: int) -> int:
    """Convert a score of the other solver, which counts the stones that the winner has left."""
    winner_is_first = (score > 0) == (stones % 2 == 0)
    return sign(score) * (2 * abs(score) - (not winner_is_first)) if score else 0


def test_moves_and_wins_are_those_of_the_game() -> None:
    chance = random.Random(1)
    for stones in range(41):
        position = drop(START, random_columns(min(stones, 36), chance))
        found = stones_of(position)
        cells = [landing_cell(found.taken, column) for column in range(COLUMNS)]
        moves = list(position.legal_moves())
        assert [cell_of(cell) for cell in cells if cell] == moves
        wins = any(position.after(move).outcome is not None for move in moves)
        assert wins_at_once(found) == wins
        assert mirrored(mirrored(found.taken)) == found.taken


def test_the_same_game_value_as_another_solver(solver: Solver, other_solver: BitBully) -> None:
    chance = random.Random(12)
    values: set[int] = set()
    for _ in range(150):
        columns = random_columns(chance.randint(14, 34), chance)
        value = solver.game_value(stones_of(drop(START, columns)))
        assert value == sign(other_solver.mtdf(Board(columns)))
        assert value is not None
        values.add(value)
    assert values == {-1, 0, 1}


def test_the_same_score_as_another_solver(solver: Solver, other_solver: BitBully) -> None:
    chance = random.Random(5)
    scores: set[int | None] = set()
    for _ in range(150):
        columns = random_columns(chance.randint(16, 38), chance)
        score = score_by(solver, stones_of(drop(START, columns)))
        others = other_solver.mtdf(Board(columns))
        assert score == score_from_stones_left(others, len(columns)), columns
        scores.add(score)
    assert len(scores) > 10


def test_a_score_is_the_number_of_free_cells_plus_one(solver: Solver) -> None:
    # Three stones of the first player in the bottom row: the seventh stone wins.
    to_win = stones_of(drop(START, [0, 0, 1, 1, 2, 2]))
    assert score_by(solver, to_win) == 42 - 7 + 1
    # Three in a row, open at both ends: only one end can be blocked before the seventh stone.
    to_lose = stones_of(drop(START, [2, 2, 3, 3, 4]))
    assert score_by(solver, to_lose) == -(42 - 7 + 1)
    assert score_by(solver, Stones(0, BOARD)) == 0


def test_a_player_who_is_proved_hopeless_does_not_win(other_solver: BitBully) -> None:
    chance = random.Random(31)
    found = {0: 0, 1: 0}
    while found[0] < 30 or found[1] < 10:
        columns, own, taken = list[int](), 0, 0
        length = chance.choice([24, 28, 32, 37, 39])
        while len(columns) < length and not has_four(own ^ taken):
            column = chance.randrange(COLUMNS)
            move = landing_cell(taken, column)
            if move & BOARD:
                columns.append(column)
                own, taken = own ^ taken, taken | move
        stones = Stones(own, taken)
        if has_four(own ^ taken) or wins_at_once(stones):
            continue
        if is_hopeless(own, taken, length):
            found[length % 2] += 1
            assert other_solver.mtdf(Board(columns)) <= 0, columns


def test_a_line_of_lower_cells_of_pairs_may_win() -> None:
    # The bottom row consists of lower cells, so the first player may get all of it.
    assert not cannot_win(0, 0)


def test_the_search_can_be_stopped_between_slices() -> None:
    looks = count()
    empty = stones_of(START)
    stopped = Solver(SMALL_TABLE_BITS)
    assert stopped.game_value(empty, lambda: next(looks) >= 2) is None
    assert next(looks) == 3, "checked before each slice"
    assert stopped.nodes == 2 * NODES_PER_SLICE


def test_the_size_of_slices_does_not_change_the_result() -> None:
    chance = random.Random(3)
    whole, sliced = Solver(SMALL_TABLE_BITS, 10**9), Solver(SMALL_TABLE_BITS, 7)
    for _ in range(20):
        stones = stones_of(drop(START, random_columns(20, chance)))
        assert whole.bound(stones, 1) == sliced.bound(stones, 1)
        assert whole.nodes == sliced.nodes


def test_the_best_move_has_the_best_score_there_is(solver: Solver, other_solver: BitBully) -> None:
    chance = random.Random(9)
    for _ in range(60):
        columns = random_columns(chance.randint(18, 36), chance)
        position = drop(START, columns)
        move = cell_of(Root(stones_of(position), solver, never).best_move())
        assert position.allows(move)
        scores = other_solver.score_all_moves(Board(columns))
        assert scores[move.column] == max(scores.values())


def test_without_time_to_solve_it_avoids_quick_losses(other_solver: BitBully) -> None:
    chance = random.Random(21)
    for seed in range(6):
        columns = random_columns(12, chance)
        bot = PerfectBot(seed, ticking_clock(0.001), seconds_per_move=0.15)
        move = bot.choose(drop(START, columns), Seat.FIRST, None)
        scores = other_solver.score_all_moves(Board(columns))
        # A loss within twelve moves of both scores -9 or less with twelve stones on the board.
        if max(scores.values()) > -9:
            assert scores[move.column] > -9


@pytest.mark.parametrize("seat", list(Seat))
def test_won_positions_are_won_against_random_and_best_moves(seat: Seat, solver: Solver) -> None:
    chance = random.Random(77 + seat.value)
    games = 0
    while games < 8:
        position = drop(START, random_columns(16 if seat is Seat.FIRST else 17, chance))
        if solver.game_value(stones_of(position)) != 1:
            continue
        games += 1
        bot = PerfectBot(games, ticking_clock(0.0001))
        while position.outcome is None:
            if position.to_move is seat:
                move = bot.choose(position, seat, None)
            elif games % 2:
                move = chance.choice(list(position.legal_moves()))
            else:
                move = cell_of(Root(stones_of(position), solver, never).best_move())
            position = position.after(move)
        assert position.outcome.winner is seat


@pytest.mark.parametrize("game", [ConnectFour(3), ConnectFour(5), ConnectFour(4, Gravity.FREE)])
def test_on_other_terms_it_plays_by_the_general_search(game: ConnectFour) -> None:
    bot = PerfectBot(1, ticking_clock(0.005), seconds_per_move=0.5)
    position = game.start(0)
    for _ in range(4):
        assert position.to_move is not None
        position = position.after(bot.choose(position, position.to_move, None))


@pytest.mark.parametrize("gravity", [Gravity.STRICT, Gravity.COLUMN])
def test_other_kinds_of_gravity_are_solved_as_well(gravity: Gravity) -> None:
    position = ConnectFour(4, gravity).start(0)
    for column, row in ((0, 5), (6, 5), (1, 5), (6, 4), (2, 5), (5, 5)):
        position = position.after(Cell(column, row))
    assert PerfectBot(1, ticking_clock(0.001)).choose(position, Seat.FIRST, None) == Cell(3, 5)


def test_the_book_knows_who_wins_after_each_first_move() -> None:
    assert book.value(Stones(0, 0)) == 1
    after = [book.value(Stones(0, landing_cell(0, column))) for column in range(COLUMNS)]
    assert after == [1, 1, 0, -1, 0, 1, 1]


@pytest.mark.parametrize("stones", range(9))
def test_the_book_agrees_with_another_solver(stones: int) -> None:
    with_its_book = BitBully()
    chance = random.Random(stones)
    for _ in range(100):
        columns = random_columns(stones, chance)
        position = stones_of(drop(START, columns))
        assert book.value(position) == sign(with_its_book.mtdf(Board(columns))), columns
        image = Stones(mirrored(position.own), mirrored(position.taken))
        assert book.value(image) == book.value(position)


def test_the_book_has_no_value_for_more_stones_or_impossible_positions() -> None:
    assert book.value(stones_of(drop(START, random_columns(9, random.Random(1))))) is None
    assert book.value(Stones(0, 3)) is None


def test_a_position_is_restored_from_its_key() -> None:
    for key in random.Random(1).sample(book.stored_keys().tolist(), 200):
        assert book.key_of(*stones_of_key(key)) == key


def test_the_book_agrees_with_our_solver() -> None:
    solver = Solver()
    sample = random.Random(2).sample(book.stored_keys().tolist(), 120)
    quick = [stones for stones in map(stones_of_key, sample) if is_soon_decided(stones)]
    assert len(quick) > 5
    for stones in quick:
        assert book.value(stones) == solver.game_value(stones)


def is_soon_decided(stones: Stones) -> bool:
    """Return True if the opponent threatens to win: such positions are solved quickly."""
    own, taken = stones
    return winning_cells(own ^ taken, taken) & reachable_cells(taken) != 0


@pytest.mark.parametrize("stones", [0, 3, 5, 6, 7])
def test_in_the_opening_every_move_has_the_best_value(stones: int) -> None:
    with_its_book = BitBully()
    chance = random.Random(stones)
    bot = PerfectBot(1, ticking_clock(0.005), seconds_per_move=0.2)
    for _ in range(20):
        columns = random_columns(stones, chance)
        position = drop(START, columns)
        move = bot.choose(position, position.next_seat, None)
        scores = with_its_book.score_all_moves(Board(columns))
        assert sign(scores[move.column]) == sign(max(scores.values())), columns


def test_the_evaluation_counts_open_lines() -> None:
    assert [len(lines(length)) for length in (3, 4, 7)] == [98, 69, 6]
    position = drop(START, [3])
    assert evaluate(position, Seat.FIRST) == -evaluate(position, Seat.SECOND) == 2.0 * 7
    assert evaluate(drop(START, [3, 0]), Seat.FIRST) == 2.0 * (7 - 3)

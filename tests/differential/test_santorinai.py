"""Compare Santorini with SantorinAI, another engine of the game, worker by worker.

SantorinAI has the board and placements of our default terms and the same rules for a step and a
build. Otherwise its turns differ, so it does not play whole games on its own:

* Its four pawns move in rotation, without a choice between a player's two pawns. So both pawns of
  the player to move are queried, and the one that has moved is set.
* A pawn that cannot move is skipped, and the game ends when no pawn can move; here a player who
  cannot move loses (SR-07). So at such an end the loser's pawns are queried.
* It lists a step to the third level once for every cell that could be built on after it; here this
  is a single turn without a build (SR-04).

Its x and y, with y to the north, are used as row and column, because the rules are the same on a
rotated and mirrored board.
"""

import random
from collections.abc import Iterator

from santorinai.board import Board
from santorinai.pawn import Pawn

from gamehall.core import Seat
from gamehall.games.santorini import Cell, Move, Place, Santorini, SantoriniPosition, Turn

GAMES = 300
CELLS = [Cell(row, column) for row in range(5) for column in range(5)]


def test_300_random_games_agree_with_santorinai() -> None:
    chance = random.Random(2023)
    ends = {compare_game(chance) for _ in range(GAMES)}
    assert len(ends) == 4, "each player must win by the third level and by a stuck opponent"


def compare_game(chance: random.Random) -> tuple[Seat, bool]:
    """Play one random game on both. Return the winner, and True if it won on the third level."""
    theirs, now = Board(2), Santorini().start(0)
    move: Move | None = None
    while now.outcome is None:
        assert theirs.winner_player_number is None
        assert now.to_move is not None
        moves = list(now.legal_moves())
        assert set(moves) == choices(theirs, now.to_move)
        move = chance.choice(moves)
        play(theirs, move)
        now = now.after(move)
        assert_same_board(theirs, now)
    winner = now.outcome.winner
    assert winner is not None
    on_third_level = isinstance(move, Turn) and move.build is None
    if on_third_level:
        assert theirs.winner_player_number == winner.value
    else:
        assert choices(theirs, winner.other) == set()
    return winner, on_third_level


def choices(theirs: Board, seat: Seat) -> set[Move]:
    """Return the legal moves of a player in SantorinAI, as our moves."""
    next_pawn = theirs.get_playing_pawn()
    if next_pawn.pos == (None, None):
        assert next_pawn.player_number == seat.value
        return {Place(Cell(*cell)) for cell in theirs.get_possible_movement_positions(next_pawn)}
    return {turn for pawn in pawns_of(theirs, seat) for turn in turns_of(theirs, pawn)}


def turns_of(theirs: Board, pawn: Pawn) -> Iterator[Turn]:
    for to, build in theirs.get_possible_movement_and_building_positions(pawn):
        wins = theirs.board[to[0]][to[1]] == 3
        yield Turn(Cell(*pawn.pos), Cell(*to), None if wins else Cell(*build))


def play(theirs: Board, move: Move) -> None:
    match move:
        case Place(cell):
            done, refusal = theirs.place_pawn(cell)
        case Turn(origin, to, build):
            theirs.pawn_turn = next(pawn.number for pawn in theirs.pawns if pawn.pos == origin)
            done, refusal = theirs.play_move(to, build)
    assert done, refusal


def assert_same_board(theirs: Board, now: SantoriniPosition) -> None:
    assert [now.height(cell) for cell in CELLS] == [theirs.board[x][y] for x, y in CELLS]
    for seat in Seat:
        placed = [pawn.pos for pawn in pawns_of(theirs, seat) if pawn.pos != (None, None)]
        assert list(now.workers_of(seat)) == placed


def pawns_of(theirs: Board, seat: Seat) -> list[Pawn]:
    return [pawn for pawn in theirs.pawns if pawn.player_number == seat.value]

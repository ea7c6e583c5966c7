"""Santorini against SantorinAI, another engine of the game, worker by worker.

SantorinAI has the board of 5 by 5 and the placements of our default terms, and the same rules for
a step and for a build. What it makes of them differs, so it cannot play whole games on its own:

* Its four pawns take their turns one after the other, and a player has no choice between two. So
  it is asked about both pawns of the player to move, and told which of them it was that moved.
* A pawn that cannot move is passed over, and the game ends when none of all four can; here who
  cannot move either worker has lost (SR-07). So at such an end it is asked about the loser's pawns.
* It lists a step onto the third level once for every cell that could be built on after it, though
  that step wins and nothing is built; here this is a single turn without a build (SR-04).

Its coordinates are named x and y, y towards the north. They are taken as row and column: a board
that is turned and mirrored has the same rules.
"""

import random
from collections.abc import Iterator

from santorinai.board import Board
from santorinai.pawn import Pawn

from gamehall.core import Seat
from gamehall.games.santorini import Cell, Move, Place, Santorini, SantoriniPosition, Turn

GAMES = 300
CELLS = [Cell(row, column) for row in range(5) for column in range(5)]


def test_worker_by_worker_like_santorinai_over_300_random_games() -> None:
    chance = random.Random(2023)
    ends = {play_alike(chance) for _ in range(GAMES)}
    assert len(ends) == 4, "both players won, both by the third level and by a stuck opponent"


def play_alike(chance: random.Random) -> tuple[Seat, bool]:
    """Plays one game at random on both; who won, and whether on the third level."""
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
    """What SantorinAI lets a player do, in our words."""
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

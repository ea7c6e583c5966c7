"""The kernels of Santorini: random games beside SantorinAI, and the search."""

import random
from importlib.util import find_spec
from itertools import count

from gamehall.bench.kernels_contest import Contest, repeated
from gamehall.bots.santorini.board import neighbours_of, playouts
from gamehall.bots.santorini.bot import Searcher
from gamehall.games.santorini import Santorini, SantoriniPosition

SIZE = 5
GAMES_AT_A_TIME = 2_000
DEPTH = 4
WITHOUT_SANTORINAI = "SantorinAI is not installed, so it is left out: make test installs it"


def playouts_contest() -> Contest:
    """Whole games at random, by the kernel and by SantorinAI."""
    seeds, neighbours = count(1), neighbours_of(SIZE)

    def play() -> float:
        playouts(GAMES_AT_A_TIME, next(seeds), neighbours)
        return GAMES_AT_A_TIME

    def warm_up() -> bool:
        return play() > 0

    name, unit = "Santorini playouts", "games"
    if find_spec("santorinai") is None:
        return Contest(name, unit, repeated(play), agrees=warm_up, why_alone=WITHOUT_SANTORINAI)
    other = repeated(play_santorinai)
    return Contest(name, unit, repeated(play), "SantorinAI", other, warm_up)


def play_santorinai() -> float:
    """One random game by SantorinAI, in the way of its own tester: a player sees a copy.

    The rules differ in that its four pawns move in turn, which gives it fewer moves to list.
    """
    from santorinai.board import Board
    from santorinai.player_examples.random_player import RandomPlayer

    board = Board(2)
    players = (RandomPlayer(), RandomPlayer())
    for number in range(4):
        seen = board.copy()
        board.place_pawn(players[number % 2].place_pawn(seen, seen.get_playing_pawn()))
    while not board.is_game_over():
        pawn = board.get_playing_pawn()
        if not board.get_possible_movement_positions(pawn):
            board.next_turn()
            continue
        seen = board.copy()
        player = players[pawn.player_number - 1]
        board.play_move(*player.play_move(seen, seen.get_playing_pawn()))
    return 1.0


def search_contest() -> Contest:
    """Positions that the search looks at, in random positions of the early game."""
    searcher = Searcher()
    chance = random.Random(5)

    def search_one() -> float:
        before = searcher.nodes
        searcher.search(random_position(6, chance), deepest=DEPTH)
        return searcher.nodes - before

    def warm_up() -> bool:
        return search_one() > 0

    return Contest("Santorini search", "nodes", repeated(search_one), agrees=warm_up)


def random_position(turns: int, chance: random.Random) -> SantoriniPosition:
    """After so many random turns that leave the game open; no more than placements for 0."""
    while True:
        position = Santorini(SIZE).start(0)
        while position.outcome is None and (position.is_placing or turns > 0):
            turns -= 0 if position.is_placing else 1
            position = position.after(chance.choice(list(position.legal_moves())))
        if position.outcome is None:
            return position

"""The evaluation of Santorini, compiled: the same numbers as evaluation.py, for the kernel."""

from gamehall.bots.compiled import compiled
from gamehall.bots.santorini.board import ONE, OTHER_A, OWN_A, THREE, TWO, Numbers
from gamehall.bots.santorini.evaluation import (
    WORTH_OF_CLIMB,
    WORTH_OF_HEIGHT,
    WORTH_OF_RING,
    WORTH_OF_STEP,
    WORTH_OF_THREAT,
)
from gamehall.bots.santorini.turns import height_at, number_of, occupied_in, reach_of


@compiled
def worth_of_workers(
    board: Numbers, neighbours: Numbers, rings: Numbers, workers: int, occupied: int
) -> int:
    """What both workers of a player are worth together.

    workers: where in the board they are, OWN_A or OTHER_A.
    """
    worth = 0
    for place in range(workers, workers + 2):
        cell = board[place]
        height = height_at(board, cell)
        reach = reach_of(board, neighbours, cell, occupied)
        worth += WORTH_OF_HEIGHT[height] + WORTH_OF_RING[rings[cell]]
        worth += WORTH_OF_STEP * number_of(reach)
        if height == 0:
            worth += WORTH_OF_CLIMB[0] * number_of(reach & board[ONE])
        elif height == 1:
            worth += WORTH_OF_CLIMB[1] * number_of(reach & board[TWO])
        worth += WORTH_OF_THREAT * number_of(reach & board[THREE])
    return worth


@compiled
def judge(board: Numbers, neighbours: Numbers, rings: Numbers) -> int:
    """How much better the own workers stand than those of the other."""
    occupied = occupied_in(board)
    own = worth_of_workers(board, neighbours, rings, OWN_A, occupied)
    return own - worth_of_workers(board, neighbours, rings, OTHER_A, occupied)

"""Searches and bots that play any game.

    evaluation.py  the value of a position, and guesses at hidden cards
    alpha_beta.py  alpha-beta search with iterative deepening
    mcts.py        Monte Carlo tree search
    bots.py        the bots that use them

A search needs only the legal moves, the position after a move, and the outcome. Players need not
take turns. Where cards are hidden, a search looks at determinizations: full positions that are
consistent with what the player sees.
"""

from gamehall.bots.bot import BotKind

BOTS = (
    BotKind(
        name="mcts",
        game=None,
        summary="Monte Carlo tree search with random playouts",
        place="gamehall.bots.search.bots:MctsBot",
        seconds_per_move=1.0,
    ),
    BotKind(
        name="alpha-beta",
        game=None,
        summary="alpha-beta search with iterative deepening",
        place="gamehall.bots.search.bots:AlphaBetaBot",
        seconds_per_move=1.0,
    ),
    BotKind(
        name="greedy",
        game=None,
        summary="makes the move that looks best one move ahead",
        place="gamehall.bots.search.bots:GreedyBot",
    ),
)

"""Searches for any game: what they know of it is its positions.

    evaluation.py  what a position is worth, and what may be hidden in it
    alpha_beta.py  looks at all moves, to a depth that grows as long as there is time
    mcts.py        plays games at random, and oftener where they went well
    bots.py        bots that play by them

A search asks nothing of a game but legal moves, the position after one, and the outcome. Players
need not take turns: whoever is to move makes the choice. Where cards lie hidden, a search looks at
worlds, which are positions as they may be; the one who asks says how such a world is made.
"""

from gamehall.bots.bot import BotKind

BOTS = (
    BotKind(
        name="mcts",
        game=None,
        summary="plays on at random, oftener where it went well",
        place="gamehall.bots.search.bots:MctsBot",
        seconds_per_move=1.0,
    ),
    BotKind(
        name="alpha-beta",
        game=None,
        summary="looks ahead at all moves, deeper and deeper",
        place="gamehall.bots.search.bots:AlphaBetaBot",
        seconds_per_move=1.0,
    ),
    BotKind(
        name="greedy",
        game=None,
        summary="makes the move that looks best at once",
        place="gamehall.bots.search.bots:GreedyBot",
    ),
)

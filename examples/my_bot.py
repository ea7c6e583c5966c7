"""A bot in ten lines: it wins if it can at once, and otherwise moves at random.

Have it play: gamehall bot tttp://localhost:7003 --bot examples/my_bot.py:MyBot
"""

import random

from gamehall.bots import Bot


class MyBot(Bot):
    """Plays any game that the hall knows."""

    def choose(self, position, seat, seconds_left):
        """The move that `seat` makes in this position."""
        moves = list(position.legal_moves())
        for move in moves:
            outcome = position.after(move).outcome
            if outcome is not None and outcome.winner is seat:
                return move
        return random.choice(moves)

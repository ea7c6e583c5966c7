"""The numbers by which the planner makes honor of everything else.

They were found by matches: a planner with some of them changed met the greedy bot, or a planner
without the change, in hundreds of games at the same tables.

    gamehall arena ascension mine.py:Changed greedy --games 600

where `Changed` is a class of one's own that plays as a PlannerBot with other weights.

Near these numbers the play is about equally strong: of a dozen changes that were tried so, in 600
to 1,000 games each, none moved the share of wins by more than 2 of 100. What cards come to in a
usual turn (`yields`) was corrected where a regression of the final margin on the cards of both
players, over 1,200 matches of planners with numbers strewn at random, said that one is worth far
more or less.
"""

from typing import NamedTuple


class Weights(NamedTuple):
    """What things are worth, in honor at the end of the game."""

    rune: float = 0.45
    """What a rune of the last turn is worth."""
    rune_per_round: float = 0.03
    """How much more it is worth for each round that is left."""
    power: float = 0.7
    """What 1 power is worth."""
    banished: float = 0.2
    """What it is worth to be able to banish a card, beyond what that adds now."""
    growth: float = 0.01
    """By how much an average card of the deck gets better for each round that is left."""
    slot: float = 0.95
    """How much of an average card each further card of the deck takes the place of."""
    pace_growth: float = 0.35
    """How much more honor both together take from the pool, round by round."""
    honor_per_power: float = 0.7
    """How much honor a player takes from the pool with 1 power."""
    denial: float = 0.1
    """What it is worth to take away what is worth 1 to the opponent."""


WEIGHTS = Weights()
"""What the planner goes by."""

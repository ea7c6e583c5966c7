"""Bots for Ascension: two simple ones to measure others by, and a strong one.

    infantry    buys Heavy Infantry and defeats Cultists
    greedy      takes the most honor now
    planner     thinks of the whole match

The simple ones are in baselines.py. How the planner chooses a move:

    memory.py     which hidden cards are whose, and positions that look like the one that is seen
    appraisal.py  what a card adds to a player's honor at the end, and how the match stands
    spending.py   every way to spend the runes and the power of a turn, and the best
    habits.py     a whole turn, choices included; cheap enough to play matches out with
    planner.py    the bot: near the end it compares moves by playing the match out

`gamehall arena ascension planner greedy infantry` says how strong it is.
"""

from gamehall.bots.bot import BotKind

BOTS = (
    BotKind(
        name="planner",
        game="ascension",
        summary="plans its turns for the whole match",
        place="gamehall.bots.ascension.planner:PlannerBot",
        seconds_per_move=0.2,
    ),
    BotKind(
        name="greedy",
        game="ascension",
        summary="takes the most honor now",
        place="gamehall.bots.ascension.baselines:GreedyAscensionBot",
    ),
    BotKind(
        name="infantry",
        game="ascension",
        summary="buys Heavy Infantry and defeats Cultists",
        place="gamehall.bots.ascension.baselines:InfantryBot",
    ),
)

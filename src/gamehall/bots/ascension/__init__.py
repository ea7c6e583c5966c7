"""Bots for Ascension.

    infantry    buys Heavy Infantry and defeats Cultists: a baseline
    greedy      takes the most honor now: a baseline
    planner     plans for the whole match

The baselines are in baselines.py. The planner consists of

    memory.py     what is known of hidden cards, and full positions consistent with it
    appraisal.py  the value of a card in honor at the end, and the prospects of the match
    spending.py   the best way to spend the runes and the power of a turn
    habits.py     a whole turn without looking ahead, quick enough for playouts
    planner.py    the bot, which compares moves by playouts near the end of the match

`gamehall arena ascension planner greedy infantry` measures how strong it is.
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

"""Bots for Ascension: two simple ones to measure others by, and a strong one.

    infantry    buys Heavy Infantry and defeats Cultists
    greedy      takes the most honor now
    planner     thinks of the whole match

How the planner comes to a move:

    memory      whose the cards are that lie hidden now, from what its seat has seen
    yields      what each card gives when it is drawn, or in each turn that it is in play
    weights     the numbers by which runes, power and cards become honor
    appraisal   what acquiring or banishing a card adds to a player's honor at the end
    situation   how many rounds are left, and what a turn's gain means for the match
    spending    every way to spend the runes and the power of a turn on what is seen, and the best
    choosing    the options of choices, ranked in the same sense
    habits      all that as a whole turn, which is cheap enough to play matches out with
    worlds      positions that look the same as the one that is seen
    rollouts    near the end: several moves compared, by playing the match out in such worlds

`gamehall arena ascension planner greedy infantry` says how strong it is.
"""

from gamehall.bots.kind import BotKind

BOTS = (
    BotKind(
        "planner",
        "ascension",
        "plans its turns for the whole match",
        "gamehall.bots.ascension.planner:PlannerBot",
        0.2,
    ),
    BotKind(
        "greedy",
        "ascension",
        "takes the most honor now",
        "gamehall.bots.ascension.greedy:GreedyBot",
    ),
    BotKind(
        "infantry",
        "ascension",
        "buys Heavy Infantry and defeats Cultists",
        "gamehall.bots.ascension.infantry:InfantryBot",
    ),
)

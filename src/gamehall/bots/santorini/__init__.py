"""Santorini: `strong` looks ahead as deep as time permits.

`strong` is an alpha-beta search, compiled, that goes deeper and deeper; it sees wins in one and
what must be blocked before it looks at anything else. Both sizes of the board and all orders of
placing are played. The last worker is placed where a short search of what follows likes it best.

    evaluation.py  what a position is worth: stated here once, for people and for any search
    board.py       boards as numbers, and the rules, compiled: steps, builds, threats, random games
    kernel.py      the search and the same evaluation, compiled; says what makes it quick
    bot.py         the bot: asks the kernel deeper and deeper, and stops it when time is up
"""

from gamehall.bots.bot import BotKind

BOTS = (
    BotKind(
        name="strong",
        game="santorini",
        summary="looks ahead at all turns, many deep",
        place="gamehall.bots.santorini.bot:StrongBot",
        seconds_per_move=1.0,
    ),
)

"""Santorini: `strong` is a compiled alpha-beta search with iterative deepening.

It plays on both sizes of the board and with all orders of placement. The last worker is placed by a
shallow search, the others by the evaluation alone.

    evaluation.py  the evaluation, for general searches and as the reference for the kernel
    board.py       boards as numbers, and the compiled rules: steps, builds, threats
    kernel.py      the compiled search with its own evaluation; its docstring explains how it works
    bot.py         the bot: runs the kernel deeper and deeper until the time is up
"""

from gamehall.bots.bot import BotKind

BOTS = (
    BotKind(
        name="strong",
        game="santorini",
        summary="alpha-beta search, many turns deep",
        place="gamehall.bots.santorini.bot:StrongBot",
        seconds_per_move=1.0,
    ),
)

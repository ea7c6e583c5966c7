"""Connect Four: `perfect` solves the position, and plays the best move if it finds it in time.

With up to seven stones on the board, a book says which moves win. Later the bot searches to the end
of the game, which usually takes less than a second, and prefers quick wins and slow losses as far
as time permits. If the time is up before that, it uses the bounds found so far. It looks for forced
losses within twelve plies first, and avoids them if possible.

The solver is for lines of four with gravity. On other terms (another line length, or no gravity)
the bot uses the general alpha-beta search, and is not perfect.

    bits.py         boards as bit sets
    kernel.py       the compiled search; its docstring explains how it works
    solver.py       calls the kernel until it is done or the time is up
    book.py         the opening book, whose values are in opening_book.py
    evaluation.py   a heuristic evaluation on any terms, for general searches
    bot.py          the bot: narrows the bounds of each move's score
"""

from gamehall.bots.bot import BotKind

BOTS = (
    BotKind(
        name="perfect",
        game="connect-four",
        summary="solves the game, and plays the best move if it finds it in time",
        place="gamehall.bots.connect_four.bot:PerfectBot",
        seconds_per_move=1.0,
    ),
)

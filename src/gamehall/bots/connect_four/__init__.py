"""Connect Four, solved: `perfect` plays the best move wherever it can be known in time.

`perfect` searches to the end of the game. It prefers a win to a draw and a draw to a loss, then the
quicker win and the slower loss. With the usual second for a move it knows whether a position is won
almost always from twelve stones on, and most often from eight; before that it follows an opening
book as far as that goes. What it does not come to know in time it still judges as far as it has
seen: it never lets the opponent force a win in twelve moves of both if that can be helped.

It is made for lines of four under gravity, both kinds of it, which is the usual game. On other
terms (another line length, or no gravity) it plays by the readable alpha-beta search, and is not
perfect.

    bits.py         boards as numbers, and what is done with them
    kernel.py       the search, compiled; its docstring says what makes it quick
    solver.py       asking the kernel, and stopping it when time is up
    root.py         which move is best, as far as is known: bounds for each, which get closer
    book.py         the opening book, and the command that computes it
    evaluation.py   a judgement of any position on any terms, for searches that do not see the end
    perft.py        counting all games of some length, for measurements
    bot.py          the bot
"""

from gamehall.bots.kind import BotKind

BOTS = (
    BotKind(
        "perfect",
        "connect-four",
        "solves the game: the best move wherever it can be known in time",
        "gamehall.bots.connect_four.bot:PerfectBot",
        1.0,
    ),
)

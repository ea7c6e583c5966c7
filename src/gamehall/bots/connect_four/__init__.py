"""Connect Four, solved: `perfect` plays the best move wherever it can be known in time.

`perfect` prefers a win to a draw and a draw to a loss. Up to seven stones it has that from a book;
then it searches to the end of the game, for which the usual second for a move does, and prefers the
quicker win and the slower loss as far as time permits. What it does not come to know in time it
still judges as far as it has seen: it never lets the opponent force a win in twelve moves of both
if that can be helped.

It is made for lines of four under gravity of whatever kind, which is the usual game. On other
terms (another line length, or no gravity) it plays by the readable alpha-beta search, and is not
perfect.

    bits.py         boards as numbers, what is done with them, and perft
    kernel.py       the search, compiled; its docstring says how, and whose ideas it uses
    solver.py       asking the kernel, and stopping it when time is up
    book.py         who wins in the first positions; opening_book.py holds the values
    evaluation.py   a judgement of any position on any terms, for searches that do not see the end
    bot.py          the bot: bounds for each move, which get closer
"""

from gamehall.bots.bot import BotKind

BOTS = (
    BotKind(
        name="perfect",
        game="connect-four",
        summary="solves the game: the best move wherever it can be known in time",
        place="gamehall.bots.connect_four.bot:PerfectBot",
        seconds_per_move=1.0,
    ),
)

"""A bot that plays Go: Monte Carlo tree search, compiled.

It plays the position out many thousand times, and goes down a tree of what has been won so far to
choose where the next playout begins. What it is made of is well known; those who found it:

* UCT, the search itself: Kocsis, Szepesvari 2006. There is no term for curiosity here, since the
  next two see to that.
* RAVE, which learns from a move wherever it was made in a playout: Gelly, Silver 2007.
* Priors, which are wins and losses that a move has before it was tried: the same; what they are
  made of (captures, shapes, distance from the last move along chains) follows Michi by Baudis 2015.
* Playouts that answer the last move, and shapes of three by three: MoGo, Gelly and others 2006; the
  shapes themselves are Michi's.
  Vital points of eyes: as in Pachi and Fuego.

All of it runs in one compiled function, a few hundred playouts at a time, between two looks at the
clock. The readable rules stay the authority: they say which moves are legal at the root, superko
included; deeper in the tree and in playouts there is simple ko, and suicide is never played. The
tests compare the compiled board with them, position by position.

The rules count every stone that is on the board at the end as alive, so what is dead has to be
captured. The search finds that out by itself: two passes in a row end its games as well, and such
an end is counted exactly. Under territory scoring a stone put onto the board costs a point in the
tree but not in playouts, where both fill what they have.

Boards of 2 to 19 lines, any komi, both ways of scoring. Handicap stones go to the star points.

    bot.py      a move: time, the tree from move to move, handicap stones, resigning
    search.py   down the tree, a playout, and back up
    tree.py     the nodes in arrays, and the priors of new ones
    playout.py  a game to the end, by shapes and random numbers
    tactics.py  eyes, liberties, ladders, and the urgent moves that follow from them
    board.py    stones, chains, liberties, and the area at the end

When a bot is made for the first time on a machine, compiling takes some twenty seconds; `compiled`
says where the result is kept. After that it is half a second.
"""

from gamehall.bots.bot import BotKind

BOTS = (
    BotKind(
        name="mcts",
        game="go",
        summary="plays on with patterns and ladders in mind, oftener where it went well",
        place="gamehall.bots.go.bot:GoMctsBot",
        seconds_per_move=2.0,
    ),
)

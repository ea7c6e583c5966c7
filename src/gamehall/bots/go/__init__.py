"""A Go bot: Monte Carlo tree search, compiled.

Its parts are well known:

* UCT, the search: Kocsis, Szepesvari 2006. Without an exploration term, which RAVE and priors make
  unnecessary.
* RAVE, which learns from a move wherever it was made in a playout: Gelly, Silver 2007.
* Priors, the wins and losses of a move before it was tried: the same. They are computed from
  captures, shapes and the distance from the last move along chains, as in Michi by Baudis 2015.
* Playouts that answer the last move, and shapes of three by three points: MoGo, Gelly and others
  2006. The shapes are Michi's. Vital points of eyes: as in Pachi and Fuego.

The search is one compiled function, which runs some hundred playouts per call. `gamehall.games.go`
says which moves are legal at the root, superko included. Deeper in the tree and in playouts, only
simple ko is checked, and suicide is never played. The tests compare the compiled board with the
rules, position by position.

The rules count every stone on the board at the end as alive, so dead stones must be captured. The
search finds out by itself when to do so: its games also end with two passes in a row, and that end
is scored exactly. Under territory scoring, a stone costs a point in the tree but not in playouts,
where both players fill their own territory.

It plays on boards of 2 to 19 lines with any komi and either scoring. Handicap stones go to the star
points.

    bot.py      a move: time, reuse of the tree, handicap stones, resigning
    search.py   descent in the tree, playout, update
    tree.py     the nodes in arrays, and the priors of new nodes
    playout.py  a game to the end, by shapes and random numbers
    tactics.py  eyes, liberties, ladders, and urgent moves
    board.py    stones, chains, liberties, and area scoring

The first time on a machine, compiling takes some twenty seconds, afterwards loading takes half a
second; `compiled.py` says where the compiled code is cached.
"""

from gamehall.bots.bot import BotKind

BOTS = (
    BotKind(
        name="mcts",
        game="go",
        summary="Monte Carlo tree search with patterns and ladders",
        place="gamehall.bots.go.bot:GoMctsBot",
        seconds_per_move=2.0,
    ),
)

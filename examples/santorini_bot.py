"""A bot for Santorini tournaments (document 001): santorini_bot.py NAME [HOST[:PORT]]"""

import json
import random
import socket
import sys
import time

STEPS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]


def direction(row, column):
    """A step in the words of the document."""
    return [("WEST", "PUT", "EAST")[column + 1], ("NORTH", "PUT", "SOUTH")[row + 1]]


def turns(board, me):
    """Every legal turn, each with the height that it leads to."""
    heights, workers = {}, {}
    for r, row in enumerate(board):
        for c, cell in enumerate(row):
            heights[r, c] = int(str(cell)[0])
            if isinstance(cell, str):
                workers[r, c] = cell[1:]
    for (r, c), worker in workers.items():
        if worker[:-1] != me:
            continue
        for dr, dc in STEPS:
            to = r + dr, c + dc
            if to in workers or heights.get(to, 4) > min(heights[r, c] + 1, 3):
                continue
            if heights[to] == 3:  # the third level wins, without a build
                yield 3, [worker, direction(dr, dc)]
                continue
            for br, bc in STEPS:
                site = to[0] + br, to[1] + bc
                if heights.get(site, 4) < 4 and (site == (r, c) or site not in workers):
                    yield heights[to], [worker, direction(dr, dc), direction(br, bc)]


def play(hall):
    """Plays a tournament, and says whether it was seen to its end."""

    def say(value):
        """One message: a JSON value on a line."""
        print(json.dumps(value), file=hall, flush=True)

    say(name)
    line = hall.readline()  # what the tournament calls us, as soon as it begins
    if not line:
        return False
    me = json.loads(line)
    print(f"{name} is called {me}")
    for line in hall:
        match json.loads(line):
            case ["place", board]:
                size = range(len(board))
                free = [[r, c] for r in size for c in size if board[r][c] == 0]
                say(random.choice(free))
            case ["turn", board]:
                say(max(turns(board, me), key=lambda turn: (turn[0], random.random()))[1])
            case "WINNER" | "LOSER" | "CHEATER" as result:
                print(f"{me}: {result}")
                if result == "CHEATER":
                    return True
            case [list(), list(games)]:
                won, played = sum(g[0] == me for g in games), sum(me in g for g in games)
                print(f"{me}: won {won} of {played}")
                return True
    return False


if len(sys.argv) < 2:
    sys.exit(__doc__)
name = sys.argv[1]
if not (name.isascii() and name.isalpha() and name.islower()):
    sys.exit("a name is of lower-case letters")
host, _, port = (*sys.argv, "localhost")[2].partition(":")
address = ("localhost", int(host)) if host.isdigit() else (host, int(port or 7001))
for _ in range(30):
    try:
        with socket.create_connection(address) as line, line.makefile("rw") as hall:
            if play(hall):
                sys.exit()
    except OSError:
        pass  # there is no hall, or it has gone
    time.sleep(1)
sys.exit("there is no hall, or it does not let us play")

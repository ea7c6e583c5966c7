"""A bot for Santorini tournaments (document 001): python3 examples/santorini_bot.py NAME [PORT]"""

import json
import random
import socket
import sys

STEPS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]

if len(sys.argv) < 2:
    sys.exit(__doc__)
hall = socket.create_connection(("127.0.0.1", int((*sys.argv, "7001")[2]))).makefile("rw")


def say(value):
    """One message: a JSON value on a line."""
    print(json.dumps(value), file=hall, flush=True)


def direction(row, column):
    """A step in the words of the document."""
    return [("WEST", "PUT", "EAST")[column + 1], ("NORTH", "PUT", "SOUTH")[row + 1]]


def turns(board):
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


say(sys.argv[1])
line = hall.readline()  # what the tournament calls us
if not line:
    sys.exit("the hall does not want us: a name is of lower-case letters")
me = json.loads(line)
print("we are called", me)
for line in hall:
    match json.loads(line):
        case ["place", board]:
            size = range(len(board))
            free = [[r, c] for r in size for c in size if board[r][c] == 0]
            say(random.choice(free))
        case ["turn", board]:
            say(max(turns(board), key=lambda turn: (turn[0], random.random()))[1])
        case "WINNER" | "LOSER" | "CHEATER" as result:
            print(result)
        case [list(cheaters), list(games)]:
            print("won", sum(game[0] == me for game in games), "of", sum(me in g for g in games))

"""Watches a game at the TTTP door and draws every board: watch.py NAME [HOST[:PORT]]

A client cannot ask to watch: it is given a free seat if there is one. So this gives the players a
moment to sit down. If it was given a seat all the same, it leaves at once and tries again, each
time later, since that disturbs a player who waits for an opponent.
"""

import socket
import sys
import time

RESULTS = ["Red has won", "Blue has won", "a cat's game", "cancelled"]


def watch(read):
    """Draws every board, and says whether the game was seen to its end."""
    while kind := read(4):
        if kind == b"UPDT":
            turn, won, spots = *read(2), read(42)
            for row in range(0, 42, 7):
                print(*(".RB"[spot] for spot in spots[row : row + 7]))
            if won:
                print(RESULTS[won - 1])
                return True
            print(["Red's turn", "Blue's turn"][turn - 1], end="\n\n", flush=True)
        else:
            lengths = read(3)
            print(read(lengths[0]).decode(), "says:", read(lengths[1] * 256 + lengths[2]).decode())
    return False


if len(sys.argv) < 2:
    sys.exit(__doc__)
name, (host, _, port) = sys.argv[1].encode(), (*sys.argv, "localhost")[2].partition(":")
address = ("localhost", int(host)) if host.isdigit() else (host, int(port or 7003))
for seconds in (1, 2, 4, 8, 16, 32):
    time.sleep(seconds)
    try:
        with socket.create_connection(address) as hall, hall.makefile("rb") as stream:
            hall.sendall(b"JOIN" + bytes([len(name)]) + name)
            code = stream.read(5)[4]
            if code == 3 and watch(stream.read):
                sys.exit()
            if code > 3:
                sys.exit(f"the hall does not let us in: JOIN is answered with {code}")
            print("waiting for two players", flush=True)
    except (OSError, IndexError, ValueError):
        print("waiting for the hall", flush=True)
sys.exit("there was no game to watch")

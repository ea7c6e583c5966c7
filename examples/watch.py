"""Watches a game at the TTTP door and draws every board: watch.py NAME [PORT]"""

import socket
import sys

name, port = sys.argv[1].encode(), int((*sys.argv, "7003")[2])
hall = socket.create_connection(("127.0.0.1", port))
hall.sendall(b"JOIN" + bytes([len(name)]) + name)
read = hall.makefile("rb").read
if read(5)[4] != 3:
    sys.exit("there is a free seat, so this would not be watching: start two players first")
while kind := read(4):
    if kind == b"UPDT":
        turn, won, spots = *read(2), read(42)
        for row in range(0, 42, 7):
            print(*(".RB"[spot] for spot in spots[row : row + 7]))
        if won:
            print(["Red has won", "Blue has won", "a cat's game", "cancelled"][won - 1])
            break
        print(["Red's turn", "Blue's turn"][turn - 1], end="\n\n", flush=True)
    else:
        lengths = read(3)
        print(read(lengths[0]).decode(), "says:", read(lengths[1] * 256 + lengths[2]).decode())

"""Play at random at the TTTP door: random_bot.py NAME [HOST[:PORT]]"""

import random
import socket
import sys
import time

name, (host, _, port) = sys.argv[1].encode(), (*sys.argv, "localhost")[2].partition(":")
address = ("localhost", int(host)) if host.isdigit() else (host, int(port or 7003))
for _ in range(30):  # the server may not run yet, or both seats may be taken
    try:
        with socket.create_connection(address) as server, server.makefile("rb") as stream:
            server.sendall(b"JOIN" + bytes([len(name)]) + name)
            read = stream.read
            seat = read(5)[4]  # the JOIN response: 1 is Red, 2 is Blue, more is no seat
            while seat < 3:
                while read(4) == b"CHAT":  # a chat message: skip it
                    name_length, *text_length = read(3)
                    read(name_length + int.from_bytes(text_length, "big"))
                turn, won, *spots = read(44)  # an UPDT
                if won in (1, 2, 3):  # 4 is a cancelled game: another player may come
                    print(name.decode(), "has won" if won == seat else "has not won")
                    sys.exit()
                if won == 0 and turn == seat:  # drop a piece into a column that is not full
                    time.sleep(0.2)  # so that people can follow
                    column = random.choice([x for x in range(7) if spots[x] == 0])
                    server.sendall(b"PLAY" + bytes([column, 0]))
    except (OSError, IndexError, ValueError):  # there is no server, or it has stopped
        pass
    time.sleep(1)
sys.exit("no server, or no free seat")

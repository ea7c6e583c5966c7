"""A player for the TTTP door, from nothing but the document: random_bot.py NAME [PORT]"""

import random
import socket
import sys
import time

name, port = sys.argv[1].encode(), int((*sys.argv, "7003")[2])
hall = socket.create_connection(("127.0.0.1", port))
hall.sendall(b"JOIN" + bytes([len(name)]) + name)
read = hall.makefile("rb").read
seat = read(5)[4]  # the JOIN response: 1 is Red, 2 is Blue, 3 a spectator, more a refusal
while (update := read(48)) and update[5] == 0:  # an UPDT: nobody has won yet
    if update[4] == seat:  # our turn: drop a piece into any column whose top spot is empty
        time.sleep(0.2)  # for those who watch
        column = random.choice([x for x in range(7) if update[6 + x] == 0])
        hall.sendall(b"PLAY" + bytes([column, 0]))
print(name.decode(), "has won" if update[5:6] == bytes([seat]) else "has not won")

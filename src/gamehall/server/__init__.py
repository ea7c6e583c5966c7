"""The server: sockets, timers and the host of the rooms. It knows no game.

Open `hall.py` first, which opens and closes everything. `door.py` listens, `connection.py` serves
one socket, and `room_host.py` passes requests to rooms, commits their results and delivers them.
"""

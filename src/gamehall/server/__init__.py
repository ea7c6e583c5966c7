"""The thin shell around the rooms: sockets, the time, and nothing that a game would notice.

hall.py opens and closes everything; door.py listens; connection.py drives one session over one
socket, whatever the protocol; room_host.py carries requests into rooms, commits what they decide
and delivers it; timers.py rings when a deadline comes; plan.py says what is to be opened.
"""

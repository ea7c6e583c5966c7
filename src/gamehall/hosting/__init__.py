"""Rooms: who sits where, who plays what, and who hears of it. No bytes, no sockets, no clock.

A room takes requests (requests.py) and gives deliveries of notices (notices.py). So far there is
one kind: open tables, where whoever comes sits down or watches.
"""

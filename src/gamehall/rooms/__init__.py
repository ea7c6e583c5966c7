"""Rooms: who sits where, who plays what, and who hears of it. No bytes, no sockets, no clock.

A room takes requests (requests.py) and gives deliveries of notices (notices.py). There are
three kinds: open tables, where whoever comes sits down or watches; tournaments, where people wait
until they are enough and are then asked for their moves; and tables for two who first agree on the
terms.
"""

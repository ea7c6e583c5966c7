"""Rooms: seats, matches, and the notices that each player receives. No bytes, sockets or clock.

A room takes requests (requests.py) and returns deliveries of notices (notices.py). There are four
kinds: open tables, where a client sits down or watches; tables whose two players first agree on the
terms; a table whose clients poll; and tournaments.
"""

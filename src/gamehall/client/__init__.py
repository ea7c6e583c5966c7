"""The shell of a player: sockets to a server, and engines that run beside.

The server may be ours or anybody's who speaks one of the documents.
"""

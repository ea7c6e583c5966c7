"""Check whether a server, or a client, keeps to its protocol.

Checks are played over real sockets against a black box. For each protocol there is a module with
the checks as small functions, each marked with the clauses that it shows, and one with the player
that they use. `runner` runs them, `checklist` writes the report. `listening` works the other way
round: it is the server, and `guest` notes what the client does.
"""

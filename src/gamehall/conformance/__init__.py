"""Check whether a server, or a client, keeps to its protocol.

This is the part that knows no protocol. The checks of each are in its own folder, as functions
marked with the clauses that they show; they talk to a black box over real sockets. `runner` runs
them and `checklist` writes the report. `listening` works the other way round: it is the server,
and `client_review` judges what the client sends.
"""

"""Check whether a server or a client follows its protocol (`gamehall check`).

The checks of a server are functions in the folder of its protocol, each with the clauses that it
covers. They use real sockets. `runner` runs them, and `checklist` writes the report. To check a
client, `listening` plays the server, and `client_review` judges the client's requests.
"""

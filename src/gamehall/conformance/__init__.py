"""The conformance kit turned outward: is that server, or that client, true to its protocol?

Checks are played over real sockets against a black box. There is a module for each protocol with
the checks as small functions, each marked with the clauses that it shows; `runner` runs them,
`report` tells what was found. `listening` is the other way round: we are the server, and a client
is looked at.
"""

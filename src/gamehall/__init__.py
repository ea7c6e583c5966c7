"""One hall, many doors: a server for two-player turn-based games.

The layers, from the bottom: core, games, play, hosting, wire, protocols; and the shell around them:
server, bench, cli. docs/architecture.md says what each is for.
"""

__version__ = "0.1.0"

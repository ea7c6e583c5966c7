"""One hall, many doors: a server for two-player turn-based games.

The layers, from the bottom: core, games, match, tournaments, rooms, wire, protocols; around them
server, storage, clients and pages. docs/architecture.md says what each is for.
"""

__version__ = "0.1.0"

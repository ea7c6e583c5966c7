"""Bots: given a position, choose a move.

A bot does no I/O. Everything else that a server expects of a client, such as the answer to a
question about the terms, is done by `gamehall.players`, alike for every bot and protocol.
"""

import warnings

from gamehall.bots.bot import Bot, BotError, BotKind, BotResignedError

__all__ = ["Bot", "BotError", "BotKind", "BotResignedError"]


def __getattr__(name: str) -> object:
    """Return a class by its name from before version 0.2, with a warning."""
    if name != "BotResigned":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn("BotResigned is now BotResignedError", DeprecationWarning, stacklevel=2)
    return BotResignedError

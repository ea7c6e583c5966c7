"""Players that think: bots, and how they behave at a door.

A bot sees positions and gives moves; it knows neither clock nor socket nor process. What keeps a
conversation going besides the moves, such as the answer to a question about the terms, is the
visitor's part, which is the same for every bot and every door.
"""

import warnings

from gamehall.bots.bot import Bot, BotError, BotKind, BotResignedError

__all__ = ["Bot", "BotError", "BotKind", "BotResignedError"]


def __getattr__(name: str) -> object:
    """Return what had another name before version 0.2, with a warning."""
    if name != "BotResignedError":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn("BotResignedError is now BotResignedError", DeprecationWarning, stacklevel=2)
    return BotResignedError

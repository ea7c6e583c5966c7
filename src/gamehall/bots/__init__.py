"""Bots: given a position, choose a move.

A bot does no I/O. Everything else that a server expects of a client, such as the answer to a
question about the terms, is done by `gamehall.players`, alike for every bot and protocol.
"""

from gamehall.bots.bot import Bot, BotError, BotKind, BotResignedError

__all__ = ["Bot", "BotError", "BotKind", "BotResignedError"]

"""Every bot that comes with the hall."""

import importlib
import pkgutil
from functools import cache

from gamehall import bots
from gamehall.bots.bot import BotKind

SIMPLEST = "random"
OF_ANY_GAME = (BotKind(SIMPLEST, None, "makes any legal move", "gamehall.bots.bot:RandomBot"),)


class UnknownBot(Exception):
    """There is no such bot. The text tells a person which there are."""


@cache
def all_bots() -> tuple[BotKind, ...]:
    """Return the bots that there are: the BOTS of each folder beside this, those of any game last.

    Each folder lists its best one first.
    """
    found: list[BotKind] = []
    for folder in pkgutil.iter_modules(bots.__path__, bots.__name__ + "."):
        if folder.ispkg:
            found += getattr(importlib.import_module(folder.name), "BOTS", ())
    found += OF_ANY_GAME
    return tuple(sorted(found, key=lambda kind: (kind.game is None, kind.game)))


def bots_for(game: str) -> dict[str, BotKind]:
    """Return the bots that play this game, by name; one for this game goes before one for any."""
    found: dict[str, BotKind] = {}
    for kind in all_bots():
        if kind.game in (None, game):
            found.setdefault(kind.name, kind)
    return found


def find_bot(name: str, game: str) -> BotKind:
    """Return the bot of this name for this game. Raises UnknownBot."""
    found = bots_for(game)
    if name not in found:
        raise UnknownBot(f"there is no bot {name!r} for {game}; there are: {', '.join(found)}")
    return found[name]


def substitutes_for(name: str, game: str) -> tuple[str, ...]:
    """Return the names of the bots that take over, one after the other, when this one has failed.

    First the best of the others, then the simplest, which has the least that could fail.
    """
    others = [other for other in bots_for(game) if other != name]
    return (*others[:1], SIMPLEST)

"""Every bot that there is."""

from functools import cache

from gamehall import bots
from gamehall.bots.bot import BotKind
from gamehall.core import GamehallError
from gamehall.core.discovery import check_name, discover

SIMPLEST = "random"
OF_ANY_GAME = (
    BotKind(
        name=SIMPLEST,
        game=None,
        summary="makes any legal move",
        place="gamehall.bots.bot:RandomBot",
    ),
)


class UnknownBotError(GamehallError):
    """There is no such bot. The text tells a person which there are."""


@cache
def all_bots() -> tuple[BotKind, ...]:
    """Return the bots that there are: the best one of each game first, those of any game last.

    They are BOTS of the folders beside this module, which list their best one first, and of entry
    points. They are looked for once per program.
    """
    found = [*discover(bots, "BOTS", _read).values(), *OF_ANY_GAME]
    return tuple(sorted(found, key=lambda kind: (kind.game is None, kind.game)))


def _read(kinds: object) -> dict[str, BotKind]:
    """Check a list of bots. Raises ValueError."""
    if not isinstance(kinds, list | tuple) or not all(isinstance(kind, BotKind) for kind in kinds):
        raise ValueError(f"bots must be a tuple of BotKind, not {kinds!r}")
    found: dict[str, BotKind] = {}
    for kind in kinds:
        check_name(kind.name)
        if kind.name == SIMPLEST:
            raise ValueError(f"the name {SIMPLEST} is taken")
        if ":" not in kind.place:
            raise ValueError(f"the place of {kind.name} must be MODULE:CLASS, not {kind.place!r}")
        found[f"{kind.name} for {kind.game or 'any game'}"] = kind
    return found


def bots_for(game: str) -> dict[str, BotKind]:
    """Return the bots that play this game, by name; one for this game goes before one for any."""
    found: dict[str, BotKind] = {}
    for kind in all_bots():
        if kind.game in (None, game):
            found.setdefault(kind.name, kind)
    return found


def find_bot(name: str, game: str) -> BotKind:
    """Return the bot of this name for this game. Raises UnknownBotError."""
    found = bots_for(game)
    if name not in found:
        raise UnknownBotError(f"there is no bot {name!r} for {game}; there are: {', '.join(found)}")
    return found[name]


def substitutes_for(name: str, game: str) -> tuple[str, ...]:
    """Return the names of the bots that take over, one after the other, when this one has failed.

    First the best of the others, then the simplest, which has the least that could fail.
    """
    others = [other for other in bots_for(game) if other != name]
    return (*others[:1], SIMPLEST)

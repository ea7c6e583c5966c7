"""The catalogue of bots: those of Gamehall, and those of installed packages."""

from functools import cache

from gamehall import bots
from gamehall.bots.bot import BotKind
from gamehall.core import GamehallError
from gamehall.core.discovery import check_name, discover

RANDOM = BotKind(
    name="random",
    game=None,
    summary="plays random legal moves",
    place="gamehall.bots.bot:RandomBot",
)


class BotChoiceError(GamehallError, ValueError):
    """The text names no bot. The message says why, and what to write instead."""


@cache
def all_bots() -> tuple[BotKind, ...]:
    """Return all bots: those for one game, sorted by game, then those for every game.

    They come from the tuple BOTS of each package beside this module, and from entry points. Each
    tuple lists the strongest bot first.
    """
    found = [*discover(bots, "BOTS", _checked).values(), RANDOM]
    return tuple(sorted(found, key=lambda kind: (kind.game is None, kind.game)))


def _checked(kinds: object) -> dict[str, BotKind]:
    """Check a tuple BOTS, and return its bots under unique names. Raises ValueError."""
    if not isinstance(kinds, list | tuple) or not all(isinstance(kind, BotKind) for kind in kinds):
        raise ValueError(f"bots must be a tuple of BotKind, not {kinds!r}")
    found: dict[str, BotKind] = {}
    for kind in kinds:
        check_name(kind.name)
        if kind.name == RANDOM.name:
            raise ValueError(f"the name {RANDOM.name} is taken")
        if ":" not in kind.place:
            raise ValueError(f"the place of {kind.name} must be MODULE:CLASS, not {kind.place!r}")
        found[f"{kind.name} for {kind.game or 'any game'}"] = kind
    return found


def bots_for(game: str) -> dict[str, BotKind]:
    """Return the bots that play this game, by name.

    Of two bots with the same name, the one made for this game is returned.
    """
    found: dict[str, BotKind] = {}
    for kind in all_bots():
        if kind.game in (None, game):
            found.setdefault(kind.name, kind)
    return found


def find_bot(name: str, game: str) -> BotKind:
    """Return the bot of this name for this game. Raises BotChoiceError."""
    found = bots_for(game)
    if name not in found:
        raise BotChoiceError(f"there is no bot {name!r}; for {game} there are: {', '.join(found)}")
    return found[name]


def substitutes_for(name: str, game: str) -> tuple[str, ...]:
    """Return the names of the bots that take over, one after the other, when this one has failed.

    A substitute is not stronger: first the next weaker bot, then `random`, which is the least
    likely to fail. The strength of a user's own bot is unknown, so `random` follows at once.
    """
    names = list(bots_for(game))
    weaker = names[names.index(name) + 1 :] if name in names else []
    return tuple(dict.fromkeys([*weaker[:1], RANDOM.name]))

"""Two-player turn-based games: rules, bots, and a server for several protocols.

>>> import gamehall
>>> game = gamehall.make("connect-four")
>>> position = game.start()
>>> position = position.after(game.read_move("d1"))
>>> print(position)
6 . . . . . . .
5 . . . . . . .
4 . . . . . . .
3 . . . . . . .
2 . . . . . . .
1 . . . R . . .
  a b c d e f g

The names in `__all__` are the public API (docs/reference/python-api.md). They are imported on
first use, so `import gamehall` alone is quick.

The layers, from the bottom: core, games, match, tournaments, rooms, wire, protocols; around them
server, storage, clients and pages. docs/explanation/architecture.md says what each is for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "Bot",
    "BotError",
    "BotResignedError",
    "Ending",
    "Game",
    "GamehallError",
    "IllegalMove",
    "Outcome",
    "Position",
    "Record",
    "RecordError",
    "Result",
    "Seat",
    "UnknownNameError",
    "games",
    "make",
    "play_match",
]

if TYPE_CHECKING:
    from gamehall.api import make, play_match
    from gamehall.bots import Bot, BotError, BotResignedError
    from gamehall.core import (
        Game,
        GamehallError,
        IllegalMove,
        Outcome,
        Position,
        Seat,
        UnknownNameError,
    )
    from gamehall.match import Ending, Record, RecordError, Result

    def games() -> list[str]:
        """Return the names of all games, including those of installed packages."""

else:
    _MODULES = {
        "Bot": "gamehall.bots",
        "BotError": "gamehall.bots",
        "BotResignedError": "gamehall.bots",
        "Ending": "gamehall.match",
        "Game": "gamehall.core",
        "GamehallError": "gamehall.core",
        "IllegalMove": "gamehall.core",
        "Outcome": "gamehall.core",
        "Position": "gamehall.core",
        "Record": "gamehall.match",
        "RecordError": "gamehall.match",
        "Result": "gamehall.match",
        "Seat": "gamehall.core",
        "UnknownNameError": "gamehall.core",
        "make": "gamehall.api",
        "play_match": "gamehall.api",
    }

    def __getattr__(name: str) -> object:
        """Import a public name on first use: most programs need few of them."""
        if name == "games":
            # This package is also the function `games()`; see gamehall/games/__init__.py.
            return import_module("gamehall.games")
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_MODULES[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})

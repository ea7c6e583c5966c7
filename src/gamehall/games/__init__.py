"""The rules: one folder a game.

A folder is a game by having an attribute GAME, a subclass of Game. Nothing lists the folders:
the catalogue finds them.

>>> import gamehall
>>> gamehall.games()
['ascension', 'connect-four', 'go', 'santorini']
"""

import sys
from types import ModuleType


class _CallableModule(ModuleType):
    """This package and the function `gamehall.games` of the public API, which share a name."""

    def __call__(self) -> list[str]:
        """Return the names of all games, those of installed packages included."""
        from gamehall.games.catalogue import all_games

        return sorted(all_games())


# Python allows a module to be of a subclass of ModuleType. Importing the package sets
# `gamehall.games` to it, whatever stood there before, so a plain function could not stay there.
sys.modules[__name__].__class__ = _CallableModule

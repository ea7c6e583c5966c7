"""The games, one subpackage each.

A subpackage with an attribute GAME, a subclass of Game, is a game. There is no list of them: the
catalogue finds them.

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


# Importing the package sets the attribute `gamehall.games` to the module, which would replace a
# function of that name. Python allows to change a module's class to a subclass of ModuleType.
sys.modules[__name__].__class__ = _CallableModule

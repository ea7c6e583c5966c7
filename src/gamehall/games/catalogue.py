"""Every game that there is."""

import importlib
import pkgutil
from typing import Any

from gamehall import games
from gamehall.core import Game


def all_games() -> dict[str, type[Game[Any]]]:
    """The games by name, found by looking into the folders beside this module."""
    found: dict[str, type[Game[Any]]] = {}
    for folder in pkgutil.iter_modules(games.__path__, games.__name__ + "."):
        if folder.ispkg:
            game: type[Game[Any]] = importlib.import_module(folder.name).GAME
            found[game.name] = game
    return found

"""Every game that there is."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from gamehall import games
from gamehall.core import Game


@cache
def all_games() -> Mapping[str, type[Game[Any]]]:
    """Return the games by name, found by looking into the folders beside this module.

    The folders are listed once per program, since pages ask for a game many times over.
    """
    found: dict[str, type[Game[Any]]] = {}
    for folder in pkgutil.iter_modules(games.__path__, games.__name__ + "."):
        if folder.ispkg:
            game: type[Game[Any]] = importlib.import_module(folder.name).GAME
            found[game.name] = game
    return MappingProxyType(found)

"""The catalogue of all games."""

import sys
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from inspect import isabstract
from types import MappingProxyType
from typing import Any

from gamehall.core import Game, type_of_moves
from gamehall.core.discovery import check_name, discover


@cache
def all_games() -> Mapping[str, type[Game[Any]]]:
    """Return the games by name: GAME of each subpackage, and those of entry points.

    Cached, because pages look up games on every request.
    """
    return MappingProxyType(discover(sys.modules[__package__], "GAME", _read))


def _read(kind: object) -> dict[str, type[Game[Any]]]:
    """Check a game class and return it by name. Raises ValueError."""
    if not (isinstance(kind, type) and issubclass(kind, Game)) or isabstract(kind):
        raise ValueError(f"a game must be a subclass of gamehall.Game, not {kind!r}")
    check_name(getattr(kind, "name", None))
    if not is_dataclass(kind) or not isinstance(getattr(kind, "title", None), str):
        raise ValueError(f"the game {kind.name} must be a dataclass and have a title")
    type_of_moves(kind)
    kind().start()
    return {kind.name: kind}

"""What can be known of a bot before it is loaded."""

import importlib
from typing import Any, NamedTuple

from gamehall.bots.bot import Bot
from gamehall.bots.thinking import Clock


class BotKind(NamedTuple):
    """A bot that comes with the hall, and that anybody can have play."""

    name: str
    game: str | None
    """The game that it plays, None if it plays any."""
    summary: str
    place: str
    """Where its class is, as MODULE:CLASS: some take long to load, and most are not wanted."""
    seconds_per_move: float | None = None
    """How long it thinks unless told otherwise, None if it does not take its time."""

    def make(self, seed: int, clock: Clock, seconds_per_move: float | None = None) -> Bot[Any]:
        """One such bot. `seconds_per_move`: how long it thinks, None: as long as it likes to."""
        module, _, name = self.place.partition(":")
        kind = getattr(importlib.import_module(module), name)
        if self.seconds_per_move is None:
            made: Bot[Any] = kind(seed)
        else:
            made = kind(seed, clock, seconds_per_move or self.seconds_per_move)
        return made

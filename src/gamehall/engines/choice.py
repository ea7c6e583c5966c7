"""Choose a bot by its text on a command line or in a configuration (see `bot_text`)."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from gamehall.bots import Bot
from gamehall.bots.bot import TimeSource
from gamehall.bots.catalogue import BotChoiceError, find_bot
from gamehall.bots.gtp import GtpBot
from gamehall.engines import own_bot
from gamehall.engines.bot_text import GTP, display_name
from gamehall.engines.gtp_program import Engine, EngineStartError, read_command
from gamehall.engines.own_bot import BotLoadError, is_file_of_bot
from gamehall.games.go import Go

SECONDS_TO_WAIT = 2.5
"""If a bot needs longer to start, the user is told why."""
WORDS = "a name that `gamehall bots` lists, FILE.py:CLASS, or gtp:COMMAND for a Go engine"


class GtpEngine(GtpBot):
    """A bot that runs the program of a GTP engine."""

    def __init__(self, command: str) -> None:
        """Raises EngineStartError."""
        self._engine = Engine(command)
        super().__init__(self._engine.ask)

    def close(self) -> None:
        self._engine.close()


class ChosenBot(NamedTuple):
    name: str
    """The short name, without seconds, file or command."""
    make: Callable[[int], Bot[Any]]
    """Creates the bot with a seed. Raises EngineStartError and BotLoadError."""


def choose_bot(
    text: str, game: str, clock: TimeSource, seconds_per_move: float | None = None
) -> ChosenBot:
    """Return the bot that `text` (without seconds) names, for this game. Raises BotChoiceError."""
    if text.startswith(GTP):
        if game != Go.name:
            raise BotChoiceError(f"GTP engines play {Go.name}, and this is {game}")
        command = text.removeprefix(GTP)
        try:
            # Report a wrong command now, rather than when an opponent waits.
            read_command(command)
        except EngineStartError as error:
            raise BotChoiceError(str(error)) from None
        return ChosenBot(display_name(text), lambda _: GtpEngine(command))
    if is_file_of_bot(text):
        try:
            kind = own_bot.load(text)
        except BotLoadError as error:
            raise BotChoiceError(str(error)) from None
        file = Path(text.partition(":")[0])
        return ChosenBot(kind.__name__, lambda _: own_bot.make(kind, file))
    try:
        found = find_bot(text, game)
    except BotChoiceError as error:
        raise BotChoiceError(
            f"{error}; or write FILE.py:CLASS for one of yours, or gtp:COMMAND for an engine that"
            " plays Go"
        ) from None

    def make(seed: int) -> Bot[Any]:
        message = f"getting {found.name} ready; the first time this takes a while"
        is_slow = found.seconds_per_move is not None
        try:
            with message_if_slow(message) if is_slow else nullcontext():
                return found.make(seed, clock, seconds_per_move)
        except (ImportError, AttributeError, TypeError) as error:
            # An installed package may have registered something that is not a bot.
            raise BotLoadError(f"the bot {found.name} cannot be made: {error}") from error

    return ChosenBot(found.name, make)


def check_choice(text: str, game: str) -> None:
    """Raise BotChoiceError if `text` names no bot. A file is not imported: it may do harm."""
    if not is_file_of_bot(text):
        choose_bot(text, game, time.monotonic)


@contextmanager
def message_if_slow(message: str) -> Iterator[None]:
    """Print a message to standard error if the block takes long."""
    timer = threading.Timer(SECONDS_TO_WAIT, lambda: print(message, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


__all__ = [
    "WORDS",
    "BotChoiceError",
    "BotLoadError",
    "ChosenBot",
    "EngineStartError",
    "GtpEngine",
    "check_choice",
    "choose_bot",
]

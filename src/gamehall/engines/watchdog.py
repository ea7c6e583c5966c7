"""Ends the program when a bot hangs so badly that nothing else in the program runs any more."""

import faulthandler
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gamehall.bots import Bot
from gamehall.core import Position, Seat
from gamehall.match import Result

HANGS = "Timeout ("
"""How the line begins that `faulthandler` writes before where the program was."""


class WatchedBot(Bot[Any]):
    """A bot each of whose calls must be over in time, or the program ends with exit code 1.

    This is for bots that hold the interpreter's lock while they hang: no code of ours can run
    then. The timer of `faulthandler` needs no lock, and writes to standard error where the
    program was.
    """

    def __init__(
        self, make: Callable[[], Bot[Any]], seconds_to_make: float, seconds_per_call: float
    ) -> None:
        """`make` makes the bot, for which there is time of its own."""
        self._seconds = seconds_to_make
        with self._watched():
            self._bot = make()
        self._seconds = seconds_per_call

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        with self._watched():
            return self._bot.choose(position, seat, seconds_left)

    def game_over(self, position: Position[Any] | None, seat: Seat | None, result: Result) -> None:
        with self._watched():
            self._bot.game_over(position, seat, result)

    def close(self) -> None:
        # The timer runs on: a call of `choose` may still hang, and keep the program from ending.
        self._start_timer()
        self._bot.close()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        self._start_timer()
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _start_timer(self) -> None:
        if sys.__stderr__ is not None:
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=sys.__stderr__)

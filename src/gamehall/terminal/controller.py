"""Asks a person in a terminal."""

import asyncio
import math
import signal
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from gamehall.players.commands import run_command
from gamehall.players.person import Person
from gamehall.players.shown import LineKind
from gamehall.rooms.requests import Request
from gamehall.terminal.screen import Screen

SECONDS_TO_BOARD = 0.3
"""The pause after which a board is shown on which the person cannot move."""


class TerminalController:
    """Passes typed lines to a person, and shows the person's output on a screen."""

    def __init__(self, person: Person[Any], screen: Screen, is_patient: bool) -> None:
        """`is_patient`: keep a line until the person is asked for one, as with a pipe."""
        self._person = person
        self._screen = screen
        self._is_patient = is_patient
        self._lines: deque[str | None] = deque()
        self._is_leaving = False
        self._is_open = False
        self._wake: Callable[[], None] = lambda: None

    def start(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._leave)

    def act(self, seconds_quiet: float) -> Sequence[Request[Any]]:
        person = self._person
        if not self._is_open and not (self._is_leaving or person.is_done):
            # The client is connected.
            self._is_open = True
            self._screen.open(self._add_line)
        requests = self._take_line()
        if not requests and person.is_stale and seconds_quiet >= SECONDS_TO_BOARD:
            person.show_stale_board()
        self._show()
        if not person.is_done:
            self._screen.prompt(person.prompt)
        return requests

    def seconds_to_wait(self, seconds_quiet: float) -> float | None:
        left = self._person.seconds_left
        due = [left - math.ceil(left) + 1] if left else []
        if self._person.is_stale:
            due.append(SECONDS_TO_BOARD - seconds_quiet)
        return min(due, default=None)

    def tell(self, text: str) -> None:
        self._person.tell(f"{text[:1].upper()}{text[1:]}.", LineKind.WARNING)

    async def close(self) -> None:
        """Restore the terminal."""
        if self._is_open:
            await self._screen.close()

    def _take_line(self) -> list[Request[Any]]:
        """Execute the next typed line."""
        person = self._person
        if self._is_leaving and not person.is_done:
            return person.leave()
        while self._lines and not person.is_done:
            if self._is_patient and not person.is_asked:
                break
            self._show()
            line = self._lines.popleft()
            if line is None:
                return person.leave()
            self._screen.finish_line(person.prompt, line)
            if requests := run_command(person, line):
                return requests
        return []

    def _show(self) -> None:
        shown, self._person.shown = self._person.shown, []
        self._screen.show(shown, self._person.view.marks)

    def _add_line(self, line: str | None) -> None:
        self._lines.append(line)
        self._wake()

    def _leave(self) -> None:
        self._is_leaving = True
        self._wake()

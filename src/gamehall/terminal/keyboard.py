"""Where a person types: standard input, read by a thread, whatever it is."""

import codecs
import os
import termios
import threading
import tty
from collections.abc import Callable
from typing import Any

BYTES_AT_A_TIME = 4096


class Keyboard:
    """Hands on what is typed, letter by letter on a terminal that is live, else line by line."""

    def __init__(self, descriptor: int, is_live: bool) -> None:
        self._descriptor = descriptor
        self._is_live = is_live
        self._before: list[Any] | None = None
        """How the terminal was set."""

    def open(self, hear: Callable[[str], None]) -> None:
        """Has `hear` called, in another thread, with all that is typed; with nothing at the end."""
        self.take_over()
        # A daemon: it waits for keys when the program ends. It reads the descriptor itself, since
        # a buffer that is locked by a thread cannot be closed.
        threading.Thread(target=self._read, args=(hear,), name="keyboard", daemon=True).start()

    def take_over(self) -> None:
        """Sets the terminal to give every key at once and to show none."""
        if self._is_live:
            if self._before is None:
                self._before = termios.tcgetattr(self._descriptor)
            tty.setcbreak(self._descriptor, termios.TCSADRAIN)

    def close(self) -> None:
        """Leaves the terminal as it was."""
        if self._before is not None:
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def _read(self, hear: Callable[[str], None]) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            try:
                typed = os.read(self._descriptor, BYTES_AT_A_TIME)
            except OSError:
                # The terminal is gone, which is as good as its end.
                typed = b""
            text = decoder.decode(typed)
            if text or not typed:
                hear(text)
            if not typed:
                return

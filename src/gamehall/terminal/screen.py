"""Where a person reads and types: lines that scroll, and below them the line being typed."""

import asyncio
import contextlib
import io
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from rich.console import Console

from gamehall.players.shown import BoardView, Marks, Shown
from gamehall.terminal.drawing import draw, draw_line

Complete = Callable[[str], list[str]]
"""Returns what can be typed that begins like this."""

HearLine = Callable[[str | None], None]
"""Takes a line that was typed; None means that the person wants to leave."""


class Screen(ABC):
    """Shows text and boards one below the other, and reads lines."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @abstractmethod
    def open(self, hear: HearLine) -> None:
        """Begin to read; `hear` is called in the running event loop."""

    @abstractmethod
    def show(self, things: Sequence[Shown], marks: Marks) -> None:
        """Show these above the line that is being typed."""

    @abstractmethod
    def prompt(self, words: str) -> None:
        """Show these words before what is typed."""

    @abstractmethod
    def finish_line(self, words: str, line: str) -> None:
        """Leave a typed line on the screen, after the words that were its prompt."""

    @abstractmethod
    async def close(self) -> None:
        """Stop reading, and restore the terminal's settings."""

    def _render(self, things: Sequence[Shown], marks: Marks) -> str:
        columns = self._console.width
        with self._console.capture() as captured:
            for thing in things:
                if isinstance(thing, BoardView):
                    self._console.print()
                    self._console.print(draw(thing, marks, columns))
                else:
                    self._console.print(draw_line(thing))
        return captured.get()

    def _write(self, text: str) -> None:
        self._console.file.write(text)
        self._console.file.flush()


class PlainScreen(Screen):
    """Lines only, for a pipe or a terminal that cannot move its cursor.

    Where a person types, the prompt is written again when something was shown after it. Lines from
    a pipe are repeated after their prompt, so that the output reads like a conversation.
    """

    def __init__(self, console: Console, keys: TextIO) -> None:
        super().__init__(console)
        self._descriptor = keys.fileno()
        self._is_typed_there = keys.isatty()
        self._prompt = ""

    def open(self, hear: HearLine) -> None:
        # A daemon, since it may still wait for a line when the program ends.
        threading.Thread(
            target=self._read, args=(asyncio.get_running_loop(), hear), name="lines", daemon=True
        ).start()

    def show(self, things: Sequence[Shown], marks: Marks) -> None:
        if things:
            self._write(("\n" if self._prompt else "") + self._render(things, marks))
            self._prompt = ""

    def prompt(self, words: str) -> None:
        if self._is_typed_there and not self._prompt:
            self._write(words)
            self._prompt = words

    def finish_line(self, words: str, line: str) -> None:
        if not self._is_typed_there:
            self._write(f"{words}{line}\n")
        self._prompt = ""

    async def close(self) -> None:
        if self._prompt:
            self._write("\n")
            self._prompt = ""

    def _read(self, loop: asyncio.AbstractEventLoop, hear: HearLine) -> None:
        """Pass every line to `hear`, and None at the end."""
        # RuntimeError: the loop is closed, so that nothing is read any more.
        with contextlib.suppress(RuntimeError):
            # OSError: the terminal is gone, which counts as the end of the input.
            with contextlib.suppress(OSError):
                for line in self._lines():
                    loop.call_soon_threadsafe(hear, line)
            loop.call_soon_threadsafe(hear, None)

    def _lines(self) -> Iterator[str]:
        # A file object of its own: sys.stdin, locked by the thread, could not be closed at exit.
        with open(self._descriptor, encoding="utf-8", errors="replace", closefd=False) as lines:
            for line in lines:
                yield line.rstrip("\n")


def open_screen(output: TextIO, keys: TextIO, complete: Complete) -> Screen:
    """Return a screen with line editing if both streams are a terminal that can do it."""
    if isinstance(output, io.TextIOWrapper):
        # What the terminal's encoding cannot express is shown as a question mark.
        output.reconfigure(errors="replace")
    console = Console(file=output, highlight=False, markup=False, emoji=False)
    if keys.isatty() and output.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        # Imported late: a pipe need not wait for it.
        from gamehall.terminal.live_screen import open_live_screen

        return open_live_screen(console, output, keys, complete)
    return PlainScreen(console, keys)

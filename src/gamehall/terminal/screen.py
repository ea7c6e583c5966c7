"""Screens: scrolling output, and below it the line that is being typed."""

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
"""Returns the completions of a beginning."""

OnLine = Callable[[str | None], None]
"""Takes a typed line; None if the person leaves."""


class Screen(ABC):
    """Shows text and boards, and reads lines."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @abstractmethod
    def open(self, on_line: OnLine) -> None:
        """Start reading. `on_line` is called in the running event loop."""

    @abstractmethod
    def show(self, things: Sequence[Shown], marks: Marks) -> None:
        """Show lines and boards above the line that is being typed."""

    @abstractmethod
    def prompt(self, words: str) -> None:
        """Set the prompt."""

    @abstractmethod
    def finish_line(self, words: str, line: str) -> None:
        """Keep a typed line on the screen, after its prompt."""

    @abstractmethod
    async def close(self) -> None:
        """Stop reading, and restore the terminal."""

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
    """A screen without line editing, for a pipe or a terminal that cannot move its cursor.

    In a terminal, the prompt is written again after other output. Lines from a pipe are echoed
    after their prompt, so that the output is complete.
    """

    def __init__(self, console: Console, keys: TextIO) -> None:
        super().__init__(console)
        self._descriptor = keys.fileno()
        self._is_typed_there = keys.isatty()
        self._prompt = ""

    def open(self, on_line: OnLine) -> None:
        # A daemon thread may still wait for a line when the program ends.
        threading.Thread(
            target=self._read, args=(asyncio.get_running_loop(), on_line), name="lines", daemon=True
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

    def _read(self, loop: asyncio.AbstractEventLoop, on_line: OnLine) -> None:
        """Pass every line to `on_line`, and None at the end."""
        # RuntimeError: the loop is closed.
        with contextlib.suppress(RuntimeError):
            # OSError: the terminal is closed, which counts as the end of the input.
            with contextlib.suppress(OSError):
                for line in self._lines():
                    loop.call_soon_threadsafe(on_line, line)
            loop.call_soon_threadsafe(on_line, None)

    def _lines(self) -> Iterator[str]:
        # Not sys.stdin: it could not be closed at exit while this thread reads it.
        with open(self._descriptor, encoding="utf-8", errors="replace", closefd=False) as lines:
            for line in lines:
                yield line.rstrip("\n")


def open_screen(output: TextIO, keys: TextIO, complete: Complete) -> Screen:
    """Return a screen, with line editing if both streams are a capable terminal."""
    if isinstance(output, io.TextIOWrapper):
        # Show characters that the terminal's encoding does not have as question marks.
        output.reconfigure(errors="replace")
    console = Console(file=output, highlight=False, markup=False, emoji=False)
    if keys.isatty() and output.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        # Imported here because it is slow, and not needed with a pipe.
        from gamehall.terminal.live_screen import open_live_screen

        return open_live_screen(console, output, keys, complete)
    return PlainScreen(console, keys)

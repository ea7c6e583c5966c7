"""Where a person reads: lines that scroll, and below them the line that is being typed."""

import io
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console

from gamehall.players.shown import BoardView, Marks, Shown
from gamehall.terminal.drawing import draw, draw_line
from gamehall.terminal.line_editor import LineEditor

CLEAR_LINE = "\r\x1b[K"


class Screen(ABC):
    """Shows things one below the other."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @abstractmethod
    def show(self, things: Sequence[Shown], marks: Marks) -> None:
        """Shows these above the line that is being typed."""

    @abstractmethod
    def prompt(self, words: str, line_editor: LineEditor) -> None:
        """Shows what is typed, after these words."""

    @abstractmethod
    def finish_line(self, words: str, line: str) -> None:
        """The line is typed, after these words, and stays as it is."""

    @abstractmethod
    def redraw(self) -> None:
        """Somebody else may have written over the line: the next prompt is drawn anew."""

    @abstractmethod
    def close(self) -> None:
        """Nothing more is shown."""

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


class LiveScreen(Screen):
    """A terminal that obeys: what comes meanwhile goes above the line that is being typed."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._line = ""
        """What the last line of the terminal shows, with all that moves the cursor."""

    def show(self, things: Sequence[Shown], marks: Marks) -> None:
        if things:
            self._write(CLEAR_LINE + self._render(things, marks))
            self._line = ""

    def prompt(self, words: str, line_editor: LineEditor) -> None:
        line = _fitted(words, line_editor.text, line_editor.cursor, self._console.width - 1)
        if line != self._line:
            self._write(CLEAR_LINE + line)
            self._line = line

    def redraw(self) -> None:
        self._line = ""

    def finish_line(self, words: str, line: str) -> None:
        self._write(CLEAR_LINE + _fitted(words, line, len(line), self._console.width - 1) + "\n")
        self._line = ""

    def close(self) -> None:
        self._write(CLEAR_LINE)


class PlainScreen(Screen):
    """Lines and nothing else, for a pipe or a terminal that does not move its cursor.

    Where a person types, the prompt is written when it is another or something came between;
    otherwise what was typed is repeated, so that the whole reads like a conversation.
    """

    def __init__(self, console: Console, is_typed_there: bool) -> None:
        super().__init__(console)
        self._is_typed_there = is_typed_there
        self._prompt = ""

    def show(self, things: Sequence[Shown], marks: Marks) -> None:
        if things:
            self._write(("\n" if self._prompt else "") + self._render(things, marks))
            self._prompt = ""

    def prompt(self, words: str, line_editor: LineEditor) -> None:
        if self._is_typed_there and not self._prompt:
            self._write(words)
            self._prompt = words

    def finish_line(self, words: str, line: str) -> None:
        if not self._is_typed_there:
            self._write(f"{words}{line}\n")
        self._prompt = ""

    def redraw(self) -> None:
        self._prompt = ""

    def close(self) -> None:
        if self._prompt:
            self._write("\n")


def open_screen(stream: TextIO, is_live: bool, is_typed_there: bool) -> Screen:
    """The screen that writes there; letters that the stream does not have are question marks."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    return LiveScreen(console) if is_live else PlainScreen(console, is_typed_there)


def _fitted(words: str, text: str, cursor: int, columns: int) -> str:
    """The words and as much of the text around the cursor as fits, with the cursor in its place."""
    room = max(8, columns - cell_len(words))
    start = 0
    while cell_len(text[start:cursor]) >= room:
        start += 1
    end = len(text)
    while cell_len(text[start:end]) > room:
        end -= 1
    back = cell_len(text[cursor:end])
    return words + text[start:end] + (f"\x1b[{back}D" if back else "")

"""Keys become lines: a line that can be edited, or lines as they come; and the keyboard."""

import codecs
import os
import termios
import threading
import tty
from collections.abc import Callable
from typing import Any, Protocol

ENTER = "\r\n"
CTRL_C, CTRL_D = "\x03", "\x04"
LINES_REMEMBERED = 100
LONGEST_LINE = 1000

Outcome = str | None
"""A finished line, None if the person wants to leave."""


class LineEditor(Protocol):
    """Turns typed letters into lines."""

    text: str
    """The text so far."""
    cursor: int
    """The position in the text where the next letter is inserted."""

    def press(self, typed: str) -> list[Outcome]:
        """Return the lines that these letters finish; an empty text means the end of the input."""


class PlainLines:
    """Lines as they come, from a pipe or from a terminal that edits them itself."""

    def __init__(self) -> None:
        self.text = ""
        self.cursor = 0
        self._rest = ""

    def press(self, typed: str) -> list[Outcome]:
        *lines, self._rest = (self._rest + typed).split("\n")
        finished: list[Outcome] = [line.rstrip("\r") for line in lines]
        if typed:
            return finished
        last, self._rest = self._rest, ""
        return [last, None] if last else [None]


class Editor:
    """A line that is edited as in a shell.

    Arrows, Home, End, Delete; Ctrl-A, E, B, F, U, K, W; Tab completes; up and down go through
    earlier lines. Ctrl-C leaves, and Ctrl-D does where nothing is typed.
    """

    def __init__(self, complete: Callable[[str], list[str]]) -> None:
        """`complete` returns the possible completions of the beginning of a line."""
        self.text = ""
        self.cursor = 0
        self._complete = complete
        self._earlier: list[str] = []
        self._shown = 0
        """The index of the earlier line that is shown; their number if it is a new one."""
        self._escape: str | None = None
        """The part of an escape sequence that has arrived, None outside of one."""
        self._keys: dict[str, Callable[[], None]] = {
            "\x01": self._home,
            "\x02": self._left,
            "\x05": self._end,
            "\x06": self._right,
            "\x08": self._backspace,
            "\x7f": self._backspace,
            "\x0b": self._cut_rest,
            "\x15": self._cut_beginning,
            "\x17": self._cut_word,
            "\x10": self._older,
            "\x0e": self._newer,
            "\t": self._tab,
        }
        self._long_keys: dict[str, Callable[[], None]] = {
            **dict.fromkeys(("[A", "OA"), self._older),
            **dict.fromkeys(("[B", "OB"), self._newer),
            **dict.fromkeys(("[C", "OC"), self._right),
            **dict.fromkeys(("[D", "OD"), self._left),
            **dict.fromkeys(("[H", "OH", "[1~", "[7~"), self._home),
            **dict.fromkeys(("[F", "OF", "[4~", "[8~"), self._end),
            "[3~": self._delete,
        }

    def press(self, typed: str) -> list[Outcome]:
        if not typed:
            return [None]
        outcomes: list[Outcome] = []
        for letter in typed:
            if self._escape is not None:
                self._read_escape(letter)
            elif letter in ENTER:
                outcomes.append(self._enter())
            elif letter == CTRL_C or (letter == CTRL_D and not self.text):
                outcomes.append(None)
            elif letter == CTRL_D:
                self._delete()
            elif letter == "\x1b":
                self._escape = ""
            elif letter in self._keys:
                self._keys[letter]()
            elif letter.isprintable() and len(self.text) < LONGEST_LINE:
                self._insert(letter)
        return outcomes

    def _read_escape(self, letter: str) -> None:
        """Read an escape sequence: [ or O, digits and signs, and a last letter or ~."""
        name = (self._escape or "") + letter
        is_begun = name in ("[", "O") or (
            name[0] == "[" and not (letter.isalpha() or letter == "~")
        )
        if is_begun and letter.isprintable():
            self._escape = name
            return
        self._escape = None
        if name in self._long_keys:
            self._long_keys[name]()

    def _enter(self) -> str:
        line = self.text
        if line.strip() and self._earlier[-1:] != [line]:
            self._earlier = [*self._earlier, line][-LINES_REMEMBERED:]
        self._shown = len(self._earlier)
        self._set("")
        return line

    def _set(self, text: str) -> None:
        self.text, self.cursor = text, len(text)

    def _insert(self, text: str) -> None:
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def _left(self) -> None:
        self.cursor = max(0, self.cursor - 1)

    def _right(self) -> None:
        self.cursor = min(len(self.text), self.cursor + 1)

    def _home(self) -> None:
        self.cursor = 0

    def _end(self) -> None:
        self.cursor = len(self.text)

    def _backspace(self) -> None:
        if self.cursor:
            self._left()
            self._delete()

    def _delete(self) -> None:
        self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]

    def _cut_rest(self) -> None:
        self.text = self.text[: self.cursor]

    def _cut_beginning(self) -> None:
        self.text, self.cursor = self.text[self.cursor :], 0

    def _cut_word(self) -> None:
        kept = self.text[: self.cursor].rstrip()
        kept = kept[: kept.rfind(" ") + 1]
        self.text, self.cursor = kept + self.text[self.cursor :], len(kept)

    def _older(self) -> None:
        if self._shown > 0:
            self._shown -= 1
            self._set(self._earlier[self._shown])

    def _newer(self) -> None:
        if self._shown < len(self._earlier):
            self._shown += 1
            self._set(self._earlier[self._shown] if self._shown < len(self._earlier) else "")

    def _tab(self) -> None:
        """Completes as far as all that could be meant agrees."""
        beginning = self.text[: self.cursor]
        meant = self._complete(beginning)
        if not meant or self.cursor < len(self.text):
            return
        common = meant[0]
        for other in meant[1:]:
            while not other.casefold().startswith(common.casefold()):
                common = common[:-1]
        if len(common) >= len(beginning):
            self._set(common)


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
        """Set the terminal to pass every key at once and to echo none."""
        if self._is_live:
            if self._before is None:
                self._before = termios.tcgetattr(self._descriptor)
            tty.setcbreak(self._descriptor, termios.TCSADRAIN)

    def close(self) -> None:
        """Restore the terminal's settings."""
        if self._before is not None:
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def _read(self, hear: Callable[[str], None]) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            try:
                typed = os.read(self._descriptor, BYTES_AT_A_TIME)
            except OSError:
                # The terminal is gone, which counts as the end of the input.
                typed = b""
            text = decoder.decode(typed)
            if text or not typed:
                hear(text)
            if not typed:
                return

"""A terminal with a line editor: the editing, history and completion are prompt_toolkit's."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.shortcuts import CompleteStyle
from rich.console import Console

from gamehall.players.shown import Marks, Shown
from gamehall.terminal.screen import Complete, HearLine, Screen


class LineCompleter(Completer):
    """Completes a whole line from its beginning."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterable[Completion]:
        beginning = document.text_before_cursor
        if document.is_cursor_at_the_end:
            for text in self._complete(beginning):
                yield Completion(text, start_position=-len(beginning))


class LiveScreen(Screen):
    """Shows everything above the line that is being typed.

    One prompt lasts from `open` to `close`: a finished line is written above it, so that no key is
    lost between two lines.
    """

    def __init__(self, console: Console, keys: Input, output: Output, complete: Complete) -> None:
        super().__init__(console)
        self._words = ""
        self._reading: asyncio.Task[None] | None = None
        self._session: PromptSession[str] = PromptSession(
            lambda: self._words,
            completer=LineCompleter(complete),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
            enable_suspend=True,
            erase_when_done=True,
            reserve_space_for_menu=0,
            input=keys,
            output=output,
        )

    def open(self, hear: HearLine) -> None:
        def accept(buffer: Buffer) -> bool:
            # Pasted text may hold several lines.
            for line in buffer.text.splitlines() or [""]:
                hear(line)
            return False

        self._session.default_buffer.accept_handler = accept
        self._reading = asyncio.ensure_future(self._read(hear))
        # Ctrl-Z, or a stop from outside: the shell gets the terminal as it was.
        asyncio.get_running_loop().add_signal_handler(
            signal.SIGTSTP, run_in_terminal, partial(signal.raise_signal, signal.SIGSTOP)
        )

    def show(self, things: Sequence[Shown], marks: Marks) -> None:
        if things:
            self._write_above(self._render(things, marks))

    def prompt(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self._session.app.invalidate()

    def finish_line(self, words: str, line: str) -> None:
        self._write_above(f"{words}{line}\n")

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading

    async def _read(self, hear: HearLine) -> None:
        """Run the prompt until the person leaves with Ctrl-C or Ctrl-D."""
        try:
            # Signals and errors in other tasks are the driver's.
            await self._session.prompt_async(set_exception_handler=False, handle_sigint=False)
        except (KeyboardInterrupt, EOFError):
            pass
        finally:
            hear(None)

    def _write_above(self, text: str) -> None:
        app = self._session.app
        if app.is_running:
            # Not run_in_terminal, which would write later: the next prompt could be seen before
            # the board that it belongs to.
            app.renderer.erase()
        self._write(text)
        app.invalidate()


def open_live_screen(console: Console, output: TextIO, keys: TextIO, complete: Complete) -> Screen:
    """Return a screen that edits lines on this terminal; the console writes there, too."""
    terminal = Vt100_Output.from_pty(output, term=os.environ.get("TERM"))
    # The cursor's position is needed for menus only, and the shell would read an answer that comes
    # too late.
    terminal.enable_cpr = False
    return LiveScreen(console=console, keys=create_input(keys), output=terminal, complete=complete)

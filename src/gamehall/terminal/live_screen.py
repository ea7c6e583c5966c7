"""A screen with line editing, history and completion by prompt_toolkit."""

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
from gamehall.terminal.screen import Complete, OnLine, Screen


class LineCompleter(Completer):
    """Completes the whole line."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterable[Completion]:
        beginning = document.text_before_cursor
        if document.is_cursor_at_the_end:
            for text in self._complete(beginning):
                yield Completion(text, start_position=-len(beginning))


class LiveScreen(Screen):
    """Shows output above the line that is being typed.

    A single prompt lasts from `open` to `close`. Finished lines are written above it, so that no
    key is lost between two lines.
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

    def open(self, on_line: OnLine) -> None:
        def accept(buffer: Buffer) -> bool:
            # Pasted text may hold several lines.
            for line in buffer.text.splitlines() or [""]:
                on_line(line)
            return False

        self._session.default_buffer.accept_handler = accept
        self._reading = asyncio.ensure_future(self._read(on_line))
        # Restore the terminal for the shell on Ctrl-Z, and when stopped from outside.
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

    async def _read(self, on_line: OnLine) -> None:
        """Run the prompt until Ctrl-C or Ctrl-D."""
        try:
            # The controller handles SIGINT, and errors of other tasks are not the prompt's.
            await self._session.prompt_async(set_exception_handler=False, handle_sigint=False)
        except (KeyboardInterrupt, EOFError):
            pass
        finally:
            on_line(None)

    def _write_above(self, text: str) -> None:
        app = self._session.app
        if app.is_running:
            # run_in_terminal would write later: the next prompt could appear before its board.
            app.renderer.erase()
        self._write(text)
        app.invalidate()


def open_live_screen(console: Console, output: TextIO, keys: TextIO, complete: Complete) -> Screen:
    """Return a screen with line editing on the terminal of the console."""
    terminal = Vt100_Output.from_pty(output, term=os.environ.get("TERM"))
    # Only menus need the cursor position. If the terminal's answer to the request came late, the
    # shell would read it as input.
    terminal.enable_cpr = False
    return LiveScreen(console=console, keys=create_input(keys), output=terminal, complete=complete)

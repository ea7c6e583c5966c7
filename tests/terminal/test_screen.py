"""The screens: output, line editing and reading lines."""

import asyncio
import io
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from gamehall.players.shown import BoardView, Line, LineKind, Note
from gamehall.terminal.live_screen import LiveScreen
from gamehall.terminal.screen import PlainScreen, Screen, open_screen

TIMEOUT_SECONDS = 60
LEFT, HOME, DELETE = "\x1b[D", "\x1b[H", "\x1b[3~"
CTRL_B, CTRL_C, CTRL_D, CTRL_U, CTRL_W = "\x02", "\x03", "\x04", "\x15", "\x17"
WORDS = ["play Apprentice", "play Militia", "end turn", "help"]


def console() -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, width=20, color_system=None), stream


async def read_lines(screen: Screen, type_keys: Callable[[], None]) -> list[str]:
    """Return the lines that are read while these keys are typed, until the person leaves."""
    lines_read: asyncio.Queue[str | None] = asyncio.Queue()
    screen.open(lines_read.put_nowait)
    type_keys()
    lines: list[str] = []
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while (line := await lines_read.get()) is not None:
            lines.append(line)
    await screen.close()
    return lines


class Live(NamedTuple):
    screen: LiveScreen
    keys: PipeInput
    shown: io.StringIO


@asynccontextmanager
async def live() -> AsyncIterator[Live]:
    with create_pipe_input() as keys:
        made, shown = console()

        def complete(text: str) -> list[str]:
            return [word for word in WORDS if word.casefold().startswith(text.casefold())]

        yield Live(LiveScreen(made, keys, DummyOutput(), complete), keys, shown)


def typed(keys: str) -> list[str]:
    """Return the lines that are read when these keys and then Ctrl-C are typed."""

    async def run() -> list[str]:
        async with live() as one:
            return await read_lines(one.screen, lambda: one.keys.send_text(keys + CTRL_C))

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ("d1\rd2\r\rd", ["d1", "d2", ""]),
        (f"d1{LEFT}x{HOME}y{DELETE}\r", ["yx1"]),
        (f"say to me{CTRL_W}you\r", ["say to you"]),
        (f"ab{CTRL_B}{CTRL_D}\r", ["a"]),
        ("Grüße 田中\r", ["Grüße 田中"]),
        ("\x1b[200~d1\nd2\n\x1b[201~\r", ["d1", "d2"]),
    ],
)
def test_a_line_is_edited_as_in_a_shell(keys: str, lines: list[str]) -> None:
    assert typed(keys) == lines


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("p\tM\t", "play Militia"),
        ("HE\t", "help"),
        ("x\t", "x"),
        (f"end{LEFT}\t", "end"),
    ],
)
def test_tab_completes_a_line_as_far_as_it_is_unique(keys: str, line: str) -> None:
    assert typed(f"{keys}\r") == [line]


@pytest.mark.parametrize("keys", [CTRL_C, f"d{CTRL_C}", CTRL_D, f"d{CTRL_U}{CTRL_D}"])
def test_ctrl_c_and_ctrl_d_on_an_empty_line_leave(keys: str) -> None:
    assert typed(f"{keys}\rd1\r") == []


def test_output_while_a_line_is_typed_does_not_change_the_line() -> None:
    async def run() -> None:
        async with live() as one:
            first_line = asyncio.Event()
            lines_read: list[str | None] = []

            def on_line(line: str | None) -> None:
                lines_read.append(line)
                first_line.set()

            one.screen.open(on_line)
            one.screen.prompt("your move> ")
            one.keys.send_text("d1\rd")
            await asyncio.wait_for(first_line.wait(), TIMEOUT_SECONDS)
            one.screen.finish_line("your move> ", "d1")
            one.screen.show([Line(LineKind.INFO, "bob: hi")], {})
            first_line.clear()
            one.keys.send_text("2\r")
            await asyncio.wait_for(first_line.wait(), TIMEOUT_SECONDS)
            assert lines_read == ["d1", "d2"]
            await one.screen.close()
            assert one.shown.getvalue() == "your move> d1\nbob: hi\n"

    asyncio.run(run())


def test_a_plain_screen_reads_lines_to_the_end_of_a_pipe() -> None:
    ours, theirs = os.pipe()
    with os.fdopen(ours) as keys, os.fdopen(theirs, "wb") as pipe:
        screen = PlainScreen(console()[0], keys)

        def write() -> None:
            pipe.write(b"d1\r\n\nGr\xc3\xbc\xc3\x9fe\xff\nquit")
            pipe.close()

        assert asyncio.run(read_lines(screen, write)) == ["d1", "", "Grüße\ufffd", "quit"]


def test_a_plain_screen_echoes_lines_from_a_pipe() -> None:
    made, stream = console()
    with Path(os.devnull).open() as keys:
        screen = PlainScreen(made, keys)
        screen.show([BoardView("1 .\n  a\n", None, (Note("note"),))], {})
        screen.prompt("> ")
        screen.finish_line("> ", "a1")
        asyncio.run(screen.close())
    assert stream.getvalue() == "\n1 .\n  a\nnote\n> a1\n"


def test_a_plain_screen_repeats_the_prompt_after_other_output() -> None:
    made, stream = console()
    theirs, ours = os.openpty()
    with os.fdopen(theirs, "wb"), os.fdopen(ours) as keys:
        screen = PlainScreen(made, keys)
        screen.prompt("> ")
        screen.prompt("> ")
        screen.show([Line(LineKind.INFO, "bob: hi")], {})
        screen.prompt("> ")
        screen.finish_line("> ", "a1")
        screen.prompt("> ")
        asyncio.run(screen.close())
    assert stream.getvalue() == "> \nbob: hi\n> > \n"


def test_characters_that_the_terminal_does_not_have_become_question_marks() -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="ascii")
    with Path(os.devnull).open() as keys:
        screen = open_screen(stream, keys, lambda _: [])
    screen.show([Line(LineKind.INFO, "bob: schöne Grüße")], {})
    assert written.getvalue() == b"bob: sch?ne Gr??e\n"

"""What reaches the terminal."""

import io

from rich.console import Console

from gamehall.players.shown import BoardView, Kind, Line, Note
from gamehall.terminal.line_editor import Editor
from gamehall.terminal.screen import CLEAR_LINE, LiveScreen, PlainScreen, open_screen


def console(is_terminal: bool = True) -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    made = Console(
        file=stream, width=20, force_terminal=is_terminal, color_system=None, legacy_windows=False
    )
    return made, stream


def typing(keys: str) -> Editor:
    editor = Editor(lambda _: [])
    editor.press(keys)
    return editor


def taken(stream: io.StringIO) -> str:
    text = stream.getvalue()
    stream.seek(0)
    stream.truncate()
    return text


def test_what_comes_goes_above_the_line_that_is_being_typed() -> None:
    made, stream = console()
    screen = LiveScreen(made)
    screen.prompt("> ", typing("d1"))
    assert taken(stream) == f"{CLEAR_LINE}> d1"
    screen.prompt("> ", typing("d1"))
    assert taken(stream) == "", "nothing has changed"
    screen.show([Line(Kind.INFO, "bob: hi")], {})
    screen.prompt("> ", typing("d1"))
    assert taken(stream) == f"{CLEAR_LINE}bob: hi\n{CLEAR_LINE}> d1"
    screen.finish_line("> ", "d1")
    assert taken(stream) == f"{CLEAR_LINE}> d1\n"


def test_the_cursor_stands_where_it_is() -> None:
    made, stream = console()
    screen = LiveScreen(made)
    screen.prompt("> ", typing("abc\x1b[D\x1b[D"))
    assert taken(stream) == f"{CLEAR_LINE}> abc\x1b[2D"


def test_a_long_line_is_seen_where_the_cursor_is_and_never_wraps() -> None:
    made, stream = console()
    screen = LiveScreen(made)
    keys = "abcdefghijklmnopqrstuvwxyz"
    screen.prompt("> ", typing(keys))
    shown = taken(stream).removeprefix(CLEAR_LINE)
    assert len(shown) < 20
    assert shown.endswith("xyz")
    screen.prompt("> ", typing(f"{keys}\x1b[H"))
    shown, _, back = taken(stream).removeprefix(CLEAR_LINE).partition("\x1b")
    assert shown.startswith("> abc")
    assert back == f"[{len(shown) - 2}D"


def test_a_plain_screen_repeats_what_came_from_a_pipe() -> None:
    made, stream = console(is_terminal=False)
    screen = PlainScreen(made, is_typed_there=False)
    screen.show([BoardView("1 .\n  a\n", None, (Note("note"),))], {})
    screen.prompt("> ", typing(""))
    screen.finish_line("> ", "a1")
    screen.close()
    assert taken(stream) == "\n1 .\n  a\nnote\n> a1\n"


def test_letters_that_the_terminal_does_not_have_do_no_harm() -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="ascii")
    screen = open_screen(stream, is_live=False, is_typed_there=False)
    screen.show([Line(Kind.INFO, "bob: schöne Grüße")], {})
    assert written.getvalue() == b"bob: sch?ne Gr??e\n"


def test_a_plain_screen_asks_again_when_something_came_between() -> None:
    made, stream = console(is_terminal=False)
    screen = PlainScreen(made, is_typed_there=True)
    screen.prompt("> ", typing(""))
    screen.prompt("> ", typing(""))
    screen.show([Line(Kind.INFO, "bob: hi")], {})
    screen.prompt("> ", typing(""))
    screen.finish_line("> ", "a1")
    screen.prompt("> ", typing(""))
    screen.close()
    assert taken(stream) == "> \nbob: hi\n> > \n"

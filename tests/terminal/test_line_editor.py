"""Keys become lines."""

import pytest

from gamehall.terminal.line_editor import Editor, PlainLines

LEFT, RIGHT, UP, DOWN = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
HOME, END, DELETE = "\x1b[H", "\x1bOF", "\x1b[3~"
WORDS = ["play Apprentice", "play Militia", "end turn", "help"]


def editor() -> Editor:
    return Editor(lambda text: [word for word in WORDS if word.startswith(text)])


@pytest.mark.parametrize(
    ("keys", "text", "cursor"),
    [
        ("d1", "d1", 2),
        ("d1\x7f2", "d2", 2),
        (f"d1{LEFT}x", "dx1", 2),
        (f"d1{HOME}x{END}y", "xd1y", 4),
        (f"d1{HOME}{DELETE}", "1", 0),
        (f"abc{LEFT}{LEFT}{RIGHT}\x0b", "ab", 2),
        (f"abc{LEFT}\x15", "c", 0),
        ("say to me\x17", "say to ", 7),
        ("\x17\x7f\x15\x0b", "", 0),
        ("a\x1b[15;2~b\x1bxc", "abc", 3),
        ("ab\x02\x04", "a", 1),
        ("ö\x00\x07", "ö", 1),
    ],
)
def test_a_line_can_be_corrected(keys: str, text: str, cursor: int) -> None:
    typing = editor()
    assert typing.press(keys) == []
    assert (typing.text, typing.cursor) == (text, cursor)


def test_how_the_keys_come_does_not_matter() -> None:
    keys = f"d1{LEFT}x{HOME}\x1bOCy\rsay{DELETE}\n"
    whole, one_by_one = editor(), editor()
    lines = [line for key in keys for line in one_by_one.press(key)]
    assert whole.press(keys) == lines == ["dyx1", "say"]


def test_enter_gives_the_line_and_begins_another() -> None:
    typing = editor()
    assert typing.press("d1\rd2\nd") == ["d1", "d2"]
    assert typing.text == "d"


def test_ctrl_c_leaves_and_ctrl_d_does_where_nothing_is_typed() -> None:
    typing = editor()
    assert typing.press("\x04") == [None]
    assert typing.press("a\x04") == []
    assert typing.press("\x03") == [None]
    assert typing.press("") == [None], "the terminal is gone"


def test_earlier_lines_come_back() -> None:
    typing = editor()
    typing.press("d1\rd2\rd2\r\r")
    seen = []
    for key in (UP, UP, UP, DOWN, DOWN, DOWN):
        typing.press(key)
        seen.append(typing.text)
    assert seen == ["d2", "d1", "d1", "d2", "", ""]


def test_tab_completes_as_far_as_it_is_certain() -> None:
    typing = editor()
    typing.press("p\t")
    assert typing.text == "play "
    typing.press("M\t")
    assert typing.text == "play Militia"
    typing.press("\x15x\t")
    assert typing.text == "x", "nothing begins like that"
    typing.press(f"\x15end{LEFT}\t")
    assert typing.text == "end", "only the end of a line is completed"


def test_plain_lines_may_come_in_pieces_and_without_a_last_end() -> None:
    lines = PlainLines()
    assert lines.press("d1\r\nd") == ["d1"]
    assert lines.press("2\n") == ["d2"]
    assert lines.press("qu") == []
    assert lines.press("") == ["qu", None]
    assert lines.press("") == [None]

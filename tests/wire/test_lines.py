"""Framing of lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.wire.framing import Lines, ProtocolError


def read(framing: Lines, *chunks: bytes) -> list[str]:
    lines: list[str] = []
    for chunk in chunks:
        framing.feed(chunk)
        while (line := framing.next_message()) is not None:
            lines.append(line)
    return lines


@pytest.mark.parametrize(
    ("stream", "lines"),
    [
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"\n\r\n  one  \n\n", ["one"]),
        (b"not yet", []),
        ("zwölf\n".encode(), ["zwölf"]),
        (b"\xff\xfe\n", ["\ufffd\ufffd"]),
    ],
)
def test_X_04_lines_end_in_a_newline_with_or_without_a_carriage_return(
    stream: bytes, lines: list[str]
) -> None:
    assert read(Lines(), stream) == lines


def test_an_unfinished_line_is_complete_at_the_end_of_input() -> None:
    framing = Lines()
    assert read(framing, b"PASS") == []
    framing.end()
    assert framing.next_message() == "PASS"
    assert framing.next_message() is None


def test_white_space_between_lines_does_not_begin_a_line() -> None:
    framing = Lines()
    assert read(framing, b"PASS\n\r\n \t") == ["PASS"]
    assert not framing.has_more


def test_X_08_the_length_of_a_line_is_limited() -> None:
    framing = Lines(longest=4)
    assert read(framing, b"four\n") == ["four"]
    framing.feed(b"fours")
    with pytest.raises(ProtocolError, match="more than 4 bytes"):
        framing.next_message()


@given(st.lists(st.sampled_from(["PASS", "PLAY 1 2", "x", "ä"])), st.data())
def test_X_01_how_the_stream_is_cut_does_not_matter(
    lines: list[str], choice: st.DataObject
) -> None:
    ends = [choice.draw(st.sampled_from(["\n", "\r\n", "\n\n", " \n"])) for _ in lines]
    stream = "".join(line + end for line, end in zip(lines, ends, strict=True)).encode()
    cut = choice.draw(st.integers(0, len(stream)))
    assert read(Lines(), stream[:cut], stream[cut:]) == lines
    assert read(Lines(), *(stream[i : i + 1] for i in range(len(stream)))) == lines

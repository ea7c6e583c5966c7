"""Framing of packets and of lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.wire.framing import Lines, Packets, ProtocolError

# Packets


def measure(buffer: bytes, start: int) -> int | None:
    """Measure packets of a length byte and that many bytes; 255 is invalid."""
    if buffer[start] == 255:
        raise ProtocolError("255 is not a length")
    return 1 + buffer[start]


def drain(packets: Packets) -> list[bytes]:
    drained = []
    while (packet := packets.next_message()) is not None:
        drained.append(packet)
    return drained


PACKETS = st.lists(st.binary(max_size=254).map(lambda body: bytes((len(body),)) + body))


@given(PACKETS, st.lists(st.integers(1, 50)))
def test_X_01_how_a_stream_of_packets_is_cut_does_not_matter(
    sent: list[bytes], cuts: list[int]
) -> None:
    packets, received, stream = Packets({}, measure), [], b"".join(sent)
    for length in [*cuts, len(stream) + 1]:
        chunk, stream = stream[:length], stream[length:]
        if chunk:
            packets.feed(chunk)
            received += drain(packets)
    assert received == sent
    assert not packets.has_more


def test_X_01_messages_may_be_read_before_or_after_more_bytes_arrive() -> None:
    packets = Packets({}, measure)
    packets.feed(b"\x01a\x02b")
    assert packets.next_message() == b"\x01a"
    packets.feed(b"c\x00\x03")
    assert drain(packets) == [b"\x02bc", b"\x00"]
    assert packets.has_more


def test_an_invalid_packet_raises_every_time() -> None:
    packets = Packets({}, measure)
    packets.feed(b"\x00\xff")
    assert packets.next_message() == b"\x00"
    for _ in range(2):
        with pytest.raises(ProtocolError, match="not a length"):
            packets.next_message()


# Lines


def read_lines(framing: Lines, *chunks: bytes) -> list[str]:
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
    assert read_lines(Lines(), stream) == lines


def test_an_unfinished_line_is_complete_at_the_end_of_input() -> None:
    framing = Lines()
    assert read_lines(framing, b"PASS") == []
    framing.end()
    assert framing.next_message() == "PASS"
    assert framing.next_message() is None


def test_white_space_between_lines_does_not_begin_a_line() -> None:
    framing = Lines()
    assert read_lines(framing, b"PASS\n\r\n \t") == ["PASS"]
    assert not framing.has_more


def test_X_08_the_length_of_a_line_is_limited() -> None:
    framing = Lines(longest=4)
    assert read_lines(framing, b"four\n") == ["four"]
    framing.feed(b"fours")
    with pytest.raises(ProtocolError, match="more than 4 bytes"):
        framing.next_message()


@given(st.lists(st.sampled_from(["PASS", "PLAY 1 2", "x", "ä"])), st.data())
def test_X_01_how_a_stream_of_lines_is_cut_does_not_matter(
    lines: list[str], choice: st.DataObject
) -> None:
    ends = [choice.draw(st.sampled_from(["\n", "\r\n", "\n\n", " \n"])) for _ in lines]
    stream = "".join(line + end for line, end in zip(lines, ends, strict=True)).encode()
    cut = choice.draw(st.integers(0, len(stream)))
    assert read_lines(Lines(), stream[:cut], stream[cut:]) == lines
    assert read_lines(Lines(), *(stream[i : i + 1] for i in range(len(stream)))) == lines

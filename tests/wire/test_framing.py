"""Framing of packets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.wire.framing import Packets, ProtocolError


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
def test_X_01_how_the_stream_is_cut_does_not_matter(sent: list[bytes], cuts: list[int]) -> None:
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

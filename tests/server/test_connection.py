"""Connections over real sockets to a server in this process. The test moves the clock."""

import socket
import struct
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from itertools import pairwise

import pytest

from gamehall.protocols.tttp import PROTOCOL
from gamehall.server.connection import Connection
from gamehall.server.door import Door
from tests.support.socket_stage import SocketStage

JOIN_RED = b"JOIN\x03red"
EMPTY_BOARD = b"UPDT\x01\x00" + bytes(42)
OpenStage = Callable[..., SocketStage]


@pytest.fixture
def open_stage(stages: ExitStack) -> OpenStage:
    def open_stage(**settings: str) -> SocketStage:
        named = {name.replace("_", "-"): value for name, value in settings.items()}
        return stages.enter_context(closing(SocketStage(PROTOCOL, named)))

    return open_stage


def connection_from(door: Door, address: str) -> Connection:
    connection = Connection(door)
    connection.address = address
    return connection


def data_segments_received(client: socket.socket) -> int:
    """Return the number of received data segments, as Linux counts them (struct tcp_info)."""
    counts = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)
    segments: int = struct.unpack_from("I", counts, 152)[0]
    return segments


def test_X_01_a_message_may_come_byte_by_byte(open_stage: OpenStage) -> None:
    stage = open_stage()
    for byte in JOIN_RED + b"CHAT\x00\x03abcPLAY\x03\x00RMCH":
        stage.send("red", bytes((byte,)))
    played = b"UPDT\x02\x00" + bytes(38) + b"\x01" + bytes(3)
    expected = b"JOIN\x01" + EMPTY_BOARD + played + EMPTY_BOARD
    assert stage.read("red", len(expected)) == expected
    assert stage.unread() == {}


def test_X_02_one_message_is_one_write(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    assert stage.read("red", 53) == b"JOIN\x01" + EMPTY_BOARD
    segments = [data_segments_received(stage.client("red"))]
    for _ in range(3):
        stage.send("red", b"RMCH" * 5)
        assert stage.read("red", 48 * 5) == EMPTY_BOARD * 5
        segments.append(data_segments_received(stage.client("red")))
    # A busy machine may send a segment twice, but not every time.
    assert min(after - before for before, after in pairwise(segments)) == 5
    assert segments[0] >= 2


def test_X_02_a_pace_leaves_a_gap_between_two_messages(open_stage: OpenStage) -> None:
    stage = open_stage(pace_ms="20")
    stage.send("red", JOIN_RED)
    assert stage.unread() == {"red": b"JOIN\x01"}
    stage.wait(0.019)
    assert stage.unread() == {}
    stage.wait(0.002)
    assert stage.unread() == {"red": EMPTY_BOARD}


def test_X_02_input_from_a_client_ends_the_gap_before_its_next_message(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(pace_ms="20")
    stage.send("red", JOIN_RED)
    assert stage.read("red", 5) == b"JOIN\x01"
    stage.send("red", b"RMCH")
    assert stage.unread() == {"red": EMPTY_BOARD}
    stage.wait(0.021)
    assert stage.unread() == {"red": EMPTY_BOARD}


def test_X_05_a_pace_does_not_delay_the_last_messages(open_stage: OpenStage) -> None:
    stage = open_stage(pace_ms="1000", max_bad="3")
    stage.send("red", JOIN_RED)
    for _ in range(3):
        stage.send("red", b"PLAY\xff\xff")
        stage.wait(10)
    assert stage.read("red", 5 + 4 * 48) == b"JOIN\x01" + EMPTY_BOARD * 4
    assert stage.is_closed("red")


def test_X_09_a_pace_also_limits_requests_that_cause_messages_for_others(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(pace_ms="100", max_bytes_waiting="1024")
    stage.send("red", JOIN_RED)
    stage.wait(1)
    stage.send("blue", b"JOIN\x04blue")
    for _ in range(200):
        stage.send("red", b"RMCH" * 10)
        stage.wait(0.1)
        stage.unread()
    assert stage.connections() == 2, "Blue reads everything, so it is still connected"


def test_X_05_the_last_message_arrives_although_the_client_is_still_sending(
    open_stage: OpenStage,
) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED + b"NOPE" + b"x" * 50_000)
    assert stage.read("red", 53) == b"JOIN\x01" + EMPTY_BOARD
    assert stage.is_closed("red"), "a clean end of the stream, not a reset"
    stage.send("red", b"still sending")
    assert stage.is_closed("red")


def test_X_05_a_client_that_does_not_close_its_end_is_disconnected_after_two_seconds(
    open_stage: OpenStage,
) -> None:
    stage = open_stage()
    stage.send("red", b"NOPE")
    assert stage.is_closed("red")
    stage.wait(1.9)
    stage.send("red", b"x")
    stage.wait(0.2)
    with pytest.raises(ConnectionError):  # noqa: PT012 - which of the sends fails is not ours
        for _ in range(10):
            stage.send("red", b"x")


def test_X_05_a_client_that_does_not_read_its_last_messages_is_disconnected_after_two_seconds(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(chat_rate="0", messages_per_second="0")
    stage.send("red", JOIN_RED)
    stage.send("eve", b"JOIN\x03eve")
    for _ in range(150):  # More than the buffers of both sockets hold.
        stage.send("red", b"CHAT\xff\xff" + b"x" * 65_535)
        stage.wait(1)
    stage.send("eve", b"NOPE")
    stage.wait(1.9)
    assert stage.connections() == 2
    stage.wait(0.2)
    assert stage.connections() == 1


def test_X_05_a_client_that_was_slowed_down_is_released_as_soon_as_it_closes_its_end(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(messages_per_second="1", max_bad="1")
    stage.send("red", JOIN_RED + b"RMCH" + b"PLAY\xff\xff" + b"RMCH" * 100)
    for _ in range(2):
        stage.wait(1)
    assert stage.read("red", 5 + 48 * 3) == b"JOIN\x01" + EMPTY_BOARD * 3
    assert stage.is_closed("red")
    assert stage.connections() == 1
    stage.hang_up("red")
    assert stage.connections() == 0


def test_X_08_TM_24_connections_beyond_the_limit_are_closed_and_the_others_are_not(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(max_connections="2")
    stage.send("red", JOIN_RED)
    stage.send("blue", b"JOIN\x04blue")
    stage.send("eve", b"JOIN\x03eve")
    assert stage.is_closed("eve"), "a clean end, although her message was not read"
    stage.reset("eve")
    assert stage.read("red", 5 + 48 + 48) == b"JOIN\x01" + EMPTY_BOARD + EMPTY_BOARD
    stage.reset("blue")
    stage.send("new", b"JOIN\x03new")
    assert stage.read("new", 53) == b"JOIN\x02" + EMPTY_BOARD


def test_X_08_TM_24_connections_beyond_the_limit_of_an_address_are_refused(
    open_stage: OpenStage,
) -> None:
    door = open_stage(max_per_address="2").hall._doors[0]
    connections = [connection_from(door, "203.0.113.7") for _ in range(3)]
    refusals = [door.admit(one) for one in connections]
    assert refusals == [None, None, "too many connections from one address"]
    other = connection_from(door, "203.0.113.8")
    assert door.admit(other) is None
    door.release(connections[0])
    assert door.admit(connections[2]) is None
    for one in (connections[1], connections[2], other):
        door.release(one)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_clients_from_a_loopback_address_are_not_limited(
    open_stage: OpenStage, address: str
) -> None:
    door = open_stage(max_per_address="1").hall._doors[0]
    connections = [connection_from(door, address) for _ in range(2)]
    assert [door.admit(one) for one in connections] == [None, None]
    for one in connections:
        door.release(one)


def test_a_mapped_address_that_is_not_loopback_is_limited(open_stage: OpenStage) -> None:
    door = open_stage(max_per_address="1").hall._doors[0]
    first, second = (connection_from(door, "::ffff:203.0.113.7") for _ in range(2))
    assert door.admit(first) is None
    assert door.admit(second) == "too many connections from one address"
    door.release(first)


def test_X_08_TM_24_a_client_that_does_not_read_is_dropped_and_the_game_continues(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(max_bytes_waiting="65536", chat_rate="0", messages_per_second="0")
    stage.send("red", JOIN_RED)
    stage.send("blue", b"JOIN\x04blue")
    stage.send("eve", b"JOIN\x03eve")
    stage.unread()
    said = 0
    for _ in range(1000):
        stage.send("red", b"CHAT\x40\x00" + b"x" * 0x4000)
        stage.read("blue", 7 + 3 + 0x4000)
        said += 1
        if stage.connections() == 2:
            break
        stage.wait(1)
    assert stage.connections() == 2, "eve is gone"
    assert said > 4, "but not before the buffers of her socket were full"
    stage.send("red", b"PLAY\x03\x00")
    played = b"UPDT\x02\x00" + bytes(38) + b"\x01" + bytes(3)
    assert stage.read("red", 48) == stage.read("blue", 48) == played


def test_X_09_TM_24_a_client_that_floods_is_slowed_down(open_stage: OpenStage) -> None:
    stage = open_stage(messages_per_second="100")
    stage.send("red", JOIN_RED)
    stage.unread()
    stage.send("red", b"RMCH" * 1000)
    done = 0
    for _ in range(500):
        stage.wait(0.01)
        done += len(stage.unread().get("red", b"")) // 48
    assert 490 <= done <= 520, "100 a second for 5 seconds, and a first burst"


def test_X_08_input_of_a_client_that_is_slowed_down_stays_in_the_network(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(messages_per_second="100")
    stage.send("red", JOIN_RED)
    client, sent = stage.client("red"), 0
    client.setblocking(False)
    for _ in range(500):
        with suppress(BlockingIOError):
            sent += client.send(b"RMCH" * 16_384)
        stage.send("red", b"")
    assert sent < 16_000_000


def test_X_09_a_client_that_is_slowed_down_can_still_time_out(open_stage: OpenStage) -> None:
    """A deadline that passes while a client is not read must not tick forever."""
    stage = open_stage(messages_per_second="2", join_timeout="2")
    stage.send("out", b"PLAY\x00\x00" * 1000)
    stage.wait(2.26)
    assert stage.is_closed("out")
    stage.send("red", JOIN_RED)
    assert stage.read("red", 53) == b"JOIN\x01" + EMPTY_BOARD


def test_X_09_a_client_that_is_slowed_down_has_not_left_a_message_unfinished(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(messages_per_second="10", packet_timeout="3")
    stage.send("red", JOIN_RED)
    stage.unread()
    stage.send("red", b"RMCH" * 100 + b"RM")
    answered = 0
    for _ in range(300):
        stage.wait(0.1)
        answered += len(stage.unread().get("red", b"")) // 48
        if answered == 100:
            break
    assert answered == 100, "after ten seconds, more than a packet may take"
    stage.wait(1)
    stage.send("red", b"CH")
    assert stage.read("red", 48) == EMPTY_BOARD


def test_X_09_a_client_has_one_request_handled_in_a_turn_of_the_event_loop(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(messages_per_second="1000000")
    stage.send("red", JOIN_RED)
    stage.send("blue", b"JOIN\x04blue")
    stage.unread()
    stage.client("red").sendall(b"RMCH" * 1000)
    stage.client("blue").sendall(b"CHAT\x00\x02hi")
    turns = 30
    stage.pass_turns(turns)
    answered = stage.unread()["red"]
    assert b"hi" in answered, "blue's request is handled meanwhile"
    # A few more turns are needed to read the answers. Without the limit it would be all 1,000.
    assert 1 <= answered.count(b"UPDT") <= 3 * turns


@pytest.mark.parametrize("method", ["receive_data", "next_request", "send", "tick"])
def test_X_09_an_error_in_a_session_drops_only_its_client(
    open_stage: OpenStage, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    stage = open_stage()
    for who in ("red", "blue", "eve"):
        stage.send(who, b"JOIN" + bytes((len(who),)) + who.encode())
    stage.unread()
    session = stage.session("eve")

    def fail(*_arguments: object) -> None:
        raise RuntimeError("a planted error")

    session.__class__ = type("Failing", (type(session),), {"__slots__": (), method: fail})
    if method == "tick":
        stage.connection("eve").tick(stage.hall.timers.clock())
        stage.send("eve", b"")
    stage.send("eve", b"CHAT\x00\x02hi")
    stage.send("red", b"PLAY\x03\x00")
    played = b"UPDT\x02\x00" + bytes(38) + b"\x01" + bytes(3)
    chat = b"CHAT\x03\x00\x02evehi" if method == "send" else b""
    for who in ("red", "blue"):
        assert stage.read(who, len(chat + played)) == chat + played
    assert stage.connections() == 2
    assert "a planted error" in caplog.text


@pytest.mark.parametrize(
    ("method", "call"),
    [
        ("receive_data", lambda connection: connection.data_received(b"RMCH")),
        ("receive_data", lambda connection: connection.eof_received()),
        ("next_request", lambda connection: connection.data_received(b"RMCH")),
        ("tick", lambda connection: connection.tick(1000.0)),
    ],
)
def test_running_out_of_memory_is_not_an_error_of_one_session(
    open_stage: OpenStage, method: str, call: Callable[[Connection], object]
) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    connection, session = stage.connection("red"), stage.session("red")

    def fail(*_arguments: object) -> None:
        raise MemoryError

    session.__class__ = type("Failing", (type(session),), {"__slots__": (), method: fail})
    with pytest.raises(MemoryError):
        call(connection)


def test_X_09_chat_of_others_never_disconnects_a_slow_reader(open_stage: OpenStage) -> None:
    """Many clients connect, send the chat that their rate limit allows, and leave."""
    stage = open_stage(max_bytes_waiting="200000")
    stage.send("red", JOIN_RED)
    stage.send("blue", b"JOIN\x04blue")
    for _ in range(300):
        stage.send("eve", b"JOIN\x03eve" + (b"CHAT\xff\xff" + b"x" * 65_535) * 2)
        stage.reset("eve")
        stage.wait(0.5)
    assert stage.connections() == 2
    stage.send("red", b"PLAY\x00\x00")
    assert stage.connections() == 2


def test_X_12_keepalive_and_no_delay_are_on(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    [options] = stage.socket_options()
    assert options == {"SO_KEEPALIVE": 1, "TCP_NODELAY": 1}


def test_X_12_the_same_port_can_be_opened_again_at_once(open_stage: OpenStage) -> None:
    first = open_stage()
    first.send("red", JOIN_RED)
    first.reset("red")
    first.close_hall()
    again = SocketStage(PROTOCOL, {}, port=first.port)
    again.send("red", JOIN_RED)
    assert again.read("red", 53) == b"JOIN\x01" + EMPTY_BOARD
    again.close()


def test_a_client_whose_connection_is_reset_has_left(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    stage.send("blue", b"JOIN\x04blue")
    stage.unread()
    stage.reset("blue")
    assert stage.read("red", 48) == b"UPDT\x01\x04" + bytes(42)

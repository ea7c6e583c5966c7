"""Hostile clients do not disturb two players of a game (X-08, X-09, T-Q25)."""

import contextlib
import resource
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tests.independent.tttp_clients import StreamClient, Update
from tests.support.served import Served

HOST = "127.0.0.1"
UPDT_BYTES = 48
GAMES = 30
COLUMNS = [0, 1, 0, 1, 0, 1, 0]
"""Red wins with a vertical line."""


@pytest.fixture
def hall() -> Iterator[Served]:
    with Served("--door", "tttp=0", "--log-level", "error") as hall:
        yield hall
        assert hall.stop() == 0
        assert hall.errors == "", "no errors were logged"


@pytest.fixture
def many_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextlib.contextmanager
def two_players(hall: Served) -> Iterator[Callable[[], None]]:
    """Seat two players. Yield a function with which they play some whole games."""
    with StreamClient(HOST, hall.port()) as red, StreamClient(HOST, hall.port()) as blue:
        assert (red.join(b"red"), blue.join(b"blue")) == (1, 2)
        red.read(), red.read(), blue.read()

        def play() -> None:
            for _ in range(GAMES):
                for column in COLUMNS:
                    (blue if column else red).play(column, 0)
                    update = next_update(red)
                    assert next_update(blue) == update
                assert update.won == 1
                red.rematch()
                assert next_update(red) == next_update(blue) == Update(1, 0, bytes(42))

        yield play


def next_update(client: StreamClient) -> Update:
    """Return the next board, ignoring chat."""
    while not isinstance(packet := client.read(), Update):
        pass
    return packet


def connect(hall: Served) -> socket.socket:
    return socket.create_connection((HOST, hall.port()), timeout=30)


def test_X_08_ten_megabytes_of_garbage(hall: Served) -> None:
    with two_players(hall) as play, connect(hall) as garbage:
        talking = threading.Thread(target=send_all, args=(garbage, b"\xff\x00" * 5_000_000))
        talking.start()
        play()
        talking.join()
        with contextlib.suppress(ConnectionResetError):
            assert garbage.recv(1) == b"", "the connection is closed"


def test_X_08_ten_megabytes_of_packets(hall: Served) -> None:
    before = hall.resident_bytes()
    with two_players(hall) as play, connect(hall) as flood:
        flood.sendall(b"JOIN\x05flood")
        talking = threading.Thread(target=send_all, args=(flood, b"RMCH" * 2_500_000), daemon=True)
        talking.start()
        play()
        assert hall.resident_bytes() - before < 50_000_000
        flood.shutdown(socket.SHUT_RDWR)


def test_X_08_a_thousand_idle_connections(hall: Served, many_files: None) -> None:
    with contextlib.ExitStack() as idle, two_players(hall) as play:
        for _ in range(1000):
            idle.enter_context(connect(hall))
        play()
        last = idle.enter_context(StreamClient(HOST, hall.port()))
        assert last.join(b"last") == 3


def test_X_09_a_client_that_never_reads(hall: Served) -> None:
    with two_players(hall) as play, connect(hall) as silent, connect(hall) as chatty:
        silent.sendall(b"JOIN\x06silent")
        chatty.sendall(b"JOIN\x06chatty")
        talking = threading.Thread(
            target=send_all, args=(chatty, (b"CHAT\xff\xff" + b"x" * 65_535) * 100)
        )
        talking.start()
        play()
        talking.join()


def test_T_Q25_clients_that_end_in_the_middle_of_a_packet(hall: Served) -> None:
    with two_players(hall) as play:
        for message in (b"", b"J", b"JOIN", b"JOIN\x05abc", b"CHAT", b"PLAY\x03", b"\x00" * 7):
            with connect(hall) as client:
                client.sendall(message)
        play()


def send_all(client: socket.socket, message: bytes) -> None:
    # The server may close the connection before everything is sent.
    with contextlib.suppress(OSError):
        client.sendall(message)


def test_X_08_a_player_who_sends_faster_than_the_server_answers_is_slowed_down() -> None:
    # Its requests wait in the buffers of the network, not in the server's memory.
    answers_wanted, max_bytes_sent = 2000, 16_000_000
    with Served() as hall, socket.create_connection((HOST, hall.port())) as flood:
        flood.sendall(b"JOIN\x05flood")
        flood.setblocking(False)
        sent = received = 0
        give_up_at = time.monotonic() + 60
        while received < answers_wanted * UPDT_BYTES:
            assert time.monotonic() < give_up_at, f"{received} bytes of answers for {sent}"
            readable, writable, _ = select.select([flood], [flood], [], 1.0)
            if readable:
                received += len(flood.recv(1 << 20))
            if writable:
                with contextlib.suppress(BlockingIOError):
                    sent += flood.send(b"RMCH" * 16_384)
        assert sent < max_bytes_sent

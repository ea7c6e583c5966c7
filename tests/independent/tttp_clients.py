"""Two blocking TTTP clients, written from the protocol's first description alone.

StreamClient reads a stream; SloppyClient takes each recv for one packet.

A silent server raises TimeoutError, and one that drops the connection ConnectionError; everything
else that a server must not do raises ProtocolError.
"""

import socket
import struct
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Self


class ProtocolError(Exception):
    """The server did what the protocol does not allow."""


@dataclass(frozen=True)
class Joined:
    """A JOIN response: 1 Red, 2 Blue, 3 spectator; 4 to 9 are the reasons for a denial."""

    code: int


@dataclass(frozen=True)
class Chat:
    """A CHAT of another client, with its name."""

    name: bytes
    message: bytes


@dataclass(frozen=True)
class Update:
    """An UPDT: the state of the game.

    turn is 1 (Red) or 2 (Blue). won is 0 (playing), 1 (Red), 2 (Blue), 3 (cat's game) or
    4 (cancelled). spots are the 42 values of spots 1 to 42, in order.
    """

    turn: int
    won: int
    spots: bytes


Packet = Joined | Chat | Update


class StreamClient:
    """A client for which it does not matter how the stream is cut.

    It checks that each number is one that the protocol has. After a read that has timed out,
    reading can be continued.
    """

    def __init__(self, host: str, port: int, timeout: float = 10.0, source: str = "") -> None:
        """Connect.

        Args:
            timeout: how many seconds each read may wait.
            source: the address from which to connect, "" for any.
        """
        self._socket = socket.create_connection((host, port), timeout, (source, 0))
        self._buffer = bytearray()
        self._put_by: deque[Packet] = deque()
        self._accepted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def join(self, name: bytes) -> int:
        """Send JOIN and return the response code.

        A client that was accepted before may get CHAT and UPDT before the response: they are kept
        for `read`. Before the first acceptance nothing but the response may come.
        """
        self._socket.sendall(struct.pack("!4sB", b"JOIN", len(name)) + name)
        while True:
            packet = self._read_from_stream()
            if isinstance(packet, Joined):
                self._accepted = self._accepted or packet.code in (1, 2, 3)
                return packet.code
            if not self._accepted:
                raise ProtocolError(f"before the first JOIN response there came {packet}")
            self._put_by.append(packet)

    def play(self, x: int, y: int) -> None:
        """Send PLAY for column x and row y, each 0 to 255."""
        self._socket.sendall(struct.pack("!4sBB", b"PLAY", x, y))

    def chat(self, message: bytes) -> None:
        self._socket.sendall(struct.pack("!4sH", b"CHAT", len(message)) + message)

    def rematch(self) -> None:
        """Send RMCH, the request for a fresh board."""
        self._socket.sendall(struct.pack("!4s", b"RMCH"))

    def read(self) -> Packet:
        """Return the next packet."""
        if self._put_by:
            return self._put_by.popleft()
        return self._read_from_stream()

    def at_end(self) -> bool:
        """Wait for more bytes or the end of the stream, and return whether it has ended."""
        if self._put_by or self._buffer:
            return False
        arrived = self._socket.recv(4096)
        self._buffer += arrived
        return not arrived

    def close(self) -> None:
        self._socket.close()

    def _read_from_stream(self) -> Packet:
        """Return the next packet of the stream."""
        self._fill(4, "a packet type")
        kind = bytes(self._buffer[:4])
        if kind == b"JOIN":
            return self._read_joined()
        if kind == b"CHAT":
            return self._read_chat()
        if kind == b"UPDT":
            return self._read_update()
        raise ProtocolError(f"unknown packet type {kind!r}; buffer: {bytes(self._buffer)!r}")

    def _read_joined(self) -> Joined:
        packet = self._take(5, "a JOIN response")
        code = packet[4]
        if code not in range(1, 10):
            raise ProtocolError(f"join response {code}, which is not 1 to 9, in {packet!r}")
        return Joined(code)

    def _read_chat(self) -> Chat:
        self._fill(7, "the head of a CHAT")
        name_length, message_length = struct.unpack_from("!BH", self._buffer, 4)
        packet = self._take(7 + name_length + message_length, "a CHAT")
        return Chat(packet[7 : 7 + name_length], packet[7 + name_length :])

    def _read_update(self) -> Update:
        packet = self._take(48, "an UPDT")
        turn, won, spots = struct.unpack("!4xBB42s", packet)
        if turn not in (1, 2):
            raise ProtocolError(f"turn {turn}, which is not 1 or 2, in {packet!r}")
        if won not in range(5):
            raise ProtocolError(f"won {won}, which is not 0 to 4, in {packet!r}")
        return Update(turn, won, spots)

    def _take(self, length: int, what: str) -> bytes:
        """Return the next `length` bytes. `what` says what they are, for errors."""
        self._fill(length, what)
        taken = bytes(self._buffer[:length])
        del self._buffer[:length]
        return taken

    def _fill(self, length: int, what: str) -> None:
        """Wait until the buffer has `length` bytes, without reading more than are needed."""
        while len(self._buffer) < length:
            arrived = self._socket.recv(length - len(self._buffer))
            if not arrived:
                raise ProtocolError(
                    f"the server closed after {len(self._buffer)} of {length} bytes of {what}: "
                    f"{bytes(self._buffer)!r}"
                )
            self._buffer += arrived


class SloppyClient(StreamClient):
    """A client that takes each recv for one packet.

    It works as long as each packet arrives by itself. TCP does not promise that: packets that are
    sent in quick succession may arrive together, and a long one in pieces. Then it raises
    ProtocolError, also if the server is right.
    """

    def _read_from_stream(self) -> Packet:
        packet = super()._read_from_stream()
        if self._buffer:
            raise ProtocolError(f"one recv gave more than {packet}: {bytes(self._buffer)!r}")
        return packet

    def _fill(self, length: int, what: str) -> None:
        if not self._buffer:
            self._buffer += self._socket.recv(4096)
        if len(self._buffer) < length:
            raise ProtocolError(f"one recv gave {bytes(self._buffer)!r}, not {length} of {what}")


class NamedRow(Enum):
    """The row that a PLAY names (T-Q03).

    With gravity `drop` the first two must work, with `column` all three.
    """

    TOP = "row 0"
    LANDING = "the row where the piece comes to rest"
    FROM_BELOW = "that row, counted from the bottom"


def play_whole_game(
    red: StreamClient,
    blue: StreamClient,
    columns: Sequence[int],
    named_row: NamedRow = NamedRow.LANDING,
) -> Update:
    """Let Red and Blue play these columns (0 to 6) in turn, and return the last UPDT.

    Each PLAY must be answered by the same UPDT to both, with one more piece. Not checked: which
    spot was taken, and who has won. The board must be empty, it must be Red's turn, and both
    clients must have read everything.
    """
    plays = [(x, 5 - columns[:turn_number].count(x)) for turn_number, x in enumerate(columns)]
    for pieces_before, (x, landing_row) in enumerate(plays):
        mover, other = (red, blue) if pieces_before % 2 == 0 else (blue, red)
        y = {NamedRow.TOP: 0, NamedRow.LANDING: landing_row, NamedRow.FROM_BELOW: 5 - landing_row}[
            named_row
        ]
        mover.play(x, y)
        update = read_update(mover)
        # A refused PLAY is answered only to its sender (T-Q06c), so the opponent would wait.
        pieces = sum(spot != 0 for spot in update.spots)
        if pieces != pieces_before + 1:
            raise ProtocolError(
                f"PLAY {x} {y} on a board of {pieces_before} pieces was answered with "
                f"{pieces} pieces: {update}"
            )
        seen_by_other = read_update(other)
        if seen_by_other != update:
            raise ProtocolError(
                f"after PLAY {x} {y} the player got {update}, the opponent {seen_by_other}"
            )
        if update.won != 0 and pieces < len(plays):
            raise ProtocolError(f"over after {pieces} of {len(plays)} plays: {update}")
    return update


def read_update(client: StreamClient) -> Update:
    """Return the next packet, which must be an UPDT."""
    packet = client.read()
    if not isinstance(packet, Update):
        raise ProtocolError(f"expected an UPDT, got {packet}")
    return packet

"""Two small blocking TTTP clients, written from the first description of it alone.

They stand for two authors who never met: a careful one, who knows that TCP is a stream, and a
beginner, who takes each recv for a packet. They share the packet classes and nothing else, so
a slip in one client is not a slip in both.

A server that stays silent shows as TimeoutError, one that drops the connection as
ConnectionError; everything else that a server must not do shows as ProtocolError.
"""

import socket
import struct
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Protocol, Self


class ProtocolError(Exception):
    """The server did what the protocol does not allow; the message tells what was seen."""


@dataclass(frozen=True)
class Joined:
    """JOIN (response): 1 Red, 2 Blue, 3 spectator; 4 to 9 are the reasons for a denial."""

    code: int


@dataclass(frozen=True)
class Chat:
    """CHAT from the server: what another client, known by its username, said."""

    name: bytes
    message: bytes


@dataclass(frozen=True)
class Update:
    """UPDT: the state of the game.

    turn is 1 (Red) or 2 (Blue). won is 0 (playing), 1 (Red), 2 (Blue), 3 (cat's game) or
    4 (cancelled). spots are the 42 values of spots 1 to 42, in order.
    """

    turn: int
    won: int
    spots: bytes


Packet = Joined | Chat | Update


class StreamClient:
    """The careful author's client: how the server's bytes are cut does not matter to it.

    It also checks that each number is one that the protocol has. A read that times out loses
    nothing: what had arrived stays in the buffer for the next read.
    """

    def __init__(self, host: str, port: int, timeout: float = 10.0, source: str = "") -> None:
        """Connects; timeout is the number of seconds that any one wait may take.

        source is the address from which to connect, if it matters.
        """
        self._socket = socket.create_connection((host, port), timeout, (source, 0))
        self._buffer = bytearray()
        self._put_by: deque[Packet] = deque()
        self._accepted = False

    def __enter__(self) -> Self:
        """The client itself, to be closed at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes; errors pass through."""
        self.close()

    def join(self, name: bytes) -> int:
        """Sends JOIN and gives the response code.

        Whoever was accepted before may get CHAT and UPDT while he waits: these are put by for
        `read`. Before the first acceptance nothing but the response may come.
        """
        if len(name) > 255:
            raise ValueError(f"a username has at most 255 bytes, this one has {len(name)}")
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
        """Sends PLAY for column x and row y, each 0 to 255; waits for nothing."""
        self._socket.sendall(struct.pack("!4sBB", b"PLAY", x, y))

    def chat(self, message: bytes) -> None:
        """Sends CHAT; waits for nothing."""
        if len(message) > 65535:
            raise ValueError(f"a message has at most 65535 bytes, this one has {len(message)}")
        self._socket.sendall(struct.pack("!4sH", b"CHAT", len(message)) + message)

    def rematch(self) -> None:
        """Sends RMCH; waits for nothing."""
        self._socket.sendall(struct.pack("!4s", b"RMCH"))

    def read(self) -> Packet:
        """The next packet from the server, in the order of arrival."""
        if self._put_by:
            return self._put_by.popleft()
        return self._read_from_stream()

    def half_close(self) -> None:
        """Tells the server that no more will be sent; reading goes on."""
        self._socket.shutdown(socket.SHUT_WR)

    def at_end(self) -> bool:
        """Whether the server has closed between two packets; waits until that is known.

        False when there is something left to read, be it a whole packet or a torn one.
        """
        if self._put_by or self._buffer:
            return False
        arrived = self._socket.recv(4096)
        self._buffer += arrived
        return not arrived

    def close(self) -> None:
        """Ends the connection; harmless when repeated."""
        self._socket.close()

    def _read_from_stream(self) -> Packet:
        """The next packet that is still on the wire or in the buffer."""
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
        """Removes so many bytes from the front of the buffer, once they have arrived."""
        self._fill(length, what)
        taken = bytes(self._buffer[:length])
        del self._buffer[:length]
        return taken

    def _fill(self, length: int, what: str) -> None:
        """Waits until the buffer holds so many bytes, never asking for more than are needed."""
        while len(self._buffer) < length:
            arrived = self._socket.recv(length - len(self._buffer))
            if not arrived:
                raise ProtocolError(
                    f"the server closed after {len(self._buffer)} of {length} bytes of {what}: "
                    f"{bytes(self._buffer)!r}"
                )
            self._buffer += arrived


class SloppyClient:
    """The beginner's client: one recv, one packet.

    It works as long as each packet arrives by itself. TCP does not promise that: packets sent
    closely one after another may arrive together, and a CHAT may be longer than one recv gives.
    Then it raises ProtocolError, also against a faultless server.
    """

    def __init__(self, host: str, port: int, timeout: float = 10.0) -> None:
        """Connects; timeout is the number of seconds that any one wait may take."""
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        try:
            self.socket.connect((host, port))
        except OSError:
            self.socket.close()
            raise

    def __enter__(self) -> Self:
        """The client itself, to be closed at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes; errors pass through."""
        self.close()

    def join(self, name: bytes) -> int:
        """Sends JOIN and gives the response code; the very next packet must be the response."""
        self.socket.sendall(b"JOIN" + bytes([len(name)]) + name)
        packet = self.read()
        if not isinstance(packet, Joined):
            raise ProtocolError(f"expected a JOIN response, got {packet}")
        return packet.code

    def play(self, x: int, y: int) -> None:
        """Sends PLAY for column x and row y."""
        self.socket.sendall(b"PLAY" + bytes([x, y]))

    def chat(self, message: bytes) -> None:
        """Sends CHAT."""
        self.socket.sendall(b"CHAT" + len(message).to_bytes(2, "big") + message)

    def rematch(self) -> None:
        """Sends RMCH."""
        self.socket.sendall(b"RMCH")

    def read(self) -> Packet:
        """What one recv gives, which must be one whole packet and nothing more."""
        got = self.socket.recv(4096)
        if got == b"":
            raise ProtocolError("the server closed where a packet was expected")
        if got.startswith(b"JOIN"):
            self.expect_length(got, 5)
            return Joined(got[4])
        if got.startswith(b"UPDT"):
            self.expect_length(got, 48)
            return Update(got[4], got[5], got[6:])
        if got.startswith(b"CHAT"):
            if len(got) < 7:
                raise ProtocolError(f"one recv gave only {len(got)} bytes of a CHAT: {got!r}")
            name_end = 7 + got[4]
            self.expect_length(got, name_end + got[5] * 256 + got[6])
            return Chat(got[7:name_end], got[name_end:])
        raise ProtocolError(f"one recv gave what begins like no packet: {got!r}")

    def expect_length(self, got: bytes, length: int) -> None:
        """Raises ProtocolError unless the bytes are just as many as the packet has."""
        if len(got) != length:
            raise ProtocolError(f"one recv gave {len(got)} bytes, the packet has {length}: {got!r}")

    def half_close(self) -> None:
        """Tells the server that no more will be sent; reading goes on."""
        self.socket.shutdown(socket.SHUT_WR)

    def at_end(self) -> bool:
        """Whether the server has closed; waits until that is known and takes nothing."""
        return self.socket.recv(1, socket.MSG_PEEK) == b""

    def close(self) -> None:
        """Ends the connection; harmless when repeated."""
        self.socket.close()


class Player(Protocol):
    """What `play_whole_game` needs of a client."""

    def play(self, x: int, y: int) -> None:
        """Sends PLAY."""

    def read(self) -> Packet:
        """The next packet from the server."""


class NamedRow(Enum):
    """Which row of its column a PLAY names (T-Q03).

    With gravity `drop` the first two must do, with `column` all.
    """

    TOP = "row 0"
    LANDING = "the row where the piece comes to rest"
    FROM_BELOW = "that row, counted from the bottom"


def play_whole_game(
    red: Player,
    blue: Player,
    columns: Sequence[int],
    named_row: NamedRow = NamedRow.LANDING,
) -> Update:
    """Lets Red and Blue play these columns (0 to 6) in turn and gives the last UPDT.

    The board must be empty, Red at turn, and both clients must have read all that was sent to
    them so far. The columns need not lead to the end of a game, but they must not go on after
    it. Raises ValueError for columns that cannot be played, before anything is sent, and
    ProtocolError when a PLAY is not answered by one and the same UPDT, with one piece more, to
    both. Which spot was taken and who won is left to the caller to check.
    """
    if not columns:
        raise ValueError("give at least one column")
    plays = [(x, 5 - columns[:turn_number].count(x)) for turn_number, x in enumerate(columns)]
    for x, landing_row in plays:
        if not 0 <= x <= 6:
            raise ValueError(f"column {x} is not 0 to 6")
        if landing_row < 0:
            raise ValueError(f"column {x} is played more often than it has rows")

    for pieces_before, (x, landing_row) in enumerate(plays):
        mover, other = (red, blue) if pieces_before % 2 == 0 else (blue, red)
        y = {NamedRow.TOP: 0, NamedRow.LANDING: landing_row, NamedRow.FROM_BELOW: 5 - landing_row}[
            named_row
        ]
        mover.play(x, y)
        update = read_update(mover)
        # A refused PLAY is answered to its sender alone (T-Q06c): waiting for the other's UPDT
        # would then only hide the cause behind a timeout.
        pieces = sum(spot != 0 for spot in update.spots)
        if pieces != pieces_before + 1:
            raise ProtocolError(
                f"PLAY {x} {y} on a board of {pieces_before} pieces was answered with "
                f"{pieces} pieces: {update}"
            )
        seen_by_other = read_update(other)
        if seen_by_other != update:
            raise ProtocolError(
                f"after PLAY {x} {y} the mover was sent {update}, the other {seen_by_other}"
            )
        if update.won != 0 and pieces < len(plays):
            raise ProtocolError(f"over after {pieces} of {len(plays)} plays: {update}")
    return update


def read_update(client: Player) -> Update:
    """The next packet, which must be an UPDT."""
    packet = client.read()
    if not isinstance(packet, Update):
        raise ProtocolError(f"expected an UPDT, got {packet}")
    return packet

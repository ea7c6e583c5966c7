"""A TTTP server that is not Gamehall and sends what a test asks for."""

import socket
from typing import Self

from tests.support.served import PATIENCE_SECONDS

SPOTS = 42
EMPTY = bytes(SPOTS)
RED, BLUE = 1, 2


def board(*pieces: tuple[int, int]) -> bytes:
    """Return the spots of a board with these pieces: player and index of the spot."""
    spots = bytearray(SPOTS)
    for player, spot in pieces:
        spots[spot] = player
    return bytes(spots)


RED_HAS_FOUR = board(
    *((RED, spot) for spot in (35, 36, 37, 38)), *((BLUE, spot) for spot in (28, 29, 30))
)


class ForeignTttp:
    """A server for one client at a time."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(PATIENCE_SECONDS)
        self._line: socket.socket | None = None
        self.address = f"tttp://127.0.0.1:{self._listening.getsockname()[1]}"

    def welcome(self, seat: int) -> bytes:
        """Accept a client, give it this seat, and return its name."""
        self._line, _ = self._listening.accept()
        self._line.settimeout(PATIENCE_SECONDS)
        assert self.read(4) == b"JOIN"
        name = self.read(self.read(1)[0])
        self._line.sendall(b"JOIN" + bytes([seat]))
        return name

    def show(self, turn: int, won: int, spots: bytes) -> None:
        """Send UPDT."""
        assert self._line is not None
        self._line.sendall(b"UPDT" + bytes([turn, won]) + spots)

    def read(self, length: int) -> bytes:
        """Read this number of bytes, or fewer if the client closes the connection."""
        assert self._line is not None
        read = b""
        while len(read) < length and (more := self._line.recv(length - len(read))):
            read += more
        return read

    def hang_up(self) -> None:
        if self._line is not None:
            self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()
        self._listening.close()

"""A small TTTP server that reads its document differently from Gamehall, and can have a fault.

It keeps the board when all players have left, does not show it to new players, has no spectators,
and requires names of three letters.
"""

import contextlib
import socket
import threading
from typing import ClassVar, NamedTuple

from tests.conformance.faulty_servers import ThreadedServer

COLUMNS, ROWS = 7, 6
TOO_SHORT, TAKEN, FULL = 4, 7, 9
SHORTEST_NAME = 3


class Player(NamedTuple):
    """A seated player."""

    connection: socket.socket
    name: bytes


class SmallTttp:
    """A server with one board. All packets are handled under one lock."""

    FAULTS: ClassVar[tuple[str, ...]] = (
        "forgets whose turn it is",
        "plays on after the end",
        "reads one byte of a CHAT length",
        "reads a CHAT length little-endian",
        "tells the sender its own words",
        "takes a segment for a packet",
        "lets two have one name",
        "gives a false reason",
        "keeps names for ever",
        "ignores RMCH",
    )

    def __init__(self, fault: str = "") -> None:
        assert fault in ("", *self.FAULTS)
        self._fault = fault
        self._lock = threading.Lock()
        self._players: dict[int, Player] = {}
        self._names: set[bytes] = set()
        self._turn, self._won = 1, 0
        self._spots = bytearray(COLUMNS * ROWS)

    def listen(self) -> ThreadedServer:
        return ThreadedServer(self.serve)

    def serve(self, connection: socket.socket) -> None:
        colour = 0
        try:
            while True:
                kind = self._read(connection, 4)
                if kind == b"JOIN":
                    name = self._read(connection, self._read(connection, 1)[0])
                    with self._lock:
                        colour = colour or self._join(connection, name)
                elif kind == b"PLAY":
                    column, row = self._read(connection, 2)
                    with self._lock:
                        self._play(colour, column, row)
                elif kind == b"CHAT":
                    text = self._read(connection, self._read_length(connection))
                    with self._lock:
                        self._say(colour, text)
                elif kind == b"RMCH" and self._fault != "ignores RMCH":
                    with self._lock:
                        self._begin()
                        self._send_board()
        except (EOFError, OSError):
            with self._lock:
                if self._players.pop(colour, None) and self._won == 0 and any(self._spots):
                    self._won = 4
                    self._send_board()

    def _begin(self) -> None:
        self._spots = bytearray(COLUMNS * ROWS)
        self._turn, self._won = 1, 0

    def _read(self, connection: socket.socket, length: int) -> bytes:
        data = b""
        while len(data) < length:
            got = connection.recv(length - len(data))
            if not got:
                raise EOFError
            data += got
            if self._fault == "takes a segment for a packet" and len(data) < length:
                raise EOFError
        return data

    def _read_length(self, connection: socket.socket) -> int:
        two = self._read(connection, 2)
        if self._fault == "reads one byte of a CHAT length":
            return two[1]
        if self._fault == "reads a CHAT length little-endian":
            return int.from_bytes(two, "little")
        return int.from_bytes(two, "big")

    def _join(self, connection: socket.socket, name: bytes) -> int:
        code = self._code_for(name)
        connection.sendall(b"JOIN" + bytes((code,)))
        if code > 2:
            return 0
        self._players[code] = Player(connection, name)
        self._names.add(name)
        return code

    def _code_for(self, name: bytes) -> int:
        if len(name) < SHORTEST_NAME:
            return TOO_SHORT
        present = {player.name for player in self._players.values()}
        taken = self._names if self._fault == "keeps names for ever" else present
        if name in taken and self._fault != "lets two have one name":
            return 5 if self._fault == "gives a false reason" else TAKEN
        return next((colour for colour in (1, 2) if colour not in self._players), FULL)

    def _play(self, colour: int, column: int, row: int) -> None:
        is_in_turn = colour == self._turn or self._fault == "forgets whose turn it is"
        is_on = self._won == 0 or self._fault == "plays on after the end"
        is_there = column < COLUMNS and row < ROWS
        if not (colour and is_in_turn and is_on and is_there):
            return
        if self._spots[row * COLUMNS + column]:
            return
        self._spots[row * COLUMNS + column] = colour
        self._turn = 3 - colour
        self._won = self._won or self._judge(column, row, colour)
        self._send_board()

    def _judge(self, column: int, row: int, colour: int) -> int:
        for across, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = 1
            for way in (1, -1):
                x, y = column + way * across, row + way * down
                while 0 <= x < COLUMNS and 0 <= y < ROWS and self._spots[y * COLUMNS + x] == colour:
                    line, x, y = line + 1, x + way * across, y + way * down
            if line >= 4:
                return colour
        return 3 if all(self._spots) else 0

    def _say(self, colour: int, text: bytes) -> None:
        if colour not in self._players:
            return
        name = self._players[colour].name
        chat = b"CHAT" + bytes((len(name),)) + len(text).to_bytes(2, "big") + name + text
        for other, player in self._players.items():
            if other != colour or self._fault == "tells the sender its own words":
                _send(player, chat)

    def _send_board(self) -> None:
        for player in self._players.values():
            _send(player, b"UPDT" + bytes((self._turn, self._won)) + bytes(self._spots))


def _send(player: Player, message: bytes) -> None:
    with contextlib.suppress(OSError):
        # If the client has left, reading from it raises the same error.
        player.connection.sendall(message)

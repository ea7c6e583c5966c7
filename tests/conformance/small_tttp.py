"""A small TTTP server of our own, which reads its document otherwise than the hall.

It keeps the board when all have left, shows newcomers nothing, lets nobody watch, and wants names
of three letters. It can also be given one fault.
"""

import contextlib
import socket
import threading
from typing import ClassVar

from tests.conformance.spoilt import Listening

COLUMNS, ROWS = 7, 6
TOO_SHORT, TAKEN, FULL = 4, 7, 9
SHORTEST_NAME = 3


class Seat:
    """One player: where it is told things, and what it is called."""

    def __init__(self, plug: socket.socket, name: bytes) -> None:
        self.plug = plug
        self.name = name


class SmallTttp:
    """One board. Whatever comes is handled under one lock."""

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
        self._seats: dict[int, Seat] = {}
        self._names: set[bytes] = set()
        self._turn, self._won = 1, 0
        self._spots = bytearray(COLUMNS * ROWS)

    def listen(self) -> Listening:
        return Listening(self.serve)

    def serve(self, plug: socket.socket) -> None:
        colour = 0
        try:
            while True:
                kind = self._read(plug, 4)
                if kind == b"JOIN":
                    name = self._read(plug, self._read(plug, 1)[0])
                    with self._lock:
                        colour = colour or self._join(plug, name)
                elif kind == b"PLAY":
                    column, row = self._read(plug, 2)
                    with self._lock:
                        self._play(colour, column, row)
                elif kind == b"CHAT":
                    text = self._read(plug, self._read_length(plug))
                    with self._lock:
                        self._say(colour, text)
                elif kind == b"RMCH" and self._fault != "ignores RMCH":
                    with self._lock:
                        self._begin()
                        self._show()
        except (EOFError, OSError):
            with self._lock:
                if self._seats.pop(colour, None) and self._won == 0 and any(self._spots):
                    self._won = 4
                    self._show()

    def _begin(self) -> None:
        self._spots = bytearray(COLUMNS * ROWS)
        self._turn, self._won = 1, 0

    def _read(self, plug: socket.socket, length: int) -> bytes:
        data = b""
        while len(data) < length:
            got = plug.recv(length - len(data))
            if not got:
                raise EOFError
            data += got
            if self._fault == "takes a segment for a packet" and len(data) < length:
                raise EOFError
        return data

    def _read_length(self, plug: socket.socket) -> int:
        two = self._read(plug, 2)
        if self._fault == "reads one byte of a CHAT length":
            return two[1]
        if self._fault == "reads a CHAT length little-endian":
            return int.from_bytes(two, "little")
        return int.from_bytes(two, "big")

    def _join(self, plug: socket.socket, name: bytes) -> int:
        code = self._code_for(name)
        plug.sendall(b"JOIN" + bytes((code,)))
        if code > 2:
            return 0
        self._seats[code] = Seat(plug, name)
        self._names.add(name)
        return code

    def _code_for(self, name: bytes) -> int:
        if len(name) < SHORTEST_NAME:
            return TOO_SHORT
        present = {seat.name for seat in self._seats.values()}
        taken = self._names if self._fault == "keeps names for ever" else present
        if name in taken and self._fault != "lets two have one name":
            return 5 if self._fault == "gives a false reason" else TAKEN
        return next((colour for colour in (1, 2) if colour not in self._seats), FULL)

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
        self._show()

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
        if colour not in self._seats:
            return
        name = self._seats[colour].name
        chat = b"CHAT" + bytes((len(name),)) + len(text).to_bytes(2, "big") + name + text
        for other, seat in self._seats.items():
            if other != colour or self._fault == "tells the sender its own words":
                _tell(seat, chat)

    def _show(self) -> None:
        for seat in self._seats.values():
            _tell(seat, b"UPDT" + bytes((self._turn, self._won)) + bytes(self._spots))


def _tell(seat: Seat, message: bytes) -> None:
    with contextlib.suppress(OSError):
        # That it is gone is seen when it is read.
        seat.plug.sendall(message)

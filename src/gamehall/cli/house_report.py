"""What a bot of the house tells the hall that has started its program, over a socket to it.

First the hall says in which seat the bot goes on, in one line that is empty if it is to join. Then
the bot says, each in a line, that it is loaded, and what another bot would need to go on in its
seat.
"""

import asyncio
import contextlib
import socket

LOADED = b"loaded"
PLACE = b"place "


class Report:
    """The bot's end."""

    def __init__(self, descriptor: int) -> None:
        """Raises OSError if that is not a socket to a hall."""
        self._socket = socket.socket(fileno=descriptor)
        with self._socket.makefile("rb") as lines:
            line = lines.readline()
        self.place = line.decode().strip()
        """The seat to go on in, empty if there is none."""

    def loaded(self) -> None:
        """The bot is ready, and about to come through the door."""
        self._say(LOADED)

    def keep_place(self, place: str) -> None:
        """The bot has a seat in which another could go on, or, if that is empty, none any more."""
        self._say(PLACE + place.encode())

    def _say(self, line: bytes) -> None:
        # A hall that has gone needs to know nothing.
        with contextlib.suppress(OSError):
            self._socket.sendall(line + b"\n")


class Heard:
    """The hall's end. What a program has said by its end is not lost with it."""

    def __init__(self, place: str) -> None:
        """`place`: the seat in which the bot goes on, empty if there is none."""
        self.is_loaded = False
        self.place = place

    async def listen(self, ours: socket.socket) -> None:
        """Tell the bot its seat, and listen until its program has ended."""
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            writer.write(self.place.encode() + b"\n")
            with contextlib.suppress(OSError, ValueError):
                while line := await reader.readline():
                    self._take(line.rstrip(b"\n"))
        finally:
            writer.close()

    def _take(self, line: bytes) -> None:
        if line == LOADED:
            self.is_loaded = True
        elif line.startswith(PLACE):
            self.place = line.removeprefix(PLACE).decode(errors="replace")

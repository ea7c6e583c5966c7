"""A person's connection to a door: bytes, keys and the time, brought to where they belong."""

import asyncio
import contextlib
import math
import signal
import ssl
from collections import deque
from collections.abc import Callable
from typing import Any

from gamehall.client.connection import SECONDS_TO_TURN_AWAY, Address, Line, connect, read
from gamehall.client.visit import SECONDS_OF_DOUBT
from gamehall.rooms.requests import Request
from gamehall.terminal.commands import run_command
from gamehall.terminal.person import Person
from gamehall.terminal.screen import Screen
from gamehall.wire.session import ClientSession

SECONDS_TO_BOARD = 0.3
"""How long nothing must have happened before a board is shown on which the person cannot move."""

SECONDS_TO_PART = 0.5
"""How long a server may take to hang up, too."""


class Stay:
    """Takes bytes from a socket to a session, notices and lines to a person, and back."""

    def __init__(
        self,
        address: Address,
        session: ClientSession[Any, Any],
        person: Person[Any],
        screen: Screen,
        clock: Callable[[], float],
        is_patient: bool,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`is_patient`: whether a line waits until the person is asked for one, as from a pipe."""
        self._address = address
        self._session = session
        self._person = person
        self._screen = screen
        self._clock = clock
        self._is_patient = is_patient
        self._tls = tls
        self._woken = asyncio.Event()
        self._lines: deque[str | None] = deque()
        self._is_leaving = False
        self.is_turned_away = False
        """Whether the server has hung up at once, without a word."""
        self._received_at = self._noticed_at = clock()
        """When the server last sent something, and when something last happened."""

    async def run(self) -> None:
        """Stays until one of both has gone. Raises CannotVisit.

        What has come of it, the person knows.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._leave)
        line = await self._connect()
        if line is None:
            self._person.leave()
            self._show()
            return
        reader, self._writer = line
        listening = asyncio.ensure_future(self._listen(reader))
        self._screen.open(self._hear_line)
        try:
            self._say(self._person.arrive())
            await self._converse()
            self._show()
            await self._part(listening)
        finally:
            listening.cancel()
            await self._screen.close()
            self._writer.close()

    async def _connect(self) -> Line | None:
        """The line to the server, None if the person does not want to wait for it."""
        opening = asyncio.ensure_future(connect(self._address, self._tls))
        waking = asyncio.ensure_future(self._woken.wait())
        await asyncio.wait({opening, waking}, return_when=asyncio.FIRST_COMPLETED)
        waking.cancel()
        if not opening.done():
            opening.cancel()
            return None
        return opening.result()

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        received, until = b"?", self._clock() + SECONDS_TO_TURN_AWAY
        has_heard = False
        while received:
            received = await read(reader)
            has_heard |= bool(received)
            self.is_turned_away = not has_heard and self._clock() < until
            self._session.receive_data(received)
            self._received_at = self._clock()
            self._woken.set()

    async def _converse(self) -> None:
        while True:
            self._hear()
            self._take_lines()
            self._hear()
            if self._person.is_done:
                return
            self._attend()
            self._show()
            self._screen.prompt(self._person.prompt)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._patience()):
                    await self._woken.wait()
            self._woken.clear()

    async def _part(self, listening: "asyncio.Future[None]") -> None:
        """Hangs up, and hears the server out: to close with unread input would reset the line."""
        if self._writer.can_write_eof():
            with contextlib.suppress(OSError):
                self._writer.write_eof()
            await asyncio.wait({listening}, timeout=SECONDS_TO_PART)
        self._writer.close()
        with contextlib.suppress(OSError):
            async with asyncio.timeout(SECONDS_TO_PART):
                await self._writer.wait_closed()

    def _hear(self) -> None:
        while not self._person.is_done:
            notice = self._session.next_notice()
            if notice is None:
                return
            self._noticed_at = self._clock()
            self._say(self._person.hear(notice))

    def _take_lines(self) -> None:
        if self._is_leaving and not self._person.is_done:
            self._say(self._person.leave())
        while self._lines and not self._person.is_done:
            if self._is_patient and not self._person.is_asked:
                return
            self._show()
            line = self._lines.popleft()
            self._noticed_at = self._clock()
            if line is None:
                self._say(self._person.leave())
            else:
                self._screen.finish_line(self._person.prompt, line)
                self._say(run_command(self._person, line))

    def _attend(self) -> None:
        """Does what is due, nothing having happened for so long."""
        now, person = self._clock(), self._person
        if person.doubt is not None and now >= self._noticed_at + SECONDS_OF_DOUBT:
            person.settle_doubt()
        if person.is_stale and now >= self._noticed_at + SECONDS_TO_BOARD:
            person.break_silence()
        seconds = self._session.seconds_to_poll
        if seconds is not None and now >= self._received_at + seconds:
            self._received_at = now
            self._writer.write(self._session.poll())

    def _patience(self) -> float | None:
        """How long to wait for something to happen, None: for ever."""
        person, now = self._person, self._clock()
        dues: list[float] = []
        if person.doubt is not None:
            dues.append(self._noticed_at + SECONDS_OF_DOUBT - now)
        if person.is_stale:
            dues.append(self._noticed_at + SECONDS_TO_BOARD - now)
        if self._session.seconds_to_poll is not None:
            dues.append(self._received_at + self._session.seconds_to_poll - now)
        if person.seconds_left:
            dues.append(person.seconds_left - math.ceil(person.seconds_left) + 1)
        return max(0.0, min(dues)) if dues else None

    def _show(self) -> None:
        shown, self._person.shown = self._person.shown, []
        self._screen.show(shown, self._person.sight.marks)

    def _say(self, requests: list[Request[Any]]) -> None:
        for request in requests:
            try:
                self._writer.write(self._session.send(request))
            except ValueError:
                # A move that was not checked, in a position that nobody has shown us.
                self._person.take_back()

    def _hear_line(self, line: str | None) -> None:
        self._lines.append(line)
        self._woken.set()

    def _leave(self) -> None:
        self._is_leaving = True
        self._woken.set()

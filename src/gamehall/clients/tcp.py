"""The driver of every player over TCP: it brings bytes, time and the player together.

What acts for the player is its front: a bot that thinks, or a terminal. When the connection is lost
in the middle of a match, the driver connects again and the player goes on where it was, if the
server has kept its seat.
"""

import asyncio
import contextlib
import errno
import os
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from gamehall.clients.address import Address
from gamehall.core import GamehallError
from gamehall.players.conversation import Conversation
from gamehall.rooms.notices import Refused
from gamehall.rooms.requests import Request
from gamehall.wire.session import ClientSession

BYTES_AT_A_TIME: Final = 65_536
SECONDS_TO_TURN_AWAY: Final = 2.0
"""How soon a server hangs up that does not speak the protocol."""
SECONDS_OF_DOUBT: Final = 1.0
"""How long a server may be silent that has asked again what was just answered."""
SECONDS_TO_PART: Final = 0.5
"""How long a server may take to hang up, too."""
SECONDS_TO_RECONNECT: Final = 60.0
FIRST_DELAY: Final = 0.25
LONGEST_DELAY: Final = 5.0
"""Between two attempts to connect again; the delay doubles from one to the next."""
KEEPALIVE: Final = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
"""Thus a server that has vanished is noticed within 30 seconds."""

NOBODY_RETURNS: Final = "players have no names at this door, so the game is lost"
NOT_BACK: Final = "the connection was lost, and the server did not take us back within {:g} s"

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class ConnectionFailedError(GamehallError):
    """The server cannot be reached. The text tells the user why."""


class Front(Protocol):
    """What acts for a player."""

    def start(self, wake: Callable[[], None]) -> None:
        """Begin; `wake` is to be called in the event loop when there is something to do."""

    def act(self, seconds_quiet: float) -> Sequence[Request[Any]]:
        """Do whatever is due; return what is to be sent.

        `seconds_quiet`: how long nothing has been heard or sent.
        """

    def seconds_to_wait(self, seconds_quiet: float) -> float | None:
        """Return after how many seconds `act` is to be called at the latest, None: never."""

    def tell(self, text: str) -> None:
        """Tell the user what happens to the connection."""


async def connect(address: Address, tls: ssl.SSLContext | None) -> Streams:
    """Connect to the server. Raises ConnectionFailedError."""
    try:
        reader, writer = await asyncio.open_connection(address.host, address.port, ssl=tls)
    except ssl.SSLError as error:
        words = error.reason or str(error)
        if isinstance(error, ssl.SSLCertVerificationError):
            words = f"{error.verify_message}; give its certificate with --tls-ca FILE"
        raise ConnectionFailedError(f"cannot speak TLS with {address}: {words}") from None
    except OSError as error:
        # asyncio lists every address that it has tried; a short message is enough.
        words = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        if error.errno == errno.ECONNREFUSED:
            words += "; is the hall open? gamehall serve opens it"
        raise ConnectionFailedError(f"cannot connect to {address}: {words}") from None
    _watch_for_loss(writer.get_extra_info("socket"))
    return reader, writer


def _watch_for_loss(plug: socket.socket) -> None:
    """Have the system find out when the server is gone without a word."""
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):
            plug.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class TcpClient:
    """Takes bytes from a socket to a session, notices to a player, requests back."""

    def __init__(
        self,
        address: Address,
        open_session: Callable[[], ClientSession[Any, Any]],
        player: Conversation[Any],
        front: Front,
        clock: Callable[[], float],
        tls: ssl.SSLContext | None = None,
        seconds_to_reconnect: float = 0.0,
    ) -> None:
        """Prepare to connect.

        Args:
            open_session: called for each connection.
            seconds_to_reconnect: for how long to try after the connection is lost; 0: not at all.
        """
        self._address = address
        self._open_session = open_session
        self._player = player
        self._front = front
        self._clock = clock
        self._tls = tls
        self._seconds_to_reconnect = seconds_to_reconnect
        self._woken = asyncio.Event()
        self._session = open_session()
        self._writer: asyncio.StreamWriter | None = None
        """None while there is no connection."""
        self._listening: asyncio.Future[None] | None = None
        self._is_lost = False
        self._return_by: float | None = None
        """Until when to try to come back, None if the connection is not lost."""
        self._delay = FIRST_DELAY
        self._has_heard = False
        self._connected_at = self._received_at = self._active_at = clock()
        """When; when the server last sent something, and when something was last said."""
        self.is_turned_away = False
        """Whether the server has hung up at once, without a word."""

    async def run(self) -> None:
        """Play until there is nothing more to say. Raises ConnectionFailedError.

        What has come of it, the player knows.
        """
        self._front.start(self._woken.set)
        try:
            if await self._connect():
                self._send(self._player.arrive())
                await self._converse()
                while self._may_go_on:
                    if await self._come_back():
                        await self._converse()
            self._front.act(0.0)
        finally:
            await self._hang_up()

    @property
    def _may_go_on(self) -> bool:
        return self._is_lost and not self._player.is_done

    async def _connect(self) -> bool:
        """Open a connection. Return False if the user has left meanwhile.

        Raises ConnectionFailedError.
        """
        opening = asyncio.ensure_future(connect(self._address, self._tls))
        opening.add_done_callback(lambda _: self._woken.set())
        try:
            while not opening.done():
                await self._wait(None)
                if not opening.done():
                    self._front.act(0.0)
                if self._player.is_done:
                    return False
        except asyncio.CancelledError:
            if opening.done() and opening.exception() is None:
                opening.result()[1].close()
            raise
        finally:
            opening.cancel()
        reader, self._writer = opening.result()
        self._session, self._is_lost, self._has_heard = self._open_session(), False, False
        self._connected_at = self._received_at = self._active_at = self._clock()
        self._listening = asyncio.ensure_future(self._listen(reader, self._session))
        return True

    async def _listen(self, reader: asyncio.StreamReader, session: ClientSession[Any, Any]) -> None:
        received = b"?"
        while received:
            try:
                received = await reader.read(BYTES_AT_A_TIME)
            except OSError:
                received = b""
            self._received_at = self._clock()
            self._has_heard |= bool(received)
            if received:
                session.receive_data(received)
            else:
                self._is_lost = True
            self._woken.set()

    async def _converse(self) -> None:
        """Talk until the player is done or nothing more comes of this connection."""
        while True:
            self._hear()
            if self._player.is_done or self._is_lost or self._session.closed:
                return
            requests = self._front.act(self._clock() - self._active_at)
            if requests:
                # What was said may have told the session what the server will not say.
                self._send(requests)
                self._active_at = self._clock()
            elif not self._act_in_silence():
                await self._wait(self._seconds_to_wait())
            self._watch_return()

    def _hear(self) -> None:
        """Answer whatever the server has said, or what follows from what was said to it."""
        player = self._player
        while not player.is_done:
            notice = self._session.next_notice()
            if notice is None:
                return
            if self._return_by is not None and isinstance(notice, Refused):
                # The server may not have noticed yet that the connection before is gone.
                self._is_lost = True
                return
            self._active_at = self._clock()
            self._send(player.hear(notice))
            self._note_return()

    def _note_return(self) -> None:
        if self._return_by is not None and not self._player.is_returning:
            self._return_by, self._delay = None, FIRST_DELAY
            self._front.tell("reconnected")

    def _watch_return(self) -> None:
        """Note that the player is back, or that the time to come back is over."""
        if self._return_by is None:
            return
        now = self._clock()
        # A player who waits for a tournament hears nothing until that begins.
        is_connected = self._has_heard or now >= self._connected_at + SECONDS_TO_TURN_AWAY
        if is_connected and not self._player.is_returning:
            self._note_return()
        elif now >= self._return_by:
            self._is_lost = True

    def _act_in_silence(self) -> bool:
        """Do what is due when nothing was heard for a while. Return whether the player may act."""
        now = self._clock()
        if self._player.doubt is not None and now >= self._active_at + SECONDS_OF_DOUBT:
            self._player.settle_doubt()
            return True
        seconds = self._session.seconds_to_poll
        if seconds is not None and now >= self._received_at + seconds:
            self._received_at = now
            self._write(self._session.poll())
        return False

    def _seconds_to_wait(self) -> float | None:
        """Return how long to wait for something to happen, None: for ever."""
        now = self._clock()
        due = []
        if self._player.doubt is not None:
            due.append(self._active_at + SECONDS_OF_DOUBT - now)
        if self._session.seconds_to_poll is not None:
            due.append(self._received_at + self._session.seconds_to_poll - now)
        if self._return_by is not None:
            due.append(self._return_by - now)
            if not self._player.is_returning:
                due.append(self._connected_at + SECONDS_TO_TURN_AWAY - now)
        if (seconds := self._front.seconds_to_wait(now - self._active_at)) is not None:
            due.append(seconds)
        return max(0.0, min(due)) if due else None

    async def _wait(self, seconds: float | None) -> None:
        if self._player.is_done:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        self._woken.clear()

    def _send(self, requests: Sequence[Request[Any]]) -> None:
        for request in requests:
            try:
                self._write(self._session.send(request))
            except ValueError:
                # A move that was not checked, in a position that nobody has shown us.
                self._player.take_back()

    def _write(self, message: bytes) -> None:
        if message and self._writer is not None:
            self._writer.write(message)

    # When the connection is lost

    async def _come_back(self) -> bool:
        """Connect again. Return False if that is impossible; then the player knows why."""
        player, seat_token = self._player, self._session.seat_token
        now = self._clock()
        if self._return_by is None:
            if not self._may_come_back():
                self._end_session()
                return False
            limit = self._seconds_to_reconnect
            self._front.tell(f"connection lost; trying to reconnect for {limit:g} s")
            self._return_by = now + limit
            player.lose_connection()
        else:
            self._delay = min(2 * self._delay, LONGEST_DELAY)
        await self._hang_up()
        while (left := self._return_by - self._clock()) > 0:
            await self._pause(min(self._delay, left))
            if player.is_done:
                return False
            try:
                async with asyncio.timeout(self._return_by - self._clock()):
                    if not await self._connect():
                        return False
            except (ConnectionFailedError, TimeoutError):
                self._delay = min(2 * self._delay, LONGEST_DELAY)
                continue
            if seat_token is not None:
                self._session.resume(seat_token)
            self._send(player.arrive())
            return True
        player.finish(NOT_BACK.format(self._seconds_to_reconnect))
        return False

    def _may_come_back(self) -> bool:
        is_early = self._clock() < self._connected_at + SECONDS_TO_TURN_AWAY
        self.is_turned_away = is_early and not self._has_heard
        if self.is_turned_away or self._seconds_to_reconnect <= 0:
            return False
        return self._player.may_return and self._is_known

    @property
    def _is_known(self) -> bool:
        """Whether a server can recognise the player on this wire."""
        return self._player.vocabulary.has_names or self._session.seat_token is not None

    def _end_session(self) -> None:
        """The server has closed the connection for good."""
        was_playing = self._player.is_playing
        self._session.receive_data(b"")
        self._hear()
        would_return = was_playing and self._seconds_to_reconnect > 0
        if would_return and not self._is_known and self._player.error is not None:
            self._player.error += f"; {NOBODY_RETURNS}"

    async def _pause(self, seconds: float) -> None:
        """Wait; the user may leave meanwhile."""
        until = self._clock() + seconds
        while not self._player.is_done and (left := until - self._clock()) > 0:
            self._front.act(0.0)
            await self._wait(left)

    async def _hang_up(self) -> None:
        """Close the connection. To close it with unread input would reset it."""
        writer, listening = self._writer, self._listening
        self._writer = self._listening = None
        if writer is None or listening is None:
            return
        if not self._is_lost and writer.can_write_eof():
            with contextlib.suppress(OSError):
                writer.write_eof()
            await asyncio.wait({listening}, timeout=SECONDS_TO_PART)
        listening.cancel()
        writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(SECONDS_TO_PART):
                await writer.wait_closed()

"""The TCP client for every player: it connects a socket, a session, a player and its controller.

The controller decides for the player: a bot in a thread, or a terminal. When the connection is lost
during a match, the client reconnects, and the player continues if the server has kept its seat.
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
from gamehall.rooms.notices import Closed, Refused
from gamehall.rooms.requests import Request
from gamehall.wire.session import ClientSession

BYTES_AT_A_TIME: Final = 65_536
SECONDS_TO_REJECT: Final = 2.0
"""A server that closes the connection within this time probably speaks another protocol."""
SECONDS_AFTER_REPEATED_TURN: Final = 1.0
"""How long to wait for more after the server has repeated a turn that was just answered."""
SECONDS_TO_CLOSE: Final = 0.5
"""How long to wait for the server to close its end."""
SECONDS_TO_RECONNECT: Final = 60.0
# The delay between attempts to reconnect doubles from the first to the longest.
FIRST_DELAY: Final = 0.25
LONGEST_DELAY: Final = 5.0
# A server that has vanished is noticed within 30 seconds.
KEEPALIVE: Final = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}

NO_NAMES: Final = "players have no names at this door, so the game is lost"
NOT_RECONNECTED: Final = "the connection was lost, and could not be restored within {:g} s"

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class ConnectionFailedError(GamehallError):
    """The server cannot be reached. The message says why."""


class Controller(Protocol):
    """Decides for a player: a bot in a thread (`Thinker`), or a terminal (`TerminalController`)."""

    def start(self, wake: Callable[[], None]) -> None:
        """Start. From now on, call `wake` in the event loop when `act` should be called."""

    def act(self, seconds_quiet: float) -> Sequence[Request[Any]]:
        """Do everything that is due, and return the requests to send.

        Args:
            seconds_quiet: the time since something was last received or sent.
        """

    def seconds_to_wait(self, seconds_quiet: float) -> float | None:
        """Return the seconds after which `act` must be called at the latest, None for no limit."""

    def tell(self, text: str) -> None:
        """Show the user a message about the connection."""


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
        # asyncio's own message lists every address that it has tried.
        words = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        if isinstance(error, socket.gaierror):
            words = f"there is no computer named {address.host}"
        if error.errno == errno.ECONNREFUSED:
            words += "; is the server running? gamehall serve starts it"
        raise ConnectionFailedError(f"cannot connect to {address}: {words}") from None
    connected: socket.socket = writer.get_extra_info("socket")
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):
            connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return reader, writer


class TcpClient:
    """Runs one player over TCP, until it is done."""

    def __init__(
        self,
        address: Address,
        open_session: Callable[[], ClientSession[Any, Any]],
        player: Conversation[Any],
        controller: Controller,
        clock: Callable[[], float],
        tls: ssl.SSLContext | None = None,
        seconds_to_reconnect: float = 0.0,
    ) -> None:
        """Prepare to connect.

        Args:
            open_session: called for each connection.
            seconds_to_reconnect: how long to try after the connection is lost; 0: not at all.
        """
        self._address = address
        self._open_session = open_session
        self._player = player
        self._controller = controller
        self._clock = clock
        self._tls = tls
        self._seconds_to_reconnect = seconds_to_reconnect
        self._woken = asyncio.Event()
        self._session = open_session()
        self._writer: asyncio.StreamWriter | None = None
        """None while there is no connection."""
        self._reading: asyncio.Future[None] | None = None
        self._is_lost = False
        self._reconnect_by: float | None = None
        """When to give up reconnecting. None unless the connection is lost."""
        self._delay = FIRST_DELAY
        self._has_received = False
        """True if this connection has received anything."""
        self._connected_at = self._received_at = self._active_at = clock()
        """The times of the connection, of the last input, and of the last notice or request."""
        self.is_rejected = False
        """True if the server has closed the connection at once, without sending anything."""
        self.is_foreign = False
        """True if the connection has ended without any message of the protocol."""
        self._has_understood = False
        """True if the server has sent a message of the protocol, over any connection."""

    async def run(self) -> None:
        """Play until the player is done. Its attributes have the results.

        Raises ConnectionFailedError if the first connection fails.
        """
        self._controller.start(self._woken.set)
        try:
            if await self._connect():
                self._send(self._player.arrive())
                await self._converse()
                while self._is_lost and not self._player.is_done:
                    if await self._reconnect():
                        await self._converse()
            self._controller.act(0.0)
        finally:
            await self._disconnect()

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
                    self._controller.act(0.0)
                if self._player.is_done:
                    return False
        except asyncio.CancelledError:
            if opening.done() and opening.exception() is None:
                opening.result()[1].close()
            raise
        finally:
            opening.cancel()
        reader, self._writer = opening.result()
        self._session, self._is_lost, self._has_received = self._open_session(), False, False
        self._connected_at = self._received_at = self._active_at = self._clock()
        self._reading = asyncio.ensure_future(self._read(reader, self._session))
        return True

    async def _read(self, reader: asyncio.StreamReader, session: ClientSession[Any, Any]) -> None:
        received = b"?"
        while received:
            try:
                received = await reader.read(BYTES_AT_A_TIME)
            except OSError:
                received = b""
            self._received_at = self._clock()
            self._has_received |= bool(received)
            if received:
                session.receive_data(received)
            else:
                self._is_lost = True
            self._woken.set()

    async def _converse(self) -> None:
        """Exchange notices and requests until the player is done or the connection is lost."""
        while True:
            self._process_notices()
            if self._player.is_done or self._is_lost or self._session.closed:
                return
            requests = self._controller.act(self._clock() - self._active_at)
            if requests:
                # Look for notices next: a session may derive some from the requests.
                self._send(requests)
                self._active_at = self._clock()
            elif not self._act_in_silence():
                await self._wait(self._seconds_to_wait())
            self._check_reconnection()

    def _process_notices(self) -> None:
        """Pass the session's notices to the player, and send its answers."""
        player = self._player
        while not player.is_done:
            notice = self._session.next_notice()
            if notice is None:
                return
            if self._reconnect_by is not None and isinstance(notice, Refused):
                # The server may not have noticed the loss of the old connection yet: try again.
                self._is_lost = True
                return
            self._active_at = self._clock()
            if isinstance(notice, Closed):
                self.is_foreign = not self._has_understood
            else:
                self._has_understood = True
            self._send(player.receive(notice))
            self._note_reconnection()

    def _note_reconnection(self) -> None:
        if self._reconnect_by is not None and not self._player.is_returning:
            self._reconnect_by, self._delay = None, FIRST_DELAY
            self._controller.tell("reconnected")

    def _check_reconnection(self) -> None:
        """Note that the player has its seat again, or that the time to reconnect is over."""
        if self._reconnect_by is None:
            return
        now = self._clock()
        # A player who waits for a tournament receives nothing until that begins.
        is_connected = self._has_received or now >= self._connected_at + SECONDS_TO_REJECT
        if is_connected and not self._player.is_returning:
            self._note_reconnection()
        elif now >= self._reconnect_by:
            self._is_lost = True

    def _act_in_silence(self) -> bool:
        """Do what is due after a time without notices. Return True if the player may act now."""
        now = self._clock()
        if (
            self._player.repeated_turn is not None
            and now >= self._active_at + SECONDS_AFTER_REPEATED_TURN
        ):
            self._player.accept_repeated_turn()
            return True
        seconds = self._session.seconds_to_poll
        if seconds is not None and now >= self._received_at + seconds:
            self._received_at = now
            self._write(self._session.poll())
        return False

    def _seconds_to_wait(self) -> float | None:
        """Return how long to wait for input, None for no limit."""
        now = self._clock()
        due = []
        if self._player.repeated_turn is not None:
            due.append(self._active_at + SECONDS_AFTER_REPEATED_TURN - now)
        if self._session.seconds_to_poll is not None:
            due.append(self._received_at + self._session.seconds_to_poll - now)
        if self._reconnect_by is not None:
            due.append(self._reconnect_by - now)
            if not self._player.is_returning:
                due.append(self._connected_at + SECONDS_TO_REJECT - now)
        if (seconds := self._controller.seconds_to_wait(now - self._active_at)) is not None:
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
                # The player did not know the position, so the move was not checked before.
                self._player.reject_unsendable_move()

    def _write(self, message: bytes) -> None:
        if message and self._writer is not None:
            self._writer.write(message)

    # Reconnecting

    async def _reconnect(self) -> bool:
        """Connect again after a loss. If that fails, finish the player and return False."""
        player, seat_token = self._player, self._session.seat_token
        now = self._clock()
        if self._reconnect_by is None:
            if not self._may_reconnect():
                self._end_session()
                return False
            limit = self._seconds_to_reconnect
            self._controller.tell(f"connection lost; trying to reconnect for {limit:g} s")
            self._reconnect_by = now + limit
            player.lose_connection()
        else:
            self._delay = min(2 * self._delay, LONGEST_DELAY)
        await self._disconnect()
        while (left := self._reconnect_by - self._clock()) > 0:
            await self._pause(min(self._delay, left))
            if player.is_done:
                return False
            try:
                async with asyncio.timeout(self._reconnect_by - self._clock()):
                    if not await self._connect():
                        return False
            except (ConnectionFailedError, TimeoutError):
                self._delay = min(2 * self._delay, LONGEST_DELAY)
                continue
            if seat_token is not None:
                self._session.resume(seat_token)
            self._send(player.arrive())
            return True
        player.finish(NOT_RECONNECTED.format(self._seconds_to_reconnect))
        return False

    def _may_reconnect(self) -> bool:
        is_early = self._clock() < self._connected_at + SECONDS_TO_REJECT
        self.is_rejected = is_early and not self._has_received
        if self.is_rejected or self._seconds_to_reconnect <= 0:
            return False
        return self._player.may_return and self._is_recognisable

    @property
    def _is_recognisable(self) -> bool:
        """True if a server of this protocol can recognise the player when it reconnects."""
        return self._player.vocabulary.has_names or self._session.seat_token is not None

    def _end_session(self) -> None:
        """Tell the session and the player that the server has closed the connection."""
        was_playing = self._player.is_playing
        self._session.receive_data(b"")
        self._process_notices()
        would_reconnect = was_playing and self._seconds_to_reconnect > 0
        if would_reconnect and not self._is_recognisable and self._player.error is not None:
            self._player.error += f"; {NO_NAMES}"

    async def _pause(self, seconds: float) -> None:
        """Wait. The user may leave meanwhile."""
        until = self._clock() + seconds
        while not self._player.is_done and (left := until - self._clock()) > 0:
            self._controller.act(0.0)
            await self._wait(left)

    async def _disconnect(self) -> None:
        """Close the connection in an orderly way: closing it with unread input would reset it."""
        writer, reading = self._writer, self._reading
        self._writer = self._reading = None
        if writer is None or reading is None:
            return
        if not self._is_lost and writer.can_write_eof():
            with contextlib.suppress(OSError):
                writer.write_eof()
            await asyncio.wait({reading}, timeout=SECONDS_TO_CLOSE)
        reading.cancel()
        writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(SECONDS_TO_CLOSE):
                await writer.wait_closed()

"""Server-sent events for many readers. A slow reader skips to the newest messages.

A message is encoded once for all its readers. They are woken a few at a time, so that the event
loop serves players in between. A reader that does not read is disconnected after a timeout.
"""

import asyncio
from collections.abc import Callable, Iterable
from itertools import islice, takewhile
from typing import Any, Final, NamedTuple

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

READERS_AT_ONCE: Final = 4
SECONDS_BETWEEN_GROUPS: Final = 0.003
SECONDS_BETWEEN_PINGS: Final = 15.0
"""The interval of comments that keep an idle connection alive."""
SECONDS_TO_READ: Final = 30.0
"""The timeout for sending a message to a reader."""
BYTES_AT_ONCE: Final = 65_536
"""The approximate size of a chunk of the first messages to a new reader."""
PING: Final = b": here\n\n"


class Reader:
    """The response of one stream of events."""

    def __init__(self, seen: int) -> None:
        self.seen = seen
        """The number of the newest message that was sent."""
        self.is_ended = False
        """Whether a newer reader has replaced it."""
        self._woken: asyncio.Future[None] | None = None

    def wake(self) -> None:
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)

    async def sleep(self) -> None:
        """Wait until `wake` is called."""
        self._woken = asyncio.get_running_loop().create_future()
        await self._woken


class WakeQueue:
    """Wakes readers a few at a time, so that the event loop can serve others in between."""

    def __init__(self) -> None:
        self._waiting: dict[Reader, None] = {}

    def add(self, readers: Iterable[Reader]) -> None:
        is_running = bool(self._waiting)
        self._waiting.update(dict.fromkeys(readers))
        if not is_running:
            self._wake_some()

    def _wake_some(self) -> None:
        for reader in list(islice(self._waiting, READERS_AT_ONCE)):
            del self._waiting[reader]
            reader.wake()
        if self._waiting:
            asyncio.get_running_loop().call_later(SECONDS_BETWEEN_GROUPS, self._wake_some)


class KeptMessage(NamedTuple):
    """The newest message under a key."""

    number: int
    body: bytes
    write_again: Callable[[], bytes] | None
    """Encodes it for a later reader; None if it does not depend on the time."""


class Topic:
    """The newest message under each key, and its readers."""

    def __init__(self, queue: WakeQueue | None = None, max_readers: int | None = None) -> None:
        """Prepare a topic.

        Args:
            queue: wakes the readers; without one all are woken at once.
            max_readers: one more reader than this ends the oldest stream.
        """
        self._queue = queue
        self._max_readers = max_readers
        self._newest: dict[str, KeptMessage] = {}
        """Ordered by the first use of each key."""
        self._by_number: dict[str, KeptMessage] = {}
        """The same messages, the oldest first."""
        self._number = 0
        self._taken_since: dict[int, bytes] = {}
        """The results of `take` since the last message, by the number that the reader had seen."""
        self._readers: dict[Reader, None] = {}
        self.is_closed = False

    @property
    def is_heard(self) -> bool:
        return bool(self._readers)

    @property
    def readers(self) -> int:
        return len(self._readers)

    def publish(self, key: str, name: str, content: Any) -> None:
        """Replace the message under a key by an event, and wake the readers.

        Without readers nothing is encoded or stored.
        """
        if self._readers:
            self.put(key, write_news(name, content))
            self.wake_readers()

    def put(self, key: str, body: bytes, write_again: Callable[[], bytes] | None = None) -> None:
        """Replace the message under a key, for the next time the readers are woken."""
        self._number += 1
        message = KeptMessage(self._number, body, write_again)
        self._newest[key] = message
        self._by_number.pop(key, None)
        self._by_number[key] = message
        self._taken_since.clear()

    def forget(self, key: str) -> None:
        """Drop the message under a key, so that later readers do not get it."""
        self._newest.pop(key, None)
        self._by_number.pop(key, None)
        self._taken_since.clear()

    def wake_readers(self) -> None:
        if self._queue is not None:
            self._queue.add(self._readers)
            return
        for reader in self._readers:
            reader.wake()

    def listen(self) -> Reader:
        """Add a reader of all messages from now on."""
        if len(self._readers) == self._max_readers:
            oldest = next(iter(self._readers))
            oldest.is_ended = True
            oldest.wake()
            self.leave(oldest)
        reader = Reader(self._number)
        self._readers[reader] = None
        return reader

    def leave(self, reader: Reader) -> None:
        self._readers.pop(reader, None)

    def take(self, reader: Reader) -> bytes:
        """Return the messages that a reader has not seen, the oldest first."""
        body = self._taken_since.get(reader.seen)
        if body is None:
            messages = reversed(self._by_number.values())
            new = [one.body for one in takewhile(lambda one: one.number > reader.seen, messages)]
            body = self._taken_since[reader.seen] = b"".join(reversed(new))
        reader.seen = self._number
        return body

    def newest(self) -> list[Callable[[], bytes]]:
        """Return functions that encode the current messages, in the order of their keys."""
        return [message.write_again or message.body.__bytes__ for message in self._newest.values()]

    def close(self) -> None:
        """End the streams of all readers."""
        self.is_closed = True
        for reader in self._readers:
            reader.wake()


def write_news(name: str, content: Any) -> bytes:
    """Encode a server-sent event."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode(content))


class News(NamedTuple):
    """A topic, and functions that encode the first messages to a new reader."""

    topic: Topic
    greeting: Iterable[Callable[[], bytes]]


class NewsStream(Response):
    """A response that streams the events of a topic."""

    def __init__(self, news: News, headers: dict[str, str]) -> None:
        super().__init__(status_code=200, headers=headers, media_type="text/event-stream")
        self._news = news

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        topic, greeting = self._news
        reader = topic.listen()
        disconnection = asyncio.ensure_future(_wait_for_disconnect(receive))
        disconnection.add_done_callback(lambda _: reader.wake())
        loop = asyncio.get_running_loop()
        ping = loop.call_later(SECONDS_BETWEEN_PINGS, reader.wake)

        async def send_body(body: bytes) -> None:
            async with asyncio.timeout(SECONDS_TO_READ):
                await send({"type": "http.response.body", "body": body, "more_body": True})

        raw = [(name, value) for name, value in self.raw_headers if name != b"content-length"]
        try:
            await send({"type": "http.response.start", "status": 200, "headers": raw})
            chunk = b""
            for write in greeting:
                chunk += write()
                if len(chunk) >= BYTES_AT_ONCE:
                    await send_body(chunk)
                    await asyncio.sleep(0)
                    chunk = b""
            # Sent even without messages: it tells the client that it is connected.
            await send_body(chunk or PING)
            while not (disconnection.done() or topic.is_closed or reader.is_ended):
                body = topic.take(reader)
                if not body and loop.time() >= ping.when():
                    body = PING
                if not body:
                    await reader.sleep()
                    continue
                ping.cancel()
                ping = loop.call_later(SECONDS_BETWEEN_PINGS, reader.wake)
                await send_body(body)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            # The client does not read: close the connection.
            return
        finally:
            ping.cancel()
            disconnection.cancel()
            topic.leave(reader)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

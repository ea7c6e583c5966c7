"""Server-sent events for many readers, each at its own pace: a slow one gets the newest only.

A message is encoded once for all its readers. They are woken a few at a time, so that messages of
players are handled in between, and one that does not read at all is disconnected after a while.
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
SECONDS_BETWEEN_SIGNS: Final = 15.0
"""How often a reader without news is told that the connection is alive."""
SECONDS_TO_READ: Final = 30.0
"""How long a reader may take to make room for the next message."""
BYTES_AT_ONCE: Final = 65_536
"""About how much a new reader is sent in one piece."""
SIGN: Final = b": here\n\n"


class Reader:
    """One stream of events that is being sent."""

    def __init__(self, seen: int) -> None:
        self.seen = seen
        """The number of the newest message that it need not be sent."""
        self.is_ended = False
        """Whether a newer reader has taken its place."""
        self._woken: asyncio.Future[None] | None = None

    def wake(self) -> None:
        """End the sleep of the reader, if it sleeps."""
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)

    async def sleep(self) -> None:
        """Wait until there is something for it."""
        self._woken = asyncio.get_running_loop().create_future()
        await self._woken


class WakeQueue:
    """Wakes readers a few at a time, with the event loop free for others in between."""

    def __init__(self) -> None:
        self._waiting: dict[Reader, None] = {}

    def add(self, readers: Iterable[Reader]) -> None:
        """Have these readers woken soon."""
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
    """Writes it for a reader who comes later; None if it does not change with time."""


class Topic:
    """The newest message under each key, and those who read them."""

    def __init__(self, queue: WakeQueue | None = None, most_readers: int | None = None) -> None:
        """Prepare a topic.

        Args:
            queue: wakes the readers; without one all are woken at once.
            most_readers: when there are more, the oldest stream ends.
        """
        self._queue = queue
        self._most_readers = most_readers
        self._newest: dict[str, KeptMessage] = {}
        """In the order in which the keys were first used."""
        self._by_number: dict[str, KeptMessage] = {}
        """The same, the oldest message first."""
        self._number = 0
        self._taken: dict[int, bytes] = {}
        """What readers who had seen messages up to a number were given since the last message."""
        self._readers: dict[Reader, None] = {}
        self.is_closed = False
        """Whether nothing more will come."""

    @property
    def is_heard(self) -> bool:
        """Return True if there are readers."""
        return bool(self._readers)

    @property
    def readers(self) -> int:
        """Return how many readers there are."""
        return len(self._readers)

    def publish(self, key: str, name: str, content: Any) -> None:
        """Replace the message under a key by an event of this name, and wake the readers.

        Nothing is encoded if there are none.
        """
        if self._readers:
            self.put(key, write_news(name, content))
            self.wake_readers()

    def put(self, key: str, body: bytes, write_again: Callable[[], bytes] | None = None) -> None:
        """Replace the message under a key. Readers get it when they are next woken."""
        self._number += 1
        message = KeptMessage(self._number, body, write_again)
        self._newest[key] = message
        self._by_number.pop(key, None)
        self._by_number[key] = message
        self._taken.clear()

    def forget(self, key: str) -> None:
        """Drop the message under a key: it is not for later readers any more."""
        self._newest.pop(key, None)
        self._by_number.pop(key, None)
        self._taken.clear()

    def wake_readers(self) -> None:
        """Have readers fetch what is new."""
        if self._queue is not None:
            self._queue.add(self._readers)
            return
        for reader in self._readers:
            reader.wake()

    def listen(self) -> Reader:
        """Add a reader of what comes from now on."""
        if len(self._readers) == self._most_readers:
            oldest = next(iter(self._readers))
            oldest.is_ended = True
            oldest.wake()
            self.leave(oldest)
        reader = Reader(self._number)
        self._readers[reader] = None
        return reader

    def leave(self, reader: Reader) -> None:
        """Remove a reader."""
        self._readers.pop(reader, None)

    def take(self, reader: Reader) -> bytes:
        """Return what is new to a reader, the oldest first; b"" if nothing is."""
        body = self._taken.get(reader.seen)
        if body is None:
            messages = reversed(self._by_number.values())
            new = [one.body for one in takewhile(lambda one: one.number > reader.seen, messages)]
            body = self._taken[reader.seen] = b"".join(reversed(new))
        reader.seen = self._number
        return body

    def newest(self) -> list[Callable[[], bytes]]:
        """Return what writes the messages that there are now, in the order of their keys."""
        return [message.write_again or message.body.__bytes__ for message in self._newest.values()]

    def close(self) -> None:
        """End the streams of all readers."""
        self.is_closed = True
        for reader in self._readers:
            reader.wake()


def write_news(name: str, content: Any) -> bytes:
    """Return an event as it is on the wire."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode(content))


class News(NamedTuple):
    """A topic, and what a new reader of it is sent first, in pieces that are written in turn."""

    topic: Topic
    greeting: Iterable[Callable[[], bytes]]


class NewsStream(Response):
    """A response that goes on: server-sent events of one topic."""

    def __init__(self, news: News, headers: dict[str, str]) -> None:
        super().__init__(status_code=200, headers=headers, media_type="text/event-stream")
        self._news = news

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        topic, greeting = self._news
        reader = topic.listen()
        leaving = asyncio.ensure_future(_disconnected(receive))
        leaving.add_done_callback(lambda _: reader.wake())
        loop = asyncio.get_running_loop()
        sign = loop.call_later(SECONDS_BETWEEN_SIGNS, reader.wake)

        async def send_body(body: bytes) -> None:
            async with asyncio.timeout(SECONDS_TO_READ):
                await send({"type": "http.response.body", "body": body, "more_body": True})

        raw = [(name, value) for name, value in self.raw_headers if name != b"content-length"]
        try:
            await send({"type": "http.response.start", "status": 200, "headers": raw})
            piece = b""
            for write in greeting:
                piece += write()
                if len(piece) >= BYTES_AT_ONCE:
                    await send_body(piece)
                    await asyncio.sleep(0)
                    piece = b""
            # Even if there is nothing yet: so the client knows that it is connected.
            await send_body(piece or SIGN)
            while not (leaving.done() or topic.is_closed or reader.is_ended):
                body = topic.take(reader)
                if not body and loop.time() >= sign.when():
                    body = SIGN
                if not body:
                    await reader.sleep()
                    continue
                sign.cancel()
                sign = loop.call_later(SECONDS_BETWEEN_SIGNS, reader.wake)
                await send_body(body)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            # It does not read, so there is no use in sending it anything else.
            return
        finally:
            sign.cancel()
            leaving.cancel()
            topic.leave(reader)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

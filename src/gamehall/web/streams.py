"""News for many who read at their own pace: whoever is slow gets the newest, and skips the rest.

Nobody who watches makes the hall wait. What is new is written once; those who are to hear of it are
woken a few at a time, so that players' messages come in between; and whoever does not read at all
is dropped after a while.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

WOKEN_AT_ONCE = 10
SECONDS_BETWEEN_GROUPS = 0.004
SECONDS_BETWEEN_SIGNS = 15.0
"""How often a reader hears that the line is still there."""
SECONDS_TO_READ = 30.0
"""How long a reader may take to make room for the next message."""
SIGN = b": here\n\n"


class Reader:
    """Somebody who listens to a topic."""

    def __init__(self, seen: int) -> None:
        self.seen = seen
        """The number of the newest message that it need not be given."""
        self._woken: asyncio.Future[None] | None = None

    def wake(self) -> None:
        """There is something for it."""
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)

    async def sleep(self) -> None:
        """Until there is something for it."""
        self._woken = asyncio.get_running_loop().create_future()
        await self._woken


class Topic:
    """The newest message under each key, and those who want to hear of them."""

    def __init__(self) -> None:
        self._newest: dict[str, tuple[int, bytes]] = {}
        self._number = 0
        self._readers: dict[Reader, None] = {}
        self._is_closed = False

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens."""
        return bool(self._readers)

    @property
    def readers(self) -> int:
        """How many listen."""
        return len(self._readers)

    def publish(self, key: str, name: str, content: msgspec.Struct | list[Any]) -> None:
        """This is the newest under the key; it is called `name` on the wire."""
        if not self._readers:
            self._newest.clear()
            return
        self._number += 1
        self._newest[key] = (self._number, write_news(name, content))
        self._wake_all()

    def forget(self, key: str) -> None:
        """There is nothing under this key any more."""
        self._newest.pop(key, None)

    def listen(self) -> Reader:
        """Somebody begins to listen, to what comes from now on."""
        reader = Reader(self._number)
        self._readers[reader] = None
        return reader

    def leave(self, reader: Reader) -> None:
        """Somebody does not listen any more."""
        self._readers.pop(reader, None)

    def take(self, reader: Reader) -> bytes:
        """What is new to a reader, the oldest first; b"" if nothing is."""
        new = sorted(one for one in self._newest.values() if one[0] > reader.seen)
        reader.seen = self._number
        return b"".join(body for _, body in new)

    def close(self) -> None:
        """Nothing more will come."""
        self._is_closed = True
        for reader in self._readers:
            reader.wake()

    @property
    def is_closed(self) -> bool:
        """Whether nothing more will come."""
        return self._is_closed

    def _wake_all(self) -> None:
        """A few at once, the others soon."""
        readers = list(self._readers)
        loop = asyncio.get_running_loop()
        for start in range(0, len(readers), WOKEN_AT_ONCE):
            group = readers[start : start + WOKEN_AT_ONCE]
            if start == 0:
                _wake(group)
            else:
                loop.call_later(start / WOKEN_AT_ONCE * SECONDS_BETWEEN_GROUPS, _wake, group)


def write_news(name: str, content: msgspec.Struct | list[Any]) -> bytes:
    """A message as it is on the wire."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode(content))


def _wake(readers: list[Reader]) -> None:
    for reader in readers:
        reader.wake()


class NewsStream(Response):
    """A response that goes on: server-sent events of one topic."""

    def __init__(
        self, topic: Topic, greeting: Callable[[], Iterable[bytes]], headers: dict[str, str]
    ) -> None:
        """`greeting`: how things stand when somebody begins to listen."""
        super().__init__(status_code=200, headers=headers, media_type="text/event-stream")
        self._topic = topic
        self._greeting = greeting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reader = self._topic.listen()
        leaving = asyncio.ensure_future(_disconnected(receive))
        leaving.add_done_callback(lambda _: reader.wake())
        loop = asyncio.get_running_loop()
        sign = loop.call_later(SECONDS_BETWEEN_SIGNS, reader.wake)
        raw = [(name, value) for name, value in self.raw_headers if name != b"content-length"]
        try:
            await send({"type": "http.response.start", "status": 200, "headers": raw})
            first = b"".join(self._greeting())
            await send({"type": "http.response.body", "body": first, "more_body": True})
            while not (leaving.done() or self._topic.is_closed):
                body = self._topic.take(reader)
                if not body and loop.time() >= sign.when():
                    body = SIGN
                if not body:
                    await reader.sleep()
                    continue
                sign.cancel()
                sign = loop.call_later(SECONDS_BETWEEN_SIGNS, reader.wake)
                async with asyncio.timeout(SECONDS_TO_READ):
                    await send({"type": "http.response.body", "body": body, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            # It does not read: what else there is for it is for nobody.
            return
        finally:
            sign.cancel()
            leaving.cancel()
            self._topic.leave(reader)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

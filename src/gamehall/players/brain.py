"""Where a bot thinks, so that a conversation goes on meanwhile."""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Brain:
    """A thread in which one thing after the other is done.

    It is not waited for at the end: a bot that hangs must not keep the program from ending.
    """

    def __init__(self) -> None:
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=self._run, name="bot", daemon=True).start()

    def do(self, call: Callable[..., T], *arguments: Any) -> "asyncio.Future[T]":
        """What will come of a call, which is made when those before are done."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            try:
                result = call(*arguments)
            except Exception as error:
                self._tell(loop, _set_error, future, error)
            else:
                self._tell(loop, _set_result, future, result)

        self._work.put(work)
        return future

    def close(self) -> None:
        """Nothing more is to be done."""
        self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()

    def _tell(
        self, loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: Any
    ) -> None:
        try:
            loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            # The loop is over, so nobody wants to know any more.
            return


def _set_result(future: "asyncio.Future[Any]", result: object) -> None:
    if not future.cancelled():
        future.set_result(result)


def _set_error(future: "asyncio.Future[Any]", error: Exception) -> None:
    if not future.cancelled():
        future.set_exception(error)

"""Where a bot thinks, so that a conversation goes on meanwhile."""

import asyncio
import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

from gamehall.bots import BotError, BotResignedError

log = logging.getLogger(__name__)

T = TypeVar("T")


class Brain:
    """A thread in which one thing after the other is done.

    It is not waited for at the end: a bot that hangs must not keep the program from ending.
    """

    def __init__(self) -> None:
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=self._run, name="bot", daemon=True).start()

    def do(self, call: Callable[..., T], *arguments: Any) -> "asyncio.Future[T]":
        """Return the future result of a call, which is made when those before are done.

        Its exception is BotResignedError or BotError, whatever the bot raises: a bot must not be
        able to end this thread, or the program would wait for ever for its move.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            try:
                result = call(*arguments)
            except (BotResignedError, BotError) as error:
                self._tell(loop, _set_error, future, error)
            except BaseException as error:
                words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
                log.debug("the bot raised an exception", exc_info=True)
                self._tell(loop, _set_error, future, BotError(f"the bot raised {words}"))
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

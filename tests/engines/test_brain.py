"""A bot that thinks in a thread cannot end that thread, whatever it raises."""

import asyncio

import pytest

from gamehall.bots import BotError, BotResignedError
from gamehall.engines.brain import Brain


def ask(error: BaseException) -> None:
    """Have a bot raise this, and wait for what comes of it."""

    def choose() -> None:
        raise error

    async def think() -> None:
        brain = Brain()
        try:
            async with asyncio.timeout(30):
                await brain.do(choose)
        finally:
            brain.close()

    asyncio.run(think())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyError("x"), "the bot raised KeyError: 'x'"),
        (StopIteration(), "the bot raised StopIteration"),
        (SystemExit(3), "the bot raised SystemExit: 3"),
        (KeyboardInterrupt(), "the bot raised KeyboardInterrupt"),
        (asyncio.CancelledError(), "the bot raised CancelledError"),
        (BotError("out of memory"), "out of memory"),
    ],
)
def test_whatever_a_bot_raises_is_a_fault_in_words(error: BaseException, words: str) -> None:
    with pytest.raises(BotError) as fault:
        ask(error)
    assert str(fault.value) == words


def test_a_bot_may_give_up() -> None:
    with pytest.raises(BotResignedError):
        ask(BotResignedError())

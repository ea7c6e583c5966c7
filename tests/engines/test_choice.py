"""The choice of a bot by its text."""

import io
import sys
import threading

import pytest

from gamehall.bots.bot import BotKind, RandomBot
from gamehall.engines import choice


class AwaitableText(io.StringIO):
    """A text stream that another thread can wait for."""

    def __init__(self) -> None:
        super().__init__()
        self.has_text = threading.Event()

    def flush(self) -> None:
        if self.getvalue():
            self.has_text.set()


class SlowBot(RandomBot):
    """Waits in its constructor until a message has been printed."""

    def __init__(self, seed: int, *_: object) -> None:
        super().__init__(seed)
        assert isinstance(sys.stderr, AwaitableText)
        assert sys.stderr.has_text.wait(30)


def test_the_user_is_told_why_a_bot_takes_long_to_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = BotKind("slow", None, "", f"{__name__}:{SlowBot.__name__}", 1.0)
    written = AwaitableText()
    monkeypatch.setattr(choice, "SECONDS_TO_WAIT", 0.0)
    monkeypatch.setattr(choice, "find_bot", lambda *_: slow)
    monkeypatch.setattr(sys, "stderr", written)
    choice.choose_bot("slow", "go", lambda: 0.0).make(1)
    assert written.getvalue() == "getting slow ready; the first time this takes a while\n"

"""Who plays, as people write it, and what they read meanwhile."""

import io
import sys
import threading

import pytest

from gamehall.bots.bot import BotKind, RandomBot
from gamehall.engines import choice


class Written(io.StringIO):
    """Text that somebody waits for."""

    def __init__(self) -> None:
        super().__init__()
        self.is_there = threading.Event()

    def flush(self) -> None:
        if self.getvalue():
            self.is_there.set()


class SlowBot(RandomBot):
    """Is not ready before something has been said."""

    def __init__(self, seed: int, *_: object) -> None:
        super().__init__(seed)
        assert isinstance(sys.stderr, Written)
        assert sys.stderr.is_there.wait(30)


def test_what_is_said_of_a_slow_beginning_is_true_every_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = BotKind("slow", None, "", f"{__name__}:{SlowBot.__name__}", 1.0)
    written = Written()
    monkeypatch.setattr(choice, "SECONDS_TO_WAIT", 0.0)
    monkeypatch.setattr(choice, "find_bot", lambda *_: slow)
    monkeypatch.setattr(sys, "stderr", written)
    choice.choose_bot("slow", "go", lambda: 0.0).make(1)
    assert written.getvalue() == "getting slow ready; the first time this takes a while\n"

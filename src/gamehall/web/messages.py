"""The messages beside the board of a player at a page."""

from collections import deque
from typing import Any

from gamehall.players.person import Person
from gamehall.players.shown import Line, LineKind
from gamehall.players.wording import sanitize
from gamehall.web.model import Message

MAX_MESSAGES = 60
FOR_TERMINALS = (LineKind.HINT, LineKind.CHAT)
"""Lines that a page shows in another way: hints as buttons, chat with its author."""


class Messages:
    """The last messages to a player, in order."""

    def __init__(self) -> None:
        self._kept: deque[Message] = deque(maxlen=MAX_MESSAGES)
        self.count = 0
        """How many there were so far."""

    @property
    def last(self) -> tuple[Message, ...]:
        """Return the last messages, the newest at the end."""
        return tuple(self._kept)

    def tell(self, text: str, is_bad: bool = False, match: str = "") -> None:
        """Add a message of the server, unless it only repeats the last one.

        Args:
            match: the name of the match whose end the message is about; empty otherwise.
        """
        # A room may say twice which seat a player has: when it sits down and when a match begins.
        if not is_bad and self._kept and self._kept[-1].text == text:
            return
        self._add(Message(number=self.count + 1, text=text, is_bad=is_bad, match=match))

    def quote(self, name: str, text: str) -> None:
        """Add a chat message."""
        self._add(Message(number=self.count + 1, text=sanitize(text), name=sanitize(name)))

    def gather(self, person: Person[Any]) -> None:
        """Move the lines that a terminal would show to the messages; drop boards."""
        shown, person.shown = person.shown, []
        for one in shown:
            if isinstance(one, Line) and one.kind not in FOR_TERMINALS:
                self.tell(one.text, is_bad=one.kind is LineKind.ERROR)
        person.is_stale = False

    def last_error_since(self, count: int) -> str | None:
        """Return the newest error after the first `count` messages, None if there is none."""
        errors = [one.text for one in self._kept if one.number > count and one.is_bad]
        return errors[-1] if errors else None

    def _add(self, message: Message) -> None:
        self.count += 1
        self._kept.append(message)

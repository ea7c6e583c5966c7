"""What is said at a table: how much of it, and the last of it for those who come later."""

from collections import deque

from gamehall.rooms.limits import TokenBucket
from gamehall.rooms.terms import TableTerms
from gamehall.rooms.view import ChatLine

SAYINGS_KEPT = 50
LETTERS_KEPT = 300
"""Of each: everybody who looks on is shown all of them."""


class ChatHistory:
    """Lets through as much as a table can bear."""

    __slots__ = ("_kept", "_letters_left", "_remarks_left", "said")

    def __init__(self, terms: TableTerms) -> None:
        letters, remarks = terms.letters_per_second_of_all, terms.remarks_per_second
        self._letters_left = TokenBucket(letters, at_once=letters)
        self._remarks_left = TokenBucket(remarks, at_once=2 * remarks)
        self._kept: deque[ChatLine] = deque(maxlen=SAYINGS_KEPT)
        self.said = 0
        """How much was said so far."""

    @property
    def last(self) -> tuple[ChatLine, ...]:
        """What was said last, the newest at the end."""
        return tuple(self._kept)

    def take(self, name: str, text: str, now: float) -> bool:
        """Somebody at the table says something. Whether there was not too much of it already."""
        if not self._letters_left.take(len(text), now):
            return False
        self._keep(name, text)
        return True

    def take_remark(self, name: str, text: str, now: float) -> bool:
        """Somebody who only looks on says something: all of them together are allowed less."""
        return self._remarks_left.take(1, now) and self.take(name, text, now)

    def forget(self) -> None:
        """Nobody is here any more who said or heard it."""
        self._kept.clear()

    def _keep(self, name: str, text: str) -> None:
        self.said += 1
        if len(text) > LETTERS_KEPT:
            text = text[:LETTERS_KEPT] + "\N{HORIZONTAL ELLIPSIS}"
        self._kept.append(ChatLine(self.said, name, text))

"""Hostile clients, each of one kind: what it does while it is let in, and when it is thrown out."""

import asyncio
import random
import socket
import struct
from collections.abc import Callable
from enum import StrEnum
from typing import Protocol, cast

from gamehall.bench.siege_words import WORDS

SECONDS_BETWEEN_BYTES = 1.0
SECONDS_BETWEEN_GARBAGE = 0.05
SECONDS_BETWEEN_HEAVY = 0.05
GARBAGE_BYTES = 4096
UNSENT_BYTES = 131_072
"""What the kernel keeps for each: more would take memory that the besieged has not got either."""

RESETS = struct.pack("ii", 1, 0)
"""For SO_LINGER: a close that is felt at once, and leaves nothing behind on this machine."""


class Attack(StrEnum):
    """What there is to hurt a hall with."""

    SILENCE = "silence"
    """Connects, and never says anything."""
    HALF = "half"
    """Half a message, then silence."""
    SLOW = "slow"
    """Its messages come a byte a second."""
    GARBAGE = "garbage"
    """Bytes that mean nothing."""
    FLOOD = "flood"
    """Valid messages, as fast as they are taken."""
    HEAVY = "heavy"
    """The messages that cost the most, as fast as they are taken."""
    DEAF = "deaf"
    """Makes the server talk, and never reads."""
    CHURN = "churn"
    """Comes in, says who it is, goes, comes again."""
    SIT = "sit"
    """Takes whatever places there are, and stays, answering what must be answered."""


SHARES = {
    Attack.SILENCE: 22,
    Attack.HALF: 15,
    Attack.SLOW: 15,
    Attack.GARBAGE: 3,
    Attack.FLOOD: 12,
    Attack.HEAVY: 3,
    Attack.DEAF: 15,
    Attack.CHURN: 3,
    Attack.SIT: 12,
}
"""Of a hundred besiegers, so many do this."""

RESTLESS = (Attack.GARBAGE, Attack.FLOOD, Attack.HEAVY, Attack.DEAF)
"""What begins at a signal, when all are in: before, it would only make it harder to get in."""


class Headquarters(Protocol):
    """Who hears what becomes of besiegers."""

    has_begun: bool
    """Whether the signal has been given."""

    def came_in(self, besieger: "Besieger") -> None:
        """It is connected."""

    def is_out(self, besieger: "Besieger") -> None:
        """Its connection is gone."""


class Besieger(asyncio.Protocol):
    """One hostile connection."""

    def __init__(self, home: Headquarters, attack: Attack, door: str, number: int) -> None:
        self.attack = attack
        self.door = door
        self.leaves = False
        """Whether it goes by itself; otherwise it was thrown out."""
        self._home = home
        self._number = number
        self._words = WORDS[door]
        self._said = 0
        self._is_held_back = False
        """Whether the server takes no more for now."""
        self._alarm: asyncio.TimerHandle | None = None

    def itself(self) -> "Besieger":
        """What a loop that wants a factory of protocols is given."""
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        line: socket.socket = transport.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNSENT_BYTES)
        self._home.came_in(self)
        if self._home.has_begun or self.attack not in RESTLESS:
            self.begin()

    def begin(self) -> None:
        """Does what it has come for."""
        hello = self._words.hello(self._number)
        match self.attack:
            case Attack.SILENCE:
                pass
            case Attack.HALF:
                self._say(self._words.half)
            case Attack.SLOW:
                self._say_next_byte()
            case Attack.GARBAGE:
                self._say_garbage()
            case Attack.FLOOD | Attack.HEAVY:
                self._say(hello)
                self._go_on()
            case Attack.DEAF:
                self._transport.pause_reading()
                self._say(hello)
                self._go_on()
            case Attack.CHURN:
                self._say(hello)
                self._in(0.0, self.leave)
            case Attack.SIT:
                self._say(hello)

    def data_received(self, data: bytes) -> None:
        if self.attack is Attack.SIT and self._words.to_keepalive:
            self._say(self._words.to_keepalive)

    def pause_writing(self) -> None:
        self._is_held_back = True

    def resume_writing(self) -> None:
        self._is_held_back = False
        self._go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._home.is_out(self)

    def leave(self) -> None:
        """Goes, rudely."""
        line: socket.socket | None = self._transport.get_extra_info("socket")
        if line is None or self._transport.is_closing():
            return
        self.leaves = True
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
        self._transport.abort()

    def _go_on(self) -> None:
        """Says more, until the server's side is full."""
        match self.attack:
            case Attack.FLOOD | Attack.DEAF:
                self._say(self._words.flood)
                seconds = 0.0
            case Attack.HEAVY:
                self._say(self._words.heavy)
                seconds = SECONDS_BETWEEN_HEAVY
            case _:
                return
        if not self._is_held_back:
            self._in(seconds, self._go_on)

    def _say_next_byte(self) -> None:
        words = self._words.hello(self._number) + self._words.flood
        self._say(words[self._said : self._said + 1])
        self._said = (self._said + 1) % len(words)
        self._in(SECONDS_BETWEEN_BYTES, self._say_next_byte)

    def _say_garbage(self) -> None:
        self._say(random.randbytes(GARBAGE_BYTES))
        self._in(SECONDS_BETWEEN_GARBAGE, self._say_garbage)

    def _say(self, words: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(words)

    def _in(self, seconds: float, then: Callable[[], None]) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        if not self._transport.is_closing():
            self._alarm = asyncio.get_running_loop().call_later(seconds, then)

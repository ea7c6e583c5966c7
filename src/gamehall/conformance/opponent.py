"""Whom a client under check plays against: both ends of a wire, in memory, and a random bot."""

from collections.abc import Callable, Mapping
from typing import Any

from gamehall.bots.bot import RandomBot
from gamehall.bots.visitor import Visitor
from gamehall.rooms.requests import Play, Request, Resign
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import ClientSession
from gamehall.wire.settings import DoorSettings

NAME = "opponent"
SEED = 1

MOVES_ENOUGH = 30
"""After so many moves it gives up, on wires that have a word for it: the point has been made."""


class Opponent:
    """Sits where a client would sit: what the house sends comes in, what it says goes out."""

    def __init__(
        self,
        protocol: AnyProtocol,
        settings: DoorSettings,
        say: Callable[[bytes], None],
        answers: Mapping[str, str],
    ) -> None:
        """`say`: to the house. `answers`: to what it is asked about the terms."""
        self._client: ClientSession[Any, Any] = protocol.client(settings)
        self._visitor: Visitor[Any] = Visitor(NAME, answers, None)
        self._bot = RandomBot(SEED)
        self._say = say
        self._moves = 0
        self._unread = b""

    def arrive(self) -> None:
        """Says what comes first."""
        self._speak(self._visitor.arrive())

    def hear(self, message: bytes) -> None:
        """Keeps what the house says until `act`."""
        self._unread += message

    @property
    def seconds_to_poll(self) -> float | None:
        """After how many seconds it asks how the game stands, None if it need not."""
        return self._client.seconds_to_poll

    def poll(self) -> None:
        """Asks how the game stands."""
        if self._client.seconds_to_poll is not None:
            self._say(self._client.poll())

    def act(self) -> None:
        """Answers whatever has been said, and moves if it is to move."""
        while self._unread or self._visitor.turn is not None:
            unread, self._unread = self._unread, b""
            if unread:
                self._client.receive_data(unread)
            while (notice := self._client.next_notice()) is not None:
                self._speak(self._visitor.hear(notice))
            self._move()

    def _move(self) -> None:
        turn, self._visitor.turn = self._visitor.turn, None
        if turn is None:
            return
        self._moves += 1
        if self._moves > MOVES_ENOUGH and self._speak([Resign()]):
            return
        self._speak([Play(self._bot.choose(turn.position, turn.seat, None))])

    def _speak(self, requests: list[Request[Any]]) -> bool:
        """Whether the wire has words for any of that."""
        message = b"".join(self._client.send(request) for request in requests)
        if message:
            self._say(message)
        return bool(message)

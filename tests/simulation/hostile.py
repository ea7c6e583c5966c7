"""Clients that fail in every way. They speak the wire well enough to do harm with it."""

from collections.abc import Callable
from random import Random
from typing import Any

from gamehall.games.ascension import EndTurn
from gamehall.games.connect_four import Cell
from gamehall.games.go import Pass, Point, Stone
from gamehall.games.santorini import Cell as Square
from gamehall.games.santorini import Place
from gamehall.games.santorini import Turn as Step
from gamehall.players.conversation import OwnTurn
from gamehall.rooms.notices import Notice
from gamehall.rooms.requests import (
    Answer,
    Chat,
    Confirm,
    Join,
    Play,
    Pong,
    Probe,
    Rematch,
    Request,
    Resign,
)
from gamehall.server.plan import DoorPlan
from gamehall.wire.framing import ProtocolError
from gamehall.wire.json import NotJson
from tests.simulation.chronicle import Violation, shown
from tests.simulation.clients import Client, Surroundings
from tests.simulation.wires import Wire

HTTP = [
    b"GET /state HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /state?after=2&player_index=1 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /state?after=0 HTTP/1.0\r\n\r\n",
    b'POST /join HTTP/1.1\r\nHost: x\r\nContent-Length: 13\r\n\r\n{"key": "abc"}'[:-1],
    b"POST /moves HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{",
    b"POST /moves HTTP/1.1\r\nHost: x\r\nContent-Length: 33\r\n\r\n"
    b'{"player_index": 0, "moves": [7]}',
    b"DELETE /everything HTTP/1.1\r\nHost: x\r\n\r\n",
]

GARBAGE = [
    b"\x00\xff\xfe garbage",
    b"[[[[[[\n",
    b'["join", 7]\n',
    b'"',
    b"PLAY",
    b"CHAT\x00\x05hi",
    b"PLAY zero one\nPLAY 1 1\n",
    b"RESPONSE boardsize 99\n",
    b"\n\n\n",
    b"{}" * 40,
]


class Hostile(Client):
    """Plays now and then, and does otherwise what it should not."""

    def __init__(
        self, world: Surroundings, plan: DoorPlan, name: str, random: Random, victims: list[str]
    ) -> None:
        """`victims`: whose names it may take."""
        super().__init__(world, plan, name, random, is_excused=True)
        self._victims = victims
        self.stolen: set[str] = set()
        """The names that it has come under and that are others'."""
        self._honesty = random.choice([0.5, 0.9, 0.98])
        self._is_silent = False
        self._last = b""
        self._left_open: list[Wire] = []
        self._framing = plan.protocol.client(plan.settings)._framing
        self._mischiefs: list[Callable[[], None]] = [
            self._fall_silent,
            self._hang_up,
            self._reset,
            self._garble,
            self._flood,
            self._cheat,
            self._ask_anything,
            self._ask_anything,
            self._not_read,
            self._read_on,
            self._come_back,
            self._steal,
        ]

    def arrive(self) -> None:
        self._framing = self.plan.protocol.client(self.plan.settings)._framing
        self._is_silent = False
        super().arrive()
        if self.wire is not None:
            self._plot(self.wire)

    def heard(self, wire: Wire, data: bytes) -> None:
        self._check_framing(wire, data)
        super().heard(wire, data)

    def leave(self, why: str) -> None:
        super().leave(why)
        for wire in self._left_open:
            wire.close()

    def cut_off(self, wire: Wire) -> None:
        if self.random.random() < 0.6:
            self.come_again()
        else:
            self.leave("was sent away")

    def take(self, notice: Notice[Any], wire: Wire) -> bool:
        return not self._is_silent

    def play(self, turn: OwnTurn[Any], wire: Wire) -> None:
        if self.random.random() < self._honesty:
            super().play(turn, wire)
        elif self.wire is wire and not self.is_gone:
            self._cheat()

    def say(self, requests: list[Request[Any]]) -> None:
        if self._is_silent or self._session is None:
            return
        for request in requests:
            try:
                message = self._session.send(request)
            except (ValueError, StopIteration):
                # The client's own session has no words for a move that makes no sense.
                continue
            self._last = message or self._last
            if self.random.random() > self._honesty:
                message = self._spoil(message)
            self.send(message)

    def _plot(self, wire: Wire) -> None:
        """Something else will come to its mind soon."""
        self.world.clockwork.after(self.random.uniform(0.05, 6.0), lambda: self._strike(wire))

    def _strike(self, wire: Wire) -> None:
        if self.wire is wire and not self.is_gone:
            if self.random.random() > self._honesty / 2:
                mischief = self.random.choice(self._mischiefs)
                self.note(f"is up to something: {mischief.__name__}")
                mischief()
            if self.wire is wire:
                self._plot(wire)

    def _fall_silent(self) -> None:
        self._is_silent = True

    def _hang_up(self) -> None:
        assert self.wire is not None
        self.wire.hang_up()

    def _reset(self) -> None:
        assert self.wire is not None
        self.wire.reset()
        if self.random.random() < 0.7:
            self.come_again()
        else:
            self.leave("has reset the connection")

    def _come_back(self) -> None:
        """Again under its name, though it is still here."""
        assert self.wire is not None
        if self.random.random() < 0.5:
            self.wire.close()
        self._left_open.append(self.wire)
        self.come_again()

    def _steal(self) -> None:
        if self._victims:
            self.steal(self.random.choice(self._victims))

    def can_steal(self, name: str) -> bool:
        """Return True if it is here, and after that name."""
        return name in self._victims and self.wire is not None and not self.is_gone

    def steal(self, name: str) -> None:
        """Come under another's name, perhaps with a secret, which is not the other's."""
        if not self.can_steal(name) or self.wire is None:
            return
        self.note(f"takes the name {name}")
        self.name = name
        self.stolen.add(name)
        if self.plan.settings.secrets:
            self.secret = self.random.choice(["", "guessed"])
        self._left_open.append(self.wire)
        self.arrive()

    def _not_read(self) -> None:
        assert self.wire is not None
        self.wire.stop_reading()

    def _read_on(self) -> None:
        assert self.wire is not None
        self.wire.read_on()

    def _garble(self) -> None:
        is_http = hasattr(self._session, "_token")
        self.send(self.random.choice(HTTP if is_http and self.random.random() < 0.8 else GARBAGE))

    def _flood(self) -> None:
        message = self.random.choice([self._last, *GARBAGE, *HTTP])
        self.send(message * self.random.choice([3, 30, 300]))

    def _cheat(self) -> None:
        for _ in range(self.random.choice([1, 1, 3, 12])):
            self.say([Play(self._any_move())])

    def _ask_anything(self) -> None:
        anything: list[Request[Any]] = [
            Rematch(),
            Chat("la " * self.random.choice([1, 100, 5000])),
            Probe(self._any_move()),
            Resign(),
            Confirm(agrees=False),
            Answer(None, "3"),
            Pong(),
            Join(self.name + "x"),
        ]
        request = self.random.choice(anything)
        self.say([request] * self.random.choice([1, 1, 15]))

    def _any_move(self) -> Any:
        """A move that is legal if it is lucky."""

        def number() -> int:
            return self.random.randint(-1, 5)

        def square() -> Square:
            return Square(number(), number())

        match self.plan.protocol.game:
            case "connect-four":
                return Cell(number() % 8, number() % 8)
            case "go":
                return self.random.choice([Pass(), Stone(Point(number(), number()))])
            case "ascension":
                return EndTurn()
            case _:
                return self.random.choice([Place(square()), Step(square(), square(), square())])

    def _spoil(self, message: bytes) -> bytes:
        """Something is missing, or there twice, or not what it was."""
        if not message:
            return message
        where = self.random.randrange(len(message))
        return self.random.choice(
            [
                b"",
                message[:where],
                message * 2,
                message[:where] + bytes([self.random.randrange(256)]) + message[where + 1 :],
            ]
        )

    def _check_framing(self, wire: Wire, data: bytes) -> None:
        """Whatever it has done, what it hears is made of messages of its wire."""
        if wire is not self.wire or self.is_gone:
            return
        self._framing.feed(data)
        try:
            while (message := self._framing.next_message()) is not None:
                if isinstance(message, NotJson):
                    raise Violation(f"{self.name} hears what is not JSON: {message.text!r}")
        except ProtocolError as fault:
            raise Violation(
                f"{self.name} hears what is no message: {fault}: {shown(data)}"
            ) from None

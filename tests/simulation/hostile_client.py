"""Hostile clients, which attack the server and other players in many ways."""

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
from tests.simulation.clients import Client, ClientWorld
from tests.simulation.event_log import Violation, shown
from tests.simulation.network import Link

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


class HostileClient(Client):
    """Sometimes plays by the rules, and sometimes attacks."""

    def __init__(
        self, world: ClientWorld, plan: DoorPlan, name: str, random: Random, victims: list[str]
    ) -> None:
        """`victims`: the names that it may use."""
        super().__init__(world, plan, name, random, is_exempt=True)
        self._victims = victims
        self.impersonated: set[str] = set()
        """The names of other players that it has used."""
        self._honest_share = random.choice([0.5, 0.9, 0.98])
        self._is_silent = False
        self._last = b""
        self._left_open: list[Link] = []
        self._framing = plan.protocol.client(plan.settings)._framing
        self._attacks: list[Callable[[], None]] = [
            self._stop_answering,
            self._end_input,
            self._reset,
            self._send_garbage,
            self._flood,
            self._cheat,
            self._ask_anything,
            self._ask_anything,
            self._stop_reading,
            self._resume_reading,
            self._connect_again,
            self._impersonate_any,
        ]

    def connect(self) -> None:
        self._framing = self.plan.protocol.client(self.plan.settings)._framing
        self._is_silent = False
        super().connect()
        if self.link is not None:
            self._attack_later(self.link)

    def data_received(self, link: Link, data: bytes) -> None:
        self._check_framing(link, data)
        super().data_received(link, data)

    def leave(self, why: str) -> None:
        super().leave(why)
        for link in self._left_open:
            link.close()

    def disconnected(self, link: Link) -> None:
        if self.random.random() < 0.6:
            self.reconnect_later()
        else:
            self.leave("was disconnected")

    def handle_notice(self, notice: Notice[Any], link: Link) -> bool:
        return not self._is_silent

    def make_move(self, turn: OwnTurn[Any], link: Link) -> None:
        if self.random.random() < self._honest_share:
            super().make_move(turn, link)
        elif self.link is link and not self.is_gone:
            self._cheat()

    def send_requests(self, requests: list[Request[Any]]) -> None:
        if self._is_silent or self._session is None:
            return
        for request in requests:
            try:
                message = self._session.send(request)
            except (ValueError, StopIteration):
                # The client's session cannot encode every invalid move.
                continue
            self._last = message or self._last
            if self.random.random() > self._honest_share:
                message = self._corrupt(message)
            self.send(message)

    def _attack_later(self, link: Link) -> None:
        """Schedule the next attack."""
        self.world.scheduler.after(self.random.uniform(0.05, 6.0), lambda: self._attack(link))

    def _attack(self, link: Link) -> None:
        if self.link is link and not self.is_gone:
            if self.random.random() > self._honest_share / 2:
                attack = self.random.choice(self._attacks)
                self.note(f"attacks: {attack.__name__}")
                attack()
            if self.link is link:
                self._attack_later(link)

    def _stop_answering(self) -> None:
        self._is_silent = True

    def _end_input(self) -> None:
        assert self.link is not None
        self.link.end_input()

    def _reset(self) -> None:
        assert self.link is not None
        self.link.reset()
        if self.random.random() < 0.7:
            self.reconnect_later()
        else:
            self.leave("has reset the connection")

    def _connect_again(self) -> None:
        """Connect again under its name while the first connection is still open."""
        assert self.link is not None
        if self.random.random() < 0.5:
            self.link.close()
        self._left_open.append(self.link)
        self.reconnect_later()

    def _impersonate_any(self) -> None:
        if self._victims:
            self.impersonate(self.random.choice(self._victims))

    def can_impersonate(self, name: str) -> bool:
        """Return True if it is connected, and may use that name."""
        return name in self._victims and self.link is not None and not self.is_gone

    def impersonate(self, name: str) -> None:
        """Join under another player's name, perhaps with a wrong secret."""
        if not self.can_impersonate(name) or self.link is None:
            return
        self.note(f"takes the name {name}")
        self.name = name
        self.impersonated.add(name)
        if self.plan.settings.secrets:
            self.secret = self.random.choice(["", "guessed"])
        self._left_open.append(self.link)
        self.connect()

    def _stop_reading(self) -> None:
        assert self.link is not None
        self.link.stop_reading()

    def _resume_reading(self) -> None:
        assert self.link is not None
        self.link.resume_reading()

    def _send_garbage(self) -> None:
        is_http = self.plan.protocol.name == "ascension-http"
        self.send(self.random.choice(HTTP if is_http and self.random.random() < 0.8 else GARBAGE))

    def _flood(self) -> None:
        message = self.random.choice([self._last, *GARBAGE, *HTTP])
        self.send(message * self.random.choice([3, 30, 300]))

    def _cheat(self) -> None:
        for _ in range(self.random.choice([1, 1, 3, 12])):
            self.send_requests([Play(self._any_move())])

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
        self.send_requests([request] * self.random.choice([1, 1, 15]))

    def _any_move(self) -> Any:
        """Return a random move, which may be legal."""

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

    def _corrupt(self, message: bytes) -> bytes:
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

    def _check_framing(self, link: Link, data: bytes) -> None:
        """Raise Violation if the server sends anything that is not a message of the protocol."""
        if link is not self.link or self.is_gone:
            return
        self._framing.feed(data)
        try:
            while (message := self._framing.next_message()) is not None:
                if isinstance(message, NotJson):
                    raise Violation(f"{self.name} receives invalid JSON: {message.text!r}")
        except ProtocolError as fault:
            raise Violation(
                f"{self.name} receives an invalid message: {fault}: {shown(data)}"
            ) from None

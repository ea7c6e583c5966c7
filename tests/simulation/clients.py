"""Clients of every door: they play by the documents, and come back when they are cut off."""

import typing
from random import Random
from typing import Any, NamedTuple

from gamehall.bots.bot import RandomBot
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import OwnTurn
from gamehall.rooms.notices import (
    Notice,
    Refused,
)
from gamehall.rooms.requests import Play, Request
from gamehall.server.plan import DoorPlan
from gamehall.wire.session import ClientSession
from tests.simulation.chronicle import shown
from tests.simulation.clockwork import Clockwork
from tests.simulation.wires import Wire

SECONDS_TO_THINK = 1.5
TIMES_TO_COME_BACK = 40
TIMES_REFUSED = 8


class Surroundings(typing.Protocol):
    """What a client knows of its world."""

    clockwork: Clockwork
    is_closing_time: bool

    def connect(self, client: "Client") -> Wire | None:
        """A new connection, None while the hall is not open."""

    def note(self, who: str, what: str) -> None: ...

    def check_acknowledged(self, client: "Client", wire: Wire) -> None:
        """The client has heard that its move was made. Raises Violation."""

    def check_identity(self, client: "Client", wire: Wire) -> None:
        """The client has heard something. Raises Violation if that was meant for another."""


class Identity(NamedTuple):
    """All by which the hall can know a client."""

    name: str
    secret: str
    address: str

    def can_pass_for(self, other: "Identity") -> bool:
        """Return True if the hall may take it for another: a secret is enough, a name is not."""
        is_proved = bool(self.secret) or self.address == other.address
        return (self.name, self.secret) == (other.name, other.secret) and is_proved


class Client:
    """A program that plays at a door: a session, a player, a bot, and somebody who wakes them."""

    def __init__(
        self, world: Surroundings, plan: DoorPlan, name: str, random: Random, is_excused: bool
    ) -> None:
        """`is_excused`: whether others may do to it what is no fault of the hall's."""
        self.world = world
        self.plan = plan
        self.name = name
        self.random = random
        self.is_excused = is_excused
        self.address = "127.0.0.1"
        self.secret = ""
        """What it adds to its name, where names may carry one."""
        self.is_gone = False
        self.wire: Wire | None = None
        self.answers = dict(plan.protocol.answers)
        if "boardsize" in self.answers:
            self.answers["boardsize"] = str(random.randint(2, 4))
            self.answers["handicap"], self.answers["komi"] = random.choice("002"), "0.5"
            self.answers["color"] = random.choice(["black", "white"])
        self._bot = RandomBot(random.getrandbits(32))
        self._attempts = 0
        self._refusals = 0
        self._session: ClientSession[Any, Any] | None = None
        self._wanted = random.choice([None, 2]) if plan.protocol.name == "tttp" else None
        """How many matches it would like to play."""
        self._player: BotPlayer[Any] = BotPlayer(
            self.login, answers=self.answers, matches_wanted=self._wanted
        )
        self._thinking: OwnTurn[Any] | None = None
        self._is_polling = False

    def _new_player(self) -> BotPlayer[Any]:
        return BotPlayer(self.login, answers=self.answers, matches_wanted=self._wanted)

    @property
    def login(self) -> str:
        """What it says it is called."""
        return f"{self.name}:{self.secret}" if self.secret else self.name

    @property
    def identity(self) -> Identity:
        return Identity(self.name, self.secret, self.address)

    def arrive(self) -> None:
        """Connects, or tries again a little later."""
        if self.is_gone:
            return
        wire = self.world.connect(self)
        self._attempts += 1
        if wire is None:
            self.come_again()
            return
        old, self.wire = self._session, wire
        self._session = self.plan.protocol.client(self.plan.settings)
        self._player = self._new_player()
        self._thinking, self._is_polling = None, False
        if not self.resume(old):
            self.say(self._player.arrive())
        self._poll_later()

    def resume(self, old: ClientSession[Any, Any] | None) -> bool:
        """Whether it can go on where it was, since its door knows it by its seat (004)."""
        seat = getattr(old, "_seat", None)
        if old is None or not hasattr(old, "_token") or seat is None or old.closed:
            return False
        # Meanwhile its match may have ended, and the next one begun without it.
        self.is_excused = True
        session: Any = self._session
        session._seat, session._token = seat, getattr(old, "_token")  # noqa: B009
        return True

    def come_again(self) -> None:
        self.wire = None
        if self.world.is_closing_time or self._attempts > TIMES_TO_COME_BACK:
            self.leave("does not come again")
        else:
            self.world.clockwork.after(self.random.uniform(0.1, 3.0), self.arrive)

    def leave(self, why: str) -> None:
        if not self.is_gone:
            self.note(f"goes: {why}")
            self.is_gone = True
            if self.wire is not None:
                self.wire.close()

    def note(self, what: str) -> None:
        self.world.note(self.name, what)

    # What comes in.

    def heard(self, wire: Wire, data: bytes) -> None:
        if self.is_gone or wire is not self.wire or self._session is None:
            return
        self.note(f"< {shown(data)}")
        self.world.check_identity(self, wire)
        self._session.receive_data(data)
        self._listen()

    def ended(self, wire: Wire) -> None:
        if self.is_gone or wire is not self.wire or self._session is None:
            return
        self.note(f"< the end{', by a disturbance' if wire.is_disturbed else ''}")
        self._session.receive_data(b"")
        self._listen()
        if not self.is_gone:
            # Whoever has hung up its own line and hears the end has to close.
            wire.close()
            self.cut_off(wire)

    def cut_off(self, wire: Wire) -> None:
        """The connection has ended, and the visit may not have."""
        if wire.is_disturbed:
            self.come_again()
        else:
            self.leave("was sent away")

    def _listen(self) -> None:
        session, wire = self._session, self.wire
        assert session is not None
        assert wire is not None
        while not self.is_gone and self.wire is wire:
            notice = session.next_notice()
            if notice is None:
                break
            if self.take(notice, wire):
                self.say(self._player.receive(notice))
        if self.is_gone or self.wire is not wire:
            return
        turn = self._player.turn
        if turn is not None and turn is not self._thinking:
            self._thinking = turn
            seconds = self.random.uniform(0.01, SECONDS_TO_THINK)
            self.world.clockwork.after(seconds, lambda: self.play(turn, wire))
        self._poll_later()
        if self._player.is_done and not wire.has_ended:
            self.leave("is done")

    def take(self, notice: Notice[Any], wire: Wire) -> bool:
        """Looks at what it hears, and says whether the player should hear of it too."""
        if isinstance(notice, Refused) and not self.is_gone:
            return self._take_refusal()
        return True

    def play(self, turn: OwnTurn[Any], wire: Wire) -> None:
        """Has thought for long enough."""
        if self._player.turn is turn and self.wire is wire and not self.is_gone:
            self._player.turn = None
            self.say([Play(self._bot.choose(turn.position, turn.seat, None))])
            # What follows from a move is not always told by the other side (002).
            self._listen()

    def say(self, requests: list[Request[Any]]) -> None:
        assert self._session is not None
        self.send(b"".join(self._session.send(request) for request in requests))
        self._poll_later()

    def send(self, message: bytes) -> None:
        if message and self.wire is not None:
            self.note(f"> {shown(message)}")
            self.wire.send(message)

    def _take_refusal(self) -> bool:
        """Its name may still be thought to be here: it tries again, for a while."""
        self._refusals += 1
        if self._refusals > TIMES_REFUSED or self.wire is None:
            return True
        self.wire.close()
        self.come_again()
        return False

    def _poll_later(self) -> None:
        wire, session = self.wire, self._session
        if self._is_polling or session is None or session.seconds_to_poll is None:
            return
        self._is_polling = True
        self.world.clockwork.after(self.random.uniform(0.05, 1.5), lambda: self._poll(wire))

    def _poll(self, wire: Wire | None) -> None:
        session = self._session
        if self.is_gone or self.wire is not wire or session is None:
            return
        self._is_polling = False
        if session.seconds_to_poll is not None:
            self.send(session.poll())

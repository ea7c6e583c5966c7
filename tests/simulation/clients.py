"""Clients of every door. They follow the protocol, and reconnect when a connection is lost."""

from random import Random
from typing import Any, NamedTuple, Protocol

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
from tests.simulation.event_log import shown
from tests.simulation.network import Link
from tests.simulation.scheduler import Scheduler

SECONDS_TO_THINK = 1.5
MAX_CONNECTS = 40
MAX_REFUSALS = 8


class ClientWorld(Protocol):
    """What a client needs of its world."""

    scheduler: Scheduler
    is_closing_time: bool

    def connect(self, client: "Client") -> Link | None:
        """Return a new connection, None while the server is closed."""

    def note(self, who: str, what: str) -> None: ...

    def check_acknowledged(self, client: "Client", link: Link) -> None:
        """Check that an acknowledged move is durable. Raises Violation."""

    def check_identity(self, client: "Client", link: Link) -> None:
        """Check that data was meant for this client. Raises Violation."""


class Identity(NamedTuple):
    """Everything by which the server can recognise a client."""

    name: str
    secret: str
    address: str

    def can_pass_for(self, other: "Identity") -> bool:
        """Return True if the server may recognise it as `other`; a name alone is not enough."""
        is_proved = bool(self.secret) or self.address == other.address
        return (self.name, self.secret) == (other.name, other.secret) and is_proved


class Client:
    """A program that plays at a door: a session, a player, a bot, and timers."""

    def __init__(
        self, world: ClientWorld, plan: DoorPlan, name: str, random: Random, is_exempt: bool
    ) -> None:
        """`is_exempt`: whether other clients may harm it, so that its failures do not count."""
        self.world = world
        self.plan = plan
        self.name = name
        self.random = random
        self.is_exempt = is_exempt
        self.address = "127.0.0.1"
        self.secret = ""
        """Its secret, where names may carry one."""
        self.is_gone = False
        self.link: Link | None = None
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
        """The number of matches that it wants to play."""
        self._player = self._new_player()
        self._thinking: OwnTurn[Any] | None = None
        self._is_polling = False

    def _new_player(self) -> BotPlayer[Any]:
        return BotPlayer(self.login, answers=self.answers, matches_wanted=self._wanted)

    @property
    def login(self) -> str:
        """Its name, with its secret."""
        return f"{self.name}:{self.secret}" if self.secret else self.name

    @property
    def identity(self) -> Identity:
        return Identity(self.name, self.secret, self.address)

    def connect(self) -> None:
        """Connect, or try again a little later."""
        if self.is_gone:
            return
        link = self.world.connect(self)
        self._attempts += 1
        if link is None:
            self.reconnect_later()
            return
        old, self.link = self._session, link
        self._session = self.plan.protocol.client(self.plan.settings)
        self._player = self._new_player()
        self._thinking, self._is_polling = None, False
        if not self.resume(old):
            self.send_requests(self._player.arrive())
        self._poll_later()

    def resume(self, old: ClientSession[Any, Any] | None) -> bool:
        """Keep the seat of the last connection (ascension-http). Return False if there is none."""
        seat_token = None if old is None or old.closed else old.seat_token
        if seat_token is None:
            return False
        # Its match may have ended meanwhile, and the next one may have begun without it.
        self.is_exempt = True
        assert self._session is not None
        self._session.resume(seat_token)
        return True

    def reconnect_later(self) -> None:
        self.link = None
        if self.world.is_closing_time or self._attempts > MAX_CONNECTS:
            self.leave("does not reconnect")
        else:
            self.world.scheduler.after(self.random.uniform(0.1, 3.0), self.connect)

    def leave(self, why: str) -> None:
        if not self.is_gone:
            self.note(f"leaves: {why}")
            self.is_gone = True
            if self.link is not None:
                self.link.close()

    def note(self, what: str) -> None:
        self.world.note(self.name, what)

    # Input

    def data_received(self, link: Link, data: bytes) -> None:
        if self.is_gone or link is not self.link or self._session is None:
            return
        self.note(f"< {shown(data)}")
        self.world.check_identity(self, link)
        self._session.receive_data(data)
        self._process_notices()

    def connection_ended(self, link: Link) -> None:
        if self.is_gone or link is not self.link or self._session is None:
            return
        self.note(f"< the end{', by a disturbance' if link.is_disturbed else ''}")
        self._session.receive_data(b"")
        self._process_notices()
        if not self.is_gone:
            # After the end of both directions the client must close the connection.
            link.close()
            self.disconnected(link)

    def disconnected(self, link: Link) -> None:
        """Reconnect, unless the server has closed the connection."""
        if link.is_disturbed:
            self.reconnect_later()
        else:
            self.leave("was disconnected")

    def _process_notices(self) -> None:
        session, link = self._session, self.link
        assert session is not None
        assert link is not None
        while not self.is_gone and self.link is link:
            notice = session.next_notice()
            if notice is None:
                break
            if self.handle_notice(notice, link):
                self.send_requests(self._player.receive(notice))
        if self.is_gone or self.link is not link:
            return
        turn = self._player.turn
        if turn is not None and turn is not self._thinking:
            self._thinking = turn
            seconds = self.random.uniform(0.01, SECONDS_TO_THINK)
            self.world.scheduler.after(seconds, lambda: self.make_move(turn, link))
        self._poll_later()
        if self._player.is_done and not link.has_ended:
            self.leave("is done")

    def handle_notice(self, notice: Notice[Any], link: Link) -> bool:
        """Check a notice. Return False if the player must not be told."""
        if isinstance(notice, Refused) and not self.is_gone:
            return self._take_refusal()
        return True

    def make_move(self, turn: OwnTurn[Any], link: Link) -> None:
        """Make a move, after the time for thinking."""
        if self._player.turn is turn and self.link is link and not self.is_gone:
            self._player.turn = None
            self.send_requests([Play(self._bot.choose(turn.position, turn.seat, None))])
            # In go-text some notices follow from the client's own move, without a message.
            self._process_notices()

    def send_requests(self, requests: list[Request[Any]]) -> None:
        assert self._session is not None
        self.send(b"".join(self._session.send(request) for request in requests))
        self._poll_later()

    def send(self, message: bytes) -> None:
        if message and self.link is not None:
            self.note(f"> {shown(message)}")
            self.link.send(message)

    def _take_refusal(self) -> bool:
        """Try again for a while: the server may not have noticed the end of the last connection."""
        self._refusals += 1
        if self._refusals > MAX_REFUSALS or self.link is None:
            return True
        self.link.close()
        self.reconnect_later()
        return False

    def _poll_later(self) -> None:
        link, session = self.link, self._session
        if self._is_polling or session is None or session.seconds_to_poll is None:
            return
        self._is_polling = True
        self.world.scheduler.after(self.random.uniform(0.05, 1.5), lambda: self._poll(link))

    def _poll(self, link: Link | None) -> None:
        session = self._session
        if self.is_gone or self.link is not link or session is None:
            return
        self._is_polling = False
        if session.seconds_to_poll is not None:
            self.send(session.poll())

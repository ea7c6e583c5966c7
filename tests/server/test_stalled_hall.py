"""A server over real sockets whose process stalls, for every time limit of clients.

The test moves the time.
"""

import socket
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import NamedTuple

import pytest

from gamehall.protocols.catalogue import all_protocols
from gamehall.server.hall import Hall
from gamehall.server.hall_clock import HallClock
from gamehall.server.plan import DoorPlan
from gamehall.web.app import WebHall
from gamehall.web.watched_room import ALL_TABLES
from tests.support.socket_stage import SocketStage

LIMIT_SECONDS = 5
STALL_SECONDS = 7.0
STEP_SECONDS = 0.05

JOIN_RED = b"JOIN\x03red"
JOIN_BLUE = b"JOIN\x04blue"
PLAY = b"PLAY\x00\x00"
RED_HAS_PLAYED = b"UPDT\x02\x00"


class StallingStage(SocketStage):
    """A server with a `HallClock`, whose process can stall."""

    def __init__(self, door: str, settings: dict[str, str]) -> None:
        super().__init__(all_protocols()[door], {"grace-ms": "0", **settings})

    async def _open(self, plans: list[DoorPlan]) -> Hall:
        self.plans = plans
        self.clock = HallClock(lambda: self._now)
        self.clock.beat()
        return await super()._open(plans)

    def _time(self) -> float:
        return self.clock.now()

    def run(self, seconds: float) -> None:
        """Let the server run for some time without a stall."""
        for _ in range(round(seconds / STEP_SECONDS)):
            self._now += STEP_SECONDS
            self.clock.beat()
            self._runner.run(self._run_timers())

    def be_late(self, seconds: float) -> None:
        """Let the clock show a later time before the timers have noticed."""
        self._now += seconds
        self.clock.now()

    def stall(self, seconds: float, timers_first: bool) -> None:
        """Stop the process for some time. Afterwards timers are due, and input is waiting."""
        self._now += seconds
        if timers_first:
            self.hall.timers.run_due()
            self.clock.beat()
            # The server may read much input of others first.
            self._now += 0.02
            self.hall.timers.run_due()
            self._settle()
        else:
            self._settle()
            self.hall.timers.run_due()
            self.clock.beat()

    def seconds_left_at_page(self) -> float | None:
        """Return the seconds left for the player to move, as the web pages show them."""

        async def look() -> float | None:
            [plan] = self.plans
            addresses = {plan.protocol.name: f"{plan.protocol.name}://127.0.0.1:{self.port}"}
            pages = WebHall(self.hall, self.plans, [], addresses, None, lambda *_: None, bool)
            [table] = (await pages._watching.room(plan.room, ALL_TABLES)).tables
            return (await pages._watching.table(plan.room, table.name)).seconds_left

        return self._runner.run(look())

    def send_unread(self, who: str, message: bytes) -> None:
        """Send a message that the server does not read before it runs again."""
        if who not in self._clients:
            # The kernel accepts the connection.
            self._clients[who] = socket.create_connection(("127.0.0.1", self.port))
        self._clients[who].sendall(message)


class Case(NamedTuple):
    """A client whose time is limited."""

    door: str
    settings: dict[str, str]
    begin: Callable[[StallingStage], None]
    """Leads to the beginning of the time limit."""
    who: str
    answer: bytes
    """The message that the client must send in time."""
    is_well: Callable[[StallingStage], bool]
    """Returns True if it was in time, as clients see it a little later."""


def seat_two(stage: StallingStage) -> None:
    stage.send("red", JOIN_RED)
    stage.send("blue", JOIN_BLUE)
    stage.unread()


def seat_two_and_begin_to_play(stage: StallingStage) -> None:
    seat_two(stage)
    stage.send("red", PLAY[:2])


def seat_two_and_lose_one(stage: StallingStage) -> None:
    seat_two(stage)
    stage.send("red", PLAY)
    stage.unread()
    stage.reset("red")


def wait_for_keepalive(stage: StallingStage) -> None:
    stage.send("ann", b'["join","ann"]\n')
    stage.run(2.05)
    assert b"keepalive" in stage.unread()["ann"]


def has_played(stage: StallingStage) -> bool:
    return stage.unread().get("red", b"").startswith(RED_HAS_PLAYED)


CASES = {
    "a turn": Case("tttp", {"turn-seconds": str(LIMIT_SECONDS)}, seat_two, "red", PLAY, has_played),
    "the time to join": Case(
        "tttp",
        {"join-timeout": str(LIMIT_SECONDS)},
        lambda stage: stage.send("red", b""),
        "red",
        JOIN_RED,
        lambda stage: stage.unread().get("red", b"").startswith(b"JOIN\x01"),
    ),
    "the rest of a message": Case(
        "tttp",
        {"packet-timeout": str(LIMIT_SECONDS)},
        seat_two_and_begin_to_play,
        "red",
        PLAY[2:],
        has_played,
    ),
    "a keepalive": Case(
        "santorini-lobby",
        {"players": "2", "keepalive": "2", "keepalive-timeout": str(LIMIT_SECONDS)},
        wait_for_keepalive,
        "ann",
        b'["stillalive"]\n',
        lambda stage: b"keepalive" in stage.unread().get("ann", b""),
    ),
    "the time to return": Case(
        "tttp",
        {"return-seconds": str(LIMIT_SECONDS)},
        seat_two_and_lose_one,
        "red again",
        JOIN_RED,
        # The opponent has received nothing, and the game is unchanged.
        lambda stage: (
            "blue" not in (unread := stage.unread())
            and unread["red again"].startswith(b"JOIN\x01" + RED_HAS_PLAYED)
        ),
    ),
}

each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
each_order = pytest.mark.parametrize(
    "timers_first", [True, False], ids=["timers-first", "input-first"]
)


OpenStage = Callable[[str, dict[str, str]], StallingStage]


@pytest.fixture
def open_stage(stages: ExitStack) -> OpenStage:
    return lambda door, settings: stages.enter_context(closing(StallingStage(door, settings)))


@pytest.fixture
def stage(case: Case, open_stage: OpenStage) -> StallingStage:
    return open_stage(case.door, case.settings)


@each_order
@each_case
def test_an_answer_during_a_stall_is_in_time(
    case: Case, stage: StallingStage, timers_first: bool
) -> None:
    case.begin(stage)
    stage.run(LIMIT_SECONDS - STEP_SECONDS)
    stage.be_late(STEP_SECONDS - 0.001)
    stage.send_unread(case.who, case.answer)
    stage.stall(STALL_SECONDS, timers_first)
    stage.run(2.1)
    assert case.is_well(stage)


@each_order
@each_case
def test_an_answer_between_two_stalls_is_in_time(
    case: Case, stage: StallingStage, timers_first: bool
) -> None:
    case.begin(stage)
    stage.run(LIMIT_SECONDS - 2 * STEP_SECONDS)
    stage.stall(STALL_SECONDS, timers_first)
    stage.send_unread(case.who, case.answer)
    stage.stall(STALL_SECONDS, timers_first)
    stage.run(2.1)
    assert case.is_well(stage)


@each_case
def test_an_answer_that_was_late_before_the_stall_is_late(case: Case, stage: StallingStage) -> None:
    case.begin(stage)
    stage.run(LIMIT_SECONDS - STEP_SECONDS)
    stage.be_late(2 * STEP_SECONDS)
    stage.send_unread(case.who, case.answer)
    stage.stall(STALL_SECONDS, timers_first=True)
    stage.run(2.1)
    assert not case.is_well(stage)


def test_a_move_that_was_late_before_the_stall_is_late_even_if_it_is_read_first(
    open_stage: OpenStage,
) -> None:
    case = CASES["a turn"]
    stage = open_stage(case.door, case.settings)
    case.begin(stage)
    stage.run(LIMIT_SECONDS - STEP_SECONDS)
    stage.be_late(2 * STEP_SECONDS)
    stage.send_unread(case.who, case.answer)
    stage.stall(STALL_SECONDS, timers_first=False)
    assert not case.is_well(stage)


@each_order
@each_case
def test_after_a_stall_a_client_has_the_time_that_was_left(
    case: Case, stage: StallingStage, timers_first: bool
) -> None:
    case.begin(stage)
    stage.run(LIMIT_SECONDS - 1)
    stage.stall(STALL_SECONDS, timers_first)
    stage.run(1.5)
    stage.send(case.who, case.answer)
    stage.run(2.1)
    assert not case.is_well(stage)


@each_order
def test_a_paced_message_is_sent_after_a_stall(open_stage: OpenStage, timers_first: bool) -> None:
    stage = open_stage("tttp", {"pace-ms": "200"})
    stage.send("red", JOIN_RED)
    assert stage.unread() == {"red": b"JOIN\x01"}
    stage.run(0.1)
    stage.stall(STALL_SECONDS, timers_first)
    assert stage.unread() == {}
    stage.run(0.3)
    assert stage.unread() == {"red": b"UPDT\x01\x00" + bytes(42)}


def test_pages_show_the_time_left_without_the_stall(open_stage: OpenStage) -> None:
    stage = open_stage("tttp", {"turn-seconds": str(LIMIT_SECONDS)})
    seat_two(stage)
    stage.run(1.0)
    assert stage.seconds_left_at_page() == pytest.approx(4.0)
    stage.stall(STALL_SECONDS, timers_first=True)
    assert stage.seconds_left_at_page() == pytest.approx(4.0)
    stage.run(1.05)
    assert stage.seconds_left_at_page() == pytest.approx(3.0)


def test_a_closing_server_disconnects_clients_although_the_clock_was_stopped(
    open_stage: OpenStage,
) -> None:
    stage = open_stage("tttp", {})
    stage.send("red", b"NOPE")
    stage.clock.stop("journal")
    stage.run(10)
    assert stage.connections() == 1
    stage.clock.ignore_stops()
    stage.run(3)
    assert stage.connections() == 0

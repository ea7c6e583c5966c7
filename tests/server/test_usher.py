"""Nobody hears what is not safe: an usher, and the hall over sockets, whose ledger is slow."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gamehall.server.usher import Line, Usher

from gamehall.core import Seat
from gamehall.games.ascension import EndTurn
from gamehall.games.connect_four import Cell
from gamehall.match import MatchEnded, MovePlayed, Record, TurnBegan
from gamehall.protocols.tttp import PROTOCOL
from gamehall.rooms.notices import ChatSent, Closed, Refused, Seated, SignedUp, Snapshot
from gamehall.rooms.reaction import LogLine, Peer
from gamehall.rooms.report import TournamentReport
from gamehall.rooms.requests import (
    Chat,
    EndOfInput,
    Join,
    Leave,
    Look,
    PlannedMove,
    Play,
    Request,
    Submit,
)
from gamehall.server.hall import Hall
from gamehall.server.observer import Observer
from gamehall.server.plan import DoorPlan
from gamehall.server.timers import Timers
from tests.support.memory_ledger import MemoryLedger, keep
from tests.support.socket_stage import SocketStage

ANN, BOB, CAT, DAN = Peer(1), Peer(2), Peer(3), Peer(4)


class Memory(Observer):
    """Remembers what it was told, or fails to."""

    def __init__(self) -> None:
        self.reports: list[TournamentReport] = []
        self.lines: list[LogLine] = []
        self.records: list[Record] = []
        self.fails = False

    def match_ended(self, room: str, record: Record) -> None:
        self.records.append(record)

    def tournament_ended(self, room: str, report: TournamentReport) -> None:
        if self.fails:
            raise OSError("the disk is full")
        self.reports.append(report)

    def noted(self, room: str, line: LogLine) -> None:
        if self.fails:
            raise OSError("the disk is full")
        self.lines.append(line)


class House:
    """An usher and its room, on a told clock, with a ledger that says nothing by itself."""

    def __init__(
        self,
        door: str = "tttp",
        ledger: MemoryLedger | None = None,
        now: float = 100.0,
        **settings: str,
    ) -> None:
        self.now = now
        self.ledger = ledger or MemoryLedger()
        self.observer = Memory()
        self.room = keep(door, self.ledger, **settings)
        self.words = self.room.resume(now, 60.0)
        self.timers = Timers(lambda: self.now, self._set_alarm)
        self.usher = Usher(self.room, self.timers, self.observer)
        self.door = door
        self.heard: dict[Peer, list[Any]] = {}
        self.went_on: list[Peer] = []
        self.then: dict[Peer, Callable[[], None]] = {}
        """What somebody does when its answer has come."""

    def _set_alarm(self, seconds: float, ring: Callable[[], None]) -> asyncio.TimerHandle:
        # Time passes only when told, and `wait` rings.
        loop = asyncio.new_event_loop()
        try:
            return asyncio.TimerHandle(self.now + seconds, ring, (), loop)
        finally:
            loop.close()

    def welcome(self, peer: Peer, seconds_to_return: float = 0.0) -> None:
        self.heard[peer] = []

        def go_on() -> None:
            self.went_on.append(peer)
            self.then.pop(peer, lambda: None)()

        line = Line(self.door, seconds_to_return, self.heard[peer].append, go_on)
        self.usher.welcome(peer, line)

    def ask(self, peer: Peer, request: Request[Any]) -> bool:
        return self.usher.ask(peer, request, self.now)

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.timers.ring()

    def release(self) -> None:
        """Everything is safe."""
        self.usher.release(self.ledger.number)

    def take(self, peer: Peer) -> list[type]:
        """The kinds of what a peer has heard since this was last asked."""
        kinds = [type(notice) for notice in self.heard[peer]]
        self.heard[peer].clear()
        return kinds

    def seat_two(self, seconds_to_return: float = 0.0) -> None:
        """Ann and Bob at a table, all of it safe and heard."""
        for peer, name in ((ANN, "ann"), (BOB, "bob")):
            self.welcome(peer, seconds_to_return)
            self.ask(peer, Join(name))
        self.release()
        self.take(ANN), self.take(BOB)
        self.went_on.clear()


def test_nobody_hears_an_answer_before_it_is_safe() -> None:
    house = House()
    house.welcome(ANN)
    assert house.ask(ANN, Join("ann")) is False
    assert house.take(ANN) == []
    house.usher.release(house.ledger.number - 1)
    assert house.take(ANN) == []
    assert house.went_on == []
    house.release()
    assert house.take(ANN) == [Seated, TurnBegan]
    assert house.went_on == [ANN]


def test_of_several_answers_those_are_heard_that_are_safe() -> None:
    house = House()
    house.seat_two()
    house.ask(ANN, Play(Cell(3, 5)))
    first = house.ledger.number
    house.ask(BOB, Play(Cell(3, 4)))
    house.usher.release(first)
    assert [house.take(peer) for peer in (ANN, BOB)] == [[MovePlayed], [MovePlayed]]
    assert house.went_on == [ANN]
    house.release()
    assert [house.take(peer) for peer in (ANN, BOB)] == [[MovePlayed], [MovePlayed]]
    assert house.went_on == [ANN, BOB]


def test_what_changes_nothing_is_answered_at_once_if_nothing_is_unsafe() -> None:
    house = House()
    house.seat_two()
    assert house.ask(ANN, Chat("hello")) is True
    assert house.take(BOB) == [ChatSent]
    assert house.went_on == []


def test_what_changes_nothing_waits_for_what_is_unsafe() -> None:
    """To look would be to see it."""
    house = House("ascension-http")
    house.welcome(ANN)
    house.welcome(BOB)
    house.ask(ANN, Join(""))
    assert house.ask(BOB, Look()) is False
    assert house.take(BOB) == []
    house.release()
    assert house.take(BOB) == [Snapshot]
    assert house.went_on == [ANN, BOB]


def test_whoever_goes_on_when_answers_go_out_has_its_turn_after_them() -> None:
    house = House()
    house.seat_two()
    house.ask(ANN, Play(Cell(3, 5)))
    house.ask(BOB, Play(Cell(3, 4)))
    answered: list[bool] = []
    house.then[ANN] = lambda: answered.append(house.ask(ANN, Chat("well played")))
    house.release()
    assert answered == [True], "everything before is out"
    assert house.went_on == [ANN, BOB]
    assert house.take(BOB) == [MovePlayed, MovePlayed, ChatSent]


def test_who_always_asks_again_does_not_keep_the_others_waiting() -> None:
    house = House()
    house.seat_two()
    house.ask(ANN, Play(Cell(3, 5)))
    asked = 0

    def ask_again() -> None:
        nonlocal asked
        asked += 1
        house.then[ANN] = ask_again
        house.ask(ANN, Chat("again"))

    house.then[ANN] = ask_again
    house.release()
    assert asked == 1


def test_what_was_safe_stays_safe() -> None:
    house = House()
    house.seat_two()
    house.usher.release(1)
    assert house.ask(ANN, Chat("hello")) is True


def test_who_is_gone_is_neither_told_nor_told_to_go_on() -> None:
    house = House()
    house.seat_two()
    house.ask(ANN, Play(Cell(3, 5)))
    house.usher.farewell(ANN, house.now)
    house.release()
    assert house.take(ANN) == []
    assert house.went_on == []
    assert house.take(BOB) == [MovePlayed, MatchEnded]


def test_a_peer_whose_place_is_not_kept_has_left() -> None:
    house = House()
    house.seat_two()
    house.usher.farewell(ANN, house.now)
    house.release()
    assert house.take(BOB) == [MatchEnded]
    assert not house.room.reception.waits


def test_a_peer_whose_place_is_kept_may_come_back_under_its_name() -> None:
    house = House()
    house.seat_two(seconds_to_return=30.0)
    house.usher.farewell(ANN, house.now)
    house.wait(29.0)
    assert house.take(BOB) == []
    house.welcome(CAT, 30.0)
    house.ask(CAT, Join("ann"))
    house.release()
    assert house.heard[CAT][0] == Seated(Seat.FIRST)
    assert house.take(CAT) == [Seated, TurnBegan]
    house.ask(CAT, Play(Cell(3, 5)))
    house.release()
    assert house.take(CAT) == house.take(BOB) == [MovePlayed]
    house.wait(60.0)
    assert house.take(BOB) == []


def test_a_peer_may_come_back_more_than_once() -> None:
    house = House()
    house.seat_two(seconds_to_return=30.0)
    for old, new in ((ANN, CAT), (CAT, DAN)):
        house.usher.farewell(old, house.now)
        house.welcome(new, 30.0)
        house.ask(new, Join("ann"))
        house.release()
        assert house.take(new) == [Seated, TurnBegan]
    assert house.take(BOB) == []


def test_the_witness_hears_of_a_match_when_its_end_is_safe() -> None:
    house = House()
    house.seat_two()
    house.ask(ANN, Leave(None))
    assert house.observer.records == []
    house.release()
    assert [record.players for record in house.observer.records] == [("ann", "bob")]
    assert house.observer.records == house.ledger.records


def test_who_does_not_come_back_in_time_has_left() -> None:
    house = House()
    house.seat_two(seconds_to_return=30.0)
    house.usher.farewell(ANN, house.now)
    house.wait(31.0)
    house.release()
    assert house.take(BOB) == [MatchEnded]
    house.welcome(CAT)
    house.ask(CAT, Join("ann"))
    house.release()
    assert house.take(CAT) == [Seated, TurnBegan]


def test_a_new_line_does_not_hear_what_was_meant_for_the_old_one() -> None:
    """It would come before the answer by which the new one is let in."""
    house = House()
    house.seat_two(seconds_to_return=30.0)
    house.ask(ANN, Play(Cell(3, 5)))
    house.usher.farewell(ANN, house.now)
    house.welcome(CAT, 30.0)
    house.ask(CAT, Join("ann"))
    house.ask(BOB, Play(Cell(3, 4)))
    house.release()
    assert house.take(CAT) == [Seated, TurnBegan, MovePlayed]
    assert house.went_on == [CAT, BOB]


def test_nobody_comes_back_without_the_secret_of_the_name() -> None:
    house = House()
    for peer, join in ((ANN, Join("ann", secret="a mark")), (BOB, Join("bob"))):
        house.welcome(peer, 30.0)
        house.ask(peer, join)
    house.release()
    house.take(BOB)
    house.usher.farewell(ANN, house.now)
    house.welcome(CAT, 30.0)
    for thief in (Join("ann"), Join("ann", secret="another mark")):
        house.ask(CAT, thief)
        house.release()
        assert house.take(CAT) == [Refused]
    house.welcome(DAN, 30.0)
    house.ask(DAN, Join("ann", secret="a mark"))
    house.release()
    assert house.take(DAN) == [Seated, TurnBegan]
    assert house.take(BOB) == []


def test_a_secret_is_asked_for_after_a_crash_as_well() -> None:
    house = House()
    for peer, join in ((ANN, Join("ann", secret="a mark")), (BOB, Join("bob"))):
        house.welcome(peer)
        house.ask(peer, join)
    house.release()
    later = House(ledger=house.ledger.after_a_crash(), now=1000.0)
    later.welcome(CAT)
    later.ask(CAT, Join("ann"))
    later.welcome(DAN)
    later.ask(DAN, Join("ann", secret="a mark"))
    later.release()
    assert later.take(CAT) == [Refused]
    assert later.take(DAN) == [Seated, TurnBegan]


def test_who_is_somebody_already_does_not_become_another() -> None:
    """Otherwise the one that it was would stay for ever, and nobody would speak for it."""
    house = House()
    house.seat_two(seconds_to_return=30.0)
    house.welcome(CAT)
    house.ask(CAT, Join("cat"))
    house.usher.farewell(ANN, house.now)
    house.ask(CAT, Join("ann"))
    house.release()
    assert house.room.reception.find("tttp", "ann") == ANN
    house.usher.farewell(CAT, house.now)
    assert CAT not in house.room.reception.known


def test_a_room_that_was_had_back_gives_up_those_who_do_not_come_though_nobody_comes() -> None:
    house = House()
    house.seat_two()
    later = House(ledger=house.ledger.after_a_crash(), now=1000.0)
    assert later.words == "goes on where it was; 2 may come back to it"
    before = later.ledger.number
    later.wait(59.0)
    assert later.ledger.number == before
    later.wait(2.0)
    assert later.ledger.number == before + 2
    assert len(later.ledger.records) == 1
    assert later.room.is_over


def test_who_was_known_before_the_hall_died_comes_back_under_its_name() -> None:
    house = House(turn_seconds="10")
    house.seat_two()
    house.ask(ANN, Play(Cell(3, 5)))
    later = House(ledger=house.ledger.after_a_crash(), now=1000.0, turn_seconds="10")
    for peer, name in ((Peer(11), "bob"), (Peer(12), "ann")):
        later.wait(20.0)
        later.welcome(peer)
        later.ask(peer, Join(name))
        later.release()
        assert later.take(peer) == [Seated, TurnBegan]
    later.wait(10.0)
    assert later.take(Peer(11)) == []
    later.wait(0.5)
    later.release()
    assert later.take(Peer(11)) == [MatchEnded]


def test_a_report_is_told_when_it_is_safe_and_only_once() -> None:
    house = House("santorini-tournament", players="2", games="1")
    for peer, name in ((ANN, "ann"), (BOB, "bob")):
        house.welcome(peer)
        house.ask(peer, Join(name))
    house.release()
    house.ask(ANN, Leave("fault"))
    house.ask(BOB, Leave("fault"))
    assert house.observer.reports == []
    house.release()
    [report] = house.observer.reports
    assert report.cheaters == {"ann": "fault"}
    house.release()
    assert len(house.observer.reports) == 1


def test_what_is_to_be_noted_of_a_match_is_noted_when_it_is_safe() -> None:
    house = House("ascension-http")
    house.usher.testify()
    known = len(house.observer.lines)
    house.welcome(ANN)
    house.ask(ANN, Join(""))
    assert len(house.observer.lines) == known
    house.release()
    assert house.observer.lines[-1].content == {"joined": 0}


def test_X_09_a_witness_that_fails_keeps_nobody_from_playing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    house = House("ascension-http")
    house.observer.fails = True
    house.welcome(ANN)
    house.ask(ANN, Join(""))
    house.release()
    assert house.take(ANN) == [Seated]
    assert "what happened could not be kept" in caplog.text


def test_a_hall_that_closes_tells_the_room_nothing_more() -> None:
    house = House()
    house.seat_two()
    before = house.ledger.number
    house.usher.close()
    house.usher.farewell(ANN, house.now)
    assert house.ask(BOB, Leave(None)) is True
    house.wait(1000.0)
    assert house.ledger.number == before


def test_the_end_of_a_match_is_told_when_it_is_safe() -> None:
    house = House()
    house.seat_two()
    ends: list[int] = []
    house.usher.after_each_end(lambda: ends.append(house.ledger.number))
    house.ask(ANN, EndOfInput())
    assert ends == []
    house.release()
    assert len(ends) == 1


@pytest.mark.parametrize("ends", ["by hanging up", "by breaking"])
def test_X_07_with_return_seconds_a_place_is_kept_however_the_connection_ends(
    ends: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    house = House()
    house.seat_two(seconds_to_return=30.0)
    if ends == "by hanging up":
        assert house.ask(ANN, EndOfInput())
        assert house.take(ANN) == [Closed]
    house.usher.farewell(ANN, house.now)
    house.release()
    assert house.take(BOB) == [], "the opponent is told when the time is over"
    assert "keeping ann's seat at tttp for 30 s" in caplog.text
    house.wait(29.0)
    house.welcome(CAT, 30.0)
    house.ask(CAT, Join("ann"))
    house.release()
    assert house.take(CAT) == [Seated, TurnBegan]
    assert "ann is back at tttp" in caplog.text
    house.ask(CAT, Play(Cell(3, 5)))
    house.release()
    assert house.take(BOB) == house.take(CAT) == [MovePlayed]


def test_X_07_who_hung_up_and_does_not_come_back_in_time_has_left(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    house = House()
    house.seat_two(seconds_to_return=30.0)
    house.ask(ANN, EndOfInput())
    house.usher.farewell(ANN, house.now)
    house.wait(30.0)
    house.release()
    assert house.take(BOB) == [MatchEnded]
    assert "ann has not come back to tttp: its seat is free" in caplog.text
    [record] = house.observer.records
    assert record.result.how == "ann left"


def test_X_07_the_old_connection_of_who_is_back_closes_without_a_consequence() -> None:
    """It may linger until its client has read everything."""
    house = House()
    house.seat_two(seconds_to_return=30.0)
    house.ask(ANN, EndOfInput())
    house.welcome(CAT, 30.0)
    house.ask(CAT, Join("ann"))
    house.release()
    house.usher.farewell(ANN, house.now)
    house.take(CAT)
    house.ask(CAT, Play(Cell(3, 5)))
    house.release()
    assert house.take(CAT) == [MovePlayed]


def test_X_07_a_spectator_who_hangs_up_watches_on_also_where_places_are_kept() -> None:
    house = House()
    house.seat_two(seconds_to_return=30.0)
    house.welcome(CAT, 30.0)
    house.ask(CAT, Join("cat"))
    house.release()
    house.ask(CAT, EndOfInput())
    house.release()
    house.take(CAT)
    house.ask(ANN, Play(Cell(3, 5)))
    house.release()
    assert house.take(CAT) == [MovePlayed]


def test_a_tournament_lets_those_in_again_who_come_back() -> None:
    """Their sessions would take them for people who have not joined in time."""
    house = House("santorini-tournament", players="2")
    for peer, name in ((ANN, "ann"), (BOB, "bob")):
        house.welcome(peer)
        house.ask(peer, Join(name))
    later = House("santorini-tournament", house.ledger.after_a_crash(), 1000.0, players="2")
    later.welcome(CAT)
    later.ask(CAT, Join("ann"))
    later.release()
    assert SignedUp in later.take(CAT)


def test_A_Q34_who_joins_again_with_its_key_after_the_hall_died_has_its_seat() -> None:
    house = House("ascension-http", tokens="true")
    house.welcome(ANN)
    house.ask(ANN, Join("key"))
    house.release()
    [joined] = house.heard[ANN]
    later = House("ascension-http", house.ledger.after_a_crash(), 1000.0, tokens="true")
    later.welcome(CAT)
    later.ask(CAT, Join("key"))
    later.release()
    assert later.heard[CAT] == [joined]


def test_what_is_shown_does_not_grow_while_it_waits() -> None:
    """Otherwise the next player's move would be seen before it is safe."""
    house = House("ascension-http")
    for peer in (ANN, BOB):
        house.welcome(peer)
        house.ask(peer, Join(""))
    house.release()
    house.heard[ANN].clear()
    house.ask(ANN, Submit(Seat.FIRST, (PlannedMove(EndTurn()),)))
    number = house.ledger.number
    house.ask(BOB, Submit(Seat.SECOND, (PlannedMove(EndTurn()),)))
    house.usher.release(number)
    [shown] = house.heard[ANN]
    assert len(shown.log) == 1


# The same over sockets.

JOIN_RED = b"JOIN\x03red"
FRESH = b"UPDT\x01\x00" + bytes(42)
PLAYED = b"UPDT\x02\x00" + bytes(38) + b"\x01" + bytes(3)


class SlowStage(SocketStage):
    """A hall over TCP, whose ledger says what is safe when it is told to."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.ledger = MemoryLedger()
        super().__init__(PROTOCOL, settings)

    async def _open(self, plans: list[DoorPlan]) -> Hall:
        loop = asyncio.get_running_loop()
        hall = Hall(
            plans,
            1,
            lambda: self._now,
            lambda _, ring: loop.call_later(3600, ring),
            ledger=self.ledger,
        )
        [(_, address)] = await hall.open("127.0.0.1")
        self.port = int(address.rsplit(":", 1)[1])
        self._ports = {PROTOCOL.name: self.port}
        return hall

    def release(self, number: int | None = None) -> None:
        self._runner.run(self._release(self.ledger.number if number is None else number))
        self._settle()

    async def _release(self, number: int) -> None:
        self.hall.release(number)

    def is_reading(self) -> bool:
        [connection] = self.hall._doors[0]._connections.values()
        return connection._transport.is_reading()


OpenStage = Callable[..., SlowStage]


@pytest.fixture
def open_stage() -> Iterator[OpenStage]:
    stages: list[SlowStage] = []

    def open_stage(**settings: str) -> SlowStage:
        stages.append(SlowStage({name.replace("_", "-"): v for name, v in settings.items()}))
        return stages[-1]

    yield open_stage
    for stage in stages:
        stage.close()


def test_nothing_is_on_the_wire_before_it_is_safe(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    assert stage.ledger.number == 2
    assert stage.unread() == {}
    stage.release(1)
    assert stage.unread() == {}
    stage.release(2)
    assert stage.read("red", 53) == b"JOIN\x01" + FRESH


def test_requests_in_one_segment_are_answered_one_by_one_and_in_order(
    open_stage: OpenStage,
) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED + b"PLAY\x03\x00" + b"RMCH")
    answers = [b"JOIN\x01" + FRESH, PLAYED, FRESH]
    for number, answer in enumerate(answers, 2):
        assert stage.ledger.number == number, "the next is not heard before this one is answered"
        assert stage.unread() == {}
        stage.release()
        assert stage.read("red", len(answer)) == answer
    assert stage.ledger.number == 4
    assert stage.unread() == {}


def test_who_waits_for_an_answer_is_not_read_from(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    stage.send("red", b"PLAY\x03\x00")
    assert not stage.is_reading()
    stage.send("red", b"RMCH")
    assert stage.ledger.number == 2
    for _ in range(3):
        stage.release()
    assert stage.is_reading()
    expected = b"JOIN\x01" + FRESH + PLAYED + FRESH
    assert stage.read("red", len(expected)) == expected


def test_who_hangs_up_while_it_waits_has_said_so_after_the_rest(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED + b"PLAY\x03\x00")
    stage.hang_up("red")
    assert stage.ledger.number == 2
    for _ in range(3):
        stage.release()
    expected = b"JOIN\x01" + FRESH + PLAYED
    assert stage.read("red", len(expected)) == expected
    assert stage.is_closed("red")


def test_X_09_who_waits_for_answers_has_no_more_messages_per_second_for_that(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(messages_per_second="20")
    stage.send("red", JOIN_RED + b"RMCH" * 50)
    for _ in range(10):
        stage.release()
    heard = stage.ledger.number - 1
    assert heard <= 3, "a tenth of a second's worth at once"
    stage.wait(0.5)
    for _ in range(20):
        stage.release()
        stage.wait(0.0)
    assert heard < stage.ledger.number - 1 <= heard + 12


def test_others_are_not_kept_waiting_by_one_who_waits(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    stage.release()
    stage.read("red", 53)
    stage.send("red", b"PLAY\x03\x00")
    stage.send("blue", b"JOIN\x04blue")
    assert stage.unread() == {}
    stage.release()
    assert stage.read("blue", 53) == b"JOIN\x02" + PLAYED
    assert stage.read("red", 96) == PLAYED + PLAYED


def test_a_rematch_that_is_not_safe_is_not_seen(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    stage.release()
    stage.send("red", b"PLAY\x03\x00")
    stage.release()
    assert stage.read("red", 101) == b"JOIN\x01" + FRESH + PLAYED
    stage.send("red", b"RMCH")
    stage.send("eve", b"JOIN\x03eve")
    assert stage.unread() == {}
    assert stage.ledger.number == 5

"""Who looks on is called when something has changed and is safe, and disturbs nobody."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from gamehall.core import Seat
from gamehall.games.connect_four import Cell
from gamehall.match import MovePlayed
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.requests import Chat, EndOfInput, Join, Leave, Play
from gamehall.rooms.view import RoomKind, RoomView
from gamehall.server.hall import Hall
from tests.server.test_usher import ANN, BOB, CAT, DAN, House
from tests.support.socket_stage import SocketStage


def seen_by(show: Callable[[Callable[[RoomView[Any]], None]], None]) -> RoomView[Any]:
    """What is to be seen, which must be safe already."""
    seen: list[RoomView[Any]] = []
    show(seen.append)
    [view] = seen
    return view


def seen_in(hall: Hall, room: str) -> RoomView[Any]:
    return seen_by(partial(hall.show, room))


class Onlooker:
    """Notes the version that it sees whenever it is called."""

    def __init__(self, house: House) -> None:
        self._house = house
        self.versions: list[int] = []
        house.usher.after_each_change(self._look)

    def _look(self) -> None:
        self.versions.append(seen_by(self._house.usher.show).version)

    @property
    def calls(self) -> int:
        return len(self.versions)


def test_nobody_is_called_before_it_is_safe_and_then_once_for_all_that_is() -> None:
    house = House()
    house.seat_two()
    onlooker = Onlooker(house)
    house.ask(ANN, Play(Cell(3, 5)))
    house.ask(BOB, Play(Cell(3, 4)))
    house.usher.release(house.ledger.number - 2)
    assert onlooker.calls == 0
    house.release()
    assert onlooker.calls == 1
    house.release()
    assert onlooker.calls == 1


def test_nobody_sees_what_is_not_safe() -> None:
    house = House()
    house.seat_two()
    seen: list[int] = []

    def look() -> None:
        house.usher.show(lambda view: seen.append(len(view.tables[0].moves)))

    look()
    house.ask(ANN, Play(Cell(3, 5)))
    look()
    first = house.ledger.number
    house.ask(BOB, Play(Cell(3, 4)))
    look()
    assert seen == [0]
    house.usher.release(first)
    assert seen == [0, 1]
    look()
    house.release()
    assert seen == [0, 1, 2, 2]


def test_who_is_called_sees_what_the_players_have_heard() -> None:
    house = House()
    house.seat_two()
    heard: list[list[type]] = []
    house.usher.after_each_change(lambda: heard.append(house.take(BOB)))
    house.ask(ANN, Play(Cell(3, 5)))
    house.release()
    assert heard == [[MovePlayed]]
    [table] = seen_by(house.usher.show).tables
    assert table.moves == ((Seat.FIRST, Cell(3, 5)),)


def test_the_record_of_a_match_is_kept_before_who_looks_on_is_called() -> None:
    house = House()
    house.seat_two()
    kept: list[int] = []
    house.usher.after_each_change(lambda: kept.append(len(house.observer.records)))
    house.ask(ANN, EndOfInput())
    house.release()
    assert kept == [1]


def test_what_nobody_is_told_of_is_seen_too_when_it_is_safe() -> None:
    """A spectator goes without a word."""
    house = House()
    house.seat_two()
    house.welcome(CAT)
    house.ask(CAT, Join("cat"))
    house.release()
    onlooker = Onlooker(house)
    house.usher.farewell(CAT, house.now)
    assert onlooker.calls == 0
    house.release()
    assert onlooker.calls == 1
    assert seen_by(house.usher.show).tables[0].spectators == 0


def test_what_need_not_be_written_is_told_at_once() -> None:
    house = House()
    house.seat_two()
    onlooker = Onlooker(house)
    house.ask(ANN, Chat("hello"))
    assert onlooker.calls == 1


def test_time_that_has_run_out_is_a_change() -> None:
    house = House(turn_seconds="10")
    house.seat_two()
    before = seen_by(house.usher.show).version
    onlooker = Onlooker(house)
    house.wait(10.25)
    house.release()
    assert len(onlooker.versions) == 1
    assert onlooker.versions[0] > before


def test_a_clock_that_goes_again_is_a_change() -> None:
    house = House(turn_seconds="10")
    house.seat_two()
    later = House(ledger=house.ledger.after_a_crash(), now=1000.0, turn_seconds="10")
    before = seen_by(later.usher.show)
    onlooker = Onlooker(later)
    for peer, name in ((CAT, "ann"), (DAN, "bob")):
        later.welcome(peer)
        later.ask(peer, Join(name))
    later.release()
    assert onlooker.versions[-1] > before.version
    assert before.tables[0].deadline is None
    assert seen_by(later.usher.show).tables[0].deadline == 1010.25


def test_X_09_who_looks_on_and_fails_keeps_nobody_from_playing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    house = House()
    house.seat_two()

    def fail() -> None:
        raise OSError("the page is torn")

    house.usher.after_each_change(fail)
    house.ask(ANN, Play(Cell(3, 5)))
    house.release()
    assert house.take(BOB) == [MovePlayed]
    assert house.went_on == [ANN]
    assert "what happened could not be shown" in caplog.text


def test_without_anybody_who_looks_on_nothing_more_is_held() -> None:
    house = House()
    house.seat_two()
    house.welcome(CAT)
    house.ask(CAT, Join("cat"))
    house.release()
    house.usher.farewell(CAT, house.now)
    assert house.room.counts.held == 0


# A whole hall.

OpenStage = Callable[[str], SocketStage]


@pytest.fixture
def open_stage() -> Iterator[OpenStage]:
    stages: list[SocketStage] = []

    def open_stage(door: str) -> SocketStage:
        stages.append(SocketStage(all_protocols()[door], {}))
        return stages[-1]

    yield open_stage
    for stage in stages:
        stage.close()


def test_a_hall_says_in_which_room_something_has_changed(open_stage: OpenStage) -> None:
    stage = open_stage("tttp")
    rooms: list[str] = []
    stage.hall.after_each_change(rooms.append)
    assert seen_in(stage.hall, "tttp").tables == ()
    stage.send("red", b"JOIN\x03red")
    assert rooms == ["tttp"]
    assert seen_in(stage.hall, "tttp").waiting == ("red",)


@pytest.mark.parametrize("door", sorted(all_protocols()))
def test_a_hall_knows_what_is_played_in_every_room(open_stage: OpenStage, door: str) -> None:
    view = seen_in(open_stage(door).hall, door)
    assert view.game == all_protocols()[door].game
    assert isinstance(view.kind, RoomKind)


def test_a_room_that_is_not_there_cannot_be_seen(open_stage: OpenStage) -> None:
    with pytest.raises(KeyError):
        seen_in(open_stage("tttp").hall, "attic")


def test_who_leaves_before_the_answer_is_safe_is_seen_to_be_gone() -> None:
    house = House()
    onlooker = Onlooker(house)
    house.welcome(ANN)
    house.ask(ANN, Join("ann"))
    house.ask(ANN, Leave(None))
    house.release()
    assert onlooker.calls == 1
    assert seen_by(house.usher.show).tables == ()

"""Observers are called when a change is durable, after the players, and disturb nobody."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from gamehall.core import Seat
from gamehall.games.connect_four import Cell
from gamehall.match import MovePlayed
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.requests import Chat, EndOfInput, Join, Leave, Play
from gamehall.rooms.view import RoomView
from gamehall.server.hall import Hall
from gamehall.server.room_host import ShowView
from tests.support.hosted import Hosted
from tests.support.socket_stage import SocketStage

TABLE = "tttp/1"


def seen_by(show: Callable[[ShowView], None]) -> RoomView[Any]:
    """Return what is to be seen, which must be durable already."""
    seen: list[RoomView[Any] | None] = []
    show(seen.append)
    [view] = seen
    assert view is not None
    return view


def seen_in(hall: Hall, room: str) -> RoomView[Any]:
    return seen_by(partial(hall.host.view, room))


class Watcher:
    """Looks at a table whenever it is told that it may have changed."""

    def __init__(self, hosted: Hosted) -> None:
        self._hosted = hosted
        self.told: list[str] = []
        self.seen: list[RoomView[Any] | None] = []
        hosted.host.after_each_change(hosted.room.name, self._look)

    def _look(self, room: str) -> None:
        self.told.append(room)
        if room == TABLE:
            self._hosted.host.view(TABLE, self.seen.append)

    @property
    def versions(self) -> list[int]:
        return [view.version for view in self.seen if view is not None]

    @property
    def calls(self) -> int:
        return len(self.seen)


def test_watchers_are_called_when_changes_are_durable_and_then_once_for_all_of_them() -> None:
    hosted = Hosted()
    hosted.seat_two()
    watcher = Watcher(hosted)
    hosted.journal.is_stuck = True
    hosted.submit("ann", Play(Cell(3, 5)))
    hosted.submit("bob", Play(Cell(3, 4)))
    hosted.settle()
    assert watcher.calls == 0
    hosted.journal.release()
    assert watcher.versions == [hosted.view().version]
    assert watcher.told == [TABLE]
    hosted.settle()
    assert watcher.calls == 1


def test_nobody_sees_what_is_not_durable() -> None:
    hosted = Hosted()
    hosted.seat_two()
    hosted.journal.is_stuck = True
    seen: list[int] = []

    def look() -> None:
        hosted.host.view(TABLE, lambda view: seen.append(len(view.tables[0].moves) if view else -1))
        hosted.settle()

    look()
    hosted.ask("ann", Play(Cell(3, 5)))
    look()
    hosted.ask("bob", Play(Cell(3, 4)))
    look()
    assert seen == [0]
    hosted.journal.release(2)
    assert seen == [0, 1]
    look()
    hosted.journal.release()
    assert seen == [0, 1, 2, 2]


def test_watchers_see_what_the_players_have_heard() -> None:
    hosted = Hosted()
    hosted.seat_two()
    heard: list[list[type]] = []
    hosted.host.after_each_change("tttp", lambda _: heard.append(hosted.take("bob")))
    hosted.ask("ann", Play(Cell(3, 5)))
    assert heard == [[MovePlayed]]
    [table] = seen_by(partial(hosted.host.view, TABLE)).tables
    assert table.moves == ((Seat.FIRST, Cell(3, 5)),)


def test_the_record_of_a_match_is_kept_before_watchers_are_called() -> None:
    hosted = Hosted()
    hosted.seat_two()
    kept: list[int] = []
    hosted.host.after_each_change("tttp", lambda _: kept.append(len(hosted.observer.records)))
    hosted.ask("ann", EndOfInput())
    assert kept == [1]


def test_watchers_are_called_for_what_no_client_is_told_of() -> None:
    """A spectator goes without a word."""
    hosted = Hosted()
    hosted.seat_two()
    hosted.ask("cat", Join("cat"))
    watcher = Watcher(hosted)
    hosted.disconnect("cat")
    assert watcher.calls == 1
    assert seen_by(partial(hosted.host.view, TABLE)).tables[0].spectators == 0


def test_watchers_are_called_for_what_is_not_journaled() -> None:
    hosted = Hosted()
    hosted.seat_two()
    watcher = Watcher(hosted)
    hosted.ask("ann", Chat("hello"))
    assert watcher.calls == 1


def test_time_that_has_run_out_is_a_change() -> None:
    hosted = Hosted(turn_seconds="10")
    hosted.seat_two()
    before = hosted.view().version
    watcher = Watcher(hosted)
    hosted.wait(10.25)
    assert watcher.calls == 1
    assert watcher.versions[0] > before


def test_a_clock_that_goes_again_is_a_change() -> None:
    hosted = Hosted(turn_seconds="10")
    hosted.seat_two()
    later = Hosted(journal=hosted.journal.after_a_crash(), now=1000.0, turn_seconds="10")
    before = seen_by(partial(later.host.view, TABLE))
    watcher = Watcher(later)
    for who in ("ann", "bob"):
        later.ask(who, Join(who))
    assert watcher.versions[-1] > before.version
    assert before.tables[0].deadline is None
    assert later.view().tables[0].deadline == 1010.25


def test_a_client_that_leaves_before_its_answer_is_durable_is_seen_to_be_gone() -> None:
    hosted = Hosted()
    watcher = Watcher(hosted)
    hosted.submit("ann", Join("ann"))
    hosted.submit("ann", Leave(None))
    hosted.settle()
    assert watcher.told == ["tttp", TABLE]
    assert watcher.seen == [None], "the table is closed"
    assert hosted.view().tables == ()


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
    told: list[tuple[str, str]] = []
    stage.hall.after_each_change(lambda room, part: told.append((room, part)))
    assert stage.hall.host.rooms_of("tttp") == ["tttp"]
    stage.send("red", b"JOIN\x03red")
    assert told == [("tttp", "tttp"), ("tttp", TABLE)]
    assert stage.hall.host.rooms_of("tttp") == ["tttp", TABLE]
    assert seen_in(stage.hall, TABLE).waiting == ("red",)


def test_a_table_that_is_not_there_is_seen_to_be_closed(open_stage: OpenStage) -> None:
    seen: list[RoomView[Any] | None] = []
    open_stage("tttp").hall.host.view("tttp/9", seen.append)
    assert seen == [None]

"""Watchers of a room are called when a change is durable, after the players."""

from collections.abc import Callable
from contextlib import ExitStack, closing
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
    """Return the view, which must be available at once."""
    seen: list[RoomView[Any] | None] = []
    show(seen.append)
    [view] = seen
    assert view is not None
    return view


def seen_in(hall: Hall, room: str) -> RoomView[Any]:
    return seen_by(partial(hall.host.view, room))


class Watcher:
    """Views a table after each change."""

    def __init__(self, hosted: Hosted) -> None:
        self._hosted = hosted
        self.changed: list[str] = []
        self.seen: list[RoomView[Any] | None] = []
        hosted.host.after_each_change(hosted.room.name, self._look)

    def _look(self, room: str) -> None:
        self.changed.append(room)
        if room == TABLE:
            self._hosted.host.view(TABLE, self.seen.append)

    @property
    def versions(self) -> list[int]:
        return [view.version for view in self.seen if view is not None]

    @property
    def calls(self) -> int:
        return len(self.seen)


def test_watchers_are_called_once_for_all_changes_of_a_commit() -> None:
    hosted = Hosted().seat_two()
    watcher = Watcher(hosted)
    hosted.journal.is_stuck = True
    hosted.submit("ann", Play(Cell(3, 5)))
    hosted.submit("bob", Play(Cell(3, 4)))
    hosted.settle()
    assert watcher.calls == 0
    hosted.journal.release()
    assert watcher.versions == [hosted.view().version]
    assert watcher.changed == [TABLE]
    hosted.settle()
    assert watcher.calls == 1


def test_views_show_only_durable_changes() -> None:
    hosted = Hosted().seat_two()
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


def test_watchers_see_what_the_players_have_received() -> None:
    hosted = Hosted().seat_two()
    received: list[list[type]] = []
    hosted.host.after_each_change("tttp", lambda _: received.append(hosted.take("bob")))
    hosted.ask("ann", Play(Cell(3, 5)))
    assert received == [[MovePlayed]]
    [table] = seen_by(partial(hosted.host.view, TABLE)).tables
    assert table.moves == ((Seat.FIRST, Cell(3, 5)),)


def test_the_record_of_a_match_is_stored_before_watchers_are_called() -> None:
    hosted = Hosted().seat_two()
    kept: list[int] = []
    hosted.host.after_each_change("tttp", lambda _: kept.append(len(hosted.observer.records)))
    hosted.ask("ann", EndOfInput())
    assert kept == [1]


def test_watchers_are_called_for_changes_without_a_notice() -> None:
    """When a spectator leaves, no client is notified."""
    hosted = Hosted().seat_two()
    hosted.ask("cat", Join("cat"))
    watcher = Watcher(hosted)
    hosted.disconnect("cat")
    assert watcher.calls == 1
    assert seen_by(partial(hosted.host.view, TABLE)).tables[0].spectators == 0


def test_watchers_are_called_for_changes_that_are_not_journaled() -> None:
    hosted = Hosted().seat_two()
    watcher = Watcher(hosted)
    hosted.ask("ann", Chat("hello"))
    assert watcher.calls == 1


def test_a_timeout_is_a_change() -> None:
    hosted = Hosted(turn_seconds="10").seat_two()
    before = hosted.view().version
    watcher = Watcher(hosted)
    hosted.wait(10.25)
    assert watcher.calls == 1
    assert watcher.versions[0] > before


def test_a_clock_that_starts_again_is_a_change() -> None:
    hosted = Hosted(turn_seconds="10").seat_two()
    later = hosted.restart()
    before = seen_by(partial(later.host.view, TABLE))
    watcher = Watcher(later)
    for who in ("ann", "bob"):
        later.ask(who, Join(who))
    assert watcher.versions[-1] > before.version
    assert before.tables[0].deadline is None
    assert later.view().tables[0].deadline == 1010.25


def test_a_table_whose_client_leaves_before_the_commit_is_closed() -> None:
    hosted = Hosted()
    watcher = Watcher(hosted)
    hosted.submit("ann", Join("ann"))
    hosted.submit("ann", Leave(None))
    hosted.settle()
    assert watcher.changed == ["tttp", TABLE]
    assert watcher.seen == [None], "the table is closed"
    assert hosted.view().tables == ()


# A whole server

OpenStage = Callable[[str], SocketStage]


@pytest.fixture
def open_stage(stages: ExitStack) -> OpenStage:
    return lambda door: stages.enter_context(closing(SocketStage(all_protocols()[door], {})))


def test_the_server_says_which_room_has_changed(open_stage: OpenStage) -> None:
    stage = open_stage("tttp")
    changed: list[tuple[str, str]] = []
    stage.hall.after_each_change(lambda room, part: changed.append((room, part)))
    assert stage.hall.host.rooms_of("tttp") == ["tttp"]
    stage.send("red", b"JOIN\x03red")
    assert changed == [("tttp", "tttp"), ("tttp", TABLE)]
    assert stage.hall.host.rooms_of("tttp") == ["tttp", TABLE]
    assert seen_in(stage.hall, TABLE).waiting == ("red",)


def test_the_view_of_an_unknown_table_is_none(open_stage: OpenStage) -> None:
    seen: list[RoomView[Any] | None] = []
    open_stage("tttp").hall.host.view("tttp/9", seen.append)
    assert seen == [None]

"""The pipeline between clients and rooms: decide, prepare, commit, deliver."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import Any

import pytest

from gamehall.core import Seat
from gamehall.games.ascension import EndTurn
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Ending, MatchEnded, MovePlayed, TurnBegan
from gamehall.protocols.tttp import PROTOCOL
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import ChatSent, Closed, Refused, Seated, Snapshot
from gamehall.rooms.requests import (
    Arrive,
    BadAnswer,
    Chat,
    EndOfInput,
    Join,
    Leave,
    Look,
    PlannedMove,
    Play,
    Pong,
    Rematch,
    Request,
    SpectatorChat,
    Submit,
)
from gamehall.rooms.room import Peer
from gamehall.rooms.terms import TableTerms
from gamehall.server.hall import Hall
from gamehall.server.plan import DoorPlan
from tests.server.connect_four_requests import play_out, played
from tests.support.hosted import Hosted, MemoryJournal, only
from tests.support.manual_clock import ManualClock
from tests.support.socket_stage import SocketStage

# Commit, then deliver


def test_nothing_is_delivered_before_the_commit() -> None:
    hosted = Hosted()
    hosted.journal.is_stuck = True
    hosted.ask("ann", Join("ann"))
    ann = hosted.client("ann")
    assert [type(notice) for notice in ann.prepared] == [Seated, TurnBegan], "decided at once"
    assert (ann.received, ann.answers) == ([], 0)
    hosted.journal.release()
    assert ann.received == ann.prepared
    assert ann.answers == 1


def test_a_turn_of_the_event_loop_is_one_commit() -> None:
    hosted = Hosted().seat_two()
    commits = hosted.journal.commits
    hosted.submit("ann", Play(Cell(3, 5)))
    hosted.submit("bob", Play(Cell(3, 4)))
    hosted.submit("cat", Join("cat"))
    assert hosted.journal.commits == commits
    assert hosted.happened == []
    hosted.end_turn()
    assert hosted.journal.commits == commits + 1
    assert hosted.journal.length == 5
    assert hosted.turn == []


def test_notices_are_delivered_in_order_before_the_next_requests_are_read() -> None:
    hosted = Hosted().seat_two()
    hosted.submit("bob", Chat("hello"))
    hosted.submit("ann", Play(Cell(3, 5)))
    hosted.host.enqueue(hosted.client("bob"), ChatSent("the server", "something by itself"))
    hosted.settle()
    assert hosted.happened == [
        ("ann", ChatSent),
        ("ann", MovePlayed),
        ("bob", MovePlayed),
        ("bob", ChatSent),
        ("bob", "answered"),
        ("ann", "answered"),
    ]


def test_commits_in_flight_are_delivered_one_by_one() -> None:
    hosted = Hosted().seat_two()
    hosted.journal.is_stuck = True
    hosted.ask("ann", Play(Cell(3, 5)))
    hosted.ask("bob", Play(Cell(3, 4)))
    hosted.journal.release(1)
    assert [hosted.take(who) for who in ("ann", "bob")] == [[MovePlayed], [MovePlayed]]
    assert (hosted.client("ann").answers, hosted.client("bob").answers) == (1, 0)
    hosted.journal.release(1)
    assert [hosted.take(who) for who in ("ann", "bob")] == [[MovePlayed], [MovePlayed]]
    assert hosted.client("bob").answers == 1


def test_a_request_that_changes_nothing_waits_for_the_commits_before_it() -> None:
    """Otherwise a client could see what may still be lost."""
    hosted = Hosted("ascension-http")
    hosted.journal.is_stuck = True
    hosted.ask("ann", Join(""))
    hosted.ask("bob", Look())
    hosted.ask("bob", Chat("hello"))
    assert hosted.happened == []
    hosted.journal.release()
    assert hosted.happened == [
        ("ann", Seated),
        ("ann", "answered"),
        ("bob", Snapshot),
        ("bob", "answered"),
        ("bob", "answered"),
    ]


def test_a_client_that_always_has_another_request_does_not_delay_others() -> None:
    hosted = Hosted().seat_two()
    hosted.client("ann").when_answered = lambda: hosted.submit("ann", Chat("again"))
    hosted.submit("ann", Play(Cell(3, 5)))
    for turn in range(1, 4):
        hosted.end_turn()
        assert hosted.client("ann").answers == turn
    hosted.client("ann").when_answered = lambda: None
    hosted.settle()


def test_a_client_that_is_gone_receives_nothing() -> None:
    hosted = Hosted().seat_two()
    ann = hosted.client("ann")
    hosted.submit("ann", Play(Cell(3, 5)))
    hosted.end_turn()
    hosted.disconnect("ann")
    assert hosted.take("bob") == [MovePlayed, MatchEnded]
    assert [type(notice) for notice in ann.received] == [MovePlayed], "nothing after it had left"


def test_a_snapshot_does_not_grow_while_it_waits() -> None:
    """Otherwise it would show the next player's move before that is committed."""
    hosted = Hosted("ascension-http").seat_two()
    hosted.journal.is_stuck = True
    hosted.ask("ann", Submit(Seat.FIRST, (PlannedMove(EndTurn()),)))
    hosted.ask("bob", Submit(Seat.SECOND, (PlannedMove(EndTurn()),)))
    hosted.journal.release(1)
    [shown] = hosted.client("ann").received
    assert isinstance(shown, Snapshot)
    assert len(shown.log) == 1


def test_the_clients_of_all_rooms_are_released_by_one_commit() -> None:
    hosted = Hosted(tables="2")
    for who in ("ann", "bob", "cat", "dan"):
        hosted.ask(who, Join(who))
    hosted.forget()
    commits = hosted.journal.commits
    hosted.submit("ann", Play(Cell(3, 5)))
    hosted.submit("cat", Play(Cell(2, 5)))
    hosted.settle()
    assert hosted.journal.commits == commits + 1
    assert [hosted.take(who) for who in ("ann", "bob", "cat", "dan")] == [[MovePlayed]] * 4


# What is journaled


def test_a_room_without_changes_has_no_journal() -> None:
    hosted = Hosted("ascension-http")
    [shown] = hosted.ask("ann", Look())
    assert isinstance(shown, Snapshot)
    assert hosted.journal.changes == []


@pytest.mark.parametrize("refused", [Play(Cell(3, 4)), Play(Cell(9, 9))])
def test_an_illegal_move_is_journaled_because_it_is_counted(refused: Play[Any]) -> None:
    hosted = Hosted().seat_two()
    hosted.ask("ann", Play(Cell(3, 5)))
    before = hosted.journal.length
    hosted.ask("bob", Play(Cell(9, 9)))
    assert hosted.journal.length == before + 1
    hosted.ask("ann", refused)
    assert hosted.journal.length == before + 1, "a move out of turn changes nothing"


FIRST_REQUESTS: dict[str, Request[Any]] = {
    "tttp": Join("ann"),
    "santorini-lobby": Join("ann"),
    "go-text": Arrive(),
    "ascension-http": Join(""),
}


@pytest.mark.parametrize("door", FIRST_REQUESTS)
def test_requests_of_clients_that_have_not_joined_are_not_journaled(door: str) -> None:
    hosted = Hosted(door)
    hosted.ask("ann", FIRST_REQUESTS[door])
    before = hosted.journal.changes[:]
    requests: list[Request[Any]] = [Pong(), BadAnswer("nonsense"), EndOfInput(), Leave("nonsense")]
    for number in range(50):
        for request in requests:
            hosted.ask(f"client {number}", request)
        hosted.disconnect(f"client {number}")
    assert hosted.journal.changes == before
    later = hosted.restart()
    known = {entry.peer for name in later.journal.rooms for entry in later.entries(name)}
    assert known <= {Peer(1)}, "no other peer is known"


def test_chat_is_not_journaled() -> None:
    hosted = Hosted().seat_two()
    before = hosted.journal.length
    hosted.ask("ann", Chat("hello"))
    assert hosted.take("bob") == [ChatSent]
    assert hosted.journal.length == before


def test_a_move_without_the_token_is_not_journaled() -> None:
    hosted = Hosted("ascension-http", tokens="true").seat_two()
    before = hosted.journal.length
    wishes = (PlannedMove(EndTurn()),)
    assert hosted.ask("ann", Submit(Seat.FIRST, wishes, "another token")), "it gets an answer"
    assert hosted.journal.length == before


def test_a_client_that_is_refused_leaves_no_entry() -> None:
    hosted = Hosted()
    assert [type(notice) for notice in hosted.ask("ann", Join(" "))] == [Refused]
    hosted.disconnect("ann")
    assert hosted.journal.changes == []


def test_a_deadline_is_journaled_only_if_it_has_passed() -> None:
    hosted = Hosted(turn_seconds="10").seat_two()
    before = hosted.journal.length
    hosted.wait(10.0)
    assert hosted.journal.length == before
    hosted.wait(0.25)
    assert hosted.journal.length == before + 1
    ended = only(hosted.client("ann").received, MatchEnded)
    assert ended.result.ending is Ending.OUT_OF_TIME
    assert len(hosted.journal.records) == 1


def test_an_overdue_deadline_is_handled_and_journaled_before_the_next_request() -> None:
    hosted = Hosted("ascension-http", turn_timeout="10").seat_two()
    before = hosted.journal.length
    hosted.now += 10.25
    shown = only(hosted.ask("cat", Look()), Snapshot)
    assert shown.result is not None
    assert hosted.journal.length == before + 1
    assert [record.result.ending for record in hosted.journal.records] == [Ending.OUT_OF_TIME]
    later = hosted.restart()
    assert only(later.ask("dan", Look()), Snapshot) == shown
    assert len(later.journal.records) == 1


# Observers


def test_observers_are_called_after_the_players_at_the_end_of_a_match() -> None:
    hosted = Hosted().seat_two()
    ends: list[list[Any]] = []
    hosted.host.after_each_end("tttp", lambda: ends.append(list(hosted.happened)))
    hosted.journal.is_stuck = True
    hosted.ask("ann", EndOfInput())
    assert (ends, hosted.observer.records) == ([], [])
    hosted.journal.release()
    [happened] = ends
    assert ("bob", MatchEnded) in happened
    assert ("ann", "answered") not in happened
    assert [record.players for record in hosted.observer.records] == [("ann", "bob")]
    assert hosted.observer.records == hosted.journal.records


def test_the_report_of_a_tournament_is_passed_on_once_when_it_is_durable() -> None:
    hosted = Hosted("santorini-tournament", players="2", games="1").seat_two()
    hosted.journal.is_stuck = True
    hosted.ask("ann", Leave("fault"))
    hosted.ask("bob", Leave("fault"))
    assert hosted.observer.reports == []
    hosted.journal.release()
    [report] = hosted.observer.reports
    assert report.cheaters == {"ann": "fault"}


def test_a_line_of_a_match_log_is_passed_on_when_it_is_durable() -> None:
    hosted = Hosted("ascension-http")
    hosted.journal.is_stuck = True
    hosted.ask("ann", Join(""))
    assert hosted.observer.log == []
    hosted.journal.release()
    assert hosted.observer.log[-1].content == {"joined": 0}


def test_X_09_an_observer_that_fails_affects_no_client(caplog: pytest.LogCaptureFixture) -> None:
    hosted = Hosted().seat_two()
    hosted.observer.fails = True

    def fail(*_: object) -> None:
        raise OSError("the page is torn")

    hosted.host.after_each_end("tttp", fail)
    hosted.host.after_each_change("tttp", fail)
    changes: list[str] = []
    hosted.host.after_each_change("tttp", changes.append)
    hosted.submit("ann", EndOfInput())
    hosted.host.view("tttp", fail)
    hosted.settle()
    assert hosted.take("bob") == [MatchEnded]
    assert hosted.client("ann").answers == 1
    assert changes == ["tttp/1"], "other observers are called"
    assert caplog.text.count("an observer failed") == 4


def test_running_out_of_memory_is_not_an_error_of_one_observer() -> None:
    hosted = Hosted().seat_two()

    def fail(_: str) -> None:
        raise MemoryError

    hosted.host.after_each_change("tttp", fail)
    hosted.submit("ann", Play(Cell(3, 5)))
    with pytest.raises(MemoryError):
        hosted.settle()


def test_X_09_a_client_that_fails_affects_no_other_client(caplog: pytest.LogCaptureFixture) -> None:
    hosted = Hosted().seat_two()
    ann = hosted.client("ann")

    def fail() -> None:
        raise OSError("no such client")

    ann.when_delivered = ann.when_answered = fail
    hosted.submit("ann", Play(Cell(3, 5)))
    hosted.submit("bob", Play(Cell(3, 4)))
    hosted.settle()
    assert hosted.take("bob") == [MovePlayed, MovePlayed]
    assert hosted.client("bob").answers == 1
    assert "a client failed" in caplog.text


# Lost connections, and players who return


def test_TM_08_a_client_whose_seat_is_not_kept_has_left() -> None:
    hosted = Hosted().seat_two()
    hosted.disconnect("ann")
    assert hosted.take("bob") == [MatchEnded]


@pytest.mark.parametrize("ends", ["by the end of input", "by an error"])
def test_X_07_with_return_seconds_a_seat_is_kept_however_the_connection_ends(
    ends: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    hosted = Hosted(return_seconds=30.0).seat_two()
    if ends == "by the end of input":
        assert [type(notice) for notice in hosted.ask("ann", EndOfInput())] == [Closed]
    hosted.disconnect("ann")
    assert hosted.take("bob") == [], "the opponent is notified when the time is over"
    assert "keeping ann's seat at tttp for up to 30 s" in caplog.text
    hosted.wait(29.0)
    assert [type(notice) for notice in hosted.ask("new", Join("ann"))] == [Seated, TurnBegan]
    assert "ann is back at tttp" in caplog.text
    assert played(hosted.ask("new", Play(Cell(3, 5)))) == [Cell(3, 5)]
    hosted.wait(60.0)
    assert hosted.take("bob") == [MovePlayed]


def test_a_player_may_return_more_than_once() -> None:
    hosted = Hosted(return_seconds=30.0).seat_two()
    for old, new in (("ann", "cat"), ("cat", "dan")):
        hosted.disconnect(old)
        seated, _ = hosted.ask(new, Join("ann"))
        assert seated == Seated(Seat.FIRST)
    assert hosted.take("bob") == []


def test_a_newcomer_gets_a_free_table_before_that_of_a_disconnected_player() -> None:
    hosted = Hosted(
        return_seconds=30.0,
        make_room=lambda _: OpenLobby(ConnectFour(), TableTerms(), NameRules(), tables=2),
    )
    hosted.ask("ann", Join("ann"))
    hosted.disconnect("ann")
    assert hosted.ask("bob", Join("bob"))[0] == Seated(Seat.FIRST), "at a table of its own"
    hosted.ask("cat", Join("cat"))
    assert hosted.ask("dan", Join("dan"))[0] == Seated(Seat.SECOND), "no other seat is free"
    assert hosted.ask("eve", Join("ann"))[0] == Seated(Seat.FIRST)


def test_the_log_does_not_say_that_a_seat_is_kept_if_it_is_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    hosted = Hosted(return_seconds=30.0).seat_two()
    play_out(hosted)
    hosted.disconnect("ann")
    assert "ann has left tttp: there is no match for which to keep its seat" in caplog.text
    assert "keeping" not in caplog.text
    assert "in time" not in caplog.text


def test_X_07_a_player_who_does_not_return_in_time_has_left(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    hosted = Hosted(return_seconds=30.0).seat_two()
    hosted.ask("ann", EndOfInput())
    hosted.disconnect("ann")
    hosted.wait(30.0)
    assert hosted.take("bob") == [MatchEnded]
    assert "ann has not reconnected to tttp in time: its seat is free" in caplog.text
    [record] = hosted.observer.records
    assert record.result.how == "ann left: did not come back in time"
    assert [type(notice) for notice in hosted.ask("cat", Join("ann"))] == [Seated, TurnBegan]


def test_X_07_the_end_of_the_old_connection_does_not_affect_a_player_who_has_returned() -> None:
    """It may stay open until its client has read everything."""
    hosted = Hosted(return_seconds=30.0).seat_two()
    hosted.ask("ann", EndOfInput())
    hosted.ask("new", Join("ann"))
    hosted.disconnect("ann")
    assert played(hosted.ask("new", Play(Cell(3, 5)))) == [Cell(3, 5)]


def test_X_07_a_spectator_may_watch_after_the_end_of_its_input_also_where_seats_are_kept() -> None:
    hosted = Hosted(return_seconds=30.0).seat_two()
    hosted.ask("cat", Join("cat"))
    hosted.ask("cat", EndOfInput())
    hosted.take("cat")
    hosted.ask("ann", Play(Cell(3, 5)))
    assert hosted.take("cat") == [MovePlayed]


def test_a_new_connection_does_not_receive_the_notices_of_the_old_one() -> None:
    """They would come before the answer to its request to join."""
    hosted = Hosted(return_seconds=30.0).seat_two()
    hosted.journal.is_stuck = True
    hosted.ask("ann", Play(Cell(3, 5)))
    hosted.disconnect("ann")
    hosted.ask("new", Join("ann"))
    hosted.ask("bob", Play(Cell(3, 4)))
    hosted.journal.release()
    assert hosted.take("new") == [Seated, TurnBegan, MovePlayed]


def test_TM_03_a_client_without_the_secret_cannot_take_the_seat() -> None:
    hosted = Hosted(return_seconds=30.0)
    hosted.ask("ann", Join("ann", secret="a secret"))
    hosted.ask("bob", Join("bob"))
    hosted.disconnect("ann")
    for thief in (Join("ann"), Join("ann", secret="another secret")):
        assert [type(notice) for notice in hosted.ask("cat", thief)] == [Refused]
    [seated, _] = hosted.ask("dan", Join("ann", secret="a secret"))
    assert seated == Seated(Seat.FIRST)


def test_a_member_cannot_take_the_seat_of_another_member() -> None:
    """Otherwise its own seat would stay occupied without a client."""
    hosted = Hosted(return_seconds=30.0).seat_two()
    hosted.ask("cat", Join("cat"))
    hosted.disconnect("ann")
    assert [type(notice) for notice in hosted.ask("cat", Join("ann"))] == [Refused]
    assert hosted.view().tables[0].spectators == 1
    seated, _ = hosted.ask("new", Join("ann"))
    assert seated == Seated(Seat.FIRST)


def test_a_spectator_who_was_refused_another_name_returns_to_its_table() -> None:
    hosted = Hosted(return_seconds=30.0).seat_two()
    hosted.ask("cat", Join("cat"))
    assert [type(notice) for notice in hosted.ask("cat", Join("bob"))] == [Refused]
    hosted.disconnect("cat")
    assert [type(notice) for notice in hosted.ask("new", Join("cat"))] == [Seated, TurnBegan]
    hosted.ask("ann", Play(Cell(3, 5)))
    assert MovePlayed in hosted.take("new")


# A slow journal


@pytest.fixture
def machine_clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    clock = ManualClock()
    monkeypatch.setattr("gamehall.server.room_host.monotonic", clock)
    return clock


def call_later(hosted: Hosted) -> None:
    """Run the calls that the host has scheduled."""
    later, hosted.later[:] = list(hosted.later), []
    for _, call in later:
        call()


def test_the_clock_is_stopped_while_a_commit_is_overdue(machine_clock: ManualClock) -> None:
    hosted = Hosted().seat_two()
    hosted.journal.is_stuck = True
    hosted.ask("ann", Play(Cell(3, 5)))
    machine_clock.now += 0.06
    call_later(hosted)
    assert hosted.clock_stops == [True]
    machine_clock.now += 9.0
    hosted.ask("bob", Play(Cell(3, 4)))
    call_later(hosted)
    assert hosted.clock_stops == [True]
    hosted.journal.release(1)
    assert hosted.clock_stops == [True, False], "the second commit is not overdue"
    machine_clock.now += 1.0
    call_later(hosted)
    assert hosted.clock_stops == [True, False, True]
    hosted.journal.release()
    assert hosted.clock_stops == [True, False, True, False]
    assert hosted.take("ann") == [MovePlayed, MovePlayed]


def test_commits_in_time_do_not_stop_the_clock_and_share_one_timer(
    machine_clock: ManualClock,
) -> None:
    hosted = Hosted().seat_two()
    hosted.journal.is_stuck = True
    for _ in range(100):
        hosted.ask("ann", Rematch())
        machine_clock.now += 0.01
        hosted.journal.release()
    assert len(hosted.later) == 1
    call_later(hosted)
    assert (hosted.clock_stops, hosted.later) == ([], [])


# Closing


def test_a_closed_host_passes_nothing_to_its_rooms() -> None:
    hosted = Hosted(turn_seconds="10", return_seconds=5.0).seat_two()
    before = hosted.journal.changes[:]
    hosted.host.close()
    hosted.ask("bob", Leave(None))
    hosted.disconnect("ann")
    hosted.disconnect("bob")
    hosted.wait(1000.0)
    assert hosted.journal.changes == before


def test_requests_before_the_close_are_committed_and_delivered() -> None:
    hosted = Hosted().seat_two()
    hosted.submit("ann", Play(Cell(3, 5)))
    hosted.host.close()
    assert hosted.take("bob") == [MovePlayed]
    hosted.host.enqueue(hosted.client("bob"), Closed("the server closes"))
    assert hosted.take("bob") == [Closed]


def test_a_close_while_a_commit_is_stuck_keeps_the_order_of_messages() -> None:
    hosted = Hosted().seat_two()
    hosted.journal.is_stuck = True
    hosted.ask("ann", Play(Cell(3, 5)))
    hosted.submit("bob", Play(Cell(3, 4)))
    hosted.host.close()
    hosted.host.enqueue(hosted.client("bob"), Closed("the server closes"))
    hosted.settle()
    assert hosted.take("bob") == []
    hosted.journal.is_stuck = False
    hosted.journal.release()
    assert hosted.take("bob") == [MovePlayed, MovePlayed, Closed]
    later = hosted.restart()
    assert len(later.view().tables[0].moves) == 2


# The lobby


def at(hosted: Hosted) -> dict[str, tuple[str | None, ...]]:
    """Return the players of each table."""
    return {table.name: table.players for table in hosted.view().tables}


def test_a_new_player_is_seated_where_a_player_waits_or_at_the_first_free_table() -> None:
    hosted = Hosted(tables="3")
    for who in ("p1", "p2", "p3", "p4", "p5"):
        hosted.ask(who, Join(who))
    assert at(hosted) == {
        "table-1": ("p1", "p2"),
        "table-2": ("p3", "p4"),
        "table-3": ("p5", None),
    }
    hosted.disconnect("p4")
    hosted.disconnect("p1")
    for who in ("p6", "p7", "p8"):
        hosted.ask(who, Join(who))
    assert at(hosted) == {
        "table-1": ("p6", "p2"),
        "table-2": ("p3", "p7"),
        "table-3": ("p5", "p8"),
    }


def test_a_new_player_is_seated_where_a_player_waits_rather_than_where_only_spectators_are() -> (
    None
):
    hosted = Hosted(tables="2")
    for who in ("p1", "p2", "p3", "p4", "watcher"):
        hosted.ask(who, Join(who))
    for who in ("p1", "p2", "p4"):
        hosted.disconnect(who)
    hosted.ask("p5", Join("p5"))
    assert at(hosted) == {"table-1": (None, None), "table-2": ("p3", "p5")}
    hosted.ask("p6", Join("p6"))
    assert at(hosted)["table-1"] == ("p6", None)


def test_the_number_of_a_closed_table_is_used_again() -> None:
    hosted = Hosted(tables="2")
    for _ in range(3):
        for who in ("p1", "p2", "p3"):
            hosted.ask(who, Join(who))
        assert list(at(hosted)) == ["table-1", "table-2"]
        hosted.disconnect("p3")
        hosted.ask("p4", Join("p4"))
        assert at(hosted)["table-2"] == ("p4", None)
        for who in ("p1", "p2"):
            hosted.disconnect(who)
        hosted.ask("p5", Join("p5"))
        assert at(hosted) == {"table-2": ("p4", "p5")}
        hosted.ask("p6", Join("p6"))
        assert at(hosted)["table-1"] == ("p6", None)
        for who in ("p4", "p5", "p6"):
            hosted.disconnect(who)
        assert at(hosted) == {}


def test_a_full_lobby_admits_spectators_and_then_refuses_further_clients() -> None:
    hosted = Hosted(tables="2", max_spectators="1")
    seats = [hosted.ask(who, Join(who))[0] for who in ("p1", "p2", "p3", "p4", "p5", "p6", "p7")]
    assert [type(notice) for notice in seats] == [Seated] * 6 + [Refused]
    assert [table.spectators for table in hosted.view().tables] == [1, 1]


def test_a_restart_restores_all_tables_and_the_state_of_the_lobby() -> None:
    hosted = Hosted(tables="4", max_spectators="1")
    players = [f"p{number}" for number in range(1, 7)]
    for who in players:
        hosted.ask(who, Join(who))
    hosted.disconnect("p1")
    hosted.disconnect("p2")
    hosted.disconnect("p4")
    later = hosted.restart()
    assert at(later) == {"table-2": ("p3", "p4"), "table-3": ("p5", "p6")}
    assert [table.is_open for table in later.view().tables] == [True, False]
    assert [type(n) for n in later.ask("x", Join("P5"))] == [Refused], "the name is taken"
    assert later.ask("x", Join("p4"))[0] == Seated(Seat.SECOND), "this one is free again"
    assert at(later)["table-2"] == ("p3", "p4")
    later.ask("y", Join("y"))
    assert at(later)["table-1"] == ("y", None)
    later.ask("z", Join("z"))
    later.ask("w", Join("w"))
    assert list(at(later)) == ["table-1", "table-2", "table-3", "table-4"]


def test_players_who_agree_on_terms_are_paired_in_the_order_of_arrival() -> None:
    hosted = Hosted("go-text")
    for who in ("ann", "bob", "cat", "dan", "eve"):
        hosted.ask(who, Arrive())
    assert sorted(hosted.journal.rooms) == ["go-text/1", "go-text/2", "go-text/3"]
    hosted.ask("cat", EndOfInput())
    assert hosted.client("dan").room_name == hosted.client("eve").room_name == "go-text/3"
    assert sorted(hosted.journal.rooms) == ["go-text/1", "go-text/3"]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_spectator_who_joins_again_takes_a_free_seat_at_another_table(restarted: bool) -> None:
    hosted = Hosted(tables="2")
    for who in ("p1", "p2", "p3", "p4", "watcher"):
        hosted.ask(who, Join(who))
    assert hosted.view().tables[0].spectators == 1
    hosted.disconnect("p4")
    if restarted:
        hosted = hosted.restart()
        for who in ("p1", "p2", "p3", "watcher"):
            hosted.ask(who, Join(who))
    seated, turn = hosted.ask("watcher", Join("newname"))
    assert seated == Seated(Seat.SECOND)
    assert isinstance(turn, TurnBegan)
    assert at(hosted)["table-2"] == ("p3", "newname")
    assert hosted.view().tables[0].spectators == 0
    assert hosted.ask("x", Join("watcher"))[0] == Seated(None), "the old name is free"
    assert played(hosted.ask("p3", Play(Cell(3, 5)))) == [Cell(3, 5)]
    assert played(hosted.client("watcher").received) == [Cell(3, 5)]
    assert hosted.client("watcher").room_name == "tttp/2"


def test_T_Q14_a_player_who_joins_again_is_notified_of_its_seat() -> None:
    hosted = Hosted().seat_two()
    assert hosted.ask("bob", Join("another name")) == [Seated(Seat.SECOND)]
    assert at(hosted) == {"table-1": ("ann", "bob")}


def test_chat_from_the_page_does_not_move_its_sender_to_the_table() -> None:
    hosted = Hosted(tables="2")
    for who in ("p1", "p2", "p3"):
        hosted.ask(who, Join(who))
    assert hosted.ask("p3", SpectatorChat("table-1", "p3", "well played")) == [
        ChatSent("p3", "well played")
    ]
    assert hosted.ask("eve", SpectatorChat("table-1", "eve", "hm"))
    hosted.forget()
    hosted.ask("eve", SpectatorChat("table-2", "eve", "hm"))
    assert (hosted.take("p1"), hosted.take("p3")) == ([], [ChatSent])
    assert played(hosted.ask("p3", Play(Cell(3, 5)))) == [Cell(3, 5)]


# Over sockets

JOIN_RED = b"JOIN\x03red"
FRESH = b"UPDT\x01\x00" + bytes(42)
PLAYED = b"UPDT\x02\x00" + bytes(38) + b"\x01" + bytes(3)


class SlowStage(SocketStage):
    """A server over TCP, whose commits become durable when the test says so."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.journal = MemoryJournal()
        self.journal.is_stuck = True
        super().__init__(PROTOCOL, settings)

    async def _open(self, plans: list[DoorPlan]) -> Hall:
        loop = asyncio.get_running_loop()
        hall = Hall(
            plans,
            1,
            self._time,
            loop.call_soon,
            lambda _, run: loop.call_later(3600, run),
            journal=self.journal,
        )
        [(_, address)] = await hall.open("127.0.0.1")
        self.port = int(address.rsplit(":", 1)[1])
        self._ports = {PROTOCOL.name: self.port}
        return hall

    def release(self) -> None:
        """Make all commits so far durable."""
        self._runner.run(self._release())
        self._settle()

    async def _release(self) -> None:
        self.journal.release()

    def close(self) -> None:
        self.journal.is_stuck = False
        self.release()
        super().close()

    def is_reading(self) -> bool:
        [connection] = self.hall._doors[0]._connections
        return connection._transport.is_reading()


OpenStage = Callable[..., SlowStage]


@pytest.fixture
def open_stage(stages: ExitStack) -> OpenStage:
    def open_stage(**settings: str) -> SlowStage:
        named = {name.replace("_", "-"): value for name, value in settings.items()}
        return stages.enter_context(closing(SlowStage(named)))

    return open_stage


def test_nothing_is_sent_before_it_is_durable(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    assert stage.journal.length == 1
    assert stage.unread() == {}
    stage.release()
    assert stage.read("red", 53) == b"JOIN\x01" + FRESH


def test_requests_in_one_segment_are_answered_one_by_one_and_in_order(
    open_stage: OpenStage,
) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED + b"PLAY\x03\x00" + b"RMCH")
    for number, answer in enumerate([b"JOIN\x01" + FRESH, PLAYED, FRESH], 1):
        assert stage.journal.length == number, "the next is not read before this one is answered"
        assert stage.unread() == {}
        stage.release()
        assert stage.read("red", len(answer)) == answer
    assert stage.journal.length == 3
    assert stage.unread() == {}


def test_a_client_that_waits_for_an_answer_is_not_read_from(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    stage.send("red", b"PLAY\x03\x00")
    assert not stage.is_reading()
    stage.send("red", b"RMCH")
    assert stage.journal.length == 1
    for _ in range(3):
        stage.release()
    assert stage.is_reading()
    expected = b"JOIN\x01" + FRESH + PLAYED + FRESH
    assert stage.read("red", len(expected)) == expected


def test_an_end_of_input_during_a_wait_is_handled_after_the_requests_before_it(
    open_stage: OpenStage,
) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED + b"PLAY\x03\x00")
    stage.hang_up("red")
    assert stage.journal.length == 1
    for _ in range(3):
        stage.release()
    expected = b"JOIN\x01" + FRESH + PLAYED
    assert stage.read("red", len(expected)) == expected
    assert stage.is_closed("red")


def test_X_09_waiting_for_answers_does_not_raise_the_limit_of_messages_per_second(
    open_stage: OpenStage,
) -> None:
    stage = open_stage(messages_per_second="20")
    stage.send("red", JOIN_RED + b"RMCH" * 50)
    for _ in range(10):
        stage.release()
    heard = stage.journal.length
    assert heard <= 3, "a tenth of a second's worth at once"
    stage.wait(0.5)
    for _ in range(20):
        stage.release()
        stage.wait(0.0)
    assert heard < stage.journal.length <= heard + 12


def test_a_waiting_client_does_not_delay_others(open_stage: OpenStage) -> None:
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


def test_a_rematch_that_is_not_durable_is_not_seen(open_stage: OpenStage) -> None:
    stage = open_stage()
    stage.send("red", JOIN_RED)
    stage.release()
    stage.send("red", b"PLAY\x03\x00")
    stage.release()
    assert stage.read("red", 101) == b"JOIN\x01" + FRESH + PLAYED
    stage.send("red", b"RMCH")
    stage.send("eve", b"JOIN\x03eve")
    assert stage.unread() == {}
    assert stage.journal.length == 4

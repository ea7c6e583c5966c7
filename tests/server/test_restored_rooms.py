"""Rooms that are restored from their journals after a restart, and compact journals."""

from typing import Any

import pytest

from gamehall.core import Seat
from gamehall.games.ascension import EndTurn
from gamehall.games.connect_four import Cell
from gamehall.games.go import Pass
from gamehall.match import Clock, Ending, MatchEnded, TurnBegan
from gamehall.rooms.journal import JournalError
from gamehall.rooms.notices import (
    Closed,
    Refused,
    Seated,
    SignedUp,
    Snapshot,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
    TournamentBegan,
)
from gamehall.rooms.requests import (
    Answer,
    Arrive,
    ClientPolicy,
    Confirm,
    EndOfInput,
    Join,
    Leave,
    Look,
    PlannedMove,
    Play,
    Rematch,
    Request,
    Submit,
)
from gamehall.rooms.room import Peer
from gamehall.server.hosted_room import ENTRIES_TO_COMPACT
from tests.server.connect_four_requests import RED_WINS, play_out, played
from tests.support.hosted import Hosted, MemoryJournal, only
from tests.support.journal_changes import Begin, Close

# After a restart


def test_a_restored_room_is_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    hosted = Hosted().seat_two()
    hosted.ask("ann", Play(Cell(3, 5)))
    later = hosted.restart()
    assert "tttp: restored; waiting for 2 players to reconnect" in caplog.text
    seated, turn = later.ask("bob", Join("bob"))
    assert seated == Seated(Seat.SECOND)
    assert isinstance(turn, TurnBegan)
    assert turn.seat is Seat.SECOND
    assert later.client("bob").peer == Peer(2)
    assert later.client("new").peer > Peer(2), "numbers are not used again"
    assert played(later.ask("bob", Play(Cell(3, 4)))) == [Cell(3, 4)]


def test_requests_that_were_not_durable_at_a_crash_have_no_effect() -> None:
    hosted = Hosted().seat_two()
    hosted.journal.is_stuck = True
    hosted.ask("ann", Play(Cell(3, 5)))
    later = hosted.restart()
    assert later.view().tables[0].moves == ()


def test_a_room_continues_in_the_same_journal_after_every_crash() -> None:
    hosted = Hosted().seat_two()
    for number in range(4):
        hosted = hosted.restart(1000.0 * number)
        for who in ("ann", "bob"):
            hosted.ask(who, Join(who))
        hosted.ask(("ann", "bob")[number % 2], Play(Cell(3, 5 - number)))
    assert sum(isinstance(change, Begin) for change in hosted.journal.changes) == 1
    assert len(hosted.view().tables[0].moves) == 4


def test_the_clock_of_a_restored_room_is_stopped_until_all_players_are_back() -> None:
    hosted = Hosted(turn_seconds="10").seat_two()
    hosted.now += 1.0
    hosted.ask("ann", Play(Cell(3, 5)))
    later = hosted.restart()
    later.wait(20.0)
    later.ask("ann", Join("ann"))
    later.wait(35.0)
    assert later.view().tables[0].result is None, "Bob's turn is not over: the clock stands"
    later.ask("bob", Join("bob"))
    assert later.view().tables[0].deadline == 1055.0 + 10.25
    later.forget()
    later.wait(10.25)
    assert later.take("bob") == [MatchEnded]
    [record] = later.journal.records
    assert record.result.ending is Ending.OUT_OF_TIME
    assert record.moves[0].seconds == 1.0


def test_a_turn_of_a_player_without_a_name_has_all_its_time_after_a_restart() -> None:
    hosted = Hosted("ascension-http", turn_timeout="10")
    hosted.ask("ann", Join(""))
    hosted.ask("bob", Join(""))
    before = hosted.journal.length
    hosted.ask("bob", Submit(Seat.SECOND, (PlannedMove(EndTurn()),)))
    assert hosted.journal.length == before, "it is not its turn, so nothing has changed"
    later = hosted.restart()
    assert later.view().tables[0].deadline == 1000.0 + 10.25


def test_a_restored_tournament_continues_with_its_time_and_players() -> None:
    policy = ClientPolicy(clock=Clock(5.0))
    hosted = Hosted("santorini-tournament", players="2")
    for who in ("ann", "bob"):
        hosted.ask(who, Join(who, policy))
    later = hosted.restart(500.0)
    later.wait(50.0)
    heard = [type(notice) for notice in later.ask("ann", Join("ann", policy))]
    assert SignedUp in heard, "its session would take it for a client that did not join in time"
    assert TournamentBegan in heard
    assert later.view().tables[0].deadline == pytest.approx(550.0 + 5.25)
    later.wait(1.0)
    later.ask("bob", Join("bob", policy))
    assert later.view().tables[0].deadline == pytest.approx(550.0 + 5.25)


def test_the_clock_starts_again_when_a_player_has_not_returned_in_time() -> None:
    settings: dict[str, Any] = {"turn_seconds": "10", "on_leave": "award"}
    hosted = Hosted(**settings).seat_two()
    later = hosted.restart()
    later.ask("bob", Join("bob"))
    later.wait(59.9)
    assert MatchEnded not in later.take("bob")
    later.wait(0.1)
    ended = only(later.client("bob").received, MatchEnded)
    assert ended.result.winner is Seat.SECOND
    assert len(later.journal.records) == 1


def test_a_restored_room_gives_up_its_players_even_if_no_client_connects() -> None:
    hosted = Hosted().seat_two()
    later = hosted.restart()
    before = later.journal.changes[:]
    later.wait(59.0)
    assert later.journal.changes == before
    assert not later.host.is_over()
    later.wait(2.0)
    assert len(later.journal.records) == 1
    assert later.host.is_over()
    assert later.journal.rooms == {}


def play_go(hosted: Hosted, arrival: Arrive | Join = Arrive()) -> None:  # noqa: B008 - a value
    """Let Ann and Bob agree on a game of Go, in which Ann passes."""
    for who in ("ann", "bob"):
        hosted.ask(who, arrival)
    for text in ("9", "black", "0", "6.5"):
        hosted.ask("ann", Answer(None, text))
    for who in ("ann", "bob"):
        hosted.ask(who, Confirm(agrees=True))
    hosted.ask("ann", Play(Pass()))


def test_a_match_of_players_who_cannot_be_recognised_is_cancelled_once() -> None:
    hosted = Hosted("go-text")
    play_go(hosted)
    later = hosted.restart()
    assert [record.result.ending for record in later.journal.records] == [Ending.CANCELLED]
    assert later.view().tables == ()
    again = later.restart(2000.0)
    assert len(again.journal.records) == 1
    assert again.journal.rooms == {}
    assert [type(notice) for notice in again.ask("cat", Arrive())] == [TermsQuestion]


def test_a_thousand_tables_are_restored_with_the_time_that_each_player_had_left() -> None:
    tables = range(1000)
    hosted = Hosted(tables="1000", turn_seconds="60", grace_ms="0")
    for number in tables:
        for who in ("ann", "bob"):
            hosted.ask(f"{who}{number}", Join(f"{who}{number}"))
        hosted.ask(f"ann{number}", Play(Cell(3, 5)))
    for number in tables:
        hosted.now += 0.05
        # An illegal move is journaled, so what it took to think of it is known after a restart.
        hosted.ask(f"bob{number}", Play(Cell(3, 5)))
    later = hosted.restart(5000.0)
    assert len(later.view().tables) == len(tables)
    assert all(table.deadline is None for table in later.view().tables), "no player is back yet"
    later.now += 20.0
    for number in tables:
        for who in ("ann", "bob"):
            assert only(later.ask(f"{who}{number}", Join(f"{who}{number}")), Seated).seat
    left = [table.deadline - later.now for table in later.view().tables if table.deadline]
    assert left == pytest.approx([60.0 - 0.05 * (number + 1) for number in tables])


STAGES_OF_GO: dict[str, tuple[int, list[type]]] = {
    "asked about the terms": (2, [TermsQuestion]),
    "proposed the terms": (6, [TermsProposed]),
    "playing": (9, [TermsProposed, TermsAgreed, TurnBegan]),
}
"""After how many requests of `play_go` the server ends, and the notices when Ann returns."""


@pytest.mark.parametrize(("requests", "heard"), STAGES_OF_GO.values(), ids=STAGES_OF_GO)
def test_X_07_a_player_with_a_token_comes_back_to_go_after_a_restart(
    requests: int, heard: list[type]
) -> None:
    """At a go-text door players have no names; pages have names and tokens."""
    hosted = Hosted("go-text", turn_seconds="10")
    for who in ("ann", "bob"):
        hosted.client(who, token=f"token of {who}")
    steps: list[tuple[str, Request[Any]]] = [
        *((who, Join(who)) for who in ("ann", "bob")),
        *(("ann", Answer(None, text)) for text in ("9", "black", "0", "6.5")),
        *((who, Confirm(agrees=True)) for who in ("ann", "bob")),
        ("ann", Play(Pass())),
    ]
    for who, request in steps[:requests]:
        hosted.ask(who, request)
    later = hosted.restart()
    assert later.journal.records == []
    later.wait(30.0)
    for who in ("bob", "ann"):
        later.client(who, token=f"token of {who}")
    later.ask("bob", Join("bob"))
    assert [type(notice) for notice in later.ask("ann", Join("ann"))] == heard
    for who, request in steps[requests:]:
        later.ask(who, request)
    [table] = later.view().tables
    assert table.moves == ((Seat.FIRST, Pass()),)
    assert table.players == ("ann", "bob")
    later.ask("bob", Play(Pass()))
    assert [record.result.ending for record in later.journal.records] == [Ending.PLAYED_OUT]


def test_X_07_a_player_who_does_not_return_to_go_has_lost() -> None:
    hosted = Hosted("go-text")
    for who in ("ann", "bob"):
        hosted.client(who, token=f"token of {who}")
    play_go(hosted, Join("x"))
    later = hosted.restart()
    later.client("ann", token="token of ann")
    later.ask("ann", Join("x"))
    later.wait(61.0)
    [record] = later.journal.records
    assert (record.result.winner, record.result.ending) == (Seat.FIRST, Ending.LEFT)
    assert later.journal.rooms == {}


def test_a_room_with_other_settings_is_empty_and_the_old_journal_is_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hosted = Hosted("go-text")
    play_go(hosted)
    other = hosted.restart(scoring="area")
    assert "go-text: games that began with other settings wait" in caplog.text
    assert other.view().tables == ()
    assert other.journal.records == []
    again = Hosted("go-text", other.journal.after_a_crash(), 2000.0)
    assert len(again.journal.records) == 1


def test_a_journal_that_cannot_be_read_says_what_to_do() -> None:
    hosted = Hosted().seat_two()
    [stored] = hosted.journal.rooms.values()
    hosted.journal.append(stored.key, b'[1.0,1,{"type":"Dance"}]', ())
    with pytest.raises(JournalError, match=r"journal of the room tttp/1 cannot be read.*--fresh"):
        Hosted(journal=MemoryJournal(hosted.journal.changes), now=1000.0)


def test_a_restored_room_does_not_wait_for_clients_that_were_refused_or_disconnected() -> None:
    hosted = Hosted().seat_two()
    hosted.ask("cat", Join("ann"))
    hosted.ask("bob", EndOfInput())
    later = hosted.restart()
    assert [member.name for member in later.host._presence.members.values()] == ["ann"]


def test_a_restored_room_does_not_wait_for_a_spectator_who_had_ended_its_input() -> None:
    """Another client may have its name then, and must be recognised."""
    hosted = Hosted(turn_seconds="10").seat_two()
    hosted.ask("old", Join("cat"))
    hosted.ask("old", EndOfInput())
    hosted.ask("cat", Join("cat"))
    later = hosted.restart()
    assert later.view().tables[0].spectators == 1
    for who in ("ann", "bob", "cat"):
        assert isinstance(later.ask(who, Join(who))[0], Seated)
    assert later.view().tables[0].deadline is not None, "all players are back"


def test_a_restart_closes_a_table_whose_members_had_all_ended_their_input(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hosted = Hosted().seat_two()
    hosted.ask("cat", Join("cat"))
    hosted.ask("cat", EndOfInput())
    hosted.disconnect("ann")
    hosted.disconnect("bob")
    assert hosted.journal.rooms
    later = hosted.restart()
    assert later.journal.rooms == {}
    assert later.host._presence.members == {}
    assert later.ask("cat", Join("cat"))[0] == Seated(Seat.FIRST)
    later.wait(61.0)
    assert "an error at a deadline" not in caplog.text


def test_a_secret_is_asked_for_after_a_restart_as_well() -> None:
    hosted = Hosted()
    hosted.ask("ann", Join("ann", secret="a secret"))
    hosted.ask("bob", Join("bob"))
    later = hosted.restart()
    assert [type(notice) for notice in later.ask("cat", Join("ann"))] == [Refused]
    heard = later.ask("dan", Join("ann", secret="a secret"))
    assert [type(notice) for notice in heard] == [Seated, TurnBegan]


def test_A_Q34_a_player_with_a_key_has_its_seat_after_a_restart() -> None:
    hosted = Hosted("ascension-http", tokens="true")
    [joined] = hosted.ask("ann", Join("", secret="key"))
    later = hosted.restart()
    assert later.ask("cat", Join("", secret="key")) == [joined]


def test_A_Q21_the_result_is_shown_after_each_restart_until_the_next_game() -> None:
    settings: dict[str, Any] = {"turn_timeout": "10", "grace_ms": "0"}
    hosted = Hosted("ascension-http", **settings)
    hosted.ask("ann", Join(""))
    hosted.ask("bob", Join(""))
    hosted.wait(10.0)
    shown = only(hosted.ask("cat", Look()), Snapshot)
    assert shown.result is not None
    for number in range(1, 4):
        hosted = hosted.restart(1000.0 * number)
        assert hosted.ask("cat", Look()) == [shown]
        hosted.now += 1.0
        # The room's clock continues where it was: the time between does not count.
        assert isinstance(hosted.ask("cat", Join(""))[0], Refused)
    hosted.now += 9.0
    assert hosted.ask("cat", Join("")) == [Seated(Seat.FIRST)]
    again = hosted.restart(4000.0)
    assert only(again.ask("dan", Look()), Snapshot).players == 1
    assert again.ask("dan", Join("")) == [Seated(Seat.SECOND)]
    assert len(again.journal.records) == 1


def test_a_server_with_a_single_tournament_is_over_when_that_has_ended() -> None:
    """Otherwise a server that is started again for it would wait for its end forever."""
    settings: dict[str, Any] = {"players": "2", "once": "true"}
    hosted = Hosted("santorini-tournament", **settings).seat_two()
    hosted.ask("ann", Leave("fault"))
    hosted.ask("bob", Leave("fault"))
    later = hosted.restart()
    assert later.host.is_over()
    assert [type(notice) for notice in later.ask("cat", Join("cat"))] == [Closed]


# Compaction


def test_the_journal_of_a_table_that_is_used_all_day_stays_short() -> None:
    hosted = Hosted(tables="2").seat_two()
    hosted.ask("cat", Join("cat"))
    hosted.ask("dan", Join("dan"))
    longest = 0
    for _ in range(60):
        play_out(hosted)
        hosted.ask("bob", Rematch())
        longest = max(longest, len(hosted.entries("tttp/1")))
    assert longest <= ENTRIES_TO_COMPACT + len(RED_WINS) + 1
    assert len(hosted.entries("tttp/1")) < 60 * 8
    before = hosted.view().tables[0]
    later = hosted.restart()
    for who in ("ann", "bob", "cat", "dan"):
        assert isinstance(later.ask(who, Join(who))[0], Seated)
    after = later.view().tables[0]
    assert (after.players, after.match) == (before.players, before.match)
    for journaled in (hosted, later):
        play_out(journaled)
    assert hosted.journal.records[-1].seed == later.journal.records[-1].seed
    assert len(later.journal.records) == 61


def test_a_lost_player_may_return_to_a_table_whose_journal_was_compacted() -> None:
    hosted = Hosted(return_seconds=30.0).seat_two()
    hosted.ask("cat", Join("cat"))
    for _ in range(ENTRIES_TO_COMPACT):
        hosted.ask("ann", Rematch())
    assert len(hosted.entries("tttp/1")) < 10
    hosted.disconnect("ann")
    later = hosted.restart()
    assert later.ask("new", Join("ann"))[0] == Seated(Seat.FIRST)
    assert later.ask("bob", Join("bob"))[0] == Seated(Seat.SECOND)
    assert later.ask("cat", Join("cat"))[0] == Seated(None)


def test_an_empty_table_is_closed_with_its_journal() -> None:
    hosted = Hosted(tables="2")
    for who in ("ann", "bob", "cat"):
        hosted.ask(who, Join(who))
    assert sorted(hosted.journal.rooms) == ["tttp/1", "tttp/2"]
    before = hosted.view().version
    hosted.disconnect("ann")
    assert sorted(hosted.journal.rooms) == ["tttp/1", "tttp/2"]
    hosted.disconnect("bob")
    assert sorted(hosted.journal.rooms) == ["tttp/2"]
    assert isinstance(hosted.journal.changes[-1], Close)
    assert hosted.view().version > before
    assert hosted.host.timers.next_deadline() is None


def test_versions_stay_small_when_many_tables_open_and_close() -> None:
    """Browsers compare them as numbers of 53 bits."""
    hosted = Hosted()
    versions = [hosted.view().version]
    tables = [0]
    for _ in range(100):
        hosted.ask("ann", Join("ann"))
        versions.append(hosted.view().version)
        tables.append(hosted.view().tables[0].version)
        hosted.disconnect("ann")
        versions.append(hosted.view().version)
    assert versions == sorted(set(versions))
    assert tables == sorted(set(tables))
    assert versions[-1] < 10_000

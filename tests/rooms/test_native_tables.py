"""Open tables with native clients (pages and house bots) and wire clients."""

from typing import Any

import pytest

from gamehall.clients.local import LocalClient
from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Ending, MatchEnded, MovePlayed, TurnBegan
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.negotiated_table import NegotiatedLobby
from gamehall.rooms.notices import Closed, PlayersChanged, Refusal, Refused, Seated, SeatInfo
from gamehall.rooms.requests import (
    Arrive,
    ClientPolicy,
    Join,
    Play,
    ProposedTerms,
    Rematch,
    Request,
    Resign,
)
from gamehall.rooms.terms import TableTerms
from tests.support.hosted import Hosted, MemoryJournal

NATIVE = ClientPolicy(native=True)


def native(name: str, **wants: Any) -> Join:
    return Join(name, NATIVE, **wants)


def lobby(journal: MemoryJournal | None = None, now: float = 100.0) -> Hosted:
    """Return the host of a door with one table."""
    return Hosted(
        journal=journal,
        now=now,
        make_room=lambda _: OpenLobby(ConnectFour(), TableTerms(), NameRules(), 1),
    )


def notices_to(hosted: Hosted, who: str, kind: type) -> list[Any]:
    return [notice for notice in hosted.client(who).received if isinstance(notice, kind)]


def last_players(hosted: Hosted, who: str) -> PlayersChanged:
    last: PlayersChanged = notices_to(hosted, who, PlayersChanged)[-1]
    return last


def play_out(hosted: Hosted, first: str, second: str) -> None:
    """Play until the first player has won."""
    for row in range(5, 2, -1):
        hosted.ask(first, Play(Cell(0, row)))
        hosted.ask(second, Play(Cell(1, row)))
    hosted.ask(first, Play(Cell(0, 2)))


def test_a_native_player_always_gets_a_table_that_is_not_one_of_the_door() -> None:
    hosted = lobby()
    for number in range(7):
        hosted.ask(f"p{number}", native(f"p{number}"))
        [seated] = notices_to(hosted, f"p{number}", Seated)
        assert seated.seat is (Seat.SECOND if number % 2 else Seat.FIRST)
    hosted.ask("last", native("last"))
    assert hosted.ask("a", Join("a"))[0] == Seated(Seat.FIRST), "the table of the door is free"
    hosted.ask("b", Join("b"))
    assert hosted.ask("c", Join("c"))[0] == Seated(None), "a door with one table has one"
    assert last_players(hosted, "p0").table == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [(native("ann"), Join("bob")), (Join("ann"), native("bob")), (native("ann"), native("bob"))],
)
def test_a_waiting_player_from_any_door_is_the_opponent(first: Join, second: Join) -> None:
    hosted = lobby()
    hosted.ask("a", first)
    hosted.ask("b", second)
    [table] = hosted.view().tables
    assert table.players == ("ann", "bob")


def test_native_clients_are_told_the_players_and_wire_clients_are_not() -> None:
    hosted = lobby()
    hosted.ask("a", native("ann"))
    ann = SeatInfo(name="ann", is_native=True)
    assert last_players(hosted, "a") == PlayersChanged(2, (ann, None))
    hosted.ask("b", Join("bob"))
    changed = last_players(hosted, "a")
    assert changed.players == (ann, SeatInfo(name="bob"))
    assert changed.match == hosted.view().tables[0].match is not None
    assert not notices_to(hosted, "b", PlayersChanged)
    hosted.disconnect("b")
    assert last_players(hosted, "a").players == (ann, None)


def test_a_native_player_may_not_move_before_there_is_an_opponent() -> None:
    hosted = lobby()
    hosted.ask("a", native("ann"))
    assert hosted.ask("a", Play(Cell(0, 5))) == []
    hosted.ask("b", Join("bob"))
    assert isinstance(hosted.ask("a", Play(Cell(0, 5)))[0], MovePlayed)


def test_a_private_table_is_reserved_for_the_bot_that_was_called() -> None:
    hosted = lobby()
    hosted.ask("a", native("ann", is_private=True))
    table = last_players(hosted, "a").table
    assert not hosted.host.waiting_tables("tttp")
    hosted.ask("b", native("bob"))
    assert last_players(hosted, "b").table != table
    hosted.ask("c", Join("cyd"))
    assert hosted.view().tables[0].players[0] == "ann"
    assert hosted.view().tables[0].players[1] is None
    full = [Refused(Refusal.FULL)]
    assert hosted.ask("d", native("dan", table=table)) == full, "naming the table is not enough"
    hosted.ask("bot", native("greedy", table=table, bot="greedy"))
    changed = last_players(hosted, "a")
    assert [info and info.name for info in changed.players] == ["ann", "greedy"]
    assert hosted.ask("e", native("eve", table=table)) == full
    assert hosted.ask("f", native("fay", table=77)) == full, "there is no such table"


@pytest.mark.parametrize("door", ["tttp", "go-text", "ascension-http"])
def test_a_called_bot_gets_the_seat_that_no_other_player_may_take(door: str) -> None:
    hosted = Hosted(door)
    terms = {"terms": ProposedTerms({"size": 9})} if door == "go-text" else {}
    hosted.ask("a", native("ann", is_private=True, **terms))
    table = last_players(hosted, "a").table
    assert hosted.ask("b", native("bob", table=table)) == [Refused(Refusal.FULL)]
    hosted.ask("bot", native("random", table=table, bot="random"))
    assert {info and info.name for info in last_players(hosted, "a").players} == {"ann", "random"}


@pytest.mark.parametrize("door", ["tttp", "go-text", "ascension-http"])
def test_a_player_who_waits_may_have_the_free_seat_reserved_for_a_bot(door: str) -> None:
    hosted = Hosted(door)
    terms = {"terms": ProposedTerms({"size": 9})} if door == "go-text" else {}
    hosted.ask("a", native("ann", **terms))
    before = last_players(hosted, "a").table
    hosted.ask("a", native("ann", table=before, is_private=True, **terms))
    table = last_players(hosted, "a").table
    assert hosted.ask("b", native("bob", table=table)) == [Refused(Refusal.FULL)]
    hosted.ask("c", native("cat", **terms))
    assert last_players(hosted, "c").table != table
    hosted.ask("d", Arrive() if door == "go-text" else Join("dan"))
    assert [info and info.name for info in last_players(hosted, "a").players].count(None) == 1
    restored = Hosted(door, journal=hosted.journal)
    assert restored.ask("b", native("bob", table=table)) == [Refused(Refusal.FULL)]
    hosted.ask("bot", native("random", table=table, bot="random"))
    assert {info and info.name for info in last_players(hosted, "a").players} == {"ann", "random"}


def test_a_rematch_of_native_players_needs_both_and_swaps_their_seats() -> None:
    hosted = lobby()
    hosted.ask("a", native("ann"))
    hosted.ask("b", native("bob"))
    hosted.ask("a", Rematch())
    assert not any(info and info.wants_rematch for info in last_players(hosted, "b").players)
    play_out(hosted, "a", "b")
    hosted.forget()
    hosted.ask("a", Rematch())
    [asked] = notices_to(hosted, "b", PlayersChanged)
    assert [info.wants_rematch for info in asked.players] == [True, False]
    hosted.ask("b", Rematch())
    assert notices_to(hosted, "a", Seated) == [Seated(Seat.SECOND)]
    assert notices_to(hosted, "b", Seated) == [Seated(Seat.FIRST)]
    assert notices_to(hosted, "a", TurnBegan)[-1].seat is Seat.FIRST
    play_out(hosted, "b", "a")
    first, second = hosted.journal.records[-2:]
    assert (first.players, second.players) == (("ann", "bob"), ("bob", "ann"))
    later = lobby(hosted.journal.after_a_crash(), 1000.0)
    [table] = later.view().tables
    assert table.players == ("bob", "ann")


def test_T_Q10_with_a_wire_client_rematches_follow_the_rules_of_its_protocol() -> None:
    hosted = lobby()
    hosted.ask("a", native("ann"))
    hosted.ask("b", Join("bob"))
    hosted.ask("a", Play(Cell(0, 5)))
    hosted.forget()
    hosted.ask("b", Rematch())
    assert notices_to(hosted, "a", TurnBegan)[-1].position == ConnectFour().start(0)
    assert not notices_to(hosted, "a", Seated)


@pytest.mark.parametrize(
    ("opponent", "ending"), [(native("bob"), Ending.LEFT), (Join("bob"), Ending.CANCELLED)]
)
def test_a_player_who_leaves_a_native_opponent_loses(opponent: Join, ending: Ending) -> None:
    """T-Q12: at a table with a client of the document the match is cancelled."""
    hosted = lobby()
    hosted.ask("a", native("ann"))
    hosted.ask("b", opponent)
    hosted.disconnect("a")
    [ended] = notices_to(hosted, "b", MatchEnded)
    assert ended.result.ending is ending
    assert ended.result.winner is (Seat.SECOND if ending is Ending.LEFT else None)


def test_a_native_player_may_resign() -> None:
    hosted = lobby()
    hosted.ask("a", native("ann"))
    assert hosted.ask("a", Resign()) == [], "there is nothing to resign"
    hosted.ask("b", Join("bob"))
    hosted.ask("a", Resign())
    [ended] = notices_to(hosted, "b", MatchEnded)
    assert (ended.result.winner, ended.result.ending) == (Seat.SECOND, Ending.RESIGNED)
    assert ended.result.detail == "ann resigned"
    hosted.forget()
    hosted.ask("a", Resign())
    assert not notices_to(hosted, "b", MatchEnded)


@pytest.mark.parametrize("request_", [Rematch(), Resign(), Play(Cell(0, 5))])
def test_a_newcomer_does_not_clear_a_finished_game_of_native_players(
    request_: Request[Cell],
) -> None:
    """A player who stays at the result is not seated again until it asks for a rematch."""
    hosted = lobby()
    hosted.ask("a", native("ann"))
    hosted.ask("b", native("bob"))
    play_out(hosted, "a", "b")
    hosted.disconnect("b")
    hosted.ask("c", native("cyd"))
    assert [table.players for table in hosted.view().tables] == [("ann", "bob"), ("cyd", None)]
    hosted.disconnect("c")
    hosted.ask("a", request_)
    hosted.ask("d", native("dan"))
    names = [table.players for table in hosted.view().tables]
    is_cleared = request_ == Rematch()
    assert names == ([("ann", "dan")] if is_cleared else [("ann", "bob"), ("dan", None)])


@pytest.mark.parametrize("others", [("dan", "eve"), ("eve", "dan")], ids=" and ".join)
def test_newcomers_are_seated_after_several_tables_have_ended_at_the_same_time(
    others: tuple[str, str],
) -> None:
    hosted = Hosted("go-text")

    def enter(name: str, seconds: float = 300.0) -> LocalClient:
        client = LocalClient(
            hosted.host, "go-text", heard[name].append, name, NATIVE, return_seconds=seconds
        )
        client.submit(Join(name))
        hosted.settle()
        return client

    heard: dict[str, list[Any]] = {name: [] for name in ("ann", "bob", "cat", *others)}
    ann, _, cat = enter("ann"), enter("bob"), enter("cat")
    for one in (ann, cat):
        one.lose()
    hosted.settle()
    # Both tables end at the same time, and bob is transferred from one of them to the other.
    hosted.wait(300.0)
    assert not any(isinstance(notice, Closed) for notice in heard["bob"])
    assert heard["bob"][-1].players[0].name == "bob"
    for name in others:
        enter(name)
        assert any(isinstance(notice, PlayersChanged) for notice in heard[name])
    assert hosted.ask("wire", Arrive()) == []
    assert isinstance(hosted.room.room, NegotiatedLobby)
    assert set(hosted.room.room._tables) == set(hosted.room.tables)

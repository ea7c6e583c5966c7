"""Rooms that raise exceptions, and how the host restores them."""

from typing import Any

import pytest

from gamehall.core import Seat, SeededRandom
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Clock, MatchEnded, TurnBegan
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import Closed, Refused, Seated
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.requests import BadAnswer, Join, Leave, Play, Pong, Request
from gamehall.rooms.room import Peer, Reaction
from gamehall.rooms.terms import TableTerms
from gamehall.server.hosted_room import HostedRoom
from tests.server.connect_four_requests import column, played
from tests.support.hosted import Hosted, MakeRoom


class Faults:
    """The errors of a fragile room."""

    def __init__(self) -> None:
        self.fails_always = False
        self.ticks_that_fail = 0


class FragileTable(OpenTable[Cell]):
    """Fails at a bad answer, and whenever `Faults` says so."""

    faults = Faults()

    def handle(self, peer: Peer, request: Request[Cell], now: float) -> Reaction[Cell]:
        is_poison = isinstance(request, Join) and request.name == "poison"
        if self.faults.fails_always or is_poison or isinstance(request, BadAnswer):
            # It is not as it was before it failed.
            super().handle(peer, Leave(None), now)
            raise RuntimeError("a planted error")
        return super().handle(peer, request, now)

    def tick(self, now: float) -> Reaction[Cell]:
        if self.faults.ticks_that_fail:
            self.faults.ticks_that_fail -= 1
            raise RuntimeError("a planted error")
        return super().tick(now)


class FragileLobby(OpenLobby[Cell]):
    """Opens fragile tables, and fails at a bad answer."""

    def __init__(self, faults: Faults, terms: TableTerms) -> None:
        super().__init__(ConnectFour(), terms, NameRules(), tables=3)
        self._faults = faults

    def open_table(self, number: int, random: SeededRandom) -> FragileTable:
        table = FragileTable(number, self._game, self._terms, random)
        table.faults = self._faults
        return table

    def handle(self, peer: Peer, request: Request[Cell], now: float) -> Reaction[Cell]:
        if isinstance(request, BadAnswer):
            raise RuntimeError("a planted error")  # noqa: TRY004 - it is no error of the type
        return super().handle(peer, request, now)


def fragile(faults: Faults, terms: TableTerms | None = None) -> MakeRoom:
    return lambda _: FragileLobby(faults, terms or TableTerms())


def fragile_with_four(**hosting: Any) -> tuple[Hosted, Faults]:
    """Seat Ann and Bob at one table, where Ann has moved, and Cat and Dan at another."""
    faults = Faults()
    hosted = Hosted(make_room=fragile(faults), **hosting)
    for who in ("ann", "bob", "cat", "dan"):
        hosted.ask(who, Join(who))
    hosted.ask("ann", Play(Cell(3, 5)))
    hosted.forget()
    return hosted, faults


def test_a_room_that_fails_is_rebuilt_and_drops_only_the_client_whose_request_failed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hosted, _ = fragile_with_four()
    before = hosted.view()
    assert [type(notice) for notice in hosted.ask("bob", BadAnswer("poison"))] == [Closed]
    assert [hosted.take(who) for who in ("ann", "cat", "dan")] == [[], [], []]
    assert "tttp/1: rebuilt from its journal" in caplog.text
    after = hosted.view()
    assert after.version > before.version
    assert after.tables[0].moves == before.tables[0].moves
    hosted.disconnect("bob")
    assert hosted.take("ann") == [MatchEnded]
    assert played(hosted.ask("cat", Play(Cell(2, 5)))) == [Cell(2, 5)]


def test_a_client_whose_request_to_join_failed_at_a_table_is_dropped_too() -> None:
    hosted, _ = fragile_with_four(return_seconds=30.0)
    assert [type(notice) for notice in hosted.ask("eve", Join("poison"))] == [Closed]
    hosted.disconnect("eve")
    names = {member.name for member in hosted.host._presence.members.values()}
    assert names == {"ann", "bob", "cat", "dan"}, "no seat is kept for a client without one"
    assert hosted.view().tables[0].spectators == 0
    assert [hosted.take(who) for who in ("ann", "bob", "cat", "dan")] == [[]] * 4
    seated = hosted.ask("fay", Join("fay"))[0]
    assert seated == Seated(Seat.FIRST), "at the third table, which is free"


def test_a_room_whose_deadline_fails_once_is_rebuilt_without_dropping_clients() -> None:
    faults = Faults()
    terms = TableTerms(clock=Clock(10.0, 0.0))
    hosted = Hosted(make_room=fragile(faults, terms)).seat_two()
    faults.ticks_that_fail = 1
    hosted.wait(10.0)
    assert hosted.take("ann") == hosted.take("bob") == []
    hosted.wait(0.1)
    assert hosted.take("ann") == hosted.take("bob") == [MatchEnded]


def test_a_room_that_cannot_be_rebuilt_is_reset_and_its_clients_are_disconnected(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hosted, faults = fragile_with_four(return_seconds=30.0)
    before = hosted.view()
    hosted.ask("eve", Join("eve"))
    hosted.disconnect("bob")
    faults.fails_always = True
    hosted.ask("ann", Play(Cell(3, 4)))
    faults.fails_always = False
    assert "tttp/1: reset; its clients are disconnected" in caplog.text
    assert Closed in hosted.take("ann")
    assert hosted.take("eve") == [Seated, TurnBegan], "she plays at the third table"
    assert hosted.take("cat") == hosted.take("dan") == []
    assert sorted(hosted.journal.rooms) == ["tttp/2", "tttp/3"]
    assert hosted.view().version > before.version
    assert hosted.ask("new", Join("bob"))[0] == Seated(Seat.SECOND), "no seat is kept for Bob"
    assert hosted.ask("next", Join("next"))[0] == Seated(Seat.FIRST)
    assert hosted.view().tables[0].name == "table-1"
    assert hosted.view().tables[0].version > before.tables[0].version
    hosted.wait(60.0)
    assert "an error at a deadline" not in caplog.text


def test_running_out_of_memory_while_a_room_is_rebuilt_does_not_reset_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hosted, _ = fragile_with_four()

    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(HostedRoom, "rebuild", fail)
    with pytest.raises(MemoryError):
        hosted.ask("bob", BadAnswer("poison"))
    assert sorted(hosted.journal.rooms) == ["tttp/1", "tttp/2"]


def test_a_room_without_a_journal_is_reset() -> None:
    hosted = Hosted("santorini-tournament", players="2")
    hosted.submit("ann", Join("ann"))
    assert hosted.room.journal_key is not None
    hosted.room.journal_key = None
    hosted.host._recover(hosted.room)
    hosted.settle()
    assert Closed in hosted.take("ann")
    assert hosted.view().waiting == ()


def test_a_lobby_that_fails_knows_its_tables_afterwards() -> None:
    hosted, _ = fragile_with_four()
    hosted.ask("eve", Pong())
    assert [type(notice) for notice in hosted.ask("fay", BadAnswer("poison"))] == [Closed]
    assert hosted.take("eve") == []
    assert [type(notice) for notice in hosted.ask("eve", Join("ann"))] == [Refused]
    assert hosted.ask("eve", Join("eve"))[0] == Seated(Seat.FIRST)
    assert [table.name for table in hosted.view().tables] == ["table-1", "table-2", "table-3"]
    assert played(hosted.ask("bob", column(hosted, 0))) == [Cell(0, 5)]


def test_a_restored_room_that_fails_still_waits_for_its_players() -> None:
    faults = Faults()
    make_room = fragile(faults, TableTerms(clock=Clock(10.0, 0.0)))
    first = Hosted(make_room=make_room).seat_two()
    later = first.restart()
    later.ask("bob", Join("bob"))
    later.ask("bob", BadAnswer("poison"))
    later.wait(20.0)
    assert later.view().tables[0].result is None, "the clock stands until Ann is back"
    assert later.view().tables[0].deadline is None
    later.ask("ann", Join("ann"))
    assert later.view().tables[0].deadline == 1030.0

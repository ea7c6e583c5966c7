"""What the room counts, and where newcomers go. Its manners are in the transcripts."""

import pytest
from gamehall.rooms.open_tables import OpenTables

from gamehall.core import Seat, SeededRandom
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Clock, TurnBegan
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import ChatRejected, ChatSent, Refusal
from gamehall.rooms.reaction import Peer
from gamehall.rooms.requests import Join, Leave, Play, Rematch, SpectatorChat
from gamehall.rooms.terms import TableTerms

RED, BLUE, EVE = Peer(1), Peer(2), Peer(3)


def room(terms: TableTerms | None = None, tables: int = 1) -> OpenTables[Cell]:
    terms = terms or TableTerms()
    return OpenTables(ConnectFour(), terms, NameRules(), SeededRandom(1), tables)


def with_two_players(terms: TableTerms | None = None) -> OpenTables[Cell]:
    table = room(terms)
    table.handle(RED, Join("red"), 0.0)
    table.handle(BLUE, Join("blue"), 0.0)
    return table


def test_a_match_that_is_played_out_is_counted() -> None:
    table = with_two_players()
    for row in (5, 4, 3, 2):
        table.handle(RED, Play(Cell(0, row)), 0.0)
        table.handle(BLUE, Play(Cell(1, row)), 0.0)
    assert table.finished == 1
    table.handle(RED, Rematch(), 0.0)
    table.handle(RED, Leave(None), 0.0)
    assert table.finished == 2


@pytest.mark.parametrize("who", [RED, BLUE])
def test_a_time_out_that_a_move_brings_to_light_is_counted(who: Peer) -> None:
    table = with_two_players(TableTerms(clock=Clock(5.0)))
    table.handle(who, Play(Cell(0, 5)), 6.0)
    assert table.finished == 1


def test_a_player_who_comes_and_goes_alone_is_not_a_match() -> None:
    table = room()
    table.handle(RED, Join("red"), 0.0)
    table.handle(RED, Play(Cell(0, 5)), 0.0)
    table.handle(RED, Leave(None), 0.0)
    assert table.finished == 0


def red_wins(table: OpenTables[Cell]) -> None:
    for row in (5, 4, 3, 2):
        table.handle(RED, Play(Cell(0, row)), 0.0)
        if row > 2:
            table.handle(BLUE, Play(Cell(1, row)), 0.0)


def test_T_Q13_a_finished_match_that_a_newcomer_clears_is_recorded_once() -> None:
    table = with_two_players()
    red_wins(table)
    table.handle(BLUE, Leave(None), 0.0)
    assert table.finished == 1
    seated, fresh = table.handle(EVE, Join("eve"), 0.0)
    assert seated.peers == (EVE,)
    assert isinstance(fresh.notice, TurnBegan)
    assert fresh.notice.position == ConnectFour().start(0)
    assert set(fresh.peers) == {RED, EVE}
    table.handle(RED, Play(Cell(0, 5)), 0.0)
    assert (table.finished, len(table.records)) == (1, 1)
    table.handle(RED, Leave(None), 0.0)
    first, second = table.records
    assert (first.players, first.result.winner) == (("red", "blue"), Seat.FIRST)
    assert (second.players, second.result.winner) == (("red", "eve"), None)


def test_T_Q13_a_player_who_looks_at_the_end_of_a_game_does_not_wait_for_another() -> None:
    table = with_two_players()
    red_wins(table)
    table.handle(BLUE, Leave(None), 0.0)
    assert table.waiting_players == [], "an opponent of the house would clear the board"
    table.handle(RED, Rematch(), 0.0)
    assert table.waiting_players == ["red"]


def test_T_Q12_a_player_whose_game_was_cancelled_waits_for_another() -> None:
    table = with_two_players()
    table.handle(BLUE, Leave(None), 0.0)
    assert table.waiting_players == ["red"]


def seats(tables: OpenTables[Cell], *peers: int) -> list[object]:
    return [tables.handle(Peer(peer), Join(f"p{peer}"), 0.0)[0].notice for peer in peers]


def test_seats_are_filled_table_by_table_and_freed_ones_first() -> None:
    tables = room(tables=3)
    seats(tables, 1, 2, 3, 4, 5)
    tables.handle(Peer(4), Leave(None), 0.0)
    tables.handle(Peer(1), Leave(None), 0.0)
    seats(tables, 6, 7, 8)
    places = {peer: (table.number, member.seat) for peer, (table, member) in tables._places.items()}
    assert [places[Peer(peer)][0] for peer in (6, 7, 8)] == [0, 1, 2]


def test_a_remark_is_heard_by_everybody_at_the_table_and_by_whoever_made_it() -> None:
    table = with_two_players()
    [heard] = table.handle(EVE, SpectatorChat("table-1", "eve", "well played"), 0.0)
    assert heard.notice == ChatSent("eve", "well played")
    assert set(heard.peers) == {RED, BLUE, EVE}


@pytest.mark.parametrize(
    ("remark", "terms", "reason"),
    [
        (SpectatorChat("table-1", "Red", "I resign"), TableTerms(), Refusal.NAME_TAKEN.value),
        (SpectatorChat("table-1", "", "hm"), TableTerms(), Refusal.NAME_TOO_SHORT.value),
        (SpectatorChat("table-1", "server", "hm"), TableTerms(), Refusal.NAME_NOT_ALLOWED.value),
        (SpectatorChat("table-2", "eve", "hm"), TableTerms(), "there is no such table"),
        (SpectatorChat("table-1", "eve", ""), TableTerms(), "nothing was said"),
        (
            SpectatorChat("table-1", "eve", "hm"),
            TableTerms(spectators_may_say=False),
            "only players may talk at this table",
        ),
    ],
)
def test_who_may_not_make_a_remark_is_told_why(
    remark: SpectatorChat, terms: TableTerms, reason: str
) -> None:
    [heard] = with_two_players(terms).handle(EVE, remark, 0.0)
    assert heard.notice == ChatRejected(reason)
    assert heard.peers == (EVE,)


def test_nobody_talks_to_an_empty_table() -> None:
    [heard] = room().handle(EVE, SpectatorChat("table-1", "eve", "hm"), 0.0)
    assert heard.notice == ChatRejected("nobody is at that table")


def test_those_who_look_on_cannot_talk_the_table_down() -> None:
    table = with_two_players(TableTerms(remarks_per_second=2))
    kinds = [
        type(table.handle(Peer(9 + n), SpectatorChat("table-1", f"e{n}", "hm"), 0.0)[0].notice)
        for n in range(6)
    ]
    assert kinds == [ChatSent] * 4 + [ChatRejected] * 2
    [heard] = table.handle(EVE, SpectatorChat("table-1", "eve", "hm"), 1.0)
    assert isinstance(heard.notice, ChatSent), "a second later there is room for more"

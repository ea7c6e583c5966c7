"""What the room counts, and where newcomers go. Its manners are in the transcripts."""

import pytest

from gamehall.core import Shuffler
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.hosting.names import NameRules
from gamehall.hosting.open_tables import OpenTables
from gamehall.hosting.requests import Join, Leave, Play, Rematch
from gamehall.hosting.room import Peer
from gamehall.hosting.terms import TableTerms
from gamehall.play import Clock

RED, BLUE, EVE = Peer(1), Peer(2), Peer(3)


def room(terms: TableTerms | None = None, tables: int = 1) -> OpenTables[Cell]:
    terms = terms or TableTerms()
    return OpenTables(ConnectFour(), terms, NameRules(), Shuffler(1), tables)


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

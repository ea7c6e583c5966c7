import signal
import sys
from typing import Any

import pytest
from gamehall.rooms.open_tables import OpenTables

from gamehall.core import SeededRandom
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.rooms.names import NameRules
from gamehall.rooms.reaction import Peer
from gamehall.rooms.requests import Join, Play
from gamehall.rooms.terms import TableTerms
from tests.independent.tttp_clients import StreamClient, Update
from tests.support.replayed_rooms import Recordings
from tests.support.served import CHECKED_GAMEHALL, Served


def play_two_moves() -> OpenTables[Any]:
    room = OpenTables(ConnectFour(), TableTerms(), NameRules(), SeededRandom(1))
    room.handle(Peer(1), Join("ann"), 1.0)
    room.handle(Peer(2), Join("bob"), 2.0)
    room.handle(Peer(1), Play(Cell(3, 5)), 3.0)
    room.handle(Peer(2), Play(Cell(3, 4)), 4.0)
    return room


def test_a_room_that_leaves_out_a_move_does_not_replay(
    recordings: Recordings, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_out_of_turn = "gamehall.rooms.open_tables._is_out_of_turn"
    monkeypatch.setattr(is_out_of_turn, lambda _delivery: True)
    room = play_two_moves()
    with pytest.raises(AssertionError, match="2 journal entries give another room"):
        recordings.check()
    assert room.view().tables


def test_a_room_with_a_whole_journal_replays(recordings: Recordings) -> None:
    room = play_two_moves()
    recordings.check()
    assert len(room.view().tables[0].moves) == 2


FORGETFUL = """
import runpy
from gamehall.rooms import open_tables
open_tables._is_out_of_turn = lambda delivery: True
runpy.run_module("tests.support.checked_hall", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("program", "exit_code"), [(CHECKED_GAMEHALL, 0), ((sys.executable, "-c", FORGETFUL), 70)]
)
def test_a_hall_that_a_test_starts_is_checked_when_it_closes(
    program: tuple[str, ...], exit_code: int
) -> None:
    with Served(program=program) as hall, StreamClient("127.0.0.1", hall.port()) as ann:
        assert ann.join(b"ann") == 1
        ann.play(3, 5)
        assert isinstance(ann.read(), Update)
        assert ann.read() == Update(turn=2, won=0, spots=bytes(38) + b"\x01" + bytes(3))
        assert hall.stop(signal.SIGTERM) == exit_code
        assert ("REPLAY DIFFERS" in hall.errors) == (exit_code != 0)

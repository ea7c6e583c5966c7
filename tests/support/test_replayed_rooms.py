"""The check of replayed_rooms.py finds rooms that cannot be rebuilt."""

import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.requests import Join, Play, Rematch
from gamehall.rooms.room import Compaction, Peer
from gamehall.rooms.secrets import SecretRandom
from gamehall.rooms.terms import TableTerms
from tests.independent.tttp_clients import StreamClient, Update
from tests.support.replayed_rooms import Recordings
from tests.support.served import CHECKED_GAMEHALL, Served


def play_two_moves() -> OpenTable[Any]:
    room = OpenTable(1, ConnectFour(), TableTerms(), SecretRandom(bytes(32)))
    room.handle(Peer(1), Join("ann"), 1.0)
    room.handle(Peer(2), Join("bob"), 2.0)
    room.handle(Peer(1), Play(Cell(3, 5)), 3.0)
    room.handle(Peer(2), Play(Cell(3, 4)), 4.0)
    return room


def test_a_room_whose_journal_lacks_a_move_is_found(
    recordings: Recordings, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = OpenTable._play

    def forget(room: OpenTable[Any], *arguments: Any) -> None:
        play(room, *arguments)
        room._reaction.changed = False

    monkeypatch.setattr(OpenTable, "_play", forget)
    room = play_two_moves()
    with pytest.raises(AssertionError, match="2 journal entries give another room"):
        recordings.check()
    assert room.view().tables


def test_a_room_with_a_complete_journal_passes(recordings: Recordings) -> None:
    room = play_two_moves()
    room.handle(Peer(1), Rematch(), 5.0)
    room.handle(Peer(1), Play(Cell(3, 5)), 6.0)
    recordings.check()
    assert len(room.view().tables[0].moves) == 1


SPOILED: dict[str, Callable[[Compaction], Compaction]] = {
    "a missing entry": lambda true: Compaction(true.drawn, true.entries[:-1]),
    "other random values": lambda true: Compaction({"match": 7}, true.entries),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_compaction_that_gives_another_room_is_found(
    recordings: Recordings,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Compaction], Compaction],
) -> None:
    compact = OpenTable.compact

    def spoiled(room: OpenTable[Any]) -> Compaction | None:
        compaction = compact(room)
        return None if compaction is None else spoil(compaction)

    monkeypatch.setattr(OpenTable, "compact", spoiled)
    room = play_two_moves()
    with pytest.raises(AssertionError, match="a compaction give"):
        recordings.check()
    assert room.view().tables


FORGETFUL = """
import runpy
from gamehall.rooms.open_table import OpenTable
play = OpenTable._play
def forget(table, *arguments):
    play(table, *arguments)
    table._reaction.changed = False
OpenTable._play = forget
runpy.run_module("tests.support.checked_hall", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("program", "exit_code"), [(CHECKED_GAMEHALL, 0), ((sys.executable, "-c", FORGETFUL), 70)]
)
def test_a_server_that_a_test_starts_is_checked_at_exit(
    program: tuple[str, ...], exit_code: int
) -> None:
    with Served(program=program) as hall, StreamClient("127.0.0.1", hall.port()) as ann:
        assert ann.join(b"ann") == 1
        ann.play(3, 5)
        assert isinstance(ann.read(), Update)
        assert ann.read() == Update(turn=2, won=0, spots=bytes(38) + b"\x01" + bytes(3))
        assert hall.stop(signal.SIGTERM) == exit_code
        assert ("REPLAY DIFFERS" in hall.errors) == (exit_code != 0)

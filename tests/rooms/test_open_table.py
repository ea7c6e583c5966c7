"""What an open table counts and compacts, and its chat. Transcripts test its other behaviour."""

import pytest

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Clock, TurnBegan
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import ChatRejected, ChatSent, Refusal, Seated
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.requests import (
    Away,
    EndOfInput,
    Join,
    Leave,
    Play,
    Rematch,
    Return,
    SpectatorChat,
)
from gamehall.rooms.room import Peer
from gamehall.rooms.secrets import SecretRandom
from gamehall.rooms.terms import TableTerms
from tests.support.hosted import Hosted

RED, BLUE, EVE = Peer(1), Peer(2), Peer(3)


def empty_table(terms: TableTerms | None = None) -> OpenTable[Cell]:
    return OpenTable(1, ConnectFour(), terms or TableTerms(), SecretRandom(bytes(32)))


def with_two_players(terms: TableTerms | None = None) -> OpenTable[Cell]:
    table = empty_table(terms)
    table.handle(RED, Join("red"), 0.0)
    table.handle(BLUE, Join("blue"), 0.0)
    return table


def red_wins(table: OpenTable[Cell]) -> int:
    """Let the first player win. Return how many matches have ended."""
    finished = 0
    for row in (5, 4, 3, 2):
        finished += table.handle(RED, Play(Cell(0, row)), 0.0).finished
        if row > 2:
            finished += table.handle(BLUE, Play(Cell(1, row)), 0.0).finished
    return finished


def test_a_match_that_is_played_out_or_left_is_counted_once() -> None:
    table = with_two_players()
    assert red_wins(table) == 1
    assert table.handle(RED, Rematch(), 0.0).finished == 0
    assert table.handle(RED, Leave(None), 0.0).finished == 1
    assert table.handle(BLUE, Leave(None), 0.0).finished == 0


@pytest.mark.parametrize("who", [RED, BLUE])
def test_a_timeout_that_is_noticed_at_a_move_is_counted(who: Peer) -> None:
    table = with_two_players(TableTerms(clock=Clock(5.0)))
    assert table.handle(who, Play(Cell(0, 5)), 6.0).finished == 1


def test_a_player_without_an_opponent_has_no_match() -> None:
    table = empty_table()
    table.handle(RED, Join("red"), 0.0)
    table.handle(RED, Play(Cell(0, 5)), 0.0)
    left = table.handle(RED, Leave(None), 0.0)
    assert (left.finished, left.records, left.room_is_empty) == (0, [], True)


def test_T_Q13_a_finished_match_that_a_newcomer_clears_is_recorded_once() -> None:
    table = with_two_players()
    red_wins(table)
    assert table.handle(BLUE, Leave(None), 0.0).records == []
    seated, fresh = table.handle(EVE, Join("eve"), 0.0).deliveries
    assert seated.peers == (EVE,)
    assert isinstance(fresh.notice, TurnBegan)
    assert fresh.notice.position == ConnectFour().start(0)
    assert set(fresh.peers) == {RED, EVE}
    assert table.handle(RED, Play(Cell(0, 5)), 0.0).records == []
    [record] = table.handle(RED, Leave(None), 0.0).records
    assert (record.players, record.result.winner) == (("red", "eve"), None)


def test_a_record_has_the_names_and_the_winner() -> None:
    table = with_two_players()
    for row in (5, 4, 3):
        table.handle(RED, Play(Cell(0, row)), 0.0)
        table.handle(BLUE, Play(Cell(1, row)), 0.0)
    [record] = table.handle(RED, Play(Cell(0, 2)), 0.0).records
    assert (record.players, record.result.winner) == (("red", "blue"), Seat.FIRST)


def test_T_Q13_a_player_at_a_finished_game_does_not_wait_for_an_opponent() -> None:
    table = with_two_players()
    red_wins(table)
    table.handle(BLUE, Leave(None), 0.0)
    assert list(table.waiting_players) == [], "an opponent of the house would clear the board"
    table.handle(RED, Rematch(), 0.0)
    assert table.waiting_players == ["red"]


def test_T_Q12_a_player_whose_game_was_cancelled_waits_for_an_opponent() -> None:
    table = with_two_players()
    table.handle(BLUE, Leave(None), 0.0)
    assert table.waiting_players == ["red"]


def test_X_07_the_name_and_place_of_a_spectator_who_has_ended_its_input_are_free() -> None:
    table = with_two_players(TableTerms(spectators=1))
    assert table.handle(EVE, Join("eve"), 0.0).occupancy == table.occupancy
    assert (table.occupancy.spectators, table.occupancy.can_be_watched) == ({EVE: "eve"}, False)
    table.handle(EVE, EndOfInput(), 0.0)
    assert (table.occupancy.spectators, table.occupancy.can_be_watched) == ({}, True)
    deliveries = table.handle(Peer(4), Join("eve"), 0.0).deliveries
    assert deliveries[0].peers == (EVE,), "it is told that its place is needed"
    assert table.view().tables[0].spectators == 1


# Compactions.


def compacted(table: OpenTable[Cell]) -> list[tuple[Peer | None, str]]:
    compaction = table.compact()
    assert compaction is not None
    return [(entry.peer, type(entry.request).__name__) for entry in compaction.entries]


def test_a_compaction_has_the_requests_of_players_since_the_match_began() -> None:
    table = with_two_players()
    assert compacted(table) == [(RED, "Join"), (BLUE, "Join")]
    table.handle(RED, Play(Cell(0, 5)), 0.0)
    table.handle(RED, Play(Cell(0, 4)), 0.0)
    assert compacted(table) == [(RED, "Join"), (BLUE, "Join"), (RED, "Play")]
    table.handle(BLUE, Rematch(), 7.0)
    assert compacted(table) == [(RED, "Join"), (BLUE, "Join")]
    compaction = table.compact()
    assert compaction is not None
    assert {entry.now for entry in compaction.entries} == {7.0}
    assert compaction.drawn == {"match": 1}


def test_a_compaction_has_only_the_present_spectators() -> None:
    """The journal stays short, however many spectators come and go."""
    table = with_two_players()
    for number in range(100, 200):
        table.handle(Peer(number), Join(f"guest {number}"), 1.0)
        table.handle(Peer(number), Join(f"again {number}"), 1.0)
        table.handle(Peer(number), Leave(None), 2.0)
    assert compacted(table) == [(RED, "Join"), (BLUE, "Join")]
    table.handle(EVE, Join("eve"), 3.0)
    table.handle(EVE, EndOfInput(), 4.0)
    assert compacted(table)[2:] == [(EVE, "Join"), (EVE, "EndOfInput")]


@pytest.mark.parametrize("stays", [RED, BLUE])
def test_repeated_rematches_do_not_make_the_journal_grow(stays: Peer) -> None:
    """A compaction keeps the seat of the player, and does not seat a spectator."""
    table = with_two_players()
    table.handle(EVE, Join("eve"), 0.0)
    table.handle(BLUE if stays is RED else RED, Leave(None), 0.0)
    for _ in range(100):
        table.handle(stays, Rematch(), 0.0)
    compaction = table.compact()
    assert compaction is not None
    assert len(compaction.entries) == 2
    again = OpenTable(1, ConnectFour(), TableTerms(), SecretRandom(bytes(32), compaction.drawn))
    for entry in compaction.entries:
        assert entry.peer is not None
        assert entry.request is not None
        again.handle(entry.peer, entry.request, entry.now)
    assert again.occupancy == table.occupancy
    assert again.view().tables[0].players == table.view().tables[0].players


def test_a_compaction_has_the_absences_of_players() -> None:
    table = with_two_players()
    table.handle(RED, Away(30.0), 1.0)
    assert compacted(table) == [(RED, "Join"), (BLUE, "Join"), (RED, "Away")]
    table.handle(BLUE, Rematch(), 2.0)
    assert compacted(table) == [(RED, "Join"), (BLUE, "Join"), (RED, "Away")]
    table.handle(RED, Return(), 3.0)
    table.handle(BLUE, Rematch(), 4.0)
    assert compacted(table) == [(RED, "Join"), (BLUE, "Join")]


def test_every_absence_uses_some_of_the_time_away() -> None:
    """So a client that reconnects again and again cannot fill the journal."""
    table = with_two_players()
    for _ in range(10):
        assert RED in table.occupancy.players
        table.handle(RED, Away(5.0), 1.0)
        table.handle(RED, Return(), 1.0)
    table.handle(RED, Away(5.0), 1.0)
    assert RED not in table.occupancy.players


def test_a_return_without_an_absence_changes_nothing() -> None:
    table = with_two_players()
    reaction = table.handle(RED, Return(), 1.0)
    assert [type(one.notice) for one in reaction.deliveries] == [Seated, TurnBegan]
    assert not reaction.changed


# Chat of watchers.


def hosted_table(terms: TableTerms | None = None) -> Hosted:
    lobby_terms = terms or TableTerms()
    hosted = Hosted(make_room=lambda _: OpenLobby(ConnectFour(), lobby_terms, NameRules(), 2))
    hosted.ask("red", Join("red"))
    hosted.ask("blue", Join("blue"))
    hosted.forget()
    return hosted


def test_a_watchers_chat_is_sent_to_the_table_and_to_the_watcher() -> None:
    hosted = hosted_table()
    hosted.ask("eve", SpectatorChat("table-1", "eve", "well played"))
    for who in ("red", "blue", "eve"):
        assert hosted.client(who).received == [ChatSent("eve", "well played")]


@pytest.mark.parametrize(
    ("remark", "terms", "reason"),
    [
        (SpectatorChat("table-1", "Red", "I resign"), TableTerms(), Refusal.NAME_TAKEN.value),
        (SpectatorChat("table-1", "", "hm"), TableTerms(), Refusal.NAME_TOO_SHORT.value),
        (SpectatorChat("table-1", "server", "hm"), TableTerms(), Refusal.NAME_NOT_ALLOWED.value),
        (SpectatorChat("table-2", "eve", "hm"), TableTerms(), "there is no such table"),
        (SpectatorChat("table-01", "eve", "hm"), TableTerms(), "there is no such table"),
        (SpectatorChat("attic", "eve", "hm"), TableTerms(), "there is no such table"),
        (SpectatorChat("table-1", "eve", ""), TableTerms(), "nothing was said"),
        (
            SpectatorChat("table-1", "eve", "hm"),
            TableTerms(spectators_may_chat=False),
            "only players may talk at this table",
        ),
    ],
)
def test_a_watcher_is_told_why_its_chat_is_rejected(
    remark: SpectatorChat, terms: TableTerms, reason: str
) -> None:
    hosted = hosted_table(terms)
    for _ in range(2):
        assert hosted.ask("eve", remark) == [ChatRejected(reason)]
    assert hosted.take("red") == hosted.take("blue") == []


def test_a_watchers_chat_under_a_players_name_is_rejected_after_an_accepted_one() -> None:
    hosted = hosted_table()
    hosted.ask("eve", SpectatorChat("table-1", "eve", "hm"))
    [rejected] = hosted.ask("eve", SpectatorChat("table-1", "red", "I resign"))
    assert rejected == ChatRejected(Refusal.NAME_TAKEN.value)


def test_the_chat_of_watchers_is_limited() -> None:
    hosted = hosted_table(TableTerms(watcher_chats_per_second=2))
    kinds = [
        type(hosted.ask(f"e{n}", SpectatorChat("table-1", f"e{n}", "hm"))[0]) for n in range(6)
    ]
    assert kinds == [ChatSent] * 4 + [ChatRejected] * 2
    hosted.now += 1.0
    [heard] = hosted.ask("eve", SpectatorChat("table-1", "eve", "hm"))
    assert isinstance(heard, ChatSent), "a second later there is room for more"

"""The views of all kinds of rooms, also after a restart."""

import itertools
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.games.go import Pass
from gamehall.match import Clock, Ending
from gamehall.rooms.notices import Closed, Seated
from gamehall.rooms.open_table import CHATS_KEPT, LETTERS_KEPT
from gamehall.rooms.requests import (
    Answer,
    Arrive,
    AskAgain,
    Away,
    BadAnswer,
    Chat,
    ClientPolicy,
    Confirm,
    EndOfInput,
    Join,
    Leave,
    Look,
    Lost,
    PlannedMove,
    Play,
    Pong,
    Rematch,
    Request,
    Resign,
    Return,
    SpectatorChat,
    Submit,
    digest_token,
)
from gamehall.rooms.room import Peer
from gamehall.rooms.terms import TournamentTerms
from gamehall.rooms.tournament import TournamentScore
from gamehall.rooms.view import ChatLine, RoomKind, RoomView, TableView, TournamentView
from gamehall.tournaments.standings import CheaterRule, Rank, Win, settle, standings
from tests.support.hosted import Hosted
from tests.support.tournament_rooms import TournamentRooms

ANN, BOB, CAT, DAN = "ann", "bob", "cat", "dan"
FIVE_SECONDS = ClientPolicy(clock=Clock(5.0, 0.0), retries=1)
GO_TERMS = ("5", "1", "0", "6.5")


def view_after(room: Hosted, now: float, *requests: tuple[str, Request[Any]]) -> RoomView[Any]:
    """Handle requests at that time, and return the view."""
    room.now = now
    for who, request in requests:
        if isinstance(request, Leave) and request.fault is None:
            room.disconnect(who)
        else:
            room.ask(who, request)
    return room.view()


def view_at(room: Hosted, now: float) -> RoomView[Any]:
    """Let time pass until then, and return the view."""
    room.wait(now - room.now)
    return room.view()


def only_table(view: RoomView[Any]) -> TableView[Any]:
    [table] = view.tables
    return table


def tournament_of(view: RoomView[Any]) -> TournamentView:
    assert view.tournament is not None
    return view.tournament


def without_versions(view: RoomView[Any]) -> RoomView[Any]:
    tables = tuple(msgspec.structs.replace(table, version=0) for table in view.tables)
    return msgspec.structs.replace(view, version=0, tables=tables)


def without_time(view: RoomView[Any]) -> RoomView[Any]:
    """Return the view without versions and deadlines."""
    view = without_versions(view)
    tables = tuple(msgspec.structs.replace(table, deadline=None) for table in view.tables)
    return msgspec.structs.replace(view, tables=tables)


# Open tables.


def test_empty_open_tables_are_not_in_the_view() -> None:
    view = Hosted(tables="3").view()
    assert view.kind is RoomKind.OPEN_TABLES
    assert (view.tables, view.waiting, view.tournament) == ((), (), None)


def test_a_single_player_waits_at_a_board_without_a_match() -> None:
    view = view_after(Hosted(), 1.0, (ANN, Join("ann")), (ANN, Play(Cell(3, 5))))
    table = only_table(view)
    assert view.waiting == ("ann",)
    assert (table.name, table.players) == ("table-1", ("ann", None))
    assert (table.match, table.is_open, table.deadline) == (None, True, None)
    assert table.moves == ((Seat.FIRST, Cell(3, 5)),)
    assert table.match_start is not None
    assert table.match_start.after(Cell(3, 5)) == table.position


def test_the_view_shows_a_match_its_end_and_the_rematch() -> None:
    room = Hosted(turn_seconds="10", grace_ms="0")
    joins = [(who, Join(who)) for who in (ANN, BOB, CAT)]
    view = view_after(room, 100.0, *joins, (ANN, Play(Cell(3, 5))))
    playing = only_table(view)
    assert view.waiting == ()
    assert (playing.players, playing.spectators, playing.is_open) == (("ann", "bob"), 1, False)
    assert (playing.deadline, playing.result) == (110.0, None)
    over = only_table(view_at(room, 110.0))
    assert over.result is not None
    assert (over.result.ending, over.deadline) == (Ending.OUT_OF_TIME, None)
    assert over.moves == playing.moves
    assert over.match == room.journal.records[0].match_name
    again = only_table(view_after(room, 120.0, (BOB, Rematch())))
    assert (again.moves, again.result, again.deadline) == ((), None, 130.0)
    assert again.match not in (None, over.match)
    assert view.version < over.version < again.version


def test_tables_have_unique_names_and_keep_them() -> None:
    room = Hosted(tables="2")
    view_after(room, 1.0, *((who, Join(who)) for who in (ANN, BOB, CAT)))
    assert [table.name for table in room.view().tables] == ["table-1", "table-2"]
    assert room.view().waiting == ("cat",)
    view = view_after(room, 2.0, (ANN, Leave(None)), (BOB, Leave(None)))
    assert [table.name for table in view.tables] == ["table-2"]


@pytest.mark.parametrize("request_", [Play(Cell(3, 4)), Play(Cell(9, 9)), Chat(""), Look()])
def test_a_request_without_visible_effect_does_not_change_the_version(
    request_: Request[Any],
) -> None:
    room = Hosted()
    before = view_after(room, 1.0, (ANN, Join("ann")), (BOB, Join("bob")), (CAT, Join("cat")))
    assert view_after(room, 2.0, (ANN, request_), (CAT, request_)) == before


def test_chat_is_in_the_view_until_all_have_left() -> None:
    room = Hosted()
    silent = view_after(room, 1.0, (ANN, Join("ann")), (BOB, Join("bob")))
    said = view_after(room, 2.0, (ANN, Chat("hello")), (DAN, SpectatorChat("table-1", "dan", "hi")))
    assert only_table(said).chat == (ChatLine(1, "ann", "hello"), ChatLine(2, "dan", "hi"))
    assert only_table(said).accepts_watcher_chat
    assert said.version > silent.version
    view_after(room, 3.0, (ANN, Leave(None)), (BOB, Leave(None)))
    assert only_table(view_after(room, 4.0, (CAT, Join("cat")))).chat == ()


def test_the_view_has_the_last_chat_messages_cut_to_a_maximum_length() -> None:
    room = Hosted()
    view_after(room, 1.0, (ANN, Join("ann")))
    for second in range(CHATS_KEPT + 5):
        view_after(room, 2.0 + second, (ANN, Chat("x" * (LETTERS_KEPT + second))))
    chat = only_table(room.view()).chat
    assert [one.number for one in chat] == list(range(6, CHATS_KEPT + 6))
    assert {len(one.text) for one in chat} == {LETTERS_KEPT + 1}


def test_X_07_the_clock_of_a_disconnected_player_is_stopped_and_the_version_changes() -> None:
    room = Hosted(turn_seconds="10", grace_ms="0")
    before = only_table(view_after(room, 100.0, (ANN, Join("ann")), (BOB, Join("bob"))))
    away = only_table(view_after(room, 101.0, (ANN, Away(30.0))))
    back = only_table(view_after(room, 103.0, (ANN, Return())))
    assert (before.deadline, away.deadline, back.deadline) == (110.0, None, 112.0)
    assert before.version < away.version < back.version
    assert only_table(view_after(room, 104.0, (BOB, Away(30.0)))).deadline == 112.0


# Tournaments.


def two_of_a_tournament() -> Hosted:
    """Return a tournament in which Ann and Bob have played since 100."""
    room = Hosted("santorini-tournament", players="2", games="1")
    view_after(room, 100.0, (ANN, Join("Ann", FIVE_SECONDS)), (BOB, Join("bob", FIVE_SECONDS)))
    return room


def test_a_player_who_has_signed_up_waits_under_its_own_name() -> None:
    room = Hosted("santorini-tournament", players="2")
    assert room.view().tournament is None
    view = view_after(room, 1.0, (ANN, Join("<b>Ann</b>")))
    assert (view.kind, view.tables) == (RoomKind.TOURNAMENT, ())
    assert (view.waiting, view.tournament) == (("<b>Ann</b>",), None)


def test_a_tournament_is_in_the_view_until_the_next_begins() -> None:
    room = two_of_a_tournament()
    view = view_after(room, 100.0, (CAT, Join("cat")))
    table = only_table(view)
    assert (table.name, table.players, table.is_open) == ("1-1-2", ("Ann", "bob"), False)
    assert table.position == table.match_start
    assert table.deadline == 105.0
    assert view.waiting == ("cat",)
    tournament = tournament_of(view)
    assert (tournament.is_over, tournament.players) == (False, ("Ann", "bob"))
    assert tournament.ranks == (Rank("Ann", 0, 0), Rank("bob", 0, 0))
    assert (tournament.encounters_done, tournament.encounters) == (0, 1)
    view = view_after(room, 101.0, (BOB, Leave("bad manners")), (ANN, BadAnswer("")))
    assert view.tables == ()
    over = tournament_of(view)
    assert over.is_over
    assert over.ranks == (Rank("Ann", 1, 0), Rank("bob", 0, 1))
    assert over.wins == (Win("Ann", "bob"),)
    assert dict(over.cheaters) == {"bob": "bad manners"}
    assert (over.encounters_done, over.encounters) == (1, 1)
    assert over.report is not None
    view = view_after(room, 102.0, (DAN, Join("dan")))
    assert tournament_of(view).players == ("cat", "dan")
    assert (tournament_of(view).is_over, tournament_of(view).report) == (False, None)
    assert only_table(view).name == "2-1-2"


def test_parallel_pairs_are_in_the_view_together_and_encounters_of_cheaters_are_done() -> None:
    room = Hosted("santorini-tournament", players="4", parallel="true", cheater_games="forfeit")
    view = view_after(room, 1.0, *((who, Join("x")) for who in (ANN, BOB, CAT, DAN)))
    assert len({table.name for table in view.tables}) == 2
    assert {name for table in view.tables for name in table.players} == {"x", "xa", "xb", "xc"}
    cheater = view.tables[0].players[0]
    tournament = tournament_of(view_after(room, 2.0, (ANN, Leave(None))))
    assert cheater == "x"
    assert dict(tournament.cheaters) == {"x": "left"}
    assert tournament.encounters == 6
    assert tournament.encounters_done in (2, 3), "those it would have met, and perhaps this one"
    assert tournament.ranks[-1].name == "x"
    assert sum(rank.won for rank in tournament.ranks) == len(tournament.wins) > 0


def test_a_repeated_prompt_changes_the_deadline_and_the_version() -> None:
    room = two_of_a_tournament()
    versions = [only_table(room.view()).version]
    for now, request in ((101.0, AskAgain()), (102.0, BadAnswer("?"))):
        table = only_table(view_after(room, now, (ANN, request)))
        assert table.deadline == now + 5.0
        assert table.version > versions[-1]
        versions.append(table.version)


@given(
    rule=st.sampled_from(CheaterRule),
    noted=st.lists(st.tuples(st.integers(0, 3), *[st.sampled_from("abcd")] * 2), max_size=30),
)
def test_an_incremental_score_equals_one_that_is_computed_at_once(
    rule: CheaterRule, noted: list[tuple[int, str, str]]
) -> None:
    wins: list[Win] = []
    unplayed: list[Win] = []
    cheaters: dict[str, str] = {}
    score = TournamentScore("abcd", wins, unplayed, cheaters, rule)
    for kind, one, other in noted:
        match kind:
            case 0:
                cheaters[one] = "cheated"
            case 1:
                unplayed.append(Win(one, other))
            case _:
                wins.append(Win(one, other))
        at_once = settle(wins, cheaters, unplayed, rule)
        names = sorted("abcd", key=cheaters.__contains__)
        assert score.standings() == (tuple(at_once), tuple(standings(names, at_once)))


def test_versions_increase_across_matches_and_encounters() -> None:
    terms = TournamentTerms(players=3, matches_per_pair=2)
    room = TournamentRooms(ConnectFour(line_length=3), terms)
    names = {"ann": Peer(1), "bob": Peer(2), "cat": Peer(3)}
    for name, peer in names.items():
        room.handle(peer, Join(name), 0.0)
    views, matches, finished = [room.view()], [], 0
    while finished == 0:
        table = only_table(views[-1])
        matches.append((table.name, table.match))
        assert table.position is not None
        assert table.position.to_move is not None
        [mover] = [
            name
            for seat, name in zip(Seat, table.players, strict=True)
            if seat is table.position.to_move
        ]
        assert mover is not None
        move = [*table.position.legal_moves()][0 if mover < "b" else -1]
        finished += room.handle(names[mover], Play(move), 0.0).finished
        views.append(room.view())
    versions = [view.version for view in views]
    assert versions == sorted(set(versions))
    assert list(dict.fromkeys(name for name, _ in matches)) == ["1-1-2", "1-1-3", "1-2-3"]
    assert len(set(matches)) == 6
    for name, _ in matches:
        seen = [only_table(view) for view in views[:-1] if only_table(view).name == name]
        versions = [table.version for table in seen]
        assert versions == sorted(set(versions))
    assert [tournament_of(view).encounters_done for view in views][-1] == 3
    assert tournament_of(views[-1]).is_over


# Negotiated tables and the polled table.


def test_players_who_have_not_agreed_on_a_game_are_shown_as_waiting() -> None:
    room = Hosted("go-text")
    assert view_after(room, 1.0, (ANN, Arrive())).waiting == ("",)
    view = view_after(room, 1.0, (BOB, Arrive()))
    assert (view.kind, view.waiting, view.tables) == (RoomKind.AGREED_TABLES, ("", ""), ())
    view = view_after(room, 1.0, *((ANN, Answer(None, text)) for text in GO_TERMS))
    table = only_table(view)
    assert (view.waiting, table.name, table.players) == ((), "table-1", (None, None))
    assert (table.game.name, table.position, table.match) == ("go", None, None)
    assert not table.is_open


def test_a_table_whose_terms_have_just_been_answered_is_a_new_version() -> None:
    room = Hosted("go-text")
    asked = view_after(room, 1.0, (ANN, Arrive()))
    answered = view_after(room, 1.0, *((ANN, Answer(None, text)) for text in GO_TERMS))
    assert (asked.tables, len(answered.tables)) == ((), 1)
    assert answered.version > asked.version


def test_a_negotiated_match_is_in_the_view_until_its_end() -> None:
    room = Hosted("go-text")
    view_after(room, 1.0, (ANN, Arrive()), (BOB, Arrive()))
    view_after(room, 1.0, *((ANN, Answer(None, text)) for text in GO_TERMS))
    begun = view_after(room, 1.0, (ANN, Confirm(True)), (BOB, Confirm(True)))
    assert only_table(begun).moves == ()
    played = view_after(room, 2.0, (ANN, Play(Pass())))
    assert only_table(played).moves == ((Seat.FIRST, Pass()),)
    over = view_after(room, 3.0, (BOB, Resign()))
    assert (over.tables, over.waiting) == ((), ())
    assert only_table(played).match == room.journal.records[0].match_name
    assert begun.version < played.version < over.version
    assert view_after(room, 4.0, (CAT, Arrive())).version > over.version


def test_a_polled_match_is_in_the_view_until_the_next_begins() -> None:
    room = Hosted("ascension-http", turn_timeout="10", next_game="5", grace_ms="0")
    assert room.view().tables == ()
    one = view_after(room, 1.0, (ANN, Join("")))
    assert (one.kind, one.waiting) == (RoomKind.POLLED_TABLE, ("",))
    assert (only_table(one).is_open, only_table(one).position) == (True, None)
    two = only_table(view_after(room, 1.0, (BOB, Join(""))))
    assert (two.name, two.is_open, two.match is None) == ("table-1", False, False)
    over = only_table(view_at(room, 11.0))
    assert over.result is not None
    assert over.match == two.match == room.journal.records[0].match_name
    assert only_table(view_at(room, 16.0)) == over, (
        "the end can be seen until the next match begins"
    )
    assert room.view().waiting == ()
    joined = view_after(room, 17.0, (ANN, Join("")))
    assert joined.waiting == ("",)
    waiting = only_table(joined)
    assert (waiting.match, waiting.result, waiting.position) == (None, None, None)
    assert waiting.is_open
    assert waiting.version > over.version
    next_one = only_table(view_after(room, 18.0, (BOB, Join(""))))
    assert next_one.match not in (None, over.match)
    assert next_one.version > waiting.version


# After a restart.


def test_a_restored_room_has_the_same_view_and_its_clock_is_stopped() -> None:
    hosted = two_of_a_tournament()
    before = hosted.view()
    journal = hosted.journal.after_a_crash()
    later = Hosted("santorini-tournament", journal, 1000.0, players="2", games="1")
    standing = later.view()
    assert only_table(before).deadline == 105.0
    assert without_versions(standing) == without_time(before)
    going = view_after(later, 1030.0, (BOB, Join("bob")), (ANN, Join("Ann")))
    assert only_table(going).deadline == 1035.0
    assert going.version > standing.version
    assert only_table(going).version > only_table(standing).version


def test_chat_continues_while_the_clock_of_a_room_is_stopped() -> None:
    hosted = Hosted()
    view_after(hosted, 100.0, (ANN, Join("ann")), (BOB, Join("bob")))
    later = Hosted(journal=hosted.journal.after_a_crash(), now=1000.0)
    view_after(later, 1000.0, (ANN, Join("ann")))
    for second in range(10):
        remark = SpectatorChat("table-1", "cat", f"{second}")
        view_after(later, 1001.0 + second, (ANN, Chat("hello")), (CAT, remark), (CAT, remark))
    assert len(only_table(later.view()).chat) == 30


# Random requests in all kinds of rooms.

DOORS: dict[str, dict[str, Any]] = {
    "tttp": {"tables": "2", "turn_seconds": "10", "max_spectators": "1", "on_leave": "award"},
    "santorini-tournament": {"players": "3", "parallel": "true"},
    "santorini-lobby": {"min_players": "2", "join_window": "3"},
    "go-text": {"turn_seconds": "10"},
    "ascension-http": {"tokens": "true", "turn_timeout": "10", "next_game": "3"},
}
PEERS_FROM = 770_000_000_000_001
"""So long that they do not occur in the seed of a position by chance."""


class Crowd:
    """Clients that send random requests to a room whose view is taken, and to one without."""

    def __init__(self, door: str) -> None:
        self._room, self._twin = (Hosted(door, now=1000.0, **DOORS[door]) for _ in range(2))
        for room in (self._room, self._twin):
            room.host._last_peer = PEERS_FROM
        self._clients = dict(enumerate("abcd"))
        self._tokens: list[str] = []
        self._hung_up: set[str] = set()
        self._view = self._room.view()
        self.seen = 0

    def say(self, slot: int, number: int) -> None:
        who = self._clients[slot]
        requests = self._requests(slot)
        request = Leave(None) if who in self._hung_up else requests[number % len(requests)]
        if isinstance(request, EndOfInput):
            self._hung_up.add(who)
        for room in (self._room, self._twin):
            room.client(who)
            view_after(room, room.now, (who, request))
        if isinstance(request, Leave) and request.fault is None:
            self._clients[slot] = who + "x"
        self._hear()

    def wait(self, seconds: float) -> None:
        for room in (self._room, self._twin):
            room.wait(seconds)
        self._hear()

    def _hear(self) -> None:
        assert self._room.happened == self._twin.happened, "to look changes nothing"
        for who, client in list(self._room.clients.items()):
            assert client.received == self._twin.clients[who].received
            self._tokens += [
                notice.secret
                for notice in client.received
                if isinstance(notice, Seated) and notice.secret
            ]
            if any(isinstance(notice, Closed) for notice in client.received):
                for room in (self._room, self._twin):
                    room.disconnect(who)
                for slot, one in self._clients.items():
                    if one == who:
                        self._clients[slot] = who + "x"
        self._room.forget()
        self._twin.forget()
        self._look()

    def _look(self) -> None:
        before, after = self._view, self._room.view()
        self._view = after
        self.seen += without_versions(after) != without_versions(before)
        assert after.version >= before.version
        if without_versions(after) != without_versions(before):
            assert after.version > before.version
        old = {table.name: table for table in before.tables}
        assert len({table.name for table in after.tables}) == len(after.tables)
        for table in after.tables:
            assert re.fullmatch("[A-Za-z0-9-]+", table.name)
            was = old.get(table.name, table)
            assert was == table or was.version < table.version <= after.version
            position = table.match_start
            for seat, move in table.moves:
                assert position is not None
                assert position.to_move is seat
                position = position.after(move)
            assert position == table.position
        written = repr(after)
        peers = [str(client.peer) for client in self._room.clients.values()]
        for secret in ("hush", *self._tokens, *peers):
            assert secret not in written

    def _requests(self, slot: int) -> list[Request[Any]]:
        name = f"{'abcd'[slot]}n"
        requests: list[Request[Any]] = [
            Join(name, FIVE_SECONDS, f"hush{slot}"),
            Arrive(),
            Confirm(True),
        ] * 4
        boards = [table.position for table in self._view.tables if table.position is not None]
        for position in boards:
            moves = list(position.legal_moves())
            for move in moves[:1] + moves[-1:]:
                requests += [Play(move)] * 6
                for seat, token in itertools.product(Seat, self._tokens[-2:]):
                    requests += [Submit(seat, (PlannedMove(move),), digest_token(token))] * 6
        requests += [Answer(None, text) for text in GO_TERMS] * 3
        requests += [Rematch(), Away(5.0), Return(), AskAgain(), BadAnswer("?"), Pong(), Look()]
        requests += [
            Chat("hello"),
            SpectatorChat("table-1", "z", "hm"),
            Resign(),
            Lost(),
            EndOfInput(),
            Leave(None),
            Leave("rude"),
        ]
        return requests


STEPS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 10_000)) | st.floats(0.0, 6.0),
    min_size=20,
    max_size=80,
)


@pytest.mark.parametrize("door", DOORS)
@given(steps=STEPS)
def test_every_visible_change_changes_the_version_and_views_contain_no_secrets(
    door: str, steps: list[tuple[int, int] | float]
) -> None:
    crowd = Crowd(door)
    for step in steps:
        if isinstance(step, float):
            crowd.wait(step)
        else:
            crowd.say(*step)


@pytest.mark.parametrize("door", DOORS)
def test_the_random_clients_cause_visible_changes(door: str) -> None:
    """Otherwise the test above would check nothing."""
    crowd = Crowd(door)
    for number in range(400):
        crowd.say(number % 4, number * number // 7)
    assert crowd.seen > 20

"""A state machine test of open tables: random requests, ticks and restarts.

The machine derives the state of the tables from the notices that clients receive.
"""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
)

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour, ConnectFourPosition
from gamehall.match import (
    Clock,
    Ending,
    MatchEnded,
    MovePlayed,
    MoveRefused,
    TurnBegan,
)
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import ChatSent, Closed, Refusal, Refused, Seated
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.requests import Chat, EndOfInput, Join, Play, Rematch, Request
from gamehall.rooms.terms import LeaveRule, RematchRule, TableTerms
from tests.support.hosted import Hosted, MemoryJournal

NAMES = st.sampled_from(["ann", "Ann", "bob", "cyd", "dan", "eve", "", "root", "é"])
CELLS = st.builds(Cell, st.integers(-1, 7), st.integers(-1, 6))


class Client:
    """A client, as it follows from its notices."""

    def __init__(self) -> None:
        self.name = ""
        self.joined = False
        self.seat: Seat | None = None
        self.standing: TurnBegan[Cell] | MatchEnded[Cell] | None = None
        self.closed = False
        self.ended_input = False
        self.received: list[object] = []


class OpenLobbyMachine(RuleBasedStateMachine):
    peers: Bundle[str] = Bundle("peers")

    def __init__(self) -> None:
        super().__init__()
        self.arrivals = 0
        self.clients: dict[str, Client] = {}
        self.ends = 0

    @initialize(
        rematch=st.sampled_from(RematchRule),
        on_leave=st.sampled_from(LeaveRule),
        wait=st.booleans(),
        seconds=st.none() | st.just(5.0),
        tables=st.integers(1, 2),
    )
    def open(
        self,
        rematch: RematchRule,
        on_leave: LeaveRule,
        wait: bool,
        seconds: float | None,
        tables: int,
    ) -> None:
        self.terms = TableTerms(
            clock=Clock(seconds),
            rematch=rematch,
            on_leave=on_leave,
            wait_for_second=wait,
            illegal_moves_allowed=4,
            spectators=2,
        )
        self.tables = tables
        self.hosted = self.opened(MemoryJournal(), 1000.0)

    def opened(self, journal: MemoryJournal, now: float) -> Hosted:
        return Hosted(
            journal=journal,
            now=now,
            make_room=lambda _: OpenLobby(ConnectFour(), self.terms, NameRules(), self.tables),
        )

    @rule(target=peers)
    def arrive(self) -> str:
        self.arrivals += 1
        peer = f"client {self.arrivals}"
        self.clients[peer] = Client()
        self.hosted.client(peer)
        return peer

    @rule(peer=peers, name=NAMES)
    def join(self, peer: str, name: str) -> None:
        was_in, had = self.clients[peer].joined, self.clients[peer].seat
        self.ask(peer, Join(name))
        if had is None and any(isinstance(n, Seated) for n in self.clients[peer].received):
            self.clients[peer].name = name
        if self.clients[peer].closed:
            return
        answers = [
            notice for notice in self.clients[peer].received if isinstance(notice, Seated | Refused)
        ]
        assert len(answers) == 1, "every JOIN gets one response"
        if had is not None:
            assert answers == [Seated(had)]
        if had is None and self.clients[peer].seat is not None:
            # T-Q06, T-Q13: who takes a seat is shown one board, and never that of a finished game.
            [board] = [
                notice
                for notice in self.clients[peer].received
                if isinstance(notice, TurnBegan | MatchEnded)
            ]
            assert isinstance(board, TurnBegan)
        if not was_in and answers == [Refused(Refusal.FULL)]:
            assert all(len(players) == 2 for players in self.players_by_table())

    @rule(peer=peers, cell=CELLS)
    def play(self, peer: str, cell: Cell) -> None:
        standing = self.clients[peer].standing
        seat = self.clients[peer].seat
        move = cell
        if standing is not None and isinstance(standing.position, ConnectFourPosition):
            move = standing.position.named(*cell)
        self.ask(peer, Play(move))
        told = self.clients[peer].received
        if seat is None or standing is None:
            assert told == [], "spectators and strangers are not heard"
        elif isinstance(standing, MatchEnded) or standing.seat is not seat:
            assert not any(isinstance(notice, MovePlayed) for notice in told)

    @rule(peer=peers, text=st.sampled_from(["", "hi", "x" * 1000]))
    def chat(self, peer: str, text: str) -> None:
        self.ask(peer, Chat(text))
        assert self.clients[peer].received == [], "a client does not receive its own chat"

    @rule(peer=peers)
    def rematch(self, peer: str) -> None:
        seat = self.clients[peer].seat
        self.ask(peer, Rematch())
        told = self.clients[peer].received
        if seat is None:
            assert told == []
        elif self.terms.rematch is RematchRule.ANY:
            [fresh] = told
            assert isinstance(fresh, TurnBegan)
            assert fresh.position == ConnectFour().start(0)

    @rule(peer=peers)
    def hang_up(self, peer: str) -> None:
        needed = self.clients[peer].seat is not None or not self.clients[peer].joined
        self.ask(peer, EndOfInput())
        assert self.clients[peer].closed or not needed
        self.clients[peer].ended_input = True

    @rule(peer=consumes(peers))
    def leave(self, peer: str) -> None:
        if peer in self.hosted.clients:
            self.hosted.disconnect(peer)
        del self.clients[peer]
        self.take()

    @rule(seconds=st.sampled_from([0.0, 30.0]))
    def restart(self, seconds: float) -> None:
        """All clients at tables return to their seats under their names."""
        self.check_clients()
        self.hosted = self.opened(self.hosted.journal.after_a_crash(), self.hosted.now + 1e6)
        self.hosted.now += seconds
        for peer, client in self.clients.items():
            if not client.joined or client.closed or client.ended_input:
                client.closed, client.seat = True, None
                continue
            notices = self.hosted.ask(peer, Join(client.name))
            assert notices[0] == Seated(client.seat)
            assert isinstance(notices[1], TurnBegan | MatchEnded)
            client.standing = notices[1]
        self.hosted.forget()

    @rule(seconds=st.sampled_from([0.1, 4.0, 10.0]))
    def let_time_pass(self, seconds: float) -> None:
        """Let time pass without a tick: the next move may be too late."""
        self.hosted.now += seconds

    @rule()
    def tick(self) -> None:
        self.hosted.wait(0.0)
        self.take()
        due = self.hosted.host.timers.next_deadline()
        assert due is None or due > self.hosted.now

    def ask(self, peer: str, request: Request[Cell]) -> None:
        client = self.clients[peer]
        if client.closed or client.ended_input:
            # Only the end of the connection may follow.
            client.seat, client.closed, client.standing = None, True, None
            if peer in self.hosted.clients:
                self.hosted.disconnect(peer)
        else:
            if client.seat is None or not isinstance(request, Play):
                # The host ticks an overdue room before a request; only a move can be too late.
                self.tick()
            self.hosted.submit(peer, request)
            self.hosted.settle()
        self.take()

    def take(self) -> None:
        """Process the notices of all clients, and check them."""
        for client in self.clients.values():
            client.received = []
        for peer, hosted in self.hosted.clients.items():
            assert hosted.ignored == [], "nothing comes after a dismissal"
            for notice in hosted.received:
                self.ends += isinstance(notice, MatchEnded)
                self.receive(self.clients[peer], notice)
            hosted.received.clear()

    def receive(self, client: Client, notice: object) -> None:
        client.received.append(notice)
        match notice:
            case Seated(seat):
                client.joined, client.seat = True, seat
            case Refused():
                pass
            case Closed():
                client.closed, client.seat = True, None
            case ChatSent(text=text):
                assert client.joined
                assert text
            case MovePlayed(seat, move, position, deadline):
                assert client.joined
                assert isinstance(client.standing, TurnBegan)
                assert client.standing.position.after(move) == position
                assert client.standing.position.to_move is seat
                if position.to_move is not None:
                    client.standing = TurnBegan(position.to_move, position, deadline)
            case MoveRefused(seat, _, reason, position, in_a_row):
                assert seat is client.seat
                assert client.standing is not None
                assert position == client.standing.position
                assert reason
                assert in_a_row <= 4
            case TurnBegan() | MatchEnded():
                assert client.joined
                client.standing = notice
            case _:
                pytest.fail(f"an unknown notice: {notice}")

    def present(self) -> dict[str, Client]:
        return {
            peer: client
            for peer, client in self.clients.items()
            if client.joined and not client.closed
        }

    def open_tables(self) -> list[OpenTable[Cell]]:
        if not hasattr(self, "hosted"):
            return []
        rooms = [table.room for table in self.hosted.room.tables.values()]
        assert len(rooms) <= self.tables
        return [room for room in rooms if isinstance(room, OpenTable)]

    def players_by_table(self) -> list[dict[Seat, str]]:
        return [
            {seat: self.by_peer()[member.peer] for seat, member in table._players.items()}
            for table in self.open_tables()
        ]

    def by_peer(self) -> dict[int, str]:
        return {client.peer: who for who, client in self.hosted.clients.items()}

    @invariant()
    def no_two_share_a_seat_and_everybody_knows_its_own(self) -> None:
        self.check_clients()

    def check_clients(self) -> None:
        seated = {peer: seat for table in self.players_by_table() for seat, peer in table.items()}
        known = {peer: client.seat for peer, client in self.present().items() if client.seat}
        assert seated == known

    @invariant()
    def no_two_share_a_name_and_the_lobby_knows_them_all(self) -> None:
        names = [
            member.name.casefold()
            for table in self.open_tables()
            for member in table._members.values()
            if member.peer not in table._half_closed_spectators
        ]
        assert len(names) == len(set(names))
        if hasattr(self, "hosted"):
            lobby = self.hosted.room.room
            assert isinstance(lobby, OpenLobby)
            assert set(lobby._names._owners) == set(names)

    @invariant()
    def the_lobby_knows_its_tables(self) -> None:
        if hasattr(self, "hosted"):
            lobby = self.hosted.room.room
            assert isinstance(lobby, OpenLobby)
            tables = self.hosted.room.tables.items()
            open_tables = {n: one.room for n, one in tables if isinstance(one.room, OpenTable)}
            assert lobby._tables == {n: table.occupancy for n, table in open_tables.items()}
            assert len(self.hosted.journal.rooms) == len(open_tables)

    @invariant()
    def everybody_at_a_table_has_been_shown_the_same_board(self) -> None:
        """Except after the last player has left, when the board is cleared without a notice."""
        for table in self.open_tables():
            if table._players:
                peers, referee = self.by_peer(), table._referee
                for standing in [self.clients[peers[peer]].standing for peer in table._members]:
                    assert standing is not None
                    assert standing.position == referee.position
                    assert isinstance(standing, MatchEnded) == (referee.result is not None)

    @invariant()
    def results_and_boards_agree(self) -> None:
        for client in self.present().values():
            if isinstance(client.standing, MatchEnded):
                outcome = client.standing.position.outcome
                result = client.standing.result
                assert (result.ending is Ending.PLAYED_OUT) == (outcome is not None)
                if outcome is not None:
                    assert result.winner is outcome.winner

    @invariant()
    def a_match_that_is_counted_was_told(self) -> None:
        if hasattr(self, "hosted"):
            assert len(self.hosted.journal.records) <= self.ends

    @invariant()
    def time_runs_only_between_two_players(self) -> None:
        for table in self.open_tables():
            if len(table._players) < 2:
                assert table.deadline is None


OpenLobbyMachine.TestCase.settings = settings(
    max_examples=150, stateful_step_count=60, deadline=None
)
test_any_order_of_requests_keeps_tables_in_order = OpenLobbyMachine.TestCase

"""Any order of joins, plays, chats, rematches, leaves and ticks keeps the room in order.

The machine knows of the room only what the deliveries say, as a client would, and a naive game for
what the board must be.
"""

import pytest
from gamehall.rooms.open_tables import OpenTables
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

from gamehall.core import Seat, SeededRandom
from gamehall.games.connect_four import Cell, ConnectFour, ConnectFourPosition
from gamehall.match import (
    Clock,
    Ending,
    MatchEnded,
    MovePlayed,
    MoveRefused,
    TurnBegan,
)
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import ChatSent, Closed, Refusal, Refused, Seated
from gamehall.rooms.reaction import Delivery, Peer
from gamehall.rooms.requests import Chat, EndOfInput, Join, Leave, Play, Rematch, Request
from gamehall.rooms.terms import LeaveRule, RematchRule, TableTerms

NAMES = st.sampled_from(["ann", "Ann", "bob", "cyd", "dan", "eve", "", "root", "é"])
CELLS = st.builds(Cell, st.integers(-1, 7), st.integers(-1, 6))


class Client:
    """What a peer has been told."""

    def __init__(self) -> None:
        self.let_in = False
        self.seat: Seat | None = None
        self.standing: TurnBegan[Cell] | MatchEnded[Cell] | None = None
        self.dismissed = False
        self.hung_up = False
        self.told_to_this: list[object] = []


class OpenTablesMachine(RuleBasedStateMachine):
    peers: Bundle[Peer] = Bundle("peers")

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.arrivals = 0
        self.clients: dict[Peer, Client] = {}
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
        self.room = OpenTables(ConnectFour(), self.terms, NameRules(), SeededRandom(1), tables)

    @rule(target=peers)
    def arrive(self) -> Peer:
        self.arrivals += 1
        peer = Peer(self.arrivals)
        self.clients[peer] = Client()
        return peer

    @rule(peer=peers, name=NAMES)
    def join(self, peer: Peer, name: str) -> None:
        was_in, had = self.clients[peer].let_in, self.clients[peer].seat
        self.ask(peer, Join(name))
        if self.clients[peer].dismissed:
            return
        answers = [
            notice
            for notice in self.clients[peer].told_to_this
            if isinstance(notice, Seated | Refused)
        ]
        assert len(answers) == 1, "every JOIN gets one response"
        if had is not None:
            assert answers == [Seated(had)]
        if had is None and self.clients[peer].seat is not None:
            # T-Q06, T-Q13: who takes a seat is shown one board, and never that of a finished game.
            [board] = [
                notice
                for notice in self.clients[peer].told_to_this
                if isinstance(notice, TurnBegan | MatchEnded)
            ]
            assert isinstance(board, TurnBegan)
        if not was_in and answers == [Refused(Refusal.FULL)]:
            assert all(len(players) == 2 for players in self.players_by_table())

    @rule(peer=peers, cell=CELLS)
    def play(self, peer: Peer, cell: Cell) -> None:
        standing = self.clients[peer].standing
        seat = self.clients[peer].seat
        move = cell
        if standing is not None and isinstance(standing.position, ConnectFourPosition):
            move = standing.position.named(*cell)
        self.ask(peer, Play(move))
        told = self.clients[peer].told_to_this
        if seat is None or standing is None:
            assert told == [], "spectators and strangers are not heard"
        elif isinstance(standing, MatchEnded) or standing.seat is not seat:
            assert not any(isinstance(notice, MovePlayed) for notice in told)

    @rule(peer=peers, text=st.sampled_from(["", "hi", "x" * 1000]))
    def say(self, peer: Peer, text: str) -> None:
        self.ask(peer, Chat(text))
        assert self.clients[peer].told_to_this == [], "nobody hears itself"

    @rule(peer=peers)
    def rematch(self, peer: Peer) -> None:
        seat = self.clients[peer].seat
        self.ask(peer, Rematch())
        told = self.clients[peer].told_to_this
        if seat is None:
            assert told == []
        elif self.terms.rematch is RematchRule.ANY:
            [fresh] = told
            assert isinstance(fresh, TurnBegan)
            assert fresh.position == ConnectFour().start(0)

    @rule(peer=peers)
    def hang_up(self, peer: Peer) -> None:
        needed = self.clients[peer].seat is not None or not self.clients[peer].let_in
        self.ask(peer, EndOfInput())
        assert self.clients[peer].dismissed or not needed
        self.clients[peer].hung_up = True

    @rule(peer=consumes(peers))
    def leave(self, peer: Peer) -> None:
        self.ask(peer, Leave(None))
        assert self.clients.pop(peer).told_to_this == []

    @rule(seconds=st.sampled_from([0.1, 4.0, 10.0]))
    def let_time_pass(self, seconds: float) -> None:
        """Without anybody having looked at the clock: the next move may be too late."""
        self.now += seconds

    @rule()
    def tick(self) -> None:
        self.take(self.room.tick(self.now))
        assert self.room.deadline is None or self.room.deadline > self.now

    def ask(self, peer: Peer, request: Request[Cell]) -> None:
        client = self.clients[peer]
        if client.dismissed or client.hung_up:
            # Nothing but this follows, and a room does not mind it from those it does not know.
            request = Leave(None)
            client.seat, client.dismissed = None, True
        self.take(self.room.handle(peer, request, self.now))

    def take(self, deliveries: list[Delivery[Cell]]) -> None:
        """Lets the clients hear their notices, and checks what each may hear."""
        for client in self.clients.values():
            client.told_to_this = []
        for delivery in deliveries:
            assert len(set(delivery.peers)) == len(delivery.peers)
            self.ends += isinstance(delivery.notice, MatchEnded) and len(delivery.peers) > 0
            for peer in delivery.peers:
                self.hear(self.clients[peer], delivery.notice)

    def hear(self, client: Client, notice: object) -> None:
        assert not client.dismissed, "nothing comes after a dismissal"
        client.told_to_this.append(notice)
        match notice:
            case Seated(seat):
                client.let_in, client.seat = True, seat
            case Refused():
                pass
            case Closed():
                client.dismissed, client.seat = True, None
            case ChatSent(text=text):
                assert client.let_in
                assert text
            case MovePlayed(seat, move, position, deadline):
                assert client.let_in
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
                assert client.let_in
                client.standing = notice
            case _:
                pytest.fail(f"an unknown notice: {notice}")

    def present(self) -> dict[Peer, Client]:
        return {
            peer: client
            for peer, client in self.clients.items()
            if client.let_in and not client.dismissed
        }

    def players_by_table(self) -> list[dict[Seat, Peer]]:
        return [
            {seat: member.peer for seat, member in table._players.items()}
            for table in self.room._tables
        ]

    @invariant()
    def no_two_share_a_seat_and_everybody_knows_its_own(self) -> None:
        if not hasattr(self, "room"):
            return
        seated = {peer: seat for table in self.players_by_table() for seat, peer in table.items()}
        known = {peer: client.seat for peer, client in self.present().items() if client.seat}
        assert seated == known

    @invariant()
    def no_two_share_a_name(self) -> None:
        if not hasattr(self, "room"):
            return
        names = [
            member.name.casefold()
            for table in self.room._tables
            for member in table.members()
            if member.peer not in table._listeners
        ]
        assert len(names) == len(set(names))
        assert set(self.room._names._owners) == set(names)

    @invariant()
    def everybody_at_a_table_has_been_shown_the_same_board(self) -> None:
        """Except after the last player has gone, when the board is cleared without a word."""
        if not hasattr(self, "room"):
            return
        for table in self.room._tables:
            if table._players:
                shown = {self.clients[member.peer].standing for member in table.members()}
                assert len(shown) == 1
                [standing] = shown
                assert standing is not None
                assert standing.position == table._referee.position
                assert isinstance(standing, MatchEnded) == (table._referee.result is not None)

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
        if hasattr(self, "room"):
            assert self.room.finished <= self.ends

    @invariant()
    def time_runs_only_between_two_players(self) -> None:
        if not hasattr(self, "room"):
            return
        for table in self.room._tables:
            if len(table._players) < 2:
                assert table.deadline is None


OpenTablesMachine.TestCase.settings = settings(
    max_examples=150, stateful_step_count=60, deadline=None
)
test_any_order_of_requests_keeps_the_room_in_order = OpenTablesMachine.TestCase

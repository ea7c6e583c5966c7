"""A state machine test of tournaments: random requests at random times.

The machine derives the state of the tournament from the notices, like a client, and decides itself
which players must be disqualified.
"""

from collections import Counter
from itertools import combinations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Clock, Ending, MatchEnded, MatchEvent, MovePlayed, MoveRefused, TurnBegan
from gamehall.rooms import notices as told
from gamehall.rooms import requests
from gamehall.rooms.requests import (
    AskAgain,
    BadAnswer,
    ClientPolicy,
    EndOfInput,
    Join,
    Keepalive,
    Leave,
    Play,
    Probe,
    Request,
)
from gamehall.rooms.room import Delivery, Peer
from gamehall.rooms.terms import TournamentTerms
from gamehall.tournaments.standings import CheaterRule, Win
from tests.support.tournament_rooms import TournamentRooms

STRICT = ClientPolicy(clock=Clock(5.0), probes_per_second=3, one_probe_window=True)
LENIENT = ClientPolicy(
    clock=Clock(10.0), retries=2, probes_per_second=5, keepalive=Keepalive(2.0, 4.0)
)
POLICIES = st.sampled_from([STRICT, LENIENT, STRICT, LENIENT, ClientPolicy(probes_per_second=0)])
CORNER, NOWHERE, PONG = Cell(0, 5), Cell(7, 7), requests.Pong()
ANSWERS = [Play(CORNER), Play(NOWHERE), BadAnswer("nonsense"), AskAgain()]
PROBES = [Probe(CORNER), Probe(NOWHERE), Probe[Cell](None)]
DEPARTURES = [EndOfInput(), Leave(None), Leave("broke the protocol")]
REQUESTS = st.sampled_from([*ANSWERS, *PROBES, *DEPARTURES, PONG])
TERMS = st.builds(
    TournamentTerms,
    players=st.sampled_from([None, None, 2, 3]),
    max_players=st.sampled_from([2, 4]),
    matches_per_pair=st.integers(1, 3),
    best_of=st.booleans(),
    parallel=st.booleans(),
    cheaters_matches=st.sampled_from(CheaterRule),
    once=st.sampled_from([False, False, False, True]),
)


class Match:
    """A match, as it follows from the notices of its players."""

    def __init__(self) -> None:
        self.seats: dict[Client, Seat] = {}
        self.failed: set[Client] = set()
        self.ends_told = 0


class Client:
    """A client, as it follows from its notices and requests."""

    def __init__(self, peer: Peer, policy: ClientPolicy) -> None:
        self.peer, self.policy, self.name = peer, policy, ""
        self.has_ended_input = self.is_waiting = self.is_disqualified = self.received_end = (
            self.is_gone
        ) = False
        self.pinged_at: float | None = None
        self.match: Match | None = None
        self.prompt: TurnBegan[Cell] | None = None  # what it has been asked and has not answered
        self.bad_answers = 0
        self.has_half = False
        self.probes: list[float] = []

    def legal_moves(self) -> list[Cell]:
        return list(self.prompt.position.legal_moves()) if self.prompt else []


class TournamentMachine(RuleBasedStateMachine):
    @initialize(terms=TERMS)
    def open(self, terms: TournamentTerms) -> None:
        self.terms, self.now, self.arrivals = terms, 0.0, 0
        self.room = TournamentRooms(ConnectFour(line_length=3), terms)
        self.clients: list[Client] = []
        self.asker: Client | None = None
        self.begin_again()

    def begin_again(self) -> None:
        self.players: dict[str, Client] = {}  # also those who are out
        self.cheaters: list[str] = []
        self.met: Counter[frozenset[str]] = Counter()
        self.wins: list[Win] = []

    @precondition(lambda self: len(self.clients) < 6)
    @rule(name=st.sampled_from(["ann", "Ann", "", "cyd"]), policies=st.lists(POLICIES, max_size=3))
    def sign_up(self, name: str, policies: list[ClientPolicy]) -> None:
        for policy in policies:
            self.arrivals += 1
            self.clients.append(Client(Peer(self.arrivals), policy))
            self.ask(self.clients[-1], Join(name, policy))

    @precondition(lambda self: self.players)
    @rule(moves=st.sampled_from([1, 9, 60]), habit=st.integers(0, 6), seconds=st.integers(0, 1))
    def play_on(self, moves: int, habit: int, seconds: int) -> None:
        """Answer all prompts and pings; some players first answer badly."""
        for number in range(moves):
            self.now += seconds
            for client in [client for client in self.clients if client.pinged_at]:
                self.ask(client, PONG)
            for client in [client for client in self.clients if client.prompt]:
                if client.policy.retries > 0 and habit % 2:
                    self.ask(client, BadAnswer("a slip"))
                legal = client.legal_moves() or [CORNER]
                self.ask(client, Play(legal[(number * habit + number // 3) % len(legal)]))

    @precondition(lambda self: self.clients)
    @rule(who=st.integers(0, 9), request=REQUESTS, times=st.sampled_from([1, 1, 2, 4]))
    def send(self, who: int, request: Request[Cell], times: int) -> None:
        crowd = [client for client in self.clients if client.prompt] * 2 + self.clients
        for _ in range(times):
            self.ask(crowd[who % len(crowd)], request)

    @rule(seconds=st.sampled_from([0.01, 0.5, 3.0, 30.0, None, None]), is_noticed=st.booleans())
    def let_time_pass(self, seconds: float | None, is_noticed: bool) -> None:
        """Let time pass, perhaps without a tick: the next request may be too late."""
        self.now = max(self.now, self.now + seconds if seconds else self.room.deadline or 0.0)
        if is_noticed:
            self.tick()

    @precondition(lambda self: self.arrivals > 9)
    @rule()
    def everybody_leaves(self) -> None:
        for client in list(self.clients):
            self.ask(client, Leave(None))
        assert (self.clients, self.players, self.room.deadline) == ([], {}, None)

    def tick(self) -> None:
        self.asker = None
        self.take(self.room.tick(self.now).deliveries)
        assert self.room.deadline is None or self.room.deadline > self.now

    def ask(self, client: Client, request: Request[Cell]) -> None:
        if self.room.deadline is not None and self.now >= self.room.deadline:
            # Like the host, tick an overdue room before a request.
            self.tick()
        if client.is_gone or (client.has_ended_input and not isinstance(request, Leave)):
            return
        self.asker, self.request = client, request
        must_go = (client.name or client.is_waiting) and self.misbehaves(client)
        client.has_ended_input |= isinstance(request, EndOfInput)
        self.take(self.room.handle(client.peer, request, self.now).deliveries)
        assert client not in self.clients or not must_go, "a client that misbehaves is disqualified"
        client.pinged_at = None

    def misbehaves(self, client: Client) -> bool:
        """Return True if the present request disqualifies the client."""
        match self.request:
            case Play(move) if move in client.legal_moves():
                return False
            case Play() | BadAnswer() if client.prompt and client.match:
                # the answer of a player who has already won does not matter.
                return not client.match.failed and client.bad_answers >= client.policy.retries
            case Play() | BadAnswer() | AskAgain():
                return client.prompt is None
            case EndOfInput():
                # before its tournament has begun, such a player has left.
                return client.is_waiting or client.prompt is not None
            case Probe():
                lately = [when for when in client.probes if when > self.now - 1.0]
                return len(lately) >= client.policy.probes_per_second
            case _:
                return isinstance(self.request, Leave)

    def is_late(self, client: Client) -> bool:
        deadline = client.prompt.deadline if client.prompt else None
        return deadline is not None and deadline <= self.now

    def is_to_blame(self, client: Client) -> bool:
        """Return True if there is a reason to disqualify the client now."""
        late = self.is_late(client) and client.match is not None and not client.match.failed
        hung_up = client.has_ended_input and client.prompt is not None
        return late or hung_up or (client is self.asker and self.misbehaves(client))

    def take(self, deliveries: list[Delivery[Cell]]) -> None:
        """Process the notices of all clients, and check them."""
        known = {client.peer: client for client in self.clients}
        for delivery in deliveries:
            if isinstance(delivery.notice, told.TournamentEnded):
                self.check_the_end(delivery.notice, [known[peer] for peer in delivery.peers])
            for peer in delivery.peers:
                self.receive(known[peer], delivery.notice)
        self.clients[:] = [client for client in self.clients if not client.is_gone]
        for client in self.clients:
            assert not client.received_end
            assert not (client.has_ended_input and client.prompt), "X-07"

    def receive(self, client: Client, notice: told.Notice[Cell]) -> None:
        assert isinstance(notice, told.Closed) or not (client.is_gone or client.received_end)
        match notice:
            case TurnBegan() | MovePlayed() | MoveRefused() | MatchEnded():
                assert client.match is not None
                self.receive_event(client, client.match, notice)
            case told.SignedUp():
                client.is_waiting = True
            case told.Ping():
                assert client.is_waiting > (client.pinged_at is not None)
                client.pinged_at = self.now
            case told.TournamentBegan(name):
                assert client.is_waiting > (name in self.players)
                assert not any(player.match for player in self.players.values())
                self.players[name], client.name, client.is_waiting = client, name, False
                client.probes.clear()
            case told.MatchBegan(Seat() as seat, opponent):
                other = self.players[opponent]
                assert (client.match, client.is_disqualified) == (None, False)
                client.match = other.match or Match()
                assert client.match.seats in ({}, {other: seat.other})
                client.match.seats[client] = seat
            case told.ProbeAnswered(is_legal):
                assert is_legal == (self.request in [Probe(move) for move in client.legal_moves()])
                client.probes.append(self.now)
            case told.TournamentEnded():
                client.received_end = True
            case _:
                assert isinstance(notice, told.Closed)
                self.check_closed(client)
                client.is_gone = True

    def check_closed(self, client: Client) -> None:
        if client.is_waiting:
            since, keepalive = client.pinged_at, client.policy.keepalive
            is_silent = since and keepalive and since + keepalive.seconds_to_answer <= self.now
            assert (
                is_silent or (client is self.asker and self.misbehaves(client)) or self.terms.once
            )
        elif client.name and not client.received_end and not client.is_gone:
            assert not client.match, "a match has an end"
            assert client.is_disqualified or self.is_to_blame(client)
            client.is_disqualified = True
            self.cheaters.append(client.name)

    def receive_event(self, client: Client, match: Match, notice: MatchEvent[Cell]) -> None:
        seat, asked = match.seats[client], client.prompt
        answers = client is self.asker and self.request not in [*PROBES, *DEPARTURES, PONG]
        assert isinstance(notice, MatchEnded) or not match.failed
        match notice:
            case TurnBegan(to_move, position, deadline):
                assert to_move is seat is position.to_move
                assert answers or not asked, "an open prompt is not repeated unasked"
                if asked and self.request == AskAgain() and client.has_half:
                    assert deadline == asked.deadline, "the same half of a move gets no new time"
                else:
                    assert deadline == client.policy.clock.deadline(self.now)
                    if not asked or self.request == AskAgain():
                        client.bad_answers = 0
                        client.has_half = bool(asked)
                if not asked and not client.policy.one_probe_window:
                    client.probes.clear()
                client.prompt = notice
            case MovePlayed(mover, move, position):
                assert (mover is seat) == (asked is not None)
                assert not asked or (answers, asked.position.after(move)) == (True, position)
                client.prompt = None
            case MoveRefused(in_a_row=in_a_row):
                client.bad_answers += 1
                assert (answers, in_a_row) == (True, client.bad_answers)
            case MatchEnded(result, position):
                if result.ending is Ending.PLAYED_OUT:
                    assert (asked, match.failed, position.to_move) == (None, set(), None)
                elif result.winner is seat:
                    assert len(match.failed) == 1
                    assert not asked or answers or self.is_late(client), "X-06"
                else:
                    assert self.is_to_blame(client)
                    client.is_disqualified = True
                    match.failed.add(client)
                client.match, client.prompt, match.ends_told = None, None, match.ends_told + 1
                if match.ends_told == 2:
                    self.note_end(match, result.winner)

    def note_end(self, match: Match, winner: Seat | None) -> None:
        self.met[frozenset(client.name for client in match.seats)] += 1
        for client, seat in match.seats.items():
            if client not in match.failed if match.failed else seat is winner:
                self.wins += [Win(client.name, to.name) for to in match.seats if to is not client]

    def check_the_end(self, notice: told.TournamentEnded, receivers: list[Client]) -> None:
        out, wins, most = self.cheaters, self.wins, self.terms.matches_per_pair
        left = [name for name, player in self.players.items() if not player.is_disqualified]
        assert ([client.name for client in receivers], list(notice.cheaters)) == (left, out)
        for one, other in combinations(left, 2):
            lead = max(wins.count(Win(one, other)), wins.count(Win(other, one)))
            is_decided = self.terms.best_of and lead > most / 2
            assert self.met[frozenset([one, other])] == most or is_decided
        forfeits: Counter[Win] = Counter()
        if self.terms.cheaters_matches is CheaterRule.REAWARD:
            # The player who has not cheated wins; otherwise the result stays.
            wins = [Win(*sorted(win, key=out.__contains__)) for win in wins if {*win} - {*out}]
        elif self.terms.cheaters_matches is CheaterRule.DROP:
            wins = [win for win in wins if not {*win} & {*out}]
        elif self.terms.cheaters_matches is CheaterRule.FORFEIT:
            for win in [Win(name, cheater) for name in left for cheater in out]:
                forfeits[win] = most - self.met[frozenset(win)]
        assert list(notice.wins[: len(wins)]) == wins
        # With best_of the number of matches that a pair would have played is unknown.
        assert self.terms.best_of or Counter(notice.wins[len(wins) :]) == forfeits
        self.begin_again()

    @invariant()
    def every_match_waits_for_one_answer(self) -> None:
        prompts = [(client.match, client.prompt) for client in self.clients if client.prompt]
        matches = {client.match for client in self.clients if client.match}
        assert Counter(match for match, _ in prompts) == Counter(matches)
        assert bool(self.players) <= len(matches) <= (9 if self.terms.parallel else 1)
        for due in [prompt.deadline for _, prompt in prompts if prompt.deadline]:
            assert (self.room.deadline or due + 1) <= due


TournamentMachine.TestCase.settings = settings(max_examples=250)
test_any_order_of_requests_keeps_tournaments_in_order = TournamentMachine.TestCase

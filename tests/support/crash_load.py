"""Clients that play at every door until the server is killed, and continue after its restart.

Each keeps every byte that it received, by connection, because the server must not lose anything
that it has sent to a client. After a restart the clients wait for each other, so that all have seen
the restored state before the first of them moves.
"""

import contextlib
import http.client
import json
import random
import re
import socket
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial

from tests.independent import go_text_clients, santorini_lobby_clients
from tests.independent.ascension_clients import State, StepClient
from tests.independent.go_text_clients import Behaviour, LineClient, Terms
from tests.independent.santorini_board import (
    Position,
    Turn,
    after,
    beside,
    follows,
    free_cells,
    legal_turns,
    read_board,
)
from tests.independent.santorini_tournament_clients import RESULTS, turn_request

HOST = "127.0.0.1"
PATIENCE_SECONDS = 30.0

TTTP, LOBBY, TOURNAMENT = "tttp", "santorini-lobby", "santorini-tournament"
GO, ASCENSION = "go-text", "ascension-http"

TTTP_PAIRS = 2
GO_PAIRS = 2
LOBBY_NAMES = ("ada", "bea", "cyd", "dot")
TOURNAMENT_NAMES = ("ann", "bob", "cat", "dan")
GAMES_PER_PAIR = 2

ARRIVAL = threading.Lock()
"""Held while a pair of Go players connects, so that both get to the same table."""


class ServerGoneError(Exception):
    """The connection was closed while the client was still playing."""


class CrashClients:
    """All clients of a server, over several restarts of it."""

    patience_seconds = PATIENCE_SECONDS
    """How long clients with a name wait for an answer."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self._change = threading.Condition()
        self._acknowledged: Counter[str] = Counter()
        self.total: Counter[str] = Counter()
        """Acknowledged moves by door, over all restarts: boards, prompts, states, successes."""
        self._failures: list[Exception] = []
        self.is_killed = False
        self._threads: list[threading.Thread] = []
        self._met = threading.Barrier(1)
        self.is_last_run = False
        """Whether clients stop after the current game or tournament."""
        self.tttp: list[TttpPlayer] = []
        for number in range(2 * TTTP_PAIRS):
            before = self.tttp[-1] if self.tttp else None
            self.tttp.append(TttpPlayer(self, number, before, chance))
        self.lobby = [LobbyPlayer(self, LOBBY, name, chance) for name in LOBBY_NAMES]
        self.tournament = [
            TournamentPlayer(self, TOURNAMENT, name, chance) for name in TOURNAMENT_NAMES
        ]
        first = AscensionPlayer(self, 0, None)
        self.ascension = [first, AscensionPlayer(self, 1, first)]
        self.go = [GoPair(self, chance.randrange(1 << 30)) for _ in range(GO_PAIRS)]

    @property
    def named(self) -> "list[NamedPlayer]":
        return [*self.tttp, *self.lobby, *self.tournament]

    def play(
        self, ports: Mapping[str, int], returns: Mapping[tuple[str, str], bytes], state: bytes
    ) -> None:
        """Start all clients.

        Args:
            returns: what each returning client must receive first, by door and name.
            state: the state of the Ascension game that its players must see.
        """
        self.is_killed = False
        self._acknowledged.clear()
        polled = [one for one in self.ascension if not one.is_done]
        self._met = threading.Barrier(len(self.named) + len(polled))
        calls: list[tuple[str, Callable[[], None]]] = []
        for player in self.named:
            due = returns.get((player.door, player.name))
            calls.append((player.name, partial(player.play, ports[player.door], due)))
        for one in polled:
            calls.append((f"player {one.index}", partial(one.play, ports[ASCENSION], state)))
        for pair in self.go:
            calls.append(("a pair at go", partial(pair.play, ports[GO])))
        self._threads = [
            threading.Thread(target=self._run, args=call, name=call[0], daemon=True)
            for call in calls
        ]
        for thread in self._threads:
            thread.start()

    def wait_for_all(self) -> None:
        """Wait until all clients have connected."""
        self._met.wait(PATIENCE_SECONDS)

    def note(self, door: str) -> None:
        """Count a message that acknowledges a move."""
        with self._change:
            self._acknowledged[door] += 1
            self.total[door] += 1
            self._change.notify_all()

    def wait_for(self, count: int, doors: Sequence[str]) -> None:
        """Wait for this number of acknowledged moves, and at least one at each of these doors."""

        def enough() -> bool:
            done = self._acknowledged
            return bool(self._failures) or (
                sum(done.values()) >= count and all(done[door] for door in doors)
            )

        with self._change:
            came = self._change.wait_for(enough, PATIENCE_SECONDS)
            told = f"{self._acknowledged} instead of {count}"
        self._raise_failures()
        assert came, told

    def expect_kill(self) -> None:
        """Do not report connections that break from now on."""
        self.is_killed = True

    def finish(self) -> None:
        """Wait until all clients have stopped. Raises the first error before the kill."""
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)
        late = [thread.name for thread in self._threads if thread.is_alive()]
        self._raise_failures()
        assert not late, f"still playing: {late}"

    def _run(self, name: str, play: Callable[[], None]) -> None:
        try:
            play()
        except Exception as error:  # the waiting test must see any error
            if self.is_killed and isinstance(error, OSError | ServerGoneError):
                return
            error.add_note(f"in the client {name}")
            with self._change:
                self._failures.append(error)
                self._change.notify_all()
            self._met.abort()

    def _raise_failures(self) -> None:
        # Clients that waited for the one that failed have only follow-up errors.
        others = [f for f in self._failures if not isinstance(f, threading.BrokenBarrierError)]
        if others:
            raise others[0]
        if self._failures:
            raise self._failures[0]


class NamedPlayer(ABC):
    """A client with a name. `received` has all bytes received, by connection."""

    def __init__(self, clients: CrashClients, door: str, name: str, chance: random.Random) -> None:
        self.clients = clients
        self.door = door
        self.name = name
        self.chance = random.Random(chance.randrange(1 << 30))
        self.received: list[bytearray] = []
        self._buffer = b""

    @abstractmethod
    def first_message(self) -> bytes:
        """The first message of a connection."""

    @abstractmethod
    def read_welcome(self) -> None:
        """Wait for the answer to the first message, if there is one."""

    @abstractmethod
    def play_connection(self, returned: bool) -> bool:
        """Play until the connection ends. Return True to connect again."""

    def play(self, port: int, due: bytes | None) -> None:
        """Play until there is nothing more to play.

        Args:
            due: what the client must receive first if it returns to a game, otherwise None.
        """
        is_first = True
        while is_first or not self.clients.is_last_run:
            patience = self.clients.patience_seconds
            with socket.create_connection((HOST, port), patience) as self._socket:
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.received.append(bytearray())
                self._buffer = b""
                self._socket.sendall(self.first_message())
                if is_first:
                    while due and len(self._buffer) < len(due):
                        self._receive()
                    assert due is None or self._buffer[: len(due)] == due, (
                        f"{self.name} received {bytes(self._buffer)!r}, not {due!r}"
                    )
                    self.read_welcome()
                    self.clients.wait_for_all()
                is_wanted = self.play_connection(returned=is_first and due is not None)
            is_first = False
            if not is_wanted:
                break

    def read(self, length: int) -> bytes:
        """Read this number of bytes."""
        while len(self._buffer) < length:
            self._receive()
        data, self._buffer = self._buffer[:length], self._buffer[length:]
        return data

    def read_line(self) -> bytes:
        """Read a line, without its end."""
        while b"\n" not in self._buffer:
            self._receive()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def _receive(self) -> None:
        arrived = self._socket.recv(4096)
        if not arrived:
            raise ServerGoneError(f"after {bytes(self.received[-1][-200:])!r}")
        self.received[-1] += arrived
        self._buffer += arrived


class TttpPlayer(NamedPlayer):
    """Plays games with the same opponent. Red asks for the rematch."""

    def __init__(
        self,
        clients: CrashClients,
        number: int,
        before: "TttpPlayer | None",
        chance: random.Random,
    ) -> None:
        """`before` is the player that must have joined first, so that each gets its seat."""
        super().__init__(clients, TTTP, f"{('red', 'blue')[number % 2]}{number // 2}", chance)
        self.seat = number % 2 + 1
        self.has_joined = threading.Event()
        self._before = before
        self.ended: list[bytes] = []
        """The last board of each game."""
        self.shown: list[bytes] = []
        """The boards of the last game on the last connection."""
        self.last_frame = b""
        self._turn, self._won, self._spots = 1, 0, bytes(42)

    def first_message(self) -> bytes:
        if self._before is not None:
            assert self._before.has_joined.wait(PATIENCE_SECONDS)
        return b"JOIN" + bytes([len(self.name)]) + self.name.encode()

    def read_welcome(self) -> None:
        code = self.read(5)
        assert code == b"JOIN" + bytes([self.seat]), f"{self.name} is told {code!r}"
        self.has_joined.set()

    def play_connection(self, returned: bool) -> bool:
        is_first = True
        self.shown = []
        while True:
            update = self.read(48)
            assert update[:4] == b"UPDT", f"{self.name} is told {update!r}"
            turn, won, spots = update[4], update[5], update[6:]
            self._check(won, spots, may_be_same=is_first)
            self.last_frame = update
            if not any(spots):
                self.shown = []
            self.shown.append(spots)
            is_first = False
            is_new = (won, spots) != (self._won, self._spots)
            self._turn, self._won, self._spots = turn, won, spots
            if is_new:
                self.clients.note(TTTP)
                if won:
                    self.ended.append(spots)
            if won and self.clients.is_last_run:
                return False
            if won and self.seat == 1:
                self.send(b"RMCH")
            elif not won and turn == self.seat:
                column = self.chance.choice([x for x in range(7) if not spots[x]])
                self.send(b"PLAY" + bytes([column, 0]))

    def _check(self, won: int, spots: bytes, may_be_same: bool) -> None:
        """Check that the board is the last one that was shown, or the next."""
        changed = [x for x in range(42) if spots[x] != self._spots[x]]
        is_next = len(changed) == 1 and not self._spots[changed[0]] and not self._won
        is_fresh = not any(spots) and (bool(self._won) or not any(self._spots))
        is_same = may_be_same and (won, spots) == (self._won, self._spots)
        assert is_next or is_fresh or is_same, (
            f"{self.name}: {self._spots!r} (won {self._won}) became {spots!r} (won {won})"
        )


class SantoriniPlayer(NamedPlayer):
    """Plays tournaments, and checks that each board follows from the one before."""

    def __init__(self, clients: CrashClients, door: str, name: str, chance: random.Random) -> None:
        super().__init__(clients, door, name, chance)
        self._last: tuple[Position, list[Turn]] | None = None
        """The last position with a prompt, and the turns that its answer may have meant."""
        self.shown: list[object] = []
        """The boards of the last game on the last connection."""
        self.ended: list[list[object]] = []
        """The boards of each finished game."""

    def begin(self) -> None:
        """Note that a game begins, or continues over a new connection."""
        self.shown = []

    def see(self, board: object) -> None:
        """Note the board of a prompt."""
        self.clients.note(self.door)
        self.shown.append(board)

    def end(self) -> None:
        """Note the end of a game."""
        self.ended.append(self.shown)
        self.shown = []
        self._last = None

    def read_welcome(self) -> None:
        """Do nothing: there is no such message."""

    def choose_turn(self, now: Position, me: str, other: str, returned: bool) -> Turn:
        if self._last is not None:
            before, answers = self._last
            is_same = returned and now == before
            assert is_same or any(follows(after(before, one), now, other) for one in answers), (
                f"{self.name} ({me}): {before} with {answers} became {now}"
            )
        return self.chance.choice(legal_turns(now, me))


class TournamentPlayer(SantoriniPlayer):
    """A santorini-tournament client."""

    def __init__(self, clients: CrashClients, door: str, name: str, chance: random.Random) -> None:
        super().__init__(clients, door, name, chance)
        self._opponent = ""
        self.results: list[list[tuple[str, str]]] = []
        """The games of each tournament, winners first."""

    def first_message(self) -> bytes:
        return json.dumps(self.name).encode() + b"\n"

    def play_connection(self, returned: bool) -> bool:
        own = json.loads(self.read_line())
        assert own == self.name, f"{self.name} is called {own!r}"
        while True:
            match json.loads(self.read_line()):
                case ["place", board]:
                    self.see(board)
                    now = read_board(board, "[a-z]+")
                    self._last = None
                    self._answer(list(self.chance.choice(free_cells(now))))
                case ["turn", board]:
                    self.see(board)
                    now = read_board(board, "[a-z]+")
                    turn = self.choose_turn(now, own, self._opponent, returned)
                    self._last = now, [turn]
                    self._answer(turn_request(turn))
                    returned = False
                case [list() as cheaters, list() as games]:
                    assert cheaters == [], f"{cheaters} did not cheat"
                    self.results.append([(winner, loser) for winner, loser in games])
                    return True
                case str() as word if word in RESULTS:
                    assert word != "CHEATER", f"{self.name} did not cheat"
                    self.end()
                case str() as word if word in (f"{own}1", f"{own}2"):
                    self.clients.note(TOURNAMENT)
                case str() as word:
                    assert word in TOURNAMENT_NAMES, f"{self.name} is told {word!r}"
                    assert word != own, "nobody plays against itself"
                    self._opponent = word
                    self.begin()
                case message:
                    raise AssertionError(f"{self.name} is told {message!r}")

    def _answer(self, answer: object) -> None:
        self.send(json.dumps(answer).encode() + b"\n")


class LobbyPlayer(SantoriniPlayer):
    """A santorini-lobby client that has asked to be shown the board."""

    _me = ""

    def first_message(self) -> bytes:
        return json.dumps(["join", self.name, {"board": True}]).encode() + b"\n"

    def play_connection(self, returned: bool) -> bool:
        is_playing = False
        while True:
            try:
                message = json.loads(self.read_line())
            except ServerGoneError:
                # santorini-lobby has no message for the end of a tournament.
                if self.clients.is_killed or is_playing:
                    raise
                return True
            match message:
                case ["keepalive"]:
                    self._say(["stillalive"])
                case ["set_id", str()]:
                    pass
                case ["start_of_game"]:
                    is_playing = True
                    self.begin()
                case ["get_placement", board]:
                    self.see(board)
                    now = read_board(board, "[12]")
                    self._me = "1" if len(now.workers) % 2 == 0 else "2"
                    self._last = None
                    row, column = self.chance.choice(free_cells(now))
                    self._say(["give_placement", [column, row]])
                case ["get_turn", board]:
                    self.see(board)
                    self._turn(read_board(board, "[12]"), returned)
                    returned = False
                case ["end_of_game", _]:
                    self.end()
                    is_playing = False
                case _:
                    raise AssertionError(f"{self.name} is told {message!r}")

    def _turn(self, now: Position, returned: bool) -> None:
        me, other = (self._me, "2" if self._me == "1" else "1")
        turn = self.choose_turn(now, me, other, returned)

        def said(turn: Turn) -> list[object]:
            there = beside(now.workers[turn.worker], turn.move)
            build = santorini_lobby_clients.direction(turn.build or (0, 0))
            return [santorini_lobby_clients.placement(there), build]

        # If both workers can make the turn, it may mean either.
        self._last = now, [one for one in legal_turns(now, me) if said(one) == said(turn)]
        self._say(["give_turn", said(turn)])

    def _say(self, message: object) -> None:
        self.send(json.dumps(message).encode() + b"\n")


class NotingClient(StepClient):
    """Keeps the states that it receives, as bytes."""

    def __init__(self, port: int, player: "AscensionPlayer") -> None:
        super().__init__(HOST, port)
        self._player = player
        self.index = player.index
        self.states = player.states[-1:]

    def _note(self, content: bytes) -> State:
        state = super()._note(content)
        self._player.bodies.append(content)
        self._player.states.append(state)
        self._player.clients.note(ASCENSION)
        return state


class AscensionPlayer:
    """An ascension-http player. It returns with its player_index."""

    def __init__(self, clients: CrashClients, index: int, before: "AscensionPlayer | None") -> None:
        """`before` is the player that must have joined first."""
        self.clients = clients
        self.index = index
        self._before = before
        self.has_joined = threading.Event()
        self.bodies: list[bytes] = []
        self.states: list[State] = []
        self.is_done = False

    def play(self, port: int, state: bytes) -> None:
        """Play to the end. `state` is what a returning player must see first."""
        with contextlib.closing(NotingClient(port, self)) as client:
            try:
                if not self.has_joined.is_set():
                    self._join(client)
                else:
                    client.look()
                    assert self.bodies[-1] == state, f"{self.bodies[-1]!r} is not {state!r}"
                self.clients.wait_for_all()
                client.play()
            except http.client.HTTPException as error:
                raise ServerGoneError from error
        self.is_done = True

    def _join(self, client: NotingClient) -> None:
        if self._before is not None:
            assert self._before.has_joined.wait(PATIENCE_SECONDS)
        client.index = -1
        client.join()
        assert client.index == self.index, f"{client.index} is not {self.index}"
        self.has_joined.set()


class NotingGoClient(LineClient):
    """Counts acknowledged stones."""

    clients: CrashClients

    def read_line(self) -> str | None:
        line = super().read_line()
        if line == "SUCCESS":
            self.clients.note(GO)
        return line


class GoPair:
    """Two go-text players, who play several matches."""

    def __init__(self, clients: CrashClients, seed: int) -> None:
        self.clients = clients
        self.chance = random.Random(seed)
        self.matches: list[tuple[NotingGoClient, NotingGoClient]] = []

    def play(self, port: int) -> None:
        """Play matches until the end of the first one in the last run of the server."""
        while True:
            first, second = self._arrive(port)
            try:
                go_text_clients.run_pair(first, second, PATIENCE_SECONDS)
            except (Exception, ExceptionGroup) as error:
                if self.clients.is_killed:
                    raise ServerGoneError from error
                raise
            if self.clients.is_last_run:
                return

    def _arrive(self, port: int) -> tuple[NotingGoClient, NotingGoClient]:
        behaviour = Behaviour(pass_after=self.chance.randrange(5, 15), pass_probability=0.0)
        seeds = [self.chance.randrange(1 << 30) for _ in range(2)]
        terms = Terms(5, self.chance.choice((1, 2)), 0, Decimal("6.5"))
        with ARRIVAL, contextlib.ExitStack() as arrived:
            first = arrived.enter_context(NotingGoClient(HOST, port, terms, seeds[0], behaviour))
            # The server may be killed between the two connections.
            second = NotingGoClient(HOST, port, None, seeds[1], behaviour)
            arrived.pop_all()
        first.clients = second.clients = self.clients
        self.matches.append((first, second))
        return first, second


def acknowledged_moves(client: NotingGoClient) -> list[str]:
    """Return the moves of a match that were acknowledged to a go-text client.

    Its own pass is acknowledged by any later message.
    """
    moves: list[str] = []
    said: list[str] = []
    for line in client.transcript:
        if re.match("> (PLAY|PASS)", line):
            said.append(line[2:])
        elif line == "< SUCCESS":
            moves.append(said.pop())
        elif line.startswith(("< OPPONENT", "< GAMEOVER")):
            moves += said
            said.clear()
            if line.startswith("< OPPONENT"):
                moves.append(line.removeprefix("< OPPONENT"))
    return moves

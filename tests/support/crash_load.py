"""Clients that play at every door at once, until the hall dies, and go on when it is back.

Each keeps every byte that it was told, connection by connection: whatever the hall has said to
anybody, it must not forget. They meet after each return, so that all have seen how things stand
before the first of them moves.
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
"""Held by a pair of go players while they arrive, so that they get to the same table."""


class HallIsGone(Exception):
    """The connection has ended, and not because the hall was done with the client."""


class CrashClients:
    """All clients of a hall, over several lives of it."""

    patience_seconds = PATIENCE_SECONDS
    """How long those who are known by their names wait for an answer."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self._change = threading.Condition()
        self._acknowledged: Counter[str] = Counter()
        self.total: Counter[str] = Counter()
        """What was acknowledged, by door, over all lives: boards, prompts, states, successes."""
        self._failures: list[Exception] = []
        self.is_killed = False
        self._threads: list[threading.Thread] = []
        self._met = threading.Barrier(1)
        self.is_last_life = False
        """Whether clients stop at the next end of a game or a tournament."""
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
        """Those who are known by their names."""
        return [*self.tttp, *self.lobby, *self.tournament]

    def play(
        self, ports: Mapping[str, int], returns: Mapping[tuple[str, str], bytes], state: bytes
    ) -> None:
        """Has everybody connect and play.

        `returns`: what each of those must hear who are known, by door and name. `state`: how the
        game of Ascension stands.
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

    def meet(self) -> None:
        """Waits until everybody is here."""
        self._met.wait(PATIENCE_SECONDS)

    def note(self, door: str) -> None:
        """The hall has said something that shows a move."""
        with self._change:
            self._acknowledged[door] += 1
            self.total[door] += 1
            self._change.notify_all()

    def wait_for(self, count: int, doors: Sequence[str]) -> None:
        """Waits until so much was said that shows moves, and some at each of these doors."""

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
        """From now on connections may break."""
        self.is_killed = True

    def finish(self) -> None:
        """Waits until everybody has stopped, and raises what went wrong before the hall died."""
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)
        late = [thread.name for thread in self._threads if thread.is_alive()]
        self._raise_failures()
        assert not late, f"still playing: {late}"

    def _run(self, name: str, play: Callable[[], None]) -> None:
        try:
            play()
        except Exception as error:  # whatever it is, the test that waits has to see it
            if self.is_killed and isinstance(error, OSError | HallIsGone):
                return
            error.add_note(f"in the client {name}")
            with self._change:
                self._failures.append(error)
                self._change.notify_all()
            self._met.abort()

    def _raise_failures(self) -> None:
        # Whoever waited in vain for the one who failed is not worth telling.
        others = [f for f in self._failures if not isinstance(f, threading.BrokenBarrierError)]
        if others:
            raise others[0]
        if self._failures:
            raise self._failures[0]


class NamedPlayer(ABC):
    """Somebody whom the hall knows by name. `heard`: all bytes of each of its connections."""

    def __init__(self, clients: CrashClients, door: str, name: str, chance: random.Random) -> None:
        self.clients = clients
        self.door = door
        self.name = name
        self.chance = random.Random(chance.randrange(1 << 30))
        self.heard: list[bytearray] = []
        self._buffer = b""

    @abstractmethod
    def say_hello(self) -> bytes:
        """The first message of a connection."""

    @abstractmethod
    def hear_welcome(self) -> None:
        """Waits for what says that the hall has let it in, if something does."""

    @abstractmethod
    def play_on(self, returned: bool) -> bool:
        """Plays as long as the connection lasts; whether there is to be another one."""

    def play(self, port: int, due: bytes | None) -> None:
        """Plays until there is nothing more to play.

        `due`: what it must hear at once, as one who returns; None if it is not known.
        """
        is_first = True
        while is_first or not self.clients.is_last_life:
            patience = self.clients.patience_seconds
            with socket.create_connection((HOST, port), patience) as self._socket:
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.heard.append(bytearray())
                self._buffer = b""
                self._socket.sendall(self.say_hello())
                if is_first:
                    while due and len(self._buffer) < len(due):
                        self._receive()
                    assert due is None or self._buffer[: len(due)] == due, (
                        f"{self.name} came back to {bytes(self._buffer)!r}, not {due!r}"
                    )
                    self.hear_welcome()
                    self.clients.meet()
                is_wanted = self.play_on(returned=is_first and due is not None)
            is_first = False
            if not is_wanted:
                break

    def take(self, length: int) -> bytes:
        """So many bytes."""
        while len(self._buffer) < length:
            self._receive()
        taken, self._buffer = self._buffer[:length], self._buffer[length:]
        return taken

    def take_line(self) -> bytes:
        """A line, without its end."""
        while b"\n" not in self._buffer:
            self._receive()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def _receive(self) -> None:
        arrived = self._socket.recv(4096)
        if not arrived:
            raise HallIsGone(f"after {bytes(self.heard[-1][-200:])!r}")
        self.heard[-1] += arrived
        self._buffer += arrived


class TttpPlayer(NamedPlayer):
    """Plays one game after the other with the same opponent; Red asks for the next."""

    def __init__(
        self,
        clients: CrashClients,
        number: int,
        before: "TttpPlayer | None",
        chance: random.Random,
    ) -> None:
        """`before`: who must have joined before it, so that each gets its seat."""
        super().__init__(clients, TTTP, f"{('red', 'blue')[number % 2]}{number // 2}", chance)
        self.seat = number % 2 + 1
        self.has_joined = threading.Event()
        self._before = before
        self.ended: list[bytes] = []
        """How the board looked at the end of each game."""
        self.shown: list[bytes] = []
        """The boards of the last game that it was shown over the last connection."""
        self.last_frame = b""
        self._turn, self._won, self._spots = 1, 0, bytes(42)

    def say_hello(self) -> bytes:
        if self._before is not None:
            assert self._before.has_joined.wait(PATIENCE_SECONDS)
        return b"JOIN" + bytes([len(self.name)]) + self.name.encode()

    def hear_welcome(self) -> None:
        code = self.take(5)
        assert code == b"JOIN" + bytes([self.seat]), f"{self.name} is told {code!r}"
        self.has_joined.set()

    def play_on(self, returned: bool) -> bool:
        is_first = True
        self.shown = []
        while True:
            update = self.take(48)
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
            if won and self.clients.is_last_life:
                return False
            if won and self.seat == 1:
                self.send(b"RMCH")
            elif not won and turn == self.seat:
                column = self.chance.choice([x for x in range(7) if not spots[x]])
                self.send(b"PLAY" + bytes([column, 0]))

    def _check(self, won: int, spots: bytes, may_be_same: bool) -> None:
        """What is shown is what was shown last, or what comes after that."""
        changed = [x for x in range(42) if spots[x] != self._spots[x]]
        is_next = len(changed) == 1 and not self._spots[changed[0]] and not self._won
        is_fresh = not any(spots) and (bool(self._won) or not any(self._spots))
        is_same = may_be_same and (won, spots) == (self._won, self._spots)
        assert is_next or is_fresh or is_same, (
            f"{self.name}: {self._spots!r} (won {self._won}) became {spots!r} (won {won})"
        )


class SantoriniPlayer(NamedPlayer):
    """Plays one tournament after the other, and checks that each board follows from the last."""

    def __init__(self, clients: CrashClients, door: str, name: str, chance: random.Random) -> None:
        super().__init__(clients, door, name, chance)
        self._last: tuple[Position, list[Turn]] | None = None
        """The last position in which it was asked for a turn, and what it may have answered."""
        self.shown: list[object] = []
        """The boards of the last game that it was shown over the last connection."""
        self.ended: list[list[object]] = []
        """The same of the games that it was told the end of."""

    def begin(self) -> None:
        """A game begins, or goes on over a new connection."""
        self.shown = []

    def see(self, board: object) -> None:
        """It is asked for something, and shown this."""
        self.clients.note(self.door)
        self.shown.append(board)

    def end(self) -> None:
        """A game has ended."""
        self.ended.append(self.shown)
        self.shown = []
        self._last = None

    def hear_welcome(self) -> None:
        """There is no such thing."""

    def choose_turn(self, now: Position, me: str, other: str, returned: bool) -> Turn:
        if self._last is not None:
            before, answers = self._last
            is_same = returned and now == before
            assert is_same or any(follows(after(before, one), now, other) for one in answers), (
                f"{self.name} ({me}): {before} with {answers} became {now}"
            )
        return self.chance.choice(legal_turns(now, me))


class TournamentPlayer(SantoriniPlayer):
    """A client of document 001."""

    def __init__(self, clients: CrashClients, door: str, name: str, chance: random.Random) -> None:
        super().__init__(clients, door, name, chance)
        self._opponent = ""
        self.results: list[list[tuple[str, str]]] = []
        """The games of each tournament, winners first."""

    def say_hello(self) -> bytes:
        return json.dumps(self.name).encode() + b"\n"

    def play_on(self, returned: bool) -> bool:
        own = json.loads(self.take_line())
        assert own == self.name, f"{self.name} is called {own!r}"
        while True:
            match json.loads(self.take_line()):
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
    """A client of document 000 that has asked to be shown the board."""

    _me = ""

    def say_hello(self) -> bytes:
        return json.dumps(["join", self.name, {"board": True}]).encode() + b"\n"

    def play_on(self, returned: bool) -> bool:
        is_playing = False
        while True:
            try:
                message = json.loads(self.take_line())
            except HallIsGone:
                # 000 has no word for the end of a tournament.
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

        # If both workers can do it, either may have been meant.
        self._last = now, [one for one in legal_turns(now, me) if said(one) == said(turn)]
        self._say(["give_turn", said(turn)])

    def _say(self, message: object) -> None:
        self.send(json.dumps(message).encode() + b"\n")


class NotingClient(StepClient):
    """Keeps the states that it was told, as they were written."""

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
    """A player of document 004, who goes on with its player_index."""

    def __init__(self, clients: CrashClients, index: int, before: "AscensionPlayer | None") -> None:
        """`before`: who must have joined before it."""
        self.clients = clients
        self.index = index
        self._before = before
        self.has_joined = threading.Event()
        self.bodies: list[bytes] = []
        self.states: list[State] = []
        self.is_done = False

    def play(self, port: int, state: bytes) -> None:
        """Plays to the end. `state`: what it must see first."""
        with contextlib.closing(NotingClient(port, self)) as client:
            try:
                if not self.has_joined.is_set():
                    self._join(client)
                else:
                    client.look()
                    assert self.bodies[-1] == state, f"{self.bodies[-1]!r} is not {state!r}"
                self.clients.meet()
                client.play()
            except http.client.HTTPException as error:
                raise HallIsGone from error
        self.is_done = True

    def _join(self, client: NotingClient) -> None:
        if self._before is not None:
            assert self._before.has_joined.wait(PATIENCE_SECONDS)
        client.index = -1
        client.join()
        assert client.index == self.index, f"{client.index} is not {self.index}"
        self.has_joined.set()


class NotingGoClient(LineClient):
    """Says when a stone of its own was acknowledged."""

    clients: CrashClients

    def read_line(self) -> str | None:
        line = super().read_line()
        if line == "SUCCESS":
            self.clients.note(GO)
        return line


class GoPair:
    """Two players of document 002, who play one match after the other."""

    def __init__(self, clients: CrashClients, seed: int) -> None:
        self.clients = clients
        self.chance = random.Random(seed)
        self.matches: list[tuple[NotingGoClient, NotingGoClient]] = []

    def play(self, port: int) -> None:
        """Plays until it is the last life and a match has ended."""
        while True:
            first, second = self._arrive(port)
            try:
                go_text_clients.run_pair(first, second, PATIENCE_SECONDS)
            except (Exception, ExceptionGroup) as error:
                if self.clients.is_killed:
                    raise HallIsGone from error
                raise
            if self.clients.is_last_life:
                return

    def _arrive(self, port: int) -> tuple[NotingGoClient, NotingGoClient]:
        behaviour = Behaviour(pass_after=self.chance.randrange(5, 15), whim=0.0)
        seeds = [self.chance.randrange(1 << 30) for _ in range(2)]
        terms = Terms(5, self.chance.choice((1, 2)), 0, Decimal("6.5"))
        with ARRIVAL, contextlib.ExitStack() as arrived:
            first = arrived.enter_context(NotingGoClient(HOST, port, terms, seeds[0], behaviour))
            # The hall may be killed between the two.
            second = NotingGoClient(HOST, port, None, seeds[1], behaviour)
            arrived.pop_all()
        first.clients = second.clients = self.clients
        self.matches.append((first, second))
        return first, second


def acknowledged_moves(client: NotingGoClient) -> list[str]:
    """The moves of a match that a client of document 002 knows to have been made, as it said them.

    A pass of its own is one of them as soon as something follows.
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

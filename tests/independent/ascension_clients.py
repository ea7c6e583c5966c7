"""Two blocking Ascension clients, written from the protocol and the printed cards.

StepClient keeps one connection, sends one move at a time with its content type, and tries another
move when one is refused. BatchClient opens a connection for each request, sends no content type and
as much of a turn as it can foresee, and fails at any error. Neither uses what our server adds to
the protocol.

A silent server raises TimeoutError, and one that breaks the connection or answers with an
unexpected status OSError or HTTPException; everything else that a server must not do raises
AssertionError or msgspec.ValidationError.
"""

import http.client
import json
import time
import urllib.request
from abc import ABC, abstractmethod
from collections import Counter
from typing import Literal, NamedTuple

import msgspec

from tests.independent.playing import play_together
from tests.naive.ascension_http import COSTS, MONSTERS

TIMEOUT_SECONDS = 60.0
SECONDS_BETWEEN_POLLS = 0.003

# The runes and the power of cards that have no other effect.
INCOME: dict[str, tuple[int, int]] = {
    "Apprentice": (1, 0),
    "Mystic": (2, 0),
    "Landtalker": (3, 0),
    "Militia": (0, 1),
    "Heavy Infantry": (0, 2),
    "Demon Slayer": (0, 3),
    "Emri, One with the Void": (0, 4),
}
# Constructs that cannot be activated.
NOT_ACTIVATED = {"Burrower Mark II", "Hedron Link Device", "Rocket Courier X-99"}
# These give their player a choice, of which the document says nothing. So the hand and the center
# are not known before the next move is made.
UNPREDICTABLE = {
    *("Arbiter of the Precipice", "Arha Templar", "Avatar of the Fallen"),
    *("Cetra, Weaver of Stars", "Druids of the Stone Circle", "Mechana Initiate", "Mephit"),
    *("Mistake of Creation", "Oziah the Peerless", "Seer of the Forked Path"),
    *("Shade of the Black Watch", "Temple Librarian", "Twofold Askara", "Void Initiate"),
}

MoveType = Literal["acquire", "play", "defeat", "activate", "end_turn"]
STATUSES = ["not ready", "playing", "ended"]


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move. Only "end_turn" is without a card."""

    type: MoveType
    card_name: str | None = None


END_TURN = Move("end_turn")


class PlayedMove(msgspec.Struct, frozen=True):
    """A move in a player's list, with its turn."""

    type: MoveType
    turn: int
    card_name: str | None = None

    @property
    def move(self) -> Move:
        """The move without its turn."""
        return Move(self.type, self.card_name or None)


class Player(msgspec.Struct, frozen=True):
    """A player on the board. All keys of the protocol are required."""

    hand: list[str]
    discard: list[str]
    constructs: list[str]
    runes_remaining: int
    power_remaining: int
    honor: int
    moves: list[PlayedMove]


class Board(msgspec.Struct, frozen=True):
    """The board. `victor` is not in the protocol, but a server may add it."""

    current_turn: int
    current_player_index: Literal[0, 1]
    honor_remaining: int
    void: list[str]
    center: list[str]
    mystics: int
    heavy: int
    cultist: Literal[1]
    players: tuple[Player, Player]
    victor: int | None = None


class State(msgspec.Struct, frozen=True):
    """The state. It has a board once the game has started."""

    player_count: Literal[0, 1, 2]
    status: Literal["not ready", "playing", "ended"]
    error: str
    board: Board | None = None


class Joined(msgspec.Struct, frozen=True):
    """The answer to a successful /join."""

    player_index: Literal[0, 1]


class Purchases(NamedTuple):
    """The monster to defeat and the card to acquire next."""

    defeat: str | None
    acquire: str | None


def most_expensive(board: Board, center: list[str], runes: int, power: int) -> Purchases:
    """Return the most expensive monster and card that this can pay for, the first if equal."""
    piles = {"Mystic": board.mystics, "Heavy Infantry": board.heavy}
    cards = [*center, *(name for name, left in piles.items() if left)]

    def best(names: list[str], costs: dict[str, int], budget: int) -> str | None:
        affordable = [name for name in names if costs.get(name, budget + 1) <= budget]
        return max(affordable, key=costs.__getitem__, default=None)

    return Purchases(best([*center, "Cultist"], MONSTERS, power), best(cards, COSTS, runes))


class Client(ABC):
    """A player in one game.

    After `play`: states has the server's answers in order, refusals the errors, accepted the moves
    without an error; victor is that of the last state, None if it has none.
    """

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self.index = -1
        self.states: list[State] = []
        self.refusals: list[str] = []
        self.accepted: list[Move] = []
        self.victor: int | None = None

    @abstractmethod
    def join(self) -> None:
        """Join the game and note the index."""

    @abstractmethod
    def look(self) -> State:
        """Return the state."""

    @abstractmethod
    def take_turn(self, state: State) -> State:
        """Make moves to the end of the turn, and return the last state."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection, if there is one."""

    def play(self) -> None:
        """Play until the status is "ended". Not checked: that the client has joined."""
        try:
            state = self.look()
            while state.status != "ended":
                board = state.board
                if board is not None and board.current_player_index == self.index:
                    state = self.take_turn(state)
                else:
                    time.sleep(SECONDS_BETWEEN_POLLS)
                    state = self.look()
            assert state.board is not None
            self.victor = state.board.victor
        finally:
            self.close()

    def _board_in_turn(self, state: State, turn: int) -> Board | None:
        """Return the board if it is still this turn of this player, else None."""
        board = state.board
        if state.status != "playing" or board is None or board.current_turn != turn:
            return None
        return board if board.current_player_index == self.index else None

    def _note(self, content: bytes) -> State:
        """Return the state in an answer, after comparing it with the one before."""
        state = msgspec.json.decode(content, type=State)
        assert (state.board is None) == (state.status == "not ready"), state
        assert (state.player_count < 2) == (state.status == "not ready"), state
        if self.states:
            before = self.states[-1]
            assert STATUSES.index(before.status) <= STATUSES.index(state.status), (before, state)
            if before.board is not None and state.board is not None:
                assert before.board.current_turn <= state.board.current_turn, (before, state)
        self.states.append(state)
        return state


class StepClient(Client):
    """Uses one connection for all requests, with a content type, and one move in each request."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port)
        self.connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_SECONDS)
        self.connection.connect()
        # A request after the server has closed the connection raises NotConnected.
        self.connection.auto_open = 0

    def join(self) -> None:
        self.index = msgspec.json.decode(self._ask("POST", "/join", {}), type=Joined).player_index

    def look(self) -> State:
        return self._note(self._ask("GET", "/state"))

    def take_turn(self, state: State) -> State:
        assert state.board is not None
        turn = state.board.current_turn
        refused: set[Move] = set()
        activated: Counter[str] = Counter()
        while board := self._board_in_turn(state, turn):
            move = self._choose(board, refused, activated)
            if move.type == "activate" and move.card_name is not None:
                activated[move.card_name] += 1
            wanted = {"player_index": self.index, "moves": [msgspec.to_builtins(move)]}
            state = self._note(self._ask("POST", "/moves", wanted))
            if state.error:
                assert move != END_TURN, state.error
                refused.add(move)
                self.refusals.append(state.error)
            else:
                self.accepted.append(move)
        return state

    def close(self) -> None:
        self.connection.close()

    def _choose(self, board: Board, refused: set[Move], activated: Counter[str]) -> Move:
        """Return the next move. A move that was refused is not tried again in this turn."""
        me = board.players[self.index]
        for name in me.hand:
            if Move("play", name) not in refused:
                return Move("play", name)
        # The client does not know which constructs can be activated: the server refuses others.
        for name in Counter(me.constructs) - activated:
            if Move("activate", name) not in refused:
                return Move("activate", name)
        wanted = most_expensive(board, board.center, me.runes_remaining, me.power_remaining)
        if wanted.defeat is not None and Move("defeat", wanted.defeat) not in refused:
            return Move("defeat", wanted.defeat)
        if wanted.acquire is not None and Move("acquire", wanted.acquire) not in refused:
            return Move("acquire", wanted.acquire)
        return END_TURN

    def _ask(self, method: str, path: str, content: object = None) -> bytes:
        """Return the answer to a request on the one connection."""
        body = None if content is None else json.dumps(content)
        headers = {} if content is None else {"Content-Type": "application/json"}
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        answer = response.read()
        assert response.status == 200, (response.status, answer)
        assert response.headers.get_content_type() == "application/json", response.headers
        return answer


class BatchClient(Client):
    """Uses a connection for each request, like urllib, which calls every body a form."""

    def join(self) -> None:
        answer = json.loads(self._ask("/join", b""))
        self._raise_error(answer)
        self.index = answer["player_index"]

    def look(self) -> State:
        return self._read(self._ask("/state"))

    def take_turn(self, state: State) -> State:
        assert state.board is not None
        turn = state.board.current_turn
        activated: Counter[str] = Counter()
        while board := self._board_in_turn(state, turn):
            moves = self._plan(board, activated)
            activated.update(move.card_name or "" for move in moves if move.type == "activate")
            wanted = {"player_index": self.index, "moves": msgspec.to_builtins(moves)}
            state = self._read(self._ask("/moves", json.dumps(wanted).encode()))
            self.accepted.extend(moves)
        return state

    def close(self) -> None:
        """There is no connection between requests."""

    def _plan(self, board: Board, activated: Counter[str]) -> list[Move]:
        """Return the moves of the turn up to the first one with an unpredictable effect."""
        me = board.players[self.index]
        runes, power = me.runes_remaining, me.power_remaining
        moves: list[Move] = []
        for name in me.hand:
            if name in INCOME:
                moves.append(Move("play", name))
                runes += INCOME[name][0]
                power += INCOME[name][1]
        for name in me.hand:
            if name not in INCOME:
                return [*moves, Move("play", name)]
        ready = (Counter(me.constructs) - activated).elements()
        useful = [Move("activate", name) for name in ready if name not in NOT_ACTIVATED]
        if useful:
            # The opponent may have changed the constructs; the next state has the current ones.
            return moves or useful
        center = [name for name in board.center if name not in UNPREDICTABLE]
        bought: Counter[str] = Counter()
        while True:
            wanted = most_expensive(board, center, runes, power)
            if wanted.defeat == "Cultist":
                moves.append(Move("defeat", "Cultist"))
                power -= MONSTERS["Cultist"]
            elif wanted.defeat is not None:
                return [*moves, Move("defeat", wanted.defeat)]
            elif wanted.acquire in center:
                # It may go into play at once, and the card that replaces it is not known.
                return [*moves, Move("acquire", wanted.acquire)]
            elif wanted.acquire is not None and bought[wanted.acquire] < self._left(
                board, wanted.acquire
            ):
                moves.append(Move("acquire", wanted.acquire))
                bought[wanted.acquire] += 1
                runes -= COSTS[wanted.acquire]
            else:
                return [*moves, END_TURN]

    @staticmethod
    def _left(board: Board, name: str) -> int:
        return board.mystics if name == "Mystic" else board.heavy

    def _read(self, content: bytes) -> State:
        self._raise_error(json.loads(content))
        return self._note(content)

    @staticmethod
    def _raise_error(r: dict[str, object]) -> None:
        if "error" in r and r["error"] != "":
            raise AssertionError(r["error"])

    def _ask(self, path: str, content: bytes | None = None) -> bytes:
        """Return the answer to a POST if there is content, else to a GET."""
        address = f"http://{self.host}:{self.port}{path}"
        with urllib.request.urlopen(address, content, TIMEOUT_SECONDS) as response:
            answer: bytes = response.read()
            return answer


def run_pair(first: Client, second: Client, patience_seconds: float = 25.0) -> None:
    """Let both clients join and play their game to its end, and compare their last states."""
    first.join()
    second.join()
    assert (first.index, second.index) == (0, 1)
    play_together({"first": first.play, "second": second.play}, patience_seconds)
    assert first.states[-1].board == second.states[-1].board
    assert first.victor == second.victor

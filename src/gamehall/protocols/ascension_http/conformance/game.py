"""How the checker talks to a server of document 004, and what every state must look like."""

import io
import json
from collections.abc import Mapping, Sequence
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple, cast

from gamehall.conformance.connection import (
    CheckSkippedError,
    ClauseError,
    RawConnection,
    demand,
    shown,
)
from gamehall.conformance.target import Target
from gamehall.protocols.ascension_http import AscensionHttpSettings

STATUSES = ("not ready", "playing", "ended")
BOARD_NUMBERS = ("current_turn", "current_player_index", "honor_remaining", "mystics", "heavy")
PLAYER_NUMBERS = ("runes_remaining", "power_remaining", "honor")
PLAYER_LISTS = ("hand", "discard", "constructs")

CLAUSE_OF_NUMBER = {
    "current_turn": "A-26",
    "current_player_index": "A-27",
    "honor_remaining": "A-28",
    "mystics": "A-30",
    "heavy": "A-30",
    "runes_remaining": "A-32",
    "power_remaining": "A-32",
    "honor": "A-33",
}

AscensionTarget = Target[AscensionHttpSettings]
State = dict[str, Any]


class Reply(NamedTuple):
    """The status and the body of an answer."""

    status: int
    body: bytes


class HttpCaller:
    """Send requests, each on a connection of its own, and read the raw answers."""

    def __init__(self, target: AscensionTarget) -> None:
        self.target = target

    def send(
        self, method: str, path: str, body: object = None, *, raw: bytes | None = None
    ) -> RawConnection:
        """Send a request, and return the connection on which its answer will come."""
        text = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self.target.host}\r\nConnection: close\r\n"
            f"Content-Length: {len(text)}\r\nContent-Type: application/json\r\n\r\n"
        )
        line = self.target.connect()
        line.send(head.encode() + text)
        return line

    def read(self, line: RawConnection, what: str, clause: str) -> Reply:
        """Read the answer to a request."""
        try:
            return _read_response(line, f"an answer to {what}", clause)
        finally:
            line.close()

    def ask(self, method: str, path: str, clause: str, body: object = None) -> Reply:
        """Send a request and read its answer."""
        return self.read(self.send(method, path, body), f"{method} {path}", clause)

    def ask_for_object(self, method: str, path: str, clause: str, body: object = None) -> State:
        """Send a request that is answered by a JSON object."""
        return read_object(self.ask(method, path, clause, body), f"{method} {path}", clause)


def read_object(reply: Reply, what: str, clause: str) -> State:
    """Return the JSON object in an answer."""
    try:
        value = json.loads(reply.body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ClauseError(f"a JSON object as the answer to {what}", shown(reply.body), clause)
    return cast("State", value)


class CheckedGame:
    """The one game of the server: every state is compared with what is known of it."""

    def __init__(self, target: AscensionTarget, story: dict[str, Any]) -> None:
        self.target = target
        self._story = story
        self.post = HttpCaller(target)

    @property
    def last(self) -> State:
        """The state that was seen last."""
        return cast("State", self._story["state"])

    def look(self) -> State:
        """Return the answer to GET /state, which must be well-formed."""
        path = "/state"
        state = self.post.ask_for_object("GET", path, "A-11")
        return self.take(state, path)

    def move(self, player: int, *moves: Mapping[str, object]) -> State:
        """Return the answer to POST /moves, which is a state."""
        body = self._body(player, moves)
        return self.take(self.post.ask_for_object("POST", "/moves", "A-17", body), "/moves")

    def refused(self, clause: str, why: str, player: int, *moves: Mapping[str, object]) -> None:
        """Check that moves give an error, in whatever form (A-Q05), and change nothing."""
        before = self.look()
        reply = self.post.ask("POST", "/moves", "A-17", self._body(player, moves))
        came = f"no error for {json.dumps(moves)}"
        demand(_tells_error(reply), clause, f"an error: {why}", came)
        after = self.look()
        if not is_empty(after["error"]):
            self.target.differs("A-Q04", "an error stays in the state")
            self._story["an error stays"] = True
        is_same = _documented(after) == _documented(before)
        demand(is_same, clause, f"nothing to change: {why}", f"{json.dumps(moves)} was applied")
        if after["status"] != before["status"]:
            is_fatal = "an error stays" in self._story
            demand(is_fatal, clause, f"the game to go on: {why}", after["status"])
            raise CheckSkippedError("an error ends the game here (A-Q04)")

    def granted(self, clause: str, player: int, *moves: Mapping[str, object]) -> State:
        """Check that moves are accepted, and return the state after them."""
        state = self.move(player, *moves)
        accepted = f"{json.dumps(moves)} to be accepted"
        if "an error stays" in self._story and not is_empty(state["error"]):
            raise CheckSkippedError("an error stays in the state, and no moves are taken any more")
        demand(is_empty(state["error"]), clause, accepted, state["error"])
        return state

    def _body(self, player: int, moves: Sequence[Mapping[str, object]]) -> dict[str, object]:
        body: dict[str, object] = {"player_index": player, "moves": list(moves)}
        token = self._story.get("tokens", {}).get(player)
        return body if token is None else body | {"token": token}

    def take(self, state: State, path: str) -> State:
        """Check a state that has come, and keep it."""
        for key in ("player_count", "status", "error"):
            demand(key in state, "A-12", f"{key} in the answer of {path}", shown(state))
        error, status = state["error"], state["status"]
        if is_empty(error) and error != "":
            # The document only says that it is empty then.
            self.target.differs("A-Q01", f"an empty error is {json.dumps(error)}")
        demand(isinstance(error, str) or is_empty(error), "A-13", "an error in words", error)
        demand(status in STATUSES, "A-14", "not ready, playing or ended", status)
        before = STATUSES.index(self.last["status"]) if "state" in self._story else 0
        demand(STATUSES.index(status) >= before, "A-14", "no status to come back", status)
        demand(
            ("board" in state) == (status != STATUSES[0]),
            "A-15",
            "a board as soon as the game has begun, and not before",
            shown(state),
        )
        if "board" in state:
            check_board(state["board"])
        self._story["state"] = state
        return state


def checked_game(target: AscensionTarget) -> CheckedGame:
    """Return the game so far."""
    return CheckedGame(target, target.known)


def _documented(state: State) -> State:
    """Return what the document has in a board, without what a server may add to it."""
    board = state.get("board", {})
    return {
        key: board[key] for key in (*BOARD_NUMBERS, "void", "center", "players") if key in board
    }


def is_empty(error: object) -> bool:
    """Return whether there is no error."""
    return not error


def _tells_error(reply: Reply) -> bool:
    """Return whether an answer refuses: by its status, or by an error in its object."""
    if reply.status >= 400:
        return True
    try:
        value = json.loads(reply.body)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not is_empty(value.get("error"))


def end_turn() -> dict[str, object]:
    """Return the move that ends a turn."""
    return {"type": "end_turn"}


def card_move(kind: str, name: str) -> dict[str, object]:
    """Return a move with a card."""
    return {"type": kind, "card_name": name}


def require_fresh(target: AscensionTarget) -> State:
    """Return the state of a game that nobody has joined; skip the check if there is none."""
    state = checked_game(target).look()
    if state["player_count"] != 0 or state["status"] != STATUSES[0]:
        raise CheckSkippedError(
            "somebody has joined already: this needs a server on which nobody has"
        )
    return state


def check_board(board: object) -> None:
    """Check that a board has everything that the document lists, of the right kind."""
    demand(isinstance(board, dict), "A-15", "a board that is an object", board)
    assert isinstance(board, dict)
    for key in BOARD_NUMBERS:
        _demand_number(board, key)
    for key in ("void", "center"):
        _demand_names(board, key, "A-29")
    demand(
        board["current_player_index"] in (0, 1),
        "A-27",
        "a player 0 or 1",
        board["current_player_index"],
    )
    demand(board.get("cultist") == 1, "A-30", "1 cultist", board.get("cultist"))
    players = board.get("players")
    demand(isinstance(players, list) and len(players) == 2, "A-31", "two players", players)
    assert isinstance(players, list)
    for player in players:
        demand(isinstance(player, dict), "A-31", "a player that is an object", player)
        for key in PLAYER_NUMBERS:
            _demand_number(player, key)
        for key in PLAYER_LISTS:
            _demand_names(player, key, "A-31")
        moves = player.get("moves")
        fits = isinstance(moves, list) and all(
            isinstance(move, dict) and {"type", "turn"} <= move.keys() for move in moves
        )
        demand(fits, "A-34", "moves with type and turn", moves)


def _demand_number(holder: Mapping[str, Any], key: str) -> None:
    value = holder.get(key)
    fits = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    demand(fits, CLAUSE_OF_NUMBER[key], f"{key}, a number of 0 or more", value)


def _demand_names(holder: Mapping[str, Any], key: str, clause: str) -> None:
    value = holder.get(key)
    fits = isinstance(value, list) and all(isinstance(name, str) for name in value)
    demand(fits, clause, f"{key}, a list of names", value)


class _Stream(io.RawIOBase):
    """What a connection receives, in the form in which http.client reads a socket."""

    def __init__(self, connection: RawConnection, expected: str, clause: str) -> None:
        self._connection = connection
        self._expected, self._clause = expected, clause

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        received = self._connection.read_some(len(buffer), self._expected, self._clause)
        buffer[: len(received)] = received
        return len(received)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)


def _read_response(connection: RawConnection, expected: str, clause: str) -> Reply:
    """Read one response, whatever marks the end of its body."""
    response = HTTPResponse(cast("Any", _Stream(connection, expected, clause)))
    try:
        response.begin()
        return Reply(response.status, response.read())
    except (HTTPException, ValueError) as error:
        raise ClauseError(f"{expected}, in HTTP", shown(repr(error)), clause) from None

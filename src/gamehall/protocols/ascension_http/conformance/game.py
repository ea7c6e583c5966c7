"""Requests to an ascension-http server, and the form that every state must have."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from http.client import HTTPException, HTTPResponse
from typing import Annotated, Any, Literal, NamedTuple, cast

import msgspec
from msgspec import Meta

from gamehall.conformance.connection import (
    CheckSkippedError,
    ClauseError,
    RawConnection,
    demand,
    shown,
)
from gamehall.conformance.target import Knowledge, Target
from gamehall.protocols.ascension_http import AscensionHttpSettings
from gamehall.protocols.ascension_http.messages import ENDED, NOT_READY, PLAYING

STATUSES = (NOT_READY, PLAYING, ENDED)
Count = Annotated[int, Meta(ge=0)]


class AscensionKnowledge(Knowledge):
    seats: int = 0
    """How many of the checker's players have joined."""
    tokens: dict[int, object] = {}
    """The tokens of the players, by their index."""
    last_status: int = 0
    """Its index in STATUSES."""
    keeps_error: bool = False
    """Whether an error stays in the state (A-Q04)."""
    refuses_other_paths: bool = False
    refuses_early_moves: bool = False
    accepted_moves: set[str] = set()


AscensionTarget = Target[AscensionHttpSettings, AscensionKnowledge]


class ListedMove(msgspec.Struct):
    """A move in the list of a player's moves."""

    type: str
    turn: int
    card_name: object = None


class PlayerState(msgspec.Struct):
    """A player on a board."""

    runes_remaining: Count
    power_remaining: Count
    honor: Count
    hand: list[str]
    discard: list[str]
    constructs: list[str]
    moves: list[ListedMove]


class ShownBoard(msgspec.Struct):
    """The fields of a board. A server may add others."""

    current_turn: Count
    current_player_index: Literal[0, 1]
    honor_remaining: Count
    mystics: Count
    heavy: Count
    cultist: Literal[1]
    void: list[str]
    center: list[str]
    players: Annotated[list[PlayerState], Meta(min_length=2, max_length=2)]


CLAUSES = {
    "board": "A-15",
    "current_turn": "A-26",
    "current_player_index": "A-27",
    "honor_remaining": "A-28",
    "void": "A-29",
    "center": "A-29",
    "mystics": "A-30",
    "heavy": "A-30",
    "cultist": "A-30",
    "players": "A-31",
    "hand": "A-31",
    "discard": "A-31",
    "constructs": "A-31",
    "runes_remaining": "A-32",
    "power_remaining": "A-32",
    "honor": "A-33",
    "moves": "A-34",
    "type": "A-34",
    "turn": "A-34",
}
"""The clause that is broken if a field of a board is missing or malformed."""


class State(msgspec.Struct):
    """A state. A server may add other fields."""

    player_count: object
    status: str
    error: object
    seen_board: ShownBoard | None

    @property
    def board(self) -> ShownBoard:
        """The board. Not checked: that the game has begun."""
        assert self.seen_board is not None
        return self.seen_board


class Reply(NamedTuple):
    """The status and the body of an HTTP response."""

    status: int
    body: bytes


def send_request(
    target: AscensionTarget, method: str, path: str, body: object = None
) -> RawConnection:
    """Send a request on a new connection, and return the connection."""
    text = b"" if body is None else json.dumps(body).encode()
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: {target.host}\r\nConnection: close\r\n"
        f"Content-Length: {len(text)}\r\nContent-Type: application/json\r\n\r\n"
    )
    connection = target.connect()
    connection.send(head.encode() + text)
    return connection


def read_reply(connection: RawConnection, request: str, clause: str) -> Reply:
    """Read the response to a request, and close the connection."""
    try:
        return _read_response(connection, f"an answer to {request}", clause)
    finally:
        connection.close()


def ask(target: AscensionTarget, method: str, path: str, clause: str, body: object = None) -> Reply:
    """Send a request and read its response."""
    return read_reply(send_request(target, method, path, body), f"{method} {path}", clause)


def ask_for_object(
    target: AscensionTarget, method: str, path: str, clause: str, body: object = None
) -> dict[str, Any]:
    """Send a request whose response must be a JSON object."""
    return read_object(ask(target, method, path, clause, body), f"{method} {path}", clause)


def read_object(reply: Reply, request: str, clause: str) -> dict[str, Any]:
    """Return the JSON object in a response."""
    try:
        value = json.loads(reply.body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ClauseError(f"a JSON object as the answer to {request}", shown(reply.body), clause)
    return value


class CheckedGame:
    """The server's game. Every state is checked, and compared with those before it."""

    def __init__(self, target: AscensionTarget) -> None:
        self.target = target
        self._known = target.known

    def read_state(self) -> State:
        """Return the state."""
        return self._check_state(ask_for_object(self.target, "GET", "/state", "A-11"), "/state")

    def expect_refused(
        self, clause: str, why: str, player: int, *moves: Mapping[str, object]
    ) -> None:
        """Check that moves give an error, in whatever form (A-Q05), and change nothing."""
        before = self.read_state()
        reply = ask(self.target, "POST", "/moves", "A-17", self._body(player, moves))
        came = f"no error for {json.dumps(moves)}"
        demand(_is_error(reply), clause, f"an error: {why}", came)
        after = self.read_state()
        if after.error:
            self.target.differs("A-Q04", "an error stays in the state")
            self._known.keeps_error = True
        is_same = after.seen_board == before.seen_board
        demand(is_same, clause, f"nothing to change: {why}", f"{json.dumps(moves)} was applied")
        if after.status != before.status:
            is_fatal = self._known.keeps_error
            demand(is_fatal, clause, f"the game to continue: {why}", after.status)
            raise CheckSkippedError("an error ends the game here (A-Q04)")

    def expect_accepted(self, clause: str, player: int, *moves: Mapping[str, object]) -> State:
        """Check that moves are accepted, and return the state after them."""
        body = self._body(player, moves)
        answer = ask_for_object(self.target, "POST", "/moves", "A-17", body)
        state = self._check_state(answer, "/moves")
        if self._known.keeps_error and state.error:
            raise CheckSkippedError("an error stays in the state, so no more moves are accepted")
        demand(not state.error, clause, f"{json.dumps(moves)} to be accepted", state.error)
        return state

    def _body(self, player: int, moves: Sequence[Mapping[str, object]]) -> dict[str, object]:
        body: dict[str, object] = {"player_index": player, "moves": list(moves)}
        token = self._known.tokens.get(player)
        return body if token is None else body | {"token": token}

    def _check_state(self, answer: dict[str, Any], path: str) -> State:
        """Check an answer that is a state, and note its status."""
        for key in ("player_count", "status", "error"):
            demand(key in answer, "A-12", f"{key} in the answer of {path}", shown(answer))
        error, status = answer["error"], answer["status"]
        if not error and error != "":
            # The document only says that it is empty.
            self.target.differs("A-Q01", f"an empty error is {json.dumps(error)}")
        demand(isinstance(error, str) or not error, "A-13", "an error in words", error)
        demand(status in STATUSES, "A-14", "not ready, playing or ended", status)
        before, now = self._known.last_status, STATUSES.index(status)
        demand(now >= before, "A-14", "no status to come back", status)
        has_begun = "a board as soon as the game has begun, and not before"
        demand(("board" in answer) == (status != NOT_READY), "A-15", has_begun, shown(answer))
        self._known.last_status = now
        board = _read_board(answer["board"]) if "board" in answer else None
        return State(
            player_count=answer["player_count"], status=status, error=error, seen_board=board
        )


def _read_board(value: object) -> ShownBoard:
    """Return the board, whose fields must all be there and well-formed."""
    try:
        return msgspec.convert(value, ShownBoard)
    except msgspec.ValidationError as error:
        # The message has the name of a missing field, and the path to a wrong value.
        [path] = re.findall(r"at `\$(.*)`", str(error)) or [""]
        missing = re.findall(r"required field `(\w+)`", str(error))
        [*_, name] = ["board", *re.findall(r"\.(\w+)", path), *missing]
        raise ClauseError(f"a well-formed {name}", str(error), CLAUSES[name]) from None


def _is_error(reply: Reply) -> bool:
    """Return whether a response is an error, by its status or by its field `error`."""
    if reply.status >= 400:
        return True
    try:
        value = json.loads(reply.body)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and bool(value.get("error"))


def end_turn() -> dict[str, object]:
    return {"type": "end_turn"}


def card_move(kind: str, name: str) -> dict[str, object]:
    return {"type": kind, "card_name": name}


def require_fresh(target: AscensionTarget) -> State:
    """Return the state of a game that nobody has joined; skip the check if there is none."""
    state = CheckedGame(target).read_state()
    if state.player_count != 0 or state.status != NOT_READY:
        raise CheckSkippedError("a player has joined already: this needs a server without players")
    return state


class _Stream(io.RawIOBase):
    """A connection in the form in which http.client reads a socket."""

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
    """Read one response."""
    response = HTTPResponse(cast("Any", _Stream(connection, expected, clause)))
    try:
        response.begin()
        return Reply(response.status, response.read())
    except (HTTPException, ValueError) as error:
        raise ClauseError(f"{expected}, in HTTP", shown(repr(error)), clause) from None

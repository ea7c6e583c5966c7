"""The client's end of Ascension over HTTP."""

from collections import deque
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from gamehall.core import Seat
from gamehall.games.ascension import HIDDEN, Ascension, AscensionPosition, Move
from gamehall.match import Ending, MatchEnded, Result, TurnBegan
from gamehall.protocols.ascension_http import messages
from gamehall.protocols.ascension_http.messages import SEATS
from gamehall.protocols.ascension_http.view import TurnSoFar, read_end, read_position
from gamehall.rooms.notices import Notice, Refusal, Refused, RequestRejected, Seated
from gamehall.rooms.requests import Join, PlannedMove, Play, Request, Submit
from gamehall.wire.framing import ProtocolError
from gamehall.wire.http import HttpResponse, HttpResponses, write_request
from gamehall.wire.session import ClientSession

SECONDS_BETWEEN_LOOKS = 0.05
INVALID_ANSWER_ERRORS = (
    msgspec.DecodeError,
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    OverflowError,
    RecursionError,
)
"""What reading an invalid answer may raise."""

HOST = "gamehall"

MOST_JOINS = 3
"""How often to try to join while the server says when the next game can be joined (A-Q21)."""
LONGEST_WAIT = 60.0
"""Seconds to wait before another try at most."""


class AscensionHttpClientSession(ClientSession[HttpResponse, Move]):
    """Polls the state until it is the player's turn.

    Use the positions only to choose a legal move: the deck is hidden in them, so they cannot be
    played on. The server must keep the connection open.
    """

    __slots__ = (
        "_asked",
        "_game",
        "_join_again_in",
        "_joins",
        "_position",
        "_seat",
        "_sent",
        "_token",
        "_turn",
    )

    def __init__(self, game: Ascension | None = None) -> None:
        super().__init__(HttpResponses())
        self._game = game or Ascension()
        self._asked: deque[str] = deque()
        """The paths of the requests that have not been answered yet."""
        self._seat: Seat | None = None
        self._token: str | None = None
        self._position: AscensionPosition | None = None
        self._sent: tuple[Move, ...] = ()
        """The moves that were sent last."""
        self._turn = TurnSoFar()
        self._joins = 0
        self._join_again_in: float | None = None
        """Seconds to wait before the next try to join, None for no further try."""

    @property
    def seconds_to_poll(self) -> float | None:
        if self._join_again_in is not None:
            return self._join_again_in
        is_waiting = self._seat is not None and not self._asked and not self.closed
        is_on_turn = self._position is not None and self._position.to_move is self._seat
        return SECONDS_BETWEEN_LOOKS if is_waiting and not is_on_turn else None

    @property
    def seat_token(self) -> str | None:
        if self._seat is None:
            return None
        return msgspec.json.encode([SEATS.index(self._seat), self._token]).decode()

    def resume(self, seat_token: str) -> None:
        try:
            index, self._token = msgspec.json.decode(seat_token, type=tuple[int, str | None])
        except msgspec.DecodeError as error:
            raise ValueError(f"{seat_token!r} is not a seat token: {error}") from None
        self._seat = messages.seat_of(index)
        self._further = Seated(self._seat)
        # Only the client before this one knew what was done earlier in this turn.
        self._turn = TurnSoFar(is_known=False)

    def poll(self) -> bytes:
        if self._join_again_in is not None:
            return self.send(Join(""))
        seat = SEATS.index(self._seat) if self._seat else 0
        token = f"&token={quote(self._token, safe='')}" if self._token else ""
        return self._request("GET", f"/state?player_index={seat}{token}")

    def send(self, request: Request[Move]) -> bytes:
        match request:
            case Join() if self._seat is not None:
                # The seat was taken by another client session, which this one continues.
                return self.poll()
            case Join():
                self._joins += 1
                self._join_again_in = None
                return self._request("POST", "/join", {})
            case Play(move):
                return self._send_moves((PlannedMove(move),))
            case Submit(planned=planned):
                return self._send_moves(
                    tuple(move for move in planned if isinstance(move, PlannedMove))
                )
            case _:
                return b""

    def read(self, message: HttpResponse) -> Notice[Move] | None:
        if not self._asked:
            raise ProtocolError("an answer without a request")
        path = self._asked.popleft()
        try:
            content = msgspec.json.decode(message.body)
            if not isinstance(content, dict):
                raise ProtocolError("an answer must be a JSON object")
            if path == "/join":
                return self._read_joined(content, message.headers.get("retry-after", ""))
            return self._read_state(content, is_answer=path == "/moves")
        except INVALID_ANSWER_ERRORS as error:
            raise ProtocolError(f"this answer does not fit the protocol: {error!r}") from None

    def _request(self, method: str, target: str, body: Mapping[str, Any] | None = None) -> bytes:
        self._asked.append(target.partition("?")[0])
        return write_request(
            method, target, HOST, None if body is None else msgspec.json.encode(body)
        )

    def _send_moves(self, planned: tuple[PlannedMove[Move], ...]) -> bytes:
        self._sent = tuple(one.move for one in planned)
        body: dict[str, Any] = {
            "player_index": SEATS.index(self._seat or Seat.FIRST),
            "moves": [messages.write_planned_move(one) for one in planned],
        }
        return self._request(
            "POST", "/moves", body | ({"token": self._token} if self._token else {})
        )

    def _read_joined(self, content: Mapping[str, Any], retry_after: str) -> Notice[Move] | None:
        if "player_index" not in content:
            is_soon = retry_after.isascii() and retry_after.isdecimal() and len(retry_after) < 4
            if is_soon and self._joins < MOST_JOINS:
                # A-Q21: a game has just ended; the header says when the next can be joined.
                self._join_again_in = min(float(retry_after), LONGEST_WAIT)
                return None
            self.closed = True
            return Refused(Refusal.FULL)
        self._seat = messages.seat_of(content["player_index"])
        token = content.get("token")
        if token is not None and not isinstance(token, str):
            raise ProtocolError("a token must be a string")
        self._token = token
        return Seated(self._seat)

    def _read_state(self, state: Mapping[str, Any], is_answer: bool) -> Notice[Move] | None:
        """Return the notice of a state.

        Args:
            is_answer: True if it answers moves, False if it answers a poll.
        """
        if state["status"] == messages.ENDED:
            return self._read_end(state)
        if state["error"]:
            return RequestRejected(str(state["error"]))
        before = self._position
        if state["status"] == messages.NOT_READY:
            return None if before is None else self._lose_match(before)
        if before is not None and before.board.turn != state["board"]["current_turn"]:
            self._turn = TurnSoFar()
        elif before is not None and is_answer:
            for move in self._sent:
                self._turn.follow(move, before.board)
        self._position = read_position(state, self._turn, self._game)
        if before is not None and self._position.board.turn < before.board.turn:
            return self._lose_match(before)
        to_move = self._position.to_move
        assert to_move is not None
        if to_move is self._seat and HIDDEN in self._position.board.mine.hand:
            raise ProtocolError("the server hides this player's own hand")
        is_new = before is None or before.board.turn != self._position.board.turn
        if is_new or to_move is self._seat:
            return TurnBegan(to_move, self._position, None)
        return None

    def _lose_match(self, last: AscensionPosition) -> Notice[Move]:
        """End the match: another game has begun, and the end of this one was not seen (A-Q21)."""
        self.closed = True
        reason = "the server has begun another game"
        return MatchEnded(Result(None, Ending.CANCELLED, reason), last)

    def _read_end(self, state: Mapping[str, Any]) -> Notice[Move]:
        """Close the session: the server keeps showing the ended match (A-Q21)."""
        position = read_end(state, self._game)
        self.closed = True
        error, outcome = str(state["error"]), position.outcome
        winner = outcome.winner if outcome else None
        if error:
            return MatchEnded(Result(winner, Ending.CANCELLED, error), position)
        detail = outcome.reason if outcome else "the server does not say who won"
        return MatchEnded(Result(winner, Ending.PLAYED_OUT, detail), position)

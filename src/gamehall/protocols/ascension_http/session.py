"""The server's end of a connection: HTTP requests in, responses out."""

import re
from math import ceil

import msgspec

from gamehall.core import Seat
from gamehall.games.ascension import Move
from gamehall.protocols.ascension_http import messages
from gamehall.protocols.ascension_http.messages import INDEX, BodyError
from gamehall.protocols.ascension_http.settings import AscensionHttpSettings
from gamehall.protocols.ascension_http.state import StateEncoder
from gamehall.rooms.notices import Closed, Notice, Refused, Seated, Snapshot
from gamehall.rooms.requests import BadAnswer, Join, Look, Pong, Request, Submit, digest_token
from gamehall.wire.http import CONTINUE, HttpRequest, HttpRequests, write_response
from gamehall.wire.session import Session, Timeouts

METHODS = {"/join": "POST", "/state": "GET", "/moves": "POST"}

HEADERS = {"Cache-Control": "no-store", "Access-Control-Allow-Origin": "*"}

TURN = re.compile(r"-1|[0-9]{1,9}")
"""A turn for whose end a client can wait; -1 is before the first."""

FULL = "two players have already joined"
ENDED = "the game has ended; the next one can be joined in {seconds} s"
LONGEST_KEY = 200


class AscensionHttpSession(Session[HttpRequest, Move]):
    """Reads the requests of a client, and answers each before the next."""

    __slots__ = ("_answering", "_encoder", "_has_waited", "_requests", "_settings")

    def __init__(
        self, settings: AscensionHttpSettings, timeouts: Timeouts, encoder: StateEncoder, now: float
    ) -> None:
        self._requests = HttpRequests()
        super().__init__(self._requests, timeouts, now)
        self._settings = settings
        self._encoder = encoder
        self._answering: HttpRequest | None = None
        """The request that has not been answered yet."""
        self._has_waited = False
        """Whether `next_request` was called while that request waited for its answer."""

    def next_request(self) -> Request[Move] | None:
        if self._answering is not None:
            self._has_waited = True
            return None
        request = super().next_request()
        if request is None and self._requests.has_more and self._requests.take_awaits_continue():
            self.pending_output += CONTINUE
        return request

    def read(self, message: HttpRequest) -> Request[Move]:
        self._answering = message
        method = METHODS.get(message.path)
        # A-Q03: browsers ask first; A-02, A-Q02: there are three endpoints.
        if message.method == "OPTIONS":
            allowed = f"{method}, OPTIONS" if method else "GET, POST, OPTIONS"
            return self._respond(204, {}, allowed)
        if method is None:
            known = ", ".join(f"{verb} {path}" for path, verb in METHODS.items())
            return self._respond(404, {"error": f"there is nothing here; there are {known}"})
        if message.method != method:
            error = f"{message.path} takes {method}, not {message.method}"
            return self._respond(405, {"error": error}, f"{method}, OPTIONS")
        try:
            match message.path:
                case "/join":
                    return Join("", secret=self._key_of_join(message))
                case "/state":
                    return self._read_look(message.query)
                case _:
                    return self._read_moves(message)
        except BodyError as error:
            return self._respond(400, {"error": str(error)})

    def send(self, notice: Notice[Move]) -> bytes:
        match notice:
            case Snapshot() if self._answering is not None:
                return self._write_state(notice, self._answering)
            case Seated() | Refused() | Snapshot() if self._answering is None:
                # HTTP: a response needs a request.
                return b""
            case Seated(Seat() as seat, secret):
                joined: dict[str, object] = {"player_index": INDEX[seat]}
                if secret:
                    joined["token"] = secret
                return self._answer(200, msgspec.json.encode(joined))
            # an error that is not empty; A-Q21: and when the next game can be joined.
            case Refused(_, seconds_to_wait):
                status = 409 if self._settings.http_errors else 200
                if seconds_to_wait is None:
                    return self._answer(status, _error(FULL))
                seconds = max(1, ceil(seconds_to_wait))
                return self._answer(
                    status, _error(ENDED.format(seconds=seconds)), {"Retry-After": str(seconds)}
                )
            case Closed() if self.fault is not None:
                status = 413 if self._requests.is_too_long else 400
                answer = write_response(None, status, _error(self.fault), HEADERS)
                self.close()
                return answer
            case Closed():
                self.close()
                return b""
            case _:
                # The protocol has no message for other notices.
                return b""

    def _key_of_join(self, message: HttpRequest) -> str:
        """Return the key by which a repeated join is recognized.

        Only a door with tokens has such keys (A-Q34); elsewhere the body is ignored (A-Q03).
        """
        if not self._settings.tokens or not message.body.lstrip().startswith(b"{"):
            return ""
        return _key(messages.read_body(message.body).get("key")) or ""

    def _read_look(self, query: dict[str, str]) -> Request[Move]:
        if not query:
            return Look()
        after = query.get("after", "")
        return Look(
            messages.read_player(query.get("player_index")),
            _digest(query.get("token")),
            int(after) if TURN.fullmatch(after) else None,
        )

    def _read_moves(self, message: HttpRequest) -> Request[Move]:
        # A-Q03: the body is JSON, also if its Content-Type says something else.
        body = messages.read_body(message.body)
        seat = messages.read_player(body.get("player_index"))
        # A-Q08 for the index, A-Q10 for the moves.
        if seat is None:
            return BadAnswer("player_index must be 0 or 1")
        moves = body.get("moves")
        if isinstance(moves, dict):
            moves = [moves]
        if not isinstance(moves, list):
            return BadAnswer("moves must be a list of moves")
        return Submit(
            seat=seat,
            planned=messages.read_moves(moves, self._settings.strict),
            secret=_digest(body.get("token")),
            key=_key(body.get("key")),
        )

    def _write_state(self, shown: Snapshot[Move], request: HttpRequest) -> bytes:
        # A-Q05: the answer to refused moves is the state, with the status of A-Q02.
        if shown.is_refusal:
            status = 422 if self._settings.http_errors else 200
            return self._answer(status, self._encoder.write(shown))
        headers: dict[str, str] = {}
        # A-Q30: with long-poll, a state that the client knows is not sent again.
        if self._settings.long_poll:
            # With hidden hands each player sees another state (A-Q18).
            viewer = INDEX[shown.viewer] if shown.viewer and self._settings.hide_hands else ""
            tag = f'"{shown.version}-{viewer}"'
            headers["ETag"] = tag
            known = request.headers.get("if-none-match", "").split(",")
            if tag in (one.strip().removeprefix("W/") for one in known):
                return self._answer(304, b"", headers)
        if shown.error or not request.keep_alive:
            return self._answer(200, self._encoder.write(shown), headers)
        self._end_answer(request)
        return self._encoder.respond(
            shown, lambda body: write_response(request, 200, body, HEADERS | headers)
        )

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> bytes:
        """Return the response to the open request."""
        request = self._answering
        assert request is not None
        self._end_answer(request)
        return write_response(request, status, body, HEADERS | (headers or {}))

    def _end_answer(self, request: HttpRequest) -> None:
        """Note that the request is answered: the next one can be read, or the session ends."""
        self._answering = None
        if not request.keep_alive:
            self.close()
        elif self._has_waited:
            self._has_waited = False
            self.has_deferred_input = self._requests.has_more or self._at_end

    def _respond(self, status: int, content: dict[str, str], allowed: str = "") -> Request[Move]:
        """Answer a request that does not concern the room."""
        headers = {"Allow": allowed} if allowed else {}
        if status == 204:
            headers["Access-Control-Allow-Methods"] = allowed
            headers["Access-Control-Allow-Headers"] = "*"
        self.pending_output += self._answer(status, msgspec.json.encode(content), headers)
        return Pong()


def _error(text: str) -> bytes:
    return msgspec.json.encode({"error": text})


def _digest(token: object) -> str | None:
    """Return the digest of a token: the token itself is stored nowhere."""
    return digest_token(token) if isinstance(token, str) else None


def _key(value: object) -> str | None:
    return value[:LONGEST_KEY] if isinstance(value, str) and value else None

"""The server's end of a connection to the Santorini lobby."""

from typing import cast

from gamehall.core import Seat
from gamehall.games.santorini import Move, Place, SantoriniPosition
from gamehall.match import MatchEnded, MovePlayed, MoveRefused, TurnBegan
from gamehall.protocols.santorini_lobby import messages
from gamehall.protocols.santorini_lobby.settings import SantoriniLobbySettings
from gamehall.protocols.santorini_lobby.turns import HalfTurn, TurnReading, interpret
from gamehall.rooms.notices import (
    Closed,
    MatchBegan,
    Notice,
    Ping,
    Refused,
    Seated,
    SignedUp,
    TournamentBegan,
)
from gamehall.rooms.requests import AskAgain, BadAnswer, ClientPolicy, Join, Play, Pong, Request
from gamehall.wire.framing import ProtocolError
from gamehall.wire.json import JsonValue, NotJson, write_line
from gamehall.wire.prompted_session import PromptedSession
from gamehall.wire.session import UnreadableMoveError
from gamehall.wire.sign_up import quote_input, read_sign_up

GARBAGE_LIMIT = 3
"""After this many inputs that are not JSON a waiting client is dropped (S0-Q27)."""


class SantoriniLobbySession(PromptedSession[Move]):
    """Reads requests of a client of the Santorini lobby and writes notices to it.

    Only answers to an open prompt have an effect. Any other message is a sign of life (S0-Q26).
    """

    __slots__ = (
        "_garbage",
        "_half",
        "_joined",
        "_last_reading",
        "_policy",
        "_position",
        "_reading",
        "_seat",
        "_settings",
        "_shows_board",
    )

    def __init__(self, settings: SantoriniLobbySettings, policy: ClientPolicy, now: float) -> None:
        super().__init__(settings.timeouts(), now)
        self._settings = settings
        self._policy = policy
        self._joined = False
        self._shows_board = False
        """Whether the client has asked to be shown the board (S0-Q18)."""
        self._garbage = 0
        self._seat: Seat | None = None
        self._position: SantoriniPosition | None = None
        self._half: HalfTurn | None = None
        """The first half of the client's turn, None if it has not sent one."""
        self._reading = settings.turn_reading
        self._last_reading: TurnReading | None = None
        """How the last turn was read, which the room has not judged yet (S0-Q11)."""

    def _is_answer(self, message: JsonValue) -> bool:
        match message.value:
            case ["give_placement" | "give_turn", *_]:
                return self._joined
            case _:
                return False

    def _read_request(self, message: JsonValue | NotJson) -> Request[Move]:
        if isinstance(message, NotJson):
            return self._read_garbage(message.text)
        match message.value:
            # S0-23: it is never an answer; S0-Q06: further elements are ignored.
            case ["stillalive", *_]:
                return Pong()
            case ["join", str(name), *options] if not self._joined:
                return self._read_join(name, options)
            case ["give_placement" | "give_turn" as kind, *parts] if self._is_prompted:
                return self._read_answer(kind, parts)
            case _:
                # S0-Q26.
                if self._settings.strict:
                    raise ProtocolError("this message is not allowed now")
                return Pong()

    def send(self, notice: Notice[Move]) -> bytes:
        match notice:
            case TurnBegan():
                if notice.position is not self._position:
                    self._half = None
                self._position = cast("SantoriniPosition", notice.position)
                if not self._at_end:
                    # S0-Q26: an answer that came before its prompt is not an answer to it.
                    self._script.clear()
                self._open_prompt()
                kind = "get_placement" if self._position.is_placing else "get_turn"
                return self._write(kind, self._position)
            case MovePlayed():
                # S0-Q11: the first accepted turn decides how the client's turns are read.
                self._reading = self._last_reading or self._reading
                self._last_reading = None
                return b""
            case MoveRefused():
                self._last_reading = None
                return b""
            case MatchEnded():
                self._is_prompted = False
                self._half = None
                self._last_reading = None
                # A door leads only to rooms of its own game.
                position = cast("SantoriniPosition", notice.position)
                return self._write(self._settings.end_message.value, position)
            case MatchBegan(seat):
                self._seat = seat
                return write_line(["start_of_game"])
            case TournamentBegan():
                self._note_begin()
                return write_line(["set_id", notice.id])
            case Ping():
                return write_line(["keepalive"])
            case SignedUp() | Seated():
                self._note_joined()
                return b""
            case Closed() | Refused():
                self.close()
                return b""
            case _:
                # S0-Q19: an illegal answer has no reply but the repeated prompt.
                return b""

    def _write(self, kind: str, position: SantoriniPosition) -> bytes:
        """Write a message, with the board if the client has asked for it (S0-Q18)."""
        if not self._shows_board:
            return write_line([kind])
        return write_line([kind, messages.board(position, self._half)])

    def _read_join(self, text: str, options: list[object]) -> Request[Move]:
        name, secret = read_sign_up(text, self._settings)
        if len(name) > messages.LONGEST_NAME:
            raise ProtocolError(f"a name has at most {messages.LONGEST_NAME} characters")
        self._joined = True
        option = options[0] if options else None
        self._shows_board = isinstance(option, dict) and option.get("board") is True
        return Join(name, self._policy, secret)

    def _read_garbage(self, text: bytes) -> Request[Move]:
        """Handle input that is not JSON: a bad answer if a prompt is open (S0-Q27)."""
        if self._is_prompted and not self._settings.strict:
            self._is_prompted = False
            return BadAnswer("this is not JSON")
        if not self._began:
            self._garbage += 1
        if self._settings.strict or self._garbage >= GARBAGE_LIMIT:
            raise ProtocolError(f"this is not JSON: {quote_input(text, self._settings)}")
        return Pong()

    def _read_answer(self, kind: str, parts: list[object]) -> Request[Move]:
        """Read an answer to the open prompt, which decides what it must contain (S0-Q09)."""
        position, seat = self._position, self._seat
        assert position is not None
        assert seat is not None
        self._is_prompted = False
        base, strict = self._settings.base, self._settings.strict
        # S0-Q09: a turn may have either name, a placement only one.
        if position.is_placing and kind != "give_placement":
            return BadAnswer("place a worker first")
        try:
            if position.is_placing:
                return Play(Place(messages.read_placement(parts, base, strict)))
            answer = messages.read_turn(parts, base, strict)
            move, reading = interpret(answer, position, seat, self._reading, self._half)
        except UnreadableMoveError as reason:
            return BadAnswer(str(reason))
        if isinstance(move, HalfTurn):
            self._half = move
            return AskAgain()
        self._last_reading = reading
        return Play(move)

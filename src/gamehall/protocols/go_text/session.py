"""The server's end of a connection of the Go protocol."""

from typing import cast

from gamehall.core import IllegalMove, Seat
from gamehall.games.go import Go, GoPosition, Move, Pass, Point, Stone, StoneRefusedError
from gamehall.match import Ending, MatchEnded, MovePlayed, TurnBegan
from gamehall.protocols.go_text import messages
from gamehall.protocols.go_text.messages import write
from gamehall.protocols.go_text.settings import GoTextSettings
from gamehall.rooms.notices import (
    Closed,
    Notice,
    Refused,
    RequestRejected,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
)
from gamehall.rooms.requests import Answer, Arrive, BadAnswer, Confirm, Play, Request, Resign
from gamehall.wire.framing import Lines
from gamehall.wire.session import Session, Timeouts

LONGEST_KEPT = 65_536
"""Bytes that a client may send before it is read."""

SECONDS_TO_NEWLINE = 5.0
"""How long after part of a message the client is reminded of the newline."""

NO_NEWLINE = "the message is not complete: end each message with a newline"


class GoTextSession(Session[str, Move]):
    """Reads requests of a Go client and writes notices to it.

    G-Q06: input of the second client is kept, and read when it is sent the terms.
    """

    __slots__ = (
        "_has_arrived",
        "_is_reading",
        "_lines",
        "_position",
        "_seat",
        "_settings",
        "_started",
        "_tried",
        "_was_told_of_newline",
    )

    def __init__(self, settings: GoTextSettings, timeouts: Timeouts, now: float) -> None:
        self._lines = Lines()
        super().__init__(self._lines, timeouts, now)
        self._settings = settings
        self._has_arrived = False
        self._is_reading = False
        """Whether the input of the client is read yet."""
        self._seat: Seat | None = None
        self._position: GoPosition | None = None
        self._started = False
        """Whether START has been sent."""
        self._tried: Stone | None = None
        """The stone of the last message, None if that was something else."""
        self._was_told_of_newline = False
        """Whether the client was reminded that its unfinished message lacks a newline."""

    def next_request(self) -> Request[Move] | None:
        if not self._has_arrived and not self.closed:
            self._has_arrived = True
            return Arrive()
        if not self._is_reading:
            if self._lines.bytes_buffered > LONGEST_KEPT:
                self.fault = "sent too much before it was asked"
            elif self._lines.has_more or not self._at_end:
                return None
        request = super().next_request()
        if request is None and self._lines.has_more and not self._at_end and not self.closed:
            self._wait_for_newline()
        return request

    def receive_data(self, data: bytes, now: float) -> None:
        # The reminder is for silence after part of a message.
        self._set_reminder(None)
        super().receive_data(data, now)

    def read(self, message: str) -> Request[Move]:
        self._tried = None
        self._was_told_of_newline = False
        is_strict = self._settings.strict
        word, *parameters = message.split() or [""]
        name = word.upper() if word.isascii() and not is_strict else word
        if not is_strict:
            parameters = [messages.without_quotes(parameter) for parameter in parameters]
        match name, parameters:
            # G-Q03: the name may be left out; G-Q05: the room rejects a wrong one.
            case "RESPONSE", [question, value]:
                return Answer(question if is_strict else question.lower(), value)
            case "RESPONSE", [value]:
                return Answer(None, value)
            case "TERMSCONFIRM", ["Yes" | "No" as answer]:
                return Confirm(answer == "Yes")
            case "TERMSCONFIRM", [answer] if answer.lower() in messages.AGREEMENT and not is_strict:
                return Confirm(messages.AGREEMENT[answer.lower()])
            # G-Q09: the terms stand and are not sent again.
            case "TERMSCONFIRM", _:
                return BadAnswer("TERMSCONFIRM has one parameter, Yes or No")
            case "PLAY", [row, column]:
                return self._read_play(row, column)
            case "PLAY", _:
                return BadAnswer("PLAY has two parameters, Y and X")
            case "RESPONSE", _:
                return BadAnswer("RESPONSE has two parameters, what was asked and the answer")
            # G-Q02: unless the door is strict, more words are ignored.
            case "PASS" | "RESIGN", [_, *_] if is_strict:
                return BadAnswer(f"{name} has no parameters")
            case "PASS", _:
                return Play(Pass())
            case "RESIGN", _:
                return self._read_resign()
            case _:
                return BadAnswer(f"there is no message {messages.quote(word)}")

    def send(self, notice: Notice[Move]) -> bytes:
        match notice:
            case MovePlayed(seat, move):
                before, self._position = self._position, cast("GoPosition", notice.position)
                return self._write_move(seat, move, before)
            case TurnBegan():
                self._position = cast("GoPosition", notice.position)
                # G-14: START follows the last handicap stone, and comes once.
                if self._started or self._position.is_handicap_phase:
                    return b""
                self._started = True
                return write("START")
            case RequestRejected(reason):
                return write("ERROR", self._in_wire_coordinates(reason))
            case TermsQuestion(question):
                self._start_reading()
                return write("QUERY", question)
            case TermsProposed(seat):
                self._seat = seat
                self._start_reading()
                # A door leads only to rooms of its own game.
                game = cast("Go", notice.game)
                komi = messages.write_float(game.komi)
                return write("TERMS", game.size, messages.COLOURS[seat], game.handicap, komi)
            case TermsAgreed():
                return write("TERMSOK")
            case MatchEnded():
                return self._write_end(notice)
            case Closed() | Refused():
                self.close()
                return b""
            case _:
                # The protocol has no message for the other notices.
                return b""

    def _start_reading(self) -> None:
        """Read the client's input from now on, also what it sent before."""
        if not self._is_reading:
            self._is_reading = True
            self.has_deferred_input = self._lines.has_more or self._at_end

    def _wait_for_newline(self) -> None:
        """Remind a client that is silent after part of a message that it lacks a newline.

        G-Q01: the document does not mention newlines, so a client may not send them.
        """
        if self._reminder is None and not self._was_told_of_newline:
            self._set_reminder(self._now + SECONDS_TO_NEWLINE)

    def _remind(self) -> None:
        self._was_told_of_newline = True
        self.pending_output += write("ERROR", NO_NEWLINE)

    def _in_wire_coordinates(self, reason: str) -> str:
        """Return the reason of a refusal with the point as the client writes it (G-Q01)."""
        position, tried = self._position, self._tried
        if position is None or tried is None or position.to_move is not self._seat:
            return reason
        try:
            position.after(tried)
        except StoneRefusedError as refusal:
            row, column = (number + self._settings.base for number in tried.point)
            return refusal.about(f"{row} {column}")
        except IllegalMove:
            pass  # Suicide and ko: the reason contains no point.
        return reason

    def _read_play(self, row: str, column: str) -> Request[Move]:
        # G-17, G-Q18: Y comes before X.
        y, x = messages.read_whole(row), messages.read_whole(column)
        if y is None or x is None:
            return BadAnswer("the parameters of PLAY are whole numbers")
        self._tried = Stone(Point(y - self._settings.base, x - self._settings.base))
        return Play(self._tried)

    def _read_resign(self) -> Request[Move]:
        """Accept a resignation in either player's turn, unless the door is strict (G-Q30)."""
        in_turn = self._position is None or self._position.to_move is self._seat
        if self._settings.strict and not in_turn:
            return BadAnswer("it is not your turn")
        return Resign()

    def _write_move(self, seat: Seat, move: Move, before: GoPosition | None) -> bytes:
        in_handicap = before is not None and before.is_handicap_phase
        match move:
            # G-12, G-20: the opponent is sent every stone, also handicap stones.
            case Stone(Point(row, column)) if seat is not self._seat:
                base = self._settings.base
                return write("OPPONENTPLAY", row + base, column + base)
            # G-19, G-Q11.
            case Stone() if not in_handicap or self._settings.handicap_success:
                return write("SUCCESS")
            # G-21; G-Q12: a pass that ends the handicap phase is not reported; G-Q28: nor answered.
            case Pass() if seat is not self._seat and not in_handicap:
                is_last = self._position is not None and self._position.outcome is not None
                if not is_last or self._settings.last_pass_notify:
                    return write("OPPONENTPASS")
        return b""

    def _write_end(self, ended: MatchEnded[Move]) -> bytes:
        """Write GAMEOVER: with 2 parameters if a player gave up, otherwise 8 (G-Q23)."""
        true_or_false = self._settings.booleans.write
        seat = self._seat
        assert seat is not None
        # G-28, G-Q32: a player that leaves or runs out of time has given up.
        gave_up = ended.result.ending is not Ending.PLAYED_OUT
        verdict = [true_or_false(ended.result.winner is seat), true_or_false(gave_up)]
        if gave_up:
            return write("GAMEOVER", *verdict)
        position = cast("GoPosition", ended.position)
        score, scoring = position.score(), position.terms.scoring
        # G-29: each number first of the reader, then of the opponent.
        own, other = score.of(seat), score.of(seat.other)
        totals = [messages.write_float(tally.total(scoring)) for tally in (own, other)]
        return write(
            "GAMEOVER",
            *verdict,
            own.captured,
            other.captured,
            own.territory,
            other.territory,
            *totals,
        )

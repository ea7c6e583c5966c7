"""The client's end of a connection of the Go protocol."""

from gamehall.core import IllegalMove, Seat
from gamehall.games.go import Go, GoPosition, Move, Pass, Point, Stone
from gamehall.match import Ending, MatchEnded, MovePlayed, Result, TurnBegan
from gamehall.protocols.go_text import messages
from gamehall.protocols.go_text.messages import write
from gamehall.rooms.notices import (
    Notice,
    RequestRejected,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
)
from gamehall.rooms.requests import Answer, Confirm, Play, Request, Resign
from gamehall.wire.framing import Lines, ProtocolError
from gamehall.wire.session import ClientSession

TRUE = ("true", "1", "yes")


class GoTextClientSession(ClientSession[str, Move]):
    """Reads messages of a Go server and writes requests to it.

    The protocol transmits neither the ko rule nor whether suicide is allowed (G-Q19): the caller
    must know them. The server does not answer a pass (G-Q28), so the client makes its own on its
    board when it sends it. Besides moves, the client reports whose turn it is.
    """

    __slots__ = (
        "_base",
        "_before",
        "_game",
        "_handicap_success",
        "_has_started",
        "_move",
        "_position",
        "_seat",
    )

    def __init__(
        self, game: Go | None = None, base: int = 0, handicap_success: bool = True
    ) -> None:
        """Open a connection.

        Args:
            game: with the terms that the protocol does not transmit.
            handicap_success: whether the server answers handicap stones with SUCCESS (G-Q11).
        """
        super().__init__(Lines())
        self._handicap_success = handicap_success
        self._game = game or Go()
        self._base = base
        self._seat = Seat.FIRST
        self._position: GoPosition | None = None
        self._has_started = False
        self._move: Move | None = None
        """The last move, until the server answers it."""
        self._before: GoPosition | None = None
        """The position before a handicap stone that the server answers only if it is illegal."""

    def read(self, message: str) -> Notice[Move]:
        match message.split():
            case ["QUERY", question]:
                return TermsQuestion(question)
            case ["ERROR", *_]:
                self._move = None
                self._position, self._before = self._before or self._position, None
                return RequestRejected(message[len("ERROR") :].strip())
            case ["TERMS", size, colour, handicap, komi]:
                return self._read_terms(size, colour, handicap, komi)
            case ["TERMSOK"]:
                self._tell_turn()
                return TermsAgreed()
            case ["START"]:
                return self._read_start()
            case ["SUCCESS"]:
                # G-19, G-Q10.
                if self._move is None:
                    raise ProtocolError("SUCCESS without a move")
                return self._played(self._seat, self._move)
            case ["OPPONENTPLAY", row, column]:
                return self._played(self._seat.other, self._read_stone(row, column))
            case ["OPPONENTPASS"]:
                return self._played(self._seat.other, Pass())
            case ["GAMEOVER", won, gave_up, *_]:
                return self._read_end(won.lower() in TRUE, gave_up.lower() in TRUE)
            case _:
                raise ProtocolError("not a message of the Go protocol")

    def send(self, request: Request[Move]) -> bytes:
        match request:
            case Answer(question, text):
                return write("RESPONSE", *([question] if question else []), text)
            case Confirm(agrees):
                return write("TERMSCONFIRM", "Yes" if agrees else "No")
            case Play(Stone(Point(row, column)) as move):
                self._put(move)
                return write("PLAY", row + self._base, column + self._base)
            case Play(Pass() as move):
                self._pass(move)
                return write("PASS")
            case Resign():
                return write("RESIGN")
            case _:
                return b""

    def _put(self, move: Stone) -> None:
        """Wait for SUCCESS, or make the move at once if the server does not send it."""
        position = self._position
        if position is None or self._handicap_success or not position.is_handicap_phase:
            self._move = move
        elif position.allows(move):
            self._before, self._position = position, position.after(move)
            self._tell_turn()

    def _pass(self, move: Pass) -> None:
        """Make a pass at once, unless it ends the handicap phase or is out of turn."""
        position = self._position
        if position is None or position.is_handicap_phase or position.to_move is not self._seat:
            return
        self._position = position.after(move)

    def _read_terms(self, size: str, colour: str, handicap: str, komi: str) -> Notice[Move]:
        agreed = self._game
        try:
            game = Go(
                size=int(size),
                komi=float(komi),
                handicap=int(handicap),
                handicap_first=agreed.handicap_first,
                ko=agreed.ko,
                suicide=agreed.suicide,
                scoring=agreed.scoring,
            )
            self._seat = messages.SEAT_OF_COLOUR[colour]
        except (ValueError, KeyError) as error:
            raise ProtocolError(f"unreadable TERMS: {error}") from None
        self._game = game
        self._position = game.start(0)
        return TermsProposed(self._seat, game)

    def _read_start(self) -> Notice[Move]:
        if self._position is None:
            raise ProtocolError("START before TERMS")
        if self._position.is_handicap_phase:
            # G-13: black stopped early.
            self._position = self._position.after(Pass())
        self._has_started = True
        to_move = self._position.to_move
        if to_move is None:
            raise ProtocolError("START after the end")
        return TurnBegan(to_move, self._position, None)

    def _tell_turn(self) -> None:
        """Report whose turn it is after the last message, unless no player may move.

        Before START only handicap stones may be placed.
        """
        position = self._position
        if position is None or position.to_move is None:
            return
        if self._has_started or position.is_handicap_phase:
            self._further = TurnBegan(position.to_move, position, None)

    def _read_stone(self, row: str, column: str) -> Stone:
        y, x = messages.read_whole(row), messages.read_whole(column)
        if y is None or x is None:
            raise ProtocolError("Y and X must be whole numbers")
        return Stone(Point(y - self._base, x - self._base))

    def _played(self, seat: Seat, move: Move) -> Notice[Move]:
        self._move = None
        if self._position is None or self._position.to_move is not seat:
            raise ProtocolError("a move out of turn")
        try:
            self._position = self._position.after(move)
        except IllegalMove as refusal:
            raise ProtocolError(f"a move against the rules: {refusal}") from None
        self._tell_turn()
        return MovePlayed(seat=seat, move=move, position=self._position, deadline=None)

    def _read_end(self, has_won: bool, gave_up: bool) -> Notice[Move]:
        position = self._position or self._game.start(0)
        winner: Seat | None = self._seat if has_won else self._seat.other
        if gave_up:
            words = "the other gave up" if has_won else "you gave up"
            return MatchEnded(Result(winner, Ending.RESIGNED, words), position)
        if position.passes == 1 and position.to_move is self._seat.other:
            # G-Q27: the server need not report the last pass.
            position = position.after(Pass())
        outcome = position.outcome
        if outcome is None:
            return MatchEnded(Result(winner, Ending.PLAYED_OUT, "the server says so"), position)
        return MatchEnded(Result(outcome.winner, Ending.PLAYED_OUT, outcome.reason), position)

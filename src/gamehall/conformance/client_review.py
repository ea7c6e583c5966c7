"""Judge a client by its requests while it plays against the checker."""

from typing import Any

from gamehall.conformance.checklist import ClientRules, Finding, Verdict
from gamehall.core import IllegalMove, Position, Seat
from gamehall.match import Ending, MatchEnded, MovePlayed, MoveRefused, Result, TurnBegan
from gamehall.rooms.notices import (
    Closed,
    MatchBegan,
    Notice,
    Ping,
    Refused,
    RequestRejected,
    Seated,
    Snapshot,
    TermsProposed,
    TermsQuestion,
)
from gamehall.rooms.prompted_match import UNPROMPTED
from gamehall.rooms.requests import (
    Answer,
    BadAnswer,
    Confirm,
    EndOfInput,
    Join,
    Leave,
    Look,
    Play,
    Pong,
    Probe,
    Request,
    Submit,
    UnreadableMove,
)
from gamehall.wire.session import JOIN_TIMEOUT, MESSAGE_TIMEOUT

POINTS = {
    "C-01": "the client connects, and begins as its document says",
    "C-02": "every message is one of the document's, and well-formed",
    "C-03": "every move is legal",
    "C-04": "it moves when it is its turn, and only then",
    "C-05": "it answers in time",
    "C-06": "it stays to the end of the game",
    "C-07": "it does all this in the other seat, too",
}
"""What a client of any protocol must do."""

QUESTIONS = (Ping, TermsQuestion, RequestRejected, Refused, TermsProposed)
"""Notices that a client has to answer, other than by a move."""

POINTS_OF_ENDINGS = {
    Ending.OUT_OF_TIME: "C-05",
    Ending.ILLEGAL_MOVE: "C-03",
    Ending.BROKE_PROTOCOL: "C-02",
    Ending.LEFT: "C-06",
    Ending.CRASHED: "C-06",
}
"""The point that a client fails if it loses a match in this way."""


class ClientReview:
    """Follows the requests of the client under check and the notices it is sent."""

    def __init__(self, rules: ClientRules) -> None:
        self._rules = rules
        self._faults: dict[str, str] = {}
        self._seen: set[str] = set()
        self._saw_end = False
        self._why_not_again = "the client did not reach the end of a game"
        self._visits = 0
        self.seats: list[Seat] = []
        """The seats in which the client has played a game to its end."""
        self.begin_visit()

    def begin_visit(self) -> None:
        """Forget the last visit, and expect the client to connect."""
        self._visits += 1
        self._seat: Seat | None = None
        self._position: Position[Any] | None = None
        self._last: Request[Any] | None = None
        self.sees_board = True
        """Whether the client is shown the positions of its game."""
        self._is_questioned = False
        """Whether the client has to answer other than by a move."""
        self.has_begun = False
        self.is_gone = False
        self.is_told_end = False
        """Whether the client has been sent the end of the game, or has asked for it."""

    @property
    def has_failed(self) -> bool:
        """Whether the client has broken any rule."""
        return bool(self._faults)

    @property
    def is_asked(self) -> bool:
        """Whether the next message has to come from the client."""
        if not self.has_begun or self._is_questioned:
            return True
        return self._position is not None and self._position.to_move is self._seat is not None

    def blame(self, point: str, what: str) -> None:
        """Note a fault of the client. Only the first one for each point is reported."""
        again = " (on its second connection)" if self._visits > 1 else ""
        self._faults.setdefault(point, what + again)

    def judge_request(self, request: Request[Any]) -> bool:
        """Judge a request. Return whether it is an answer to what the client was asked."""
        is_to_move = not self._is_questioned and self.has_begun
        self._last = request
        match request:
            case Look() | Probe():
                return False
            case Pong() if is_to_move:
                return False
            case Join() | Answer() | Confirm():
                self.has_begun = True
                self._seen |= {"C-01", "C-02"}
            case BadAnswer(reason):
                self.blame("C-02" if self.has_begun else "C-01", reason)
            case Leave(str(fault)):
                point = "C-05" if fault in (JOIN_TIMEOUT, MESSAGE_TIMEOUT) else "C-02"
                self.blame(point if self.has_begun else "C-01", fault)
            case Leave() | EndOfInput():
                self.is_gone = True
            case Play(move):
                self._judge_move(move)
            case Submit(planned=planned):
                self._seen |= {"C-02", "C-03", "C-04", "C-05"}
                for move in planned:
                    if isinstance(move, UnreadableMove):
                        self.blame("C-02", move.reason)
            case _:
                pass
        self._is_questioned = False
        return True

    def follow_notice(self, notice: Notice[Any]) -> None:
        """Follow a notice that the client is sent."""
        if isinstance(notice, QUESTIONS):
            self._is_questioned = True
        match notice:
            case MatchEnded(result, position):
                self._position = position
                self._end(result)
            case TurnBegan() | MovePlayed() | MoveRefused():
                self._position = notice.position
            case Seated(seat) | MatchBegan(seat) | TermsProposed(seat):
                self._seat, self._position = seat, None
            case Refused(refusal):
                self.blame("C-01", f"its request to join was refused: {refusal.value}")
            case RequestRejected(reason) if isinstance(self._last, Answer):
                self.blame("C-02", f"{reason}: {self._last.text!r}")
            case Snapshot():
                self._follow_snapshot(notice)
            case Closed(reason, False):
                self.is_gone = True
                if not self._faults:
                    point = "C-05" if self._is_questioned else "C-06"
                    self.blame(
                        point if self.has_begun else "C-01", f"its connection was closed: {reason}"
                    )
            case _:
                pass

    def set_position(self, position: Position[Any] | None) -> None:
        """Set the position of a game whose client has to ask for it."""
        self._position = position

    def end_visit(self, is_over: bool, why_not: str) -> None:
        """Judge whether the client has stayed to the end.

        Args:
            is_over: whether the game had ended when the client left.
            why_not: if it had not, what has happened.
        """
        if self._faults:
            return
        if is_over:
            self._saw_end = True
            self._note_seat()
        else:
            self.blame("C-06" if self.has_begun else "C-01", why_not)

    def skip_second_visit(self, why: str) -> None:
        """Note why the client has not played in the other seat."""
        self._why_not_again = why

    def findings(self) -> list[Finding]:
        return [self._finding(point) for point in POINTS]

    def _judge_move(self, move: Any) -> None:
        """Judge a move by the last position that the client was sent."""
        self._seen |= {"C-02", "C-03", "C-04", "C-05"}
        position = self._position
        if position is None or position.to_move is not self._seat:
            self.blame("C-04", f"it was not its turn when it played {move}")
            return
        try:
            position.after(move)
        except IllegalMove as rule:
            assert self._seat is not None
            if self.sees_board or not self._rules.needs_board(position, self._seat, move):
                self.blame("C-03", f"{move}: {rule}")
        # It is not its turn again before it is sent the new position.
        self._position = None

    def _end(self, result: Result) -> None:
        """Judge the client by the result of a match: it may have lost by a fault of its own."""
        self.is_told_end = True
        if self._faults:
            return
        has_lost = self._seat is not None and result.winner is not self._seat
        if has_lost and result.ending in POINTS_OF_ENDINGS:
            point = "C-04" if result.detail == UNPROMPTED else POINTS_OF_ENDINGS[result.ending]
            self.blame(point, f"it has lost a game by a fault of its own: {result.detail}")
        else:
            self._note_seat()

    def _note_seat(self) -> None:
        if self._seat is not None and self._seat not in self.seats:
            self.seats.append(self._seat)

    def _follow_snapshot(self, snapshot: Snapshot[Any]) -> None:
        match self._last:
            case Submit(seat=seat, planned=planned) if snapshot.is_refusal:
                out_of_turn = self._position is not None and self._position.to_move is not seat
                if not any(isinstance(move, UnreadableMove) for move in planned):
                    self.blame("C-04" if out_of_turn else "C-03", snapshot.error)
            case _:
                pass
        self._position = snapshot.position
        self.is_told_end |= snapshot.result is not None

    def _finding(self, point: str) -> Finding:
        clauses = self._rules.clauses.get(point)
        sentence = POINTS[point] + (f" ({clauses})" if clauses else "")
        if point in self._faults:
            return Finding(point, sentence, Verdict.FAILED, self._faults[point])
        if point == "C-03" and not self.sees_board:
            why_not = "the client does not ask to be shown the board, so it has to guess"
        elif point == "C-07":
            is_seen = {*self.seats} == {*Seat} and not self._faults
            why_not = "" if is_seen else self._why_not_again
        else:
            is_seen = point in self._seen or (point == "C-06" and self._saw_end)
            why_not = "" if is_seen else "the game did not get that far"
        verdict = Verdict.NOT_CHECKED if why_not else Verdict.PASSED
        return Finding(point, sentence, verdict, why_not)

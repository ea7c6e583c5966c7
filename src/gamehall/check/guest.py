"""What is noticed about a client while it plays with us."""

from typing import Any

from gamehall.check.clauses import Finding, Verdict
from gamehall.core import IllegalMove, Position, Seat
from gamehall.hosting.notices import (
    AreYouThere,
    Asked,
    Complained,
    Dismissed,
    MatchBegan,
    Notice,
    Refused,
    Seated,
    Shown,
    TermsProposed,
)
from gamehall.hosting.requests import (
    Answer,
    BadAnswer,
    HangUp,
    Join,
    Leave,
    NoWish,
    Play,
    Request,
    Submit,
)
from gamehall.play import MatchEnded, MovePlayed, MoveRefused, TurnBegan

SENTENCES = {
    "C-01": "the client comes, and says first what is to be said first",
    "C-02": "every message is one of the document's, and well-formed",
    "C-03": "every move is legal",
    "C-04": "it moves when it is its turn, and only then",
    "C-05": "it answers in time",
    "C-06": "it stays to the end of the game",
}

REFERENCES = {
    "tttp": ("T-03", "T-04 T-12 T-15", "T-12", "T-14", "", ""),
    "go-text": ("G-03", "G-31", "G-18", "G-22", "", "G-26"),
    "santorini-lobby": ("S0-02", "S0-21 S0-17", "S0-24", "S0-13 S0-15", "S0-18 S0-05", "S0-20"),
    "santorini-tournament": ("S1-02", "S1-24 S1-22", "S1-25", "S1-13", "S1-26 S1-27", "S1-16"),
    "ascension-http": ("A-08", "A-16 A-18 A-19", "A-20", "A-24", "", "A-04"),
}
"""The clauses of the document that ask for it, for each sentence."""


QUESTIONS = (AreYouThere, Asked, Complained, Refused, TermsProposed)
"""To these a client has something to say."""


class Guest:
    """The client under check: its requests and what it is told go by here."""

    def __init__(self, protocol: str) -> None:
        self._protocol = protocol
        self._faults: dict[str, str] = {}
        self._seen: set[str] = set()
        self._seat: Seat | None = None
        self._position: Position[Any] | None = None
        self._last: Request[Any] | None = None
        self.sees_board = True
        """Whether it is shown the positions that it plays in."""
        self._is_questioned = False
        """Whether it is to answer something that is no move."""
        self.has_begun = False
        self.is_gone = False

    @property
    def is_asked(self) -> bool:
        """Whether somebody waits for it: it is to move or to answer, or has not begun yet."""
        if not self.has_begun or self._is_questioned:
            return True
        return self._position is not None and self._position.to_move is self._seat is not None

    def blame(self, point: str, what: str) -> None:
        """Something is wrong; of several things the first is told."""
        self._faults.setdefault(point, what)

    def asks(self, request: Request[Any]) -> None:
        """It wants something."""
        self._last = request
        self._is_questioned = False
        match request:
            case Join() | Answer():
                self.has_begun = True
                self._seen |= {"C-01", "C-02"}
            case BadAnswer(reason):
                self.blame("C-02", reason)
            case Leave(str(fault)):
                point = "C-05" if "in time" in fault or "too long" in fault else "C-02"
                self.blame(point if self.has_begun else "C-01", fault)
            case Leave() | HangUp():
                self.is_gone = True
            case Play(move):
                self._judge(move)
            case Submit(wishes=wishes):
                self._seen |= {"C-02", "C-03", "C-04", "C-05"}
                for wish in wishes:
                    if isinstance(wish, NoWish):
                        self.blame("C-02", wish.reason)
            case _:
                pass

    def hears(self, notice: Notice[Any]) -> None:
        """It is told something."""
        if isinstance(notice, QUESTIONS):
            self._is_questioned = True
        match notice:
            case TurnBegan() | MovePlayed() | MatchEnded() | MoveRefused():
                self._position = notice.position
            case Seated(seat) | MatchBegan(seat) | TermsProposed(seat):
                self._seat, self._position = seat, None
            case Refused(refusal):
                self.blame("C-01", f"it cannot be let in: {refusal.value}")
            case Complained(reason) if isinstance(self._last, Answer):
                self.blame("C-02", f"{reason}: {self._last.text!r}")
            case Shown():
                self._see(notice)
            case Dismissed(reason, False):
                self.is_gone = True
                self.blame("C-06", f"it was sent away: {reason}")
            case _:
                pass

    def findings(self, is_over: bool, why_not: str) -> list[Finding]:
        """What is known of the client; `is_over`: whether the game has come to its end."""
        seen = {*self._seen}
        if is_over:
            seen.add("C-06")
        elif self.has_begun:
            self.blame("C-06", why_not)
        else:
            self.blame("C-01", why_not)
        return [
            self._finding(point, seen, references)
            for point, references in zip(SENTENCES, REFERENCES[self._protocol], strict=True)
        ]

    def _judge(self, move: Any) -> None:
        """A move against the position that the client was last told of."""
        self._seen |= {"C-02", "C-03", "C-04", "C-05"}
        position = self._position
        if position is None or position.to_move is not self._seat:
            self.blame("C-04", f"it was not its turn when it played {move}")
            return
        try:
            position.after(move)
        except IllegalMove as rule:
            if self.sees_board:
                self.blame("C-03", f"{move}: {rule}")
        # Until it is told how the position stands now, it has answered.
        self._position = None

    def _see(self, shown: Shown[Any]) -> None:
        last = self._last
        if shown.is_refusal and isinstance(last, Submit):
            position = self._position
            out_of_turn = position is not None and position.to_move is not last.seat
            self.blame("C-04" if out_of_turn else "C-03", shown.error)
        self._position = shown.position

    def _finding(self, point: str, seen: set[str], references: str) -> Finding:
        sentence = SENTENCES[point] + (f" ({references})" if references else "")
        if point in self._faults:
            return Finding(point, sentence, Verdict.FAILED, self._faults[point])
        if point == "C-03" and not self.sees_board:
            why = "the client does not ask to be shown the board, so it has to guess"
            return Finding(point, sentence, Verdict.NOT_CHECKED, why)
        if point in seen:
            return Finding(point, sentence, Verdict.PASSED)
        return Finding(point, sentence, Verdict.NOT_CHECKED, "it did not come to that")

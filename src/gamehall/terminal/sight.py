"""What a person sees of a match: the position, what has changed in it, and who is who."""

import re
from typing import Generic

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.play import Ending, Result
from gamehall.terminal.drawing import SEAT_STYLES, Board, Note, is_board, learn_marks
from gamehall.terminal.moves import example
from gamehall.terminal.wording import SEAT_WORDS, describe_result, harmless

SENTENCE = re.compile(r"(?<=\.) ")
SOMEBODY = "the other player"


class Sight(Generic[MoveT]):
    """One match after the other, with the eyes of one who plays or watches."""

    def __init__(self, name: str, game: Game[MoveT]) -> None:
        self.seat: Seat | None = None
        """The person's own, None if it is not known or there is none."""
        self.opponent = SOMEBODY
        self.position: Position[MoveT] | None = None
        self.name = name
        self._before: str | None = None
        """The diagram before the last move."""
        self._last = ""
        """The last move, in words."""
        self.last_move: MoveT | None = None
        """The last move, as far as it is known."""
        self._taken_from: tuple[Position[MoveT], str | None, str] | None = None
        """Where the person has moved last, until somebody else has."""
        self.take_game(game)

    def take_game(self, game: Game[MoveT]) -> None:
        """This is what is played."""
        self.game = game
        self.marks = learn_marks(game)

    def begin(self, opponent: str = "") -> None:
        """A new match: nothing is on the board."""
        self.opponent = harmless(opponent) or SOMEBODY
        self.position = self._before = self._taken_from = self.last_move = None
        self._last = ""

    def move(self, move: MoveT) -> None:
        """The person has moved; where everything lies open, it is seen at once."""
        position = self.position
        assert position is not None
        diagram = position.diagram()
        self._taken_from = (position, self._before, self._last)
        self._before, self._last = diagram, f"{self.game.write_move(move)} by you"
        self.last_move = move
        if is_board(diagram):
            self.position = position.after(move)

    def take_back(self) -> None:
        """What the person moved last does not count."""
        if self._taken_from is not None:
            self.position, self._before, self._last = self._taken_from
            self._taken_from = self.last_move = None

    def see(self, position: Position[MoveT], seat: Seat | None, move: MoveT | None = None) -> bool:
        """The server shows this; `seat` and `move` say who has moved if it tells.

        Gives whether it is anything new: a server may still show what was before our own move.
        """
        diagram, known = position.diagram(), self.position
        if self._taken_from is not None and is_board(diagram):
            if diagram == self._taken_from[0].diagram():
                return False
            self._taken_from = None
        if known is None or diagram == known.diagram():
            is_new = known is None or known.to_move is not position.to_move
            self.position = position
            return is_new
        if move is None:
            seat = known.to_move
            move = self._find_move(known, diagram) if is_board(diagram) else None
        if seat is not self.seat or self.seat is None:
            # What the person itself has moved is known already.
            self._last = f"{self.game.write_move(move)} by {self._who(seat)}" if move else ""
            self.last_move = move
        self._before, self.position = known.diagram(), position
        return True

    def board(self, hint: str, is_brief: bool = False) -> Board:
        """The position with what there is to say. Not checked: that there is a position."""
        assert self.position is not None
        diagram = self.position.diagram()
        notes = [Note(hint, "bold")]
        if is_board(diagram):
            notes = [Note(self.game.title, "bold"), Note(""), *self._players()]
            notes += [Note(""), Note(f"last move: {self._last}" if self._last else "")]
            notes += [Note(sentence, "bold") for sentence in SENTENCE.split(hint)]
        elif self._last and not is_brief:
            notes.insert(0, Note(f"last move: {self._last}"))
        return Board(diagram, self._before, tuple(notes), is_brief)

    def turn_hint(self) -> str:
        """What the person whose turn it is may type."""
        assert self.position is not None
        return f"Your turn. Type a move, as in {example(self.game, self.position)} (or ?)"

    def own_verdict(self) -> Result | None:
        """How the match ended as far as the board tells, None if it does not."""
        outcome = self.position.outcome if self.position is not None else None
        return Result(outcome.winner, Ending.PLAYED_OUT, outcome.reason) if outcome else None

    def verdict(self, result: Result) -> str:
        """How the match ended, for the person."""
        outcome = self.position.outcome if self.position is not None else None
        return describe_result(result, outcome, self.seat)

    def _players(self) -> list[Note]:
        assert self.position is not None
        marks = {seat: mark for mark, seat in self.marks.items()}
        return [
            Note(
                f"{'>' if seat is self.position.to_move else ' '} {marks.get(seat, '')} "
                + self._who(seat, is_full=True),
                SEAT_STYLES[seat],
            )
            for seat in Seat
        ]

    def _who(self, seat: Seat | None, is_full: bool = False) -> str:
        if self.seat is None or seat is None:
            return SEAT_WORDS[seat] if seat else SOMEBODY
        if seat is not self.seat:
            return self.opponent
        return f"{self.name} (you)" if is_full else "you"

    def _find_move(self, before: Position[MoveT], diagram: str) -> MoveT | None:
        """The one move that leads there, None if it takes more than one."""
        found = (move for move in before.legal_moves() if before.after(move).diagram() == diagram)
        return next(found, None)

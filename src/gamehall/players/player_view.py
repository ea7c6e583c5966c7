"""A person's view of a match: the position, the last move, and the players."""

import re
from typing import Generic

from gamehall.core import SEAT_NAMES, Game, MoveT, Position, Seat
from gamehall.match import Result
from gamehall.players.moves import example
from gamehall.players.shown import BoardView, Note, is_board, learn_marks
from gamehall.players.wording import describe_result, sanitize

SENTENCE = re.compile(r"(?<=\.) ")
UNNAMED = "the other player"


class PlayerView(Generic[MoveT]):
    """The current match, as a player or spectator sees it."""

    def __init__(self, name: str, game: Game[MoveT]) -> None:
        self.seat: Seat | None = None
        """The person's seat, None if it is unknown or the person watches."""
        self.opponent = UNNAMED
        self.position: Position[MoveT] | None = None
        self.name = name
        self._before: str | None = None
        """The diagram before the last move."""
        self._last = ""
        """The last move, in words."""
        self.last_move: MoveT | None = None
        """The last confirmed move, None if it is unknown."""
        self.last_mover: Seat | None = None
        self.sent: MoveT | None = None
        """The person's move that the server has not confirmed yet."""
        self.take_game(game)

    def take_game(self, game: Game[MoveT]) -> None:
        """Set the game, and learn how its pieces are drawn."""
        self.game = game
        self.marks = learn_marks(game)

    def begin(self, opponent: str = "") -> None:
        """Forget the last match."""
        self.opponent = sanitize(opponent) or UNNAMED
        self.position = self._before = self.sent = self.last_move = self.last_mover = None
        self._last = ""

    def send(self, move: MoveT) -> None:
        """Note the person's move. The board is not changed before the server confirms it."""
        self.sent = move

    def forget_sent_move(self) -> None:
        """Note that the server has not accepted the person's move."""
        self.sent = None

    def see(self, position: Position[MoveT], seat: Seat | None, move: MoveT | None = None) -> bool:
        """Note a position from the server. Return False if it looks like the known one.

        Args:
            seat, move: the last move and who made it, if the server says so.
        """
        known = self.position
        if known is None or (move is None and _look_alike(known, position)):
            self.position = position
            return known is None
        before: Position[MoveT] = known
        if move is None:
            before, seat, move = self._explain(known, position)
        words = "you" if seat is self.seat is not None else self._who(seat)
        self._last = f"{self.game.write_move(move)} by {words}" if move is not None else ""
        self.last_move, self.last_mover = move, seat if move is not None else None
        self._before, self.position = before.diagram(), position
        # By now the server has accepted the person's move, or it was too late.
        self.sent = None
        return True

    def board(self, hint: str, is_brief: bool = False) -> BoardView:
        """Return the board with notes. There must be a position."""
        assert self.position is not None
        diagram = self.position.diagram()
        notes = [Note(hint, is_important=True)]
        if is_board(diagram):
            notes = [Note(self.game.title, is_important=True), Note(""), *self._players()]
            notes += [Note(""), Note(f"last move: {self._last}" if self._last else "")]
            notes += self._unconfirmed()
            notes += [Note(sentence, is_important=True) for sentence in SENTENCE.split(hint)]
        elif not is_brief:
            last = [Note(f"last move: {self._last}")] if self._last else []
            notes = [*last, *self._unconfirmed(), *notes]
        return BoardView(
            diagram=diagram, before=self._before, notes=tuple(notes), is_brief=is_brief
        )

    def turn_hint(self) -> str:
        """Return a hint what to type now."""
        assert self.position is not None
        return f"Your turn. Type a move, as in {example(self.game, self.position)} (or ?)"

    def own_verdict(self) -> str:
        """Return what the person's last move means for the result, if the server does not say."""
        if self.sent is None or self.position is None or self.position.has_hidden_information:
            return ""
        outcome = self.position.after(self.sent).outcome
        if outcome is None or outcome.winner is not self.seat:
            return ""
        why = self.game.why_won(outcome.reason, "you", self.opponent)
        return f"If the server accepted your last move, you have won: {why}."

    def verdict(self, result: Result) -> str:
        """Return the result in words."""
        outcome = self.position.outcome if self.position is not None else None
        return describe_result(
            result, outcome, self.seat, game=type(self.game), opponent=self.opponent
        )

    def _players(self) -> list[Note]:
        assert self.position is not None
        marks = {seat: mark for mark, seat in self.marks.items()}
        return [
            Note(
                f"{'>' if seat is self.position.to_move else ' '} {marks.get(seat, '')} "
                + self._who(seat, is_full=True),
                seat=seat,
            )
            for seat in Seat
        ]

    def _who(self, seat: Seat | None, is_full: bool = False) -> str:
        if self.seat is None or seat is None:
            return SEAT_NAMES[seat] if seat else UNNAMED
        if seat is not self.seat:
            return self.opponent
        return f"{self.name} (you)" if is_full else "you"

    def _unconfirmed(self) -> list[Note]:
        if self.sent is None:
            return []
        return [Note(f"sent: {self.game.write_move(self.sent)}, not confirmed by the server")]

    def _explain(
        self, known: Position[MoveT], position: Position[MoveT]
    ) -> tuple[Position[MoveT], Seat | None, MoveT | None]:
        """Find the last move that led from the known position to the new one.

        Return the position before it, who made it, and the move if it was found. The person's own
        move may be that move or the one before it: not every server shows the board in between.
        """
        sent = self.sent
        if position.has_hidden_information:
            # Moves cannot be tried out on what is only a view of the position.
            is_own = known.to_move is self.seat
            return known, known.to_move, sent if is_own else None
        if sent is not None:
            after = known.after(sent)
            if _look_alike(after, position):
                return known, self.seat, sent
            if (answer := self._find_move(after, position.diagram())) is not None:
                return after, after.to_move, answer
        return known, known.to_move, self._find_move(known, position.diagram())

    def _find_move(self, before: Position[MoveT], diagram: str) -> MoveT | None:
        """Return the move that leads to a diagram, None if no single move does."""
        found = (move for move in before.legal_moves() if before.after(move).diagram() == diagram)
        return next(found, None)


def _look_alike(one: Position[MoveT], other: Position[MoveT]) -> bool:
    """Return True if a person sees no difference between two positions."""
    return one.to_move is other.to_move and one.diagram() == other.diagram()

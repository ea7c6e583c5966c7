"""What a person sees of a match: the position, what has changed in it, and who is who."""

import re
from typing import Generic

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.match import Result
from gamehall.players.moves import example
from gamehall.players.shown import BoardView, Note, is_board, learn_marks
from gamehall.players.wording import SEAT_WORDS, describe_result, harmless

SENTENCE = re.compile(r"(?<=\.) ")
SOMEBODY = "the other player"


class PlayerView(Generic[MoveT]):
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
        """The last move that the server has confirmed, as far as it is known."""
        self.last_mover: Seat | None = None
        """Who made it."""
        self.sent: MoveT | None = None
        """What the person has sent and the server has not confirmed: it may never take it."""
        self.take_game(game)

    def take_game(self, game: Game[MoveT]) -> None:
        """This is what is played."""
        self.game = game
        self.marks = learn_marks(game)

    def begin(self, opponent: str = "") -> None:
        """A new match: nothing is on the board."""
        self.opponent = harmless(opponent) or SOMEBODY
        self.position = self._before = self.sent = self.last_move = self.last_mover = None
        self._last = ""

    def send(self, move: MoveT) -> None:
        """The person has sent a move. The board stays as the server has shown it."""
        self.sent = move

    def take_back(self) -> None:
        """The server has not taken what the person sent."""
        self.sent = None

    def see(self, position: Position[MoveT], seat: Seat | None, move: MoveT | None = None) -> bool:
        """The server shows this; `seat` and `move` say who has moved if it tells.

        Return whether it is anything new: a server may show a board again that is known.
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
        # Whatever the person had sent has been taken by now, or it came too late.
        self.sent = None
        return True

    def board(self, hint: str, is_brief: bool = False) -> BoardView:
        """The position with what there is to say. Not checked: that there is a position."""
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
        """What the person whose turn it is may type."""
        assert self.position is not None
        return f"Your turn. Type a move, as in {example(self.game, self.position)} (or ?)"

    def own_verdict(self) -> str:
        """What can be said of the end where the server does not say who has won."""
        if self.sent is None or self.position is None or not is_board(self.position.diagram()):
            return ""
        outcome = self.position.after(self.sent).outcome
        if outcome is None or outcome.winner is not self.seat:
            return ""
        return f"If the server took your last move, you have won: {outcome.reason}."

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
                seat=seat,
            )
            for seat in Seat
        ]

    def _who(self, seat: Seat | None, is_full: bool = False) -> str:
        if self.seat is None or seat is None:
            return SEAT_WORDS[seat] if seat else SOMEBODY
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
        """The last move that led from one position to the other, and who made it from where.

        What the person has sent may have been that move, or the one before it: not every server
        shows the board in between.
        """
        sent = self.sent
        if not is_board(position.diagram()):
            # Much is hidden in such positions, so moves cannot be tried out on them.
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
        """The one move that leads there, None if it takes more than one."""
        found = (move for move in before.legal_moves() if before.after(move).diagram() == diagram)
        return next(found, None)


def _look_alike(one: Position[MoveT], other: Position[MoveT]) -> bool:
    """Whether a person sees no difference between them."""
    return one.to_move is other.to_move and one.diagram() == other.diagram()

"""A person at a door: what they are shown, what they may say. No clock, socket or terminal."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, NamedTuple

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.match import MovePlayed, MoveRefused, Result, TurnBegan
from gamehall.players import wording
from gamehall.players.conversation import Conversation, Phase, Vocabulary
from gamehall.players.moves import MoveTextError, how_to_write, read_typed, read_unchecked
from gamehall.players.player_view import PlayerView
from gamehall.players.shown import Line, LineKind, Shown
from gamehall.rooms.notices import (
    Closed,
    MatchBegan,
    Notice,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
    TurnUnseen,
)
from gamehall.rooms.requests import Confirm, Play, Request, Resign


class Command(Enum):
    """A command, which is not a move."""

    HELP = "help"
    MOVES = "moves"
    BOARD = "board"
    WORDS = "words"
    CARD = "card"
    SAY = "say"
    RESIGN = "resign"
    REMATCH = "rematch"
    QUIT = "quit"


NAME: Final = "another name"
TERMS: Final = "do you agree?"
HOW_TO_GO_ON: Final = "Type rematch for a fresh board, or quit."


class Question(NamedTuple):
    """A question, and the answer that is taken if the person gives none."""

    name: str
    offered: str

    @property
    def prompt(self) -> str:
        """The prompt before the answer."""
        return f"{self.name} [{self.offered}]> " if self.offered else f"{self.name}> "


class TurnClock:
    """Counts down the seconds of a turn.

    No document has the server send the limit, so this is the one that the person was told before.
    """

    def __init__(self, seconds_per_turn: float | None, clock: Callable[[], float]) -> None:
        """`seconds_per_turn` is None if there is no limit; `clock` returns the time."""
        self.seconds_per_turn = seconds_per_turn
        self._clock = clock
        self._began = clock()

    def begin(self) -> None:
        """Begin a turn."""
        self._began = self._clock()

    @property
    def seconds_left(self) -> float | None:
        """What is left of the turn that began last, None if there is no limit."""
        if self.seconds_per_turn is None:
            return None
        return max(0.0, self._began + self.seconds_per_turn - self._clock())


class Person(Conversation[MoveT]):
    """A player who is asked where a bot has a ready answer, and may try again.

    What is to be shown is collected in `shown` until the driver shows it.
    """

    def __init__(
        self,
        name: str,
        game: Game[MoveT],
        answers: Mapping[str, str],
        vocabulary: Vocabulary,
        clock: TurnClock,
        is_tournament: bool = False,
    ) -> None:
        """Prepare to join. `answers` are suggested where the terms are asked for."""
        super().__init__(name, vocabulary, is_tournament, game)
        self._view = PlayerView(name, game)
        self.shown: list[Shown] = []
        self.is_stale = False
        """Whether a board is to be shown when nothing else happens for a while."""
        self.question: Question | None = None
        self.is_unseen_turn = False
        """Whether the person is to move in a position that is not shown."""
        self._answers = answers
        self._own_moves: list[str] = []
        self._clock = clock

    @property
    def sight(self) -> PlayerView[MoveT]:
        """What the person sees of the match."""
        self._view.seat, self._view.name = self.seat, self.name
        return self._view

    @property
    def commands(self) -> list[Command]:
        """The commands that make sense with this game and this wire."""
        missing = {
            Command.CARD: self.sight.game.explain("") is None,
            Command.SAY: not self.vocabulary.has_chat,
            Command.RESIGN: not self.vocabulary.has_resign,
            Command.REMATCH: not self.vocabulary.has_rematch,
        }
        return [command for command in Command if not missing.get(command)]

    @property
    def is_asked(self) -> bool:
        """Whether the person is to move or to answer."""
        may_ask_for_board = self.vocabulary.has_rematch and self.is_at_finished_board
        is_between = may_ask_for_board and not self.is_watching
        return self.is_to_move or self.question is not None or is_between

    @property
    def is_at_finished_board(self) -> bool:
        """Whether the game at the table is over, the person's own or an earlier one."""
        is_over = bool(self.matches) or self.phase is Phase.FOUND_OVER
        return is_over and not self.is_playing

    @property
    def is_to_move(self) -> bool:
        """Whether the server waits for a move of the person."""
        return self.turn is not None or self.is_unseen_turn

    @property
    def prompt(self) -> str:
        """The prompt before what the person types."""
        if self.question is not None:
            return self.question.prompt
        return wording.prompt_to_move(self.seconds_left) if self.is_to_move else "> "

    @property
    def seconds_left(self) -> float | None:
        """How long the person may think, None if it is not their turn or there is no limit."""
        return self._clock.seconds_left if self.is_to_move else None

    def greet(self, door: str) -> None:
        """Show the greeting."""
        seconds = self._clock.seconds_per_turn
        self.shown += wording.greeting(self.sight.game.title, door, self.name, seconds)

    def hear(self, notice: Notice[MoveT]) -> list[Request[MoveT]]:
        announcement = wording.announce(notice)
        if announcement is not None and not self.is_returning:
            self.shown.append(announcement)
        match notice:
            case TurnBegan(seat, position):
                self._hear_turn(notice, seat, position)
            case MovePlayed(seat, move, position):
                super().hear(notice)
                self.is_stale |= self.sight.see(position, seat, move)
            case TurnUnseen():
                super().hear(notice)
                self._hear_unseen()
            case TermsQuestion(question):
                self.question = Question(question, self._answers.get(question, ""))
            case TermsProposed(_, game):
                super().hear(notice)
                self.sight.take_game(game)
                self.question = Question(TERMS, "yes")
            case TermsAgreed():
                super().hear(notice)
                self.question = None
            case MatchBegan(opponent=opponent):
                super().hear(notice)
                self.sight.begin(opponent)
                # Unless the server asks for a move now, there is nothing to see yet.
                self.is_stale = True
            case RequestRejected() | MoveRefused():
                self._hear_complaint()
            case Refused(Refusal.FULL as refusal):
                self.finish(f"the server does not let us in: {refusal.value}")
            case Refused():
                self.question = Question(NAME, "")
            case Closed(reason):
                self._hear_dismissal(reason)
            case Seated(alias=alias):
                super().hear(notice)
                if alias:
                    self.tell(f"Players at other doors see you as {alias}.")
            case _:
                return super().hear(notice)
        return []

    def lose_connection(self) -> None:
        super().lose_connection()
        self.sight.take_back()
        self.is_unseen_turn, self.question = False, None

    def try_move(self, text: str) -> list[Request[MoveT]]:
        """Read a move; send it only if it is legal."""
        if self.is_watching:
            self.tell("You only watch here: you have no seat to move from.", LineKind.ERROR)
        elif not self.is_to_move:
            self.shown.append(wording.not_now(text, self.is_at_finished_board))
        else:
            try:
                return [Play(self._read_move(text))]
            except MoveTextError as fault:
                self.tell(f"{wording.harmless(str(fault))}.".replace("?.", "?"), LineKind.ERROR)
        return []

    def leave(self) -> list[Request[MoveT]]:
        """Leave; return what is to be sent before."""
        self.tell("You have left.")
        question = self.question.name if self.question else None
        requests: list[Request[MoveT]] = []
        if question is TERMS:
            requests.append(Confirm(agrees=False))
        elif self.is_playing and self.vocabulary.has_resign:
            requests.append(Resign())
        self.finish("the server did not let you in under that name" if question is NAME else None)
        return requests

    def take_back(self) -> None:
        """Take back the last move, which the wire cannot express."""
        self.tell("There are no words for such a move: are those cells neighbours?", LineKind.ERROR)
        self.is_unseen_turn = True
        del self._own_moves[-1:]

    def settle_doubt(self) -> None:
        """The server was silent: it wants another move, having refused the last."""
        super().settle_doubt()
        self.sight.take_back()
        self.tell(
            "The server has not taken that move: it shows the same board again.", LineKind.ERROR
        )
        self._show_turn()

    def break_silence(self) -> None:
        """Nothing has happened for a while: show what the person has not seen yet."""
        if self.sight.position is None and self.is_playing:
            self.is_stale = False
            self.tell("Waiting for the other player.")
        elif self.sight.sent is None:
            self.show_board()
        else:
            # The board is still the one before the person's move, which was just shown.
            self.is_stale = False
            sent = self.sight.game.write_move(self.sight.sent)
            self.tell(f"You have sent {sent}. Waiting for the server to show what came of it.")

    def show_board(self) -> None:
        """Show the board, and whose turn it is."""
        self.is_stale = False
        if self.sight.position is None:
            self.tell("There is no board to show yet.")
        elif self.turn is not None:
            self.shown.append(self.sight.board(self.sight.turn_hint()))
        else:
            is_running = self.is_playing and self.sight.position.to_move is not None
            self.shown.append(
                self.sight.board("Waiting for the other player." if is_running else "")
            )

    def tell(self, words: str, kind: LineKind = LineKind.INFO) -> None:
        """Show a line."""
        self.shown.append(Line(kind, words))

    def _read_move(self, text: str) -> MoveT:
        """Read a typed move. Raises MoveTextError."""
        if self.turn is None:
            move = read_unchecked(self.sight.game, text)
            self.is_unseen_turn = False
        else:
            move = read_typed(self.sight.game, self.turn.position, text)
            self.sight.send(move)
            self.is_stale = True
            self.played()
        self._own_moves.append(self.sight.game.write_move(move))
        return move

    def _hear_turn(self, notice: TurnBegan[MoveT], seat: Seat, position: Position[MoveT]) -> None:
        known = self.sight.position if self.is_playing else None
        is_again = known is not None and known.to_move is seat is self.seat
        is_waiting = self.turn is not None
        super().hear(notice)
        if self.is_done:
            return
        is_new = self.sight.see(position, None)
        if self.turn is None:
            self.is_stale |= is_new
            return
        # Also if the board is the same: the turn starts again when an opponent has sat down.
        self._clock.begin()
        if is_new or not is_waiting:
            self._show_turn(is_again)

    def _show_turn(self, is_again: bool = False) -> None:
        self.is_stale = False
        self.shown.append(self.sight.board(self.sight.turn_hint(), is_again))

    def _hear_unseen(self) -> None:
        self.is_unseen_turn = True
        self._clock.begin()
        self.shown += wording.unseen_turn(how_to_write(self.sight.game), self._own_moves)

    def _hear_complaint(self) -> None:
        """The server has refused something: the person may try again."""
        if self.answered is not None and self.turn is None:
            # The turn goes on, and so does its clock: a refused move buys no time.
            self.turn, self.answered = self.answered, None
            self.sight.take_back()
            self.is_stale = False

    def _hear_dismissal(self, reason: str) -> None:
        if self.is_done:
            return
        is_last = self.phase is Phase.BETWEEN and not self.vocabulary.has_rematch
        is_expected = self.phase is Phase.OVER or (is_last and bool(self.matches))
        self.finish(None if is_expected else wording.harmless(reason))
        self.is_unseen_turn, self.question = False, None

    def _forget_match(self) -> None:
        super()._forget_match()
        self.is_unseen_turn = False

    def _begin_match(self, is_opposed: bool, is_new: bool = False) -> None:
        if is_new or not self.is_playing:
            self._own_moves = []
            self.sight.begin()
        super()._begin_match(is_opposed, is_new)

    def _end_match(self, result: Result, position: Position[MoveT] | None) -> list[Request[MoveT]]:
        super()._end_match(result, position)
        self.is_stale = False
        if self.seat is None and not self.is_watching:
            # A player who was never asked for a move counts as the first.
            self.seat = Seat.FIRST
        if position is None:
            verdict = self.sight.own_verdict()
        else:
            self.sight.see(position, None)
            verdict = self.sight.verdict(result)
        if self.sight.position is not None:
            self.shown.append(self.sight.board(verdict))
        if self.vocabulary.has_rematch and not self.is_watching:
            self.tell(HOW_TO_GO_ON, LineKind.HINT)
        if not self._goes_on():
            self.finish()
        return []

    def _meet_finished_board(self, position: Position[MoveT]) -> list[Request[MoveT]]:
        """Show a finished board; unlike a bot, a person asks for a fresh one by command."""
        self.phase = Phase.FOUND_OVER
        if self.sight.see(position, None):
            self.shown.append(self.sight.board("This game was over before you came."))
            self.tell(HOW_TO_GO_ON, LineKind.HINT)
        return []

"""A human player: what they are shown, and what they may do. Without I/O."""

from collections.abc import Callable, Mapping
from enum import Enum, auto
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
    """The commands that a person can type besides moves."""

    HELP = "help"
    MOVES = "moves"
    BOARD = "board"
    WORDS = "words"
    CARD = "card"
    SAY = "say"
    RESIGN = "resign"
    REMATCH = "rematch"
    QUIT = "quit"


HOW_TO_GO_ON: Final = "Type rematch for a fresh board, or quit."


class QuestionKind(Enum):
    """What a question is about."""

    TERM = auto()
    """One of the terms, such as the board size."""
    AGREEMENT = auto()
    """Whether to accept the terms."""
    NAME = auto()
    """Another name, since the server has refused the last one."""


class Question(NamedTuple):
    """A question to the person."""

    kind: QuestionKind
    text: str
    offered: str = ""
    """The answer to an empty line; "" if there is none."""

    @property
    def prompt(self) -> str:
        return f"{self.text} [{self.offered}]> " if self.offered else f"{self.text}> "


class TurnClock:
    """Counts down the seconds of a turn.

    In no protocol does the server send the limit, so it is the default or set by the person.
    """

    def __init__(self, seconds_per_turn: float | None, clock: Callable[[], float]) -> None:
        """`seconds_per_turn` is None if there is no limit."""
        self.seconds_per_turn = seconds_per_turn
        self._clock = clock
        self._began = clock()

    def begin(self) -> None:
        """Start the countdown of a turn."""
        self._began = self._clock()

    @property
    def seconds_left(self) -> float | None:
        """The seconds left in the current turn, None if there is no limit."""
        if self.seconds_per_turn is None:
            return None
        return max(0.0, self._began + self.seconds_per_turn - self._clock())


class Person(Conversation[MoveT]):
    """A player who answers questions, and may try again after a mistake.

    Output is collected in `shown`, which the driver empties.
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
        """Prepare to join. `answers` are the suggestions for questions about the terms."""
        super().__init__(name, vocabulary, is_tournament, game)
        self._view = PlayerView(name, game)
        self.shown: list[Shown] = []
        self.is_stale = False
        """True if the board has changed and should be shown when nothing else happens."""
        self.question: Question | None = None
        self.is_unseen_turn = False
        """True if the person has to move in a position that the server does not show."""
        self._answers = answers
        self._own_moves: list[str] = []
        self._clock = clock

    @property
    def view(self) -> PlayerView[MoveT]:
        """The match as the person sees it."""
        self._view.seat, self._view.name = self.seat, self.name
        return self._view

    @property
    def commands(self) -> list[Command]:
        """The commands that this game and this protocol support."""
        missing = {
            Command.CARD: self.view.game.explain("") is None,
            Command.SAY: not self.vocabulary.has_chat,
            Command.RESIGN: not self.vocabulary.has_resign,
            Command.REMATCH: not self.vocabulary.has_rematch,
        }
        return [command for command in Command if not missing.get(command)]

    @property
    def is_asked(self) -> bool:
        """True if the person has to move, to answer, or to decide about a rematch."""
        has_rematch = self.vocabulary.has_rematch and not self.is_watching
        may_ask_for_rematch = has_rematch and self.is_at_finished_board
        return self.is_to_move or self.question is not None or may_ask_for_rematch

    @property
    def is_at_finished_board(self) -> bool:
        """True if the last match at the table is over, the person's own or one of others."""
        is_over = bool(self.matches) or self.phase is Phase.AT_FINISHED_BOARD
        return is_over and not self.is_playing

    @property
    def is_to_move(self) -> bool:
        return self.turn is not None or self.is_unseen_turn

    @property
    def prompt(self) -> str:
        """The prompt of the input line."""
        if self.question is not None:
            return self.question.prompt
        return wording.prompt_to_move(self.seconds_left) if self.is_to_move else "> "

    @property
    def seconds_left(self) -> float | None:
        """The seconds left for the person's move. None if it is not their turn, or has no limit."""
        return self._clock.seconds_left if self.is_to_move else None

    def greet(self, door: str) -> None:
        seconds = self._clock.seconds_per_turn
        self.shown += wording.greeting(self.view.game.title, door, self.name, seconds)

    def receive(self, notice: Notice[MoveT]) -> list[Request[MoveT]]:
        announcement = wording.announce(notice)
        if announcement is not None and not self.is_returning:
            self.shown.append(announcement)
        match notice:
            case TurnBegan(seat, position):
                self._process_turn(notice, seat, position)
            case MovePlayed(seat, move, position):
                super().receive(notice)
                self.is_stale |= self.view.see(position, seat, move)
            case TurnUnseen():
                super().receive(notice)
                self._begin_unseen_turn()
            case TermsQuestion(term):
                self.question = Question(QuestionKind.TERM, term, self._answers.get(term, ""))
            case TermsProposed(_, game):
                super().receive(notice)
                self.view.take_game(game)
                self.question = Question(QuestionKind.AGREEMENT, "do you agree?", "yes")
            case TermsAgreed():
                super().receive(notice)
                self.question = None
            case MatchBegan(opponent=opponent):
                super().receive(notice)
                self.view.begin(opponent)
                # Usually a turn follows, which shows the board.
                self.is_stale = True
            case RequestRejected() | MoveRefused():
                self._restore_turn()
            case Refused(Refusal.FULL as refusal):
                self.finish(f"the server refuses this player: {refusal.value}")
            case Refused():
                self.question = Question(QuestionKind.NAME, "another name")
            case Closed(reason):
                self._close(reason)
            case Seated(alias=alias):
                super().receive(notice)
                if alias:
                    self.tell(f"Players at other doors see you as {alias}.")
            case _:
                return super().receive(notice)
        return []

    def lose_connection(self) -> None:
        super().lose_connection()
        self.view.forget_sent_move()
        self.is_unseen_turn, self.question = False, None

    def try_move(self, text: str) -> list[Request[MoveT]]:
        """Parse a move. Return the request to play it, or show why it is not possible."""
        if self.is_watching:
            self.tell("You only watch here: you have no seat to move from.", LineKind.ERROR)
        elif not self.is_to_move:
            self.shown.append(wording.not_now(text, self.is_at_finished_board))
        else:
            try:
                return [Play(self._read_move(text))]
            except MoveTextError as error:
                self.tell(f"{wording.sanitize(str(error))}.".replace("?.", "?"), LineKind.ERROR)
        return []

    def leave(self) -> list[Request[MoveT]]:
        """Leave. Return the requests to send first."""
        self.tell("You have left.")
        question = self.question.kind if self.question else None
        requests: list[Request[MoveT]] = []
        if question is QuestionKind.AGREEMENT:
            requests.append(Confirm(agrees=False))
        elif self.is_playing and self.vocabulary.has_resign:
            requests.append(Resign())
        self.finish("the server has refused that name" if question is QuestionKind.NAME else None)
        return requests

    def reject_unsendable_move(self) -> None:
        self.tell("That move cannot be sent: are those cells adjacent?", LineKind.ERROR)
        self.is_unseen_turn = True
        del self._own_moves[-1:]

    def accept_repeated_turn(self) -> None:
        super().accept_repeated_turn()
        self.view.forget_sent_move()
        self.tell(
            "The server has not accepted that move: it shows the same board again.", LineKind.ERROR
        )
        self._show_turn()

    def show_stale_board(self) -> None:
        """Show what has changed, after a time in which nothing else happened."""
        if self.view.position is None and self.is_playing:
            self.is_stale = False
            self.tell("Waiting for the other player.")
        elif self.view.sent is None:
            self.show_board()
        else:
            # The board is still the one before the person's move, which was shown already.
            self.is_stale = False
            sent = self.view.game.write_move(self.view.sent)
            self.tell(f"You have sent {sent}. Waiting for the server to confirm it.")

    def show_board(self) -> None:
        self.is_stale = False
        if self.view.position is None:
            self.tell("There is no board to show yet.")
        elif self.turn is not None:
            self.shown.append(self.view.board(self.view.turn_hint()))
        else:
            is_running = self.is_playing and self.view.position.to_move is not None
            self.shown.append(
                self.view.board("Waiting for the other player." if is_running else "")
            )

    def tell(self, words: str, kind: LineKind = LineKind.INFO) -> None:
        self.shown.append(Line(kind, words))

    def _read_move(self, text: str) -> MoveT:
        """Parse a move. Raises MoveTextError."""
        if self.turn is None:
            move = read_unchecked(self.view.game, text)
            self.is_unseen_turn = False
        else:
            move = read_typed(self.view.game, self.turn.position, text)
            self.view.send(move)
            self.is_stale = True
            self.played()
        self._own_moves.append(self.view.game.write_move(move))
        return move

    def _process_turn(
        self, notice: TurnBegan[MoveT], seat: Seat, position: Position[MoveT]
    ) -> None:
        known = self.view.position if self.is_playing else None
        is_again = known is not None and known.to_move is seat is self.seat
        is_waiting = self.turn is not None
        super().receive(notice)
        if self.is_done:
            return
        is_new = self.view.see(position, None)
        if self.turn is None:
            self.is_stale |= is_new
            return
        # Also for the same board: the turn starts again when an opponent joins.
        self._clock.begin()
        if is_new or not is_waiting:
            self._show_turn(is_again)

    def _show_turn(self, is_again: bool = False) -> None:
        self.is_stale = False
        self.shown.append(self.view.board(self.view.turn_hint(), is_again))

    def _begin_unseen_turn(self) -> None:
        self.is_unseen_turn = True
        self._clock.begin()
        self.shown += wording.unseen_turn(how_to_write(self.view.game), self._own_moves)

    def _restore_turn(self) -> None:
        """Let the person try again after a refused move."""
        if self.answered is not None and self.turn is None:
            # The clock of the turn is not restarted: a refused move gains no time.
            self.turn, self.answered = self.answered, None
            self.view.forget_sent_move()
            self.is_stale = False

    def _close(self, reason: str) -> None:
        if self.is_done:
            return
        is_last = self.phase is Phase.BETWEEN and not self.vocabulary.has_rematch
        is_expected = self.phase is Phase.OVER or (is_last and bool(self.matches))
        self.finish(None if is_expected else wording.sanitize(reason))
        self.is_unseen_turn, self.question = False, None

    def _forget_match(self) -> None:
        super()._forget_match()
        self.is_unseen_turn = False

    def _begin_match(self, has_opponent: bool, is_new: bool = False) -> None:
        if is_new or not self.is_playing:
            self._own_moves = []
            self.view.begin()
        super()._begin_match(has_opponent, is_new)

    def _end_match(self, result: Result, position: Position[MoveT] | None) -> list[Request[MoveT]]:
        super()._end_match(result, position)
        self.is_stale = False
        if self.seat is None and not self.is_watching:
            # A player who was never asked for a move counts as the first player.
            self.seat = Seat.FIRST
        if position is None:
            verdict = self.view.own_verdict()
        else:
            self.view.see(position, None)
            verdict = self.view.verdict(result)
        if self.view.position is not None:
            self.shown.append(self.view.board(verdict))
        if self.vocabulary.has_rematch and not self.is_watching:
            self.tell(HOW_TO_GO_ON, LineKind.HINT)
        if not self._may_continue():
            self.finish()
        return []

    def _on_others_finished_board(self, position: Position[MoveT]) -> list[Request[MoveT]]:
        """Show the board. Unlike a bot, a person asks for a rematch by a command."""
        self.phase = Phase.AT_FINISHED_BOARD
        if self.view.see(position, None):
            self.shown.append(self.view.board("This game was over before you joined."))
            self.tell(HOW_TO_GO_ON, LineKind.HINT)
        return []

"""The player of a bot over TCP: everything that it says besides its moves."""

from collections.abc import Callable, Iterable, Mapping

from gamehall.core import Game, MoveT, Position
from gamehall.match import Ending, MoveFault, MoveRefused, Result
from gamehall.players.conversation import Conversation, Phase, Vocabulary
from gamehall.rooms.notices import (
    Notice,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
    TermsProposed,
    TermsQuestion,
    TournamentBegan,
    TurnUnseen,
)
from gamehall.rooms.requests import Answer, Confirm, Rematch, Request
from gamehall.wire.sign_up import SECRET_SEPARATOR

NO_BOARD = "this server does not show its players the board, so a bot cannot play there"


class BotPlayer(Conversation[MoveT]):
    """Answers all notices by itself. It leaves with an `error` if it has no answer."""

    def __init__(
        self,
        name: str,
        vocabulary: Vocabulary | None = None,
        answers: Mapping[str, str] | None = None,
        is_tournament: bool = False,
        game: Game[MoveT] | None = None,
        other_names: Iterable[str] = (),
        matches_wanted: int | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        """Prepare to join.

        Args:
            answers: the answers to questions about the terms.
            other_names: names to try if the name is taken.
            matches_wanted: None for one match, or for a whole tournament.
            say: shows the user a message.

        In a protocol with rematches, a match that is cancelled before the opponent has moved does
        not count: an opponent who leaves after one match may do so when the next has just begun.
        """
        super().__init__(name, vocabulary or Vocabulary(), is_tournament, game)
        self._answers = answers or {}
        self._other_names = iter(other_names)
        self._wanted = matches_wanted
        self._say = say

    def receive(self, notice: Notice[MoveT]) -> list[Request[MoveT]]:
        match notice:
            case TermsQuestion(question) if question in self._answers:
                return [Answer(question, self._answers[question])]
            case TermsQuestion(question):
                self.finish(f"the server asks for {question}; give an answer with --answer")
            case TermsProposed():
                super().receive(notice)
                return [Confirm(agrees=True)]
            case Seated(None):
                self.finish("there is no free seat")
            case MoveRefused(_, MoveFault.ILLEGAL, reason) | RequestRejected(reason):
                self.finish(f"the server refuses: {reason}")
            case Refused(refusal):
                if refusal is Refusal.NAME_TAKEN and (other := next(self._other_names, None)):
                    self.name = other
                    return self.arrive()
                self.finish(f"the server refuses this player: {refusal.value}")
            case TurnUnseen():
                self.finish(NO_BOARD)
            case TournamentBegan(called):
                signed_up, _, _ = self.name.partition(SECRET_SEPARATOR)
                if self._say is not None and called not in ("", signed_up):
                    self._say(f"signed up as {signed_up}; called {called} in this tournament")
                return super().receive(notice)
            case _:
                return super().receive(notice)
        return []

    def _end_match(self, result: Result, position: Position[MoveT] | None) -> list[Request[MoveT]]:
        is_void = result.ending is Ending.CANCELLED and self.phase is Phase.WAITING
        if is_void and self.vocabulary.has_rematch:
            self.turn = self.repeated_turn = self.answered = None
            return [Rematch()]
        super()._end_match(result, position)
        if self._wanted is not None:
            is_enough = len(self.matches) >= self._wanted
        else:
            is_enough = not self.is_tournament
        if is_enough:
            self.finish()
        return [] if is_enough or self.is_tournament else [Rematch()]

"""What a player says at a door besides its moves, whatever the door and whoever plays."""

from collections.abc import Iterable, Mapping
from typing import Generic

import msgspec

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.match import (
    Ending,
    MatchEnded,
    MoveFault,
    MovePlayed,
    MoveRefused,
    Result,
    TurnBegan,
)
from gamehall.rooms.notices import (
    Closed,
    EndUnseen,
    MatchBegan,
    Notice,
    Ping,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
    TermsProposed,
    TermsQuestion,
    TournamentBegan,
    TurnUnseen,
)
from gamehall.rooms.requests import Answer, Confirm, Join, Pong, Rematch, Request

NO_BOARD = "this server does not show its players the board, so a bot cannot play there"


class Turn(msgspec.Struct, Generic[MoveT], frozen=True):
    """The player is to move, before the deadline if there is one."""

    position: Position[MoveT]
    seat: Seat
    deadline: float | None


class PlayedMatch(msgspec.Struct, Generic[MoveT], frozen=True):
    """A match that the player has taken part in."""

    seat: Seat | None
    """None if the server never said."""
    result: Result
    position: Position[MoveT] | None
    """The last one, None if the server does not show it."""


UNSEEN = Result(None, Ending.PLAYED_OUT, "the server does not say how")


class Visitor(Generic[MoveT]):
    """One visit: from the first word to the last."""

    def __init__(
        self,
        name: str,
        answers: Mapping[str, str],
        matches_wanted: int | None = None,
        joins_only: bool = False,
        game: Game[MoveT] | None = None,
        other_names: Iterable[str] = (),
        skips_void: bool = False,
        has_rematch: bool = False,
    ) -> None:
        """`matches_wanted` is None for one match, or for a whole tournament.

        `joins_only`: whether it leaves rather than name the terms for somebody who may come.
        `game`: what is played there, if that is known. `other_names`: what else it may be called
        if somebody else has the name. `skips_void`: whether a match is none that was cancelled
        before the opponent had moved. Where there is rematch, one who leaves after a match may be
        caught by the beginning of the next. `has_rematch`: whether a player can ask for a fresh
        board; a board that was finished before the player took its seat is then no match of its
        own, and it asks for another.
        """
        self._has_rematch = has_rematch
        self._skips_void = skips_void
        self._joins_only = joins_only
        self._name = name
        self._other_names = iter(other_names)
        self._answers = answers
        self._wanted = matches_wanted
        self._seat: Seat | None = None
        self._is_tournament = False
        self.game = game
        """What is played, on the server's terms if it has said."""
        self.turn: Turn[MoveT] | None = None
        """What is to be thought about, None while nothing is."""
        self.doubt: Turn[MoveT] | None = None
        """What may have to be thought about again, if nothing else is heard for a while."""
        self._answered: Turn[MoveT] | None = None
        """In what we have moved last."""
        self._is_opposed = False
        """Whether the opponent has moved in this match."""
        self._is_new_at_table = False
        """Whether the player has taken a seat and has not seen a game in play from there yet."""
        self._has_asked_for_board = False
        """Whether it has asked for a fresh one in the place of a game that others had played."""
        self.is_waiting = True
        """Whether no sign of an opponent has been seen yet."""
        self.matches: list[PlayedMatch[MoveT]] = []
        self.is_done = False
        """Whether there is nothing more to say or to hear."""
        self.trouble: str | None = None
        """Why the visit cannot go on, in words, None if all is well."""
        self.trouble_at: Position[MoveT] | None = None
        """Where the player could not go on, if it was in a match."""

    def arrive(self) -> list[Request[MoveT]]:
        """What to say first."""
        return [Join(self._name)]

    def hear(self, notice: Notice[MoveT]) -> list[Request[MoveT]]:
        """What to say to that."""
        match notice:
            case TurnBegan(seat, position, deadline):
                self._is_new_at_table = False
                self._begin_turn(Turn(position, seat, deadline))
            case TermsQuestion() if self._joins_only:
                self.is_done = True
            case TermsQuestion(question) if question in self._answers:
                return [Answer(question, self._answers[question])]
            case TermsQuestion(question):
                self._give_up(f"the server asks for {question}, and nobody has said what to answer")
            case TermsProposed(seat, game):
                self._seat, self.game, self.is_waiting = seat, game, False
                return [Confirm(agrees=True)]
            case Ping():
                return [Pong()]
            case Seated(None):
                self._give_up("there is no free seat")
            case Seated(seat):
                self._seat, self._is_new_at_table = seat, True
                self._has_asked_for_board = False
            case MatchBegan(seat):
                # Whatever was to be thought about was of another match.
                self._seat, self.turn, self.doubt = seat, None, None
                self.is_waiting = False
            case MovePlayed(seat):
                self._is_new_at_table = False
                self._is_opposed |= seat is not self._seat
            case TournamentBegan():
                self._is_tournament, self.is_waiting = True, False
            case MatchEnded(_, position) if self._has_rematch and self._is_new_at_table:
                return self._meet_finished_board(position)
            case MatchEnded(result, position):
                return self._end_match(result, position)
            case EndUnseen():
                return self._end_match(UNSEEN, None)
            case MoveRefused(_, MoveFault.ILLEGAL, reason) | RequestRejected(reason):
                self._give_up(f"the server refuses: {reason}")
            case Refused(refusal):
                if refusal is Refusal.NAME_TAKEN and (other := next(self._other_names, None)):
                    return [Join(other)]
                self._give_up(f"the server does not let us in: {refusal.value}")
            case TurnUnseen():
                self._give_up(NO_BOARD)
            case Closed(reason):
                self._part(reason)
            case _:
                pass
        return []

    def played(self) -> None:
        """A move was sent for the turn that was thought about."""
        self._answered, self.turn = self.turn, None

    def _begin_turn(self, turn: Turn[MoveT]) -> None:
        """Somebody is to move. What we have moved in already may have been sent before that came.

        Then it is in doubt whether we are to move again: if so, nothing else will be heard.
        """
        self.doubt = None
        # Where the server never says who we are, it asks nobody else.
        self._seat = self._seat or turn.seat
        if turn.seat is not self._seat:
            self.turn = None
            return
        # TTTP has the first player begin before there is a second.
        self._is_opposed |= self.game is None or turn.position != self.game.start(0)
        self.is_waiting &= not self._is_opposed
        if self._answered is not None and self._answered.position == turn.position:
            self._answered, self.doubt = None, turn
        else:
            self.turn = turn

    def _meet_finished_board(self, position: Position[MoveT]) -> list[Request[MoveT]]:
        """The first board shown at our seat is that of a game that others have played.

        Some servers keep it until a player asks for another (003, RMCH). Ask once: a server that
        refuses may answer with the same board again.
        """
        if self._has_asked_for_board:
            return []
        self._has_asked_for_board = True
        return [Rematch()]

    def _end_match(self, result: Result, position: Position[MoveT] | None) -> list[Request[MoveT]]:
        self.turn = self.doubt = self._answered = None
        is_void = result.ending is Ending.CANCELLED and not self._is_opposed
        self._is_opposed = False
        if is_void and self._skips_void:
            return [Rematch()]
        self.matches.append(PlayedMatch(self._seat, result, position))
        if self._wanted is not None:
            self.is_done = len(self.matches) >= self._wanted
        else:
            self.is_done = not self._is_tournament
        return [] if self.is_done or self._is_tournament else [Rematch()]

    def _part(self, reason: str) -> None:
        self.turn = None
        self.is_done = True
        if not self.matches and self.trouble is None:
            self.trouble = reason

    def _give_up(self, trouble: str) -> None:
        self.turn = None
        self.is_done = True
        self.trouble = self.trouble or trouble

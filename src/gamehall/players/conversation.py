"""What a player knows of its conversation with a server, and how far it has come."""

from enum import Enum
from typing import Generic

import msgspec
from msgspec.structs import replace

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.match import Ending, MatchEnded, MovePlayed, Result, TurnBegan
from gamehall.rooms.notices import (
    Closed,
    EndUnseen,
    MatchBegan,
    Notice,
    Ping,
    Seated,
    TermsAgreed,
    TermsProposed,
    TournamentBegan,
    TournamentEnded,
    TurnUnseen,
)
from gamehall.rooms.requests import Chat, Join, Pong, Rematch, Request, Resign
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import DoorSettings

UNSEEN = Result(None, Ending.PLAYED_OUT, "the server does not say how")
SEAT_LOST = "the connection was lost, and the server has not kept the seat"


class Phase(Enum):
    """How far a player has come."""

    JOINING = "joining"
    """Nothing is known yet."""
    SEATED = "seated"
    """It has a seat, and has not seen a game in play from there."""
    FOUND_OVER = "found over"
    """The board at its seat is that of a game that others have played to the end."""
    WAITING = "waiting"
    """A match has begun, and there is no sign of the opponent yet."""
    PLAYING = "playing"
    BETWEEN = "between"
    """No match is being played, and another is to come."""
    OVER = "over"
    """Everything may have been played: it is no surprise if the server closes the connection."""
    DONE = "done"
    """There is nothing more to say or to hear."""


IN_MATCH = (Phase.WAITING, Phase.PLAYING)
BEFORE_MATCH = (Phase.JOINING, Phase.SEATED, Phase.FOUND_OVER)


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True):
    """What a wire can express."""

    has_chat: bool = False
    has_resign: bool = False
    has_rematch: bool = False
    has_names: bool = False
    """Whether a player says what it is called, by which it is recognised if it comes back."""


def vocabulary_of(protocol: AnyProtocol, settings: DoorSettings) -> Vocabulary:
    """Return what a wire can express, found out with a session that is not connected."""
    session = protocol.client(settings)
    return Vocabulary(
        has_chat=bool(session.send(Chat("x"))),
        has_resign=bool(session.send(Resign())),
        has_rematch=bool(session.send(Rematch())),
        has_names=session.send(Join("ann")) != protocol.client(settings).send(Join("bob")),
    )


class OwnTurn(msgspec.Struct, Generic[MoveT], frozen=True):
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


class Conversation(Generic[MoveT]):
    """Follows one conversation, which may go on over several connections."""

    def __init__(
        self,
        name: str,
        vocabulary: Vocabulary,
        is_tournament: bool = False,
        game: Game[MoveT] | None = None,
    ) -> None:
        """Prepare to join.

        Args:
            is_tournament: whether one match follows another until the server says otherwise.
            game: what is played there, if that is known.
        """
        self.name = name
        self.join = Join(name)
        """The request to join, with all its wishes. `arrive` replaces its name by the current."""
        self.vocabulary = vocabulary
        self.is_tournament = is_tournament
        self.game = game
        """What is played, on the server's terms if it has said."""
        self.phase = Phase.JOINING
        self.seat: Seat | None = None
        self.is_watching = False
        self.is_returning = False
        """Whether the connection was lost, and the server has not shown how the match stands."""
        self.turn: OwnTurn[MoveT] | None = None
        """What is to be thought about, None while nothing is."""
        self.doubt: OwnTurn[MoveT] | None = None
        """What may have to be thought about again, if nothing else is heard for a while."""
        self.answered: OwnTurn[MoveT] | None = None
        """In what the player has moved last."""
        self.matches: list[PlayedMatch[MoveT]] = []
        self.error: str | None = None
        """Why the conversation cannot go on, in words, None if all is well."""
        self._position: Position[MoveT] | None = None
        """The last one that was shown in this match."""
        self._has_asked_for_board = False
        """Whether it has asked for a fresh one in the place of a game that others had played."""

    @property
    def is_done(self) -> bool:
        """Whether there is nothing more to say or to hear."""
        return self.phase is Phase.DONE

    @property
    def is_playing(self) -> bool:
        """Whether a match is being played."""
        return self.phase in IN_MATCH

    @property
    def is_alone(self) -> bool:
        """Whether no sign of an opponent has been seen yet."""
        return not self.matches and self.phase in (*BEFORE_MATCH, Phase.WAITING)

    @property
    def may_return(self) -> bool:
        """Whether the server may keep a place for this player if the connection is lost now."""
        if self.is_watching:
            return False
        waits = self.is_tournament and self.phase in (Phase.JOINING, Phase.BETWEEN)
        return waits or self.is_playing or self.phase is Phase.SEATED

    def arrive(self) -> list[Request[MoveT]]:
        """Return the first requests on a connection, or after a name was refused."""
        return [replace(self.join, name=self.name)]

    def hear(self, notice: Notice[MoveT]) -> list[Request[MoveT]]:
        """Take note of what the server says; return what to answer."""
        if self.is_returning and self._is_settled_by_return(notice):
            return []
        match notice:
            case Ping():
                return [Pong()]
            case TurnBegan(seat, position, deadline):
                self._begin_turn(OwnTurn(position, seat, deadline))
            case MovePlayed(seat, _, position):
                self._begin_match(is_opposed=seat is not self.seat)
                self._position = position
            case Seated(seat):
                self._sit_down(seat)
            case TermsProposed(seat, game):
                self.seat, self.game, self.phase = seat, game, Phase.BETWEEN
            case TermsAgreed():
                # A player who comes back to a match hears of its terms, too.
                self._begin_match(is_opposed=True, is_new=True)
            case MatchBegan(seat):
                self.seat = seat
                self._begin_match(is_opposed=True, is_new=True)
            case TurnUnseen():
                self._begin_match(is_opposed=True)
            case TournamentBegan():
                self.is_tournament, self.phase = True, Phase.BETWEEN
            case MatchEnded(_, position) if self._has_found_over():
                return self._meet_finished_board(position)
            case MatchEnded(result, position):
                return self._end_match(result, position)
            case EndUnseen():
                return self._end_match(UNSEEN, None)
            case TournamentEnded():
                self.phase = Phase.OVER
            case Closed(reason):
                self._part(reason)
            case _:
                pass
        return []

    def played(self) -> None:
        """A move was sent for the turn that was thought about."""
        self.answered, self.turn = self.turn, None

    def take_back(self) -> None:
        """The wire cannot express the move."""
        self.finish("this wire has no words for that move")

    def settle_doubt(self) -> None:
        """The server was silent: it wants another move, having refused the last."""
        self.turn, self.doubt = self.doubt, None

    def lose_connection(self) -> None:
        """The connection is lost. What was to be done is asked again by the server, if at all."""
        # A player who waits for a tournament hears nothing until that begins.
        self.is_returning = self.phase is not Phase.JOINING
        self.turn = self.doubt = self.answered = None

    def finish(self, error: str | None = None) -> None:
        """End the conversation, for this reason if something is wrong."""
        self.turn = None
        self.phase = Phase.DONE
        self.error = self.error or error

    def _begin_match(self, is_opposed: bool, is_new: bool = False) -> None:
        """A match is being played.

        Args:
            is_opposed: whether there is a sign of the opponent.
            is_new: whether this is certainly another match than before.
        """
        if is_new or not self.is_playing:
            self._forget_match()
        if is_opposed:
            self.phase = Phase.PLAYING
        elif self.phase is not Phase.PLAYING:
            self.phase = Phase.WAITING

    def _forget_match(self) -> None:
        """Whatever was to be thought about was of another match."""
        self.turn = self.doubt = self.answered = self._position = None

    def _begin_turn(self, turn: OwnTurn[MoveT]) -> None:
        """A player is to move. The position may be older than the move that was sent last.

        Then it is in doubt whether the player is to move again: if so, nothing else will be heard.
        """
        if not self.is_watching:
            # Where the server never says who is who, it asks nobody else.
            self.seat = self.seat or turn.seat
        is_own = turn.seat is self.seat
        # TTTP has the first player begin before there is a second.
        is_start = self.game is not None and turn.position == self.game.start(0)
        self._begin_match(is_opposed=is_own and not is_start)
        self._position, self.doubt = turn.position, None
        if not is_own:
            self.turn = None
        elif self.answered is not None and self.answered.position == turn.position:
            self.answered, self.doubt = None, turn
        else:
            self.turn = turn

    def _sit_down(self, seat: Seat | None) -> None:
        self.seat, self.is_watching = seat, seat is None
        self.phase = Phase.SEATED
        self._has_asked_for_board = False

    def _is_settled_by_return(self, notice: Notice[MoveT]) -> bool:
        """Find out whether the server has kept the seat. Return True if no more follows."""
        match notice:
            case Seated(seat) if seat is self.seat:
                # It goes on where it was, once the board is shown.
                return True
            case Seated():
                self._lose_seat()
            case TurnBegan(_, position) | MovePlayed(_, _, position):
                start = None if self.game is None else self.game.start(0)
                if position == start and self._position not in (None, start):
                    self._lose_seat()
                self.is_returning = False
            case MatchBegan() | TournamentBegan() | TurnUnseen() | MatchEnded() | EndUnseen():
                self.is_returning = False
            case _:
                pass
        return self.is_done

    def _lose_seat(self) -> None:
        """The match is lost from sight: the server has not kept the player's seat."""
        self.is_returning = False
        if self.is_playing:
            self._end_match(Result(None, Ending.CANCELLED, SEAT_LOST), self._position)

    def _has_found_over(self) -> bool:
        """Whether a match that is over was another's, on a board that is kept until a rematch."""
        found = (Phase.SEATED, Phase.FOUND_OVER)
        return self.vocabulary.has_rematch and self.phase in found and not self.is_watching

    def _meet_finished_board(self, position: Position[MoveT]) -> list[Request[MoveT]]:
        """The first board shown at our seat is that of a game that others have played.

        Some servers keep it until a player asks for another (003, RMCH). Ask once: a server that
        refuses may answer with the same board again.
        """
        self.phase = Phase.FOUND_OVER
        if self._has_asked_for_board:
            return []
        self._has_asked_for_board = True
        return [Rematch()]

    def _end_match(self, result: Result, position: Position[MoveT] | None) -> list[Request[MoveT]]:
        self._forget_match()
        self.is_returning = False
        self.matches.append(PlayedMatch(self.seat, result, position))
        # 000 does not tell the end of a tournament, and 001 sends a player away who has cheated.
        is_unclear = result is UNSEEN or result.ending is Ending.BROKE_PROTOCOL
        self.phase = Phase.OVER if is_unclear or not self._goes_on() else Phase.BETWEEN
        return []

    def _goes_on(self) -> bool:
        """Whether another match may follow in the same conversation."""
        return self.is_tournament or self.vocabulary.has_rematch

    def _part(self, reason: str) -> None:
        self.finish(None if self.matches else reason)


__all__ = [
    "Conversation",
    "OwnTurn",
    "Phase",
    "PlayedMatch",
    "Vocabulary",
    "vocabulary_of",
]

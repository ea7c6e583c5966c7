"""A player's state in its conversation with a server."""

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
    """The phases of a conversation."""

    JOINING = "joining"
    SEATED = "seated"
    """It has a seat, and no match has begun."""
    AT_FINISHED_BOARD = "at finished board"
    """The table still shows the final position of a match between others."""
    WAITING = "waiting"
    """A match has begun, and there is no sign of an opponent yet."""
    PLAYING = "playing"
    BETWEEN = "between"
    """A match is over, or has not begun, and another will follow."""
    OVER = "over"
    """There may be no further match: the server may close the connection without an error."""
    DONE = "done"
    """The player has left, or the connection is closed."""


IN_MATCH = (Phase.WAITING, Phase.PLAYING)
BEFORE_MATCH = (Phase.JOINING, Phase.SEATED, Phase.AT_FINISHED_BOARD)


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True):
    """The requests that a protocol supports."""

    has_chat: bool = False
    has_resign: bool = False
    has_rematch: bool = False
    has_names: bool = False
    """Players have names, by which they are recognised when they reconnect."""


def vocabulary_of(protocol: AnyProtocol, settings: DoorSettings) -> Vocabulary:
    """Find out what a protocol supports, from what a client session encodes."""
    session = protocol.client(settings)
    return Vocabulary(
        has_chat=bool(session.send(Chat("x"))),
        has_resign=bool(session.send(Resign())),
        has_rematch=bool(session.send(Rematch())),
        has_names=session.send(Join("ann")) != protocol.client(settings).send(Join("bob")),
    )


class OwnTurn(msgspec.Struct, Generic[MoveT], frozen=True):
    """A turn of the player."""

    position: Position[MoveT]
    seat: Seat
    deadline: float | None


class PlayedMatch(msgspec.Struct, Generic[MoveT], frozen=True):
    """A match that the player has taken part in."""

    seat: Seat | None
    """None if the server never said."""
    result: Result
    position: Position[MoveT] | None
    """The final position, None if the server does not show it."""


class Conversation(Generic[MoveT]):
    """Follows the notices of a server, over one connection or several.

    The driver calls `arrive` on each connection and `receive` with each notice, and sends the
    requests that they return. It also sends a move when there is a `turn`, and calls `played`.
    """

    def __init__(
        self,
        name: str,
        vocabulary: Vocabulary,
        is_tournament: bool = False,
        game: Game[MoveT] | None = None,
    ) -> None:
        """Prepare to join.

        Args:
            is_tournament: further matches follow until the server ends the tournament.
            game: the game, if it is known.
        """
        self.name = name
        self.join = Join(name)
        """The request to join. `arrive` replaces its name by the current one."""
        self.vocabulary = vocabulary
        self.is_tournament = is_tournament
        self.game = game
        """The game, with the server's terms if it has sent them."""
        self.phase = Phase.JOINING
        self.seat: Seat | None = None
        self.is_watching = False
        self.is_returning = False
        """True after a lost connection, until the server has shown the state of the match."""
        self.had_seat = False
        """True for a new player object that takes the seat of an earlier one, after a restart."""
        self.turn: OwnTurn[MoveT] | None = None
        """The turn in which the player has to move."""
        self.repeated_turn: OwnTurn[MoveT] | None = None
        """A repeated turn. The player has to move again if the server sends nothing more."""
        self.answered: OwnTurn[MoveT] | None = None
        """The turn in which the player has moved last."""
        self._sent: MoveT | None = None
        """The move sent in that turn, if it is known."""
        self.matches: list[PlayedMatch[MoveT]] = []
        self.error: str | None = None
        """Why the conversation has ended, None if it has not or has ended normally."""
        self._position: Position[MoveT] | None = None
        """The last known position of this match."""
        self._has_asked_for_board = False
        """True after a rematch request at a table that shows a finished match of others."""

    @property
    def is_done(self) -> bool:
        return self.phase is Phase.DONE

    @property
    def is_playing(self) -> bool:
        return self.phase in IN_MATCH

    @property
    def is_alone(self) -> bool:
        """True before there is any sign of an opponent."""
        return not self.matches and self.phase in (*BEFORE_MATCH, Phase.WAITING)

    @property
    def may_return(self) -> bool:
        """True if the server may keep this player's seat when the connection is lost now."""
        if self.is_watching:
            return False
        waits = self.is_tournament and self.phase in (Phase.JOINING, Phase.BETWEEN)
        return waits or self.is_playing or self.phase is Phase.SEATED

    def arrive(self) -> list[Request[MoveT]]:
        """Return the first requests on a connection, or after a name was refused."""
        return [replace(self.join, name=self.name)]

    def receive(self, notice: Notice[MoveT]) -> list[Request[MoveT]]:
        """Process a notice, and return the requests to answer it with."""
        if self.is_returning and self._is_settled_by_return(notice):
            return []
        match notice:
            case Ping():
                return [Pong()]
            case TurnBegan(seat, position, deadline):
                self._begin_turn(OwnTurn(position, seat, deadline))
            case MovePlayed(seat, _, position):
                self._begin_match(has_opponent=seat is not self.seat)
                self._position = position
            case Seated(seat):
                self._sit_down(seat)
            case TermsProposed(seat, game):
                self.seat, self.game, self.phase = seat, game, Phase.BETWEEN
            case TermsAgreed():
                # Also sent to a player who reconnects during a match.
                self._begin_match(has_opponent=True, is_new=True)
            case MatchBegan(seat):
                self.seat = seat
                self._begin_match(has_opponent=True, is_new=True)
            case TurnUnseen():
                self._begin_match(has_opponent=True)
            case TournamentBegan():
                self.is_tournament, self.phase = True, Phase.BETWEEN
            case MatchEnded(_, position) if self._is_others_match():
                return self._on_others_finished_board(position)
            case MatchEnded(result, position):
                return self._end_match(result, position)
            case EndUnseen():
                return self._end_match(UNSEEN, None)
            case TournamentEnded():
                self.phase = Phase.OVER
            case Closed(reason):
                self.finish(None if self.matches else reason)
            case _:
                pass
        return []

    def played(self, move: MoveT | None = None) -> None:
        """Note that a move was sent for the current turn."""
        self.answered, self.turn = self.turn, None
        self._sent = move

    def reject_unsendable_move(self) -> None:
        """Handle a move that the protocol cannot express."""
        self.finish("this protocol has no message for that move")

    def accept_repeated_turn(self) -> None:
        """Take a repeated turn as a request for another move, since nothing else has followed."""
        self.turn, self.repeated_turn = self.repeated_turn, None

    def lose_connection(self) -> None:
        """Note that the connection is lost. The server will repeat the current turn, if any."""
        # A player who waits for a tournament receives nothing until that begins.
        self.is_returning = self.phase is not Phase.JOINING
        self.turn = self.repeated_turn = self.answered = None

    def finish(self, error: str | None = None) -> None:
        """End the conversation. The first error is kept."""
        self.turn = None
        self.phase = Phase.DONE
        self.error = self.error or error

    def _begin_match(self, has_opponent: bool, is_new: bool = False) -> None:
        """Note that a match is being played.

        Args:
            has_opponent: there is a sign of the opponent.
            is_new: this is certainly a new match.
        """
        if is_new or not self.is_playing:
            self._forget_match()
        if has_opponent:
            self.phase = Phase.PLAYING
        elif self.phase is not Phase.PLAYING:
            self.phase = Phase.WAITING

    def _forget_match(self) -> None:
        self.turn = self.repeated_turn = self.answered = self._position = None

    def _begin_turn(self, turn: OwnTurn[MoveT]) -> None:
        """Process a turn of either player.

        If the position is the one in which the player has just moved, the move may have been
        refused, or the notice may have crossed the move. This is in doubt until something follows.
        """
        if not self.is_watching:
            # A server that does not assign seats only sends a player its own turns.
            self.seat = self.seat or turn.seat
        is_own = turn.seat is self.seat
        # In TTTP the first turn begins before there is a second player.
        is_start = self.game is not None and turn.position == self.game.start(0)
        self._begin_match(has_opponent=is_own and not is_start)
        self._position, self.repeated_turn = turn.position, None
        if not is_own:
            self.turn = None
        elif self.answered is not None and self.answered.position == turn.position:
            self.answered, self.repeated_turn = None, turn
        else:
            self.turn = turn

    def _sit_down(self, seat: Seat | None) -> None:
        self.seat, self.is_watching = seat, seat is None
        self.phase = Phase.SEATED
        self._has_asked_for_board = False

    def _is_settled_by_return(self, notice: Notice[MoveT]) -> bool:
        """Find out from a notice whether the server has kept the seat.

        Return True if the notice needs no further processing.
        """
        match notice:
            case Seated(seat) if seat is self.seat:
                # Wait for the board: it shows whether the match continues.
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
        """End the current match: the server has not kept the seat."""
        self.is_returning = False
        if self.is_playing:
            self._end_match(Result(None, Ending.CANCELLED, SEAT_LOST), self._position)

    def _is_others_match(self) -> bool:
        """Return True if a finished match is one of others, shown at the table until a rematch."""
        found = (Phase.SEATED, Phase.AT_FINISHED_BOARD)
        is_new = self.phase in found and not self.is_watching and not self.had_seat
        return self.vocabulary.has_rematch and is_new

    def _on_others_finished_board(self, position: Position[MoveT]) -> list[Request[MoveT]]:
        """Ask for a new match at a table that shows a finished match of others.

        Servers may keep the old board until a player asks for a rematch (tttp: RMCH). Ask only
        once: a server that refuses may answer with the same board again.
        """
        self.phase = Phase.AT_FINISHED_BOARD
        if self._has_asked_for_board:
            return []
        self._has_asked_for_board = True
        return [Rematch()]

    def _end_match(self, result: Result, position: Position[MoveT] | None) -> list[Request[MoveT]]:
        is_unseen = result is UNSEEN
        if is_unseen:
            result, position = self._end_by_own_move()
        self._forget_match()
        self.is_returning = False
        self.matches.append(PlayedMatch(self.seat, result, position))
        # santorini-lobby does not announce the end of a tournament, and santorini-tournament
        # disconnects a disqualified player.
        is_unclear = is_unseen or result.ending is Ending.BROKE_PROTOCOL
        self.phase = Phase.OVER if is_unclear or not self._may_continue() else Phase.BETWEEN
        return []

    def _end_by_own_move(self) -> tuple[Result, Position[MoveT] | None]:
        """Return the result of a match that the player's last move has ended by the rules.

        If the opponent may have ended it, the result is unknown.
        """
        answered = self.answered
        if answered is None or self._sent is None or answered.position.has_hidden_information:
            return UNSEEN, None
        position = answered.position.after(self._sent)
        if position.outcome is None:
            return UNSEEN, None
        outcome = position.outcome
        return Result(outcome.winner, Ending.PLAYED_OUT, outcome.reason), position

    def _may_continue(self) -> bool:
        """Return True if another match may follow."""
        return self.is_tournament or self.vocabulary.has_rematch

"""The player of a house bot: it follows the room, and says what the bot has to do next."""

from gamehall.core import Game, MoveT, Seat
from gamehall.match import MoveFault, MovePlayed, MoveRefused
from gamehall.players.conversation import Conversation, OwnTurn, Phase, Vocabulary
from gamehall.rooms.notices import (
    Closed,
    Notice,
    PlayersChanged,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
    SeatInfo,
    SignedUp,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
)
from gamehall.rooms.requests import Confirm, Join, ProposedTerms, Rematch, Request


class HousePlayer(Conversation[MoveT]):
    """A player in the server's process, which is notified of every change at its table.

    The driver acts on `due_turn`, `refused`, `proposed`, `matches` and `is_asked_for_rematch`. When
    the player is done, the driver disconnects it; `error` says why.
    """

    def __init__(
        self,
        name: str,
        bot: str,
        game: Game[MoveT],
        *,
        table: int | None = None,
        is_tournament: bool = False,
    ) -> None:
        """Prepare to join.

        Args:
            bot: the bot as text, such as `perfect@2`.
            table: the table of the waiting player that it is sent to; None for the room.
        """
        super().__init__(name, Vocabulary(), is_tournament, game)
        self.game: Game[MoveT] = game
        self.bot = bot
        self.table = table
        # At the table of a waiting player, the terms are those of that player.
        terms = ProposedTerms({}) if table is None else None
        self.join = Join(name, table=table, terms=terms, bot=bot)
        self.refused = ""
        """Why its last move was refused, until the driver clears it; otherwise empty."""
        self.proposed: Game[MoveT] | None = None
        """The terms that are to be confirmed."""
        self.is_asked_for_rematch = False
        self.has_failed = False
        """True if it could not play for a reason that would also hold for another bot."""
        self._opponent: SeatInfo | None = None
        self._had_waiting_players = False

    @property
    def due_turn(self) -> OwnTurn[MoveT] | None:
        """The turn to think about. None before an opponent has joined: no move is final then."""
        return self.turn if self.phase is Phase.PLAYING else None

    @property
    def is_joining(self) -> bool:
        return self.phase is Phase.JOINING

    @property
    def is_signed_up(self) -> bool:
        """True while it waits for a tournament to begin."""
        return self.is_tournament and self.phase is Phase.SEATED

    @property
    def wants_opponent(self) -> bool:
        """True while it waits for an opponent, or will wait after joining."""
        is_sent_to_player = self.is_joining and self.table is not None
        return self.is_alone and not is_sent_to_player

    def receive(self, notice: Notice[MoveT]) -> list[Request[MoveT]]:
        if self.is_done:
            return []
        match notice:
            case Seated(None):
                self.finish("there is no free seat")
            case SignedUp():
                self.phase = Phase.SEATED
            case PlayersChanged(_, players):
                self._note_players(*players)
            case TermsProposed(_, game):
                self.proposed = game
                return super().receive(notice)
            case TermsAgreed():
                # After a restart the room repeats terms to which it has agreed before.
                self.proposed = None
                return super().receive(notice)
            case TermsQuestion():
                # Only the first player at a table is asked: the one it was sent to has left.
                self.finish("there is no opponent")
            case MovePlayed():
                super().receive(notice)
                # A TurnBegan notice follows.
                self.turn = self.answered = None
            case MoveRefused(_, MoveFault.ILLEGAL, reason) | RequestRejected(reason):
                if self.answered is not None:
                    self.turn, self.answered, self.refused = self.answered, None, reason
            case Refused(refusal):
                # FULL is no failure: the waiting player has found another opponent meanwhile.
                self.has_failed = refusal is not Refusal.FULL
                self.finish(refusal.value)
            case Closed(reason):
                self.finish(reason)
            case _:
                return super().receive(notice)
        return []

    def confirm(self, game: Game[MoveT], is_able: bool) -> list[Request[MoveT]]:
        """Answer these terms, unless others were proposed since."""
        if self.proposed is not game:
            return []
        self.proposed = None
        return [Confirm(is_able)]

    def agree_to_rematch(self) -> list[Request[MoveT]]:
        self.is_asked_for_rematch = False
        return [Rematch()]

    def note_waiting_players(self, has_waiting_players: bool) -> None:
        """Note whether other players wait for the same tournament. Leave after the last of them."""
        if self.is_signed_up and self._had_waiting_players and not has_waiting_players:
            self.finish("the other players have left")
        self._had_waiting_players |= has_waiting_players

    def _note_players(self, first: SeatInfo | None, second: SeatInfo | None) -> None:
        """Note the players at the table. Leave if the opponent has left or is a house bot."""
        if self.seat is None:
            # Seats are assigned when the terms are known.
            return
        own, opponent = (first, second) if self.seat is Seat.FIRST else (second, first)
        self._opponent = opponent
        if opponent is None:
            if not self.is_alone:
                self.finish("the opponent has left")
            return
        if opponent.is_bot:
            self.finish("the opponent is a house bot, too")
        elif self.phase in (Phase.SEATED, Phase.WAITING):
            self.phase = Phase.PLAYING
        has_agreed = own is not None and own.wants_rematch
        self.is_asked_for_rematch = opponent.wants_rematch and not has_agreed

    def _begin_match(self, has_opponent: bool, is_new: bool = False) -> None:
        # At a table PlayersChanged says whether there is an opponent. Tournaments always have one.
        super()._begin_match(self.is_tournament or self._opponent is not None, is_new)

    def _begin_turn(self, turn: OwnTurn[MoveT]) -> None:
        super()._begin_turn(turn)
        # Rooms answer each move of a native client. Until then a repeated turn needs no new move.
        self.answered, self.repeated_turn = self.repeated_turn, None

    def _forget_match(self) -> None:
        super()._forget_match()
        self.refused = ""

"""What a bot of the house says besides its moves, and what is to be done for it."""

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
    """A native client, which is told who sits at its table and what became of its moves.

    What is to be done for it can be read: `due_turn`, `refused`, `proposed`, `matches` and
    `is_asked_for_rematch`. When it is done, it leaves, and `error` says why.
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
            bot: how the bot is written, as in `perfect@2`.
            table: where it is sent to a guest; None: into the room.
        """
        super().__init__(name, Vocabulary(), is_tournament, game)
        self.game: Game[MoveT] = game
        self.bot = bot
        self.table = table
        # At the table of a waiting player, the terms are those of that player.
        terms = ProposedTerms({}) if table is None else None
        self.join = Join(name, table=table, terms=terms, bot=bot)
        self.refused = ""
        """Why its last move was refused, until that is seen to; empty if it was not."""
        self.proposed: Game[MoveT] | None = None
        """The terms that are to be confirmed."""
        self.is_asked_for_rematch = False
        self.has_failed = False
        """Whether it could not play, so that another bot would fare no better."""
        self._opponent: SeatInfo | None = None
        self._has_had_guests = False
        """Whether a guest has waited for the same tournament."""

    @property
    def due_turn(self) -> OwnTurn[MoveT] | None:
        """The turn to think about; None also before an opponent has come: no move counts then."""
        return self.turn if self.phase is Phase.PLAYING else None

    @property
    def is_coming(self) -> bool:
        """Whether it has not sat down yet."""
        return self.phase is Phase.JOINING

    @property
    def is_signed_up(self) -> bool:
        """Whether it waits for a tournament to begin."""
        return self.is_tournament and self.phase is Phase.SEATED

    @property
    def wants_guest(self) -> bool:
        """Whether it waits for an opponent, or is going to."""
        is_sent_to_guest = self.is_coming and self.table is not None
        return self.is_alone and not is_sent_to_guest

    def hear(self, notice: Notice[MoveT]) -> list[Request[MoveT]]:
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
                return super().hear(notice)
            case TermsAgreed():
                # After a restart these are terms to which it has agreed before.
                self.proposed = None
                return super().hear(notice)
            case TermsQuestion():
                # It was sent to a guest, who is gone.
                self.finish("there is nobody to play with")
            case MovePlayed():
                super().hear(notice)
                # Whose turn it is now follows.
                self.turn = self.answered = None
            case MoveRefused(_, MoveFault.ILLEGAL, reason) | RequestRejected(reason):
                if self.answered is not None:
                    self.turn, self.answered, self.refused = self.answered, None, reason
            case Refused(refusal):
                # That the guest has found another opponent meanwhile is nothing unusual.
                self.has_failed = refusal is not Refusal.FULL
                self.finish(refusal.value)
            case Closed(reason):
                self.finish(reason)
            case _:
                return super().hear(notice)
        return []

    def confirm(self, game: Game[MoveT], is_able: bool) -> list[Request[MoveT]]:
        """Answer these terms, unless they are out of date. `is_able`: whether it can play so."""
        if self.proposed is not game:
            return []
        self.proposed = None
        return [Confirm(is_able)]

    def agree_to_rematch(self) -> list[Request[MoveT]]:
        """Agree to the rematch that the opponent has asked for."""
        self.is_asked_for_rematch = False
        return [Rematch()]

    def note_guests(self, has_guests: bool) -> None:
        """Note whether guests wait for the same tournament; leave its sign-up with the last."""
        if self.is_signed_up and self._has_had_guests and not has_guests:
            self.finish("the guests have left")
        self._has_had_guests |= has_guests

    def _note_players(self, first: SeatInfo | None, second: SeatInfo | None) -> None:
        """Note who sits at the table. Leave if the opponent has left or is no guest."""
        if self.seat is None:
            # Until the terms are known, nobody has a seat.
            return
        own, opponent = (first, second) if self.seat is Seat.FIRST else (second, first)
        self._opponent = opponent
        if opponent is None:
            if not self.is_alone:
                self.finish("the opponent has left")
            return
        if opponent.is_bot:
            self.finish("the opponent is a bot of the house, too")
        elif self.phase in (Phase.SEATED, Phase.WAITING):
            self.phase = Phase.PLAYING
        has_agreed = own is not None and own.wants_rematch
        self.is_asked_for_rematch = opponent.wants_rematch and not has_agreed

    def _begin_match(self, is_opposed: bool, is_new: bool = False) -> None:
        # A table tells whether there is an opponent; in a tournament there always is one.
        super()._begin_match(self.is_tournament or self._opponent is not None, is_new)

    def _begin_turn(self, turn: OwnTurn[MoveT]) -> None:
        super()._begin_turn(turn)
        # It is told what becomes of a move: until then, the same turn is not thought about again.
        self.answered, self.doubt = self.doubt, None

    def _forget_match(self) -> None:
        super()._forget_match()
        self.refused = ""

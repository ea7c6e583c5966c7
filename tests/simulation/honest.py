"""Honest clients: they check all that they hear."""

from random import Random
from typing import Any

from gamehall.core import Seat
from gamehall.games.connect_four import ConnectFourPosition
from gamehall.games.go import GoPosition
from gamehall.match import Ending, MatchEnded, MovePlayed, MoveRefused, TurnBegan
from gamehall.players.conversation import OwnTurn
from gamehall.rooms.notices import (
    Closed,
    EndUnseen,
    MatchBegan,
    Notice,
    RequestRejected,
    TermsAgreed,
    TournamentBegan,
    TournamentEnded,
)
from gamehall.server.plan import DoorPlan
from tests.simulation.chronicle import Violation
from tests.simulation.clients import Client, Surroundings
from tests.simulation.wires import Wire


class Honest(Client):
    """Plays by the document, and takes nothing from the hall that it does not deserve."""

    def __init__(
        self, world: Surroundings, plan: DoorPlan, name: str, random: Random, is_excused: bool
    ) -> None:
        super().__init__(world, plan, name, random, is_excused)
        self.matches = 0
        """How many matches, or tournaments, it has played to their end."""
        self.has_played = False
        """Whether it has come to the end of any match."""
        self.tournament: TournamentBegan | None = None
        """The tournament that it is in."""
        self._forget_visit()

    def _forget_visit(self) -> None:
        self._in_match = False
        self._has_terms = False
        self._latest: TurnBegan[Any] | None = None
        """The last turn that it has heard of in this visit."""
        self._moved_at: TurnBegan[Any] | None = None
        """Where it has made the move that was not acknowledged yet."""

    def arrive(self) -> None:
        self._forget_visit()
        super().arrive()

    def cut_off(self, wire: Wire) -> None:
        if self.matches:
            self.leave("has played")
        else:
            super().cut_off(wire)

    def take(self, notice: Notice[Any], wire: Wire) -> bool:
        self._check(notice, wire)
        if self._is_acknowledgement(notice):
            self._moved_at = None
            self.world.check_acknowledged(self, wire)
        if isinstance(notice, TurnBegan):
            self._latest = notice
        return super().take(notice, wire)

    def play(self, turn: OwnTurn[Any], wire: Wire) -> None:
        if self._player.turn is turn and self.wire is wire:
            # In the position that it has heard of last, whatever it has thought about.
            self._moved_at = self._latest
        super().play(turn, wire)

    @property
    def is_asked(self) -> bool:
        """Whether it knows that it is to move, or has moved and waits for what follows."""
        return self._player.turn is not None or self._moved_at is not None

    def _check(self, notice: Notice[Any], wire: Wire) -> None:
        match notice:
            case Closed(reason) if "does not keep to the protocol" in reason:
                # Of a message that was cut off nobody can make sense.
                if not (wire.has_ended and wire.is_disturbed):
                    self.blame(f"cannot understand the hall: {reason}", even_if_excused=True)
            case Closed() if not wire.is_disturbed and not self._may_part():
                self.blame("is sent away for nothing")
            case MoveRefused(_, _, reason) | RequestRejected(reason):
                self.blame(f"is refused: {reason}")
            case TermsAgreed():
                self._has_terms = True
            case TournamentBegan():
                self.tournament = notice
            case TournamentEnded():
                self.tournament, self.matches = None, self.matches + 1
            case MatchBegan():
                self._in_match, self._moved_at = True, None
            case MatchEnded() | EndUnseen():
                self._check_end(notice)
            case _:
                pass

    def _may_part(self) -> bool:
        """Whether nothing is left to play; what is read from 000 does not say."""
        of_000 = self.tournament is not None and bool(self.tournament.id) and not self._in_match
        # 002: before the terms are agreed to, each may go, and then the table is no more.
        of_002 = bool(self.answers) and not self._has_terms
        is_over = bool(self._player.matches) or (self.matches > 0 and not self.tournament)
        return is_over or of_000 or of_002

    def _check_end(self, ended: MatchEnded[Any] | EndUnseen) -> None:
        if self.tournament is not None and not self._in_match:
            self.blame("hears twice that a match is over")
        if self.tournament is not None and self._player.turn is not None:
            # whoever is asked may answer, whatever the opponent does meanwhile.
            self.blame("has a prompt withdrawn: the match ends while it thinks about its move")
        self._in_match, self.has_played = False, True
        if isinstance(ended, EndUnseen) or self._seat is None or self._latest is None:
            # Whoever sits down at a table may hear how the match before ended.
            return
        result, outcome = ended.result, ended.position.outcome
        has_lost = result.winner is self._seat.other
        is_shown = outcome is not None and outcome.winner is result.winner
        # 003 does not say how a game was won; others do, and may not show the last position.
        is_said = result.ending is Ending.PLAYED_OUT and not isinstance(
            ended.position, ConnectFourPosition
        )
        if has_lost and not is_shown and not is_said:
            self.blame(f"loses, but not by the rules: {result}")
        if self.tournament is None:
            self.matches += 1

    def _is_acknowledgement(self, notice: Notice[Any]) -> bool:
        """Whether it follows from a notice that the last move was made."""
        moved_at = self._moved_at
        if moved_at is None:
            return False
        match notice:
            case MovePlayed(seat):
                return seat is self._seat
            case TurnBegan(_, position) | MatchEnded(_, position):
                before = moved_at.position
                if isinstance(before, ConnectFourPosition):
                    assert isinstance(position, ConnectFourPosition)
                    own = self._seat.value if self._seat else 0
                    return position.spots.count(own) > before.spots.count(own)
                # In 002 whose turn it is follows from what the client says itself.
                is_told = isinstance(notice, TurnBegan) and not isinstance(before, GoPosition)
                return is_told and bool(position != before)
            case _:
                return False

    def blame(self, what: str, even_if_excused: bool = False) -> None:
        """Something is wrong, unless others may have done it."""
        self.note(f"COMPLAINS: {what}")
        if even_if_excused or not self.is_excused:
            raise Violation(f"{self.name} at {self.plan.protocol.name} {what}")

    @property
    def _seat(self) -> Seat | None:
        return self._player.seat

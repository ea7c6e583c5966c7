"""Honest clients, which check everything that they receive."""

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
from tests.simulation.clients import Client, ClientWorld
from tests.simulation.event_log import Violation
from tests.simulation.network import Link


class HonestClient(Client):
    """Plays by the rules, and raises Violation if it is treated wrongly."""

    def __init__(
        self, world: ClientWorld, plan: DoorPlan, name: str, random: Random, is_exempt: bool
    ) -> None:
        super().__init__(world, plan, name, random, is_exempt)
        self.matches = 0
        """The number of matches, or tournaments, that it has finished."""
        self.has_played = False
        """Whether it has finished any match."""
        self.tournament: TournamentBegan | None = None
        """The current tournament."""
        self._begin_connection()

    def _begin_connection(self) -> None:
        self._in_match = False
        self._has_terms = False
        self._latest: TurnBegan[Any] | None = None
        """The last turn of which it was told over this connection."""
        self._moved_at: TurnBegan[Any] | None = None
        """The turn in which it has made a move that is not acknowledged yet."""

    def connect(self) -> None:
        self._begin_connection()
        super().connect()

    def disconnected(self, link: Link) -> None:
        if self.matches:
            self.leave("has played")
        else:
            super().disconnected(link)

    def handle_notice(self, notice: Notice[Any], link: Link) -> bool:
        self._check(notice, link)
        if self._is_acknowledgement(notice):
            self._moved_at = None
            self.world.check_acknowledged(self, link)
        if isinstance(notice, TurnBegan):
            self._latest = notice
        return super().handle_notice(notice, link)

    def make_move(self, turn: OwnTurn[Any], link: Link) -> None:
        if self._player.turn is turn and self.link is link:
            # The move counts for the last position that it was told.
            self._moved_at = self._latest
        super().make_move(turn, link)

    @property
    def is_asked(self) -> bool:
        """Whether it knows that it is to move, or waits for the answer to its move."""
        return self._player.turn is not None or self._moved_at is not None

    def _check(self, notice: Notice[Any], link: Link) -> None:
        match notice:
            case Closed(reason) if "does not keep to the protocol" in reason:
                # A message that was cut off by a lost connection is not a violation.
                if not (link.has_ended and link.is_disturbed):
                    self.report_violation(
                        f"does not understand the server: {reason}", even_if_exempt=True
                    )
            case Closed() if not link.is_disturbed and not self._may_be_disconnected():
                self.report_violation("is disconnected without a reason")
            case MoveRefused(_, _, reason) | RequestRejected(reason):
                self.report_violation(f"is refused: {reason}")
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

    def _may_be_disconnected(self) -> bool:
        """Return True if there may be nothing left to play."""
        # santorini-lobby does not say when a tournament is over.
        of_000 = self.tournament is not None and bool(self.tournament.id) and not self._in_match
        # go-text: before the terms are agreed, the opponent may leave, and the table is closed.
        of_002 = bool(self.answers) and not self._has_terms
        is_over = bool(self._player.matches) or (self.matches > 0 and not self.tournament)
        return is_over or of_000 or of_002

    def _check_end(self, ended: MatchEnded[Any] | EndUnseen) -> None:
        if self.tournament is not None and not self._in_match:
            self.report_violation("is told twice that a match is over")
        if self.tournament is not None and self._player.turn is not None:
            # a prompted player may answer, even if the opponent fails meanwhile.
            self.report_violation(
                "has a prompt withdrawn: the match ends while it thinks about its move"
            )
        self._in_match, self.has_played = False, True
        if isinstance(ended, EndUnseen) or self._seat is None or self._latest is None:
            # A player who sits down may be told the result of the match before.
            return
        result, outcome = ended.result, ended.position.outcome
        has_lost = result.winner is self._seat.other
        is_shown = outcome is not None and outcome.winner is result.winner
        # tttp does not say why a game was won; other protocols do, but may not show the last board.
        is_said = result.ending is Ending.PLAYED_OUT and not isinstance(
            ended.position, ConnectFourPosition
        )
        if has_lost and not is_shown and not is_said:
            self.report_violation(f"loses, but not by the rules: {result}")
        if self.tournament is None:
            self.matches += 1

    def _is_acknowledgement(self, notice: Notice[Any]) -> bool:
        """Return True if a notice implies that the last move was made."""
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
                # In go-text the turn follows from the client's own move, without a message.
                is_told = isinstance(notice, TurnBegan) and not isinstance(before, GoPosition)
                return is_told and bool(position != before)
            case _:
                return False

    def report_violation(self, what: str, even_if_exempt: bool = False) -> None:
        """Raise Violation, unless other clients may be the cause."""
        self.note(f"VIOLATION: {what}")
        if even_if_exempt or not self.is_exempt:
            raise Violation(f"{self.name} at {self.plan.protocol.name} {what}")

    @property
    def _seat(self) -> Seat | None:
        return self._player.seat

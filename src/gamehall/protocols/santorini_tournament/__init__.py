"""Santorini tournaments in JSON values, with checks of moves and a result. See PROTOCOL.md."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from gamehall.core import SeededRandom
from gamehall.games.santorini import Move, Santorini
from gamehall.match import Clock
from gamehall.protocols.santorini_tournament.client import SantoriniTournamentClientSession
from gamehall.protocols.santorini_tournament.session import (
    ResultsEncoder,
    SantoriniTournamentSession,
)
from gamehall.protocols.santorini_tournament.settings import SantoriniTournamentSettings
from gamehall.rooms.requests import ClientPolicy
from gamehall.rooms.room import Room
from gamehall.rooms.sign_up import SignUp
from gamehall.wire.protocol import WireProtocol

__all__ = [
    "PROTOCOL",
    "SantoriniTournament",
    "SantoriniTournamentClientSession",
    "SantoriniTournamentSession",
    "SantoriniTournamentSettings",
]


class SantoriniTournament(WireProtocol[SantoriniTournamentSettings, Move]):
    name: ClassVar[str] = "santorini-tournament"
    title: ClassVar[str] = "Santorini tournament, JSON values"
    port: ClassVar[int] = 7001
    game: ClassVar[str] = Santorini.name
    is_for_tournaments: ClassVar[bool] = True
    settings = SantoriniTournamentSettings

    def game_at(self, settings: SantoriniTournamentSettings) -> Santorini:
        return Santorini(settings.board, settings.placement_order)

    def clock_at(self, settings: SantoriniTournamentSettings) -> Clock:
        return Clock(settings.timeout or None, settings.grace_ms / 1000)

    def room(self, settings: SantoriniTournamentSettings, shuffler: SeededRandom) -> Room[Move]:
        terms = settings.terms(
            settings.games, settings.cheater_games, settings.best_of, settings.starter
        )
        return SignUp(self.game_at(settings), terms, shuffler)

    def sessions(
        self, settings: SantoriniTournamentSettings
    ) -> Callable[[float], SantoriniTournamentSession]:
        policy = ClientPolicy(
            clock=self.clock_at(settings),
            probes_per_second=settings.max_checks,
            one_probe_window=settings.strict,
        )
        encoder = ResultsEncoder(settings.results)
        return partial(SantoriniTournamentSession, settings, policy, encoder)

    def client(self, settings: SantoriniTournamentSettings) -> SantoriniTournamentClientSession:
        return SantoriniTournamentClientSession(self.game_at(settings), settings.base)


PROTOCOL = SantoriniTournament()

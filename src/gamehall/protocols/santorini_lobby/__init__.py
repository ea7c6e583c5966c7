"""The Santorini lobby: Santorini tournaments in JSON arrays, with keepalives. See PROTOCOL.md."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from gamehall.core import Seat, SeededRandom
from gamehall.games.santorini import Move, Santorini
from gamehall.match import Clock
from gamehall.protocols.santorini_lobby.client import SantoriniLobbyClientSession
from gamehall.protocols.santorini_lobby.session import SantoriniLobbySession
from gamehall.protocols.santorini_lobby.settings import (
    FirstTurn,
    IllegalRule,
    SantoriniLobbySettings,
)
from gamehall.rooms.requests import ClientPolicy, Keepalive
from gamehall.rooms.room import Room
from gamehall.rooms.sign_up import SignUp
from gamehall.tournaments.pairing import Starts
from gamehall.wire.protocol import WireProtocol

__all__ = [
    "PROTOCOL",
    "SantoriniLobby",
    "SantoriniLobbyClientSession",
    "SantoriniLobbySession",
    "SantoriniLobbySettings",
]


class SantoriniLobby(WireProtocol[SantoriniLobbySettings, Move]):
    name: ClassVar[str] = "santorini-lobby"
    title: ClassVar[str] = "Santorini lobby, JSON arrays"
    port: ClassVar[int] = 7000
    game: ClassVar[str] = Santorini.name
    is_for_tournaments: ClassVar[bool] = True
    settings = SantoriniLobbySettings

    def game_at(self, settings: SantoriniLobbySettings) -> Santorini:
        first_turn = Seat.FIRST if settings.first_turn is FirstTurn.P1 else Seat.SECOND
        return Santorini(settings.board, first_turn=first_turn)

    def clock_at(self, settings: SantoriniLobbySettings) -> Clock:
        return Clock(settings.move_timeout or None, settings.grace_ms / 1000)

    def room(self, settings: SantoriniLobbySettings, shuffler: SeededRandom) -> Room[Move]:
        # S0-Q07: the player who joined earlier is P1 in every game of a pair.
        terms = settings.terms(settings.games_per_pair, settings.cheater_games, starts=Starts.FIXED)
        return SignUp(self.game_at(settings), terms, shuffler)

    def sessions(
        self, settings: SantoriniLobbySettings
    ) -> Callable[[float], SantoriniLobbySession]:
        grace = settings.grace_ms / 1000
        repeats_prompt = settings.illegal is IllegalRule.REPROMPT
        policy = ClientPolicy(
            clock=self.clock_at(settings),
            retries=settings.max_retries if repeats_prompt else 0,
            keepalive=Keepalive(settings.keepalive, settings.keepalive_timeout + grace),
        )
        return partial(SantoriniLobbySession, settings, policy)

    def client(self, settings: SantoriniLobbySettings) -> SantoriniLobbyClientSession:
        # Only this server shows the board on request (S0-Q18).
        return SantoriniLobbyClientSession(self.game_at(settings), settings.base, with_board=True)


PROTOCOL = SantoriniLobby()

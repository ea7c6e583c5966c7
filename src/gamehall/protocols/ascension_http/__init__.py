"""Ascension over HTTP, for clients that poll. See PROTOCOL.md."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from gamehall.core import SeededRandom
from gamehall.games.ascension import Ascension, Move
from gamehall.match import Clock
from gamehall.protocols.ascension_http.client import AscensionHttpClientSession
from gamehall.protocols.ascension_http.planner import AscensionMovePlanner
from gamehall.protocols.ascension_http.session import AscensionHttpSession
from gamehall.protocols.ascension_http.settings import AscensionHttpSettings
from gamehall.protocols.ascension_http.state import StateEncoder
from gamehall.rooms.polled_table import PolledTable, PolledTerms
from gamehall.rooms.room import Room
from gamehall.wire.protocol import WireProtocol
from gamehall.wire.session import Timeouts

__all__ = [
    "PROTOCOL",
    "AscensionHttp",
    "AscensionHttpClientSession",
    "AscensionHttpSession",
    "AscensionHttpSettings",
]


class AscensionHttp(WireProtocol[AscensionHttpSettings, Move]):
    name: ClassVar[str] = "ascension-http"
    title: ClassVar[str] = "Ascension, JSON over HTTP"
    port: ClassVar[int] = 7004
    game: ClassVar[str] = Ascension.name
    settings = AscensionHttpSettings
    seconds_to_linger: ClassVar[float] = 2.0

    def risk(self, settings: AscensionHttpSettings) -> str | None:
        if settings.tokens:
            return None
        return f"any client can move for either player; consider {self.name}.tokens=true"

    def game_at(self, settings: AscensionHttpSettings) -> Ascension:
        return Ascension(
            honor=settings.honor, ties=settings.ties, turns=settings.turns, supply=settings.supply
        )

    def clock_at(self, settings: AscensionHttpSettings) -> Clock:
        return Clock(settings.turn_timeout or None, settings.grace_ms / 1000)

    def room(self, settings: AscensionHttpSettings, shuffler: SeededRandom) -> Room[Move]:
        is_series = bool(settings.next_game) and not settings.strict
        terms = PolledTerms(
            clock=self.clock_at(settings),
            secrets=settings.tokens,
            all_or_nothing=settings.atomic,
            errors_are_fatal=settings.sticky_errors,
            seconds_to_wait=settings.long_poll,
            seconds_to_next=settings.next_game if is_series else None,
            seconds_to_abandon=settings.abandon_after or None,
        )
        return PolledTable(
            game=self.game_at(settings),
            planner=AscensionMovePlanner(settings.choices, shuffler),
            terms=terms,
            random=shuffler,
        )

    def sessions(self, settings: AscensionHttpSettings) -> Callable[[float], AscensionHttpSession]:
        timeouts = Timeouts(None, settings.with_grace(settings.message_timeout))
        return partial(AscensionHttpSession, settings, timeouts, StateEncoder(settings))

    def client(self, settings: AscensionHttpSettings) -> AscensionHttpClientSession:
        return AscensionHttpClientSession(self.game_at(settings))


PROTOCOL = AscensionHttp()

"""Go in lines of text, on terms that the first player proposes. See PROTOCOL.md."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from gamehall.core import SeededRandom
from gamehall.games.go import Go, Move
from gamehall.match import Clock
from gamehall.protocols.go_text.client import GoTextClientSession
from gamehall.protocols.go_text.questions import GoQuestions
from gamehall.protocols.go_text.session import GoTextSession
from gamehall.protocols.go_text.settings import GoTextSettings
from gamehall.rooms.negotiated_table import NegotiatedLobby
from gamehall.rooms.room import Room
from gamehall.wire.protocol import WireProtocol
from gamehall.wire.session import Timeouts

__all__ = ["PROTOCOL", "GoText", "GoTextClientSession", "GoTextSession", "GoTextSettings"]


class GoText(WireProtocol[GoTextSettings, Move]):
    name: ClassVar[str] = "go-text"
    title: ClassVar[str] = "Go, lines of text"
    port: ClassVar[int] = 7002
    game: ClassVar[str] = Go.name
    settings = GoTextSettings
    answers: ClassVar[Mapping[str, str]] = {
        "boardsize": "19",
        "color": "black",
        "handicap": "0",
        "komi": "6.5",
    }

    def risk(self, settings: GoTextSettings) -> str | None:
        # Without names, no client can return as another player.
        return None

    def game_at(self, settings: GoTextSettings) -> Go:
        return Go(
            handicap_first=settings.handicap_first.seat,
            ko=settings.ko,
            suicide=settings.suicide,
            scoring=settings.scoring,
        )

    def clock_at(self, settings: GoTextSettings) -> Clock:
        return Clock(settings.turn_seconds or None, settings.grace_ms / 1000)

    def room(self, settings: GoTextSettings, shuffler: SeededRandom) -> Room[Move]:
        return NegotiatedLobby(
            questions=GoQuestions(settings),
            clock=self.clock_at(settings),
            errors_allowed=settings.max_errors,
            once=settings.once,
            counter_proposals=settings.counter_proposals,
        )

    def sessions(self, settings: GoTextSettings) -> Callable[[float], GoTextSession]:
        timeouts = Timeouts(None, settings.with_grace(settings.message_timeout))
        return partial(GoTextSession, settings, timeouts)

    def client(self, settings: GoTextSettings) -> GoTextClientSession:
        return GoTextClientSession(self.game_at(settings), settings.base, settings.handicap_success)


PROTOCOL = GoText()

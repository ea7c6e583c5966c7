"""Go in lines of text, on terms that the first player names (PROTOCOL.md)."""

from collections.abc import Callable, Mapping
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
from gamehall.wire.protocol import Protocol
from gamehall.wire.session import Timeouts

__all__ = ["PROTOCOL", "GoText", "GoTextClientSession", "GoTextSession", "GoTextSettings"]


class GoText(Protocol[GoTextSettings, Move]):
    """The door `go-text`."""

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
        # Nobody has a name there, so nobody comes back under another's.
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
        questions = GoQuestions(settings)
        clock = self.clock_at(settings)
        return NegotiatedLobby(
            questions=questions,
            clock=clock,
            errors_allowed=settings.max_errors,
            once=settings.once,
            counter_proposals=settings.counter_proposals,
        )

    def sessions(self, settings: GoTextSettings) -> Callable[[float], GoTextSession]:
        seconds = settings.message_timeout
        timeouts = Timeouts(None, seconds + settings.grace_ms / 1000 if seconds else None)

        def open_session(now: float) -> GoTextSession:
            return GoTextSession(settings, timeouts, now)

        return open_session

    def client(self, settings: GoTextSettings) -> GoTextClientSession:
        return GoTextClientSession(self.game_at(settings), settings.base, settings.handicap_success)


PROTOCOL = GoText()

"""One match: a referee who applies the rules, a clock that is told the time, and a result."""

from gamehall.play.clock import Clock
from gamehall.play.happenings import (
    Happening,
    MatchEnded,
    MoveFault,
    MovePlayed,
    MoveRefused,
    TurnBegan,
)
from gamehall.play.referee import Referee
from gamehall.play.result import Ending, Result

__all__ = [
    "Clock",
    "Ending",
    "Happening",
    "MatchEnded",
    "MoveFault",
    "MovePlayed",
    "MoveRefused",
    "Referee",
    "Result",
    "TurnBegan",
]

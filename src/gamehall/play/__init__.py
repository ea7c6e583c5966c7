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
from gamehall.play.record import BadRecord, Record, RecordedMove
from gamehall.play.referee import Referee
from gamehall.play.result import Ending, Result

__all__ = [
    "BadRecord",
    "Clock",
    "Ending",
    "Happening",
    "MatchEnded",
    "MoveFault",
    "MovePlayed",
    "MoveRefused",
    "Record",
    "RecordedMove",
    "Referee",
    "Result",
    "TurnBegan",
]

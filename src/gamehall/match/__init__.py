"""One match: a referee who applies the rules, a clock that is told the time, and a result."""

from gamehall.match.clock import Clock
from gamehall.match.events import (
    MatchEnded,
    MatchEvent,
    MoveFault,
    MovePlayed,
    MoveRefused,
    TurnBegan,
)
from gamehall.match.record import Record, RecordedMove, RecordError
from gamehall.match.referee import Referee
from gamehall.match.result import Ending, Result

__all__ = [
    "Clock",
    "Ending",
    "MatchEnded",
    "MatchEvent",
    "MoveFault",
    "MovePlayed",
    "MoveRefused",
    "Record",
    "RecordError",
    "RecordedMove",
    "Referee",
    "Result",
    "TurnBegan",
]

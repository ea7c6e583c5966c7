"""One match: a referee who applies the rules, a clock that is told the time, and a result."""

from gamehall.match.events import (
    Ending,
    MatchEnded,
    MatchEvent,
    MoveFault,
    MovePlayed,
    MoveRefused,
    Result,
    TurnBegan,
)
from gamehall.match.record import Record, RecordedMove, RecordError
from gamehall.match.referee import Clock, Referee

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

"""One match: the referee, its clock, the events that it reports, and the record."""

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

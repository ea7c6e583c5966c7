"""Types that all games share: seats, positions, outcomes, the Game base class, seeded randomness.

Nothing here knows a particular game, a clock, a socket or a file.
"""

from gamehall.core.game import (
    SEAT_NAMES,
    Game,
    GamehallError,
    IllegalMove,
    MoveT,
    Outcome,
    Position,
    Seat,
    TermChoice,
    UnknownNameError,
    check_names_of_terms,
    check_text,
    clause,
    counted,
    is_of_ints,
    quoted,
    type_of_moves,
)
from gamehall.core.seeded_random import Chance, SeededRandom

__all__ = [
    "SEAT_NAMES",
    "Chance",
    "Game",
    "GamehallError",
    "IllegalMove",
    "MoveT",
    "Outcome",
    "Position",
    "Seat",
    "SeededRandom",
    "TermChoice",
    "UnknownNameError",
    "check_names_of_terms",
    "check_text",
    "clause",
    "counted",
    "is_of_ints",
    "quoted",
    "type_of_moves",
]

"""The numbers that TTTP gives to things, in one place."""

from gamehall.core import Seat
from gamehall.match import Ending, Result
from gamehall.rooms.notices import Refusal

# The same numbers in every field of UPDT: turn, won and spots (T-09, T-10, TR-01).
RED = 1
BLUE = 2
NUMBERS = {Seat.FIRST: RED, Seat.SECOND: BLUE}

JOIN_CODES: dict[Seat | None, int] = {Seat.FIRST: RED, Seat.SECOND: BLUE, None: 3}
"""The codes of a JOIN response that accept; a spectator has no seat (T-06)."""

REFUSALS = {
    Refusal.NAME_TOO_SHORT: 4,
    Refusal.NAME_TOO_LONG: 5,
    Refusal.NAME_HAS_INVALID_CHARACTERS: 6,
    Refusal.NAME_TAKEN: 7,
    Refusal.NAME_NOT_ALLOWED: 8,
    Refusal.FULL: 9,
}
"""The codes of a JOIN response that deny (T-07)."""

PLAYING = 0
CATS_GAME = 3
CANCELLED = 4


def won(result: Result) -> int:
    """Return the won byte for a game that has ended (T-10)."""
    if result.winner is not None:
        return NUMBERS[result.winner]
    return CATS_GAME if result.ending is Ending.PLAYED_OUT else CANCELLED


SEAT_OF_CODE = {code: seat for seat, code in JOIN_CODES.items()}
REFUSAL_OF_CODE = {code: refusal for refusal, code in REFUSALS.items()}
SEAT_OF_NUMBER = {number: seat for seat, number in NUMBERS.items()}

"""What the house tells a peer: a closed union of values.

The happenings of a match are notices as they are: everybody at the table hears of them.
"""

from enum import Enum
from typing import TypeAlias

import msgspec

from gamehall.core import MoveT, Seat
from gamehall.play import Happening


class Refusal(Enum):
    """Why a peer may not take part."""

    NAME_TOO_SHORT = "the name is too short"
    NAME_TOO_LONG = "the name is too long"
    NAME_HAS_INVALID_CHARACTERS = "the name has characters that are not allowed"
    NAME_TAKEN = "the name is already taken"
    NAME_NOT_ALLOWED = "the name is reserved"
    FULL = "there is no room left"


class Seated(msgspec.Struct, frozen=True):
    """The peer takes part: in this seat or, if None, as a spectator."""

    seat: Seat | None


class Refused(msgspec.Struct, frozen=True):
    """The peer does not take part."""

    refusal: Refusal


class Said(msgspec.Struct, frozen=True):
    """Somebody at the table said something."""

    name: str
    text: str


class Dismissed(msgspec.Struct, frozen=True):
    """The house is done with this peer, for this reason; nothing more will come."""

    reason: str


def is_expendable(notice: "Notice[MoveT]") -> bool:
    """Whether a peer that has much to read already may miss this: talk, but never the game."""
    return type(notice) is Said


Notice: TypeAlias = Seated | Refused | Said | Dismissed | Happening[MoveT]

"""What a peer asks of the house: a closed union of values."""

from typing import Generic, TypeAlias

import msgspec

from gamehall.core import MoveT


class Join(msgspec.Struct, frozen=True):
    """The peer wants to take part under this name."""

    name: str


class Play(msgspec.Struct, Generic[MoveT], frozen=True):
    """The peer wants to make a move."""

    move: MoveT


class Say(msgspec.Struct, frozen=True):
    """The peer says something to everybody at its table."""

    text: str


class Rematch(msgspec.Struct, frozen=True):
    """The peer wants a fresh board."""


class HangUp(msgspec.Struct, frozen=True):
    """The peer will say nothing more, though it may still be listening (X-07).

    Nothing but Leave follows.
    """


class Leave(msgspec.Struct, frozen=True):
    """The peer is gone, or must go because of a fault, and then is told so.

    `fault` says what it did wrong, None if it is just gone.
    """

    fault: str | None


Request: TypeAlias = Join | Play[MoveT] | Say | Rematch | HangUp | Leave

"""What a peer asks of the house: a closed union of values."""

from typing import Generic, TypeAlias

import msgspec

from gamehall.core import MoveT
from gamehall.hosting.manners import Manners


class Join(msgspec.Struct, frozen=True):
    """The peer wants to take part under this name.

    `manners`: how its protocol has it treated, where rooms ask their players for moves.
    """

    name: str
    manners: Manners = Manners()


class Play(msgspec.Struct, Generic[MoveT], frozen=True):
    """The peer wants to make a move."""

    move: MoveT


class Arrive(msgspec.Struct, frozen=True):
    """The peer is there, and has not said anything yet."""


class Answer(msgspec.Struct, frozen=True):
    """The peer answers a question about the terms."""

    question: str | None
    """None: whichever was asked."""
    text: str


class Confirm(msgspec.Struct, frozen=True):
    """The peer says whether it agrees to the terms."""

    agrees: bool


class Resign(msgspec.Struct, frozen=True):
    """The peer gives up the match."""


class BadAnswer(msgspec.Struct, frozen=True):
    """The peer said something that answers nothing it was asked, for this reason."""

    reason: str


class AskAgain(msgspec.Struct, frozen=True):
    """The peer has said part of its move and is to be asked for the rest."""


class Probe(msgspec.Struct, Generic[MoveT], frozen=True):
    """The peer wants to know whether it might play this; None if that is no move at all."""

    move: MoveT | None


class StillHere(msgspec.Struct, frozen=True):
    """The peer gives a sign of life, and nothing else that matters."""


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


Request: TypeAlias = (
    Arrive
    | Join
    | Answer
    | Confirm
    | Play[MoveT]
    | Resign
    | BadAnswer
    | AskAgain
    | Probe[MoveT]
    | StillHere
    | Say
    | Rematch
    | HangUp
    | Leave
)

"""What the house tells a peer: a closed union of values.

The happenings of a match are notices as they are: everybody at the table hears of them.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, Generic, TypeAlias

import msgspec
from msgspec.structs import replace

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.match import MatchEnded, MatchEvent, MovePlayed, MoveRefused, Result, TurnBegan
from gamehall.rooms.requests import PlannedMove
from gamehall.tournaments.standings import Win

LEFT: Final = "left"
HUNG_UP: Final = "hung up"
AWAY_TOO_LONG: Final = "did not come back in time"


def why_left(who: str, reason: str) -> str:
    """Return what people read of somebody's leaving: its reason only if that says more."""
    return f"{who} left" if reason in (LEFT, HUNG_UP) else f"{who} left: {reason}"


class Refusal(Enum):
    """Why a peer may not take part."""

    NAME_TOO_SHORT = "the name is too short"
    NAME_TOO_LONG = "the name is too long"
    NAME_HAS_INVALID_CHARACTERS = "the name has characters that are not allowed"
    NAME_TAKEN = "the name is already taken"
    NAME_NOT_ALLOWED = "the name is reserved"
    FULL = "there is no room left"


class Seated(msgspec.Struct, frozen=True):
    """The peer takes part: in this seat or, if None, as a spectator.

    `secret` is by what it proves later that the seat is its own, where the room wants that.
    """

    seat: Seat | None
    secret: str | None = None
    alias: str = ""
    """What clients see instead of its name whose wires carry only ASCII; empty: its name."""


class SeatInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A player, as others at the table see it."""

    name: str
    """Empty for a player who came through a door at which nobody has a name."""
    is_native: bool = False
    is_bot: bool = False
    """Whether it is a bot of the house."""
    seconds_to_return: float | None = None
    """How long its seat is still kept if its connection is lost, None if it is connected."""
    wants_rematch: bool = False


class PlayersChanged(msgspec.Struct, frozen=True):
    """Who sits at the table, after any change of that. Only native clients are told."""

    table: int
    players: tuple[SeatInfo | None, SeatInfo | None]
    """The first and the second, None for a free seat."""
    match: str | None = None
    """By what name the record of the match will be found, None if there are no two players yet."""


class SignedUp(msgspec.Struct, frozen=True):
    """The peer has signed up, and waits with others for a tournament to begin."""


class Ping(msgspec.Struct, frozen=True):
    """The house wants a sign of life."""


class TournamentBegan(msgspec.Struct, frozen=True):
    """The peer is a player of a tournament that begins now.

    `name` is what it is called there: lower-case letters, different for every player. `id` is a
    UUID. `shown_name` is what native clients see it called; wires do not carry it.
    """

    name: str
    id: str
    shown_name: str = ""


class MatchBegan(msgspec.Struct, frozen=True):
    """A match begins, in this seat, against the player who is called `opponent`.

    A client that is not told its seat yet has None.
    """

    seat: Seat | None
    opponent: str
    match: str = ""
    """By what name its record will be found. Wires do not carry it."""


class TurnUnseen(msgspec.Struct, frozen=True):
    """The peer is to move, in a position that it is not shown: what a client of 000 hears."""

    is_placing: bool
    """Whether it is to place something, and not to move it."""


class EndUnseen(msgspec.Struct, frozen=True):
    """The match is over, and the peer is not told how: what a client of 000 hears."""


class TermsQuestion(msgspec.Struct, frozen=True):
    """The house wants to know this of the terms."""

    question: str


class RequestRejected(msgspec.Struct, frozen=True):
    """What the peer said last could not be taken, for this reason. Nothing has changed."""

    reason: str


class TermsProposed(msgspec.Struct, Generic[MoveT], frozen=True):
    """The peer is to play this game, in this seat, if both players agree."""

    seat: Seat
    game: Game[MoveT]
    is_agreed: bool = False
    """Whether the peer has agreed already, since it wanted just that. Wires do not tell."""
    may_counter: bool = False
    """Whether the peer may propose other terms. Wires do not tell."""


class TermsAgreed(msgspec.Struct, frozen=True):
    """Both players agree to the terms."""


class PlannedMovePlayed(msgspec.Struct, Generic[MoveT], frozen=True):
    """A wish that was granted: whose, which, and in which turn."""

    seat: Seat
    wish: PlannedMove[MoveT]
    turn: int


class Snapshot(msgspec.Struct, Generic[MoveT], frozen=True):
    """How a match stands that nobody is told about unless they ask."""

    viewer: Seat | None
    """With whose eyes it is looked at."""
    players: int
    """How many have joined."""
    position: Position[MoveT] | None
    """None before the match has begun. It is whole: what may be shown, the wire must know."""
    result: Result | None
    log: Sequence[PlannedMovePlayed[MoveT]]
    version: str
    """Another one whenever something has changed."""
    error: str = ""
    """Why what the peer wanted was refused, or why the match cannot go on; empty if all is well."""
    is_refusal: bool = False
    """Whether it was refused."""


class ProbeAnswered(msgspec.Struct, frozen=True):
    """Whether the move that the peer asked about could be played."""

    is_legal: bool


class TournamentEnded(msgspec.Struct, frozen=True):
    """All is played. `cheaters` are in the order in which they were caught."""

    cheaters: tuple[str, ...]
    wins: tuple[Win, ...]


class Refused(msgspec.Struct, frozen=True):
    """The peer does not take part."""

    refusal: Refusal
    seconds_to_wait: float | None = None
    """In how many seconds it can take part, None if that is not known."""


class ChatSent(msgspec.Struct, frozen=True):
    """Somebody at the table said something."""

    name: str
    text: str
    alias: str = ""
    """The name for wires that carry only ASCII; empty: the name is ASCII."""

    @property
    def ascii_name(self) -> str:
        """The name, or its alias if the name is not ASCII."""
        return self.alias or self.name


class ChatRejected(msgspec.Struct, frozen=True):
    """Nobody has heard what the peer said, for this reason."""

    reason: str


class Closed(msgspec.Struct, frozen=True):
    """The house is done with this peer, for this reason; nothing more will come."""

    reason: str
    is_expected: bool = False
    """Whether that is how it goes, and nothing to tell the people who run the hall."""


Notice: TypeAlias = (
    Seated
    | PlayersChanged
    | SignedUp
    | Ping
    | TournamentBegan
    | MatchBegan
    | TurnUnseen
    | EndUnseen
    | TermsQuestion
    | RequestRejected
    | TermsProposed[MoveT]
    | TermsAgreed
    | ProbeAnswered
    | Snapshot[MoveT]
    | TournamentEnded
    | Refused
    | ChatSent
    | ChatRejected
    | Closed
    | MatchEvent[MoveT]
)


def mask(notice: Notice[Any], viewer: Seat | None) -> Notice[Any]:
    """Return the notice without what the player in that seat may not know; None is a spectator.

    Moves are public in every game: what a player may not know of a move is not written in it.
    """
    match notice:
        case TurnBegan() | MovePlayed() | MoveRefused() | MatchEnded():
            return replace(notice, position=notice.position.seen_by(viewer))
        case Snapshot(position=position) if position is not None:
            return replace(notice, position=position.seen_by(viewer))
        case _:
            return notice

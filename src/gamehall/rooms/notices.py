"""The notices that rooms send to clients: a closed union of values.

The events of a match are notices too, which are sent to everyone at the table.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, Generic, TypeAlias

import msgspec
from msgspec.structs import replace

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.match import MatchEnded, MatchEvent, MovePlayed, MoveRefused, Result, TurnBegan
from gamehall.rooms.requests import Join, PlannedMove
from gamehall.tournaments.standings import Win

LEFT: Final = "left"
HUNG_UP: Final = "hung up"
AWAY_TOO_LONG: Final = "did not come back in time"
TERMS_NOT_AGREED: Final = "the terms were not agreed to"
TOO_MANY_ILLEGAL_MOVES: Final = "too many illegal moves in a row"


def why_left(who: str, reason: str) -> str:
    """Return the text that says why a player left; omit a reason that says no more."""
    return f"{who} left" if reason in (LEFT, HUNG_UP) else f"{who} left: {reason}"


class Refusal(Enum):
    """Why a client may not join."""

    NAME_TOO_SHORT = "the name is too short"
    NAME_TOO_LONG = "the name is too long"
    NAME_HAS_INVALID_CHARACTERS = "the name has characters that are not allowed"
    NAME_TAKEN = "the name is already taken"
    NAME_NOT_ALLOWED = "the name is reserved, as admin, server and root are by default"
    FULL = "there is no room left"


class Seated(msgspec.Struct, frozen=True):
    """The client has joined: in this seat or, if None, as a spectator."""

    seat: Seat | None
    secret: str | None = None
    """The token with which it proves later that the seat is its own, where rooms require one."""
    alias: str = ""
    """Its name on ASCII wires; empty if its name is ASCII."""


class SeatInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A player, as shown to others at the table."""

    name: str
    """Empty for a player whose protocol has no names."""
    is_native: bool = False
    is_bot: bool = False
    """Whether it is a house bot."""
    seconds_to_return: float | None = None
    """How long its seat is kept while it is disconnected; None if it is connected."""
    wants_rematch: bool = False

    @classmethod
    def of(
        cls, join: Join, seconds_to_return: float | None, wants_rematch: bool = False
    ) -> "SeatInfo":
        """Return the information about a player who joined with this request."""
        return cls(
            name=join.name,
            is_native=join.policy.native,
            is_bot=bool(join.bot),
            seconds_to_return=seconds_to_return,
            wants_rematch=wants_rematch,
        )


class PlayersChanged(msgspec.Struct, frozen=True):
    """The players at the table have changed. Only native clients receive this."""

    table: int
    players: tuple[SeatInfo | None, SeatInfo | None]
    """None for a free seat."""
    match: str | None = None
    """The name of the record of the match; None until there are two players."""


class SignedUp(msgspec.Struct, frozen=True):
    """The client has signed up, and waits for a tournament to begin."""


class Ping(msgspec.Struct, frozen=True):
    """The client must answer, to show that it is alive."""


class TournamentBegan(msgspec.Struct, frozen=True):
    """A tournament begins, in which the client plays."""

    name: str
    """Its name in the tournament: lower-case letters, different for every player."""
    id: str
    """A UUID."""
    shown_name: str = ""
    """Its name for native clients; wires do not carry it."""


class MatchBegan(msgspec.Struct, frozen=True):
    """A match begins."""

    seat: Seat | None
    """None for a client that does not learn its seat yet."""
    opponent: str
    match: str = ""
    """The name of the match's record; wires do not carry it."""


class TurnUnseen(msgspec.Struct, frozen=True):
    """The client is to move in a position that it is not sent, as at a santorini-lobby door."""

    is_placing: bool
    """Whether to place a worker, instead of moving one."""


class EndUnseen(msgspec.Struct, frozen=True):
    """The match is over; the client is not sent the result, as at a santorini-lobby door."""


class TermsQuestion(msgspec.Struct, frozen=True):
    """The client must answer this question about the terms."""

    question: str


class RequestRejected(msgspec.Struct, frozen=True):
    """The client's last request was rejected, for this reason. Nothing has changed."""

    reason: str


class TermsProposed(msgspec.Struct, Generic[MoveT], frozen=True):
    """Agree or refuse to play this game in this seat."""

    seat: Seat
    game: Game[MoveT]
    is_agreed: bool = False
    """Whether the client has agreed already, since it proposed the same. Wires do not carry it."""
    may_counter: bool = False
    """Whether the client may propose other terms. Wires do not carry it."""


class TermsAgreed(msgspec.Struct, frozen=True):
    """Both players have agreed to the terms."""


class PlannedMovePlayed(msgspec.Struct, Generic[MoveT], frozen=True):
    """A planned move that was made, by which player and in which turn."""

    seat: Seat
    planned: PlannedMove[MoveT]
    turn: int


class Snapshot(msgspec.Struct, Generic[MoveT], frozen=True):
    """The state of a match, for a client that polls."""

    viewer: Seat | None
    """The player whose view this is; None: a spectator's."""
    players: int
    """The number of players who have joined."""
    position: Position[MoveT] | None
    """None before the match has begun. It is unmasked: the wire must hide what is secret."""
    result: Result | None
    log: Sequence[PlannedMovePlayed[MoveT]]
    version: str
    """Different after every change."""
    error: str = ""
    """Why the request was refused or the match was broken off; empty otherwise."""
    is_refusal: bool = False
    """Whether the request was refused."""


class ProbeAnswered(msgspec.Struct, frozen=True):
    """The answer to a probe."""

    is_legal: bool


class TournamentEnded(msgspec.Struct, frozen=True):
    """The tournament is over."""

    cheaters: tuple[str, ...]
    """The disqualified players, in the order of disqualification."""
    wins: tuple[Win, ...]


class Refused(msgspec.Struct, frozen=True):
    """The client may not join."""

    refusal: Refusal
    seconds_to_wait: float | None = None
    """When it may try again; None if unknown."""


class ChatSent(msgspec.Struct, frozen=True):
    """A chat message."""

    name: str
    text: str
    alias: str = ""
    """The name on ASCII wires; empty if the name is ASCII."""
    is_from_server: bool = False
    """Whether the server says it about the player of this name. Wires do not carry it."""
    substitute: str = ""
    """The bot that plays from now on in place of that player. Wires do not carry it."""

    @property
    def ascii_name(self) -> str:
        """The name, or its alias if the name is not ASCII."""
        return self.alias or self.name


class ChatRejected(msgspec.Struct, frozen=True):
    """The client's chat message was not sent, for this reason."""

    reason: str


class Closed(msgspec.Struct, frozen=True):
    """The server closes the connection, for this reason; no other notice follows."""

    reason: str
    is_expected: bool = False
    """Whether this is the normal end, which need not be logged."""


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
    """Return the notice without what the viewer may not know; None is a spectator.

    Moves are not masked: in every game they are public.
    """
    match notice:
        case TurnBegan() | MovePlayed() | MoveRefused() | MatchEnded():
            return replace(notice, position=notice.position.seen_by(viewer))
        case Snapshot(position=position) if position is not None:
            return replace(notice, position=position.seen_by(viewer))
        case _:
            return notice

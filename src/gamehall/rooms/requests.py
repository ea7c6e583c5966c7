"""The requests of clients: a closed union of values.

Tags and the names of fields are stored in journals, also by earlier versions: do not change them.
To rename a class or an attribute, keep its old name as the tag or with `msgspec.field(name=...)`.
"""

from enum import Enum
from functools import lru_cache
from hashlib import sha256
from typing import Generic, TypeAlias

import msgspec

from gamehall.core import MoveT, Seat
from gamehall.match import Clock


class Keepalive(msgspec.Struct, frozen=True):
    """How a player who waits for a tournament is pinged."""

    seconds_between: float
    """From the last message of the client to the next ping."""
    seconds_to_answer: float


class ClientPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How a room treats a client: the time, retries and probes that its protocol allows."""

    clock: Clock = Clock()
    """The time for each answer."""
    retries: int = 0
    """How often it is asked again after a bad answer before it is disqualified."""
    probes_per_second: int = 10
    """A client that sends more is disqualified."""
    one_probe_window: bool = False
    """Whether probes are counted over all prompts, and not for each prompt anew (S1-Q17)."""
    keepalive: Keepalive | None = None
    """None: a waiting client is not pinged."""
    native: bool = msgspec.field(default=False, name="any_script")
    """Whether the client uses no wire protocol: a web page or a house bot.

    Its name may have letters of any script, it always finds a table, and it is notified of every
    change of the players at its table.
    """


class Proof(Enum):
    """The kind of a credential."""

    TOKEN = "token"
    """A random token that the server gave to the client, such as a web page."""
    SECRET = "secret"
    """A name, and a secret that the client has chosen."""
    ADDRESS = "address"
    """A name and a network address. It only takes back the seat of a lost connection."""


class Credential(msgspec.Struct, frozen=True):
    """What proves that a client is a certain player. It only contains a hash."""

    proof: Proof
    digest: str
    """The hash of a token; or of door, name, and secret or address, under the server's key."""


@lru_cache(maxsize=1024)
def digest_token(token: str) -> str:
    """Return the hash of a token, without a key: a token is random and long."""
    return sha256(token.encode()).hexdigest()


class Role(Enum):
    """Where a client wants to sit at a table."""

    ANY = "any"
    """In a free seat, otherwise as a spectator."""
    FIRST = "first"
    SECOND = "second"
    """In this seat if it is free, otherwise as for ANY."""
    SPECTATOR = "spectator"


class ProposedTerms(msgspec.Struct, frozen=True):
    """The terms on which a player would like to play."""

    terms: dict[str, str | int | float | bool]
    """The terms of the game by name, as in records. Missing terms have their defaults."""
    seat: Seat | None = None
    """None: any seat."""


class Join(msgspec.Struct, frozen=True, tag="Join"):
    """Join the room under this name.

    A session sets the name, and the secret in plain text. The host replaces the secret by a hash
    and adds the door and the credential before it passes the request to a room.
    """

    name: str
    policy: ClientPolicy = ClientPolicy()
    secret: str = ""
    """What the client must show again to return under this name; may be empty."""
    door: str = ""
    credential: Credential | None = None
    """None for clients that cannot be recognised."""
    role: Role = Role.ANY
    alias: str = ""
    """The name for ASCII wires. The lobby sets it if the name is not ASCII."""
    table: int | None = None
    """The number of the table; None: where an opponent waits, or a free one."""
    is_private: bool = False
    """Whether to open a table whose other seat is reserved for a house bot."""
    terms: ProposedTerms | None = None
    """The terms that the client proposes, where players agree on the terms."""
    bot: str = ""
    """The specification of a house bot, as in `perfect@2`, so that it can return."""


class BeginTournament(msgspec.Struct, frozen=True, tag="BeginTournament"):
    """From a sign-up to a new tournament: the entrants, in the order of arrival."""

    entrants: tuple[tuple[int, Join], ...]
    """Each peer, and the request with which it signed up."""


class TournamentGoesOn(msgspec.Struct, frozen=True, tag="TournamentGoesOn"):
    """Restores the players of the running tournament. Only in compacted journals of a sign-up."""

    players: tuple[int, ...]


class TournamentDelayed(msgspec.Struct, frozen=True, tag="TournamentDelayed"):
    """Restores since when a tournament is delayed for players who are away.

    Only in compacted journals of a sign-up.
    """

    since: float


class TournamentOver(msgspec.Struct, frozen=True, tag="TournamentOver"):
    """From a tournament to its sign-up: it is over, so the next one may begin."""


class Play(msgspec.Struct, Generic[MoveT], frozen=True, tag="Play"):
    """Make a move."""

    move: MoveT


class Arrive(msgspec.Struct, frozen=True, tag="Arrive"):
    """The client has connected, and has sent nothing yet."""


class Answer(msgspec.Struct, frozen=True, tag="Answer"):
    """Answer a question about the terms."""

    question: str | None
    """None: the last question."""
    text: str


class Confirm(msgspec.Struct, frozen=True, tag="Confirm"):
    """Agree to the terms, or refuse them."""

    agrees: bool


class Propose(msgspec.Struct, frozen=True, tag="Propose"):
    """Propose terms, or a counter-proposal."""

    proposed: ProposedTerms


class PlannedMove(msgspec.Struct, Generic[MoveT], frozen=True, tag="Wish"):
    """A move, and the choices made in advance for the questions that it leads to.

    None among the targets declines a choice.
    """

    move: MoveT
    targets: tuple[str | None, ...] = ()


class UnreadableMove(msgspec.Struct, frozen=True, tag="NoWish"):
    """A planned move that cannot be read, for this reason."""

    reason: str


class Submit(msgspec.Struct, Generic[MoveT], frozen=True, tag="Submit"):
    """Make planned moves, one after the other, for the player in a seat."""

    seat: Seat
    planned: tuple[PlannedMove[MoveT] | UnreadableMove, ...] = msgspec.field(name="wishes")
    secret: str | None = None
    """The digest of the seat's token, where the room requires it."""
    key: str | None = None
    """An idempotency key: a request with the key of the one before is not executed again."""


class Look(msgspec.Struct, frozen=True, tag="Look"):
    """Return a snapshot of the match."""

    viewer: Seat | None = None
    """The player whose view to return; None: a spectator's."""
    secret: str | None = None
    """The digest of the seat's token."""
    after: int | None = None
    """Wait until this turn is over or the match has ended."""


class Resign(msgspec.Struct, frozen=True, tag="Resign"):
    """Resign the match."""


class BadAnswer(msgspec.Struct, frozen=True, tag="BadAnswer"):
    """The client sent an answer that cannot be read, for this reason."""

    reason: str


class AskAgain(msgspec.Struct, frozen=True, tag="AskAgain"):
    """The client has sent part of its move and must be asked for the rest."""


class Probe(msgspec.Struct, Generic[MoveT], frozen=True, tag="Probe"):
    """Ask whether a move is legal: a *check* in the PROTOCOL.md of santorini-tournament.

    None stands for something that is no move.
    """

    move: MoveT | None


class Pong(msgspec.Struct, frozen=True, tag="StillHere"):
    """Answer a ping."""


class Chat(msgspec.Struct, frozen=True, tag="Say"):
    """Send a chat message to all others at the table."""

    text: str
    is_from_server: bool = False
    """Whether a house bot sends it on behalf of the server."""
    substitute: str = ""
    """The name of the bot that plays from now on, if a house bot was replaced."""


class SpectatorChat(msgspec.Struct, frozen=True, tag="Remark"):
    """A watcher that has not joined sends a chat message to a table, under this name."""

    table: str
    name: str
    text: str
    alias: str = ""
    """As in Join, but it is not reserved."""


class Rematch(msgspec.Struct, frozen=True, tag="Rematch"):
    """Ask for a new match."""


# How a client leaves a room:
# - EndOfInput: it sends nothing more, but may still be reading.
# - Away: its connection is lost, and its seat is kept. Return may follow.
# - Lost: its connection was cut by a restart, and it cannot be recognised when it connects again.
# - Leave: it is gone, or is disconnected by the server.


class Away(msgspec.Struct, frozen=True, tag="Away"):
    """The client's connection is lost. Its seat is kept for some time, and its clock is stopped.

    Return follows if it reconnects in time; otherwise the room removes the player.
    """

    seconds: float
    """How long its seat is kept: in total per match, unless the server was restarted."""
    is_restart: bool = False
    """Whether the server was restarted; that time does not count against the player."""


class Return(msgspec.Struct, frozen=True, tag="Return"):
    """The client is connected again, and must be told the state of the room."""


class Lost(msgspec.Struct, frozen=True, tag="Lost"):
    """A restart of the server has cut the connection of a client that cannot be recognised."""


class EndOfInput(msgspec.Struct, frozen=True, tag="HangUp"):
    """The client will send nothing more, but may still be reading (X-07). Only Leave follows."""


class Leave(msgspec.Struct, frozen=True, tag="Leave"):
    """The client has disconnected, or must be disconnected."""

    fault: str | None
    """What it did wrong, which it is told; None if it has just disconnected."""


Request: TypeAlias = (
    Arrive
    | Join
    | BeginTournament
    | TournamentGoesOn
    | TournamentDelayed
    | TournamentOver
    | Answer
    | Confirm
    | Propose
    | Play[MoveT]
    | Resign
    | Submit[MoveT]
    | Look
    | BadAnswer
    | AskAgain
    | Probe[MoveT]
    | Pong
    | Chat
    | SpectatorChat
    | Rematch
    | Away
    | Return
    | Lost
    | EndOfInput
    | Leave
)

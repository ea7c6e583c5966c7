"""What a peer asks of the house: a closed union of values."""

from enum import Enum
from functools import lru_cache
from hashlib import sha256
from typing import Generic, TypeAlias

import msgspec

from gamehall.core import MoveT, Seat
from gamehall.match import Clock


class Keepalive(msgspec.Struct, frozen=True):
    """How a player who waits for a tournament is asked for signs of life."""

    seconds_between: float
    """From the last sign of life to the next asking."""
    seconds_to_answer: float


class ClientPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What a player may expect of a room that asks for moves, and what is expected of it."""

    clock: Clock = Clock()
    """How long it may take over each answer."""
    retries: int = 0
    """How often it is asked again after a bad answer, before it is sent away."""
    probes_per_second: int = 10
    """With one more within a second it is sent away."""
    one_probe_window: bool = False
    """Whether probes are counted over all prompts, and not for each prompt anew (S1-Q17)."""
    keepalive: Keepalive | None = None
    """None: it may wait in silence."""
    # Journals of earlier versions have it under this name.
    native: bool = msgspec.field(default=False, name="any_script")
    """Whether it is a client without a wire: a page, a house bot.

    Its name may have letters of any script, it always finds a table, and it is told who sits at the
    table and whenever that changes.
    """


class Proof(Enum):
    """By what a player who comes back is recognised."""

    TOKEN = "token"
    """A random token that was given to it, as to pages and our own clients."""
    SECRET = "secret"
    """A secret that it has chosen, with its name."""
    ADDRESS = "address"
    """Its name and its network address: enough only if its connection is lost."""


class Credential(msgspec.Struct, frozen=True):
    """What proves that somebody is a certain player. It holds a hash, nothing that can be used."""

    proof: Proof
    digest: str
    """Of a token; or of the door, the name and the secret or address, under the hall's key."""


@lru_cache(maxsize=1024)
def digest_token(token: str) -> str:
    """Return the hash of a token. A token is random and long, so it needs no key."""
    return sha256(token.encode()).hexdigest()


class Role(Enum):
    """How somebody wants to take part at a table."""

    ANY = "any"
    """In a seat if one is free, otherwise as a spectator."""
    FIRST = "first"
    SECOND = "second"
    """In that seat if it is free."""
    SPECTATOR = "spectator"


class ProposedTerms(msgspec.Struct, frozen=True):
    """The terms on which a player would like to play."""

    terms: dict[str, str | int | float | bool]
    """Of the game, by name, as records have them. What is missing is as usual."""
    seat: Seat | None = None
    """Where it would like to sit; None: that does not matter."""


class Join(msgspec.Struct, frozen=True, tag="Join"):
    """The peer wants to take part under this name.

    A session gives the name, and the secret in the clear. The host replaces the secret by a hash
    and adds the door and the credential before any room hears of it.
    """

    name: str
    policy: ClientPolicy = ClientPolicy()
    """How its protocol has it treated, where rooms ask their players for moves."""
    secret: str = ""
    """What it must show again to come back under this name, if anything."""
    door: str = ""
    """The door through which it came."""
    credential: Credential | None = None
    """None for those who cannot be recognised."""
    role: Role = Role.ANY
    alias: str = ""
    """The name for wires that carry only ASCII. The lobby sets it if the name is not ASCII."""
    table: int | None = None
    """The number of the table that it wants; None: where an opponent waits, or a free one."""
    is_private: bool = False
    """Whether it wants a table of its own, whose other seat is reserved for a house bot."""
    terms: ProposedTerms | None = None
    """What it would like to play, where players agree on the terms."""
    bot: str = ""
    """Of a house bot: how it is written, as in `perfect@2`, so that it can come back."""


class BeginTournament(msgspec.Struct, frozen=True, tag="BeginTournament"):
    """A sign-up tells a new tournament who plays in it, in the order of arrival."""

    entrants: tuple[tuple[int, Join], ...]
    """The peers, and how each has signed up."""


class TournamentGoesOn(msgspec.Struct, frozen=True, tag="TournamentGoesOn"):
    """A sign-up is told who plays now. This stands only in journals that were made shorter."""

    players: tuple[int, ...]


class TournamentDelayed(msgspec.Struct, frozen=True, tag="TournamentDelayed"):
    """A sign-up is told since when it waits for players who are away.

    This stands only in journals that were made shorter.
    """

    since: float


class TournamentOver(msgspec.Struct, frozen=True, tag="TournamentOver"):
    """A tournament tells its sign-up that it is over, so that the next may begin."""


class Play(msgspec.Struct, Generic[MoveT], frozen=True, tag="Play"):
    """The peer wants to make a move."""

    move: MoveT


class Arrive(msgspec.Struct, frozen=True, tag="Arrive"):
    """The peer is there, and has not said anything yet."""


class Answer(msgspec.Struct, frozen=True, tag="Answer"):
    """The peer answers a question about the terms."""

    question: str | None
    """None: whichever was asked."""
    text: str


class Confirm(msgspec.Struct, frozen=True, tag="Confirm"):
    """The peer says whether it agrees to the terms."""

    agrees: bool


class Propose(msgspec.Struct, frozen=True, tag="Propose"):
    """The peer proposes terms, or others than those that were proposed to it."""

    proposed: ProposedTerms


class PlannedMove(msgspec.Struct, Generic[MoveT], frozen=True, tag="Wish"):
    """What a player would like to do: a move, and what it has chosen already in case it is asked.

    None among the targets: to decline.
    """

    move: MoveT
    targets: tuple[str | None, ...] = ()


class UnreadableMove(msgspec.Struct, frozen=True, tag="NoWish"):
    """What would be a wish, and cannot be one, for this reason."""

    reason: str


class Submit(msgspec.Struct, Generic[MoveT], frozen=True, tag="Submit"):
    """The peer wants these, one after the other, in the name of whoever sits in that seat."""

    seat: Seat
    wishes: tuple[PlannedMove[MoveT] | UnreadableMove, ...]
    secret: str | None = None
    """The digest of the token that proves that it may, where the room wants that."""
    key: str | None = None
    """Its own number for this; whoever sends the same twice means it once."""


class Look(msgspec.Struct, frozen=True, tag="Look"):
    """The peer wants to see how the match stands."""

    viewer: Seat | None = None
    """With whose eyes."""
    secret: str | None = None
    """The digest of its token."""
    after: int | None = None
    """Not before this turn is over, or something else has come to an end."""


class Resign(msgspec.Struct, frozen=True, tag="Resign"):
    """The peer gives up the match."""


class BadAnswer(msgspec.Struct, frozen=True, tag="BadAnswer"):
    """The peer said something that cannot be taken for anything, for this reason."""

    reason: str


class AskAgain(msgspec.Struct, frozen=True, tag="AskAgain"):
    """The peer has said part of its move and is to be asked for the rest."""


class Probe(msgspec.Struct, Generic[MoveT], frozen=True, tag="Probe"):
    """The peer wants to know whether it might play this; None if that is no move at all."""

    move: MoveT | None


class Pong(msgspec.Struct, frozen=True, tag="StillHere"):
    """The peer gives a sign of life, and nothing else that matters."""


class Chat(msgspec.Struct, frozen=True, tag="Say"):
    """The peer says something to everybody at its table."""

    text: str


class SpectatorChat(msgspec.Struct, frozen=True, tag="Remark"):
    """The peer, who only looks on, says something under this name to everybody at that table."""

    table: str
    name: str
    text: str
    alias: str = ""
    """As in Join; but nobody else is kept from using it."""


class Rematch(msgspec.Struct, frozen=True, tag="Rematch"):
    """The peer wants a fresh board."""


class Away(msgspec.Struct, frozen=True, tag="Away"):
    """The peer's connection is lost. Its seat is kept for some time, and its clock stands.

    Return follows if it comes back in time; otherwise the room takes it for gone.
    """

    seconds: float
    """How long its seat is kept: in all in one match, unless that is the hall's own doing."""
    is_restart: bool = False
    """Whether the hall was restarted; that is not the player's time."""


class Return(msgspec.Struct, frozen=True, tag="Return"):
    """The peer is connected again, and needs to hear how things stand."""


class Lost(msgspec.Struct, frozen=True, tag="Lost"):
    """The peer's connection was lost by a restart of the hall, and nobody can come back for it."""


class EndOfInput(msgspec.Struct, frozen=True, tag="HangUp"):
    """The peer will say nothing more, though it may still be listening (X-07).

    Nothing but Leave follows.
    """


class Leave(msgspec.Struct, frozen=True, tag="Leave"):
    """The peer is gone, or must go because of a fault, and then is told so.

    `fault` says what it did wrong, None if it is just gone.
    """

    fault: str | None


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

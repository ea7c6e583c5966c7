"""What pages and other programs are told: the values of the API, as JSON has them.

Seats are 1 and 2, for the one who moves first and the other.
"""

from enum import Enum
from typing import Any

import msgspec

EXAMPLE_BOT = """from gamehall.bots import Bot

class MyBot(Bot):
    def choose(self, position, seat, seconds_left):
        return next(position.legal_moves())

# gamehall bot {address} --bot my_bot.py:MyBot"""


class DoorLine(msgspec.Struct, frozen=True):
    """A door, and how to come through it from code."""

    name: str
    title: str
    """What it speaks."""
    address: str
    """As `gamehall bot` and `gamehall play` take it, as in tttp://127.0.0.1:7003."""
    example: str
    """Some lines that can be copied and run."""


class TableLine(msgspec.Struct, frozen=True):
    """A table in a list."""

    name: str
    match: str | None
    """The name of the match, by which its record is found when it is over."""
    players: tuple[str | None, str | None]
    moves: int
    """How many were played."""
    to_move: int | None
    result: str | None
    """How the match ended, in words, None while it goes on."""
    winner: int | None
    spectators: int
    is_open: bool
    """Whether somebody may still sit down."""
    version: int
    """Another one whenever something has changed."""


class PlayedMove(msgspec.Struct, frozen=True):
    """A move of a match."""

    seat: int
    move: str
    """In the notation of the game."""
    targets: tuple[str, ...]
    """What it points at in the picture."""


class SaidLine(msgspec.Struct, frozen=True):
    """Something that was said at a table."""

    number: int
    """Later ones have higher ones, while the hall runs."""
    name: str
    text: str


class TableState(msgspec.Struct, frozen=True):
    """A table as somebody who looks on sees it."""

    room: str
    table: TableLine
    title: str
    """The game's."""
    picture: str | None
    """SVG; None before there is anything to see."""
    history: tuple[PlayedMove, ...]
    seconds_left: float | None
    """For the turn, None if nobody's time runs."""
    talk: tuple[SaidLine, ...] = ()
    """What was said last, the newest at the end."""
    may_say: bool = False
    """Whether those who look on may say something, too."""


class Standing(msgspec.Struct, frozen=True):
    """How much somebody has won and lost in a tournament."""

    name: str
    won: int
    lost: int


class TournamentLine(msgspec.Struct, frozen=True):
    """How a tournament stands, or what the last one came to."""

    is_over: bool
    standings: tuple[Standing, ...]
    """The best first."""
    wins: tuple[tuple[str, str, int], ...]
    """Who has won against whom, and how often."""
    cheaters: dict[str, str]
    """Who was sent away, and why."""
    encounters: int
    encounters_done: int


class TermField(msgspec.Struct, frozen=True):
    """A term of the game that a player may choose before a match."""

    name: str
    title: str
    options: tuple[tuple[str | int | float, str], ...]
    """Values, and how people read them; the usual one first."""


class TermsOffer(msgspec.Struct, frozen=True):
    """A player who waits at a table for an opponent on certain terms."""

    table: int
    name: str
    """Empty for a player who has none."""
    terms: str
    """In words."""
    values: dict[str, str | int | float]
    """The terms by name, to sit down on just these."""
    seat: int | None
    """Which seat is left; None: either."""
    may_counter: bool
    """Whether other terms may be proposed at that table."""


class RoomLine(msgspec.Struct, frozen=True):
    """A room: who waits, who plays, how to come in."""

    name: str
    game: str
    title: str
    """The game's."""
    kind: str
    """`open tables`, `tournament`, `agreed tables` or `polled table`."""
    doors: tuple[DoorLine, ...]
    waiting: tuple[str, ...]
    tables: tuple[TableLine, ...]
    tournament: TournamentLine | None
    bots: tuple[str, ...]
    """The bots that can be asked to play there."""
    version: int
    seconds_per_turn: float | None = None
    """How long a turn may take at the room's own door, None if there is no limit."""
    terms: tuple[TermField, ...] = ()
    """What a player may choose before a match; empty where the terms are fixed."""
    seat_titles: tuple[str, str] = ("First player", "Second player")
    table_count: int = 0
    """How many tables there are; `tables` may have fewer, if fewer were asked for."""
    playing_count: int = 0
    """At how many of them two players are in a match."""
    watching_count: int = 0
    """How many spectators are at all tables together."""
    offers: tuple[TermsOffer, ...] = ()
    """Where players agree on the terms: who waits, and what it would like to play."""


class LegalMove(msgspec.Struct, frozen=True):
    """A legal move, and what is pointed at to make it, one thing after the other."""

    move: str
    targets: tuple[str, ...]


class SeatQuestion(msgspec.Struct, frozen=True):
    """What a player is asked before the match."""

    prompt: str
    usual: str
    """What most people say."""


class Proposal(msgspec.Struct, frozen=True):
    """Terms that a player is asked to agree to."""

    terms: dict[str, str]
    """In words, by name."""
    seat: int
    """Which seat the player would have."""
    values: dict[str, str | int | float]
    """Those terms that can be chosen, by name."""
    may_counter: bool
    """Whether the player may propose others."""


class Message(msgspec.Struct, frozen=True):
    """Something a player is told."""

    number: int
    text: str
    is_bad: bool = False
    """Whether something went wrong."""
    name: str = ""
    """Who said it, empty if the hall tells it."""
    match: str = ""
    """By what name the record of the match is found whose end it tells; empty otherwise."""


class SeatStage(Enum):
    """How far a player at a page is."""

    WAITING = "waiting"
    """For an opponent, or for the tournament to begin."""
    AGREEING = "agreeing"
    """It is asked something: about the terms, or for another name."""
    PLAYING = "playing"
    OVER = "over"
    """The match has a result; another may follow."""
    GONE = "gone"
    """Nothing more will come."""


class SeatState(msgspec.Struct, frozen=True, kw_only=True):
    """A seat of a browser: what its player sees, and what it may do."""

    id: str
    room: str
    game: str
    title: str
    name: str
    seat: int | None
    """None if it is not known yet, or for somebody who only watches."""
    players: tuple[str, str]
    """The first and the second at the table, "" where nobody sits."""
    has_opponent: bool
    """Whether somebody sits in the other seat."""
    picture: str | None
    choices: tuple[LegalMove, ...]
    """What can be played now; empty if it is not this player's turn."""
    is_to_move: bool
    last_move: PlayedMove | None
    question: SeatQuestion | None
    messages: tuple[Message, ...]
    """The last ones, the newest last."""
    verdict: str
    """How the match ended, in words, empty while it goes on."""
    is_playing: bool
    is_gone: bool
    """Whether the visit is over: nothing more will come."""
    may_say: bool
    may_rematch: bool
    may_resign: bool
    seconds_left: float | None
    version: int
    match: str | None = None
    """By what name the record of the match is found, None before it is over."""
    last_verdict: str = ""
    """How the match before ended, in words, while the next one is waited for or played; empty if
    there was none, and after the player has asked for the next one."""
    last_match: str | None = None
    """By what name the record of that match is found."""
    table: int | None = None
    """The number of the table; None if that is not known yet, and in tournaments."""
    status: str = ""
    """What else the player should know: who is away, who wants to play again; mostly empty."""
    opponent_is_bot: bool = False
    """Whether the opponent is a bot of the house."""
    proposal: Proposal | None = None
    """The terms that the player is asked to agree to."""
    task: str = ""
    """What the player to move is to do, if it is not an ordinary turn."""
    wanted: str = ""
    """On which terms the player waits for an opponent, in words; empty if it has chosen none."""
    stage: str
    """How far the player is: `waiting`, `agreeing`, `playing`, `over` or `gone`."""
    place: int = 0
    """Which of the browser's seats under this name in this room, from 0: to come back to it."""
    joined_as: str = ""
    """The name under which the player has sat down, with which it comes back."""


class SeatLine(msgspec.Struct, frozen=True):
    """A seat of a browser, in a list."""

    id: str
    room: str
    title: str
    name: str
    table: int | None = None
    """None before the table is known, and in tournaments."""
    opponent: str = ""
    """Empty if there is no opponent."""
    stage: str = ""
    """As in `SeatState`."""
    is_to_move: bool = False


class RecordLine(msgspec.Struct, frozen=True):
    """A finished match in a list."""

    number: int
    match: str
    game: str
    title: str
    players: tuple[str | None, str | None]
    winner: int | None
    result: str
    moves: int
    room: str
    ended: str | None


class RecordState(msgspec.Struct, frozen=True):
    """A finished match."""

    line: RecordLine
    terms: dict[str, Any]
    history: tuple[PlayedMove, ...]
    forms: tuple[str, ...]
    """As what it can be downloaded."""


class BotLine(msgspec.Struct, frozen=True):
    """A bot that comes with the hall."""

    name: str
    game: str | None
    """None if it plays any."""
    summary: str
    seconds_per_move: float | None


class ArenaLine(msgspec.Struct, frozen=True):
    """A run of an arena in a list."""

    name: str
    game: str
    bots: tuple[str, ...]
    began: str
    is_over: bool


class Problem(msgspec.Struct, frozen=True):
    """Why something cannot be had, or done."""

    error: str


def example_for(address: str) -> str:
    """Return a minimal bot, and the command that lets it play at this address."""
    return EXAMPLE_BOT.format(address=address)

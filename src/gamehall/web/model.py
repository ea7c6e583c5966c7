"""The values of the HTTP API, which are also what templates render.

Seats are numbers: 1 moves first, 2 second.
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
    """A door, and how to connect to it from code."""

    name: str
    title: str
    """The name of its protocol."""
    address: str
    """As `gamehall bot` and `gamehall play` expect it, such as tttp://127.0.0.1:7003."""
    example: str
    """A minimal bot, and the command that connects it."""


class TableLine(msgspec.Struct, frozen=True):
    """A table in a list."""

    name: str
    match: str | None
    """The name of the match, by which its record is found after the end."""
    players: tuple[str | None, str | None]
    moves: int
    """The number of moves played."""
    to_move: int | None
    result: str | None
    """How the match ended, in words; None before that."""
    winner: int | None
    spectators: int
    is_open: bool
    """Whether there is a free seat."""
    version: int
    """Changes with every change of the table."""


class PlayedMove(msgspec.Struct, frozen=True):
    """A move of a match."""

    seat: int
    move: str
    """In the notation of the game."""
    targets: tuple[str, ...]
    """The elements of the picture to mark, by name."""


class SaidLine(msgspec.Struct, frozen=True):
    """A chat message at a table."""

    number: int
    """Increases with each message, until the server restarts."""
    name: str
    text: str


class TableState(msgspec.Struct, frozen=True):
    """A table as spectators see it."""

    room: str
    table: TableLine
    title: str
    """The game's."""
    picture: str | None
    """SVG; None before there is a board."""
    history: tuple[PlayedMove, ...]
    seconds_left: float | None
    """For the turn; None if there is no time limit, or the clock is stopped."""
    talk: tuple[SaidLine, ...] = ()
    """The last chat messages, the newest at the end."""
    may_say: bool = False
    """Whether spectators may chat."""


class Standing(msgspec.Struct, frozen=True):
    """The wins and losses of a player in a tournament."""

    name: str
    won: int
    lost: int


class TournamentLine(msgspec.Struct, frozen=True):
    """The current tournament of a room, or its last one."""

    is_over: bool
    standings: tuple[Standing, ...]
    """The best first."""
    wins: tuple[tuple[str, str, int], ...]
    """Winner, loser, and how often."""
    cheaters: dict[str, str]
    """The disqualified players, each with the reason."""
    encounters: int
    encounters_done: int


class TermField(msgspec.Struct, frozen=True):
    """A term of the game that a player may choose before a match."""

    name: str
    title: str
    options: tuple[tuple[str | int | float, str], ...]
    """Values with their words; the default first."""


class TermsOffer(msgspec.Struct, frozen=True):
    """The terms on which a player waits for an opponent at a table."""

    table: int
    name: str
    """Empty for a player without a name."""
    terms: str
    """In words."""
    values: dict[str, str | int | float]
    """The terms by name, as `SitDown` takes them."""
    seat: int | None
    """The free seat; None: either."""
    may_counter: bool
    """Whether an opponent may propose other terms."""


class RoomLine(msgspec.Struct, frozen=True):
    """A room: its tables, the players who wait, and how to join."""

    name: str
    game: str
    title: str
    """The game's."""
    kind: str
    """`open tables`, `tournament`, `agreed tables` or `polled table`."""
    doors: tuple[DoorLine, ...]
    waiting: tuple[str, ...]
    """The players who wait for an opponent, or have signed up."""
    tables: tuple[TableLine, ...]
    tournament: TournamentLine | None
    bots: tuple[str, ...]
    """The bots that can be called to the room."""
    version: int
    seconds_per_turn: float | None = None
    """The time limit for a turn at the room's own door; None: no limit."""
    terms: tuple[TermField, ...] = ()
    """The terms that players choose before a match; empty where they are fixed."""
    seat_titles: tuple[str, str] = ("First player", "Second player")
    table_count: int = 0
    """The number of tables; `tables` has fewer if fewer were requested."""
    playing_count: int = 0
    """The number of tables with a match in progress."""
    watching_count: int = 0
    """The number of spectators at all tables."""
    players_wanted: int = 0
    """How many players must sign up for a tournament to begin; 0 in other rooms."""
    offers: tuple[TermsOffer, ...] = ()
    """The offers of waiting players, in rooms where players agree on the terms."""


class LegalMove(msgspec.Struct, frozen=True):
    """A legal move, and the targets to click for it, in this order."""

    move: str
    targets: tuple[str, ...]


class SeatQuestion(msgspec.Struct, frozen=True):
    """A question to a player before the match."""

    prompt: str
    usual: str
    """The default answer."""


class Proposal(msgspec.Struct, frozen=True):
    """Terms that a player is asked to agree to."""

    terms: dict[str, str]
    """In words, by name."""
    seat: int
    """The seat of the player on these terms."""
    values: dict[str, str | int | float]
    """The terms that can be chosen, by name."""
    may_counter: bool
    """Whether the player may make a counter-proposal."""


class Message(msgspec.Struct, frozen=True):
    """A message to a player."""

    number: int
    text: str
    is_bad: bool = False
    """Whether it is an error."""
    name: str = ""
    """The author of a chat message; empty for messages of the server."""
    match: str = ""
    """The name of the match whose end the message is about; empty otherwise."""


class SeatStage(Enum):
    """The stage of a player at a page."""

    WAITING = "waiting"
    """For an opponent, or for the tournament to begin."""
    AGREEING = "agreeing"
    """The player must answer a question: about the terms, or for another name."""
    PLAYING = "playing"
    OVER = "over"
    """The match has a result; another may follow."""
    GONE = "gone"
    """The seat was left, or has expired."""


class SeatState(msgspec.Struct, frozen=True, kw_only=True):
    """The seat of a browser: what its player sees and may do."""

    id: str
    room: str
    game: str
    title: str
    name: str
    seat: int | None
    """None before it is known, and for spectators."""
    players: tuple[str, str]
    """The names of the first and the second player, "" for a free seat. After the end of a match
    the name of a player who has left stays."""
    left: int | None = None
    """The seat of the player who has left after the end of the match."""
    has_opponent: bool
    picture: str | None
    choices: tuple[LegalMove, ...]
    """The legal moves; empty if it is not this player's turn."""
    is_to_move: bool
    last_move: PlayedMove | None
    question: SeatQuestion | None
    messages: tuple[Message, ...]
    """The last messages, the newest at the end."""
    verdict: str
    """How the match ended, in words; empty before that."""
    is_playing: bool
    is_gone: bool
    """Whether the seat was left, or has expired."""
    may_say: bool
    may_rematch: bool
    may_resign: bool
    seconds_left: float | None
    """For the turn."""
    seconds_to_return: float | None = None
    """How long the seat of a disconnected opponent is kept; None if the opponent is connected."""
    headline: str = ""
    """Why the seat has ended, in words: the result of the tournament, or that the opponent left
    before a match began. Mostly empty."""
    standings: tuple[Standing, ...] = ()
    """The standings of the tournament, the best first, once it is over."""
    version: int
    match: str | None = None
    """The name of the match, by which its record is found; None before the end."""
    last_verdict: str = ""
    """How the previous match ended, in words; empty if there was none, and after the player has
    asked for a rematch."""
    last_match: str | None = None
    """The name of the previous match, by which its record is found."""
    table: int | None = None
    """The number of the table; None before it is known, and in tournaments."""
    status: str = ""
    """A sentence about what happens next, such as a request for a rematch; mostly empty."""
    called_bot: str = ""
    """The bot that is getting ready to join the table; empty if none is."""
    opponent_is_bot: bool = False
    """Whether the opponent is a bot of the server."""
    proposal: Proposal | None = None
    """The terms that the player is asked to agree to."""
    task: str = ""
    """What the player to move has to do, if it is not an ordinary turn."""
    wanted: str = ""
    """The terms on which the player waits, in words; empty if the player has chosen none."""
    stage: str
    """`waiting`, `agreeing`, `playing`, `over` or `gone`."""
    place: int = 0
    """The number of the seat among the browser's seats under this name in this room, from 0.
    A request with it returns to the seat."""
    joined_as: str = ""
    """The name with which the player took the seat, and with which it returns."""


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
    """The formats in which it can be downloaded."""


class BotLine(msgspec.Struct, frozen=True):
    """An installed bot."""

    name: str
    game: str | None
    """None for a bot that plays every game."""
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
    """Why a request failed."""

    error: str


def example_for(address: str) -> str:
    """Return a minimal bot, and the command that connects it to this address."""
    return EXAMPLE_BOT.format(address=address)

"""Any engine that speaks GTP, the Go Text Protocol, as a bot.

The engine itself is somebody else's program; whoever runs it says how it is asked.
"""

from collections.abc import Callable
from typing import TypeAlias, cast

from gamehall.bots.bot import Bot, BotError, BotResignedError
from gamehall.core import GamehallError, IllegalMove, Position, Seat
from gamehall.games.go import GoPosition, Move, Pass, Stone
from gamehall.games.go.notation import read, write
from gamehall.wire.framing import ProtocolError

COLOURS = {Seat.FIRST: "black", Seat.SECOND: "white"}


Ask: TypeAlias = Callable[[str], str]
"""Sends a command, and gives what the engine answered to it.

Raises EngineRefusedError or BotError.
"""


class EngineRefusedError(GamehallError):
    """The engine answered a command with `?` and this text."""


def read_response(text: str) -> str:
    """Return an engine's answer without the sign in front.

    Raises EngineRefusedError if the engine refuses the command, ProtocolError if this is not GTP.
    """
    sign, rest = text[:1], text[1:].strip()
    if sign == "=":
        return rest
    if sign == "?":
        raise EngineRefusedError(rest)
    raise ProtocolError(f"the engine does not speak GTP: it said {text[:80]!r}")


class GtpBot(Bot[Move]):
    """Plays what an engine plays.

    The engine is told of the moves one by one. If it knows another position than the one it is
    asked about, as at the beginning of a match, the stones are set up anew.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._at: GoPosition | None = None
        """What the engine has on its board."""
        self._to_place: list[Move] = []
        """Handicap stones that the engine has placed, and we have not."""

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        asked = cast("GoPosition", position)
        try:
            if self._to_place and asked.is_handicap_phase:
                return self._to_place.pop(0)
            self._to_place.clear()
            self._follow(asked)
            if asked.is_handicap_phase and self._place_handicap(asked):
                return self._to_place.pop(0)
            self._tell_time(seat, seconds_left)
            return self._generate(asked, seat)
        except EngineRefusedError as refusal:
            raise BotError(f"the engine refuses: {refusal}") from None

    def _generate(self, position: GoPosition, seat: Seat) -> Move:
        answer = self._ask(f"genmove {COLOURS[seat]}")
        if answer.lower() == "resign":
            raise BotResignedError
        try:
            move = read(answer, position.terms.size)
        except ValueError as error:
            raise BotError(f"the engine's move makes no sense: {error}") from None
        try:
            self._at = position.after(move)
        except IllegalMove:
            # Whoever asked finds out by itself, and the engine now knows another position.
            self._at = None
        return move

    def _follow(self, position: GoPosition) -> None:
        """Tell the engine the position, by one move if that is all it lacks."""
        at = self._at
        if at is None or at.terms != position.terms:
            self._set_up(position)
        elif not _are_same(at, position):
            move: Move = Pass() if position.last is None else Stone(position.last)
            if at.to_move is not None and at.allows(move) and _are_same(at.after(move), position):
                self._ask(f"play {COLOURS[at.to_move]} {write(move, at.terms.size)}")
            else:
                self._set_up(position)
        self._at = position

    def _set_up(self, position: GoPosition) -> None:
        size = position.terms.size
        self._ask(f"boardsize {size}")
        self._ask("clear_board")
        self._ask(f"komi {position.terms.komi:g}")
        # Each chain that is on the board has a liberty, so none is captured on the way.
        for point, owner in position.stones.items():
            self._ask(f"play {COLOURS[owner]} {write(Stone(point), size)}")

    def _place_handicap(self, position: GoPosition) -> bool:
        """Return True if the engine has placed all handicap stones at once, as it likes them."""
        if position.stones or position.handicap_left < 2:
            return False
        try:
            answer = self._ask(f"place_free_handicap {position.handicap_left}")
        except EngineRefusedError:
            # Not every engine can; it may place them one by one.
            return False
        try:
            stones = [read(text, position.terms.size) for text in answer.split()]
        except ValueError as error:
            raise BotError(f"the engine's handicap stones make no sense: {error}") from None
        self._to_place = stones[: position.handicap_left]
        if len(stones) < position.handicap_left:
            self._to_place.append(Pass())
        try:
            for move in self._to_place:
                position = position.after(move)
        except IllegalMove:
            self._at = None
        else:
            self._at = position
        return bool(self._to_place)

    def _tell_time(self, seat: Seat, seconds_left: float | None) -> None:
        """Engines that care for the time hear how much there is for this one move."""
        if seconds_left is not None and self._ask("known_command time_left") == "true":
            self._ask(f"time_left {COLOURS[seat]} {int(seconds_left)} 1")


def _are_same(one: GoPosition, other: GoPosition) -> bool:
    """Return True if the same stones are on the board, and the same player is to move."""
    return one.goban.key == other.goban.key and one.to_move is other.to_move

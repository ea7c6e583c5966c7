"""A bot that plays the moves of an engine over GTP, the Go Text Protocol.

Running the engine's program is the part of the caller (see `gamehall.engines.gtp_program`).
"""

from collections.abc import Callable
from typing import TypeAlias, cast

from gamehall.bots.bot import Bot, BotError, BotResignedError
from gamehall.core import GamehallError, IllegalMove, Position, Seat
from gamehall.games.go import GoPosition, Move, Pass, Stone
from gamehall.games.go.notation import STONE_NAMES, read, write
from gamehall.wire.framing import ProtocolError

Ask: TypeAlias = Callable[[str], str]
"""Sends a command and returns the response. Raises EngineRefusedError or BotError."""


class EngineRefusedError(GamehallError):
    """The engine responded to a command with `?` and this message."""


def read_response(text: str) -> str:
    """Return a response without its leading `=`.

    Raises EngineRefusedError if the engine refuses the command, ProtocolError if this is not GTP.
    """
    sign, rest = text[:1], text[1:].strip()
    if sign == "=":
        return rest
    if sign == "?":
        raise EngineRefusedError(rest)
    raise ProtocolError(f"the engine does not speak GTP: it said {text[:80]!r}")


class GtpBot(Bot[Move]):
    """Plays the moves of an engine.

    During a match, the engine is sent the moves one by one. If the position on its board
    is not the expected one, as at the beginning of a match, all stones are set up again.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._engine_position: GoPosition | None = None
        """The position on the engine's board, None if unknown."""
        self._handicap_moves: list[Move] = []
        """The moves of the handicap that the engine has placed, and this bot has not yet made."""

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        position = cast("GoPosition", position)
        try:
            if self._handicap_moves and position.is_handicap_phase:
                return self._handicap_moves.pop(0)
            self._handicap_moves.clear()
            self._synchronize(position)
            if position.is_handicap_phase and self._place_handicap(position):
                return self._handicap_moves.pop(0)
            self._send_time_left(seat, seconds_left)
            return self._generate(position, seat)
        except EngineRefusedError as refusal:
            raise BotError(f"the engine refuses: {refusal}") from None

    def _generate(self, position: GoPosition, seat: Seat) -> Move:
        answer = self._ask(f"genmove {STONE_NAMES[seat]}")
        if answer.lower() == "resign":
            raise BotResignedError
        try:
            move = read(answer, position.terms.size)
        except ValueError as error:
            raise BotError(f"the engine's move makes no sense: {error}") from None
        try:
            self._engine_position = position.after(move)
        except IllegalMove:
            # The caller rejects the move; the engine has made it on its board.
            self._engine_position = None
        return move

    def _synchronize(self, position: GoPosition) -> None:
        """Bring the engine to this position: by one move if that is enough."""
        known = self._engine_position
        if known is None or known.terms != position.terms:
            self._set_up(position)
        elif not _is_same(known, position):
            move: Move = Pass() if position.last is None else Stone(position.last)
            if (
                known.to_move is not None
                and known.allows(move)
                and _is_same(known.after(move), position)
            ):
                self._ask(f"play {STONE_NAMES[known.to_move]} {write(move, known.terms.size)}")
            else:
                self._set_up(position)
        self._engine_position = position

    def _set_up(self, position: GoPosition) -> None:
        size = position.terms.size
        self._ask(f"boardsize {size}")
        self._ask("clear_board")
        self._ask(f"komi {position.terms.komi:g}")
        # Every chain on the board has a liberty, so no stone is captured, in whatever order.
        for point, owner in position.stones.items():
            self._ask(f"play {STONE_NAMES[owner]} {write(Stone(point), size)}")

    def _place_handicap(self, position: GoPosition) -> bool:
        """Let the engine choose all handicap stones at once. Return False if it cannot."""
        if position.stones or position.handicap_left < 2:
            return False
        try:
            answer = self._ask(f"place_free_handicap {position.handicap_left}")
        except EngineRefusedError:
            # The command is optional: the stones are then asked for one by one.
            return False
        try:
            stones = [read(text, position.terms.size) for text in answer.split()]
        except ValueError as error:
            raise BotError(f"the engine's handicap stones make no sense: {error}") from None
        self._handicap_moves = stones[: position.handicap_left]
        if len(stones) < position.handicap_left:
            self._handicap_moves.append(Pass())
        try:
            for move in self._handicap_moves:
                position = position.after(move)
        except IllegalMove:
            self._engine_position = None
        else:
            self._engine_position = position
        return bool(self._handicap_moves)

    def _send_time_left(self, seat: Seat, seconds_left: float | None) -> None:
        """Send the time for this move, if the engine supports that."""
        if seconds_left is not None and self._ask("known_command time_left") == "true":
            self._ask(f"time_left {STONE_NAMES[seat]} {int(seconds_left)} 1")


def _is_same(one: GoPosition, other: GoPosition) -> bool:
    """Return True if the stones and the player to move are the same."""
    return one.goban.key == other.goban.key and one.to_move is other.to_move

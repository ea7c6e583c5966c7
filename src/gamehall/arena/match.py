"""Play one match of two bots under limits. A bot that fails loses."""

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gamehall.arena.openings import Opening
from gamehall.bots import Bot, BotError, BotResignedError
from gamehall.core import Game, GamehallError, IllegalMove, Position, Seat
from gamehall.engines.guarded import (
    GRACE_SECONDS,
    LETTERS_OF_MOVE,
    BotTimeoutError,
    Limits,
    NoMoveError,
)
from gamehall.match import Ending, Result
from gamehall.match.events import too_long


class MatchNotPlayedError(GamehallError):
    """A match could not be played, and no bot is to blame."""


SetDeadline = Callable[[float], None]
"""Called before each move with the time by which the bot should have moved, 0 for no limit."""


class Blame(NamedTuple):
    """The bot that ended a match by its own fault, and how."""

    seat: Seat
    ending: Ending
    reason: str
    """The first line is a summary; others may have a traceback."""


@dataclass(slots=True)
class PlayedGame:
    """A finished match."""

    position: Position[Any]
    moves: list[tuple[Seat, Any]]
    result: Result
    blame: Blame | None = None
    seconds: tuple[float, float] = (0.0, 0.0)
    """The thinking time of the two bots, in total."""


def play_match(
    game: Game[Any],
    opening: Opening,
    bots: Sequence[Bot[Any]],
    limits: Limits,
    clock: Callable[[], float],
    set_deadline: SetDeadline,
) -> PlayedGame:
    """Play a match to its end. The first of the bots moves first.

    There is no `Referee`, which would take as long as the moves of simple bots: nobody can move
    out of turn here.

    Raises:
        MatchNotPlayedError: the opening is illegal, or the game failed to judge a move.
    """
    position, moves = _begin(game, opening)
    spent = {Seat.FIRST: 0.0, Seat.SECOND: 0.0}
    choosing = {Seat.FIRST: bots[0].choose, Seat.SECOND: bots[1].choose}
    left, per_game = limits.seconds_per_move, limits.seconds_per_game
    verdict: Result | Blame | None = None
    while (seat := position.to_move) is not None:
        if len(moves) >= limits.moves:
            verdict = too_long(limits.moves)
            break
        if per_game is not None:
            left = _seconds_left(limits, per_game - spent[seat])
        began = clock()
        set_deadline(began + left + GRACE_SECONDS if left is not None else 0.0)
        try:
            move = choosing[seat](position.seen_by(seat), seat, left)
        except Exception as error:
            verdict = _blame_error(error, seat)
            break
        seconds = clock() - began
        spent[seat] += seconds
        if left is not None and seconds > left + GRACE_SECONDS:
            reason = f"took {seconds:.2f} s, and had {left:.2f} s left"
            verdict = Blame(seat, Ending.OUT_OF_TIME, reason)
            break
        try:
            position = position.after(move)
        except IllegalMove as refusal:
            reason = f"{_write_move(game, move)} is illegal: {refusal}"
            verdict = Blame(seat, Ending.ILLEGAL_MOVE, reason)
            break
        except Exception as error:
            verdict = _blame_non_move(error, move, seat, position)
            break
        moves.append((seat, move))
    seconds_of_both = spent[Seat.FIRST], spent[Seat.SECOND]
    return _finish(position, moves, verdict, seconds_of_both)


def forfeit(game: Game[Any], opening: Opening, seat: Seat, fault: BotError) -> PlayedGame:
    """Return the match that `seat` loses because its bot did not start."""
    return _finish(*_begin(game, opening), _blame_error(fault, seat), (0.0, 0.0))


def _begin(game: Game[Any], opening: Opening) -> tuple[Position[Any], list[tuple[Seat, Any]]]:
    """Return the position after the opening, and its moves. Raises MatchNotPlayedError."""
    position = game.start(opening.seed)
    moves: list[tuple[Seat, Any]] = []
    for move in opening.moves:
        assert position.to_move is not None
        moves.append((position.to_move, move))
        try:
            position = position.after(move)
        except IllegalMove as refusal:
            raise MatchNotPlayedError(f"the opening is illegal: {refusal}") from None
    return position, moves


def _finish(
    position: Position[Any],
    moves: list[tuple[Seat, Any]],
    verdict: Result | Blame | None,
    seconds: tuple[float, float],
) -> PlayedGame:
    """Return the finished match; without a verdict it was played out by the rules."""
    blame = None
    match verdict:
        case None:
            assert position.outcome is not None
            result = Result(position.outcome.winner, Ending.PLAYED_OUT, position.outcome.reason)
        case Result():
            result = verdict
        case Blame(seat, ending, reason):
            result = Result(seat.other, ending, reason.partition("\n")[0])
            # To resign is not a fault.
            blame = None if ending is Ending.RESIGNED else verdict
    return PlayedGame(position=position, moves=moves, result=result, blame=blame, seconds=seconds)


def _seconds_left(limits: Limits, left_of_game: float) -> float:
    """Return the limit of the next move where there is a limit for all moves together."""
    left = max(left_of_game, 0.0)
    return left if limits.seconds_per_move is None else min(left, limits.seconds_per_move)


def _blame_error(error: Exception, seat: Seat) -> Blame:
    """Return the blame for an exception of a bot."""
    match error:
        case BotResignedError():
            return Blame(seat, Ending.RESIGNED, "resigned")
        case NoMoveError():
            return Blame(seat, Ending.ILLEGAL_MOVE, f"{error} is not a move of this game")
        case BotTimeoutError():
            return Blame(seat, Ending.OUT_OF_TIME, str(error))
        case BotError():
            return Blame(seat, Ending.CRASHED, str(error))
        case _:
            trace = "".join(traceback.format_exception(error))
            reason = f"raised {type(error).__name__}: {error}\n{trace}"
            return Blame(seat, Ending.CRASHED, reason)


def _blame_non_move(error: Exception, move: object, seat: Seat, position: Position[Any]) -> Blame:
    """Return the blame for an object that is not a move.

    Raises MatchNotPlayedError if it has the type of a move: then the game has failed, not the bot.
    """
    if any(type(move) is type(legal) for legal in position.legal_moves()):
        raise MatchNotPlayedError(
            f"the game failed at the move {move!r:.200}: {error!r:.200}"
        ) from error
    return _blame_error(NoMoveError(f"{move!r:.{LETTERS_OF_MOVE}}"), seat)


def _write_move(game: Game[Any], move: object) -> str:
    try:
        return game.write_move(move)
    except Exception:
        # It has the type of a move, but impossible values.
        return f"{move!r:.{LETTERS_OF_MOVE}}"

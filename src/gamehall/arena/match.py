"""One match of two bots, under limits, with the blame if a bot fails."""

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


class MatchNotPlayedError(GamehallError):
    """A match could not be played, and no bot is to blame."""


Watch = Callable[[float], None]
"""Called before a bot is asked, with the time by which it should have answered."""


class Blame(NamedTuple):
    """Which bot ended a match other than by the rules, and how; the first line is a summary."""

    seat: Seat
    ending: Ending
    words: str


@dataclass(slots=True)
class PlayedGame:
    """A match that is over, in `position`."""

    position: Position[Any]
    moves: list[tuple[Seat, Any]]
    result: Result
    blame: Blame | None = None
    seconds: tuple[float, float] = (0.0, 0.0)
    """How long each of the two has thought."""


def play_match(
    game: Game[Any],
    opening: Opening,
    bots: Sequence[Bot[Any]],
    limits: Limits,
    clock: Callable[[], float],
    watch: Watch,
) -> PlayedGame:
    """Play a match to its end. `bots`: the first to move comes first. Raises MatchNotPlayedError.

    There is no referee, which would cost as much as many a game: no bot moves out of turn here.
    """
    position, moves = _begin(game, opening)
    spent = {Seat.FIRST: 0.0, Seat.SECOND: 0.0}
    choosing = {Seat.FIRST: bots[0].choose, Seat.SECOND: bots[1].choose}
    left, per_game = limits.seconds_per_move, limits.seconds_per_game
    verdict: Result | Blame | None = None
    while (seat := position.to_move) is not None:
        if len(moves) >= limits.moves:
            verdict = Result(None, Ending.TOO_LONG, f"nobody has won after {limits.moves} moves")
            break
        if per_game is not None:
            left = _seconds_left(limits, per_game - spent[seat])
        began = clock()
        watch(began + left + GRACE_SECONDS if left is not None else 0.0)
        try:
            move = choosing[seat](position.seen_by(seat), seat, left)
        except Exception as error:
            verdict = _of_error(error, seat)
            break
        seconds = clock() - began
        spent[seat] += seconds
        if left is not None and seconds > left + GRACE_SECONDS:
            words = f"took {seconds:.2f} s of the {left:.2f} s that were left"
            verdict = Blame(seat, Ending.OUT_OF_TIME, words)
            break
        try:
            position = position.after(move)
        except IllegalMove as refusal:
            words = f"{_written(game, move)} is illegal: {refusal}"
            verdict = Blame(seat, Ending.ILLEGAL_MOVE, words)
            break
        except Exception as error:
            verdict = _of_no_move(error, move, seat, position)
            break
        moves.append((seat, move))
    seconds_of_both = spent[Seat.FIRST], spent[Seat.SECOND]
    return _ended(position, moves, verdict, seconds_of_both)


def forfeit(game: Game[Any], opening: Opening, seat: Seat, fault: BotError) -> PlayedGame:
    """Return the match that `seat` loses because its bot does not start."""
    return _ended(*_begin(game, opening), _of_error(fault, seat), (0.0, 0.0))


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
            raise MatchNotPlayedError(f"the opening cannot be played: {refusal}") from None
    return position, moves


def _ended(
    position: Position[Any],
    moves: list[tuple[Seat, Any]],
    verdict: Result | Blame | None,
    seconds: tuple[float, float],
) -> PlayedGame:
    """Return the finished match: ended by the rules if there is no other verdict."""
    if verdict is None:
        assert position.outcome is not None
        result = Result(position.outcome.winner, Ending.PLAYED_OUT, position.outcome.reason)
        return PlayedGame(
            position=position, moves=moves, result=result, blame=None, seconds=seconds
        )
    if isinstance(verdict, Result):
        return PlayedGame(
            position=position, moves=moves, result=verdict, blame=None, seconds=seconds
        )
    result = Result(verdict.seat.other, verdict.ending, verdict.words.partition("\n")[0])
    if verdict.ending is Ending.RESIGNED:
        return PlayedGame(
            position=position, moves=moves, result=result, blame=None, seconds=seconds
        )
    return PlayedGame(position=position, moves=moves, result=result, blame=verdict, seconds=seconds)


def _seconds_left(limits: Limits, left_of_game: float) -> float:
    """Return how long the next move may take where all moves together have a limit."""
    left = max(left_of_game, 0.0)
    return left if limits.seconds_per_move is None else min(left, limits.seconds_per_move)


def _of_error(error: Exception, seat: Seat) -> Blame:
    """Return the blame for what a bot has raised."""
    match error:
        case BotResignedError():
            return Blame(seat, Ending.RESIGNED, "gave up")
        case NoMoveError():
            return Blame(seat, Ending.ILLEGAL_MOVE, f"{error} is no move of this game")
        case BotTimeoutError():
            return Blame(seat, Ending.OUT_OF_TIME, str(error))
        case BotError():
            return Blame(seat, Ending.CRASHED, str(error))
        case _:
            trace = "".join(traceback.format_exception(error))
            words = f"raised {type(error).__name__}: {error}\n{trace}"
            return Blame(seat, Ending.CRASHED, words)


def _of_no_move(error: Exception, move: object, seat: Seat, position: Position[Any]) -> Blame:
    """Return the blame for something that is no move. Raises MatchNotPlayedError if it is one."""
    if any(type(move) is type(legal) for legal in position.legal_moves()):
        raise MatchNotPlayedError(f"{move!r:.200} could not be judged: {error!r:.200}") from error
    return _of_error(NoMoveError(f"{move!r:.{LETTERS_OF_MOVE}}"), seat)


def _written(game: Game[Any], move: object) -> str:
    try:
        return game.write_move(move)
    except Exception:
        # It looks like a move, but is not quite one.
        return f"{move!r:.{LETTERS_OF_MOVE}}"

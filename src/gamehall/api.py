"""The functions of the public API. Import them from `gamehall`."""

import time
from enum import Enum
from typing import Any, get_type_hints

from gamehall.bots import Bot, BotResignedError
from gamehall.core import Game, Seat, SeededRandom, UnknownNameError, check_names_of_terms
from gamehall.engines.bot_text import split_seconds
from gamehall.engines.choice import BotChoiceError, choose_bot
from gamehall.engines.own_bot import BotLoadError, check_class, check_object
from gamehall.games.catalogue import all_games
from gamehall.match import Clock, Ending, MoveRefused, Record, Referee
from gamehall.match.events import MAX_MOVES, too_long


def make(name: str, /, **terms: Any) -> Game[Any]:
    """Return the game of this name, on these terms.

    An enum term may also be given as its value, as in `gravity="free"`.

    >>> import gamehall
    >>> gamehall.make("santorini", board=6).start().outcome is None
    True

    Raises:
        ValueError: there is no such game, no such term, or no such value of a term. The message
            lists the known ones.
    """
    kinds = all_games()
    if name not in kinds:
        raise UnknownNameError(f"there is no game {name!r}; there are: {', '.join(sorted(kinds))}")
    kind = kinds[name]
    check_names_of_terms(kind, terms)
    types = get_type_hints(kind)
    return kind(**{term: _read_term(term, types[term], value) for term, value in terms.items()})


def play_match(
    game: str | Game[Any],
    first: str | Bot[Any] | type[Bot[Any]],
    second: str | Bot[Any] | type[Bot[Any]],
    *,
    seed: int = 0,
) -> Record:
    """Play a match between two bots in this process, and return its record.

    A bot that tries an illegal move or raises BotResignedError loses. All other exceptions of a bot
    are raised to the caller. There is no time limit. After 5,000 moves the match is a draw.

    >>> import gamehall
    >>> record = gamehall.play_match("connect-four", "greedy", "random", seed=1)
    >>> record.result.winner, record.result.detail
    (<Seat.FIRST: 1>, '4 in a row')
    >>> record.moves[0].move
    'd1'

    Args:
        game: a name, or a game that `make` has returned.
        first: the bot that moves first: a name that `gamehall bots` lists, with seconds per move if
            it can think for a chosen time, as in `"mcts@0.5"`; `"FILE.py:CLASS"`; `"gtp:COMMAND"`
            for a Go engine; or an object with the method `choose`, or a class of such objects whose
            constructor needs no arguments.
        second: the other bot.
        seed: decides all random choices: the same seed gives the same match, unless a bot uses
            a clock or a source of randomness of its own.

    Raises:
        ValueError: there is no such game, or no such bot for it.
    """
    if isinstance(game, str):
        game = make(game)
    random = SeededRandom(seed)
    # Objects of the caller need no base class, and no other method than `choose`.
    bots: dict[Seat, Any] = {}
    # Close the bots that are made here, and not those of the caller.
    made: list[Any] = []
    try:
        for seat, bot in zip(Seat, (first, second), strict=True):
            bots[seat] = _make_bot(bot, game, random.seed())
            if bots[seat] is not bot:
                made.append(bots[seat])
        referee = Referee(game, Clock(), seed)
        _play(referee, bots)
        assert referee.result is not None
        for seat, player in bots.items():
            if hasattr(player, "game_over"):
                player.game_over(referee.position.seen_by(seat), seat, referee.result)
    finally:
        for made_bot in made:
            if hasattr(made_bot, "close"):
                made_bot.close()
    return referee.record(_name_of(first), _name_of(second))


def _read_term(term: str, kind: Any, value: Any) -> Any:
    if not (isinstance(kind, type) and issubclass(kind, Enum)) or isinstance(value, kind):
        return value
    try:
        return kind(value)
    except ValueError:
        values = ", ".join(repr(member.value) for member in kind)
        raise UnknownNameError(f"{term} must be one of {values}, not {value!r}") from None


def _make_bot(bot: str | Bot[Any] | type[Bot[Any]], game: Game[Any], seed: int) -> Any:
    if isinstance(bot, str):
        text, seconds = split_seconds(bot)
        return choose_bot(text, game.name, time.monotonic, seconds).make(seed)
    try:
        if isinstance(bot, type):
            check_class(bot)
            return bot()
        check_object(bot)
    except BotLoadError as error:
        raise BotChoiceError(str(error)) from None
    return bot


def _play(referee: Referee[Any], bots: dict[Seat, Any]) -> None:
    moves = 0
    while (seat := referee.position.to_move) is not None and referee.result is None:
        if moves == MAX_MOVES:
            referee.decide(too_long(moves))
            return
        try:
            move = bots[seat].choose(referee.position.seen_by(seat), seat, None)
        except BotResignedError:
            referee.forfeit(seat, Ending.RESIGNED, "resigned")
            return
        # The clock does not run, so the time does not matter.
        event = referee.play(seat, move, now=0.0)[0]
        if isinstance(event, MoveRefused):
            referee.forfeit(seat, Ending.ILLEGAL_MOVE, event.reason)
            return
        moves += 1


def _name_of(bot: str | Bot[Any] | type[Bot[Any]]) -> str:
    if isinstance(bot, str):
        return bot
    return bot.__name__ if isinstance(bot, type) else type(bot).__name__

"""Bots written by users: a class in a Python file."""

import importlib.util
import inspect
import logging
import sys
import traceback
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from gamehall.bots import Bot, BotError, BotResignedError
from gamehall.core import Game, GamehallError, IllegalMove, Position, Seat
from gamehall.match import Result

log = logging.getLogger(__name__)

MOVES_TO_NAME = 8
"""How many legal moves the message about an illegal move lists."""
SUFFIX = ".py"
HEADER = "def choose(self, position, seat, seconds_left)"
"""The header of the method that every bot must have."""

FAULTS = (Exception, SystemExit)
"""Exceptions of a bot that are reported to its author, instead of ending this program."""


class BotLoadError(GamehallError):
    """A bot cannot be loaded from its file. The message tells its author why."""


def is_file_of_bot(text: str) -> bool:
    """Return True if the text is FILE.py:CLASS, or probably meant to be."""
    return text.partition(":")[0].endswith(SUFFIX)


class OwnBot(Bot[Any]):
    """Wraps a user's bot, so that its exceptions become BotErrors that name the line."""

    def __init__(self, bot: Any, file: Path) -> None:
        """Wrap any object with a method `choose`."""
        self._bot = bot
        self._file = file
        self._name = type(bot).__name__

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        try:
            return self._bot.choose(position, seat, seconds_left)
        except BotResignedError:
            raise
        except FAULTS as error:
            raise BotError(self._message("choose", error)) from None

    def game_over(self, position: Position[Any] | None, seat: Seat | None, result: Result) -> None:
        game_over = getattr(self._bot, "game_over", None)
        if game_over is None:
            return
        try:
            game_over(position, seat, result)
        except FAULTS as error:
            raise BotError(self._message("game_over", error)) from None

    def close(self) -> None:
        close = getattr(self._bot, "close", None)
        if close is None:
            return
        try:
            close()
        except FAULTS as error:
            raise BotError(self._message("close", error)) from None

    def _message(self, method: str, error: BaseException) -> str:
        return f"{self._name}.{method} raised {describe(error, self._file)}"


def load(text: str) -> type[Any]:
    """Import the class that is written as FILE.py:CLASS. Raises BotLoadError."""
    name, _, wanted = text.partition(":")
    file = Path(name)
    if not file.is_file():
        raise BotLoadError(f"there is no file {name}")
    module = _run(file)
    own = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
    }
    bots = [key for key, value in own.items() if has_choose(value)]
    if not wanted:
        hint = f": write {name}:{bots[0]}" if bots else ""
        raise BotLoadError(f"{text} does not say which class is the bot{hint}")
    if wanted not in own:
        there = ", ".join(bots) or "none that could be a bot"
        raise BotLoadError(f"{name} has no class {wanted}; it has: {there}")
    if wanted not in bots:
        raise BotLoadError(f"{wanted} has no method choose: in {name}, write {HEADER}")
    check_class(own[wanted])
    return own[wanted]


def make(kind: type[Any], file: Path) -> OwnBot:
    """Create a bot of the class, which takes no arguments. Raises BotLoadError."""
    try:
        return OwnBot(kind(), file)
    except FAULTS as error:
        raise BotLoadError(f"{kind.__name__}() raised {describe(error, file)}") from None


def describe(error: BaseException, file: Path) -> str:
    """Return the exception, and the line of the file that raised it."""
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == file.resolve()
    ]
    return f"{words} ({file.name}, line {lines[-1]})" if lines else words


def has_choose(bot: object) -> bool:
    """Return True if an object or a class has the method `choose`."""
    choose = getattr(bot, "choose", None)
    return choose is not None and not getattr(choose, "__isabstractmethod__", False)


def check_class(kind: type[Any]) -> None:
    """Raise BotLoadError if no bot can be made of the class without arguments, or cannot play."""
    if not has_choose(kind):
        raise BotLoadError(f"{kind.__name__} has no method choose: write {HEADER}")
    _check_choose(kind)
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        raise BotLoadError(
            f"{kind.__name__}() has {str(error).removeprefix('missing ')}: give it a default, since"
            " bots are made without arguments"
        ) from None
    except ValueError:
        # A class written in C need not tell its arguments.
        return


def check_object(bot: object) -> None:
    """Raise BotLoadError if the object cannot play."""
    if not has_choose(bot):
        raise BotLoadError(f"{type(bot).__name__} has no method choose: write {HEADER}")


def _check_choose(kind: type[Any]) -> None:
    """Raise BotLoadError if the method `choose` cannot be called as it must be."""
    choose = inspect.getattr_static(kind, "choose")
    if not inspect.isfunction(choose):
        # It may be a class method, for example, or any callable.
        return
    if inspect.iscoroutinefunction(choose):
        raise BotLoadError(f"{kind.__name__}.choose must not be async: write {HEADER}")
    try:
        inspect.signature(choose).bind(None, None, None, None)
    except TypeError:
        written = f"choose{inspect.signature(choose)}"
        raise BotLoadError(
            f"{kind.__name__} has {written}, which cannot be called: write {HEADER}"
        ) from None


def why_no_move(move: object) -> str | None:
    """Return what is wrong with the result of `choose`, or None if it may be a move."""
    if move is None:
        return "choose returned None: is a return missing?"
    if isinstance(move, str):
        return (
            f"choose returned the text {move[:40]!r}, which is not a move: return one of the values"
            " that position.legal_moves() gives"
        )
    if inspect.iscoroutine(move):
        move.close()
        return "choose must not be async"
    return None


def why_not_legal(position: Position[Any], move: Any, game: Game[Any] | None) -> str | None:
    """Return why a move is not legal, for the author of the bot, or None if it is.

    `move` may be anything, even an object that cannot be compared with a move.
    """
    try:
        if move in position.legal_moves():
            return None
    except Exception:
        log.debug("%r cannot be compared with a move", move)
    if (why := why_no_move(move)) is not None:
        return why
    legal = [_written(game, one) for one in islice(position.legal_moves(), MOVES_TO_NAME)]
    return (
        f"the bot chose {_written(game, move)}, which is illegal: {_rule(position, move)}; legal"
        f" are, for example: {', '.join(legal)}"
    )


def _written(game: Game[Any] | None, move: Any) -> str:
    try:
        return f"{move!r:.200}" if game is None else game.write_move(move)
    except Exception:
        # It is not a move of this game.
        return f"{move!r:.200}"


def _rule(position: Position[Any], move: Any) -> str:
    """Return why the move is not among the legal ones."""
    try:
        position.after(move)
    except IllegalMove as rule:
        return str(rule)
    except Exception:
        # The rules may raise anything for an object that is not a move.
        return "it is not a move of this game"
    return "it is not one of the legal moves"


def _run(file: Path) -> ModuleType:
    """Run the file as a module that can import others from its folder."""
    specification = importlib.util.spec_from_file_location(f"own_bot_{file.stem}", file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[module.__name__] = module
    folder = str(file.parent.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        specification.loader.exec_module(module)
    except SyntaxError as error:
        where = f"{Path(error.filename or file).name}, line {error.lineno}"
        raise BotLoadError(f"{file} is not Python: {error.msg} ({where})") from None
    except FAULTS as error:
        raise BotLoadError(f"{file} cannot be loaded: {describe(error, file)}") from None
    return module

"""A bot that a user has written: a class in a file."""

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
"""How many of the legal moves are named to the author of a bot that has made another."""
SUFFIX = ".py"
HEADER = "def choose(self, position, seat, seconds_left)"
"""The header of the method that every bot must have."""


FAULTS = (Exception, SystemExit)
"""What a bot may raise and must not end this program without a message."""


class BotLoadError(GamehallError):
    """A bot cannot be loaded from its file. The text tells its author why."""


def is_file_of_bot(text: str) -> bool:
    """Return True if the text is written as FILE.py:CLASS, or probably meant so."""
    return text.partition(":")[0].endswith(SUFFIX)


class OwnBot(Bot[Any]):
    """A user's bot. Whatever it raises becomes a BotError that names the line."""

    def __init__(self, bot: Any, file: Path) -> None:
        """`bot` is any object with a method `choose`."""
        self._bot = bot
        self._file = file
        self._name = type(bot).__name__

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        try:
            return self._bot.choose(position, seat, seconds_left)
        except BotResignedError:
            raise
        except FAULTS as error:
            raise BotError(self._words("choose", error)) from None

    def game_over(self, position: Position[Any] | None, seat: Seat | None, result: Result) -> None:
        told = getattr(self._bot, "game_over", None)
        if told is None:
            return
        try:
            told(position, seat, result)
        except FAULTS as error:
            raise BotError(self._words("game_over", error)) from None

    def close(self) -> None:
        close = getattr(self._bot, "close", None)
        if close is None:
            return
        try:
            close()
        except FAULTS as error:
            raise BotError(self._words("close", error)) from None

    def _words(self, method: str, error: BaseException) -> str:
        return f"{self._name}.{method} raised {describe(error, self._file)}"


def load(text: str) -> type[Any]:
    """Return the class that is written as FILE.py:CLASS. Raises BotLoadError."""
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
    bots = [key for key, value in own.items() if _has_choose(value)]
    if not wanted:
        hint = f": write {name}:{bots[0]}" if bots else ""
        raise BotLoadError(f"{text} does not say which class is the bot{hint}")
    if wanted not in own:
        there = ", ".join(bots) or "none that could be a bot"
        raise BotLoadError(f"{name} has no class {wanted}; it has: {there}")
    if wanted not in bots:
        raise BotLoadError(f"{wanted} has no method choose: in {name}, write {HEADER}")
    _check_choose(own[wanted])
    return own[wanted]


def make(kind: type[Any], file: Path) -> OwnBot:
    """Make a bot of that class, without arguments. Raises BotLoadError."""
    try:
        return OwnBot(kind(), file)
    except FAULTS as error:
        raise BotLoadError(f"{kind.__name__}() raised {describe(error, file)}") from None


def describe(error: BaseException, file: Path) -> str:
    """Return what was raised, and in which line of the file."""
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == file.resolve()
    ]
    return f"{words} ({file.name}, line {lines[-1]})" if lines else words


def _has_choose(kind: type[Any]) -> bool:
    choose = getattr(kind, "choose", None)
    return choose is not None and not getattr(choose, "__isabstractmethod__", False)


def _check_choose(kind: type[Any]) -> None:
    """Raises BotLoadError for a method that cannot be called as bots are."""
    choose = inspect.getattr_static(kind, "choose")
    if not inspect.isfunction(choose):
        # A class method, for example: its author will find the fault without our help.
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
    """Return what is wrong with the result of `choose`, None if it may be a move."""
    if move is None:
        return "choose returned None: is a return missing?"
    if isinstance(move, str):
        return (
            f"choose returned the text {move[:40]!r}, which is no move: return one of the values"
            " that position.legal_moves() gives"
        )
    if inspect.iscoroutine(move):
        move.close()
        return "choose must not be async"
    return None


def why_not_legal(position: Position[Any], move: Any, game: Game[Any] | None) -> str | None:
    """Return why a bot cannot make that move, in words for its author; None if it is legal.

    What a bot returns may be anything, also something that cannot be compared with a move.
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
        # It is no move of this game at all; shown as it is, its author will know it.
        return f"{move!r:.200}"


def _rule(position: Position[Any], move: Any) -> str:
    """Return why the move is not among the legal ones."""
    try:
        position.after(move)
    except IllegalMove as rule:
        return str(rule)
    except Exception:
        # The rules know what moves look like, and this does not.
        return "it is no move of this game"
    return "it is none of the legal moves"


def _run(file: Path) -> ModuleType:
    """Run the file as a module, which can import others from its folder."""
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

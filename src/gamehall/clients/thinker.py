"""Runs a bot in a thread, so that the client can react to the server while the bot thinks."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from gamehall.bots import Bot, BotError, BotResignedError
from gamehall.core import Position
from gamehall.engines.guarded import BotDiedError, BotTimeoutError, IsolatedBot, NoMoveError
from gamehall.engines.own_bot import why_not_legal
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import OwnTurn
from gamehall.rooms.requests import Play, Request, Resign

log = logging.getLogger(__name__)

T = TypeVar("T")

SECONDS_TO_FINISH: Final = 5.0
"""How long a server may take to confirm a resignation, and a bot to handle the end of a match."""
SECONDS_TO_LOAD: Final = 600.0
"""How long a bot may take to start: some compile their search first."""
SECONDS_ALONE: Final = 2.0
"""The time without an opponent after which the user is told."""
SECONDS_TO_WARN: Final = 30.0
"""The time for a move after which a warning shows the position, if there is no limit."""
WAITING: Final = "waiting for an opponent to join or to move"


class Thinker:
    """Asks a bot for a move in each turn of its player, and reports the ends of matches to it.

    The bot is called in a thread, one call at a time. An `IsolatedBot` runs in a process of its
    own, which is killed after the time limit and on `close`.
    """

    def __init__(
        self,
        player: BotPlayer[Any],
        bot: Bot[Any],
        clock: Callable[[], float],
        *,
        limit: float | None = None,
        say: Callable[[str], None] = log.warning,
        tell_of_waiting: bool = False,
    ) -> None:
        """Create the thread.

        Args:
            limit: the seconds for a move, None for no limit.
            say: shows a message to the user.
            tell_of_waiting: tell the user if there is no opponent for a while.
        """
        self._player = player
        self._bot = bot
        self._clock = clock
        self._limit = limit
        self._say = say
        self._tells_of_waiting = tell_of_waiting
        self._wake: Callable[[], None] = lambda: None
        # A bot's process is killed when the thread that started it ends (PR_SET_PDEATHSIG).
        self._thread = ThreadPoolExecutor(1, "bot")
        self._turn: OwnTurn[Any] | None = None
        """The turn that the bot thinks about, or has thought about last."""
        self._thinking: asyncio.Future[Any] | None = None
        self._began = 0.0
        """When the bot began to think about the turn."""
        self._has_warned = False
        self._game = player.game
        self._matches_reported = 0
        """The number of matches whose end was reported to the bot."""
        self._reporting: asyncio.Future[None] | None = None
        self._leave_at: float | None = None
        """When to leave a server that does not confirm a resignation."""
        self._tell_at: float | None = None
        self.failed_at: Position[Any] | None = None
        """The position in which the bot failed."""

    def start(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        if self._tells_of_waiting:
            self._tell_at = self._clock() + SECONDS_ALONE

    async def begin(self, seed: int) -> None:
        """Wait until a guarded bot is ready to play. Raises BotError."""
        if isinstance(self._bot, IsolatedBot):
            await self._call(self._bot.begin, seed, None, SECONDS_TO_LOAD)

    def act(self, seconds_quiet: float) -> Sequence[Request[Any]]:
        player, now = self._player, self._clock()
        self._report_ends()
        requests: list[Request[Any]] = []
        if self._thinking is not None and self._thinking.done():
            thought, self._thinking = self._thinking, None
            requests += self._take(thought)
        elif self._thinking is not None:
            self._watch_the_time(now)
        self._tell_of_waiting(now)
        if self._leave_at is not None and now >= self._leave_at:
            player.finish()
        turn = player.turn
        if self._thinking is None and turn is not None and turn is not self._turn:
            self._leave_at = None
            self._think(turn)
        return requests

    def seconds_to_wait(self, seconds_quiet: float) -> float | None:
        now = self._clock()
        due = [self._leave_at, self._tell_at]
        if self._thinking is not None:
            due.append(None if self._has_warned else self._began + SECONDS_TO_WARN)
            due.append(None if self._limit is None else self._began + self._limit)
        return min((when - now for when in due if when is not None), default=None)

    def tell(self, text: str) -> None:
        self._say(text)

    async def close(self) -> None:
        """Report the end of the last match to the bot unless it is thinking, and close it."""
        self._report_ends()
        if self._reporting is not None and self._thinking is None:
            await asyncio.wait({self._reporting}, timeout=SECONDS_TO_FINISH)
        if isinstance(self._bot, IsolatedBot):
            self._bot.kill()
        try:
            await self._call(self._bot.close)
        except BotError as error:
            log.warning("%s", error)
        self._thread.shutdown(wait=False)

    def _think(self, turn: OwnTurn[Any]) -> None:
        self._turn, self._began, self._has_warned = turn, self._clock(), False
        self._thinking = self._call(self._choose, turn)

    def _choose(self, turn: OwnTurn[Any]) -> Any:
        """Return the bot's move. Runs in the bot's thread. Raises BotError, BotResignedError."""
        game = self._player.game
        if isinstance(self._bot, IsolatedBot) and game is not None and game != self._game:
            # The players have agreed on other terms.
            self._game = game
            self._bot.change_terms(game)
        left = None if turn.deadline is None else max(0.0, turn.deadline - self._began)
        return self._bot.choose(turn.position, turn.seat, left)

    def _take(self, thought: "asyncio.Future[Any]") -> list[Request[Any]]:
        """Return the request with the bot's move, none if it is not needed any more."""
        turn, player = self._turn, self._player
        assert turn is not None
        if player.turn is not None and player.turn.position == turn.position:
            # After a reconnection the server has sent the same turn again.
            self._turn = turn = player.turn
        is_awaited = player.turn is turn
        try:
            move = thought.result()
        except BotResignedError:
            return self._resign() if is_awaited else []
        except NoMoveError as error:
            if is_awaited:
                self._fail(error.why)
            return []
        except (BotDiedError, BotTimeoutError) as error:
            self._fail(f"the bot has failed: {first_line(error)}")
            return []
        except BotError as error:
            self._fail(first_line(error))
            return []
        if not is_awaited:
            return []
        if (why := why_not_legal(turn.position, move, player.game)) is not None:
            self._fail(why)
            return []
        player.played(move)
        return [Play(move)]

    def _resign(self) -> list[Request[Any]]:
        """Resign, and wait a little for confirmation. Leave if the protocol has no such message."""
        self._player.turn = None
        self._leave_at = self._clock() + SECONDS_TO_FINISH
        if self._player.vocabulary.has_resign:
            return [Resign()]
        self._player.finish()
        return []

    def _fail(self, error: str) -> None:
        """Leave, so that the opponent does not have to wait."""
        assert self._turn is not None
        self.failed_at = self._turn.position
        self._player.finish(error)

    def _watch_the_time(self, now: float) -> None:
        """Warn once if the bot thinks for long. Leave when it is over its limit."""
        assert self._turn is not None
        seconds = now - self._began
        if self._limit is not None and seconds >= self._limit:
            self._fail(f"the bot took longer than {self._limit:g} s over a move")
        elif not self._has_warned and seconds >= SECONDS_TO_WARN:
            self._has_warned = True
            log.warning(
                "the bot has been thinking for %.1f s, in this position:\n%s",
                seconds,
                self._turn.position.diagram(),
            )

    def _tell_of_waiting(self, now: float) -> None:
        """Tell the user, once, if there has been no opponent for a while."""
        if self._tell_at is None or now < self._tell_at:
            return
        self._tell_at = None
        if self._player.turn is not None:
            # It is the bot's turn, so an opponent may be waiting.
            self._tell_at = now + SECONDS_ALONE
        elif self._player.is_alone:
            self._say(WAITING)

    def _report_ends(self) -> None:
        """Report the matches that have ended to the bot, after its current call."""
        over = self._player.matches[self._matches_reported :]
        self._matches_reported += len(over)
        for match in over:
            self._reporting = self._call(
                self._bot.game_over, match.position, match.seat, match.result
            )
            self._reporting.add_done_callback(_log_error)

    def _call(self, call: Callable[..., T], *arguments: object) -> "asyncio.Future[T]":
        """Run a call in the bot's thread.

        The future's exception is BotResignedError or BotError, whatever the bot raises.
        """
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._thread, _call_bot, call, *arguments)
        future.add_done_callback(lambda _: self._wake())
        return future


def first_line(error: BotError) -> str:
    """Return the first line of a message, which may contain a traceback. Log all of it."""
    log.debug("%s", error)
    return next(iter(str(error).splitlines()), type(error).__name__)


def _call_bot(call: Callable[..., T], *arguments: object) -> T:
    try:
        return call(*arguments)
    except (BotResignedError, BotError):
        raise
    except BaseException as error:
        log.debug("the bot raised an exception", exc_info=True)
        words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise BotError(f"the bot raised {words}") from None


def _log_error(reporting: "asyncio.Future[None]") -> None:
    """Log an error after the end of a match, which does not affect the next match."""
    error = None if reporting.cancelled() else reporting.exception()
    if error is not None:
        log.warning("%s", error)

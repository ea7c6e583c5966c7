"""The front of a bot player: has a bot think, so that the conversation goes on meanwhile."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from gamehall.bots import Bot, BotError, BotResignedError
from gamehall.core import Position
from gamehall.engines.guarded import BotDiedError, BotTimeoutError, GuardedBot, NoMoveError
from gamehall.engines.own_bot import why_not_legal
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import OwnTurn
from gamehall.rooms.requests import Play, Request, Resign

log = logging.getLogger(__name__)

T = TypeVar("T")

SECONDS_TO_SAY_GOODBYE: Final = 5.0
"""How long a server may take to confirm that a player has resigned, and a bot to hear the end."""
SECONDS_TO_LOAD: Final = 600.0
"""How long a bot may take to get ready: the search of some has to be compiled first."""
SECONDS_ALONE: Final = 2.0
"""After how long without an opponent the user is told that one is waited for."""
SECONDS_TO_WONDER: Final = 30.0
"""How long a bot may think, where there is no limit, before its author hears of it."""
WAITING: Final = "waiting for an opponent to come or to move"


class Thinker:
    """Asks a bot for a move whenever its player is to move, and tells it how matches end.

    The bot is called in a thread, one call after the other. A guarded bot answers from a process of
    its own, which is ended when it takes too long, and in the end.
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
        """Prepare to think.

        Args:
            limit: how many seconds the bot may take over a move, None: as many as it likes.
            say: tells the user something.
            tell_of_waiting: whether to say so if no opponent comes for a while.
        """
        self._player = player
        self._bot = bot
        self._clock = clock
        self._limit = limit
        self._say = say
        self._tells_of_waiting = tell_of_waiting
        self._wake: Callable[[], None] = lambda: None
        # The system ends a bot's process with the thread that has started it.
        self._thread = ThreadPoolExecutor(1, "bot")
        self._turn: OwnTurn[Any] | None = None
        """What the bot thinks about, or has thought about last."""
        self._thinking: asyncio.Future[Any] | None = None
        self._began = 0.0
        """When it began to think."""
        self._has_wondered = False
        self._game = player.game
        self._told_of = 0
        """Of how many matches the bot has heard that they are over."""
        self._telling: asyncio.Future[None] | None = None
        self._leave_at: float | None = None
        """When to leave a server that does not confirm a resignation."""
        self._tell_at: float | None = None
        self.failed_at: Position[Any] | None = None
        """Where the bot could not go on."""

    def start(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        if self._tells_of_waiting:
            self._tell_at = self._clock() + SECONDS_ALONE

    async def begin(self, seed: int) -> None:
        """Have a guarded bot get ready. Raises BotError."""
        if isinstance(self._bot, GuardedBot):
            await self._call(self._bot.begin, seed, None, SECONDS_TO_LOAD)

    def act(self, seconds_quiet: float) -> Sequence[Request[Any]]:
        player, now = self._player, self._clock()
        self._tell_of_ends()
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
            due.append(None if self._has_wondered else self._began + SECONDS_TO_WONDER)
            due.append(None if self._limit is None else self._began + self._limit)
        return min((when - now for when in due if when is not None), default=None)

    def tell(self, text: str) -> None:
        self._say(text)

    async def close(self) -> None:
        """Tell the bot of the end, unless it thinks, and end it."""
        self._tell_of_ends()
        if self._telling is not None and self._thinking is None:
            await asyncio.wait({self._telling}, timeout=SECONDS_TO_SAY_GOODBYE)
        if isinstance(self._bot, GuardedBot):
            self._bot.kill()
        try:
            await self._call(self._bot.close)
        except BotError as fault:
            log.warning("%s", fault)
        self._thread.shutdown(wait=False)

    def _think(self, turn: OwnTurn[Any]) -> None:
        self._turn, self._began, self._has_wondered = turn, self._clock(), False
        self._thinking = self._call(self._choose, turn)

    def _choose(self, turn: OwnTurn[Any]) -> Any:
        """In the thread of the bot: return its move. Raises BotError and BotResignedError."""
        game = self._player.game
        if isinstance(self._bot, GuardedBot) and game is not None and game != self._game:
            # The players have agreed on other terms.
            self._game = game
            self._bot.change_terms(game)
        left = None if turn.deadline is None else max(0.0, turn.deadline - self._began)
        return self._bot.choose(turn.position, turn.seat, left)

    def _take(self, thought: "asyncio.Future[Any]") -> list[Request[Any]]:
        """The bot has thought: its move is played, unless nobody waits for it any more."""
        turn, player = self._turn, self._player
        assert turn is not None
        if player.turn is not None and player.turn.position == turn.position:
            # The server may have asked once more since, when the connection was lost.
            self._turn = turn = player.turn
        is_awaited = player.turn is turn
        try:
            move = thought.result()
        except BotResignedError:
            return self._resign() if is_awaited else []
        except NoMoveError as fault:
            if is_awaited:
                self._fail(fault.why)
            return []
        except (BotDiedError, BotTimeoutError) as fault:
            self._fail(f"the bot has failed: {first_line(fault)}")
            return []
        except BotError as fault:
            self._fail(first_line(fault))
            return []
        if not is_awaited:
            return []
        if (why := why_not_legal(turn.position, move, player.game)) is not None:
            self._fail(why)
            return []
        player.played()
        return [Play(move)]

    def _resign(self) -> list[Request[Any]]:
        """Give up the match, and wait a little for the server to say so, too."""
        self._player.turn = None
        self._leave_at = self._clock() + SECONDS_TO_SAY_GOODBYE
        if self._player.vocabulary.has_resign:
            return [Resign()]
        self._player.finish()
        return []

    def _fail(self, error: str) -> None:
        """The bot cannot go on: leave, so that the opponent is not kept waiting."""
        assert self._turn is not None
        self.failed_at = self._turn.position
        self._player.finish(error)

    def _watch_the_time(self, now: float) -> None:
        """The bot still thinks: say so once, and end it when it is over its limit."""
        assert self._turn is not None
        seconds = now - self._began
        if self._limit is not None and seconds >= self._limit:
            self._fail(f"the bot took longer than {self._limit:g} s over a move")
        elif not self._has_wondered and seconds >= SECONDS_TO_WONDER:
            self._has_wondered = True
            log.warning(
                "the bot has been thinking for %.1f s, in this position:\n%s",
                seconds,
                self._turn.position.diagram(),
            )

    def _tell_of_waiting(self, now: float) -> None:
        """Say so, once, if no opponent has come for a while."""
        if self._tell_at is None or now < self._tell_at:
            return
        self._tell_at = None
        if self._player.turn is not None:
            # It is the opponent who waits.
            self._tell_at = now + SECONDS_ALONE
        elif self._player.is_alone:
            self._say(WAITING)

    def _tell_of_ends(self) -> None:
        """Let the bot hear of matches that are over, when it has thought to an end."""
        over = self._player.matches[self._told_of :]
        self._told_of += len(over)
        for match in over:
            self._telling = self._call(
                self._bot.game_over, match.position, match.seat, match.result
            )
            self._telling.add_done_callback(_log_fault)

    def _call(self, call: Callable[..., T], *arguments: object) -> "asyncio.Future[T]":
        """Return the future result of a call in the thread of the bot.

        Its exception is BotResignedError or BotError, whatever the bot raises.
        """
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._thread, _call_bot, call, *arguments)
        future.add_done_callback(lambda _: self._wake())
        return future


def first_line(fault: BotError) -> str:
    """Return the beginning of a text that may have many lines, such as a traceback."""
    log.debug("%s", fault)
    return next(iter(str(fault).splitlines()), type(fault).__name__)


def _call_bot(call: Callable[..., T], *arguments: object) -> T:
    try:
        return call(*arguments)
    except (BotResignedError, BotError):
        raise
    except BaseException as error:
        log.debug("the bot raised an exception", exc_info=True)
        words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise BotError(f"the bot raised {words}") from None


def _log_fault(telling: "asyncio.Future[None]") -> None:
    """A bot that fails when the match is over does not spoil the next."""
    fault = None if telling.cancelled() else telling.exception()
    if fault is not None:
        log.warning("%s", fault)

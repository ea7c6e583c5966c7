"""Bots of the house: they play with visitors who ask for one, and with guests who wait alone.

A bot of the house is a client like a page: it sits in the hall's process, without a wire. Its
thinking is done elsewhere, in a guarded process, so that the hall never waits for it, and nothing
that a bot does harms the hall. When a bot fails, another one goes on in its seat.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count, islice
from typing import Any, Final, Protocol, TypeVar

from gamehall.bots import BotError, BotResignedError
from gamehall.bots.catalogue import UnknownBotError, bots_for, find_bot, substitutes_for
from gamehall.clients.local import LocalClient
from gamehall.clients.thinker import SECONDS_TO_LOAD, first_line
from gamehall.core import Game, GamehallError
from gamehall.engines.bot_text import short_name, split_seconds
from gamehall.engines.guarded import SECONDS_TO_BEGIN, GuardedBot, Limits
from gamehall.players.conversation import OwnTurn
from gamehall.players.house_player import HousePlayer
from gamehall.rooms.notices import Notice
from gamehall.rooms.requests import (
    Chat,
    ClientPolicy,
    Play,
    Request,
    Resign,
    SpectatorChat,
    digest_token,
)
from gamehall.rooms.view import RoomKind
from gamehall.server.hall import Hall
from gamehall.server.logged import about
from gamehall.server.room_host import RoomHost

log = logging.getLogger(__name__)

T = TypeVar("T")

MOST_IN_HALL: Final = 16
MOST_IN_ROOM: Final = 8
SECONDS_PER_MOVE: Final = 60.0
"""How long a bot may take over a move before its process is ended, unless told otherwise."""
CPU_SECONDS: Final = 7_200
"""In a match: a person may take hours over one, and the bot thinks as often."""
NICENESS: Final = 5
"""Bots think when the hall has nothing to do."""
SECONDS_UNTIL_WORD: Final = 2.5
"""When a bot takes longer to get ready, those at its table are told why."""
SECONDS_TO_TRY: Final = 1.0
"""How long a bot may think to show that it can play on unusual terms."""
SECONDS_TO_RESIGN: Final = 1.0
"""How long a room may take to end a match that a bot has resigned, before the bot leaves."""
SECONDS_ALONE: Final = 300.0
"""How long a bot waits for an opponent."""

SECONDS_BETWEEN_LOOKS: Final = 0.25
SECONDS_TO_WAIT: Final = 1.0
"""How long a guest must have waited: another guest may be on the way."""
SECONDS_TO_REST: Final = 10.0
"""How long no bot is sent to guests in a room where one has failed, and its substitutes too."""

LONGEST_NAME: Final = 20
"""Of a bot, in letters; a number may follow."""
MOST_OF_A_NAME: Final = 100
"""How many bots of one kind a room may have had, for those to be found that are to come back."""

POLICY: Final = ClientPolicy(native=True, retries=100)
"""A bot that makes an illegal move is not sent away: another goes on in its place."""


class BotLimitError(GamehallError):
    """No further bot can come. The text tells a visitor why."""


class PlayBot(Protocol):
    """What sends a bot to a table: `HouseBots.play`."""

    def __call__(
        self, room: str, table: int | None, bot: str, on_gone: Callable[[], None] | None = None
    ) -> None: ...


class HouseBots:
    """All bots of the house, until `run` is cancelled."""

    def __init__(
        self,
        hall: Hall,
        house: Mapping[str, str] | None = None,
        seconds_per_move: float = SECONDS_PER_MOVE,
    ) -> None:
        """Prepare to send bots.

        Args:
            house: for each game the bot that plays with guests who wait alone, as in `perfect@2`.
            seconds_per_move: how long a bot may take over a move before its process is ended.
        """
        self._hall = hall
        self._house = dict(house or {})
        self._limits = Limits(
            seconds_per_move=seconds_per_move, cpu_seconds=CPU_SECONDS, niceness=NICENESS
        )
        # The system ends a bot's process with the thread that has started it, so threads stay.
        self._threads = ThreadPoolExecutor(MOST_IN_HALL, "house bot")
        self._visits: dict[BotVisit, asyncio.Task[None]] = {}
        self._waiting_since: dict[str, dict[int | None, float]] = {}
        """Since when guests have been seen waiting, by room and table."""
        self._rests_until: dict[str, float] = {}

    async def run(self) -> None:
        """Send bots to guests who have waited for a while, after those of before a restart."""
        try:
            self._bring_back()
            while True:
                for room, game in self._hall.games.items():
                    if game.name in self._house:
                        self._look(room, self._house[game.name])
                for visit in self._visits:
                    if visit.player.is_signed_up:
                        visit.note_guests(self._has_guests(visit.room))
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        finally:
            tasks = list(self._visits.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._threads.shutdown(wait=False)

    def play(
        self, room: str, table: int | None, bot: str, on_gone: Callable[[], None] | None = None
    ) -> None:
        """Send a bot to a table, as a visitor has asked to play against it.

        Args:
            table: None: where a guest has waited longest or, if nobody waits, to a table of its
                own, where it waits for a while.
            bot: a name in the catalogue, with seconds or without, or the house bot of the game.
            on_gone: called when the bot has left, or could not come.

        Raises:
            BotLimitError: no further bot can come.
            UnknownBotError: a visitor cannot have this bot.
        """
        game = self._hall.games[room].name
        if bot != self._house.get(game):
            _check_bot(bot, game)
        if table is None:
            table = self._longest_waiting(room)
        if table is None and self._hall.kind_of(room) is not RoomKind.TOURNAMENT:
            for visit in self._visits_to(room):
                if visit.player.wants_guest:
                    raise BotLimitError(f"{visit.player.name} waits there for a player already")
        if not self._has_place(room):
            playing = len(self._visits_to(room))
            where = f"{playing} of them in this room" if playing else "all in other rooms"
            raise BotLimitError(
                f"{len(self._visits)} bots of the house are playing already, {where}: try again"
                " when one of their games is over"
            )
        self._send(room, table, bot, on_gone=on_gone)

    def preparing(self, room: str, table: int | None) -> list[str]:
        """Return the names of the bots that get ready to sit down at a table."""
        return [
            visit.player.name
            for visit in self._visits_to(room)
            if visit.player.table == table and visit.player.is_coming
        ]

    def _bring_back(self) -> None:
        """Have the bots go on whose seats were restored."""
        host = self._hall.host
        for member in host.house_members():
            room, _, table = member.room.partition("/")
            for name in islice(names_of(member.bot), MOST_OF_A_NAME):
                if digest_token(host.house_token(room, name)) == member.credential.digest:
                    self._send(room, int(table) if table else None, member.bot, name)

    def _look(self, room: str, bot: str) -> None:
        now = asyncio.get_running_loop().time()
        before = self._waiting_since.get(room, {})
        waiting = {
            table.number: before.get(table.number, now) for table in self._hall.waiting_tables(room)
        }
        self._waiting_since[room] = waiting
        if now < self._rests_until.get(room, 0.0):
            return
        for table, since in waiting.items():
            has_waited = now >= since + SECONDS_TO_WAIT
            if has_waited and not self.preparing(room, table) and self._has_place(room):
                self._send(room, table, bot)

    def _has_place(self, room: str) -> bool:
        """Return True if a further bot may come to a room."""
        return len(self._visits) < MOST_IN_HALL and len(self._visits_to(room)) < MOST_IN_ROOM

    def _has_guests(self, room: str) -> bool:
        """Return True if guests have signed up, also where no further player is needed."""
        bots = [member for member in self._hall.host.house_members() if member.room == room]
        return len(self._hall.host.room(room).view().waiting) > len(bots)

    def _longest_waiting(self, room: str) -> int | None:
        """Return the number of the table where a guest has waited longest, None if nobody does."""
        since = self._waiting_since.get(room, {})
        tables = [table.number for table in self._hall.waiting_tables(room)]
        return min(tables, key=lambda table: since.get(table, float("inf")), default=None)

    def _send(
        self,
        room: str,
        table: int | None,
        bot: str,
        name: str = "",
        on_gone: Callable[[], None] | None = None,
    ) -> None:
        """Begin a visit; `name` is that of a bot which comes back to its seat."""
        taken = {visit.player.name for visit in self._visits_to(room)}
        player: HousePlayer[Any] = HousePlayer(
            name=name or next(one for one in names_of(bot) if one not in taken),
            bot=bot,
            game=self._hall.games[room],
            table=table,
            is_tournament=self._hall.kind_of(room) is RoomKind.TOURNAMENT,
        )
        if player.is_tournament:
            player.note_guests(self._has_guests(room))
        visit = BotVisit(
            host=self._hall.host,
            room=room,
            player=player,
            threads=self._threads,
            limits=self._limits,
        )
        task = asyncio.create_task(self._see_to(visit, on_gone))
        self._visits[visit] = task
        task.add_done_callback(lambda _: self._visits.pop(visit))

    async def _see_to(self, visit: "BotVisit", on_gone: Callable[[], None] | None) -> None:
        if not await visit.run():
            now = asyncio.get_running_loop().time()
            self._rests_until[visit.room] = now + SECONDS_TO_REST
        if on_gone is not None:
            on_gone()

    def _visits_to(self, room: str) -> list["BotVisit"]:
        return [visit for visit in self._visits if visit.room == room]


class BotVisit:
    """One bot of the house in one room: it has a bot think for a player until that leaves."""

    def __init__(
        self,
        host: RoomHost,
        room: str,
        player: HousePlayer[Any],
        threads: ThreadPoolExecutor,
        limits: Limits,
    ) -> None:
        self.room = room
        self.player = player
        self._host = host
        self._threads = threads
        self._limits = limits
        self._text, self._seconds = split_seconds(player.bot)
        """Who plays at the moment, and how long it thinks over a move; None: as it likes."""
        self._substitutes = list(substitutes_for(self._text, player.game.name))
        """Those who go on, one after the other, when those before have failed."""
        self._thinker = self._make_thinker()
        self._tried_game = player.game
        """On which terms a bot is known to be able to play."""
        self._begun_game: Game[Any] | None = None
        """On which terms the thinker has begun the current match, None if it has not."""
        self._matches_told = 0
        """Of how many matches the thinker knows that they are over."""
        token = host.house_token(room, player.name)
        self._client = LocalClient(
            host=host, room=room, hear=self._hear, token=token, policy=POLICY
        )
        self._woken = asyncio.Event()

    async def run(self) -> bool:
        """Play until the player leaves. Return False if no bot was able to."""
        player = self.player
        try:
            await self._get_ready()
            if not player.is_done:
                self._say(player.arrive())
            await self._stay()
            log.info("%s: %s leaves: %s", self.room, player.name, player.error, extra=self._about())
        except Exception:
            log.exception("%s: a bot of the house failed", self.room, extra=self._about())
            player.has_failed = True
        finally:
            self._client.leave()
            self._thinker.kill()
            await self._call(self._thinker.close)
        return not player.has_failed

    def note_guests(self, has_guests: bool) -> None:
        """Note whether guests wait for the same tournament."""
        self.player.note_guests(has_guests)
        self._wake()

    async def _get_ready(self) -> None:
        """Start a process that is ready to play."""
        loop = asyncio.get_running_loop()
        word = loop.call_later(SECONDS_UNTIL_WORD, self._ask_for_patience)
        try:
            if not await self._begin_match():
                await self._replace()
        finally:
            word.cancel()

    async def _stay(self) -> None:
        """Do what is to be done, one thing after the other."""
        loop = asyncio.get_running_loop()
        came_at, player = loop.time(), self.player
        while not player.is_done:
            self._woken.clear()
            if len(player.matches) > self._matches_told:
                await self._end_match()
            elif player.refused:
                reason, player.refused = player.refused, ""
                await self._fail(f"its move was refused: {reason}")
            elif player.proposed is not None:
                await self._confirm(player.proposed)
            elif player.due_turn is not None:
                await self._move(player.due_turn)
            elif player.is_asked_for_rematch:
                self._say(player.agree_to_rematch())
            else:
                left = came_at + SECONDS_ALONE - loop.time()
                await self._wait(left if player.is_alone else None, "nobody came to play")

    async def _wait(self, seconds: float | None, otherwise: str) -> None:
        """Wait for a notice; leave, for this reason, if there is none in time."""
        try:
            await asyncio.wait_for(self._woken.wait(), seconds)
        except TimeoutError:
            self._part(otherwise)

    def _hear(self, notice: Notice[Any]) -> None:
        self._say(self.player.hear(notice))
        self._wake()

    def _part(self, reason: str) -> None:
        """Leave as soon as possible."""
        self.player.finish(reason)
        self._wake()

    def _wake(self) -> None:
        """Have `_stay` look at what is to be done now."""
        self._woken.set()
        if self.player.is_done:
            # What it thinks about is of no interest any more.
            self._thinker.kill()

    # What the bot does

    async def _move(self, turn: OwnTurn[Any]) -> None:
        """Think, and play the move."""
        player, seconds = self.player, self._limits.seconds_per_move
        if turn.deadline is not None:
            left = max(self._host.seconds_until(self._client, turn.deadline), 0.0)
            seconds = left if seconds is None else min(left, seconds)
        try:
            if self._begun_game != player.game:
                game = player.game
                await self._call(self._thinker.begin, secrets.randbits(53), game)
                self._begun_game = game
            thinking = partial(self._thinker.choose, turn.position, turn.seat, seconds)
            move = await self._call(thinking)
        except BotResignedError:
            if player.due_turn is turn:
                await self._resign()
        except BotError as fault:
            await self._fail(first_line(fault))
        else:
            if player.due_turn is turn:
                player.played()
                self._say([Play(move)])

    async def _resign(self) -> None:
        """Resign; leave where players cannot."""
        self._say([Resign()])
        loop = asyncio.get_running_loop()
        until = loop.time() + SECONDS_TO_RESIGN
        while len(self.player.matches) == self._matches_told and not self.player.is_done:
            self._woken.clear()
            await self._wait(until - loop.time(), "it resigns")

    async def _confirm(self, game: Game[Any]) -> None:
        """Agree to terms, if a bot can play on them."""
        is_able = game == self._tried_game or await self._begin_match(is_trial=True)
        is_able = is_able or await self._replace(is_trial=True)
        self._tried_game = game
        self._say(self.player.confirm(game, is_able))

    async def _end_match(self) -> None:
        """Tell the bot how the match has ended."""
        match = self.player.matches[self._matches_told]
        self._matches_told += 1
        self._begun_game = None
        await self._call(self._thinker.game_over, match.position, match.seat, match.result)

    async def _begin_match(self, is_trial: bool = False) -> bool:
        """Have the bot get ready. Return False if it fails, which is logged.

        `is_trial`: whether it must show that it can play on these terms.
        """
        game, thinker = self.player.game, self._thinker
        is_ours = self._text in bots_for(game.name)
        seconds = SECONDS_TO_LOAD if is_ours else SECONDS_TO_BEGIN
        begin = (secrets.randbits(53), game, seconds)
        try:
            await self._call(thinker.begin, *begin)
            if is_trial:
                start = game.start(0)
                await self._call(thinker.choose, start, start.to_move, SECONDS_TO_TRY)
                await self._call(thinker.begin, *begin)
        except BotResignedError:
            pass
        except BotError as fault:
            self._log_failure(first_line(fault))
            return False
        self._begun_game = game
        return True

    # When it fails

    async def _fail(self, reason: str) -> None:
        """Have another bot go on in the same seat; leave if there is none."""
        self._log_failure(reason)
        before = short_name(self._text)
        if await self._replace():
            after = short_name(self._text)
            self._say([Chat(f"{before} has failed; {after} goes on in its place")])
        elif self.player.has_failed:
            words = f"{before} has failed, and there is no other bot to go on in its place"
            self._say([Chat(words)])

    async def _replace(self, is_trial: bool = False) -> bool:
        """Replace the bot by the next one that is able to begin. Return False if none is."""
        while not self.player.is_done:
            self._thinker.kill()
            await self._call(self._thinker.close)
            if not self._substitutes:
                self.player.has_failed = True
                log.error(
                    "%s: %s has failed, and so has every bot that could play in its place",
                    self.room,
                    self.player.name,
                    extra=self._about(),
                )
                self._part("no bot is able to play")
                break
            self._text = self._substitutes.pop(0)
            self._thinker = self._make_thinker()
            if await self._begin_match(is_trial):
                return True
        return False

    def _log_failure(self, reason: str) -> None:
        if not self.player.is_done:
            following = self._substitutes[:1]
            log.warning(
                "%s: the house bot %s has failed: %s%s",
                self.room,
                self._text,
                reason,
                f"; {following[0]} plays in its place" if following else "",
                extra=self._about(),
            )

    # How it speaks and thinks

    def _say(self, requests: Sequence[Request[Any]]) -> None:
        for request in requests:
            self._client.submit(request)

    def _ask_for_patience(self) -> None:
        """Tell those at the table why nothing happens."""
        name, table = self.player.name, self.player.table
        words = f"{name} is getting ready to play; the first time this takes a while"
        log.info("%s: %s", self.room, words, extra=self._about())
        if table is not None:
            self._say([SpectatorChat(f"table-{table}", name, words)])

    def _make_thinker(self) -> GuardedBot:
        return GuardedBot(
            text=self._text,
            game=self.player.game,
            limits=self._limits,
            seconds_per_move=self._seconds,
        )

    async def _call(self, call: Callable[..., T], *arguments: object) -> T:
        """Call what may block, in a thread. When this is cancelled, its process is ended first."""
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._threads, partial(call, *arguments))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self._thinker.kill()
            await asyncio.gather(future, return_exceptions=True)
            raise

    def _about(self) -> dict[str, object]:
        return about(room=self.room, bot=self.player.bot)


def _check_bot(bot: str, game: str) -> None:
    """Raise UnknownBotError unless this is a bot of the catalogue."""
    try:
        name, _ = split_seconds(bot)
    except ValueError as error:
        raise UnknownBotError(str(error)) from None
    find_bot(name, game)


def names_of(bot: str) -> Iterator[str]:
    """Yield what bots of one kind are called: `perfect`, `perfect 2`, `perfect 3` and so on."""
    name = short_name(bot)[:LONGEST_NAME]
    yield name
    for number in count(2):
        yield f"{name} {number}"

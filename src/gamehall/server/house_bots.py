"""House bots: they play with visitors of the web page who ask for one, and with waiting players.

A house bot is a client in the server's process, like a web page. It thinks in a process of its
own, so that it can neither block nor crash the server. When a bot fails, another one takes over its
seat.
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
from gamehall.bots.catalogue import BotChoiceError, bots_for, find_bot, substitutes_for
from gamehall.clients.local import LocalClient
from gamehall.clients.thinker import SECONDS_TO_LOAD, first_line
from gamehall.core import Game, GamehallError
from gamehall.engines.bot_text import display_name, split_seconds
from gamehall.engines.guarded import SECONDS_TO_BEGIN, BotKilledError, IsolatedBot, Limits
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

MAX_BOTS: Final = 16
MAX_BOTS_PER_ROOM: Final = 8
SECONDS_PER_MOVE: Final = 60.0
"""The default limit for a move, after which the bot's process is killed."""
CPU_SECONDS: Final = 7_200
"""The limit for a whole match. A match with a person may last hours."""
NICENESS: Final = 5
"""Bots yield to the server."""
SECONDS_UNTIL_NOTICE: Final = 2.5
"""If a bot takes longer to start, the players at its table are told why."""
SECONDS_TO_TRY: Final = 1.0
"""The time for a trial move, which shows that a bot can play on unusual terms."""
SECONDS_TO_RESIGN: Final = 1.0
"""How long a room may take to confirm a resignation, before the bot leaves."""
SECONDS_ALONE: Final = 300.0
"""How long a bot waits for an opponent."""

SECONDS_BETWEEN_CHECKS: Final = 0.25
SECONDS_TO_WAIT: Final = 1.0
"""How long a player waits before a bot is sent: another player may be about to join."""
SECONDS_TO_REST: Final = 10.0
"""How long no bot is sent to a room after a bot and all its substitutes have failed there."""

LONGEST_NAME: Final = 20
"""The longest name of a bot, in characters. A number may follow."""
MAX_BOTS_OF_A_KIND: Final = 100
"""How many numbered names are tried to find a restored bot by its token."""

POLICY: Final = ClientPolicy(native=True, retries=100)
"""After an illegal move the bot keeps its seat, so that a substitute can take over."""


class BotLimitError(GamehallError):
    """Too many house bots are playing. The message is for the visitor who asked for one."""


class PlayBot(Protocol):
    """The type of `HouseBots.play`."""

    def __call__(
        self, room: str, table: int | None, bot: str, on_gone: Callable[[], None] | None = None
    ) -> None: ...


class HouseBots:
    """Sends house bots to tables, until `run` is cancelled."""

    def __init__(
        self,
        hall: Hall,
        house: Mapping[str, str] | None = None,
        seconds_per_move: float = SECONDS_PER_MOVE,
    ) -> None:
        """Prepare to send bots, once `run` is called.

        Args:
            house: for each game the bot that plays with waiting players, such as `perfect@2`.
            seconds_per_move: the limit for a move, after which the bot's process is killed.
        """
        self._hall = hall
        self._house = dict(house or {})
        self._limits = Limits(
            seconds_per_move=seconds_per_move, cpu_seconds=CPU_SECONDS, niceness=NICENESS
        )
        # A bot's process is killed when the thread that started it ends (PR_SET_PDEATHSIG), so the
        # threads of this pool must live as long as the bots.
        self._threads = ThreadPoolExecutor(MAX_BOTS, "house bot")
        self._visits: dict[BotVisit, asyncio.Task[None]] = {}
        self._waiting_since: dict[str, dict[int | None, float]] = {}
        """When each waiting table was first seen, by room and table number."""
        self._pauses_until: dict[str, float] = {}

    async def run(self) -> None:
        """Resume the bots of restored rooms, then send bots to players who have waited a while."""
        try:
            self._resume_restored()
            while True:
                for room, game in self._hall.games.items():
                    if game.name in self._house:
                        self._send_to_waiting(room, self._house[game.name])
                for visit in self._visits:
                    if visit.player.is_signed_up:
                        visit.note_waiting_players(self._has_waiting_players(visit.room))
                await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
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
            table: the number of the table. None for the table at which a player has waited longest
                or, if no player waits, for a table of the bot's own, where it waits for a while.
            bot: a name in the catalogue, with or without seconds, or the house bot of the game.
            on_gone: called when the bot has left, or could not join.

        Raises:
            BotLimitError: too many bots are playing, or one waits in this room already.
            BotChoiceError: visitors cannot choose this bot.
        """
        game = self._hall.games[room].name
        if bot != self._house.get(game):
            _check_bot(bot, game)
        if table is None:
            table = self._longest_waiting(room)
        if table is None and self._hall.kind_of(room) is not RoomKind.TOURNAMENT:
            for visit in self._visits_to(room):
                if visit.player.wants_opponent:
                    raise BotLimitError(f"{visit.player.name} waits there for a player already")
        if not self._has_capacity(room):
            playing = len(self._visits_to(room))
            where = f"{playing} of them in this room" if playing else "all in other rooms"
            raise BotLimitError(
                f"{len(self._visits)} house bots are playing already, {where}: try again"
                " when one of their games is over"
            )
        self._start_visit(room, table, bot, on_gone=on_gone)

    def preparing(self, room: str, table: int | None) -> list[str]:
        """Return the names of the bots that are about to join a table."""
        return [
            visit.player.name
            for visit in self._visits_to(room)
            if visit.player.table == table and visit.player.is_joining
        ]

    def _resume_restored(self) -> None:
        """Start a bot for each house bot whose seat was restored."""
        host = self._hall.host
        for member in host.house_members():
            room, _, table = member.room.partition("/")
            for name in islice(_names_of(member.bot), MAX_BOTS_OF_A_KIND):
                if digest_token(host.house_token(room, name)) == member.credential.digest:
                    self._start_visit(room, int(table) if table else None, member.bot, name)

    def _send_to_waiting(self, room: str, bot: str) -> None:
        now = asyncio.get_running_loop().time()
        before = self._waiting_since.get(room, {})
        waiting = {
            table.number: before.get(table.number, now)
            for table in self._hall.host.waiting_tables(room)
        }
        self._waiting_since[room] = waiting
        if now < self._pauses_until.get(room, 0.0):
            return
        for table, since in waiting.items():
            has_waited = now >= since + SECONDS_TO_WAIT
            if has_waited and not self.preparing(room, table) and self._has_capacity(room):
                self._start_visit(room, table, bot)

    def _has_capacity(self, room: str) -> bool:
        return len(self._visits) < MAX_BOTS and len(self._visits_to(room)) < MAX_BOTS_PER_ROOM

    def _has_waiting_players(self, room: str) -> bool:
        """Return True if players other than bots have signed up for a tournament."""
        bots = [member for member in self._hall.host.house_members() if member.room == room]
        return len(self._hall.host.room(room).view().waiting) > len(bots)

    def _longest_waiting(self, room: str) -> int | None:
        """Return the number of the table at which a player has waited longest, None if none."""
        since = self._waiting_since.get(room, {})
        tables = [table.number for table in self._hall.host.waiting_tables(room)]
        return min(tables, key=lambda table: since.get(table, float("inf")), default=None)

    def _start_visit(
        self,
        room: str,
        table: int | None,
        bot: str,
        name: str = "",
        on_gone: Callable[[], None] | None = None,
    ) -> None:
        """Start a visit. `name` is given for a bot that resumes a restored seat."""
        taken = {visit.player.name for visit in self._visits_to(room)}
        player: HousePlayer[Any] = HousePlayer(
            name=name or next(one for one in _names_of(bot) if one not in taken),
            bot=bot,
            game=self._hall.games[room],
            table=table,
            is_tournament=self._hall.kind_of(room) is RoomKind.TOURNAMENT,
        )
        if player.is_tournament:
            player.note_waiting_players(self._has_waiting_players(room))
        visit = BotVisit(
            host=self._hall.host,
            room=room,
            player=player,
            threads=self._threads,
            limits=self._limits,
        )
        task = asyncio.create_task(self._run_visit(visit, on_gone))
        self._visits[visit] = task
        task.add_done_callback(lambda _: self._visits.pop(visit))

    async def _run_visit(self, visit: "BotVisit", on_gone: Callable[[], None] | None) -> None:
        if not await visit.run():
            now = asyncio.get_running_loop().time()
            self._pauses_until[visit.room] = now + SECONDS_TO_REST
        if on_gone is not None:
            on_gone()

    def _visits_to(self, room: str) -> list["BotVisit"]:
        return [visit for visit in self._visits if visit.room == room]


class BotVisit:
    """One house bot in one room, until it leaves.

    The `HousePlayer` follows the notices of the room; an `IsolatedBot` chooses its moves.
    """

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
        """The current bot, and its seconds per move if they are limited."""
        self._substitutes = list(substitutes_for(self._text, player.game.name))
        """The bots that take over after failures, in order."""
        self._was_killed = False
        """Whether the process of a bot was stopped from outside before."""
        self._thinker = self._make_thinker()
        self._tried_game = player.game
        """The terms on which the bot is known to be able to play."""
        self._begun_game: Game[Any] | None = None
        """The terms with which the thinker has begun the current match, None if it has not."""
        self._matches_reported = 0
        """The number of matches whose end was reported to the thinker."""
        token = host.house_token(room, player.name)
        self._client = LocalClient(
            host=host, room=room, on_notice=self._on_notice, token=token, policy=POLICY
        )
        self._woken = asyncio.Event()

    async def run(self) -> bool:
        """Play until the player leaves. Return False if no bot was able to."""
        player = self.player
        try:
            await self._start()
            if not player.is_done:
                self._submit(player.arrive())
                if self._text != split_seconds(player.bot)[0]:
                    self._announce_failure(display_name(player.bot), self._text)
            await self._play()
            log.info(
                "%s: %s leaves: %s", self.room, player.name, player.error, extra=self._log_fields()
            )
        except MemoryError:
            raise  # Not an error of this bot: it ends the process.
        except Exception:
            log.exception("%s: a house bot failed", self.room, extra=self._log_fields())
            player.has_failed = True
        finally:
            self._client.leave()
            self._thinker.kill()
            await self._run_in_thread(self._thinker.close)
        return not player.has_failed

    def note_waiting_players(self, has_waiting_players: bool) -> None:
        """Note whether other players wait for the same tournament."""
        self.player.note_waiting_players(has_waiting_players)
        self._wake()

    async def _start(self) -> None:
        """Start the bot's process, and wait until it is ready to play."""
        loop = asyncio.get_running_loop()
        notice = loop.call_later(SECONDS_UNTIL_NOTICE, self._announce_delay)
        try:
            if not await self._begin_match():
                await self._replace()
        finally:
            notice.cancel()

    async def _play(self) -> None:
        """Act on the player's state, one action at a time, until the player is done."""
        loop = asyncio.get_running_loop()
        joined_at, player = loop.time(), self.player
        while not player.is_done:
            self._woken.clear()
            if len(player.matches) > self._matches_reported:
                await self._end_match()
            elif player.refused:
                reason, player.refused = player.refused, ""
                await self._fail(f"its move was refused: {reason}")
            elif player.proposed is not None:
                await self._confirm(player.proposed)
            elif player.due_turn is not None:
                await self._move(player.due_turn)
            elif player.is_asked_for_rematch:
                self._submit(player.agree_to_rematch())
            else:
                left = joined_at + SECONDS_ALONE - loop.time()
                await self._wait(left if player.is_alone else None, "no opponent came")

    async def _wait(self, seconds: float | None, reason_to_leave: str) -> None:
        """Wait for a notice. If there is none in time, leave for this reason."""
        try:
            await asyncio.wait_for(self._woken.wait(), seconds)
        except TimeoutError:
            self._leave(reason_to_leave)

    def _on_notice(self, notice: Notice[Any]) -> None:
        self._submit(self.player.receive(notice))
        self._wake()

    def _leave(self, reason: str) -> None:
        self.player.finish(reason)
        self._wake()

    def _wake(self) -> None:
        """Wake `_play` after a change of the player's state."""
        self._woken.set()
        if self.player.is_done:
            # Its answer is not needed any more.
            self._thinker.kill()

    # The bot's actions

    async def _move(self, turn: OwnTurn[Any]) -> None:
        player, seconds = self.player, self._limits.seconds_per_move
        if turn.deadline is not None:
            left = max(turn.deadline - self._host.room_time(self._client), 0.0)
            seconds = left if seconds is None else min(left, seconds)
        try:
            if self._begun_game != player.game:
                game = player.game
                await self._run_in_thread(self._thinker.begin, secrets.randbits(53), game)
                self._begun_game = game
            thinking = partial(self._thinker.choose, turn.position, turn.seat, seconds)
            move = await self._run_in_thread(thinking)
        except BotResignedError:
            if player.due_turn is turn:
                await self._resign()
        except BotError as error:
            await self._fail(first_line(error), error)
        else:
            if player.due_turn is turn:
                player.played()
                self._submit([Play(move)])

    async def _resign(self) -> None:
        """Resign. Leave if the room does not support resigning."""
        self._submit([Resign()])
        loop = asyncio.get_running_loop()
        until = loop.time() + SECONDS_TO_RESIGN
        while len(self.player.matches) == self._matches_reported and not self.player.is_done:
            self._woken.clear()
            await self._wait(until - loop.time(), "it resigns")

    async def _confirm(self, game: Game[Any]) -> None:
        """Agree to the proposed terms if a bot can play on them, otherwise reject them."""
        is_able = game == self._tried_game or await self._begin_match(is_trial=True)
        is_able = is_able or await self._replace(is_trial=True)
        self._tried_game = game
        self._submit(self.player.confirm(game, is_able))

    async def _end_match(self) -> None:
        """Report the end of a match to the bot."""
        match = self.player.matches[self._matches_reported]
        self._matches_reported += 1
        self._begun_game = None
        await self._run_in_thread(self._thinker.game_over, match.position, match.seat, match.result)

    async def _begin_match(self, is_trial: bool = False) -> bool:
        """Have the bot prepare for a match. Return False if it fails, which is logged.

        Args:
            is_trial: also ask for a trial move, to see whether it can play on these terms.
        """
        game, thinker = self.player.game, self._thinker
        is_ours = self._text in bots_for(game.name)
        seconds = SECONDS_TO_LOAD if is_ours else SECONDS_TO_BEGIN
        begin = (secrets.randbits(53), game, seconds)
        try:
            await self._run_in_thread(thinker.begin, *begin)
            if is_trial:
                start = game.start(0)
                await self._run_in_thread(thinker.choose, start, start.to_move, SECONDS_TO_TRY)
                await self._run_in_thread(thinker.begin, *begin)
        except BotResignedError:
            pass
        except BotError as error:
            self._note_killed(error)
            self._log_failure(first_line(error))
            return False
        self._begun_game = game
        return True

    # Failures

    async def _fail(self, reason: str, error: BotError | None = None) -> None:
        """Replace the bot that has failed. Leave if there is no substitute."""
        self._note_killed(error)
        self._log_failure(reason)
        await self._replace(is_announced=True)

    def _note_killed(self, error: BotError | None) -> None:
        """Have a bot whose process was stopped from outside started again, once."""
        if isinstance(error, BotKilledError) and not self._was_killed and not self.player.is_done:
            self._was_killed = True
            self._substitutes.insert(0, self._text)

    def _announce_failure(self, failed: str, substitute: str | None) -> None:
        """Tell the players at the table at once who continues: the next bot may start slowly."""
        if substitute is None:
            words = f"{failed} has failed, and there is no other bot to play in its place"
            self._submit([Chat(words, is_from_server=True)])
            return
        name = display_name(substitute)
        if name == failed:
            words = f"{failed} has failed, and is started again"
        else:
            words = f"{failed} has failed; {name} plays in its place"
        self._submit([Chat(words, is_from_server=True, substitute=name)])

    async def _replace(self, *, is_trial: bool = False, is_announced: bool = False) -> bool:
        """Replace the bot by the first substitute that can begin. Return False if none can."""
        while not self.player.is_done:
            if is_announced:
                following = self._substitutes[0] if self._substitutes else None
                self._announce_failure(display_name(self._text), following)
            self._thinker.kill()
            await self._run_in_thread(self._thinker.close)
            if not self._substitutes:
                self.player.has_failed = True
                log.error(
                    "%s: %s has failed, and so have all its substitutes",
                    self.room,
                    self.player.name,
                    extra=self._log_fields(),
                )
                self._leave("no bot is able to play")
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
                extra=self._log_fields(),
            )

    def _submit(self, requests: Sequence[Request[Any]]) -> None:
        for request in requests:
            self._client.submit(request)

    def _announce_delay(self) -> None:
        """Tell the players at the table why the bot has not joined yet."""
        name, table = self.player.name, self.player.table
        words = f"{name} is getting ready to play; the first time this takes a while"
        log.info("%s: %s", self.room, words, extra=self._log_fields())
        if table is not None:
            self._submit([SpectatorChat(f"table-{table}", name, words)])

    def _make_thinker(self) -> IsolatedBot:
        return IsolatedBot(
            text=self._text,
            game=self.player.game,
            limits=self._limits,
            seconds_per_move=self._seconds,
        )

    async def _run_in_thread(self, call: Callable[..., T], *arguments: object) -> T:
        """Run a blocking call in a thread.

        If this is cancelled, the bot's process is killed, so that the thread returns.
        """
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._threads, partial(call, *arguments))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self._thinker.kill()
            await asyncio.gather(future, return_exceptions=True)
            raise

    def _log_fields(self) -> dict[str, object]:
        return about(room=self.room, bot=self.player.bot)


def _check_bot(bot: str, game: str) -> None:
    """Raise BotChoiceError unless this is a bot in the catalogue."""
    try:
        name, _ = split_seconds(bot)
    except ValueError as error:
        raise BotChoiceError(str(error)) from None
    find_bot(name, game)


def _names_of(bot: str) -> Iterator[str]:
    """Yield the names for bots of one kind: `perfect`, `perfect 2`, `perfect 3` and so on."""
    name = display_name(bot)[:LONGEST_NAME]
    yield name
    for number in count(2):
        yield f"{name} {number}"

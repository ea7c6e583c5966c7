"""Bots of the house: they play with visitors who ask for one, and with guests who wait alone.

A bot of the house is a client like a page: it sits in the hall's process, without a wire. Its
thinking is done elsewhere, in a guarded process, so that the hall never waits for it, and nothing
that a bot does harms the hall. When a bot fails, another one goes on in its seat.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum, auto
from functools import partial
from itertools import count, islice
from typing import Any, Final, TypeVar

import msgspec

from gamehall.bots import BotError, BotResignedError
from gamehall.bots.catalogue import UnknownBotError, bots_for, find_bot, substitutes_for
from gamehall.clients.local import LocalClient
from gamehall.core import Game, GamehallError, Position, Seat
from gamehall.engines.bot_text import short_name, split_seconds
from gamehall.engines.guarded import SECONDS_TO_BEGIN, GuardedBot, Limits
from gamehall.match import MatchEnded, MoveFault, MovePlayed, MoveRefused, TurnBegan
from gamehall.rooms.notices import (
    Closed,
    MatchBegan,
    Notice,
    Ping,
    PlayersChanged,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
    SeatInfo,
    SignedUp,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
    TournamentBegan,
)
from gamehall.rooms.requests import (
    Chat,
    ClientPolicy,
    Confirm,
    Join,
    Play,
    Pong,
    ProposedTerms,
    Rematch,
    Request,
    Resign,
    SpectatorChat,
    digest_token,
)
from gamehall.rooms.view import RoomKind
from gamehall.server.hall import Hall
from gamehall.server.logged import about

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
SECONDS_TO_LOAD: Final = 600.0
"""How long a bot of the catalogue may take to get ready: some have to be compiled first."""
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


PlayBot = Callable[[str, int | None, str], None]
"""Sends a bot to a table of a room; without a number, to where a guest has waited longest.

Raises BotLimitError.
"""


class BotLimitError(GamehallError):
    """No further bot can come. The text tells a visitor why."""


class Stage(IntEnum):
    """How far a visit has come. It never goes back to an earlier stage."""

    COMING = auto()
    WAITING = auto()
    """The bot has a seat, and has had no opponent yet."""
    PLAYING = auto()
    """It has, or had, an opponent."""
    LEAVING = auto()


class Turn(msgspec.Struct, eq=False):
    """A bot of the house is to move."""

    position: Position[Any]
    seat: Seat
    deadline: float | None
    """By the clock of its room."""
    is_answered: bool = False
    """Whether the bot has moved, which the room has not confirmed yet."""
    refused: str = ""
    """Why the move was refused, empty if it was not."""


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
                    if visit.is_signed_up:
                        visit.note_guests(bool(self._hall.waiting_tables(visit.room)))
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        finally:
            tasks = list(self._visits.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._threads.shutdown(wait=False)

    def play(self, room: str, table: int | None, bot: str) -> None:
        """Send a bot to a table, as a visitor has asked to play against it.

        Args:
            table: None: where a guest has waited longest or, if nobody waits, to a table of its
                own, where it waits for a while.
            bot: a name in the catalogue, with seconds or without, or the house bot of the game.

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
                if visit.is_alone:
                    raise BotLimitError(f"{visit.name} waits there for a player already")
        if not self._has_place(room):
            playing = len(self._visits_to(room))
            where = f"{playing} of them in this room" if playing else "all in other rooms"
            raise BotLimitError(
                f"{len(self._visits)} bots of the house are playing already, {where}: try again"
                " when one of their games is over"
            )
        self._send(room, table, bot)

    def preparing(self, room: str, table: int | None) -> list[str]:
        """Return the names of the bots that get ready to sit down at a table."""
        return [
            visit.name
            for visit in self._visits_to(room)
            if visit.table == table and visit.is_coming
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

    def _longest_waiting(self, room: str) -> int | None:
        """Return the number of the table where a guest has waited longest, None if nobody does."""
        since = self._waiting_since.get(room, {})
        tables = [table.number for table in self._hall.waiting_tables(room)]
        return min(tables, key=lambda table: since.get(table, float("inf")), default=None)

    def _send(self, room: str, table: int | None, bot: str, name: str = "") -> None:
        """Begin a visit; `name` is that of a bot which comes back to its seat."""
        taken = {visit.name for visit in self._visits_to(room)}
        name = name or next(one for one in names_of(bot) if one not in taken)
        visit = BotVisit(
            hall=self._hall,
            threads=self._threads,
            limits=self._limits,
            room=room,
            table=table,
            bot=bot,
            name=name,
        )
        task = asyncio.create_task(self._see_to(visit))
        self._visits[visit] = task
        task.add_done_callback(lambda _: self._visits.pop(visit))

    async def _see_to(self, visit: "BotVisit") -> None:
        if not await visit.run():
            now = asyncio.get_running_loop().time()
            self._rests_until[visit.room] = now + SECONDS_TO_REST

    def _visits_to(self, room: str) -> list["BotVisit"]:
        return [visit for visit in self._visits if visit.room == room]


class BotVisit:
    """One bot of the house in one room, from its way there until it leaves."""

    def __init__(
        self,
        hall: Hall,
        threads: ThreadPoolExecutor,
        limits: Limits,
        room: str,
        table: int | None,
        bot: str,
        name: str,
    ) -> None:
        self.room = room
        self.table = table
        """Where it was sent; None: into the room."""
        self.name = name
        self._host = hall.host
        self._threads = threads
        self._limits = limits
        self._bot = bot
        self._game = hall.games[room]
        text, seconds = split_seconds(bot)
        self._text, self._seconds = text, seconds
        """Who plays at the moment, and how long it thinks over a move; None: as it likes."""
        self._substitutes = list(substitutes_for(text, self._game.name))
        """Those who go on, one after the other, when those before have failed."""
        self._thinker = GuardedBot(
            text=text, game=self._game, limits=limits, seconds_per_move=seconds
        )
        self._has_begun = False
        """Whether the thinker knows that the current match has begun."""
        self._client = LocalClient(
            host=self._host,
            room=room,
            hear=self._hear,
            token=self._host.house_token(room, name),
            policy=POLICY,
        )
        self._woken = asyncio.Event()
        self._stage = Stage.COMING
        self._has_failed = False
        """Whether it could not play, so that another bot would fare no better."""
        self._seat: Seat | None = None
        self._turn: Turn | None = None
        """None unless the bot is to move."""
        self._proposed: Game[Any] | None = None
        """The terms that it is to confirm."""
        self._ended: MatchEnded[Any] | None = None
        """The end of the match, until the thinker knows of it."""
        self._players: PlayersChanged | None = None
        """Who sits at its table, None if the room does not tell."""
        self._has_agreed = False
        """Whether it has agreed to a rematch since it was last told who sits there."""
        self._is_for_tournaments = hall.kind_of(room) is RoomKind.TOURNAMENT
        self._has_had_company = False
        """Whether a guest has waited for the same tournament."""

    @property
    def is_signed_up(self) -> bool:
        """Whether it waits for a tournament to begin."""
        return self._is_for_tournaments and self._stage is Stage.WAITING

    @property
    def is_coming(self) -> bool:
        """Whether it has not sat down yet."""
        return self._stage is Stage.COMING

    @property
    def is_alone(self) -> bool:
        """Whether it waits for an opponent, or is going to."""
        if self._players is not None:
            return self._opponent is None
        return self.table is None and self._stage < Stage.PLAYING

    async def run(self) -> bool:
        """Play until the opponent has left. Return False if no bot was able to."""
        try:
            await self._get_ready()
            if not self._is_leaving:
                # Where it is sent to a guest, the terms are the guest's.
                terms = ProposedTerms({}) if self.table is None else None
                self._say(Join(self.name, table=self.table, terms=terms, bot=self._bot))
            await self._stay()
        except Exception:
            log.exception("%s: a bot of the house failed", self.room, extra=self._about())
            self._has_failed = True
        finally:
            self._client.leave()
            self._thinker.kill()
            await self._call(self._thinker.close)
        return not self._has_failed

    def note_guests(self, has_guests: bool) -> None:
        """Leave the tournament's sign-up with the last guest."""
        if self._has_had_company and not has_guests:
            self._part("the guests have left")
        self._has_had_company = has_guests

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
        came_at = loop.time()
        while not self._is_leaving:
            self._woken.clear()
            turn = self._turn
            if self._ended is not None:
                await self._end_match(self._ended)
            elif turn is not None and turn.refused:
                await self._fail(f"its move was refused: {turn.refused}")
            elif self._proposed is not None:
                await self._confirm(self._proposed)
            elif turn is not None and not turn.is_answered and not self._must_wait:
                await self._move(turn)
            elif self._is_asked_for_rematch:
                self._has_agreed = True
                self._say(Rematch())
            else:
                left = came_at + SECONDS_ALONE - loop.time()
                await self._wait(None if self._stage is Stage.PLAYING else left)

    async def _wait(self, seconds: float | None) -> None:
        """Wait for a notice; leave if there was none in time."""
        try:
            await asyncio.wait_for(self._woken.wait(), seconds)
        except TimeoutError:
            self._part("nobody came to play")

    # What the room tells

    def _hear(self, notice: Notice[Any]) -> None:
        """Note what a notice says; what is to be done about it is done by `_stay`."""
        self._woken.set()
        match notice:
            case TurnBegan(seat, position, deadline):
                self._turn = Turn(position, seat, deadline) if seat is self._seat else None
            case MovePlayed(seat):
                # Whose turn it is now follows.
                self._turn = None
                if seat is not self._seat:
                    self._advance(Stage.PLAYING)
            case MoveRefused(_, MoveFault.ILLEGAL, reason) | RequestRejected(reason):
                # What was answered before the last turn began is not of interest any more.
                if self._turn is not None and self._turn.is_answered:
                    self._turn.refused = reason
            case Seated(None):
                self._part("there is no free seat")
            case Seated(seat):
                self._seat = seat
                self._advance(Stage.WAITING)
            case SignedUp():
                self._advance(Stage.WAITING)
            case PlayersChanged():
                self._note_players(notice)
            case TermsProposed(seat, game):
                self._seat, self._proposed = seat, game
                self._advance(Stage.PLAYING)
            case TermsAgreed():
                # After a restart these are terms to which it has agreed before.
                self._game, self._proposed = self._proposed or self._game, None
            case TournamentBegan():
                self._advance(Stage.PLAYING)
            case MatchBegan(seat):
                self._seat, self._turn = seat, None
            case MatchEnded():
                self._turn, self._ended = None, notice
            case Ping():
                self._say(Pong())
            case Refused(refusal):
                # That the guest found another opponent meanwhile is nothing unusual.
                self._has_failed = refusal is not Refusal.FULL
                self._part(refusal.value)
            case TermsQuestion():
                # It was sent to a guest, who is gone: nobody is there to play with.
                self._part("there is nobody to play with")
            case Closed(reason):
                self._part(reason)
            case _:
                pass

    def _note_players(self, changed: PlayersChanged) -> None:
        self._players, self._has_agreed = changed, False
        opponent = self._opponent
        if opponent is None and self._stage is Stage.PLAYING:
            self._part("the opponent has left")
        elif opponent is not None and opponent.is_bot:
            self._part("the opponent is a bot of the house, too")
        elif opponent is not None:
            self._advance(Stage.PLAYING)

    def _advance(self, stage: Stage) -> None:
        self._stage = max(self._stage, stage)

    @property
    def _opponent(self) -> SeatInfo | None:
        """The player across the table; None if there is none, or that is not known."""
        if self._players is None or self._seat is None:
            return None
        return self._players.players[1 if self._seat is Seat.FIRST else 0]

    @property
    def _must_wait(self) -> bool:
        """Whether nobody sits across the table yet, so that no move counts."""
        return self._players is not None and self._opponent is None

    @property
    def _is_asked_for_rematch(self) -> bool:
        if self._players is None or self._opponent is None or self._has_agreed:
            return False
        own = self._players.players[0 if self._seat is Seat.FIRST else 1]
        return self._opponent.wants_rematch and not (own and own.wants_rematch)

    @property
    def _is_leaving(self) -> bool:
        return self._stage is Stage.LEAVING

    def _part(self, reason: str) -> None:
        """Leave as soon as possible."""
        if not self._is_leaving:
            log.info("%s: %s leaves: %s", self.room, self.name, reason, extra=self._about())
        self._advance(Stage.LEAVING)
        self._woken.set()
        # What it thinks about is of no interest any more.
        self._thinker.kill()

    # What the bot does

    async def _move(self, turn: Turn) -> None:
        """Think, and play the move."""
        seconds = self._limits.seconds_per_move
        if turn.deadline is not None:
            left = max(self._host.seconds_until(self._client, turn.deadline), 0.0)
            seconds = left if seconds is None else min(left, seconds)
        try:
            if not self._has_begun:
                await self._call(self._thinker.begin, secrets.randbits(53), self._game)
                self._has_begun = True
            thinking = partial(self._thinker.choose, turn.position, turn.seat, seconds)
            move = await self._call(thinking)
        except BotResignedError:
            await self._resign(turn)
        except BotError as fault:
            await self._fail(first_line(fault))
        else:
            if self._turn is turn:
                turn.is_answered = True
                self._say(Play(move))

    async def _resign(self, turn: Turn) -> None:
        """Resign; leave where players cannot."""
        if self._turn is not turn:
            return
        self._say(Resign())
        loop = asyncio.get_running_loop()
        until = loop.time() + SECONDS_TO_RESIGN
        while self._ended is None and not self._is_leaving:
            self._woken.clear()
            try:
                await asyncio.wait_for(self._woken.wait(), until - loop.time())
            except TimeoutError:
                self._part("it resigns")

    async def _confirm(self, game: Game[Any]) -> None:
        """Agree to terms, if a bot can play on them."""
        is_usual, self._game = game == self._game, game
        is_able = is_usual or await self._begin_match(is_trial=True)
        is_able = is_able or await self._replace(is_trial=True)
        if self._proposed is game:
            self._proposed = None
            self._say(Confirm(is_able))

    async def _end_match(self, ended: MatchEnded[Any]) -> None:
        self._ended, self._has_begun = None, False
        await self._call(self._thinker.game_over, ended.position, self._seat, ended.result)
        if self._players is None and not self._is_for_tournaments:
            # Where a table is for one match, nobody can tell whether the opponent is still there.
            self._part("the match is over")

    async def _begin_match(self, is_trial: bool = False) -> bool:
        """Have the bot get ready. Return False if it fails, which is logged.

        `is_trial`: whether it must show that it can play on these terms.
        """
        is_ours = self._text in bots_for(self._game.name)
        seconds = SECONDS_TO_LOAD if is_ours else SECONDS_TO_BEGIN
        thinker, begin = self._thinker, (secrets.randbits(53), self._game, seconds)
        try:
            await self._call(thinker.begin, *begin)
            if is_trial:
                start = self._game.start(0)
                await self._call(thinker.choose, start, start.to_move, SECONDS_TO_TRY)
                await self._call(thinker.begin, *begin)
        except BotResignedError:
            pass
        except BotError as fault:
            self._log_failure(first_line(fault))
            return False
        self._has_begun = True
        return True

    # When it fails

    async def _fail(self, reason: str) -> None:
        """Have another bot go on in the same seat; leave if there is none."""
        if self._turn is not None:
            # The next one moves in its place.
            self._turn.is_answered, self._turn.refused = False, ""
        self._log_failure(reason)
        before = short_name(self._text)
        if await self._replace():
            after = short_name(self._text)
            self._say(Chat(f"{before} has failed; {after} goes on in its place"))
        elif self._has_failed:
            self._say(Chat(f"{before} has failed, and there is no other bot to go on in its place"))

    async def _replace(self, is_trial: bool = False) -> bool:
        """Replace the bot by the next one that is able to begin. Return False if none is."""
        while not self._is_leaving:
            self._thinker.kill()
            await self._call(self._thinker.close)
            if not self._substitutes:
                self._has_failed = True
                log.error(
                    "%s: %s has failed, and so has every bot that could play in its place",
                    self.room,
                    self.name,
                    extra=self._about(),
                )
                self._part("no bot is able to play")
                break
            self._text = self._substitutes.pop(0)
            self._thinker = GuardedBot(
                text=self._text,
                game=self._game,
                limits=self._limits,
                seconds_per_move=self._seconds,
            )
            if await self._begin_match(is_trial):
                return True
        return False

    def _log_failure(self, reason: str) -> None:
        if not self._is_leaving:
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

    def _say(self, request: Request[Any]) -> None:
        self._client.submit(request)

    def _ask_for_patience(self) -> None:
        """Tell those at the table why nothing happens."""
        words = f"{self.name} is getting ready to play; the first time this takes a while"
        log.info("%s: %s", self.room, words, extra=self._about())
        if self.table is not None:
            self._say(SpectatorChat(f"table-{self.table}", self.name, words))

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
        return about(room=self.room, bot=self._bot)


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


def first_line(fault: BotError) -> str:
    """Return the beginning of a text that may have many lines, such as what a bot has printed."""
    return next(iter(str(fault).splitlines()), type(fault).__name__)

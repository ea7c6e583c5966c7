"""A hall from its opening to its end, as `gamehall serve` runs it."""

import asyncio
import contextlib
import logging
import signal
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from gamehall.cli.keeper import Keeper
from gamehall.core import Game
from gamehall.games.catalogue import all_games
from gamehall.rooms.journal import JournalError
from gamehall.server.hall import DoorOpenError, Hall
from gamehall.server.hall_clock import HallClock, keep_beating
from gamehall.server.house_bots import SECONDS_PER_MOVE, HouseBots
from gamehall.server.logged import about
from gamehall.server.plan import WEB, DoorPlan, WebPlan
from gamehall.storage import (
    Database,
    DatabaseJournal,
    LoopJournal,
    PostgresJournal,
    StorageError,
    ThreadJournal,
)
from gamehall.storage.database import Postgres, Sqlite

if TYPE_CHECKING:
    from gamehall.cli.web_serving import WebServing

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 0.05

SECONDS_UNTIL_UNAVAILABLE = 2.0
"""When a commit takes longer, /healthz and the log say that the storage does not answer."""


class Tls(NamedTuple):
    """A certificate: as the doors need it, and where it and its key are, as the pages do."""

    context: ssl.SSLContext
    certificate: str
    key: str | None


class Kept(NamedTuple):
    """Where a hall keeps what must outlive it."""

    database: Database
    fresh: bool
    """Whether games in play are dropped."""

    def journal(
        self, loop: asyncio.AbstractEventLoop, failed: Callable[[str], None]
    ) -> DatabaseJournal:
        """Return the journal of a hall that this loop runs. Raises StorageError."""
        database = self.database
        call_in_loop = partial(_call_in_loop, loop)
        if isinstance(database, Postgres):
            return PostgresJournal(
                database=database, call_in_loop=call_in_loop, failed=failed, fresh=self.fresh
            )
        if isinstance(database, Sqlite) and not database.survives_power_cuts:
            return LoopJournal(
                database=database, call_later=loop.call_later, failed=failed, fresh=self.fresh
            )
        return ThreadJournal(
            database=database, call_in_loop=call_in_loop, failed=failed, fresh=self.fresh
        )


class Opened(NamedTuple):
    """What is open besides the doors of the hall."""

    house_bots: HouseBots
    web: "WebServing | None"


class Serving:
    """Opens a hall and its pages, and closes them when it is time."""

    def __init__(
        self,
        plans: list[DoorPlan],
        host: str,
        web: WebPlan | None,
        tls: Tls | None,
        once: bool,
        seconds_to_drain: float,
        house: Mapping[str, str] | None = None,
        house_limit: float = SECONDS_PER_MOVE,
    ) -> None:
        """`web` is None if there are to be no pages; `house`: for each game the bot of the house.

        `house_limit`: how many seconds a house bot may take over a move.
        """
        self._house_limit = house_limit
        self._plans = plans
        self._host = host
        self._web = web
        self._tls = tls
        self._once = once
        self._seconds_to_drain = seconds_to_drain
        self._house = house
        self._extra_games = _without_door(plans) if web is not None else []
        self._stop = asyncio.Event()
        self._is_closing = False
        self._journal: DatabaseJournal | None = None
        self._overdue_since: float | None = None
        """Since when a commit has been overdue; None if none is."""
        self._clock = HallClock(time.monotonic)

    async def run(self, seed: int, keeper: Keeper, kept: Kept | None, key: bytes) -> None:
        """Plays until a signal comes or, if only once, until everything has been played.

        `kept` is None if nothing is to outlive the hall. `key`: that of the hall.
        """
        loop = asyncio.get_running_loop()
        failure: asyncio.Future[str] = loop.create_future()

        def fail(reason: str) -> None:
            if not failure.done():
                failure.set_result(reason)

        def fail_on_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            loop.default_exception_handler(context)
            error = context.get("exception")
            # Of a task only that task is concerned. After an error in anything else that the loop
            # has called it is not known what was left undone.
            if isinstance(error, MemoryError) or (error is not None and "handle" in context):
                fail(f"an internal error: {error!r}")

        loop.set_exception_handler(fail_on_error)
        journal: DatabaseJournal | None = None
        try:
            if kept:
                journal = kept.journal(loop, lambda why: fail(f"cannot keep what is played: {why}"))
            hall = Hall(
                plans=self._plans,
                seed=seed,
                clock=self._clock.now,
                call_soon=loop.call_soon,
                call_later=loop.call_later,
                observer=keeper,
                journal=journal,
                extra_games=self._extra_games,
                stop_clock=self._stop_clock,
                key=key,
            )
        except (JournalError, StorageError) as error:
            raise click.UsageError(str(error)) from None
        if journal:
            self._journal = journal
            hall.counts.journal = journal.counts
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._heed_signal)
        opened = await self._open(hall, kept.database if kept else None)
        # Not before: until everything is open, what blocks the loop is no stall.
        heartbeat = asyncio.create_task(keep_beating(self._clock))
        playing_for_house = asyncio.create_task(opened.house_bots.run())
        try:
            await self._play(hall, failure)
        finally:
            playing_for_house.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing_for_house
            if opened.web is not None:
                await opened.web.close()
            heartbeat.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await heartbeat
            # What the last turn of the loop has left.
            await asyncio.sleep(0)
            unwritten = journal.finish() if journal else 0
        if unwritten:
            words = "the last moves could not be stored; no player was told that they were played"
            raise click.ClickException(words)

    def _stop_clock(self, is_overdue: bool) -> None:
        """A commit is overdue, or done: meanwhile the players' time does not pass."""
        if is_overdue:
            self._clock.stop("journal")
            self._overdue_since = time.monotonic()
            asyncio.get_running_loop().call_later(
                SECONDS_UNTIL_UNAVAILABLE, self._note_wait, self._overdue_since
            )
        else:
            self._clock.resume("journal")
            self._overdue_since = None

    def _note_wait(self, overdue_since: float) -> None:
        """Log that the storage does not answer, if the commit of that time is still overdue."""
        if self._journal is not None and self._overdue_since == overdue_since:
            self._journal.outage.note_wait(time.monotonic() - overdue_since)

    def _has_storage(self) -> bool:
        """Return False if the storage has not answered for a while."""
        since = self._overdue_since
        return since is None or time.monotonic() < since + SECONDS_UNTIL_UNAVAILABLE

    def _heed_signal(self) -> None:
        """The first signal asks to close; the second, not to wait for anybody."""
        if self._stop.is_set():
            self._seconds_to_drain = 0
        self._stop.set()

    async def _open(self, hall: Hall, database: Database | None) -> Opened:
        """Opens everything, and says so on standard output: the pages, and where each door is."""
        try:
            opened = await hall.open(self._host, self._tls.context if self._tls else None)
            house_bots = HouseBots(hall, self._house, self._house_limit)
            web = None
            if self._web is not None:
                web = self._make_web(self._web, hall, dict(opened), database, house_bots)
                opened.append((WEB, await web.open(self._host)))
        except DoorOpenError as error:
            await hall.close("the server could not start")
            raise click.UsageError(str(error)) from None
        _warn_if_open_to_the_world(self._host, self._tls, self._plans)
        try:
            for name, address in opened:
                click.echo(f"listening {name} {address}")
            click.echo("ready")
        except OSError as error:
            await hall.close("the hall could not say that it is open")
            words = f"cannot write to standard output: {error.strerror}"
            raise click.ClickException(words) from None
        return Opened(house_bots, web)

    def _make_web(
        self,
        plan: WebPlan,
        hall: Hall,
        opened: dict[str, str],
        database: Database | None,
        house_bots: HouseBots,
    ) -> "WebServing":
        # It takes as long to load as all the rest, and many halls have no pages.
        from gamehall.cli.web_serving import WebServing

        return WebServing(
            hall,
            self._plans,
            self._extra_games,
            opened,
            database,
            house_bots,
            (self._tls.certificate, self._tls.key) if self._tls else None,
            plan,
            lambda: not self._is_closing,
            self._has_storage,
        )

    async def _play(self, hall: Hall, failure: "asyncio.Future[str]") -> None:
        reasons: list[asyncio.Future[Any]] = [asyncio.create_task(self._stop.wait()), failure]
        if self._once:
            reasons.append(asyncio.create_task(hall.every_room_has_ended_once()))
        _, waiting = await asyncio.wait(reasons, return_when=asyncio.FIRST_COMPLETED)
        self._is_closing = True
        for task in waiting:
            if task is not failure:
                task.cancel()
        if self._stop.is_set():
            await self._drain(hall, failure)
        elif not failure.done():
            # Those who must ask for it may still want to know how it ended.
            linger = max((p.protocol.seconds_to_linger for p in self._plans), default=0)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), linger)
        self._clock.ignore_stops()
        if failure.done():
            await hall.close("the hall has failed", seconds_to_settle=0)
        else:
            await hall.close("the hall closes")
        if failure.done():
            raise click.ClickException(failure.result())

    async def _drain(self, hall: Hall, failure: "asyncio.Future[str]") -> None:
        """Lets nobody else in, and waits for what goes on to end, as long as there is time."""
        if not self._seconds_to_drain or hall.host.is_over():
            return
        log.info("waiting up to %g seconds for matches to end", self._seconds_to_drain)
        hall.stop_listening()
        begun = time.monotonic()
        # A second signal takes away the time.
        while not hall.host.is_over() and time.monotonic() < begun + self._seconds_to_drain:
            if failure.done():
                return
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)


def _without_door(plans: Sequence[DoorPlan]) -> list[Game[Any]]:
    """The games of which no open door offers plain matches: pages have a room for each of them."""
    played = {plan.protocol.game for plan in plans if not plan.protocol.is_for_tournaments}
    # A room is found by its name: a game that is called like an open door has none of its own.
    doors = {plan.protocol.name for plan in plans}
    return [kind() for name, kind in all_games().items() if name not in played | doors]


def _warn_if_open_to_the_world(host: str, tls: Tls | None, plans: Sequence[DoorPlan]) -> None:
    """Says in words what it means to let others in."""
    try:
        is_here = ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost"
    if is_here:
        return
    if tls is None:
        log.warning(
            "the doors are open to whoever can reach %s, and what is said there can be read on the"
            " way: consider --tls-cert",
            host,
        )
    for plan in plans:
        risk = plan.protocol.risk(plan.settings)
        if risk is not None:
            log.warning("%s: %s", plan.protocol.name, risk, extra=about(door=plan.protocol.name))


def _call_in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Have something called in the loop, from another thread; not if the loop is over."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call)

"""Run a server from its start to its end: doors, web pages, journal, house bots and signals."""

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
import msgspec

from gamehall.cli.logs import BackgroundHandler
from gamehall.core import Game, Seat
from gamehall.games.catalogue import all_games
from gamehall.match import Ending, Record
from gamehall.match.record import player_names
from gamehall.rooms.journal import JournalError
from gamehall.rooms.room import LogLine
from gamehall.rooms.view import TournamentReport
from gamehall.server.hall import DoorOpenError, Hall
from gamehall.server.hall_clock import HallClock, keep_beating
from gamehall.server.house_bots import SECONDS_PER_MOVE, HouseBots
from gamehall.server.logged import about
from gamehall.server.observer import Observer
from gamehall.server.plan import WEB, DoorPlan, WebPlan
from gamehall.storage import (
    Database,
    DatabaseJournal,
    GameLogs,
    LoopJournal,
    PostgresJournal,
    StorageError,
    ThreadJournal,
)
from gamehall.storage.database import Postgres, Sqlite

if TYPE_CHECKING:
    from gamehall.cli.web_serving import WebServing

log = logging.getLogger(__name__)

SECONDS_BETWEEN_CHECKS = 0.05

SECONDS_UNTIL_UNAVAILABLE = 2.0
"""When a commit takes longer, /healthz and the log say that the storage does not answer."""


class OutputObserver(Observer):
    """Logs finished matches, prints the results of tournaments, and writes log files of matches."""

    def __init__(self, game_logs: GameLogs | None, results: BackgroundHandler) -> None:
        self._game_logs = game_logs
        self._results = results

    def match_ended(self, room: str, record: Record) -> None:
        result = record.result
        log.info(
            "%s: %s (%s), match %s, %d moves",
            room,
            _describe_result(record),
            result.how,
            record.match_name,
            len(record.moves),
            extra=about(
                room=room,
                match=record.match_name,
                game=record.game,
                players=record.players,
                moves=len(record.moves),
                winner=result.winner,
                ending=result.ending,
                detail=result.detail,
            ),
        )

    def tournament_ended(self, room: str, report: TournamentReport) -> None:
        self._results.write(f"result {room} {msgspec.json.encode(report).decode()}")

    def line_logged(self, room: str, line: LogLine) -> None:
        if self._game_logs is not None:
            self._game_logs.note(room, line)


class Tls(NamedTuple):
    """A certificate: loaded, for the doors, and as files, for the web server."""

    context: ssl.SSLContext
    certificate: str
    key: str | None


class StoredData(NamedTuple):
    """The database of a server, and whether to drop the games in play."""

    database: Database
    fresh: bool

    def open_journal(
        self, loop: asyncio.AbstractEventLoop, failed: Callable[[str], None]
    ) -> DatabaseJournal:
        """Return the journal for a server in this event loop. Raises StorageError."""
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


class ServerRunner:
    """Opens a server, waits until it should stop, and closes it."""

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
        """Plan a server.

        Args:
            plans: the doors to open.
            host: the address to listen on.
            web: the web door, None if it stays closed.
            tls: the certificate, None without TLS.
            once: stop after the first game or tournament at each door.
            seconds_to_drain: how long to wait for games to end before closing.
            house: the house bot of each game that has one.
            house_limit: the seconds per move after which a house bot is stopped.
        """
        self._house_limit = house_limit
        self._plans = plans
        self._host = host
        self._web = web
        self._tls = tls
        self._once = once
        self._seconds_to_drain = seconds_to_drain
        self._house = house
        self._extra_games = _games_without_door(plans) if web is not None else []
        self._stop = asyncio.Event()
        self._is_closing = False
        self._journal: DatabaseJournal | None = None
        self._overdue_since: float | None = None
        """The time since which a commit has been overdue, None if none is."""
        self._clock = HallClock(time.monotonic)

    async def run(
        self, seed: int, observer: Observer, stored: StoredData | None, key: bytes
    ) -> None:
        """Run until a signal arrives or, with `once`, until everything was played.

        Args:
            seed: decides all random choices.
            observer: is told of finished matches and tournaments.
            stored: the database, None if nothing is stored.
            key: the key for the secrets of players.

        Raises:
            UsageError: the journal or a door cannot be opened.
            ClickException: the server failed.
        """
        loop = asyncio.get_running_loop()
        failure: asyncio.Future[str] = loop.create_future()

        def fail(reason: str) -> None:
            if not failure.done():
                failure.set_result(reason)

        def fail_on_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            loop.default_exception_handler(context)
            error = context.get("exception")
            # An error in a task concerns only that task. After an error in a callback of the loop
            # ("handle") the state of the server is unknown, so stop it.
            if isinstance(error, MemoryError) or (error is not None and "handle" in context):
                fail(f"an internal error: {error!r}")

        loop.set_exception_handler(fail_on_error)
        journal: DatabaseJournal | None = None
        try:
            if stored:
                journal = stored.open_journal(
                    loop, lambda reason: fail(f"cannot store the moves: {reason}")
                )
            hall = Hall(
                plans=self._plans,
                seed=seed,
                clock=self._clock.now,
                call_soon=loop.call_soon,
                call_later=loop.call_later,
                observer=observer,
                journal=journal,
                extra_games=self._extra_games,
                stop_clock=self._stop_clock,
                server_secret=key,
            )
        except (JournalError, StorageError) as error:
            raise click.UsageError(str(error)) from None
        if journal:
            self._journal = journal
            hall.counts.journal = journal.counts
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._handle_signal)
        house_bots, web = await self._open(hall, stored.database if stored else None)
        # Not earlier: opening everything may block the loop, and that is not a stall.
        heartbeat = asyncio.create_task(keep_beating(self._clock))
        house_task = asyncio.create_task(house_bots.run())
        try:
            await self._play(hall, failure)
        finally:
            house_task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await house_task
            if web is not None:
                await web.close()
            heartbeat.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await heartbeat
            # Let the callbacks run that are still due in the loop.
            await asyncio.sleep(0)
            unwritten = journal.finish() if journal else 0
        if unwritten:
            raise click.ClickException(
                "the last moves could not be stored; they were not confirmed to any player"
            )

    def _stop_clock(self, is_overdue: bool) -> None:
        """Stop the players' clocks while a commit is overdue."""
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
        """Log that the storage does not answer, if the same commit is still overdue."""
        if self._journal is not None and self._overdue_since == overdue_since:
            self._journal.outage.note_wait(time.monotonic() - overdue_since)

    def _has_storage(self) -> bool:
        """Return False if the storage has not answered for SECONDS_UNTIL_UNAVAILABLE."""
        since = self._overdue_since
        return since is None or time.monotonic() < since + SECONDS_UNTIL_UNAVAILABLE

    def _handle_signal(self) -> None:
        """Start to close; after the second signal, without waiting for games to end."""
        if self._stop.is_set():
            self._seconds_to_drain = 0
        self._stop.set()

    async def _open(
        self, hall: Hall, database: Database | None
    ) -> "tuple[HouseBots, WebServing | None]":
        """Open the doors and the pages, and print their addresses to standard output."""
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
        _warn_if_reachable_by_others(self._host, self._tls, self._plans)
        try:
            for name, address in opened:
                click.echo(f"listening {name} {address}")
            click.echo("ready")
        except OSError as error:
            await hall.close("the server could not start")
            message = f"cannot write to standard output: {error.strerror}"
            raise click.ClickException(message) from None
        return house_bots, web

    def _make_web(
        self,
        plan: WebPlan,
        hall: Hall,
        opened: dict[str, str],
        database: Database | None,
        house_bots: HouseBots,
    ) -> "WebServing":
        # This import takes as long as all others, and many servers have no pages.
        from gamehall.cli.web_serving import WebServing

        return WebServing(
            hall=hall,
            plans=self._plans,
            extra_games=self._extra_games,
            opened=opened,
            database=database,
            house_bots=house_bots,
            certificate=(self._tls.certificate, self._tls.key) if self._tls else None,
            web=plan,
            is_well=lambda: not self._is_closing,
            has_storage=self._has_storage,
        )

    async def _play(self, hall: Hall, failure: "asyncio.Future[str]") -> None:
        reasons: list[asyncio.Future[Any]] = [asyncio.create_task(self._stop.wait()), failure]
        if self._once:
            reasons.append(asyncio.create_task(hall.wait_until_every_room_has_ended_once()))
        _, waiting = await asyncio.wait(reasons, return_when=asyncio.FIRST_COMPLETED)
        self._is_closing = True
        for task in waiting:
            if task is not failure:
                task.cancel()
        if self._stop.is_set():
            await self._drain(hall, failure)
        elif not failure.done():
            # Clients that poll may still ask how their match ended.
            linger = max((p.protocol.seconds_to_linger for p in self._plans), default=0)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), linger)
        self._clock.ignore_stops()
        if failure.done():
            await hall.close("the server has failed", seconds_to_settle=0)
        else:
            await hall.close("the server closes")
        # Closing may fail as well.
        if failure.done():
            raise click.ClickException(failure.result())

    async def _drain(self, hall: Hall, failure: "asyncio.Future[str]") -> None:
        """Accept no more clients, and wait up to the drain time for games to end."""
        if not self._seconds_to_drain or hall.host.is_over():
            return
        log.info("waiting up to %g seconds for matches to end", self._seconds_to_drain)
        hall.stop_listening()
        began = time.monotonic()
        # A second signal sets the drain time to 0.
        while not hall.host.is_over() and time.monotonic() < began + self._seconds_to_drain:
            if failure.done():
                return
            await asyncio.sleep(SECONDS_BETWEEN_CHECKS)


def _games_without_door(plans: Sequence[DoorPlan]) -> list[Game[Any]]:
    """Return the games without a door for single matches: the pages have a room for each."""
    played = {plan.protocol.game for plan in plans if not plan.protocol.is_for_tournaments}
    # Rooms are found by name, so a game with the name of an open door cannot have a room.
    doors = {plan.protocol.name for plan in plans}
    return [kind() for name, kind in all_games().items() if name not in played | doors]


def _warn_if_reachable_by_others(host: str, tls: Tls | None, plans: Sequence[DoorPlan]) -> None:
    """Log the risks of listening on an address that other computers can reach."""
    try:
        is_local = ip_address(host).is_loopback
    except ValueError:
        is_local = host == "localhost"
    if is_local:
        return
    if tls is None:
        log.warning(
            "other computers can connect to %s, and the connections are not encrypted: consider"
            " --tls-cert",
            host,
        )
    for plan in plans:
        risk = plan.protocol.risk(plan.settings)
        if risk is not None:
            log.warning("%s: %s", plan.protocol.name, risk, extra=about(door=plan.protocol.name))


def _call_in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Call a function in the loop, from another thread. Do nothing if the loop is closed."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


def _describe_result(record: Record) -> str:
    """Return the result with the names of both players."""
    names = dict(zip(Seat, player_names(record.players), strict=True))
    winner = record.result.winner
    if winner is not None:
        return f"{names[winner]} beat {names[winner.other]}"
    both = f"{names[Seat.FIRST]} and {names[Seat.SECOND]}"
    is_drawn = record.result.ending in (Ending.PLAYED_OUT, Ending.TOO_LONG)
    return f"{both} drew" if is_drawn else f"{both} have no winner"

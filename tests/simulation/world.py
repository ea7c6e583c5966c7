"""A world: a server, a network, a disk and clients, which all follow from one seed.

In the first phase there are faults: clients come and go, connections break, the process stalls, the
disk is full, the server crashes. Then all clients leave, and some honest players check that they
can play at every door. At the end the server must be empty.
"""

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from gamehall.match import Record
from gamehall.rooms.room import Room
from gamehall.rooms.view import TournamentReport
from gamehall.server import hosted_room, room_host
from gamehall.server.connection import MAX_BYTES_BEFORE_DROPPING_CHAT
from gamehall.server.hall import SECONDS_TO_RETURN
from gamehall.server.observer import Observer
from gamehall.server.plan import DoorPlan
from gamehall.storage import journal
from tests.simulation.clients import Client
from tests.simulation.database import Folder
from tests.simulation.disk import Disk
from tests.simulation.event_log import EventLog, Violation, captured_logs
from tests.simulation.honest_client import HonestClient
from tests.simulation.hostile_client import HostileClient
from tests.simulation.identities import Owners
from tests.simulation.network import Link
from tests.simulation.plans import NICKNAMES, make_plans
from tests.simulation.prompts import Prompts
from tests.simulation.results import Results
from tests.simulation.scheduler import Conditions, Scheduler
from tests.simulation.server_process import STORES, ServerProcess

START = 1000.0
SECONDS_OF_FAULTS = 60.0
SECONDS_TO_GO = 30.0
SECONDS_TO_FINISH = 400.0
SECONDS_TO_FORGET = SECONDS_TO_RETURN + 120.0
SECONDS_WATCHED = 2.0
"""The time before a crash in which fingerprints are taken, to compare restored rooms with."""

NAMED_DOORS = ("tttp", "santorini-lobby", "santorini-tournament")
"""Doors at which players have names, which may carry secrets."""

PATIENT_DOORS = ("tttp", "santorini-lobby")
"""Doors whose players have names, and so much time that a lost connection loses no turn."""

LINES_SHOWN = 60


class ResultObserver(Observer):
    """Passes the results of matches and tournaments to the checks."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def match_ended(self, room: str, record: Record) -> None:
        self._world.results.take_end(room, record)

    def tournament_ended(self, room: str, report: TournamentReport) -> None:
        clients = self._world.clients
        impersonated = {
            name for one in clients if isinstance(one, HostileClient) for name in one.impersonated
        }
        self._world.results.take_report(room, report, clients, impersonated)


class World:
    """A simulated world."""

    def __init__(self, seed: int) -> None:
        self.event_log = EventLog()
        self.scheduler = Scheduler(self.event_log, START)
        self.is_closing_time = False
        self.clients: list[Client] = []
        self.crashes = 0
        self.lost_connections = 0
        self._random = Random(f"world {seed}")
        self._conditions = Conditions(self._random)
        self._disk = Disk()
        self._store = self._random.choice(STORES)
        self._folder: Folder | None = None
        self._entries_to_compact = self._random.choice([3, 12, hosted_room.ENTRIES_TO_COMPACT])
        self._acknowledged: Counter[tuple[str, int]] = Counter()
        self._has_faults = self._random.random() < 0.7
        self._has_impostors = self._random.random() < 0.25
        """Whether clients at every door use the names of others, whose connections often break."""
        self._plans = make_plans(self._random, keep_seats=self._has_impostors)
        self.results = Results(self._disk, self._plans, self.event_log)
        self._prompts = Prompts()
        self._owners = Owners()
        self._is_one_address = self._random.random() < (0.5 if self._has_impostors else 0.3)
        """Whether all clients have the same address, as in a school."""
        self.note("world", f"journal in {self._store}, compacted at {self._entries_to_compact}")
        for plan in self._plans:
            self.event_log.note("world", f"{plan.protocol.name} into {plan.room}, {plan.settings}")
        self._process: ServerProcess | None = None

    def run(self) -> None:
        """Run all phases. Raises Violation, and any exception of the server."""
        with captured_logs(self.event_log), self._simulated_time(), self._database():
            self._open()
            self._create_clients()
            self._plan_crashes()
            self._plan_stalls()
            self._run_for(SECONDS_OF_FAULTS)
            self._begin_closing_time()
            self._run_for(SECONDS_TO_GO)
            for client in self.clients:
                client.leave("the time is over")
            self._run_for(SECONDS_TO_FORGET)
            self._check_playable()
            self._run_for(SECONDS_TO_FORGET)
            self._check_empty()

    @contextmanager
    def _simulated_time(self) -> Iterator[None]:
        """Let the server measure the durations of commits in simulated time."""
        monotonic = lambda: self.scheduler.now  # noqa: E731
        with (
            patch.object(room_host, "monotonic", monotonic),
            patch.object(hosted_room, "ENTRIES_TO_COMPACT", self._entries_to_compact),
            patch.object(journal, "time", SimpleNamespace(monotonic=monotonic)),
        ):
            yield

    @contextmanager
    def _database(self) -> Iterator[None]:
        """Create a folder for the database, if this world has one."""
        if "memory" in self._store:
            yield
            return
        path = Path(tempfile.mkdtemp(prefix="simulation-"))
        self._folder = Folder(path)
        try:
            yield
        finally:
            shutil.rmtree(path, ignore_errors=True)

    # Phases and faults

    def _open(self) -> None:
        self._process = ServerProcess(
            self._plans,
            self.scheduler,
            self._conditions,
            self._random,
            self.event_log,
            self._disk,
            self._store,
            self._folder,
            ResultObserver(self),
        )
        self._acknowledged.clear()
        self._owners.open_again(self._process.host._presence.members)
        self._process.check_lobbies()
        self.event_log.note("world", "the server is open")

    def _create_clients(self) -> None:
        """Create the clients of each door, and schedule their first connections."""
        random = self._random
        for plan in self._plans:
            is_hostile = self._has_impostors or random.random() < 0.7
            has_impostors = self._has_impostors or (is_hostile and random.random() < 0.3)
            door = plan.protocol.name
            # Without tokens other clients may move for a player. With a short queue, chat of others
            # can get a player disconnected.
            is_exposed = not getattr(plan.settings, "tokens", True) or (
                door == "tttp" and plan.settings.max_bytes_waiting < MAX_BYTES_BEFORE_DROPPING_CHAT
            )
            names: list[str] = []
            for number in range(random.randint(2, 7)):
                # A single changed byte does not turn one of these names into another.
                name = f"{NICKNAMES[door]}{'abcdefgh'[number] * 2}"
                seed = Random(f"{name} {random.getrandbits(32)}")
                secret = plan.settings.secrets and door in NAMED_DOORS and random.random() < 0.5
                client: Client
                if is_hostile and random.random() < 0.5:
                    client = HostileClient(self, plan, name, seed, names if has_impostors else [])
                else:
                    can_be_impersonated = has_impostors and self._is_one_address and not secret
                    exempt = can_be_impersonated or (is_hostile and is_exposed)
                    client = HonestClient(self, plan, name, seed, exempt)
                    names.append(name)
                if secret:
                    client.secret = f"{random.getrandbits(32):x}"
                if not self._is_one_address:
                    client.address = f"127.0.1.{len(self.clients) + 1}"
                self.clients.append(client)
                self.scheduler.after(random.uniform(0, SECONDS_OF_FAULTS * 0.6), client.connect)
        if self._has_faults or self._has_impostors:
            for _ in range(random.randint(6, 12) if self._has_impostors else random.randint(0, 4)):
                self.scheduler.after(random.uniform(1, SECONDS_OF_FAULTS), self._break_connection)

    def _break_connection(self) -> None:
        present = [client for client in self.clients if client.link and not client.is_gone]
        if present:
            client = self._random.choice(present)
            assert client.link is not None
            seconds = 0.0 if self._has_impostors else self._random.choice([0.0, 0.0, 1.0, 8.0])
            self.event_log.note("world", f"the connection to {client.name} breaks")
            # The client returns to its seat if its turns are long and the server noticed the loss.
            is_kept = client.plan.settings.return_seconds > 0 and seconds == 0.0
            if not is_kept or client.plan.protocol.name not in PATIENT_DOORS:
                client.is_exempt = True
            client.link.fail(seconds)
            self.lost_connections += 1
            hostile = [one for one in self.clients if isinstance(one, HostileClient)]
            impostors = [one for one in hostile if one.can_impersonate(client.name)]
            if impostors and self._random.random() < 0.7:
                impostor = self._random.choice(impostors)
                self.scheduler.after(seconds + 0.05, partial(impostor.impersonate, client.name))

    def _plan_crashes(self) -> None:
        when = 0.0
        for _ in range(self._random.choice([0, 1, 1, 2, 4])):
            when += self._random.uniform(1.0, SECONDS_OF_FAULTS / 2)
            end = self._random.choice(
                [self._crash, self._crash_at_a_result, self._crash_at_a_commit, self._close]
            )
            self.scheduler.after(when - SECONDS_WATCHED, self._watch)
            self.scheduler.after(when, end)

    def _watch(self) -> None:
        if self._process is not None:
            self._process.journal.is_watched = True

    def _crash_at_a_result(self) -> None:
        """Crash when the next match has ended, before that is committed."""
        if self._process is not None:
            self._process.journal.at_next_record = self._crash

    def _crash_at_a_commit(self) -> None:
        """Crash after the next commit, before its notices are delivered."""
        if self._process is not None and self._process.is_open:
            self._process.crash_at_next_commit(self._crash)

    def _crash(self) -> None:
        if self._process is not None and self._process.is_open:
            self.event_log.note("world", "the server crashes")
            self.lost_connections += self._process.connections
            self._check_restorable(self._process.crash())
            self._process.check_damage()
            self._reopen_later()

    def _check_restorable(self, rooms: Mapping[str, Room[Any]]) -> None:
        """Check the rooms that can be restored after a run of the server. Raises Violation."""
        assert self._process is not None
        self.event_log.check()
        self.results.check_restored(rooms)
        self._process.compare(rooms)

    def _plan_stalls(self) -> None:
        """Schedule stalls of the process, and times at which the disk is full."""
        if not self._has_faults:
            return
        for _ in range(self._random.choice([0, 1, 3])):
            seconds = self._random.choice([0.4, 3.0, 7.0, 20.0])
            when = self._random.uniform(1.0, SECONDS_OF_FAULTS)
            self.scheduler.after(when, partial(self._stall, seconds))
        for _ in range(self._random.choice([0, 1, 2])):
            when = self._random.uniform(1.0, SECONDS_OF_FAULTS)
            self.scheduler.after(when, self._fill_disk)

    def _stall(self, seconds: float) -> None:
        if self._process is not None:
            self._process.stall(seconds)

    def _fill_disk(self) -> None:
        if self._process is not None and self._process.is_open:
            process = self._process
            process.journal.set_full(True)
            seconds = self._random.choice([0.1, 1.0, 6.0, 15.0])

            def end() -> None:
                if process is self._process and process.is_open:
                    process.journal.set_full(False)

            self.scheduler.after(seconds, end)

    def _close(self) -> None:
        """Close the server in an orderly way."""
        if self._process is not None and self._process.is_stalled:
            self.scheduler.after(1.0, self._close)
        elif self._process is not None and self._process.is_open:
            self.event_log.note("world", "the server closes")
            self._process.begin_to_close()
            self.scheduler.after(10.0, self._finish_closing)

    def _finish_closing(self) -> None:
        assert self._process is not None
        if not self._process.is_empty:
            raise Violation("a server that closes does not close all connections")
        self._check_restorable(self._process.end())
        self._reopen_later()

    def _reopen_later(self) -> None:
        self._process = None
        self.crashes += 1
        self.scheduler.after(self._random.uniform(0.01, 8.0), self._open)

    def _begin_closing_time(self) -> None:
        """Let hostile clients leave, and stop others from reconnecting."""
        self.event_log.note("world", "it is closing time")
        self.is_closing_time = True
        for client in self.clients:
            client.is_exempt = True
            if isinstance(client, HostileClient):
                client.leave("it is closing time")

    def _check_playable(self) -> None:
        """Check that honest players can finish a match at every door, without faults."""
        self.event_log.note("world", "all have left; honest players connect")
        self.is_closing_time = False
        idle = {plan.protocol.name for plan in self._plans}
        for attempt in range(3):
            fresh = [client for plan in self._plans for client in self._pair(plan, attempt)]
            self.clients += fresh
            for client in fresh:
                client.connect()
            self._run_for(SECONDS_TO_FINISH, partial(_are_gone, fresh))
            for client in fresh:
                # a player without an opponent leaves by ending its input.
                client.is_exempt = True
                client.leave("the time is over")
            self._run_for(SECONDS_TO_FORGET)
            idle -= {client.plan.protocol.name for client in fresh if client.has_played}
            if not idle:
                return
        raise Violation(f"no match could be finished at {sorted(idle)}")

    def _pair(self, plan: DoorPlan, attempt: int) -> list[HonestClient]:
        """Return enough players to play at every table of a door."""
        wanted = max(getattr(plan.settings, "players", 0), 2) * getattr(plan.settings, "tables", 1)
        names = [
            f"{NICKNAMES[plan.protocol.name]}{'xyz'[attempt]}{'abcdef'[n]}" for n in range(wanted)
        ]
        exempt = plan.protocol.name == "ascension-http" and attempt < 2
        return [
            HonestClient(self, plan, name, Random(f"{name} {self._random.random()}"), exempt)
            for name in names
        ]

    def _run_for(self, seconds: float, is_over: Callable[[], bool] = lambda: False) -> None:
        """Run for some seconds, or until `is_over`, and check the world every second."""
        end = self.scheduler.now + seconds
        while self.scheduler.now < end and not is_over():
            self.scheduler.run(min(end, self.scheduler.now + 1.0))
            self._check()

    # Called by clients

    def connect(self, client: Client) -> Link | None:
        if self._process is None or not self._process.is_open:
            return None
        link = self._process.connect(client.plan.protocol.name, client)
        self.note(client.name, f"comes to {client.plan.protocol.name} as {link.address}")
        return link

    def note(self, who: str, what: str) -> None:
        self.event_log.note(who, what)

    # Checks

    def check_acknowledged(self, client: Client, link: Link) -> None:
        """Raise Violation if a move was acknowledged that is not durable."""
        assert link.peer is not None
        mover = client.plan.room, link.peer
        self._acknowledged[mover] += 1
        if self._acknowledged[mover] > self._disk.moves[mover]:
            raise Violation(
                "a journal line is lost, or is told before it is committed:"
                f" {client.name} has heard of"
                f" {self._acknowledged[mover]} moves that it made, and {self._disk.moves[mover]}"
                " are on the disk"
            )

    def check_identity(self, client: Client, link: Link) -> None:
        """Raise Violation if data was sent to the wrong client."""
        if link.peer is not None:
            self._owners.check(client, link)

    def _check(self) -> None:
        """Make the checks that hold at any time."""
        self.results.check()
        if self._process is not None and self._process.is_open:
            now = self._process.clock_check.shows
            self._prompts.check(self._process.rooms(), self.clients, now)
            self._process.check_lobbies()

    def _check_empty(self) -> None:
        """Raise Violation if anything is left of the clients."""
        assert self._process is not None
        leftovers = self._process.leftovers()
        if leftovers:
            raise Violation(f"there is left: {'; '.join(leftovers)}")


def _are_gone(clients: Sequence[Client]) -> bool:
    return all(client.is_gone for client in clients)


def run_world(seed: int) -> World:
    """Run a world. Raises Violation with the seed and the last lines of the log."""
    world = World(seed)
    try:
        world.run()
    except Exception as error:
        raise Violation(
            f"seed {seed}: {type(error).__name__}: {error}\n{world.event_log.text(LINES_SHOWN)}"
        ) from error
    return world

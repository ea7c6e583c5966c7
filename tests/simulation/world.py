"""A whole world under one seed: a hall, a network, a disk, clients, and what must be true of them.

First there is turmoil: people come and go, lines break, the process stalls, the disk is full, the
hall crashes. Then everybody goes, and
a few honest players come once more, to see whether the hall is still what it should be. In the end
it must be empty.
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
from tests.simulation.chronicle import Chronicle, Violation, trapped_logs
from tests.simulation.clients import Client
from tests.simulation.clockwork import Clockwork, Weather
from tests.simulation.database import Folder
from tests.simulation.disk import Disk
from tests.simulation.honest import Honest
from tests.simulation.hostile import Hostile
from tests.simulation.house import STORES, House
from tests.simulation.identities import Owners
from tests.simulation.plans import NICKNAMES, make_plans
from tests.simulation.prompts import Prompts
from tests.simulation.results import Results
from tests.simulation.wires import Wire

START = 1000.0
SECONDS_OF_TURMOIL = 60.0
SECONDS_TO_GO = 30.0
SECONDS_TO_FINISH = 400.0
SECONDS_TO_FORGET = SECONDS_TO_RETURN + 120.0
SECONDS_WATCHED = 2.0
"""Before a crash, so that it is known how rooms looked when any entry that it spares was made."""

NAMED_DOORS = ("tttp", "santorini-lobby", "santorini-tournament")
"""Where players have names, which may carry secrets."""

PATIENT_DOORS = ("tttp", "santorini-lobby")
"""Where a turn is so long that nobody loses it by a broken line, and everybody has a name."""

LINES_SHOWN = 60


class Notebook(Observer):
    """Remembers what matches and tournaments have come to."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def match_ended(self, room: str, record: Record) -> None:
        self._world.results.take_end(room, record)

    def tournament_ended(self, room: str, report: TournamentReport) -> None:
        clients = self._world.clients
        stolen = {name for one in clients if isinstance(one, Hostile) for name in one.stolen}
        self._world.results.take_report(room, report, clients, stolen)


class World:
    """Everything that follows from one seed."""

    def __init__(self, seed: int) -> None:
        self.chronicle = Chronicle()
        self.clockwork = Clockwork(self.chronicle, START)
        self.is_closing_time = False
        self.clients: list[Client] = []
        self.crashes = 0
        self.lost_connections = 0
        self._random = Random(f"world {seed}")
        self._weather = Weather(self._random)
        self._disk = Disk()
        self._store = self._random.choice(STORES)
        self._folder: Folder | None = None
        self._entries_to_compact = self._random.choice([3, 12, hosted_room.ENTRIES_TO_COMPACT])
        self._acknowledged: Counter[tuple[str, int]] = Counter()
        self._is_rough = self._random.random() < 0.7
        self._has_thieves = self._random.random() < 0.25
        """Whether at every door some are after the seats of others, whose lines often break."""
        self._plans = make_plans(self._random, keep_seats=self._has_thieves)
        self.results = Results(self._disk, self._plans, self.chronicle)
        self._prompts = Prompts()
        self._owners = Owners()
        self._is_one_address = self._random.random() < (0.5 if self._has_thieves else 0.3)
        """Whether everybody comes from the same address, as the pupils of a school may."""
        self.note("world", f"journal in {self._store}, compacted at {self._entries_to_compact}")
        for plan in self._plans:
            self.chronicle.note("world", f"{plan.protocol.name} into {plan.room}, {plan.settings}")
        self._house: House | None = None

    def run(self) -> None:
        """From the opening to the empty hall. Raises Violation, and whatever the hall raises."""
        with trapped_logs(self.chronicle), self._simulated_time(), self._database():
            self._open()
            self._invite()
            self._plan_crashes()
            self._plan_stalls()
            self._pass(SECONDS_OF_TURMOIL)
            self._call_time()
            self._pass(SECONDS_TO_GO)
            for client in self.clients:
                client.leave("it is late")
            self._pass(SECONDS_TO_FORGET)
            self._try_out()
            self._pass(SECONDS_TO_FORGET)
            self._check_empty()

    @contextmanager
    def _simulated_time(self) -> Iterator[None]:
        """Have the hall measure in simulated time how long commits take."""
        monotonic = lambda: self.clockwork.now  # noqa: E731
        with (
            patch.object(room_host, "monotonic", monotonic),
            patch.object(hosted_room, "ENTRIES_TO_COMPACT", self._entries_to_compact),
            patch.object(journal, "time", SimpleNamespace(monotonic=monotonic)),
        ):
            yield

    @contextmanager
    def _database(self) -> Iterator[None]:
        """Have a folder for the database, if this world has one."""
        if "memory" in self._store:
            yield
            return
        path = Path(tempfile.mkdtemp(prefix="simulation-"))
        self._folder = Folder(path)
        try:
            yield
        finally:
            shutil.rmtree(path, ignore_errors=True)

    # What the world does.

    def _open(self) -> None:
        self._house = House(
            self._plans,
            self.clockwork,
            self._weather,
            self._random,
            self.chronicle,
            self._disk,
            self._store,
            self._folder,
            Notebook(self),
        )
        self._acknowledged.clear()
        self._owners.open_again(self._house.host._presence.members)
        self._house.check_lobbies()
        self.chronicle.note("world", "the hall is open")

    def _invite(self) -> None:
        """Who comes to which door, and when."""
        random = self._random
        for plan in self._plans:
            is_hostile = self._has_thieves or random.random() < 0.7
            has_thieves = self._has_thieves or (is_hostile and random.random() < 0.3)
            door = plan.protocol.name
            # Others may move for those who have no token, and drown in talk who keeps but little.
            is_exposed = not getattr(plan.settings, "tokens", True) or (
                door == "tttp" and plan.settings.max_bytes_waiting < MAX_BYTES_BEFORE_DROPPING_CHAT
            )
            names: list[str] = []
            for number in range(random.randint(2, 7)):
                # No single changed byte makes one of these names another.
                name = f"{NICKNAMES[door]}{'abcdefgh'[number] * 2}"
                seed = Random(f"{name} {random.getrandbits(32)}")
                secret = plan.settings.secrets and door in NAMED_DOORS and random.random() < 0.5
                client: Client
                if is_hostile and random.random() < 0.5:
                    client = Hostile(self, plan, name, seed, names if has_thieves else [])
                else:
                    can_be_robbed = has_thieves and self._is_one_address and not secret
                    excused = can_be_robbed or (is_hostile and is_exposed)
                    client = Honest(self, plan, name, seed, excused)
                    names.append(name)
                if secret:
                    client.secret = f"{random.getrandbits(32):x}"
                if not self._is_one_address:
                    client.address = f"127.0.1.{len(self.clients) + 1}"
                self.clients.append(client)
                self.clockwork.after(random.uniform(0, SECONDS_OF_TURMOIL * 0.6), client.arrive)
        if self._is_rough or self._has_thieves:
            for _ in range(random.randint(6, 12) if self._has_thieves else random.randint(0, 4)):
                self.clockwork.after(random.uniform(1, SECONDS_OF_TURMOIL), self._break_a_line)

    def _break_a_line(self) -> None:
        present = [client for client in self.clients if client.wire and not client.is_gone]
        if present:
            client = self._random.choice(present)
            assert client.wire is not None
            seconds = 0.0 if self._has_thieves else self._random.choice([0.0, 0.0, 1.0, 8.0])
            self.chronicle.note("world", f"the line to {client.name} breaks")
            # Who has enough time, and whom the hall has missed already, comes back to its place.
            is_kept = client.plan.settings.return_seconds > 0 and seconds == 0.0
            if not is_kept or client.plan.protocol.name not in PATIENT_DOORS:
                client.is_excused = True
            client.wire.break_down(seconds)
            self.lost_connections += 1
            hostile = [one for one in self.clients if isinstance(one, Hostile)]
            thieves = [one for one in hostile if one.can_steal(client.name)]
            if thieves and self._random.random() < 0.7:
                thief = self._random.choice(thieves)
                self.clockwork.after(seconds + 0.05, partial(thief.steal, client.name))

    def _plan_crashes(self) -> None:
        when = 0.0
        for _ in range(self._random.choice([0, 1, 1, 2, 4])):
            when += self._random.uniform(1.0, SECONDS_OF_TURMOIL / 2)
            end = self._random.choice(
                [self._crash, self._crash_at_a_result, self._crash_at_a_commit, self._close]
            )
            self.clockwork.after(when - SECONDS_WATCHED, self._watch)
            self.clockwork.after(when, end)

    def _watch(self) -> None:
        if self._house is not None:
            self._house.journal.is_watched = True

    def _crash_at_a_result(self) -> None:
        """The hall will crash when the next match has ended, before that is committed."""
        if self._house is not None:
            self._house.journal.at_next_record = self._crash

    def _crash_at_a_commit(self) -> None:
        """The hall will crash after its next commit, before anything of that is delivered."""
        if self._house is not None and self._house.is_open:
            self._house.crash_at_next_commit(self._crash)

    def _crash(self) -> None:
        if self._house is not None and self._house.is_open:
            self.chronicle.note("world", "the hall crashes")
            self.lost_connections += self._house.connections
            self._check_restorable(self._house.crash())
            self._house.check_damage()
            self._reopen_later()

    def _check_restorable(self, rooms: Mapping[str, Room[Any]]) -> None:
        """Check the rooms that a hall leaves behind. Raises Violation."""
        assert self._house is not None
        self.chronicle.check()
        self.results.check_restored(rooms)
        self._house.compare(rooms)

    def _plan_stalls(self) -> None:
        """The process stops for a while, the disk is full for a while."""
        if not self._is_rough:
            return
        for _ in range(self._random.choice([0, 1, 3])):
            seconds = self._random.choice([0.4, 3.0, 7.0, 20.0])
            when = self._random.uniform(1.0, SECONDS_OF_TURMOIL)
            self.clockwork.after(when, partial(self._stall, seconds))
        for _ in range(self._random.choice([0, 1, 2])):
            when = self._random.uniform(1.0, SECONDS_OF_TURMOIL)
            self.clockwork.after(when, self._fill_disk)

    def _stall(self, seconds: float) -> None:
        if self._house is not None:
            self._house.stall(seconds)

    def _fill_disk(self) -> None:
        if self._house is not None and self._house.is_open:
            house = self._house
            house.journal.set_full(True)
            seconds = self._random.choice([0.1, 1.0, 6.0, 15.0])

            def end() -> None:
                if house is self._house and house.is_open:
                    house.journal.set_full(False)

            self.clockwork.after(seconds, end)

    def _close(self) -> None:
        """The hall is told to close, and does so."""
        if self._house is not None and self._house.is_stalled:
            self.clockwork.after(1.0, self._close)
        elif self._house is not None and self._house.is_open:
            self.chronicle.note("world", "the hall closes")
            self._house.begin_to_close()
            self.clockwork.after(10.0, self._finish_closing)

    def _finish_closing(self) -> None:
        assert self._house is not None
        if not self._house.is_empty:
            raise Violation("a hall that closes does not get rid of its guests")
        self._check_restorable(self._house.end())
        self._reopen_later()

    def _reopen_later(self) -> None:
        self._house = None
        self.crashes += 1
        self.clockwork.after(self._random.uniform(0.01, 8.0), self._open)

    def _call_time(self) -> None:
        """Whoever is not in a match by now has to go, and the others soon."""
        self.chronicle.note("world", "it is closing time")
        self.is_closing_time = True
        for client in self.clients:
            client.is_excused = True
            if isinstance(client, Hostile):
                client.leave("it is closing time")

    def _try_out(self) -> None:
        """Honest players, at every door, in a calm world: they must come to an end."""
        self.chronicle.note("world", "all are gone, and honest players come")
        self.is_closing_time = False
        idle = {plan.protocol.name for plan in self._plans}
        for attempt in range(3):
            fresh = [client for plan in self._plans for client in self._pair(plan, attempt)]
            self.clients += fresh
            for client in fresh:
                client.arrive()
            self._pass(SECONDS_TO_FINISH, partial(_are_gone, fresh))
            for client in fresh:
                # Who has nobody to play with goes: to hang up while one waits is to leave.
                client.is_excused = True
                client.leave("it is late")
            self._pass(SECONDS_TO_FORGET)
            idle -= {client.plan.protocol.name for client in fresh if client.has_played}
            if not idle:
                return
        raise Violation(f"nobody could play at {sorted(idle)}")

    def _pair(self, plan: DoorPlan, attempt: int) -> list[Honest]:
        """As many as it takes to play at every table behind a door."""
        wanted = max(getattr(plan.settings, "players", 0), 2) * getattr(plan.settings, "tables", 1)
        names = [
            f"{NICKNAMES[plan.protocol.name]}{'xyz'[attempt]}{'abcdef'[n]}" for n in range(wanted)
        ]
        excused = plan.protocol.name == "ascension-http" and attempt < 2
        return [
            Honest(self, plan, name, Random(f"{name} {self._random.random()}"), excused)
            for name in names
        ]

    def _pass(self, seconds: float, is_over: Callable[[], bool] = lambda: False) -> None:
        """Lets so much time pass, or less if it is over before."""
        end = self.clockwork.now + seconds
        while self.clockwork.now < end and not is_over():
            self.clockwork.run(min(end, self.clockwork.now + 1.0))
            self._check()

    # What its clients ask of it.

    def connect(self, client: Client) -> Wire | None:
        if self._house is None or not self._house.is_open:
            return None
        wire = self._house.connect(client.plan.protocol.name, client)
        self.note(client.name, f"comes to {client.plan.protocol.name} as {wire.address}")
        return wire

    def note(self, who: str, what: str) -> None:
        self.chronicle.note(who, what)

    # What must be true.

    def check_acknowledged(self, client: Client, wire: Wire) -> None:
        """Every move that a client has seen acknowledged is safe."""
        assert wire.peer is not None
        mover = client.plan.room, wire.peer
        self._acknowledged[mover] += 1
        if self._acknowledged[mover] > self._disk.moves[mover]:
            raise Violation(
                "a journal line is lost, or is told before it is committed:"
                f" {client.name} has heard of"
                f" {self._acknowledged[mover]} moves that it made, and {self._disk.moves[mover]}"
                " are on the disk"
            )

    def check_identity(self, client: Client, wire: Wire) -> None:
        """Nobody hears what is meant for another."""
        if wire.peer is not None:
            self._owners.check(client, wire)

    def _check(self) -> None:
        """What must be true at any time."""
        self.results.check()
        if self._house is not None and self._house.is_open:
            now = self._house.clock_check.shows
            self._prompts.check(self._house.rooms(), self.clients, now)
            self._house.check_lobbies()

    def _check_empty(self) -> None:
        """Nothing is left of those who are gone."""
        assert self._house is not None
        leftovers = self._house.leftovers()
        if leftovers:
            raise Violation(f"there is left: {'; '.join(leftovers)}")


def _are_gone(clients: Sequence[Client]) -> bool:
    return all(client.is_gone for client in clients)


def run_world(seed: int) -> World:
    """Runs a world. Raises Violation with the seed and the end of the chronicle."""
    world = World(seed)
    try:
        world.run()
    except Exception as error:
        raise Violation(
            f"seed {seed}: {type(error).__name__}: {error}\n{world.chronicle.text(LINES_SHOWN)}"
        ) from error
    return world

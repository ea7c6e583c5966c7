"""The cost of a move at a door, as a ratio to a bare relay of the same bytes.

In each round all servers run at the same time, and the load moves from one to the next every
fraction of a second, so that noise affects all of them equally.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, cast

import msgspec
import uvloop

from benchmarks.measuring import (
    BenchmarkError,
    Effort,
    Server,
    bare_command,
    connect,
    connected,
    cpu_seconds,
    gamehall_command,
    raise_open_files_limit,
    ratios,
    running,
    show_progress,
    spread,
    table,
)
from benchmarks.scripts import (
    FIRST,
    SCRIPTS,
    SECOND,
    UNLIMITED,
    Conversation,
    Recorded,
    Script,
    Step,
    from_recorded,
    play,
    record,
)

SLICE_SECONDS = 0.2
SECONDS_TO_START_LOAD = 0.02
SECONDS_TO_FINISH = 10.0

ECHO, RELAY = "bare echo", "bare relay"
WITHOUT_JOURNAL, WITH_JOURNAL = "door, no journal", "door, journal"


def tttp(effort: Effort) -> Iterator[str]:
    """Connect Four over TTTP: many connections, and a single pair, with and without the journal."""
    yield from compare(effort, "tttp", effort.connections // 2)
    yield ""
    yield from compare(effort, "tttp", 1)


def other_doors(effort: Effort) -> Iterator[str]:
    """A single pair at every other door that is not HTTP, with the journal."""
    rows: dict[str, Sequence[str]] = {}
    for door in SCRIPTS:
        costs = measure(effort, door, 1, (RELAY, WITH_JOURNAL)).costs
        rows[f"{door}, bare relay"] = [spread(costs[RELAY], ".1f"), ""]
        rows[door] = [
            spread(costs[WITH_JOURNAL], ".1f"),
            spread(ratios(costs[WITH_JOURNAL], costs[RELAY])),
        ]
    title = f"a single pair at a door with a journal, {effort.rounds} rounds"
    yield from table(title, ("CPU us/move", "to its relay"), rows)


def compare(effort: Effort, door: str, pairs: int) -> Iterator[str]:
    """Measure all servers with this many pairs, and yield the table."""
    measured = measure(effort, door, pairs, (ECHO, RELAY, WITHOUT_JOURNAL, WITH_JOURNAL))
    rows = {
        kind: [
            spread(costs, ".1f"),
            spread(measured.rates[kind], ",.0f"),
            spread(ratios(costs, measured.costs[ECHO])),
            spread(ratios(costs, measured.costs[RELAY])),
        ]
        for kind, costs in measured.costs.items()
    }
    players = "a single pair" if pairs == 1 else f"{2 * pairs} connections"
    title = f"{door}, {players}, {effort.rounds} rounds of {effort.seconds:g} s"
    yield from table(title, ("CPU us/move", "moves/s", "to echo", "to relay"), rows)


class Measured(NamedTuple):
    """By server, a value for each round."""

    costs: dict[str, list[float]]
    """CPU time of the server, in microseconds per move."""
    rates: dict[str, list[float]]
    """Moves per second."""


def measure(effort: Effort, door: str, pairs: int, kinds: Sequence[str]) -> Measured:
    """Play the script of a door at new servers of these kinds in each round."""
    raise_open_files_limit()
    script = SCRIPTS[door]
    seconds = min(effort.seconds, script.longest_seconds)
    measured = Measured({kind: [] for kind in kinds}, {kind: [] for kind in kinds})
    with tempfile.TemporaryDirectory(prefix="gamehall-benchmark-") as name:
        folder = Path(name)
        conversation = recorded(door, script)
        for number in range(1, effort.rounds + 1):
            show_progress(f"{door}, {pairs} pairs, round {number} of {effort.rounds}")
            with ExitStack() as stack:
                servers = {
                    kind: stack.enter_context(
                        running(command(kind, door, pairs, conversation, folder / f"{number}"))
                    )
                    for kind in kinds
                }
                for kind, load in uvloop.run(
                    play_in_turn(servers, script, conversation, pairs, seconds)
                ).items():
                    measured.costs[kind].append(load.cpu_seconds / load.moves * 1e6)
                    measured.rates[kind].append(load.moves / load.seconds)
    show_progress("")
    return measured


def recorded(door: str, script: Script) -> Conversation:
    """Play the script at a server, and return the messages with its answers."""
    command = gamehall_command({door: {**script.settings, **UNLIMITED}}, None)
    with running(command) as server, connected(server, 2) as pair:
        return record(script, pair)


def command(
    kind: str, door: str, pairs: int, conversation: Conversation, folder: Path
) -> Sequence[str]:
    """Return the command of a server, which keeps its files in the folder."""
    if kind in (ECHO, RELAY):
        folder.mkdir(exist_ok=True)
        file = folder / kind
        file.write_bytes(msgspec.msgpack.encode([answers(part, kind) for part in conversation]))
        return bare_command("relay", file)
    script = SCRIPTS[door]
    tables = {"tables": pairs} if door == "tttp" else {}
    settings = {**script.settings, **UNLIMITED, **tables}
    return gamehall_command({door: settings}, folder / "data" if kind == WITH_JOURNAL else None)


def answers(steps: Sequence[Recorded], kind: str) -> list[tuple[bytes, bytes]]:
    """Return what a bare server sends to both players. An echo only answers the sender."""
    sent = []
    for player, message, (first, second) in steps:
        if kind == ECHO:
            first, second = (first, b"") if player == FIRST else (b"", second)
        if message:
            sent.append((first, second))
    return sent


# The load


class Load(NamedTuple):
    """The work of a server up to some time, or between two times."""

    moves: int
    seconds: float
    cpu_seconds: float


class Player(asyncio.Protocol):
    """One player of a pair. It compares all data with the recorded answers."""

    __slots__ = (
        *("_expected", "_lap_length", "_pair", "_position"),
        *("due", "received", "transport", "write"),
    )

    transport: asyncio.Transport
    write: Callable[[bytes], None]

    def __init__(self, pair: "Pair", lap: bytes) -> None:
        self._pair = pair
        self._expected = lap * 2
        self._lap_length = max(1, len(lap))
        self._position = 0
        self.due = self.received = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.write = self.transport.write

    def data_received(self, data: bytes) -> None:
        end = self._position + len(data)
        if data != self._expected[self._position : end]:
            self._pair.problem = f"{data!r} differs from the recorded answer"
        self._position = end % self._lap_length
        self.received += len(data)
        if self._pair.awaited is self and self.received == self.due:
            self._pair.when_answered()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._pair.is_over:
            self._pair.problem = f"the server closed the connection ({exc})"


class Pair:
    """Two players who play lap after lap, with one message in flight."""

    __slots__ = (
        *("_steps", "awaited", "is_over", "is_paused", "moves", "players", "problem"),
        "when_answered",
    )

    def __init__(self, lap: Sequence[tuple[int, bytes, tuple[bytes, bytes]]]) -> None:
        self.players = [
            Player(self, b"".join(sent[number] for _, _, sent in lap)) for number in (FIRST, SECOND)
        ]
        self._steps = []
        for number, (player, message, sent) in enumerate(lap):
            # The player of the next message waits for its answer to this one. If only the sender is
            # answered, as by an echo, that answer is awaited instead.
            next_player = lap[(number + 1) % len(lap)][0]
            awaited = next_player if sent[next_player] else player
            self._steps.append(
                (self.players[player], message, len(sent[0]), len(sent[1]), self.players[awaited])
            )
        self.awaited = self.players[FIRST]
        self.moves = 0
        self.is_paused = True
        self.is_over = False
        self.problem: str | None = None
        self.when_answered: Callable[[], None] = self.advance
        """Called when the last message is answered."""

    def advance(self) -> None:
        """Send the next message."""
        if self.is_paused:
            return
        player, message, to_first, to_second, self.awaited = self._steps[
            self.moves % len(self._steps)
        ]
        self.moves += 1
        first, second = self.players
        first.due += to_first
        second.due += to_second
        player.write(message)

    def is_idle(self) -> bool:
        """Return True if every message has been answered."""
        return all(player.received == player.due for player in self.players)


async def play_in_turn(
    servers: Mapping[str, Server],
    script: Script,
    conversation: Conversation,
    pairs: int,
    seconds: float,
) -> dict[str, Load]:
    """Play at all servers in turn, for `seconds` at each. Return the load of each."""
    playing: dict[str, list[Pair]] = {}
    try:
        for kind, server in servers.items():
            playing[kind] = await seat(server, kind, script, conversation, pairs)
        return await play_slices(servers, playing, seconds)
    finally:
        for seated in playing.values():
            for pair in seated:
                pair.is_over = True
                for player in pair.players:
                    player.transport.abort()
        await asyncio.sleep(0)  # Let the loop close the transports.


async def play_slices(
    servers: Mapping[str, Server], playing: Mapping[str, Sequence[Pair]], seconds: float
) -> dict[str, Load]:
    """Move the load from server to server until each has had it for `seconds`."""
    slices = max(1, round(seconds / SLICE_SECONDS))
    loads: dict[str, list[Load]] = {kind: [] for kind in servers}
    for number in range(slices + 1):
        for kind, server in servers.items():
            load = await play_slice(kind, server, playing[kind], seconds / slices)
            if number:  # The first slice warms up.
                loads[kind].append(load)
    return {kind: Load(*map(sum, zip(*done, strict=True))) for kind, done in loads.items()}


async def seat(
    server: Server, kind: str, script: Script, conversation: Conversation, pairs: int
) -> list[Pair]:
    """Connect the pairs and play the opening, one pair after the other, as tables fill in order."""
    loop = asyncio.get_running_loop()
    opening, lap = conversation
    sent = [(step.player, step.message, step.answers) for step in lap]
    steps: Sequence[Step] = script.opening
    count = script.count
    if kind in (ECHO, RELAY):
        steps = from_recorded(
            [step._replace(answers=one) for step, one in zip(
                [step for step in opening if step.message], answers(opening, kind), strict=True
            )]
        )  # fmt: skip
        sent = [
            (step.player, step.message, one)
            for step, one in zip(lap, answers(lap, kind), strict=True)
        ]
        count = len
    seated = []
    for number in range(pairs):
        sockets = connect(server, 2)
        play(steps, sockets, count, number)
        pair = Pair(sent)
        for player, one in zip(pair.players, sockets, strict=True):
            one.setblocking(False)
            await loop.create_connection(lambda player=player: player, sock=one)  # type: ignore[misc]
        seated.append(pair)
    return seated


async def play_slice(kind: str, server: Server, seated: Sequence[Pair], seconds: float) -> Load:
    """Play for `seconds`, and wait for the last answers. Raises BenchmarkError if one is wrong."""

    def reading() -> Load:
        moves = sum(pair.moves for pair in seated)
        return Load(moves, time.monotonic(), cpu_seconds(server.pid))

    for pair in seated:
        pair.is_paused = False
        pair.advance()
    await asyncio.sleep(SECONDS_TO_START_LOAD)
    before = reading()
    await asyncio.sleep(seconds)
    after = reading()
    for pair in seated:
        pair.is_paused = True
    deadline = time.monotonic() + SECONDS_TO_FINISH
    while not all(pair.is_idle() for pair in seated) and time.monotonic() < deadline:
        await asyncio.sleep(0.001)
    for pair in seated:
        if pair.problem or not pair.is_idle():
            raise BenchmarkError(f"{kind}: {pair.problem or 'some messages were not answered'}")
    if after.moves == before.moves:
        raise BenchmarkError(f"{kind}: there was no answer in {seconds:g} s")
    return Load(
        after.moves - before.moves,
        after.seconds - before.seconds,
        after.cpu_seconds - before.cpu_seconds,
    )

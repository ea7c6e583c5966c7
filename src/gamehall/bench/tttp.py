"""The benchmark of the TTTP door, and the tables it prints. How to read them: gamehall.bench."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gamehall.bench.load import Kind
from gamehall.bench.machine import raise_open_files_limit
from gamehall.bench.memory import Memory, idle_at_door, idle_at_echo, seated_at_door
from gamehall.bench.speed import Speeds, Spread, measure_speeds, spread

NAMES = {Kind.ECHO: "echo", Kind.RELAY: "relay", Kind.TTTP: "door"}


def run(
    report: Callable[[str], None],
    seconds: float,
    rounds: int,
    playing: Sequence[int] = (64, 1_000),
    waiting: int = 10_000,
) -> dict[str, object]:
    """Measure, report a table line by line, and give all figures in a form fit for JSON.

    seconds: how long each server is measured in a round. rounds: how often that is repeated, each
    time with fresh servers. playing: with how many connections. waiting: how many idle ones.
    Raises BenchError if there is no figure because a server failed, answered wrongly or lost a
    connection while being measured.
    """
    raise_open_files_limit()
    figures: dict[str, object] = {"seconds": seconds, "rounds": rounds}
    try:
        for connections in playing:
            commands = {
                Kind.ECHO: bare_server("echo"),
                Kind.RELAY: bare_server("relay"),
                Kind.TTTP: hall_with_door(tables=connections // 2),
            }
            speeds = measure_speeds(commands, connections, seconds, rounds, show_progress)
            show_progress("")
            for line in speed_table(speeds, seconds, rounds):
                report(line)
            figures[f"speed_{connections}_connections"] = {
                NAMES[kind]: shown for kind, shown in speeds.figures().items()
            }
        figures["memory"] = measure_memory(report, waiting)
    finally:
        show_progress("")
    return figures


def measure_memory(report: Callable[[str], None], count: int) -> dict[str, object]:
    """Measure and report what so many waiting connections take."""
    # One table more than there are pairs, for the one who comes when all the others are there.
    door = hall_with_door(tables=count // 2 + 1)
    show_progress(f"{count:,} idle connections: echo")
    echo = idle_at_echo(bare_server("echo"), count)
    show_progress(f"{count:,} idle connections: door")
    idle, one_more_seated = idle_at_door(door, count)
    show_progress(f"{count:,} seated connections: door")
    seated = seated_at_door(door, count)
    show_progress("")
    rows = {"echo, idle": echo, "door, idle": idle, "door, seated": seated}
    for line in memory_table(rows, base=echo):
        report(line)
    answer = "was seated" if one_more_seated else "was NOT seated"
    report(f"one more, who joined beside the {count:,} idle ones, {answer}")
    return {
        "one_more_seated": one_more_seated,
        **{
            name: {**memory._asdict(), "bytes_per_connection": memory.bytes_per_connection}
            for name, memory in rows.items()
        },
    }


def bare_server(kind: str) -> Sequence[str]:
    """The command of a server without a game: echo or relay."""
    return (sys.executable, "-m", "gamehall.bench.echo", kind)


def hall_with_door(tables: int) -> Sequence[str]:
    """The command of a hall with a TTTP door, and nothing that limits what is measured."""
    settings = {
        "tables": tables,
        "messages-per-second": 0,
        "join-timeout": 0,
        "max-connections": 12_000,
        "max-spectators": 32,
    }
    options = [word for item in settings.items() for word in ("--set", "tttp.{}={}".format(*item))]
    gamehall = str(Path(sys.executable).with_name("gamehall"))
    return (gamehall, "serve", "--door", "tttp=0", *options)


def show_progress(doing: str) -> None:
    """What is being done, on a line of the terminal, if there is one, that the next overwrites."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{doing}", end="", file=sys.stderr, flush=True)


def speed_table(speeds: Speeds, seconds: float, rounds: int) -> list[str]:
    """A row per server: medians over the rounds, with lowest and highest."""
    title = f"{speeds.connections:,} connections, {rounds} rounds of {seconds:g} s"
    lines = [
        f"{title:<36}median (lowest - highest)",
        f"{'':8}{'CPU us/move':>20}{'moves/s':>29}{'busy':>7}{'to echo':>20}{'to relay':>20}",
    ]
    for kind in speeds.loads:
        cpu = with_spread(spread(speeds.cpu_microseconds_per_move(kind)), ".1f")
        rate = with_spread(spread(speeds.moves_per_second(kind)), ",.0f")
        busy = f"{spread(speeds.busy(kind)).median:.0%}"
        to_echo = with_spread(spread(speeds.cpu_ratio(kind, Kind.ECHO)), ".2f")
        to_relay = with_spread(spread(speeds.cpu_ratio(kind, Kind.RELAY)), ".2f")
        lines.append(f"{NAMES[kind]:8}{cpu:>20}{rate:>29}{busy:>7}{to_echo:>20}{to_relay:>20}")
    return [*lines, ""]


def with_spread(values: Spread, form: str) -> str:
    """`2.0 (1.9 - 2.2)`."""
    return f"{values.median:{form}} ({values.low:{form}} - {values.high:{form}})"


def memory_table(rows: Mapping[str, Memory], base: Memory) -> list[str]:
    """A row per kind of connection, with its ratio to the base."""
    lines = [
        f"{base.connections:,} connections that wait",
        f"{'':16}{'bytes each':>12}{'to echo':>9}{'server MB':>11}{'still open':>12}",
    ]
    for name, memory in rows.items():
        ratio = memory.bytes_per_connection / base.bytes_per_connection
        lines.append(
            f"{name:16}{memory.bytes_per_connection:>12,.0f}{ratio:>9.2f}"
            f"{memory.bytes_with / 1e6:>11.1f}{memory.still_open:>12,}"
        )
    return lines

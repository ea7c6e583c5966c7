"""The benchmark of the TTTP door, and the tables it prints. How to read them: gamehall.bench."""

from collections.abc import Callable, Mapping, Sequence

from gamehall.bench.commands import bare_server, hall
from gamehall.bench.contest import Kind
from gamehall.bench.delays import ANSWERS, JOURNAL, Delays, delay_table, read_delays
from gamehall.bench.machine import raise_open_files_limit
from gamehall.bench.memory import Memory, idle_at_door, idle_at_echo, seated_at_door
from gamehall.bench.progress import show_progress
from gamehall.bench.speed import LoadGenerator, Servers, measure_speeds, spread
from gamehall.bench.tables import speed_table, with_spread
from gamehall.bench.tttp_load import WARM_UP_SECONDS

SECONDS_TO_SIT_DOWN = 60.0


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
                Kind.ECHO: bare_server("echo", "echo"),
                Kind.RELAY: bare_server("echo", "relay"),
                Kind.UNKEPT: hall_with_door(tables=connections // 2, keeps=False),
                Kind.DOOR: (*hall_with_door(tables=connections // 2), "--door", "web=0"),
            }
            generator = LoadGenerator(
                "gamehall.bench.tttp_load",
                (f"--connections={connections}", f"--seconds={seconds}"),
                SECONDS_TO_SIT_DOWN + 2 * len(commands) * (WARM_UP_SECONDS + seconds),
            )
            title = f"{connections:,} connections"
            delays: dict[str, Delays] = {}

            def look_at(servers: Servers, delays: dict[str, Delays] = delays) -> None:
                for name in (ANSWERS, JOURNAL):
                    delays[name] = read_delays(servers[Kind.DOOR], name)

            speeds = measure_speeds(commands, generator, rounds, title, look_at)
            title += f", {rounds} rounds of {seconds:g} s"
            added = with_spread(spread(speeds.added_cpu(Kind.DOOR, Kind.UNKEPT)), ".0%")
            for line in (
                *speed_table(title, speeds, (Kind.ECHO, Kind.RELAY)),
                f"writing everything down adds {added} to the CPU time of a move",
                *delay_table("from a request to its answer, written down", delays[ANSWERS]),
                *delay_table("a transaction of the journal", delays[JOURNAL]),
                "",
            ):
                report(line)
            figures[f"speed_{connections}_connections"] = {
                **speeds.figures(),
                "delays": {name: measured.figures() for name, measured in delays.items()},
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
    echo = idle_at_echo(bare_server("echo", "echo"), count)
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


def hall_with_door(tables: int, keeps: bool = True) -> Sequence[str]:
    """The command of a hall with a TTTP door, and nothing that limits what is measured.

    `keeps`: whether it writes down what happens, as halls do.
    """
    settings = {
        "tables": tables,
        "messages-per-second": 0,
        "join-timeout": 0,
        "max-connections": 12_000,
        "max-spectators": 32,
    }
    return hall("tttp", settings, "--fresh", keeps=keeps)


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

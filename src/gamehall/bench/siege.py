"""The siege: honest players at every door, in peace, among thousands of besiegers, in peace again.

How to read it: gamehall.bench. What the besiegers do: siege_besieger.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gamehall.bench.machine import raise_open_files_limit, running
from gamehall.bench.progress import show_progress
from gamehall.bench.siege_besieger import Attack
from gamehall.bench.siege_hall import Reading, SiegeHall, changed_settings, command_of_hall
from gamehall.bench.siege_programs import Program, program
from gamehall.bench.siege_table import (
    Phase,
    lag_lines,
    newcomer_lines,
    ratio_lines,
    reason_lines,
    table,
)

THINK_SECONDS = 0.1
"""What an honest player takes for a move."""

SECONDS_PER_GO_GAME = 3.0
"""Fewer than the shortest take."""

SECONDS_TO_SIT_DOWN = 60.0
SECONDS_TO_BEGIN = 40.0
SECONDS_TO_ANSWER = 30.0
SECONDS_OF_CHANGE = 90.0
"""What coming and going may take in all."""
SECONDS_TO_BE_GONE = 5.0
"""After which the hall should know that all besiegers have left."""

SECONDS_TO_BE_LET_IN = 20.0
SECONDS_BETWEEN_LOOKS = 0.2

PEACE, SIEGE, PEACE_AGAIN = "peace", "siege", "peace again"


def run(
    report: Callable[[str], None],
    seconds: float = 20.0,
    pairs: int = 10,
    connections: int = 5000,
    attacks: Sequence[Attack] = (),
) -> dict[str, object]:
    """Measure, report a table line by line, and give all figures in a form fit for JSON.

    seconds: how long each of the three phases is; that of the siege begins when the besiegers are
    there, as far as they are let in, and are given the signal. pairs: of honest players, at each
    door. connections: of besiegers, held open at once. attacks: what these do, all there is if
    nothing is named. Raises BenchError if a figure could not be had.
    """
    raise_open_files_limit()
    settings = changed_settings(tables=pairs, players=2 * pairs)
    for line in heading(seconds, pairs, connections, attacks, settings):
        report(line)
    try:
        with TemporaryDirectory(prefix="gamehall-siege-") as folder:
            command = command_of_hall(Path(folder), settings, "--log-level", "error")
            with running(command) as server:
                hall = SiegeHall(server, Path(folder))
                phases = measure(hall, seconds, pairs, connections, attacks)
    finally:
        show_progress("")
    lines = [*table(phases), *ratio_lines(phases[0], phases[1]), *newcomer_lines(phases)]
    for line in (*lines, *lag_lines(phases), *reason_lines(phases)):
        report(line)
    return {
        "seconds": seconds,
        "pairs": pairs,
        "connections": connections,
        "disturbed": sum(phase.disturbed for phase in phases),
        "phases": {phase.name: phase.figures() for phase in phases},
    }


def heading(
    seconds: float,
    pairs: int,
    connections: int,
    attacks: Sequence[Attack],
    settings: dict[str, dict[str, object]],
) -> list[str]:
    """What is done, and what is not at its default."""
    changed = [
        f"{door}.{name}={value}" for door, of in settings.items() for name, value in of.items()
    ]
    what = ", ".join(attacks) if attacks else "everything"
    return [
        f"{pairs} honest pairs at each door, {connections:,} besiegers ({what}),"
        f" three phases of {seconds:g} s",
        f"not at its default: {', '.join(changed)}",
    ]


def measure(
    hall: SiegeHall, seconds: float, pairs: int, connections: int, attacks: Sequence[Attack]
) -> list[Phase]:
    """The three phases."""
    tables = 2 + int((3 * seconds + SECONDS_OF_CHANGE) / SECONDS_PER_GO_GAME)
    guests = [f"--pairs={pairs}", f"--tables={tables}", f"--think={THINK_SECONDS}"]
    besiegers = [f"--connections={connections}", *(f"--attack={attack}" for attack in attacks)]
    phases: list[Phase] = []
    with ExitStack() as stack:
        honest = stack.enter_context(program("siege_honest", guests, hall.ports))
        hostile = stack.enter_context(program("siege_hostile", besiegers, hall.ports))
        show_progress("the honest sit down")
        honest.ask("sit", SECONDS_TO_SIT_DOWN)
        phases.append(_peace(PEACE, hall, honest, seconds))
        show_progress("the besiegers gather")
        _gather(hall, hostile)
        honest.ask("phase", SECONDS_TO_ANSWER)
        show_progress("the siege")
        before, began = hall.read(), time.monotonic()
        hostile.ask("begin", SECONDS_TO_BEGIN)
        _wait_until(began + seconds)
        count = hostile.ask("count", SECONDS_TO_ANSWER)
        phases.append(_phase(SIEGE, hall, honest, count, before, began))
        hostile.ask("end", SECONDS_TO_ANSWER)
        show_progress("the besiegers leave")
        _wait_until(time.monotonic() + min(SECONDS_TO_BE_GONE, seconds))
        # What was counted while they left is neither siege nor peace.
        honest.ask("phase", SECONDS_TO_ANSWER)
        phases.append(_peace(PEACE_AGAIN, hall, honest, seconds))
        honest.ask("end", SECONDS_TO_ANSWER)
    return phases


def _gather(hall: SiegeHall, hostile: Program) -> None:
    """The besiegers come, and the hall lets them in, as far as it does."""
    files = hall.read().files
    wanted = files + hostile.ask("gather", SECONDS_TO_BEGIN)["inside"]
    deadline = time.monotonic() + SECONDS_TO_BE_LET_IN
    while hall.read().files < wanted and time.monotonic() < deadline:
        time.sleep(SECONDS_BETWEEN_LOOKS)


def _peace(name: str, hall: SiegeHall, honest: Program, seconds: float) -> Phase:
    show_progress(name)
    before, began = hall.read(), time.monotonic()
    _wait_until(began + seconds)
    return _phase(name, hall, honest, None, before, began)


def _phase(
    name: str,
    hall: SiegeHall,
    honest: Program,
    hostile: dict[str, Any] | None,
    before: Reading,
    began: float,
) -> Phase:
    after = hall.read()
    figures = honest.ask("phase", SECONDS_TO_ANSWER)
    return Phase(name, time.monotonic() - began, figures, hostile, before, after)


def _wait_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))

"""The benchmark of a tournament, and the table it prints. How to read it: gamehall.bench."""

import json
import re
from collections.abc import Callable, Sequence

from gamehall.bench.commands import bare_server, hall
from gamehall.bench.contest import Kind
from gamehall.bench.machine import BenchError
from gamehall.bench.progress import show_progress
from gamehall.bench.speed import LoadGenerator, Servers, measure_speeds, spread
from gamehall.bench.tables import speed_table, with_spread
from gamehall.bench.tournament_load import GAMES_PER_PAIR

DOOR = "santorini-tournament"
RESULT = re.compile(rf"^result {DOOR} (\{{.*\}})$", re.MULTILINE)

SECONDS_TO_SIT_DOWN = 60.0
SECONDS_PER_GAME = 0.1
"""That is slow."""


def run(report: Callable[[str], None], bots: int, rounds: int) -> dict[str, object]:
    """Measure, report a table line by line, and give all figures in a form fit for JSON.

    bots: how many take part. rounds: how many tournaments are played, each with fresh servers.
    Raises BenchError if there is no figure because a server failed or said anything wrong.
    """
    games = GAMES_PER_PAIR * bots * (bots - 1) // 2

    def check_result(servers: Servers) -> None:
        check_report(servers[Kind.DOOR].output_at_end(), games)

    commands = {Kind.REPLAY: bare_server("replay"), Kind.DOOR: hall_for_tournament(bots)}
    generator = LoadGenerator(
        "gamehall.bench.tournament_load",
        (f"--bots={bots}",),
        SECONDS_TO_SIT_DOWN + len(commands) * games * SECONDS_PER_GAME,
    )
    try:
        speeds = measure_speeds(commands, generator, rounds, f"{bots} bots", check_result)
    finally:
        show_progress("")
    title = f"{bots:,} bots, {games:,} games, {rounds} rounds"
    for line in speed_table(title, speeds, (Kind.REPLAY,), games=True):
        report(line)
    loads = speeds.loads[Kind.DOOR]
    took = with_spread(spread(load.seconds for load in loads), ".1f")
    moves = spread(load.moves / load.games for load in loads).median
    bots_busy = spread(speeds.load_busy(Kind.DOOR)).median
    report(
        f"a tournament takes {took} s, a game {moves:.1f} moves; the bots are {bots_busy:.0%} busy"
    )
    return {"bots": bots, "games": games, "rounds": rounds, **speeds.figures()}


def hall_for_tournament(bots: int) -> Sequence[str]:
    """The command of a hall for one tournament, and nothing that limits what is measured."""
    settings = {"players": bots, "parallel": "true", "messages-per-second": 0}
    return hall(DOOR, settings, "--once")


def check_report(output: str, games: int) -> None:
    """Whether the hall reports so many games and no cheaters. Raises BenchError."""
    found = RESULT.search(output)
    if found is None:
        raise BenchError(f"the hall has not printed the result of the tournament: {output[:2000]}")
    result = json.loads(found[1])
    if result["cheaters"] or len(result["wins"]) != games:
        raise BenchError(
            f"the hall reports {len(result['wins'])} games, not {games},"
            f" and these cheaters: {result['cheaters']}"
        )

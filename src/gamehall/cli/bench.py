"""`gamehall bench`: what this machine can do, and how close the hall comes to it."""

import json
import os

import click

from gamehall.bench import arena, ascension, go, siege, tournament, tttp, watching
from gamehall.bench.machine import BenchError
from gamehall.bench.tournament_load import MOST_BOTS

BENCHMARKS = ("tttp", "tournament", "go", "ascension", "kernels", "arena", "watching", "siege")
TTTP, TOURNAMENT, GO, ASCENSION, KERNELS, ARENA, WATCHING, SIEGE = BENCHMARKS
GAMES_OF_ARENA = 10_000
WATCHERS, MOVES_WATCHED = 500, 200

LEAST_SECONDS_OF_SIEGE = 15.0


@click.command(epilog="Example: gamehall bench tttp --seconds 5 --rounds 5")
@click.argument("benchmark", type=click.Choice(BENCHMARKS), required=False)
@click.option(
    "--seconds",
    type=click.FloatRange(0.5),
    default=3.0,
    show_default=True,
    help="Per measurement of tttp and ascension.",
)
@click.option(
    "--rounds", type=click.IntRange(1), default=3, show_default=True, help="Measurements of each."
)
@click.option(
    "--bots",
    type=click.IntRange(2, MOST_BOTS),
    default=40,
    show_default=True,
    help="Players of the tournament.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def bench(benchmark: str | None, seconds: float, rounds: int, bots: int, as_json: bool) -> None:
    """Measure doors beside bare servers, and rules beside other engines, with the same load.

    The benchmarks are tttp, many tables at once; tournament, of Santorini bots; go, random moves
    beside sgfmill and OpenSpiel; ascension, its state over HTTP, and random games; kernels,
    what bots search with; arena, games of bots beside a bare loop; watching, players with many
    who look on; and siege, hostile clients at all doors while others play. All but the siege, if
    none is named.
    """

    def report(line: str) -> None:
        click.echo(line, err=as_json)

    figures: dict[str, object] = {}
    try:
        if benchmark in (TTTP, None):
            figures |= tttp.run(report, seconds, rounds)
        if benchmark is None:
            report("")
        if benchmark in (TOURNAMENT, None):
            figures[TOURNAMENT] = tournament.run(report, bots, rounds)
        if benchmark is None:
            report("")
        if benchmark in (GO, None):
            figures[GO] = go.run(report, rounds)
        if benchmark is None:
            report("")
        if benchmark in (ASCENSION, None):
            figures[ASCENSION] = ascension.run(report, seconds, rounds)
        if benchmark is None:
            report("")
        if benchmark in (KERNELS, None):
            # Only here, since it takes seconds to load.
            from gamehall.bench import kernels

            figures[KERNELS] = kernels.run(report, seconds, rounds)
        if benchmark is None:
            report("")
        if benchmark in (ARENA, None):
            workers = os.cpu_count() or 1
            figures[ARENA] = arena.run(report, workers, GAMES_OF_ARENA, rounds)
        if benchmark is None:
            report("")
        if benchmark in (WATCHING, None):
            figures[WATCHING] = watching.run(report, WATCHERS, MOVES_WATCHED, rounds)
        if benchmark == SIEGE:
            figures[SIEGE] = siege.run(report, max(seconds, LEAST_SECONDS_OF_SIEGE))
    except BenchError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps(figures, indent=2))

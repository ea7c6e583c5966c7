"""`gamehall bench`: what this machine can do, and how close the hall comes to it."""

import json

import click

from gamehall.bench import tttp
from gamehall.bench.machine import BenchError


@click.command(epilog="Example: gamehall bench --seconds 5 --rounds 5")
@click.option(
    "--seconds", type=click.FloatRange(0.5), default=3.0, show_default=True, help="Per measurement."
)
@click.option(
    "--rounds", type=click.IntRange(1), default=3, show_default=True, help="Measurements of each."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def bench(seconds: float, rounds: int, as_json: bool) -> None:
    """Measure the TTTP door beside a bare echo, in one run, with the same load."""

    def report(line: str) -> None:
        click.echo(line, err=as_json)

    try:
        figures = tttp.run(report, seconds, rounds)
    except BenchError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps(figures, indent=2))

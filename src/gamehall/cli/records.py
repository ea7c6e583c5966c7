"""`gamehall records`, `replay` and `export`: look at finished matches."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from gamehall.cli.folders import folder_of_this_user
from gamehall.core import Game, Position
from gamehall.formats import record_page, sgf
from gamehall.formats.described import described_picture
from gamehall.games.catalogue import all_games
from gamehall.play import BadRecord, Record
from gamehall.play.record import positions, read_game
from gamehall.storage import Archive, CannotKeep, is_kept, is_url, open_database

MATCH = re.compile("m[0-9a-f]{10}")
"""What the name of a match looks like."""

in_folder = click.option(
    "--data",
    metavar="DIR|URL",
    help="Where the hall keeps its things. Default: a folder of this user.",
)
after_moves = click.option(
    "--move",
    "moves",
    type=click.IntRange(min=0),
    metavar="N",
    help="The position after so many moves. Default: the last.",
)


@click.command(epilog="Example: gamehall records --last 5")
@in_folder
@click.option(
    "--last", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many."
)
@click.option("--json", "as_json", is_flag=True, help="Write for programs to read.")
def records(data: str | None, last: int, as_json: bool) -> None:
    """List the matches that the hall has kept, the newest first."""
    try:
        archive = _archive(data)
        found = archive.latest(last) if archive else []
    except (BadRecord, CannotKeep) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        lines = [
            {
                "number": kept.number,
                "match": kept.record.match,
                "game": kept.record.game,
                "players": kept.record.players,
                "moves": len(kept.record.moves),
                "winner": kept.record.result.winner and kept.record.result.winner.value,
                "ending": kept.record.result.ending.value,
                "room": kept.record.room,
                "ended": kept.record.ended,
            }
            for kept in found
        ]
        click.echo(json.dumps(lines, indent=2))
        return
    if not found:
        click.echo("no matches yet")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("number", "ended", "game", "first", "second", "moves", "result"):
        table.add_column(column, overflow="fold", no_wrap=column in ("number", "ended", "moves"))
    for kept in found:
        record = kept.record
        first, second = (name or "?" for name in record.players)
        table.add_row(
            str(kept.number),
            (record.ended or "")[: len("2026-11-16T14:36")].replace("T", " "),
            record.game,
            first,
            second,
            str(len(record.moves)),
            _result_in_words(record),
        )
    Console(soft_wrap=False).print(table, markup=False)


@click.command(epilog="Example: gamehall replay 17 --move 12")
@click.argument("record")
@in_folder
@after_moves
@click.option("--all", "every", is_flag=True, help="Show the position after every move.")
def replay(record: str, data: str | None, moves: int | None, every: bool) -> None:
    """Show a finished match: RECORD is its number, the name of the match, or a file."""
    found = _find(record, data)
    passed = _positions(found)
    last = len(passed) - 1 if moves is None else _check_move(moves, found)
    first, second = (name or "somebody" for name in found.players)
    click.echo(f"{found.game}: {first} against {second}")
    for number in range(last + 1):
        if number:
            played = found.moves[number - 1]
            if every or number == last:
                click.echo(f"{number}. {played.move}")
        if every or number == last:
            click.echo(passed[number].diagram())
    if last == len(found.moves):
        click.echo(_result_in_words(found))


@click.command(epilog="Example: gamehall export 17 --to html --output game.html")
@click.argument("record")
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(["json", "sgf", "svg", "html", "gif"]),
    help="sgf: for programs that show Go. svg: a picture of one position. html: a page that"
    " replays it. gif: a moving picture. json: all of it.",
)
@click.option("--output", type=click.Path(path_type=Path), help="Default: standard output.")
@in_folder
@after_moves
def export(
    record: str, form: str, output: Path | None, data: str | None, moves: int | None
) -> None:
    """Write a finished match for others: RECORD is its number, the name of the match, or a file."""
    found = _find(record, data)
    if moves is not None and form != "svg":
        raise click.UsageError(f"--move is for --to svg: {form} has the whole match")
    writers: dict[str, Callable[[], bytes]] = {
        "json": lambda: found.to_json() + b"\n",
        "sgf": lambda: sgf.write(found),
        "svg": lambda: described_picture(_positions(found)[_check_move(moves, found)]).encode(),
        "html": lambda: record_page.write(_game(found), found),
        "gif": lambda: _gif(found),
    }
    try:
        content = writers[form]()
    except BadRecord as error:
        raise click.ClickException(str(error)) from None
    if output is None:
        sys.stdout.buffer.write(content)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise click.UsageError(f"cannot write {output}: {error.strerror}") from None


def _find(text: str, data: str | None) -> Record:
    """The record of this number, of the match of this name, or in this file."""
    try:
        if text.isascii() and text.isdecimal():
            archive = _archive(data)
            record = archive.find(min(int(text), sys.maxsize)) if archive else None
            if record is None:
                raise click.UsageError(f"there is no record {text}; see gamehall records")
            return record
        if MATCH.fullmatch(text):
            archive = _archive(data)
            record = archive.find_match(text) if archive else None
            if record is not None:
                return record
        path = Path(text)
        content = path.read_bytes()
        return sgf.read(content) if path.suffix == ".sgf" else Record.from_json(content)
    except OSError as error:
        raise click.UsageError(f"cannot read {text}: {error.strerror}") from None
    except (BadRecord, CannotKeep) as error:
        raise click.ClickException(f"{text}: {error}") from None


def _archive(data: str | None) -> Archive | None:
    """What has been kept there, None if nothing has: who only looks leaves no files behind."""
    if data is not None and not is_url(data) and not Path(data).is_dir():
        raise click.UsageError(f"--data: there is no folder {data}")
    where = data or folder_of_this_user()
    try:
        return Archive(open_database(where)) if is_kept(where) else None
    except CannotKeep as error:
        raise click.UsageError(f"--data: {error}") from None


def _gif(record: Record) -> bytes:
    try:
        from gamehall.formats import gif
    except ImportError:
        raise click.ClickException(
            "moving pictures need two more packages: pip install 'gamehall[gif]'"
        ) from None
    return gif.write(_game(record), record)


def _positions(record: Record) -> list[Position[Any]]:
    try:
        return list(positions(_game(record), record))
    except BadRecord as error:
        raise click.ClickException(str(error)) from None


def _game(record: Record) -> Game[Any]:
    """The game that was played, on its terms. Raises BadRecord if there are none such."""
    kind = all_games().get(record.game)
    if kind is None:
        raise click.ClickException(f"there is no game {record.game!r}")
    return read_game(kind, record)


def _check_move(moves: int | None, record: Record) -> int:
    if moves is None:
        return len(record.moves)
    if moves > len(record.moves):
        raise click.UsageError(f"the match has only {len(record.moves)} moves")
    return moves


def _result_in_words(record: Record) -> str:
    result = record.result
    if result.winner is None:
        return f"nobody wins: {result.how}"
    name = record.players[result.winner.value - 1] or f"the {result.winner.name.lower()} player"
    return f"{name} wins: {result.how}"

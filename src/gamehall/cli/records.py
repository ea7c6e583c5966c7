"""`gamehall records`, `replay` and `export`: list, show and convert finished matches."""

import itertools
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.table import Table

from gamehall.cli.shared import data_option, json_option, user_data_folder
from gamehall.core import SEAT_NAMES, Game, Position, Seat
from gamehall.export import record_page, sgf
from gamehall.export.described import described_picture
from gamehall.export.sgf import MAX_BYTES, ForeignGame
from gamehall.games.catalogue import all_games
from gamehall.games.go import Go
from gamehall.match import Record, RecordError, Result
from gamehall.match.record import player_names, positions, read_game
from gamehall.storage import Archive, StorageError, database_exists, is_url, open_database

MATCH_NAME = re.compile("m[0-9a-f]{10}")

MAX_DIGITS = 18
"""The length of the longest number that every database can store."""

GIF_NEEDS = "pip install 'gamehall[gif]'"

move_option = click.option(
    "--move",
    "moves",
    type=click.IntRange(min=0),
    metavar="N",
    help="Show the position after N moves. Default: the last position.",
)


@click.command(epilog="Example: gamehall records --last 5")
@data_option
@click.option(
    "--last",
    type=click.IntRange(1, 100_000),
    default=20,
    show_default=True,
    metavar="N",
    help="Number of matches to list.",
)
@json_option
def records(data: str | None, last: int, as_json: bool) -> None:
    """List the stored matches, the newest first."""
    try:
        archive = _open_archive(data)
        found = archive.latest(last) if archive else []
    except (RecordError, StorageError) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        lines = [
            {
                "number": stored.number,
                "match": stored.record.match_name,
                "game": stored.record.game,
                "players": stored.record.players,
                "moves": len(stored.record.moves),
                "winner": stored.record.result.winner and stored.record.result.winner.value,
                "ending": stored.record.result.ending.value,
                "room": stored.record.room,
                "ended": stored.record.ended,
            }
            for stored in found
        ]
        click.echo(json.dumps(lines, indent=2))
        return
    if not found:
        click.echo("no matches yet")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("number", "ended", "game", "first", "second", "moves", "result"):
        table.add_column(column, overflow="fold", no_wrap=column in ("number", "ended", "moves"))
    for stored in found:
        record = stored.record
        table.add_row(
            str(stored.number),
            (record.ended or "")[: len("2026-11-16T14:36")].replace("T", " "),
            record.game,
            record.players[0] or SEAT_NAMES[Seat.FIRST],
            record.players[1] or SEAT_NAMES[Seat.SECOND],
            str(len(record.moves)),
            _describe_result(record),
        )
    Console(soft_wrap=False).print(table, markup=False)


@click.command(epilog="Example: gamehall replay 17 --move 12")
@click.argument("record")
@data_option
@move_option
@click.option("--all", "show_all", is_flag=True, help="Show the position after every move.")
def replay(record: str, data: str | None, moves: int | None, show_all: bool) -> None:
    """Show a finished match: RECORD is its number, the name of the match, or a file."""
    shown = _shown(_find(record, data))
    last = len(shown.moves) if moves is None else _check_move(moves, len(shown.moves))
    first, second = player_names(shown.players)
    click.echo(f"{shown.game}: {first} against {second}")
    for number, position in enumerate(itertools.islice(shown.positions(), last + 1)):
        if show_all or number == last:
            if number:
                click.echo(f"{number}. {shown.moves[number - 1]}")
            click.echo(position.diagram())
    if last == len(shown.moves):
        click.echo(_describe_result(shown))
    for remark in shown.remarks:
        click.echo(f"remark: {remark}")


@click.command(epilog="Example: gamehall export 17 --to html --output game.html")
@click.argument("record")
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(["json", "sgf", "svg", "html", "gif"]),
    help="json: the whole record. sgf: for Go programs. svg: a picture of one position. html: a"
    f" page to step through the match. gif: an animation ({GIF_NEEDS}).",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="File to write. Default: standard output.",
)
@data_option
@move_option
def export(
    record: str, form: str, output: Path | None, data: str | None, moves: int | None
) -> None:
    """Write a finished match to a file: RECORD is its number, the name of the match, or a file."""
    found = _find(record, data)
    if moves is not None and form != "svg":
        raise click.UsageError(f"--move is only for --to svg: {form} has all positions")
    writers: dict[str, Callable[[], bytes]] = {
        "json": lambda: _record(found).to_json() + b"\n",
        "sgf": lambda: sgf.write(_record(found)),
        "svg": lambda: _svg(_shown(found), moves),
        "html": lambda: _html(found),
        "gif": lambda: _gif(found),
    }
    try:
        content = writers[form]()
    except RecordError as error:
        raise click.ClickException(str(error)) from None
    if output is None:
        sys.stdout.buffer.write(content)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise click.UsageError(f"cannot write {output}: {error.strerror}") from None


class RecordedBoard(NamedTuple):
    """A match as `replay` shows it: a record, or a file of another program."""

    game: str
    players: tuple[str | None, str | None]
    moves: Sequence[str]
    positions: Callable[[], Iterator[Any]]
    """Yields all positions, including the first and the last."""
    result: Result
    remarks: Sequence[str]


def _find(text: str, data: str | None) -> Record | ForeignGame:
    """Return the record with this number, of the match of this name, or in this file.

    Raises UsageError and ClickException.
    """
    try:
        if text.isascii() and text.isdecimal():
            archive = _open_archive(data)
            number = int(text) if len(text) <= MAX_DIGITS else sys.maxsize
            record = archive.find(number) if archive else None
            if record is None:
                raise click.UsageError(
                    f"there is no record {text[:30]}: gamehall records lists them"
                )
            return record
        if MATCH_NAME.fullmatch(text):
            archive = _open_archive(data)
            record = archive.find_match(text) if archive else None
            if record is not None:
                return record
        return _read_file(Path(text))
    except OSError as error:
        raise click.UsageError(f"cannot read {text}: {error.strerror}") from None
    except (RecordError, StorageError) as error:
        raise click.ClickException(f"{text}: {error}") from None


def _read_file(path: Path) -> Record | ForeignGame:
    """Raises OSError and RecordError."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise RecordError(f"the file is larger than {MAX_BYTES} bytes")
    if path.suffix.lower() == ".sgf" or content.lstrip().startswith(b"("):
        return sgf.read_any(content)
    return Record.from_json(content)


def _record(found: Record | ForeignGame) -> Record:
    """Raises RecordError for a game of another program that our rules do not allow."""
    if isinstance(found, Record):
        return found
    if found.record is None:
        raise RecordError(f"{found.remarks[-1]}; export it as svg, html or gif")
    return found.record


def _shown(found: Record | ForeignGame) -> RecordedBoard:
    if isinstance(found, Record):
        replayed = _replay(found)
        moves = [played.move for played in found.moves]
        return RecordedBoard(
            game=found.game,
            players=found.players,
            moves=moves,
            positions=lambda: iter(replayed),
            result=found.result,
            remarks=(),
        )
    return RecordedBoard(
        game=Go.name,
        players=found.players,
        moves=found.captions(),
        positions=found.positions,
        result=found.result,
        remarks=found.remarks,
    )


def _svg(shown: RecordedBoard, moves: int | None) -> bytes:
    number = len(shown.moves) if moves is None else _check_move(moves, len(shown.moves))
    [position] = itertools.islice(shown.positions(), number, number + 1)
    return described_picture(position, is_over=number == len(shown.moves)).encode()


def _html(found: Record | ForeignGame) -> bytes:
    if isinstance(found, Record):
        return record_page.write(_game(found), found)
    first, second = found.players
    names = (first or "black", second or "white")
    moves = [f"{number}. {words}" for number, words in enumerate(found.captions(), 1)]
    remarks = [f"{remark[0].upper()}{remark[1:]}." for remark in found.remarks]
    result = f"{found.result.in_words(Go, names)}."
    return record_page.write_page(
        Go.title, names, [result, *remarks], _pictures(found), ["start", *moves]
    )


def _pictures(found: ForeignGame) -> list[str]:
    return [record_page.mark_spots(position.picture()) for position in found.positions()]


def _open_archive(data: str | None) -> Archive | None:
    """Return the archive, None if there is no database: reading must not create one."""
    if data is not None and not is_url(data) and not Path(data).is_dir():
        raise click.UsageError(f"--data: there is no folder {data}")
    where = data or user_data_folder()
    try:
        return Archive(open_database(where)) if database_exists(where) else None
    except StorageError as error:
        raise click.UsageError(f"--data: {error}") from None


def _gif(found: Record | ForeignGame) -> bytes:
    try:
        from gamehall.export import gif
    except ImportError:
        raise click.ClickException(f"GIF export needs Pillow and resvg: {GIF_NEEDS}") from None
    if isinstance(found, Record):
        return gif.write(_game(found), found)
    return gif.write_pictures(_pictures(found))


def _replay(record: Record) -> list[Position[Any]]:
    try:
        return list(positions(_game(record), record))
    except RecordError as error:
        raise click.ClickException(str(error)) from None


def _game(record: Record) -> Game[Any]:
    """Return the game on its terms. Raises RecordError and ClickException."""
    kind = all_games().get(record.game)
    if kind is None:
        raise click.ClickException(f"there is no game {record.game!r}: is its package installed?")
    return read_game(kind, record)


def _check_move(moves: int, count: int) -> int:
    if moves > count:
        raise click.UsageError(f"the match has only {count} moves")
    return moves


def _describe_result(match: Record | RecordedBoard) -> str:
    return match.result.in_words(all_games().get(match.game), player_names(match.players))

"""`gamehall records`, `replay` and `export`: look at finished matches."""

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

from gamehall.cli.shared import folder_of_this_user
from gamehall.core import Game, Position, Seat
from gamehall.export import record_page, sgf
from gamehall.export.described import described_picture
from gamehall.export.sgf import LONGEST, ForeignGame
from gamehall.games.catalogue import all_games
from gamehall.games.go import Go
from gamehall.match import Record, RecordError, Result
from gamehall.match.record import positions, read_game
from gamehall.storage import Archive, StorageError, database_exists, is_url, open_database

MATCH = re.compile("m[0-9a-f]{10}")
"""What the name of a match looks like."""

DIGITS = 18
"""Of the number of a record, at most."""

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
    except (RecordError, StorageError) as error:
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
    shown = _shown(_find(record, data))
    last = len(shown.moves) if moves is None else _check_move(moves, len(shown.moves))
    click.echo(f"{shown.game}: {_name(shown, Seat.FIRST)} against {_name(shown, Seat.SECOND)}")
    for number, position in enumerate(itertools.islice(shown.positions(), last + 1)):
        if every or number == last:
            if number:
                click.echo(f"{number}. {shown.moves[number - 1]}")
            click.echo(position.diagram())
    if last == len(shown.moves):
        click.echo(_result_in_words(shown))
    for remark in shown.remarks:
        click.echo(f"remark: {remark}")


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
    """A match as `replay` shows it."""

    game: str
    players: tuple[str | None, str | None]
    moves: Sequence[str]
    positions: Callable[[], Iterator[Any]]
    """All of them, the first and the last included."""
    result: Result
    remarks: Sequence[str]


def _find(text: str, data: str | None) -> Record | ForeignGame:
    """The record of this number, of the match of this name, or in this file."""
    try:
        if text.isascii() and text.isdecimal():
            archive = _archive(data)
            # No database has numbers of more digits.
            number = int(text) if len(text) <= DIGITS else sys.maxsize
            record = archive.find(number) if archive else None
            if record is None:
                raise click.UsageError(f"there is no record {text[:30]}; see gamehall records")
            return record
        if MATCH.fullmatch(text):
            archive = _archive(data)
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
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise RecordError(f"a file of more than {LONGEST} bytes is not read")
    if path.suffix.lower() == ".sgf" or content.lstrip().startswith(b"("):
        return sgf.read_any(content)
    return Record.from_json(content)


def _record(found: Record | ForeignGame) -> Record:
    """Raises RecordError for a game that our rules do not allow."""
    if isinstance(found, Record):
        return found
    if found.record is None:
        raise RecordError(f"{found.remarks[-1]}; it can be written as svg, html or gif")
    return found.record


def _shown(found: Record | ForeignGame) -> RecordedBoard:
    if isinstance(found, Record):
        passed = _positions(found)
        moves = [played.move for played in found.moves]
        return RecordedBoard(
            game=found.game,
            players=found.players,
            moves=moves,
            positions=lambda: iter(passed),
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
    return described_picture(position).encode()


def _html(found: Record | ForeignGame) -> bytes:
    if isinstance(found, Record):
        return record_page.write(_game(found), found)
    first, second = found.players
    names = (first or "black", second or "white")
    moves = [f"{number}. {words}" for number, words in enumerate(found.captions(), 1)]
    remarks = [f"{remark[0].upper()}{remark[1:]}." for remark in found.remarks]
    result = f"{found.result.in_words(Go, names)}."
    return record_page.write_page(
        Go.title, names, [result, *remarks], _pictures(found), ["the beginning", *moves]
    )


def _pictures(found: ForeignGame) -> list[str]:
    return [record_page.marked(position.picture()) for position in found.positions()]


def _archive(data: str | None) -> Archive | None:
    """What has been kept there, None if nothing has: who only looks leaves no files behind."""
    if data is not None and not is_url(data) and not Path(data).is_dir():
        raise click.UsageError(f"--data: there is no folder {data}")
    where = data or folder_of_this_user()
    try:
        return Archive(open_database(where)) if database_exists(where) else None
    except StorageError as error:
        raise click.UsageError(f"--data: {error}") from None


def _gif(found: Record | ForeignGame) -> bytes:
    try:
        from gamehall.export import gif
    except ImportError:
        raise click.ClickException(
            "GIF export needs Pillow and resvg: pip install 'gamehall[gif]'"
        ) from None
    if isinstance(found, Record):
        return gif.write(_game(found), found)
    return gif.write_pictures(_pictures(found))


def _positions(record: Record) -> list[Position[Any]]:
    try:
        return list(positions(_game(record), record))
    except RecordError as error:
        raise click.ClickException(str(error)) from None


def _game(record: Record) -> Game[Any]:
    """The game that was played, on its terms. Raises RecordError if there are none such."""
    kind = all_games().get(record.game)
    if kind is None:
        raise click.ClickException(f"there is no game {record.game!r}")
    return read_game(kind, record)


def _check_move(moves: int, count: int) -> int:
    if moves > count:
        raise click.UsageError(f"the match has only {count} moves")
    return moves


def _result_in_words(match: Record | RecordedBoard) -> str:
    names = (_name(match, Seat.FIRST), _name(match, Seat.SECOND))
    return match.result.in_words(all_games().get(match.game), names)


def _name(match: Record | RecordedBoard, seat: Seat) -> str:
    return match.players[seat.value - 1] or f"the {seat.name.lower()} player"

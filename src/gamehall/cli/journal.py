"""`gamehall journal`: check the games in play as they are stored, and show them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from gamehall.cli.shared import folder_of_this_user
from gamehall.storage import StorageError, database_exists
from gamehall.storage.database import EXCHANGED, is_exchanged, reading
from gamehall.storage.journal import JournalContents, JournalRoom, read_journal

SECRETS: Final = {"secret", "seed", "digest"}
"""The fields of requests that are not shown."""

HIDDEN: Final = "(hidden)"


class StoredEntry(msgspec.Struct, array_like=True):
    """An entry, read without knowing the game: one that no longer fits can be shown as well."""

    now: float
    peer: int | None = None
    request: dict[str, Any] | None = None


in_folder = click.option(
    "--data",
    metavar="DIR|URL",
    help="Where the server stores its data. Default: a folder of this user.",
)
for_programs = click.option("--json", "as_json", is_flag=True, help="Write for programs to read.")


@click.group(epilog="Example: gamehall journal verify")
def journal() -> None:
    """Check or show the journal: the games in play, as stored.

    Both commands only read, also while a server is running.
    """


@journal.command(epilog="Example: gamehall journal verify --data /var/lib/gamehall")
@in_folder
@for_programs
def verify(data: str | None, as_json: bool) -> None:
    """Check that no entry of the journal is missing or was changed.

    Prints a line for each room. Exits with 1 if anything is wrong, after a line for each fault.
    """
    contents = _read(data)
    if as_json:
        rooms = [
            {"id": room.id, "room": room.spec.room, "entries": len(contents.entries[room.id])}
            for room in contents.rooms
        ]
        click.echo(json.dumps({"rooms": rooms, "faults": contents.faults}, indent=2))
    else:
        for room in contents.rooms:
            click.echo(f"{_title(room)}: {_count(len(contents.entries[room.id]), 'entry')}")
        for fault in contents.faults:
            click.echo(f"damaged: {fault}")
    if contents.faults:
        raise click.ClickException(
            f"the journal has {_count(len(contents.faults), 'fault')}: restore a backup, or start"
            " the server with --fresh, which drops the games in play and keeps the records"
        )
    if not as_json:
        click.echo(f"no faults in {_count(len(contents.rooms), 'room')}")


@journal.command(epilog="Example: gamehall journal show tttp")
@click.argument("room", required=False)
@in_folder
@for_programs
def show(room: str | None, data: str | None, as_json: bool) -> None:
    """Show the entries of all rooms, or of ROOM: when it was told what by which client.

    Times are seconds of the server's clock. Secrets of players and seeds of rooms are hidden.
    """
    contents = _read(data)
    rooms = [one for one in contents.rooms if room in (None, one.spec.room, str(one.id))]
    if room is not None and not rooms:
        known = ", ".join(sorted({one.spec.room for one in contents.rooms}))
        hint = f"; there are: {known}" if known else ": it is empty"
        raise click.UsageError(f"there is no room {room} in the journal{hint}")
    shown = [(one, [_readable(entry) for entry in contents.entries[one.id]]) for one in rooms]
    if as_json:
        value = [
            {"id": one.id, "room": one.spec.room, "entries": entries} for one, entries in shown
        ]
        click.echo(json.dumps(value, indent=2))
    elif not shown:
        click.echo("the journal is empty")
    else:
        for one, entries in shown:
            _print_room(one, entries)
    for fault in contents.faults:
        click.echo(f"damaged: {fault}", err=True)


def _read(data: str | None) -> JournalContents:
    where = data or folder_of_this_user()
    if not database_exists(where):
        if data is not None and not Path(data).is_dir():
            raise click.UsageError(f"--data: there is no folder {data}")
        if is_exchanged(where, ""):
            raise click.ClickException(EXCHANGED.format(Path(where)))
        return JournalContents(rooms=[], entries={}, last_entry=0, faults=[])
    try:
        with reading(where) as connection:
            contents = read_journal(connection)
            marks = [str(mark) for (mark,) in connection.run("SELECT mark FROM hall")]
    except StorageError as error:
        raise click.ClickException(f"{where}: the journal cannot be read: {error}") from None
    if marks and is_exchanged(where, marks[0]):
        contents.faults.append(EXCHANGED.format(where))
    return contents


def _print_room(room: JournalRoom, entries: Sequence[dict[str, Any]]) -> None:
    click.echo(f"{_title(room)}: {_count(len(entries), 'entry')}")
    for number, entry in enumerate(entries, 1):
        click.echo(f"{number:6}  {_in_words(entry)}")


def _title(room: JournalRoom) -> str:
    return f"room {room.spec.room} ({room.id})"


def _readable(content: bytes) -> dict[str, Any]:
    """Return an entry with names for its parts and without secrets."""
    try:
        entry = msgspec.json.decode(content, type=StoredEntry)
    except msgspec.MsgspecError as error:
        return {"unreadable": str(error)}
    return {
        "time": entry.now,
        "peer": entry.peer,
        "door": (entry.request or {}).get("door", ""),
        "request": _without_secrets(entry.request),
    }


def _without_secrets(value: Any) -> Any:
    match value:
        case dict():
            return {
                name: HIDDEN if name in SECRETS and inner else _without_secrets(inner)
                for name, inner in value.items()
            }
        case list():
            return [_without_secrets(inner) for inner in value]
        case _:
            return value


def _in_words(entry: dict[str, Any]) -> str:
    if "unreadable" in entry:
        return f"cannot be read: {entry['unreadable']}"
    time = f"{entry['time']:.3f} s"
    if entry["request"] is None:
        return f"{time}  time passes"
    request = dict(entry["request"])
    kind = request.pop("type", "?")
    request.pop("door", None)
    door = f" at {entry['door']}" if entry["door"] else ""
    # As JSON, so that nothing that a client has sent can do anything to a terminal.
    fields = "".join(f" {name}={json.dumps(value)}" for name, value in request.items())
    return f"{time}  client {entry['peer']}{door}: {kind}{fields}"


def _count(number: int, noun: str) -> str:
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun}"

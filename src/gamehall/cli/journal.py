"""`gamehall journal`: check and show the journal, which stores the games in play."""

import json
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from gamehall.cli.shared import data_option, json_option, user_data_folder
from gamehall.core import counted
from gamehall.storage import StorageError, database_exists
from gamehall.storage.database import EXCHANGED, is_exchanged, open_snapshot
from gamehall.storage.journal_reader import JournalContents, JournalRoom, read_journal

SECRETS: Final = {"secret", "seed", "digest"}
"""The fields of requests that are never shown."""

HIDDEN: Final = "(hidden)"


class StoredEntry(msgspec.Struct, array_like=True):
    """An entry, decoded without its game, to show entries of older versions, too."""

    now: float
    peer: int | None = None
    request: dict[str, Any] | None = None


@click.group(epilog="Example: gamehall journal verify")
def journal() -> None:
    """Check or show the journal, which stores the games in play.

    Both commands only read it, and work while a server is running.
    """


@journal.command(epilog="Example: gamehall journal verify --data /var/lib/gamehall")
@data_option
@json_option
def verify(data: str | None, as_json: bool) -> None:
    """Check that no entry of the journal is missing or was changed.

    Prints a line for each room and for each fault. The exit code is 1 if there are faults.
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
            click.echo(f"{_title(room)}: {counted(len(contents.entries[room.id]), 'entry')}")
        for fault in contents.faults:
            click.echo(f"damaged: {fault}")
    if contents.faults:
        raise click.ClickException(
            f"the journal has {counted(len(contents.faults), 'fault')}: restore a backup, or start"
            " the server with --fresh, which drops the games in play and keeps the records"
        )
    if not as_json:
        click.echo(f"no faults in {counted(len(contents.rooms), 'room')}")


@journal.command(epilog="Example: gamehall journal show tttp")
@click.argument("room", required=False)
@data_option
@json_option
def show(room: str | None, data: str | None, as_json: bool) -> None:
    """Show the entries of all rooms, or of ROOM: time, client and request.

    Times are in seconds of the server's clock. Secrets of players and seeds of rooms are hidden.
    """
    contents = _read(data)
    found = [
        (stored, [_decode(entry) for entry in contents.entries[stored.id]])
        for stored in contents.rooms
        if room in (None, stored.spec.room, str(stored.id))
    ]
    if room is not None and not found:
        known = ", ".join(sorted({stored.spec.room for stored in contents.rooms}))
        hint = f"; there are: {known}" if known else ": it is empty"
        raise click.UsageError(f"there is no room {room} in the journal{hint}")
    if as_json:
        value = [
            {"id": stored.id, "room": stored.spec.room, "entries": entries}
            for stored, entries in found
        ]
        click.echo(json.dumps(value, indent=2))
    elif not found:
        click.echo("the journal is empty")
    else:
        for stored, entries in found:
            click.echo(f"{_title(stored)}: {counted(len(entries), 'entry')}")
            for number, entry in enumerate(entries, 1):
                click.echo(f"{number:6}  {_format_entry(entry)}")
    for fault in contents.faults:
        click.echo(f"damaged: {fault}", err=True)


def _read(data: str | None) -> JournalContents:
    where = data or user_data_folder()
    if not database_exists(where):
        if data is not None and not Path(data).is_dir():
            raise click.UsageError(f"--data: there is no folder {data}")
        if is_exchanged(where, ""):
            raise click.ClickException(EXCHANGED.format(Path(where)))
        return JournalContents(rooms=[], entries={}, last_entry=0, faults=[])
    try:
        with open_snapshot(where) as connection:
            contents = read_journal(connection)
            marks = [str(mark) for (mark,) in connection.run("SELECT mark FROM hall")]
    except StorageError as error:
        raise click.ClickException(f"{where}: the journal cannot be read: {error}") from None
    if marks and is_exchanged(where, marks[0]):
        contents.faults.append(EXCHANGED.format(where))
    return contents


def _title(room: JournalRoom) -> str:
    return f"room {room.spec.room} ({room.id})"


def _decode(content: bytes) -> dict[str, Any]:
    """Return an entry as JSON shows it, without secrets."""
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


def _format_entry(entry: dict[str, Any]) -> str:
    if "unreadable" in entry:
        return f"cannot be read: {entry['unreadable']}"
    time = f"{entry['time']:.3f} s"
    if entry["request"] is None:
        return f"{time}  time passes"
    request = dict(entry["request"])
    kind = request.pop("type", "?")
    request.pop("door", None)
    door = f" at {entry['door']}" if entry["door"] else ""
    # As JSON, which escapes control characters that a client may have sent to harm the terminal.
    fields = "".join(f" {name}={json.dumps(value)}" for name, value in request.items())
    return f"{time}  client {entry['peer']}{door}: {kind}{fields}"

"""The doors to open, read from a configuration file and the command line, and checked."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from gamehall.core import GamehallError
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import (
    DoorSettings,
    SettingError,
    check_values,
    read_settings,
    room_settings,
    setting_names,
    suggestion,
)

WEB = "web"
WEB_PORT = 7080
WEB_TITLE = "pages for browsers, and their API"


class PlanError(GamehallError):
    """The doors cannot be opened as asked. The message says what to change."""


class HallFile(NamedTuple):
    """The tables of a configuration file."""

    path: Path
    hall: Mapping[str, Any]
    """[hall]: options of `gamehall serve` by their long names."""
    house: Mapping[str, Any]
    """[house]: house bots by game."""
    doors: Mapping[str, Mapping[str, Any]]
    """[door.NAME]: settings by door."""


class DoorPlan(msgspec.Struct, frozen=True):
    """A door to open."""

    protocol: AnyProtocol
    port: int
    settings: DoorSettings
    room: str
    """The room of its players: named like this door, or like another door that shares its room."""

    @property
    def has_own_room(self) -> bool:
        return self.room == self.protocol.name


class WebSettings(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
):
    """The settings of the web door. `gamehall doors` shows their descriptions."""

    max_connections: Annotated[
        int, Meta(ge=1, le=1_000_000, description="connections at a time")
    ] = 2000
    max_per_address: Annotated[
        int, Meta(ge=1, le=1_000_000, description="connections at a time from one address")
    ] = 1000


class WebPlan(msgspec.Struct, frozen=True):
    """The web door to open."""

    port: int = WEB_PORT
    settings: WebSettings = WebSettings()


def plan_doors(
    protocols: Mapping[str, AnyProtocol],
    doors: Sequence[str],
    file: HallFile | None,
    assignments: Iterable[str],
    strict: bool = False,
    once: bool = False,
) -> list[DoorPlan]:
    """Return the doors to open except the web door, in the order of the catalogue.

    Args:
        doors: NAME or NAME=PORT of each door to open; empty for all doors.
        file: the configuration file, if there is one.
        assignments: DOOR.OPTION=VALUE, which override the file.
        strict, once: defaults for the settings of these names, at every door that has them.

    Raises:
        PlanError: the doors cannot be opened as asked.
    """
    chosen = read_doors(doors, protocols)
    values = _merge(file, assignments, protocols)
    plans = []
    for name, protocol in protocols.items():
        if chosen and name not in chosen:
            continue
        options = dict(values.get(name, {}))
        try:
            port = read_port(options.pop("port", protocol.port))
            room = options.pop("room", name)
            if room != name:
                _check_room(name, room, options, protocols, chosen, values)
            for flag, is_set in (("strict", strict), ("once", once)):
                if flag in setting_names(protocol.settings):
                    options.setdefault(flag, is_set)
            settings = read_settings(protocol.settings, options, name)
        except (PlanError, SettingError) as error:
            raise PlanError(f"{_source(file, name)}{error}") from None
        chosen_port = chosen.get(name)
        if chosen_port is not None:
            port = chosen_port
        plans.append(DoorPlan(protocol=protocol, port=port, settings=settings, room=room))
    return plans


def plan_web(
    protocols: Mapping[str, AnyProtocol],
    doors: Sequence[str],
    file: HallFile | None,
    assignments: Iterable[str],
) -> WebPlan | None:
    """Return the web door, or None if it is not to be opened. See `plan_doors`."""
    chosen = read_doors(doors, protocols)
    if chosen and WEB not in chosen:
        return None
    options = dict(_merge(file, assignments, protocols).get(WEB, {}))
    port = read_port(options.pop("port", WEB_PORT))
    settings = read_settings(WebSettings, options, WEB, ("port",))
    chosen_port = chosen.get(WEB)
    return WebPlan(port if chosen_port is None else chosen_port, settings)


def read_doors(texts: Iterable[str], protocols: Mapping[str, AnyProtocol]) -> dict[str, int | None]:
    """Parse NAME or NAME=PORT. Return the port by name, None if not given. Raises PlanError."""
    chosen: dict[str, int | None] = {}
    for text in texts:
        name, equals, port = text.partition("=")
        _check_door(name, protocols)
        chosen[name] = read_port(port) if equals else None
    return chosen


def read_hall_file(path: Path, protocols: Mapping[str, AnyProtocol]) -> HallFile:
    """Read a configuration file, and check each setting of a door by itself.

    The contents of [hall] and [house] are not checked. Raises PlanError.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{path} is not TOML: {error}") from None
    tables: dict[str, dict[str, Any]] = {"hall": {}, "house": {}, "door": {}}
    for name, table in content.items():
        if name not in tables or not isinstance(table, dict):
            raise PlanError(
                f"{path} may hold [hall], [house] and [door.NAME] tables only, not {name}"
            )
        tables[name] = table
    for name, options in tables["door"].items():
        try:
            _check_table(name, options, protocols)
        except (PlanError, SettingError) as error:
            raise PlanError(f"{path}: {error}") from None
    return HallFile(path=path, hall=tables["hall"], house=tables["house"], doors=tables["door"])


def _check_table(name: str, options: object, protocols: Mapping[str, AnyProtocol]) -> None:
    """Raise PlanError or SettingError unless these are settings of the door."""
    _check_door(name, protocols)
    if not isinstance(options, dict):
        raise PlanError(f"door.{name} must be a table, as in [door.{name}]")
    for option, value in options.items():
        _check_option(name, option, value, protocols)


def _check_option(
    door: str, option: str, value: object, protocols: Mapping[str, AnyProtocol]
) -> None:
    """Raise PlanError or SettingError unless the door has this setting, and the value is valid."""
    if option == "port":
        try:
            read_port(value)
        except PlanError as error:
            raise PlanError(f"{door}.port: {error}") from None
    elif door == WEB:
        check_values(WebSettings, {option: value}, door, ("port",))
    elif option != "room":
        check_values(protocols[door].settings, {option: value}, door)


def _merge(
    file: HallFile | None, assignments: Iterable[str], protocols: Mapping[str, AnyProtocol]
) -> dict[str, dict[str, Any]]:
    """Return the settings of each door. Those of the command line override those of the file."""
    values = {} if file is None else {name: dict(table) for name, table in file.doors.items()}
    for text in assignments:
        parts = re.fullmatch(r"([^.=]+)\.([^=]+)=(.*)", text, re.DOTALL)
        if parts is None:
            raise PlanError(
                f"{text!r} is not a setting: write DOOR.OPTION=VALUE, as in tttp.gravity=free"
            )
        door, option, value = parts.groups()
        _check_door(door, protocols)
        try:
            _check_option(door, option, value, protocols)
        except SettingError as error:
            raise PlanError(str(error)) from None
        values.setdefault(door, {})[option] = value
    return values


def _source(file: HallFile | None, door: str) -> str:
    """Return the prefix of an error message: the file, if it has settings of the door."""
    return f"{file.path}: " if file is not None and file.doors.get(door) else ""


def _check_room(
    door: str,
    room: object,
    options: Mapping[str, Any],
    protocols: Mapping[str, AnyProtocol],
    chosen: Mapping[str, int | None],
    values: Mapping[str, Mapping[str, Any]],
) -> None:
    """Raise PlanError unless a door, with these settings, can share the room of another door."""
    if not isinstance(room, str) or room not in protocols:
        raise PlanError(
            f"{door}.room cannot be {room!r}: write the name of one of the doors"
            f" {', '.join(protocols)}"
        )
    if protocols[room].game != protocols[door].game:
        raise PlanError(
            f"the door {door} cannot lead into the room of {room}: that is for"
            f" {protocols[room].game}, not for {protocols[door].game}"
        )
    if values.get(room, {}).get("room", room) != room:
        raise PlanError(f"{door}.room cannot be {room!r}: that door has no room of its own either")
    if chosen and room not in chosen:
        raise PlanError(
            f"the door {door} leads into the room of {room}, so that must be opened too: add"
            f" --door {room}"
        )
    misplaced = sorted(room_settings(protocols[door].settings) & options.keys())
    if misplaced:
        there = ", ".join(sorted(room_settings(protocols[room].settings)))
        raise PlanError(
            f"{door}.{misplaced[0]} is a setting of the room, and this door shares the room of"
            f" {room}; set it there: {there}"
        )


def _check_door(name: str, protocols: Mapping[str, AnyProtocol]) -> None:
    if name not in protocols and name != WEB:
        raise PlanError(f"there is no door {name!r}; {suggestion(name, [*protocols, WEB])}")


def read_port(port: object) -> int:
    """Check a port number, or parse it. Raises PlanError."""
    if isinstance(port, str) and port.isdecimal() and port.isascii():
        port = int(port)
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= 65535:
        raise PlanError(f"{port!r} is not a port: use a number from 0 (any free one) to 65535")
    return port

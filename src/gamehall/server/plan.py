"""What is to be opened: a plan made of a configuration file and a command line, and checked."""

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
)

WEB = "web"
WEB_PORT = 7080
WEB_TITLE = "pages for browsers, and their API"


class PlanError(GamehallError):
    """A plan that cannot be carried out. The text tells a person what to change."""


class HallFile(NamedTuple):
    """What a configuration file says, table by table."""

    path: Path
    hall: Mapping[str, Any]
    """The options of `gamehall serve` by their long names: [hall]."""
    house: Mapping[str, Any]
    """The house bots by the games that they play: [house]."""
    doors: Mapping[str, Mapping[str, Any]]
    """The settings of the doors by their names: [door.NAME]."""


class DoorPlan(msgspec.Struct, frozen=True):
    """One door: what it speaks, where, and how it is set."""

    protocol: AnyProtocol
    port: int
    settings: DoorSettings
    room: str
    """The door whose room it leads into; mostly itself."""

    @property
    def has_own_room(self) -> bool:
        """Whether there is a room behind this door that is set as this door is."""
        return self.room == self.protocol.name


class WebSettings(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
):
    """The settings of the web door. The description of each is what `gamehall doors` shows."""

    max_connections: Annotated[
        int, Meta(ge=1, le=1_000_000, description="connections at a time")
    ] = 2000
    max_per_address: Annotated[
        int, Meta(ge=1, le=1_000_000, description="connections at a time from one address")
    ] = 1000


class WebPlan(msgspec.Struct, frozen=True):
    """The web door: where it is, and how it is set."""

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
    """The doors to open, except that to the pages, in the order of the catalogue.

    `doors` are written NAME or NAME=PORT; if there are none, every door opens. `assignments` are
    written DOOR.OPTION=VALUE and go before the configuration file. `strict` and `once` go for every
    door that is not told otherwise. Raises PlanError.
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
        told = chosen.get(name)
        plans.append(
            DoorPlan(
                protocol=protocol, port=port if told is None else told, settings=settings, room=room
            )
        )
    return plans


def plan_web(
    protocols: Mapping[str, AnyProtocol],
    doors: Sequence[str],
    file: HallFile | None,
    assignments: Iterable[str],
) -> WebPlan | None:
    """The web door, None if it is not to open; arguments as in `plan_doors`. Raises PlanError."""
    chosen = read_doors(doors, protocols)
    if chosen and WEB not in chosen:
        return None
    options = dict(_merge(file, assignments, protocols).get(WEB, {}))
    port = read_port(options.pop("port", WEB_PORT))
    settings = read_settings(WebSettings, options, WEB, ("port",))
    told = chosen.get(WEB)
    return WebPlan(port if told is None else told, settings)


def read_doors(texts: Iterable[str], protocols: Mapping[str, AnyProtocol]) -> dict[str, int | None]:
    """Return the ports of the doors that are named, None for a door's own. Raises PlanError."""
    chosen: dict[str, int | None] = {}
    for text in texts:
        name, equals, port = text.partition("=")
        _check_door(name, protocols)
        chosen[name] = read_port(port) if equals else None
    return chosen


def read_hall_file(path: Path, protocols: Mapping[str, AnyProtocol]) -> HallFile:
    """Read a configuration file and check the settings of its doors, each by itself.

    What its [hall] and [house] tables hold is not checked here. Raises PlanError.
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
    """Raise PlanError or SettingError if these are not settings of that door."""
    _check_door(name, protocols)
    if not isinstance(options, dict):
        raise PlanError(f"door.{name} must be a table, as in [door.{name}]")
    for option, value in options.items():
        _check_option(name, option, value, protocols)


def _check_option(
    door: str, option: str, value: object, protocols: Mapping[str, AnyProtocol]
) -> None:
    """Raise PlanError or SettingError if that door has no such setting, or not with this value."""
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
    """The settings of each door, from the file and, before that, from the command line."""
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
    """What goes before an error about a door that the file has something to say about."""
    return f"{file.path}: " if file is not None and file.doors.get(door) else ""


def _check_room(
    door: str,
    room: object,
    options: Mapping[str, Any],
    protocols: Mapping[str, AnyProtocol],
    chosen: Mapping[str, int | None],
    values: Mapping[str, Mapping[str, Any]],
) -> None:
    """Whether a door may lead into the room of another, set as it is."""
    if not isinstance(room, str) or room not in protocols:
        raise PlanError(
            f"{door}.room cannot be {room!r}: it is the name of a door, and there are:"
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
            f"{door}.{misplaced[0]} is a matter of the room, which is that of {room}; what can be"
            f" set there: {there}"
        )


def _check_door(name: str, protocols: Mapping[str, AnyProtocol]) -> None:
    if name not in protocols and name != WEB:
        raise PlanError(f"there is no door {name!r}; there are: {', '.join([*protocols, WEB])}")


def read_port(port: object) -> int:
    """The port that is written there. Raises PlanError."""
    if isinstance(port, str) and port.isdecimal() and port.isascii():
        port = int(port)
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= 65535:
        raise PlanError(f"{port!r} is not a port: use a number from 0 (any free one) to 65535")
    return port

"""What is to be opened: a plan made of a configuration file and a command line, and checked."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import (
    BadSetting,
    DoorSettings,
    read_settings,
    room_settings,
    setting_names,
)


class BadPlan(Exception):
    """A plan that cannot be carried out. The text tells a person what to change."""


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


def plan_doors(
    protocols: Mapping[str, AnyProtocol],
    doors: Iterable[str],
    config: Path | None,
    assignments: Iterable[str],
    strict: bool = False,
    once: bool = False,
) -> list[DoorPlan]:
    """The doors to open, in the order of the catalogue.

    `doors` are written NAME or NAME=PORT; if there are none, every door opens. `assignments` are
    written DOOR.OPTION=VALUE and go before the configuration file. `strict` and `once` go for every
    door that is not told otherwise. Raises BadPlan.
    """
    chosen = dict(_read_door(text, protocols) for text in doors)
    values = _read_config(config, protocols) if config else {}
    for text in assignments:
        door, option, value = _read_assignment(text, protocols)
        values.setdefault(door, {})[option] = value
    plans = []
    for name, protocol in protocols.items():
        if chosen and name not in chosen:
            continue
        options = dict(values.get(name, {}))
        port = read_port(options.pop("port", protocol.port))
        room = options.pop("room", name)
        if room != name:
            _check_room(name, room, options, protocols, chosen, values)
        for flag, is_set in (("strict", strict), ("once", once)):
            if flag in setting_names(protocol.settings):
                options.setdefault(flag, is_set)
        told = chosen.get(name)
        try:
            settings = read_settings(protocol.settings, options, name)
        except BadSetting as error:
            raise BadPlan(str(error)) from None
        plans.append(DoorPlan(protocol, port if told is None else told, settings, room))
    return plans


def _read_door(text: str, protocols: Mapping[str, AnyProtocol]) -> tuple[str, int | None]:
    name, equals, port = text.partition("=")
    _check_door(name, protocols)
    return name, read_port(port) if equals else None


def _read_assignment(text: str, protocols: Mapping[str, AnyProtocol]) -> tuple[str, str, str]:
    parts = re.fullmatch(r"([^.=]+)\.([^=]+)=(.*)", text, re.DOTALL)
    if parts is None:
        raise BadPlan(
            f"{text!r} is not a setting: write DOOR.OPTION=VALUE, as in tttp.gravity=free"
        )
    door, option, value = parts.groups()
    _check_door(door, protocols)
    return door, option, value


def _read_config(path: Path, protocols: Mapping[str, AnyProtocol]) -> dict[str, dict[str, Any]]:
    """The settings of the [door.NAME] tables of a configuration file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadPlan(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadPlan(f"{path} is not TOML: {error}") from None
    doors = content.pop("door", {})
    if content or not isinstance(doors, dict):
        raise BadPlan(f"{path} may hold [door.NAME] tables only, not {next(iter(content), 'door')}")
    for name, options in doors.items():
        _check_door(name, protocols)
        if not isinstance(options, dict):
            raise BadPlan(f"{path}: door.{name} must be a table, as in [door.{name}]")
    return doors


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
        raise BadPlan(
            f"{door}.room cannot be {room!r}: it is the name of a door, and there are:"
            f" {', '.join(protocols)}"
        )
    if protocols[room].game != protocols[door].game:
        raise BadPlan(
            f"the door {door} cannot lead into the room of {room}: that is for"
            f" {protocols[room].game}, not for {protocols[door].game}"
        )
    if values.get(room, {}).get("room", room) != room:
        raise BadPlan(f"{door}.room cannot be {room!r}: that door has no room of its own either")
    if chosen and room not in chosen:
        raise BadPlan(
            f"the door {door} leads into the room of {room}, so that must be opened too: add"
            f" --door {room}"
        )
    misplaced = sorted(room_settings(protocols[door].settings) & options.keys())
    if misplaced:
        there = ", ".join(sorted(room_settings(protocols[room].settings)))
        raise BadPlan(
            f"{door}.{misplaced[0]} is a matter of the room, which is that of {room}; what can be"
            f" set there: {there}"
        )


def _check_door(name: str, protocols: Mapping[str, AnyProtocol]) -> None:
    if name not in protocols:
        raise BadPlan(f"there is no door {name!r}; there are: {', '.join(protocols)}")


def read_port(port: object) -> int:
    """The port that is written there. Raises BadPlan."""
    if isinstance(port, str) and port.isdecimal() and port.isascii():
        port = int(port)
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= 65535:
        raise BadPlan(f"{port!r} is not a port: use a number from 0 (any free one) to 65535")
    return port

"""The settings of a door: what can be set, and how settings are read and listed."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from enum import Enum
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from gamehall.core import GamehallError
from gamehall.rooms.terms import TournamentTerms
from gamehall.tournaments.pairing import Starts
from gamehall.tournaments.standings import CheaterRule
from gamehall.wire.session import Timeouts

ROOM_SETTING = {"of": "room"}
"""Marks a setting, in the extra of its Meta, that the room behind the door applies."""

Seconds = Annotated[float, Meta(ge=0, le=1e9)]
ZeroOrOne = Annotated[int, Meta(ge=0, le=1)]


def room_setting(description: str, ge: float | None = None, le: float | None = None) -> Meta:
    """Describe a setting that the room behind the door applies."""
    return Meta(description=description, ge=ge, le=le, extra=ROOM_SETTING)


def door_setting(description: str, ge: float | None = None, le: float | None = None) -> Meta:
    """Describe a setting that is applied by the door or its sessions."""
    return Meta(description=description, ge=ge, le=le)


PLAN_SETTINGS = ("port", "room")
"""Settings that every door has besides those of its protocol."""


class SettingError(GamehallError):
    """A setting that does not exist, or a value that does not fit. The text says what would."""


class DoorSettings(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
):
    """The settings that every door has. `gamehall doors` shows their descriptions."""

    max_connections: Annotated[int, door_setting("connections at a time", 1, 1_000_000)] = 16384
    max_per_address: Annotated[
        int,
        door_setting(
            "connections at a time from one address other than a loopback one; 0: no limit",
            ge=0,
            le=1_000_000,
        ),
    ] = 256
    max_bytes_waiting: Annotated[
        int, door_setting("bytes queued for a client that does not read them", 1024, 1 << 40)
    ] = 1_048_576
    messages_per_second: Annotated[
        int,
        door_setting(
            "messages per second and client before it is slowed down; 0: no limit",
            ge=0,
            le=1_000_000,
        ),
    ] = 1000
    pace_ms: Annotated[
        int, door_setting("milliseconds between two messages to a client", 0, 1000)
    ] = 0
    strict: Annotated[bool, door_setting("whether to accept only what the document describes")] = (
        False
    )
    grace_ms: Annotated[int, door_setting("milliseconds added to every time limit", 0, 60_000)] = (
        250
    )
    return_seconds: Annotated[
        float,
        door_setting(
            "seconds that a player's seat is kept when its connection ends;"
            " 0: as the document says",
            ge=0,
            le=86_400,
        ),
    ] = 0
    secrets: Annotated[
        bool,
        door_setting(
            "whether a name may carry a secret, as in ann:xyzzy, which is then needed to return"
            " to its seat"
        ),
    ] = False

    def with_grace(self, seconds: float) -> float | None:
        """Return a time limit with the grace added (X-10); None if it is 0: no limit."""
        return seconds + self.grace_ms / 1000 if seconds else None


SettingsT = TypeVar("SettingsT", bound=DoorSettings)
AnySettingsT = TypeVar("AnySettingsT", bound=msgspec.Struct)
"""Settings of a door that speaks a protocol, or of the web door."""


class SettingLine(msgspec.Struct, frozen=True):
    """One setting as a list shows it."""

    name: str
    default: str
    description: str


def suggestion(name: str, known: Sequence[str]) -> str:
    """Return the end of an error message about an unknown name: similar names, or else all."""
    close = get_close_matches(name, known, n=2)
    return f"did you mean {' or '.join(close)}?" if close else f"there are: {', '.join(known)}"


def read_settings(
    kind: type[AnySettingsT],
    values: Mapping[str, object],
    door: str,
    others: Sequence[str] = PLAN_SETTINGS,
) -> AnySettingsT:
    """Return settings with these values, and defaults for the rest. Raises SettingError.

    Args:
        values: of the right type, as in a TOML file, or text, as on a command line.
        others: names of further settings, for the error message.
    """
    check_values(kind, values, door, others)
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise SettingError(f"the door {door}: {error}") from None


def check_values(
    kind: type[msgspec.Struct],
    values: Mapping[str, object],
    door: str,
    others: Sequence[str] = PLAN_SETTINGS,
) -> None:
    """Raise SettingError if a setting does not exist or its value does not fit it.

    Combinations of values are not checked.
    """
    known = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for name in values:
        if name not in known:
            hint = suggestion(name, [*known, *others])
            raise SettingError(f"the door {door} has no setting {name!r}; {hint}")
    for name, value in values.items():
        try:
            msgspec.convert(value, known[name].type, strict=False)
        except msgspec.ValidationError as error:
            raise SettingError(
                f"{door}.{name} cannot be {value!r}: {_expected(known[name].type, error)}"
            ) from None


def list_settings(kind: type[msgspec.Struct]) -> list[SettingLine]:
    """Return the settings of a door, those that every door has last."""
    shared = {field.name for field in msgspec.structs.fields(DoorSettings)}
    fields = sorted(msgspec.structs.fields(kind), key=lambda field: field.name in shared)
    return [
        SettingLine(field.encode_name, _write(field.default), _description(field.type))
        for field in fields
    ]


def setting_names(kind: type[DoorSettings]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(kind)}


def room_settings(kind: type[DoorSettings]) -> set[str]:
    """Return the names of the settings that the room behind the door applies."""
    return {
        field.encode_name
        for field in msgspec.structs.fields(kind)
        if any(meta.extra == ROOM_SETTING for meta in _metas(field.type))
    }


def room_terms(settings: DoorSettings) -> dict[str, object]:
    """Return the values of the settings that the room behind the door applies."""
    written = msgspec.to_builtins(settings)
    return {name: written[name] for name in sorted(room_settings(type(settings)) | {"grace-ms"})}


def _write(value: object) -> str:
    """Return a value as it is written on a command line."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _description(annotation: Any) -> str:
    return next((meta.description for meta in _metas(annotation) if meta.description), "")


def _metas(annotation: Any) -> list[Meta]:
    return [meta for meta in getattr(annotation, "__metadata__", ()) if isinstance(meta, Meta)]


def _expected(annotation: Any, error: msgspec.ValidationError) -> str:
    """Return what values the setting takes, or the error itself."""
    kind = getattr(annotation, "__origin__", annotation)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "it is one of " + ", ".join(str(member.value) for member in kind)
    if kind is bool:
        return "it is true or false"
    for meta in _metas(annotation):
        if kind in (int, float) and meta.le is not None:
            least = meta.ge if meta.ge is not None else f"more than {meta.gt}"
            number = "whole number" if kind is int else "number"
            return f"it is a {number} from {least} to {meta.le:.15g}"
    return str(error)


class TournamentSettings(DoorSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings of a door whose players sign up for tournaments."""

    players: Annotated[
        int,
        room_setting(
            "players of a tournament, which begins when they have signed up; 0: from min-players"
            " to max-players",
            ge=0,
            le=1000,
        ),
    ] = 0
    min_players: Annotated[
        int, room_setting("players with whom a tournament can begin", 2, 1000)
    ] = 2
    max_players: Annotated[
        int, room_setting("players with whom a tournament begins at once", 2, 1000)
    ] = 200
    join_window: Annotated[
        Seconds, room_setting("seconds without a new player after which a tournament begins")
    ] = 3
    parallel: Annotated[bool, room_setting("whether several pairs play at the same time")] = False
    once: Annotated[
        bool, room_setting("whether there is only one tournament; --once sets it everywhere")
    ] = False
    join_timeout: Annotated[
        Seconds, door_setting("seconds within which a client must sign up; 0: no limit")
    ] = 30
    message_timeout: Annotated[
        Seconds, door_setting("seconds within which a message must be complete; 0: no limit")
    ] = 30

    def __post_init__(self) -> None:
        if self.players == 1:
            raise ValueError("players must be 0, or at least 2")
        if self.min_players > self.max_players:
            raise ValueError(
                f"min-players {self.min_players} is more than max-players {self.max_players}"
            )

    def terms(
        self,
        matches_per_pair: int,
        cheaters_matches: CheaterRule,
        best_of: bool = False,
        starts: Starts = Starts.ALTERNATE,
    ) -> TournamentTerms:
        return TournamentTerms(
            players=self.players or None,
            min_players=self.min_players,
            max_players=self.max_players,
            join_window_seconds=self.join_window,
            matches_per_pair=matches_per_pair,
            best_of=best_of,
            starts=starts,
            parallel=self.parallel,
            cheaters_matches=cheaters_matches,
            once=self.once,
        )

    def timeouts(self) -> Timeouts:
        return Timeouts(
            seconds_to_join=self.with_grace(self.join_timeout),
            seconds_per_message=self.with_grace(self.message_timeout),
        )

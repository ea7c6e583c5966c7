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
"""What can be set at every door and is no matter of its protocol."""


class SettingError(GamehallError):
    """A setting that does not exist or a value that does not fit, in words that tell what would."""


class DoorSettings(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
):
    """The settings that every door has. The description of each is what `gamehall doors` shows."""

    max_connections: Annotated[
        int, Meta(ge=1, le=1_000_000, description="connections at a time")
    ] = 16384
    max_per_address: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="connections at a time from one address that is not this machine's own;"
            " 0: no limit",
        ),
    ] = 256
    max_bytes_waiting: Annotated[
        int,
        Meta(
            ge=1024,
            le=1 << 40,
            description="bytes that may wait for a client that does not read them",
        ),
    ] = 1_048_576
    messages_per_second: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="messages per second and client before it is slowed down; 0: no limit",
        ),
    ] = 1000
    pace_ms: Annotated[
        int, Meta(ge=0, le=1000, description="milliseconds between two messages to a client")
    ] = 0
    strict: Annotated[
        bool, Meta(description="whether to hold clients to the letter of the document")
    ] = False
    grace_ms: Annotated[
        int, Meta(ge=0, le=60_000, description="milliseconds added to every time limit")
    ] = 250
    return_seconds: Annotated[
        float,
        Meta(
            ge=0,
            le=86_400,
            description="seconds that a player's place is kept when its connection ends;"
            " 0: as the document says",
        ),
    ] = 0
    secrets: Annotated[
        bool,
        Meta(
            description="whether a name may carry a secret, as in ann:xyzzy, without which nobody"
            " comes back under it"
        ),
    ] = False

    def with_grace(self, seconds: float) -> float | None:
        """Return a time limit with the grace added (X-10); None if it is 0: no limit."""
        return seconds + self.grace_ms / 1000 if seconds else None


SettingsT = TypeVar("SettingsT", bound=DoorSettings)
AnySettingsT = TypeVar("AnySettingsT", bound=msgspec.Struct)
"""Those of a door that speaks a protocol, or of the web door."""


class SettingLine(msgspec.Struct, frozen=True):
    """One setting, for people: its name, its default in writing, what it is."""

    name: str
    default: str
    description: str


def read_settings(
    kind: type[AnySettingsT],
    values: Mapping[str, object],
    door: str,
    others: Sequence[str] = PLAN_SETTINGS,
) -> AnySettingsT:
    """The settings made of these values, the rest at their defaults.

    Values may be of the right type, as in a TOML file, or text, as on a command line. `others`:
    what can be set there besides. Raises SettingError.
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
    """Raise SettingError if a value has no such setting or does not fit it, taken by itself."""
    known = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for name in values:
        if name not in known:
            every = [*known, *others]
            close = get_close_matches(name, every, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(every)}"
            raise SettingError(f"the door {door} has no setting {name!r}; {hint}")
    for name, value in values.items():
        try:
            msgspec.convert(value, known[name].type, strict=False)
        except msgspec.ValidationError as error:
            raise SettingError(
                f"{door}.{name} cannot be {value!r}: {_in_words(known[name].type, error)}"
            ) from None


def list_settings(kind: type[msgspec.Struct]) -> list[SettingLine]:
    """Every setting of a door, those of all doors last."""
    shared = {field.name for field in msgspec.structs.fields(DoorSettings)}
    fields = sorted(msgspec.structs.fields(kind), key=lambda field: field.name in shared)
    return [
        SettingLine(field.encode_name, _write(field.default), _description(field.type))
        for field in fields
    ]


def setting_names(kind: type[DoorSettings]) -> set[str]:
    """The names of all settings of a door."""
    return {field.encode_name for field in msgspec.structs.fields(kind)}


def room_settings(kind: type[DoorSettings]) -> set[str]:
    """The names of the settings that are a matter of the room behind the door."""
    return {
        field.encode_name
        for field in msgspec.structs.fields(kind)
        if any(meta.extra == ROOM_SETTING for meta in _metas(field.type))
    }


def room_terms(settings: DoorSettings) -> dict[str, object]:
    """Those settings that are a matter of the room behind the door, as they are set."""
    written = msgspec.to_builtins(settings)
    return {name: written[name] for name in sorted(room_settings(type(settings)) | {"grace-ms"})}


def _write(value: object) -> str:
    """A setting's value as it is written on a command line."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _description(annotation: Any) -> str:
    return next((meta.description for meta in _metas(annotation) if meta.description), "")


def _metas(annotation: Any) -> list[Meta]:
    return [meta for meta in getattr(annotation, "__metadata__", ()) if isinstance(meta, Meta)]


def _in_words(annotation: Any, error: msgspec.ValidationError) -> str:
    """What would have fitted."""
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
    """The settings of a door behind which tournaments are played."""

    players: Annotated[
        int,
        Meta(
            ge=0,
            le=1000,
            description="players with whom a tournament begins at once, and only then; 0: when"
            " enough have come and nobody else does",
            extra=ROOM_SETTING,
        ),
    ] = 0
    min_players: Annotated[
        int, Meta(ge=2, le=1000, description="players that are enough", extra=ROOM_SETTING)
    ] = 2
    max_players: Annotated[
        int,
        Meta(
            ge=2,
            le=1000,
            description="players in a tournament; it begins at once when they are there",
            extra=ROOM_SETTING,
        ),
    ] = 200
    join_window: Annotated[
        float,
        Meta(
            ge=0,
            le=1e9,
            description="seconds that a tournament waits for somebody else to come",
            extra=ROOM_SETTING,
        ),
    ] = 3
    parallel: Annotated[
        bool,
        Meta(description="whether several pairs play at the same time", extra=ROOM_SETTING),
    ] = False
    once: Annotated[
        bool,
        Meta(
            description="whether there is only one tournament; --once sets it everywhere",
            extra=ROOM_SETTING,
        ),
    ] = False
    join_timeout: Annotated[
        float,
        Meta(ge=0, le=1e9, description="seconds until a client must have signed up; 0: no limit"),
    ] = 30
    message_timeout: Annotated[
        float,
        Meta(ge=0, le=1e9, description="seconds that a message may take to come; 0: no limit"),
    ] = 30

    def __post_init__(self) -> None:
        if self.players == 1:
            raise ValueError("players is 0, or 2 and more: one alone has nobody to meet")
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
        """Return the terms of a room with these settings."""
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
        """Return the timeouts of a session at this door."""
        return Timeouts(
            seconds_to_join=self.with_grace(self.join_timeout),
            seconds_per_message=self.with_grace(self.message_timeout),
        )


SECRET_SEPARATOR = ":"
NOT_SHOWN = "(not shown: it may hold a secret)"


def read_sign_up(text: str, settings: DoorSettings) -> tuple[str, str]:
    """Return the name and the secret of a sign-up; the secret is empty if there is none.

    At a door with secrets that is NAME or NAME:SECRET, elsewhere the whole text is the name.
    """
    if not settings.secrets:
        return text, ""
    name, _, secret = text.partition(SECRET_SEPARATOR)
    return name, secret


def quote_input(text: bytes, settings: DoorSettings) -> str:
    """Return what a client sent instead of a message, for an error that is logged.

    At a door with secrets it may be a sign-up that was written wrongly, with the secret in it.
    """
    return NOT_SHOWN if settings.secrets else repr(text)

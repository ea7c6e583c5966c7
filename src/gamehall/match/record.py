"""Records of finished matches, from which they can be replayed."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from hashlib import blake2b
from typing import Any

import msgspec

from gamehall.core import (
    SEAT_NAMES,
    Game,
    GamehallError,
    MoveT,
    Position,
    Seat,
    UnknownNameError,
    check_names_of_terms,
)
from gamehall.match.events import Result


class RecordError(GamehallError, ValueError):
    """A record cannot be read or replayed. The text says why."""


class RecordedMove(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move that was played, in the notation of its game."""

    seat: Seat
    move: str
    seconds: float = 0.0
    """The duration of the turn, 0 if the clock was not running yet."""
    seconds_left: float | None = None
    """The time left in the turn, None if there was no limit."""


class Record(msgspec.Struct, frozen=True, rename={"own_name": "name"}):
    """A finished match."""

    game: str
    """Its name in the catalogue."""
    terms: Mapping[str, Any]
    """The terms of the game, as in JSON."""
    seed: int
    players: tuple[str | None, str | None]
    """Their names, None for a player whose protocol has no names."""
    moves: tuple[RecordedMove, ...]
    result: Result
    room: str = ""
    """The name of the room or door."""
    ended: str | None = None
    """The time of the end in UTC, as in 2026-11-16T09:30:00Z; None if unknown."""
    own_name: str | None = None
    """The name of the match if it does not follow from the seed, which several may share."""

    @property
    def match_name(self) -> str:
        """The name of the match in logs and URLs."""
        return self.own_name or match_name(self.seed)

    def to_json(self) -> bytes:
        """Return the record as a JSON object."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, text: bytes | str) -> "Record":
        """Parse a JSON object. Raises RecordError."""
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise RecordError(f"this is not the record of a match: {error}") from None


def player_names(players: tuple[str | None, str | None]) -> tuple[str, str]:
    """Return the names of both players, such as "the first player" for one without a name."""
    first, second = (
        name or f"the {SEAT_NAMES[seat]}" for seat, name in zip(Seat, players, strict=True)
    )
    return first, second


def match_name(seed: int | str) -> str:
    """Return a short name for the match with this seed, which does not reveal the seed."""
    return "m" + blake2b(str(seed).encode(), digest_size=5).hexdigest()


def write_terms(game: Game[Any]) -> dict[str, Any]:
    """Return the terms of a game for a record."""
    return {
        term.name: msgspec.to_builtins(getattr(game, term.name))
        for term in fields(game)  # type: ignore[arg-type]
    }


def read_game(kind: type[Game[MoveT]], record: Record) -> Game[MoveT]:
    """Return the game of this kind on the record's terms. Raises RecordError."""
    try:
        check_names_of_terms(kind, record.terms)
        return msgspec.convert(record.terms, kind)
    except UnknownNameError as error:
        raise RecordError(str(error)) from None
    except msgspec.ValidationError as error:
        raise RecordError(f"these are not terms of {record.game}: {error}") from None


def positions(game: Game[MoveT], record: Record) -> Iterator[Position[MoveT]]:
    """Yield all positions of the match, including the first and the last.

    Raises RecordError at a move that the game does not allow.
    """
    position = game.start(record.seed)
    yield position
    for number, played in enumerate(record.moves, 1):
        if position.to_move is None:
            raise RecordError(f"move {number}, {played.move}: the game is over before it")
        if position.to_move is not played.seat:
            raise RecordError(f"move {number}, {played.move}: it is not the turn of that player")
        try:
            position = position.after(game.read_move(played.move))
        except ValueError as error:
            raise RecordError(f"move {number}, {played.move}: {error}") from None
        yield position

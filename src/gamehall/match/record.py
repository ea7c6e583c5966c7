"""A finished match in writing: enough to replay it."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from hashlib import blake2b
from typing import Any

import msgspec

from gamehall.core import Game, GamehallError, MoveT, Position, Seat
from gamehall.match.events import Result


class RecordError(GamehallError):
    """A record that cannot be read or replayed. The text tells a person why."""


class RecordedMove(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move that was played, in the notation of its game."""

    seat: Seat
    move: str
    seconds: float = 0.0
    """How long the turn took, 0 if the clock was not running yet."""
    seconds_left: float | None = None
    """What was left of the turn, None if there was no limit."""


class Record(msgspec.Struct, frozen=True):
    """A finished match."""

    game: str
    """By the name in the catalogue."""
    terms: Mapping[str, Any]
    """Those of the game, as they are written in JSON."""
    seed: int
    players: tuple[str | None, str | None]
    """The names of the first and of the second, None where a door does not ask for one."""
    moves: tuple[RecordedMove, ...]
    result: Result
    room: str = ""
    """Where it was played: the door to which the room belongs."""
    ended: str | None = None
    """When, in UTC, as in 2026-11-16T09:30:00Z; None if nobody has said."""
    name: str | None = None
    """Its match's, if that does not follow from the seed: several may begin with the same one."""

    @property
    def match(self) -> str:
        """By what name the match is spoken of, in logs and to find its record."""
        return self.name or match_name(self.seed)

    def to_json(self) -> bytes:
        """The record as a JSON object."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, text: bytes | str) -> "Record":
        """The record that a JSON object writes. Raises RecordError."""
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise RecordError(f"this is not the record of a match: {error}") from None


def match_name(seed: int | str) -> str:
    """A short name for the match that began with this seed. It does not give the seed away."""
    return "m" + blake2b(str(seed).encode(), digest_size=5).hexdigest()


def write_terms(game: Game[Any]) -> dict[str, Any]:
    """The terms of a game, as a record has them."""
    return {
        term.name: msgspec.to_builtins(getattr(game, term.name))
        for term in fields(game)  # type: ignore[arg-type]
    }


def read_game(kind: type[Game[MoveT]], record: Record) -> Game[MoveT]:
    """The game that was played, of this kind, on the record's terms. Raises RecordError."""
    known = {term.name for term in fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(record.terms.keys() - known)
    if unknown:
        raise RecordError(f"{record.game} has no terms called {', '.join(unknown)}")
    try:
        return msgspec.convert(record.terms, kind)
    except msgspec.ValidationError as error:
        raise RecordError(f"these are not terms of {record.game}: {error}") from None


def positions(game: Game[MoveT], record: Record) -> Iterator[Position[MoveT]]:
    """All positions of the match, the first and the last included.

    Raises RecordError where the moves are not those of the game.
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

"""A ledger in memory, in the order of writing, which can be cut off like one whose hall died."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
from gamehall.rooms.kept_room import KeptRoom
from gamehall.rooms.ledger import Epoch, Ledger

from gamehall.core import room_secrets
from gamehall.match import Record
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.journal import Codec
from gamehall.wire.settings import read_settings, room_terms


class Begun(NamedTuple):
    """A room has begun a life."""

    room: str
    epoch: Epoch


class Written(NamedTuple):
    """A room was told something, and these matches were over with that."""

    epoch: str
    entry: bytes
    records: tuple[Record, ...]


class Ended(NamedTuple):
    """A life of a room is not needed any more."""

    epoch: str


Work = Begun | Written | Ended


class MemoryLedger(Ledger):
    """Numbers what it is given from 1 on. Whoever uses it says by themselves what is safe."""

    def __init__(self, works: Iterable[Work] = ()) -> None:
        self.works = list(works)

    @property
    def number(self) -> int:
        """That of the last that was given."""
        return len(self.works)

    @property
    def records(self) -> list[Record]:
        """Every record that was given."""
        return [one for work in self.works if isinstance(work, Written) for one in work.records]

    def after_a_crash(self, number: int | None = None) -> "MemoryLedger":
        """What is left of it if only so much was safe; all of it if that is not said."""
        return MemoryLedger(self.works[:number])

    def begin(self, room: str, secret: bytes, settings: bytes) -> str:
        name = f"life {len(self.works)}"
        self.works.append(Begun(room, Epoch(name, secret, settings)))
        return name

    def write(self, room: str, epoch: str, entry: bytes, records: Sequence[Record]) -> int | None:
        self.works.append(Written(epoch, entry, tuple(records)))
        return self.number

    def end(self, epoch: str) -> None:
        self.works.append(Ended(epoch))

    def last(self, room: str) -> tuple[Epoch, list[bytes]] | None:
        ended = {work.epoch for work in self.works if isinstance(work, Ended)}
        lives = [work.epoch for work in self.works if isinstance(work, Begun) and work.room == room]
        lives = [life for life in lives if life.name not in ended]
        if not lives:
            return None
        written = [work for work in self.works if isinstance(work, Written)]
        return lives[-1], [work.entry for work in written if work.epoch == lives[-1].name]


def keep(door: str, ledger: MemoryLedger, **settings: str) -> KeptRoom[Any]:
    """The room behind a door, with a ledger."""
    protocol = all_protocols()[door]
    named = {name.replace("_", "-"): value for name, value in settings.items()}
    read = read_settings(protocol.settings, named, door)
    return KeptRoom(
        door,
        partial(protocol.room, read),
        msgspec.json.encode(room_terms(read)),
        Codec(protocol.moves),
        room_secrets(ledger.number, door),
        ledger,
    )

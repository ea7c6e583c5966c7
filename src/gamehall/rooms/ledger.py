"""Where what a room is told goes before anybody hears the answer."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import msgspec

from gamehall.match import Record


class Epoch(msgspec.Struct, frozen=True):
    """A life of a room, from its being fresh on."""

    name: str
    seed: bytes | int
    """The room's secret; a number in journals that were begun before rooms had one."""
    settings: bytes
    """How the room was set, in writing."""


class Ledger(ABC):
    """Keeps journals and records. What is given to it together is kept together, or not at all."""

    keeps: ClassVar[bool] = True
    """Whether anything is kept at all."""

    @abstractmethod
    def begin(self, room: str, secret: bytes, settings: bytes) -> str:
        """A fresh room begins a life; the name of that."""

    @abstractmethod
    def write(self, room: str, epoch: str, entry: bytes, records: Sequence[Record]) -> int | None:
        """Takes in an entry, and the records of the matches that it has ended.

        Gives a number that is higher each time, None if nobody need wait for it.
        """

    @abstractmethod
    def end(self, epoch: str) -> None:
        """Nothing of that life is needed any more."""

    @abstractmethod
    def last(self, room: str) -> tuple[Epoch, list[bytes]] | None:
        """The last life of a room that has not ended, and its entries in order."""


class NoLedger(Ledger):
    """Keeps nothing, and nobody waits for it."""

    keeps: ClassVar[bool] = False

    def begin(self, room: str, secret: bytes, settings: bytes) -> str:
        return ""

    def write(self, room: str, epoch: str, entry: bytes, records: Sequence[Record]) -> int | None:
        return None

    def end(self, epoch: str) -> None:
        pass

    def last(self, room: str) -> tuple[Epoch, list[bytes]] | None:
        return None

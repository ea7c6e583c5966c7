"""Bugs to be planted in the hall or under it: each breaks one thing that users were promised.

They are of four kinds: a line of a journal is lost, a clock runs while players are away, a prompt
is withdrawn, a result is counted twice.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import pytest

from gamehall.core import Seat
from gamehall.match import Ending, Record, TurnBegan
from gamehall.rooms import kept_room
from gamehall.rooms.entrant import Entrant
from gamehall.rooms.journal import Entry, is_worth_noting, tell_again
from gamehall.rooms.kept_room import Answer, KeptRoom
from gamehall.rooms.notices import MatchBegan, Seated
from gamehall.rooms.prompted_match import PromptedMatch
from gamehall.rooms.reception import Reception
from gamehall.rooms.requests import EndOfInput, Play, Rematch, Request
from gamehall.rooms.reaction import Delivery
from gamehall.rooms.room import Room
from gamehall.rooms.table import Member, Table
from gamehall.rooms.tournament import Encounter, Tournament
from gamehall.server.usher import Usher
from tests.simulation.disk import Disk, SlowLedger

ONE_IN = 9
"""Of so many entries, about one is lost."""


class Plant(NamedTuple):
    """A bug: in which class or module, in the place of what, and what is done instead."""

    where: object
    name: str
    instead: Callable[..., Any]

    def grow(self, patch: pytest.MonkeyPatch) -> None:
        """The code has the bug from now on, until the patch is undone."""
        patch.setattr(self.where, self.name, self.instead)

    def __str__(self) -> str:
        return self.instead.__name__.strip("_")


# A line of a journal is lost.

_disk_write = Disk.write
_keep = KeptRoom._keep


def _drop_lines(disk: Disk, room: str, epoch: str, entry: bytes, records: Sequence[Record]) -> None:
    if records or sum(entry) % ONE_IN:
        _disk_write(disk, room, epoch, entry, records)


DISK_LEAVES_OUT_LINES = Plant(Disk, "write", _drop_lines)
"""The disk says that it has written all, and has left out a line now and then."""


def _keep_most(
    room: KeptRoom[Any], entry: Entry[Any] | None, deliveries: list[Delivery[Any]]
) -> Answer[Any]:
    is_move = entry is not None and isinstance(entry.request, Play) and not room._room.records
    if entry is not None and is_move and sum(room._codec.encode(entry)) % ONE_IN == 0:
        entry = None
    return _keep(room, entry, deliveries)


ROOM_DOES_NOT_NOTE_MOVES = Plant(KeptRoom, "_keep", _keep_most)
"""A move now and then is made and answered, and nobody writes it down."""


def _is_worth_noting(request: Request[Any]) -> bool:
    return is_worth_noting(request) and not isinstance(request, Rematch | EndOfInput)


ROOM_DOES_NOT_NOTE_REMATCHES = Plant(kept_room, "is_worth_noting", _is_worth_noting)
"""That somebody wants to play again, or hangs up, is heeded, and nobody writes it down."""


def _keep_later(
    room: KeptRoom[Any], entry: Entry[Any] | None, deliveries: list[Delivery[Any]]
) -> Answer[Any]:
    return Answer(_keep(room, entry, deliveries).deliveries, None)


ROOM_ANSWERS_BEFORE_IT_IS_SAFE = Plant(KeptRoom, "_keep", _keep_later)
"""Everybody hears what follows from an entry before that is written; a crash may lose it."""


# A clock runs while players are away.


def _go_on_at_once(room: KeptRoom[Any], now: float) -> None:
    if room._stands_at is not None:
        room._behind, room._stands_at = now - room._stands_at, None


CLOCK_WAITS_FOR_NOBODY = Plant(KeptRoom, "look_at_clock", _go_on_at_once)
"""The clock runs as soon as the hall is open again, whoever is still away."""


def _catch_up(room: KeptRoom[Any], now: float) -> None:
    if not room.reception.waits:
        room._stands_at = None


CLOCK_CATCHES_UP = Plant(KeptRoom, "look_at_clock", _catch_up)
"""The clock stands still, and then jumps to where it would be if it had not."""


def _time_of_the_hall(room: KeptRoom[Any], now: float) -> float:
    return now if room._stands_at is None else room._stands_at


CLOCK_IS_THAT_OF_THE_HALL = Plant(KeptRoom, "_time", _time_of_the_hall)
"""The time between the crash and the return is forgotten when the clock is read."""


# A prompt is withdrawn.

_fail = PromptedMatch._fail


def _welcome_without_prompt(
    match: PromptedMatch[Any], entrant: Entrant, now: float
) -> list[Delivery[Any]]:
    seat = match._seats[entrant]
    return [match._tell(seat, MatchBegan(seat, match._players[seat.other].name))]


MATCH_DOES_NOT_ASK_AGAIN = Plant(PromptedMatch, "welcome_back", _welcome_without_prompt)
"""Who comes back to a tournament hears whom it meets, and not that it is to move."""


def _welcome_without_board(table: Table[Any], member: Member, now: float) -> list[Delivery[Any]]:
    return [Delivery((member.peer,), Seated(member.seat))]


TABLE_DOES_NOT_ASK_AGAIN = Plant(Table, "welcome_back", _welcome_without_board)
"""Who comes back to a table hears where it sits, and not that it is to move."""


def _deliver_most(
    usher: Usher, deliveries: Sequence[Delivery[Any]], finished: int, order: int
) -> None:
    for delivery in deliveries:
        for peer in delivery.peers:
            line = usher._line(peer, order)
            is_back = usher._since.get(peer) == order
            if line is not None and not (is_back and isinstance(delivery.notice, TurnBegan)):
                line.tell(delivery.notice)


USHER_LOSES_PROMPTS = Plant(Usher, "_deliver", _deliver_most)
"""The room asks whoever has come back, and the question does not reach it."""


def _fail_at_once(
    match: PromptedMatch[Any], seat: Seat, ending: Ending, detail: str
) -> list[Delivery[Any]]:
    match._asked = None
    return _fail(match, seat, ending, detail)


MATCH_ENDS_WHILE_SOMEBODY_THINKS = Plant(PromptedMatch, "_fail", _fail_at_once)
"""When a player fails, the other need not answer what it was asked, though it will."""


# A result is counted twice.

_note_win = Tournament._note_win


class _Undying(list[Record]):
    """A list of records that cannot be cleared."""

    def clear(self) -> None:
        """Does nothing."""


def _tell_with_records(
    room: Room[Any], reception: Reception, entries: Iterable[Entry[Any]]
) -> float:
    room.records = _Undying()
    return tell_again(room, reception, entries)


RECORDS_ARE_KEPT_AGAIN = Plant(kept_room, "tell_again", _tell_with_records)
"""A room that is had back after a crash hands out its old records as new ones."""


def _put_apart(
    ledger: SlowLedger, room: str, epoch: str, entry: bytes, records: Sequence[Record]
) -> int:
    if records:
        ledger._put(lambda: ledger._disk.records.extend((room, record) for record in records))
    return ledger._put(lambda: ledger._disk.write(room, epoch, entry, ()))


RECORDS_ARE_WRITTEN_FIRST = Plant(SlowLedger, "_put_together", _put_apart)
"""A record is safe before the entry that led to it: after a crash between, the match goes on."""


def _note_win_twice(
    tournament: Tournament[Any], encounter: Encounter[Any], winner: Entrant | None
) -> None:
    _note_win(tournament, encounter, winner)
    if winner is not None and winner.number % 2 == 0:
        tournament._wins.append(tournament._wins[-1])


POINTS_ARE_COUNTED_TWICE = Plant(Tournament, "_note_win", _note_win_twice)
"""Some win twice with one match of a tournament."""

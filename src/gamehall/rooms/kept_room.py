"""A room together with what it takes to have it back: its journal, who is who, and its clock."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic

import msgspec

from gamehall.core import MoveT, SecretRandom, SeededRandom, room_shuffler
from gamehall.match import Record
from gamehall.rooms.counts import RoomCounts
from gamehall.rooms.journal import Codec, Entry, is_worth_noting, tell_again
from gamehall.rooms.ledger import Ledger
from gamehall.rooms.reception import Reception
from gamehall.rooms.report import TournamentReport
from gamehall.rooms.requests import Chat, Leave, Lost, Request, SpectatorChat
from gamehall.rooms.room import Delivery, LogLine, Peer, Room
from gamehall.rooms.view import RoomView, view_later

ENTRIES_TO_DROP = 1000
"""How many a journal must have for it to be worth a fresh room to be rid of it."""


class CannotResume(Exception):
    """A room that cannot be had back. The text tells a person why, and what to do."""


class Answer(msgspec.Struct, Generic[MoveT], frozen=True):
    """What a room has said, and the number that must be safe before anybody hears it.

    None: nobody need wait.
    """

    deliveries: Sequence[Delivery[MoveT]]
    number: int | None
    records: Sequence[Record] = ()
    """The matches that have ended by it."""


class KeptRoom(Generic[MoveT]):
    """Tells a room what happens, and keeps it, so that the room outlives the program.

    The room has a clock of its own. After it was had back, that stands still until everybody is
    here again who is known by name, or has been given up: the time away is nobody's.
    """

    def __init__(
        self,
        name: str,
        make_room: Callable[[SeededRandom], Room[MoveT]],
        settings: bytes,
        codec: Codec[MoveT],
        secrets: Iterator[bytes],
        ledger: Ledger,
    ) -> None:
        """`settings`: how the room is set, in writing.

        `secrets`: from each of these the chance of one life of the room follows.
        """
        self.name = name
        self.reception = Reception()
        self.counts = RoomCounts()
        self.highest_peer = 0
        """The highest number of a peer that the room has heard of in an earlier life."""
        self._make_room = make_room
        self._settings = settings
        self._codec = codec
        self._secrets = secrets
        self._ledger = ledger
        self._last_number: int | None = None
        self._finished_before = 0
        self._versions_before = 0
        self._report_before: TournamentReport | None = None
        """What the last tournament in an earlier life came to."""
        self._behind = 0.0
        """How far the room's clock is behind the hall's."""
        self._stands_at: float | None = None
        """What the room's clock shows while it stands still."""
        self._noted = 0
        """How many entries the journal of this life has."""
        self._epoch: str | None = None
        """The room's life in the ledger, None until there is something to be noted."""
        self._has_old_seed = False
        """Whether what it draws can be computed: it was begun by a version that took no care."""
        self._secret = next(secrets)
        self._room = make_room(SecretRandom(self._secret))

    @property
    def finished(self) -> int:
        """How many matches or tournaments have come to an end since the program began."""
        return self._finished_before + self._room.finished

    @property
    def is_over(self) -> bool:
        """Whether nothing goes on that a later hall would have to go on with."""
        return self._room.is_over

    @property
    def waiting_players(self) -> Sequence[str]:
        """The names of those who wait for somebody to play with, "" for one without."""
        return () if self._stands_at is not None else self._room.waiting_players

    def view(self) -> RoomView[MoveT]:
        """What somebody who looks on can see now, by the hall's clock."""
        behind = self._behind if self._stands_at is None else None
        return view_later(self._room.view(), behind, self._versions_before, self._report_before)

    def resume(self, now: float, seconds_to_return: float) -> str | None:
        """Has the room's last life back, if something went on in it; says so in words.

        Raises CannotResume.
        """
        past = self._ledger.last(self.name)
        if past is None:
            return None
        epoch, contents = past
        if epoch.settings != self._settings:
            # That life is not forgotten: whoever opens the room as it was has it back.
            return "begins anew, since it was set otherwise when something went on in it"
        try:
            entries = [self._codec.decode(content) for content in contents]
        except msgspec.DecodeError as error:
            raise CannotResume(
                f"the journal of {self.name} cannot be read: {error}; --fresh leaves it alone"
            ) from None
        room, reception = self._make_room(room_shuffler(epoch.seed)), Reception()
        stood_at = tell_again(room, reception, entries)
        if not room.is_worth_restoring:
            self._ledger.end(epoch.name)
            return None
        was_over = room.is_over
        self._room, self._epoch, self.reception = room, epoch.name, reception
        self._noted = len(entries)
        self._has_old_seed = isinstance(epoch.seed, int)
        self._finished_before = -self._room.finished
        self._stands_at, self._behind = stood_at, now - stood_at
        peers = {entry.peer for entry in entries if entry.peer is not None}
        self.highest_peer = max(peers, default=0)
        for peer in list(self.reception.known):
            self.reception.lose(peer, now + seconds_to_return)
        gone = {entry.peer for entry in entries if isinstance(entry.request, Leave | Lost)}
        for peer in sorted(peers - self.reception.known.keys() - gone):
            if room.heeds(peer, Lost()):
                self.ask(peer, "", Lost(), now)
        self.look_at_clock(now)
        if was_over:
            return "shows how its last match has ended"
        return f"goes on where it was; {len(reception.known)} may come back to it"

    @property
    def deadline(self) -> float | None:
        """When `tick` wants to be called, by the hall's clock; None if it need not be."""
        given_up = self.reception.deadline if self.reception.waits else None
        due = self._room.deadline
        if due is None or self._stands_at is not None:
            return given_up
        due += self._behind
        return due if given_up is None else min(due, given_up)

    def ask(self, peer: Peer, door: str, request: Request[MoveT], now: float) -> Answer[MoveT]:
        """What follows from a request of somebody who came through that door."""
        if self._noted >= ENTRIES_TO_DROP and self._room.begins_afresh(request, self._time(now)):
            self._begin_anew()
        room, time = self._room, self._time(now)
        is_heeded = room.heeds(peer, request) or peer in self.reception.known
        if not is_heeded or not is_worth_noting(request):
            # A room sees to what is overdue before anything else, and that is worth noting.
            due = room.deadline
            is_overdue = due is not None and time >= due
            told = room.tick(time) if is_overdue else []
            # Talk goes by the hall's clock: it is not for a clock that stands to forbid it.
            is_talk = isinstance(request, Chat | SpectatorChat)
            told += room.handle(peer, request, now if is_talk else time)
            return self._keep(Entry(time) if is_overdue else None, told)
        was_fresh = self._epoch is None and room.is_quiet
        deliveries = room.handle(peer, request, time)
        if room.knows_peers:
            self.reception.note(peer, door, request, deliveries)
        if was_fresh and room.is_quiet:
            # Somebody came to the window, and nothing is another for it.
            return self._keep(None, deliveries)
        return self._keep(Entry(time, peer, request, door), deliveries)

    def tick(self, now: float) -> Answer[MoveT]:
        """What follows from the time having passed."""
        due = self._room.deadline
        if due is None or self._stands_at is not None or self._time(now) < due:
            return Answer((), None)
        time = self._time(now)
        return self._keep(Entry(time), self._room.tick(time))

    def look_at_clock(self, now: float) -> None:
        """Sets the room's clock going again, if it stands and nobody is waited for any more."""
        if self._stands_at is not None and not self.reception.waits:
            self._behind = now - self._stands_at
            self._stands_at = None
            self._versions_before += 1

    @property
    def has_news(self) -> bool:
        """Whether `take_news` may have anything to give."""
        return self._room.has_news

    def take_news(self) -> tuple[list[LogLine], list[TournamentReport]]:
        """What is worth noting, and what tournaments have come to, since this was last asked."""
        return self._room.take_log(), self._room.take_reports()

    def settle(self, now: float) -> None:
        """Everything is done that was to be done: the clock may go on, or the room be left."""
        if self._stands_at is not None:
            self.look_at_clock(now)
        if self._noted >= ENTRIES_TO_DROP or self._has_old_seed:
            self.begin_anew_if_quiet()

    def begin_anew_if_quiet(self) -> None:
        """Has a fresh room in the place of one that nobody would miss, and its journal dropped.

        Not for a few entries: those who come and go would have many rooms be made.
        """
        if self._epoch is None:
            return
        if self._noted < ENTRIES_TO_DROP and not self._has_old_seed:
            return
        if self._room.is_quiet and not self.reception.waits:
            self._begin_anew()

    def _begin_anew(self) -> None:
        """Replace the room by a fresh one, and drop its journal."""
        if self._epoch is not None:
            self._ledger.end(self._epoch)
        last = self.view()
        self._versions_before = last.version + 1
        self._report_before = last.tournament.report if last.tournament else None
        self._noted = 0
        self._finished_before = self.finished
        self._has_old_seed = False
        self._epoch, self._secret = None, next(self._secrets)
        self._room = self._make_room(SecretRandom(self._secret))

    def _time(self, now: float) -> float:
        """What the room's clock shows."""
        return now - self._behind if self._stands_at is None else self._stands_at

    def _keep(self, entry: Entry[MoveT] | None, deliveries: list[Delivery[MoveT]]) -> Answer[MoveT]:
        """Gives it to the ledger. What shows things that are not safe yet must wait as well."""
        self.reception.observe(deliveries)
        records: Sequence[Record] = ()
        if self._room.records:
            records, self._room.records = self._room.records, []
            for record in records:
                self.counts.matches[record.result.ending.value] += 1
                self.counts.moves += len(record.moves)
        if entry is not None and self._ledger.keeps:
            if self._epoch is None:
                self._epoch = self._ledger.begin(self.name, self._secret, self._settings)
            self._noted += 1
            content = self._codec.encode(entry)
            self._last_number = self._ledger.write(self.name, self._epoch, content, records)
        return Answer(deliveries, self._last_number, records)

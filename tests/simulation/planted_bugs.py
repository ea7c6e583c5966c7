"""Bugs that can be planted in the server or below it; each breaks a promise to users."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
import pytest

from gamehall.core import MoveT, Seat
from gamehall.match import Ending, Record, Referee, TurnBegan
from gamehall.rooms.absences import Absences
from gamehall.rooms.journal import RoomKey, StoredRoom, replay
from gamehall.rooms.names import Names
from gamehall.rooms.notices import Refusal
from gamehall.rooms.open_table import OpenTable, TableMember
from gamehall.rooms.presence import Presence
from gamehall.rooms.prompted_match import Entrant, PromptedMatch
from gamehall.rooms.requests import Away, Credential, Join, Play, Proof, Rematch, Return
from gamehall.rooms.room import Compaction, Delivery, Entry, Peer, Reaction, Room
from gamehall.rooms.tournament import Encounter, Tournament
from gamehall.server import hosted_room
from gamehall.server.hall_clock import HallClock
from gamehall.server.hosted_room import HostedRoom
from gamehall.server.room_host import Client, RoomHost
from gamehall.storage import journal
from gamehall.storage.database import DatabaseConnection
from gamehall.storage.journal_reader import JournalContents, read_journal
from tests.simulation.disk import Disk, ModelStore, WatchedJournal
from tests.support.journal_changes import Append

ONE_IN = 9
"""About one of this many entries is lost."""


class PlantedBug(NamedTuple):
    """A bug: the attribute of a class or module that is replaced, and its replacement."""

    owner: object
    name: str
    replacement: Callable[..., Any]

    def install(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(self.owner, self.name, self.replacement)

    def __str__(self) -> str:
        return self.replacement.__name__.strip("_")


# A journal entry is lost or wrong.

_disk_append = Disk.append
_react = RoomHost._react
_open_table_compact = OpenTable.compact


def _leave_out_entries(disk: Disk, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
    if records or sum(entry) % ONE_IN:
        _disk_append(disk, key, entry, records)


DISK_LEAVES_OUT_ENTRIES = PlantedBug(Disk, "append", _leave_out_entries)
"""The disk does not store some entries."""


def _journal_most(
    host: RoomHost, hosted: HostedRoom, reaction: Reaction[Any], entry: Entry[Any], now: float
) -> None:
    is_move = isinstance(entry.request, Play) and not reaction.records
    if is_move and hosted.journal_key and sum(hosted.codec.encode(entry)) % ONE_IN == 0:
        reaction.changed = False
    _react(host, hosted, reaction, entry, now)


HOST_DOES_NOT_JOURNAL_MOVES = PlantedBug(RoomHost, "_react", _journal_most)
"""Some moves are made and answered, but not journaled."""


def _journal_no_rematches(
    host: RoomHost, room: HostedRoom, reaction: Reaction[Any], entry: Entry[Any], now: float
) -> None:
    if isinstance(entry.request, Rematch):
        reaction.changed = False
    _react(host, room, reaction, entry, now)


HOST_DOES_NOT_JOURNAL_REMATCHES = PlantedBug(RoomHost, "_react", _journal_no_rematches)
"""Requests for a rematch are handled, but not journaled."""


def _deliver_before_commit(host: RoomHost) -> None:
    batch, host._batch = host._batch, None
    if batch is not None:
        host._in_flight.append(batch)
        host._release(batch)
        host._journal.commit(lambda: None)


HOST_DELIVERS_BEFORE_COMMIT = PlantedBug(RoomHost, "_end_turn", _deliver_before_commit)
"""Notices are delivered before the commit, so a crash may lose their entries."""


def _replay_late(
    room: Room[MoveT], name: str, presence: Presence, entries: Iterable[Entry[MoveT]]
) -> float:
    later = [msgspec.structs.replace(entry, now=entry.now + 0.5) for entry in entries]
    return replay(room, name, presence, later) - 0.5


REPLAY_HAS_ANOTHER_NOW = PlantedBug(hosted_room, "replay", _replay_late)
"""Entries are replayed at other times."""


def _compact_one_off(table: OpenTable[Any]) -> Compaction | None:
    compaction = _open_table_compact(table)
    return compaction and compaction._replace(entries=compaction.entries[:-1])


COMPACTION_IS_ONE_ENTRY_OFF = PlantedBug(OpenTable, "compact", _compact_one_off)
"""The compacted journal lacks its last entry."""


def _compact_without_chance(table: OpenTable[Any]) -> Compaction | None:
    compaction = _open_table_compact(table)
    return compaction and compaction._replace(drawn={})


COMPACTION_FORGETS_WHAT_WAS_DRAWN = PlantedBug(OpenTable, "compact", _compact_without_chance)
"""After a compaction the matches of a table get the seeds of earlier matches again."""


def _read_without_checks(connection: DatabaseConnection) -> JournalContents:
    return read_journal(connection)._replace(faults=[])


JOURNAL_IS_NOT_CHECKED = PlantedBug(journal, "read_journal", _read_without_checks)
"""Checksums and numbers of entries are not checked."""


# A clock runs while it should be stopped.

_resume_clock = Referee.resume_clock


def _do_not_stop(referee: Referee[Any], seat: Seat, now: float) -> None:
    """Do not stop the clock."""


CLOCK_RUNS_WHILE_ITS_PLAYER_IS_AWAY = PlantedBug(Referee, "stop_clock", _do_not_stop)
"""The clock of a disconnected player runs."""


def _resume_and_catch_up(referee: Referee[Any], seat: Seat, now: float) -> None:
    due = referee._stopped_deadline
    _resume_clock(referee, seat, now)
    if due is not None and referee.deadline is not None:
        referee.deadline = due


CLOCK_CATCHES_UP = PlantedBug(Referee, "resume_clock", _resume_and_catch_up)
"""When a player reconnects, its clock jumps as if it had not been stopped."""


def _time_of_the_hall(room: HostedRoom, now: float) -> float:
    return now


CLOCK_IS_THAT_OF_THE_HALL = PlantedBug(HostedRoom, "time", _time_of_the_hall)
"""The clock of a restored room includes the time during which the server was down."""


def _ignore_stall(clock: HallClock, seconds: float) -> None:
    """Let the players' clocks run on."""


STALL_IS_NOT_SUBTRACTED = PlantedBug(HallClock, "_note_stall", _ignore_stall)
"""The clocks run while the process is stopped."""


def _ignore_overdue(host: RoomHost) -> None:
    """Let the players' clocks run on."""


CLOCK_RUNS_DURING_SLOW_COMMITS = PlantedBug(RoomHost, "_check_overdue", _ignore_overdue)
"""The clocks run while the disk is slow or full."""


# A prompt is withdrawn.

_fail = PromptedMatch._fail
_match_reconnect = PromptedMatch.reconnect
_table_reconnect = OpenTable._reconnect


def _reconnect_without_prompt(
    match: PromptedMatch[Any], entrant: Entrant, now: float
) -> list[Delivery[Any]]:
    told = _match_reconnect(match, entrant, now)
    return [one for one in told if not isinstance(one.notice, TurnBegan)]


MATCH_DOES_NOT_ASK_AGAIN = PlantedBug(PromptedMatch, "reconnect", _reconnect_without_prompt)
"""A player who returns to a tournament is told its match, but not prompted again."""


def _reconnect_without_board(table: OpenTable[Any], member: TableMember) -> None:
    _table_reconnect(table, member)
    told = table._reaction.deliveries
    table._reaction.deliveries = [one for one in told if not isinstance(one.notice, TurnBegan)]


TABLE_DOES_NOT_ASK_AGAIN = PlantedBug(OpenTable, "_reconnect", _reconnect_without_board)
"""A player who returns to a table is told its seat, but not the state of the match."""


def _react_without_prompts(
    host: RoomHost, room: HostedRoom, reaction: Reaction[Any], entry: Entry[Any], now: float
) -> None:
    if isinstance(entry.request, Return):
        reaction.deliveries = [
            one for one in reaction.deliveries if not isinstance(one.notice, TurnBegan)
        ]
    _react(host, room, reaction, entry, now)


HOST_LOSES_PROMPTS = PlantedBug(RoomHost, "_react", _react_without_prompts)
"""The host does not deliver prompts to players who return."""


def _fail_at_once(
    match: PromptedMatch[Any], seat: Seat, ending: Ending, detail: str
) -> list[Delivery[Any]]:
    match._asked = None
    return _fail(match, seat, ending, detail)


MATCH_ENDS_WHILE_A_PLAYER_THINKS = PlantedBug(PromptedMatch, "_fail", _fail_at_once)
"""When a player fails, the match ends although its opponent is prompted."""


# A result is counted twice.

_note_win = Tournament._note_win
_journal_append = WatchedJournal.append


def _journal_records_twice(
    host: RoomHost, hosted: HostedRoom, reaction: Reaction[Any], entry: Entry[Any], now: float
) -> None:
    _react(host, hosted, reaction, entry, now)
    if reaction.records and hosted.journal_key is not None:
        hosted.entries += 1
        host._journal.append(hosted.journal_key, hosted.codec.encode(entry), reaction.records)


RECORDS_ARE_WRITTEN_TWICE = PlantedBug(RoomHost, "_react", _journal_records_twice)
"""The entry that ends a match is journaled twice, each time with the record."""


def _write_records_first(
    watched: WatchedJournal, key: RoomKey, entry: bytes, records: Sequence[Record]
) -> None:
    _journal_append(watched, key, entry, records)
    if not isinstance(watched._store, ModelStore):
        return
    owner = watched._names[key].partition("/")[0]
    watched._disk.records += [(owner, record) for record in records]
    watched._batch[-1] = Append(key, entry, ())


RECORDS_ARE_WRITTEN_FIRST = PlantedBug(WatchedJournal, "append", _write_records_first)
"""A record is durable before its entry: after a crash in between, the match continues."""


def _note_win_twice(
    tournament: Tournament[Any], encounter: Encounter[Any], winner: Entrant | None
) -> None:
    _note_win(tournament, encounter, winner)
    if winner is not None and winner.number % 2 == 0:
        tournament._wins.append(tournament._wins[-1])


POINTS_ARE_COUNTED_TWICE = PlantedBug(Tournament, "_note_win", _note_win_twice)
"""Some wins of a tournament are counted twice."""


# A lobby has a wrong state of its tables.

_restore = RoomHost._restore


def _restore_without_notice(
    host: RoomHost, room: HostedRoom, stored: StoredRoom, seconds_to_return: float
) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host, "_update_lobby", lambda *_: None)
        return _restore(host, room, stored, seconds_to_return)


LOBBY_IS_NOT_TOLD_OF_RESTORED_TABLES = PlantedBug(RoomHost, "_restore", _restore_without_notice)
"""After a restart the lobby does not know its tables."""


# A seat is taken by another player, or is not kept.

_credential = RoomHost._credential
_refusal = Names.refusal
_begin_absence = Absences.begin


def _ignore_secret(host: RoomHost, client: Client, join: Join) -> Credential | None:
    return _credential(host, client, msgspec.structs.replace(join, secret=""))


SECRET_IS_NOT_CHECKED = PlantedBug(RoomHost, "_credential", _ignore_secret)
"""A player is recognised by name and address, even with a wrong secret."""


def _ignore_address(host: RoomHost, client: Client, join: Join) -> Credential | None:
    credential = _credential(host, client, join)
    if credential is not None and credential.proof is Proof.ADDRESS:
        return Credential(Proof.ADDRESS, host._digest(client.door_name, join.name))
    return credential


ADDRESS_IS_NOT_CHECKED = PlantedBug(RoomHost, "_credential", _ignore_address)
"""A player is recognised by its name alone."""


def _identify_anybody(presence: Presence, credential: Credential, owner: str) -> Peer | None:
    return min(presence._holders.get(credential, set()), default=None)


ADDRESS_REPLACES_A_LIVE_CONNECTION = PlantedBug(Presence, "identify", _identify_anybody)
"""Name and address are enough to replace a live connection."""


def _allow_taken_names(
    names: Names, name: str, peer: Peer, any_script: bool = False
) -> Refusal | None:
    refusal = _refusal(names, name, peer, any_script)
    return None if refusal is Refusal.NAME_TAKEN else refusal


NAMES_ARE_TAKEN_TWICE = PlantedBug(Names, "refusal", _allow_taken_names)
"""Two players may have the same name."""


def _keep_too_short(absences: Absences, peer: Peer, away: Away, now: float) -> bool:
    short = msgspec.structs.replace(away, seconds=away.seconds / 10)
    return _begin_absence(absences, peer, short, now)


SEATS_ARE_KEPT_TOO_SHORT = PlantedBug(Absences, "begin", _keep_too_short)
"""Seats are given up after a tenth of the promised time."""

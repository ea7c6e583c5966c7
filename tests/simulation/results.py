"""Checks that each match and tournament has one result, which counts once."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gamehall.core import SeededRandom
from gamehall.match import Record
from gamehall.rooms.room import Room
from gamehall.rooms.sign_up import SignUp
from gamehall.rooms.view import TournamentReport
from gamehall.server.plan import DoorPlan
from tests.simulation.clients import Client
from tests.simulation.disk import Disk
from tests.simulation.event_log import EventLog, Violation
from tests.simulation.matches import running_matches


class Results:
    """Remembers all results over all runs of the server."""

    def __init__(self, disk: Disk, plans: Sequence[DoorPlan], event_log: EventLog) -> None:
        self.matches = 0
        """The number of matches with a result."""
        self.moves = 0
        """The number of moves in these matches."""
        self._disk = disk
        self._event_log = event_log
        self._seen: set[tuple[str, int]] = set()
        self._told: set[tuple[str, int]] = set()
        """The matches whose end an observer was told."""
        self._tournaments: set[tuple[str, ...]] = set()
        self._matches_per_pair: dict[str, int] = {}
        for plan in plans:
            room = plan.protocol.room(plan.settings, SeededRandom(0))
            if isinstance(room, SignUp) and plan.has_own_room:
                self._matches_per_pair[plan.protocol.name] = room._terms.matches_per_pair

    def check(self) -> None:
        """Raise Violation if a match has two results."""
        for room, record in self._disk.records[self.matches :]:
            if (room, record.seed) in self._seen:
                raise Violation(
                    f"a result is counted twice: a match in {room} has two of them, the second"
                    f" {record.result}"
                )
            self._seen.add((room, record.seed))
            self.matches += 1
            self.moves += len(record.moves)

    def check_restored(self, rooms: Mapping[str, Room[Any]]) -> None:
        """Raise Violation if a match that has a result continues in a restored room."""
        self.check()
        for name, room in rooms.items():
            for match in running_matches(room):
                if (name.partition("/")[0], match.seed) in self._seen:
                    raise Violation(
                        f"a result is counted twice: a match in {name} has one already, and goes"
                        " on after a crash, to another"
                    )

    def take_end(self, room: str, record: Record) -> None:
        """Report a violation if the end of a match is told twice, or before it is durable."""
        try:
            self.check()
        except Violation as wrong:
            # The server would catch the exception, and log that its observer has failed.
            self._event_log.report(str(wrong))
        match = room, record.seed
        if match in self._told:
            self._event_log.report(f"a result is counted twice: a match in {room} ends so")
        elif match not in self._seen:
            self._event_log.report(f"a result of {room} is told before it is committed")
        self._told.add(match)

    def take_report(
        self, room: str, report: TournamentReport, clients: Iterable[Client], impersonated: set[str]
    ) -> None:
        """Report a violation if a tournament ends twice, a win counts twice, or an honest player
        is disqualified.

        `impersonated`: the names of honest players under which others may have played.
        """
        self._event_log.note(room, f"a tournament has ended, without {report.cheaters}")
        ids = tuple(player.id for player in report.players)
        if ids in self._tournaments:
            self._event_log.report(f"a result is counted twice: a tournament in {room} ends so")
        self._tournaments.add(ids)
        self._check_wins(room, report)
        honest = {client.name for client in clients if not client.is_exempt} - impersonated
        for player in report.players:
            if player.name in report.cheaters and player.signed_up_as in honest:
                why = report.cheaters[player.name]
                self._event_log.report(f"{player.signed_up_as} is taken for a cheater: {why}")

    def _check_wins(self, room: str, report: TournamentReport) -> None:
        most = self._matches_per_pair[room]
        for pair, wins in Counter(frozenset(win) for win in report.wins).items():
            if wins > most:
                self._event_log.report(
                    f"a result is counted twice: in a tournament in {room} {sorted(pair)} have"
                    f" {wins} results of {most} matches"
                )
        if sum(rank.won for rank in report.standings) != len(report.wins):
            self._event_log.report(f"the standings in {room} are not what was won")

"""What matches and tournaments have come to: each has one result, and it counts once."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gamehall.core import SeededRandom
from gamehall.match import Record
from gamehall.rooms.room import Room
from gamehall.rooms.sign_up import SignUp
from gamehall.rooms.view import TournamentReport
from gamehall.server.plan import DoorPlan
from tests.simulation.chronicle import Chronicle, Violation
from tests.simulation.clients import Client
from tests.simulation.disk import Disk
from tests.simulation.matches import running_matches


class Results:
    """Remembers every result that was kept or told, over all runs of the program."""

    def __init__(self, disk: Disk, plans: Sequence[DoorPlan], chronicle: Chronicle) -> None:
        self.matches = 0
        """How many have a result."""
        self.moves = 0
        """How many were made in these matches."""
        self._disk = disk
        self._chronicle = chronicle
        self._seen: set[tuple[str, int]] = set()
        self._told: set[tuple[str, int]] = set()
        """The matches of whose end a witness has heard."""
        self._tournaments: set[tuple[str, ...]] = set()
        self._matches_per_pair: dict[str, int] = {}
        for plan in plans:
            room = plan.protocol.room(plan.settings, SeededRandom(0))
            if isinstance(room, SignUp) and plan.has_own_room:
                self._matches_per_pair[plan.protocol.name] = room._terms.matches_per_pair

    def check(self) -> None:
        """No match has two results. Raises Violation."""
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
        """No match that has a result goes on in rooms that are restored. Raises Violation."""
        self.check()
        for name, room in rooms.items():
            for match in running_matches(room):
                if (name.partition("/")[0], match.seed) in self._seen:
                    raise Violation(
                        f"a result is counted twice: a match in {name} has one already, and goes"
                        " on after a crash, to another"
                    )

    def take_end(self, room: str, record: Record) -> None:
        """Of the end of a match a witness hears once, and not before its result is durable."""
        try:
            self.check()
        except Violation as wrong:
            # The hall would catch it, and log that its witness has failed.
            self._chronicle.complain(str(wrong))
        match = room, record.seed
        if match in self._told:
            self._chronicle.complain(f"a result is counted twice: a match in {room} ends so")
        elif match not in self._seen:
            self._chronicle.complain(f"a result of {room} is told before it is committed")
        self._told.add(match)

    def take_report(
        self, room: str, report: TournamentReport, clients: Iterable[Client], stolen: set[str]
    ) -> None:
        """No tournament ends twice, no win counts twice, and nobody honest is a cheater.

        `stolen`: the names of honest players under which others may have played.
        """
        self._chronicle.note(room, f"a tournament has ended, without {report.cheaters}")
        ids = tuple(player.id for player in report.players)
        if ids in self._tournaments:
            self._chronicle.complain(f"a result is counted twice: a tournament in {room} ends so")
        self._tournaments.add(ids)
        self._check_wins(room, report)
        honest = {client.name for client in clients if not client.is_excused} - stolen
        for player in report.players:
            if player.name in report.cheaters and player.signed_up_as in honest:
                why = report.cheaters[player.name]
                self._chronicle.complain(f"{player.signed_up_as} is taken for a cheater: {why}")

    def _check_wins(self, room: str, report: TournamentReport) -> None:
        most = self._matches_per_pair[room]
        for pair, wins in Counter(frozenset(win) for win in report.wins).items():
            if wins > most:
                self._chronicle.complain(
                    f"a result is counted twice: in a tournament in {room} {sorted(pair)} have"
                    f" {wins} results of {most} matches"
                )
        if sum(rank.won for rank in report.standings) != len(report.wins):
            self._chronicle.complain(f"the standings in {room} are not what was won")

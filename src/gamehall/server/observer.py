"""Who is told what comes to pass in a hall, besides the peers."""

from gamehall.match import Record
from gamehall.rooms.room import LogLine
from gamehall.rooms.view import TournamentReport


class Observer:
    """Hears of everything that may be worth keeping, and of which room; this one keeps nothing."""

    def match_ended(self, room: str, record: Record) -> None:
        """A match has come to an end."""

    def tournament_ended(self, room: str, report: TournamentReport) -> None:
        """A tournament has come to an end."""

    def noted(self, room: str, line: LogLine) -> None:
        """A room wants this to be found in the log of a match."""

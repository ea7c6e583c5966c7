"""What is called after matches and tournaments, such as to store or log them."""

from gamehall.match import Record
from gamehall.rooms.room import LogLine
from gamehall.rooms.view import TournamentReport


class Observer:
    """Called after the players have been notified. This base class does nothing."""

    def match_ended(self, room: str, record: Record) -> None:
        """Handle the record of a match."""

    def tournament_ended(self, room: str, report: TournamentReport) -> None:
        """Handle the report of a tournament."""

    def line_logged(self, room: str, line: LogLine) -> None:
        """Handle a line for the log file of a match."""

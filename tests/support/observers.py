"""An observer that keeps everything it is notified of."""

from gamehall.match import Record
from gamehall.rooms.room import LogLine
from gamehall.rooms.view import TournamentReport
from gamehall.server.observer import Observer


class RecordingObserver(Observer):
    """Keeps records, reports and log lines, or fails if `fails` is set."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.reports: list[TournamentReport] = []
        self.log: list[LogLine] = []
        self.fails = False

    def match_ended(self, room: str, record: Record) -> None:
        self._fail_if_set()
        self.records.append(record)

    def tournament_ended(self, room: str, report: TournamentReport) -> None:
        self._fail_if_set()
        self.reports.append(report)

    def line_logged(self, room: str, line: LogLine) -> None:
        self._fail_if_set()
        self.log.append(line)

    def _fail_if_set(self) -> None:
        if self.fails:
            raise OSError("the disk is full")

"""What a hall that is served keeps, and what it prints."""

from datetime import UTC, datetime

import msgspec

from gamehall.cli.writer import BackgroundWriter
from gamehall.hosting.report import TournamentReport
from gamehall.hosting.room import LogLine
from gamehall.play import Record
from gamehall.server.witness import Witness
from gamehall.storage import GameLogs, Writer
from gamehall.storage.archive import keeping


class Keeper(Witness):
    """Keeps records and logs, and prints the results of tournaments."""

    def __init__(self, writer: Writer, logs: GameLogs, results: BackgroundWriter) -> None:
        self._writer = writer
        self._logs = logs
        self._results = results

    def match_ended(self, room: str, record: Record) -> None:
        ended = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._writer.put(keeping(msgspec.structs.replace(record, room=room, ended=ended)))

    def tournament_ended(self, room: str, report: TournamentReport) -> None:
        self._results.write(f"result {room} {msgspec.json.encode(report).decode()}")

    def noted(self, room: str, line: LogLine) -> None:
        self._logs.note(room, line)

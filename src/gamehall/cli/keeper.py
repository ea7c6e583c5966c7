"""What a hall that is served tells the world: logs of its matches, results of tournaments."""

import msgspec

from gamehall.cli.writer import BackgroundWriter
from gamehall.hosting.report import TournamentReport
from gamehall.hosting.room import LogLine
from gamehall.server.witness import Witness
from gamehall.storage import GameLogs


class Keeper(Witness):
    """Keeps the logs of matches, and prints the results of tournaments."""

    def __init__(self, logs: GameLogs | None, results: BackgroundWriter) -> None:
        """`logs` is None if nobody wants them."""
        self._logs = logs
        self._results = results

    def tournament_ended(self, room: str, report: TournamentReport) -> None:
        self._results.write(f"result {room} {msgspec.json.encode(report).decode()}")

    def noted(self, room: str, line: LogLine) -> None:
        if self._logs is not None:
            self._logs.note(room, line)

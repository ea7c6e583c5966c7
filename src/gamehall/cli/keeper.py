"""What a hall that is served tells the world: logs of its matches, results of tournaments."""

import logging

import msgspec

from gamehall.cli.logs import BackgroundHandler
from gamehall.core import Seat
from gamehall.match import Ending, Record
from gamehall.rooms.room import LogLine
from gamehall.rooms.view import TournamentReport
from gamehall.server.logged import about
from gamehall.server.observer import Observer
from gamehall.storage import GameLogs

log = logging.getLogger(__name__)


class Keeper(Observer):
    """Keeps the logs of matches, and prints the results of tournaments."""

    def __init__(self, logs: GameLogs | None, results: BackgroundHandler) -> None:
        """`logs` is None if nobody wants them."""
        self._logs = logs
        self._results = results

    def match_ended(self, room: str, record: Record) -> None:
        result = record.result
        log.info(
            "%s: %s (%s), match %s, %d moves",
            room,
            _verdict(record),
            result.how,
            record.match,
            len(record.moves),
            extra=about(
                room=room,
                match=record.match,
                game=record.game,
                players=record.players,
                moves=len(record.moves),
                winner=result.winner,
                ending=result.ending,
                detail=result.detail,
            ),
        )

    def tournament_ended(self, room: str, report: TournamentReport) -> None:
        self._results.write(f"result {room} {msgspec.json.encode(report).decode()}")

    def noted(self, room: str, line: LogLine) -> None:
        if self._logs is not None:
            self._logs.note(room, line)


def _verdict(record: Record) -> str:
    """Return who beat whom, or that nobody did."""
    first, second = record.players
    names = {
        Seat.FIRST: first or "the first player",
        Seat.SECOND: second or "the second player",
    }
    winner = record.result.winner
    if winner is not None:
        return f"{names[winner]} beat {names[winner.other]}"
    both = f"{names[Seat.FIRST]} and {names[Seat.SECOND]}"
    is_drawn = record.result.ending in (Ending.PLAYED_OUT, Ending.TOO_LONG)
    return f"{both} drew" if is_drawn else f"{both} have no winner"

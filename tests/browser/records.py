"""Records that are stored before a server starts."""

from pathlib import Path

from gamehall.core import Seat
from gamehall.games.connect_four import ConnectFour
from gamehall.match import Ending, Record, Result
from gamehall.match.record import RecordedMove, write_terms
from gamehall.storage import open_database
from gamehall.storage.archive import INSERT_RECORD

MOVES = ("d1", "a1", "d2", "a2", "d3", "b1", "d4")


def make_record(
    players: tuple[str, str] = ("ann", "bob"), name: str = "game", moves: tuple[str, ...] = MOVES
) -> Record:
    """Return the record of a match that the first player has won."""
    played = tuple(
        RecordedMove((Seat.FIRST, Seat.SECOND)[number % 2], move)
        for number, move in enumerate(moves)
    )
    result = Result(Seat.FIRST, Ending.PLAYED_OUT, "four in a row")
    terms = write_terms(ConnectFour())
    ended = "2026-11-16T09:30:00Z"
    return Record("connect-four", terms, 1, players, played, result, "tttp", ended, name)


def store_records(folder: Path, *records: Record) -> None:
    """Store records in the data folder of a server that does not run yet."""
    connection = open_database(folder).connect()
    for record in records:
        connection.run(INSERT_RECORD, record.game, record.match_name, record.to_json())
    connection.close()

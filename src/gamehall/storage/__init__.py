"""Persistent data: records, the journal of the rooms, arena runs, and log files of matches."""

from gamehall.storage.archive import Archive
from gamehall.storage.database import Database, StorageError, database_exists, is_url, open_database
from gamehall.storage.game_logs import GameLogs
from gamehall.storage.hall_key import read_hall_key
from gamehall.storage.journal import DatabaseJournal, LoopJournal, PostgresJournal, ThreadJournal

__all__ = [
    "Archive",
    "Database",
    "DatabaseJournal",
    "GameLogs",
    "LoopJournal",
    "PostgresJournal",
    "StorageError",
    "ThreadJournal",
    "database_exists",
    "is_url",
    "open_database",
    "read_hall_key",
]

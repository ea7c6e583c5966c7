"""Store records in a database without playing matches."""

from gamehall.match import Record
from gamehall.storage import Database
from gamehall.storage.archive import INSERT, record_row


def store(database: Database, *records: Record) -> None:
    connection = database.connect()
    try:
        with connection.transaction(database.begin_alone):
            connection.run_many(INSERT, [record_row(record) for record in records])
    finally:
        connection.close()

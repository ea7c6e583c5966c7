"""The migrations of the database: the SQL statements that lead from one version to the next.

A released migration is never changed. Each change of the tables adds another one.
"""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE records (
            number {number},
            game TEXT NOT NULL,
            content {bytes} NOT NULL
        )
        """,
        """
        CREATE TABLE epochs (
            number {number},
            epoch TEXT NOT NULL UNIQUE,
            room TEXT NOT NULL,
            seed BIGINT NOT NULL,
            settings {bytes} NOT NULL
        )
        """,
        """
        CREATE TABLE journal (
            number {number},
            epoch TEXT NOT NULL,
            content {bytes} NOT NULL
        )
        """,
        "CREATE INDEX journal_by_epoch ON journal (epoch, number)",
    ),
    (
        "ALTER TABLE records ADD COLUMN match_name TEXT",
        "CREATE INDEX records_by_match ON records (match_name)",
    ),
    (
        """
        CREATE TABLE arenas (
            number {number},
            name TEXT NOT NULL UNIQUE,
            conditions {bytes} NOT NULL,
            began TEXT NOT NULL,
            is_over INTEGER NOT NULL
        )
        """,
        """
        CREATE TABLE arena_matches (
            arena BIGINT NOT NULL,
            encounter INTEGER NOT NULL,
            match INTEGER NOT NULL,
            match_name TEXT NOT NULL,
            content {bytes} NOT NULL,
            PRIMARY KEY (arena, encounter, match)
        )
        """,
    ),
    (
        # In hexadecimal, since it has more bits than an integer. Older journals have no secret:
        # their seed is the column `seed`.
        "ALTER TABLE epochs ADD COLUMN secret TEXT",
    ),
    (
        # One row. Its mark shows whether the database was emptied or exchanged. The number of
        # rooms, and a checksum over them, show whether a whole room is missing.
        """
        CREATE TABLE hall (
            mark TEXT NOT NULL,
            rooms BIGINT NOT NULL,
            checksum BIGINT NOT NULL,
            has_dropped_games INTEGER NOT NULL
        )
        """,
        # Games in play are dropped. The next server to start says so.
        """
        INSERT INTO hall (mark, rooms, checksum, has_dropped_games)
        SELECT '{mark}', 0, 0, CASE WHEN EXISTS (SELECT 1 FROM epochs) THEN 1 ELSE 0 END
        """,
        "DROP TABLE journal",
        "DROP TABLE epochs",
        """
        CREATE TABLE journal_rooms (
            id {key},
            spec {bytes} NOT NULL,
            entries BIGINT NOT NULL,
            checksum BIGINT NOT NULL
        )
        """,
        # No index by room is needed: all entries are read at once, and they are deleted by id.
        """
        CREATE TABLE journal_entries (
            id {key},
            room BIGINT NOT NULL,
            number BIGINT NOT NULL,
            content {bytes} NOT NULL,
            checksum BIGINT NOT NULL
        )
        """,
    ),
    (
        # The name of the journal's last transaction, by which a server that has lost its
        # connection finds out whether that was committed. Not used with SQLite.
        "ALTER TABLE hall ADD COLUMN last_batch TEXT NOT NULL DEFAULT ''",
    ),
    (
        # The format of the entries. This statement must be first: if this migration is run again
        # because its row in `migrations` is missing, it must fail before it deletes anything.
        "ALTER TABLE hall ADD COLUMN entry_format INTEGER NOT NULL DEFAULT 2",
        # Entries of the old format have no credentials, so games in play are dropped.
        """
        UPDATE hall SET rooms = 0, checksum = 0,
        has_dropped_games = CASE WHEN rooms > 0 THEN 1 ELSE has_dropped_games END
        """,
        "DELETE FROM journal_entries",
        "DELETE FROM journal_rooms",
    ),
)
"""The statements of each migration, in order. `database.py` explains their placeholders."""

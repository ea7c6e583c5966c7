"""The versions of the tables: each migration is what a version changes in the one before.

A migration that has been released is never changed; a change is one more migration.
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
        # In hexadecimal, since it has more bits than a number may have; without one, the seed of
        # a journal from before is the number beside it.
        "ALTER TABLE epochs ADD COLUMN secret TEXT",
    ),
    (
        # One row. By its mark a database is recognised that was emptied or exchanged. How many
        # rooms there are, and a checksum of them, tell whether a room is missing altogether.
        """
        CREATE TABLE hall (
            mark TEXT NOT NULL,
            rooms BIGINT NOT NULL,
            checksum BIGINT NOT NULL,
            has_dropped_games INTEGER NOT NULL
        )
        """,
        # Games in play are not carried over; the next server to start says so.
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
        # There is no index by room: entries are read all together, and deleted by their ids.
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
        # The name of the last transaction of the journal, by which a server whose connection was
        # lost finds out whether that was committed. SQLite has no use for it.
        "ALTER TABLE hall ADD COLUMN last_batch TEXT NOT NULL DEFAULT ''",
    ),
    (
        # The format of the entries. This comes first: if the row of this migration is damaged it is
        # run again, and must fail before it deletes anything.
        "ALTER TABLE hall ADD COLUMN entry_format INTEGER NOT NULL DEFAULT 2",
        # In the games in play until now nobody can be recognised, so they are not carried over.
        """
        UPDATE hall SET rooms = 0, checksum = 0,
        has_dropped_games = CASE WHEN rooms > 0 THEN 1 ELSE has_dropped_games END
        """,
        "DELETE FROM journal_entries",
        "DELETE FROM journal_rooms",
    ),
)
"""In their order, each a list of statements (database.py tells how they are written)."""

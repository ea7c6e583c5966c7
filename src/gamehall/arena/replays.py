"""The matches of a run that its page shows: all of them in a table, some with every position."""

from collections.abc import Iterable, Iterator
from itertools import islice

from gamehall.arena.match_runner import Row
from gamehall.arena.page_matches import ListedMatch
from gamehall.arena.runner import Run
from gamehall.games.catalogue import all_games
from gamehall.match import BadRecord, Record
from gamehall.match.record import positions, read_game

MOST_LISTED = 2_000
MOST_WITH_PICTURES = 6
LETTERS_OF_PICTURES = 3_000_000
"""All pictures together; a page that is larger opens slowly."""


def chosen_matches(run: Run) -> list[ListedMatch]:
    """The first matches of a run; those that tell most have pictures. Raises StorageError."""
    rows = list(islice(run.rows(), MOST_LISTED))
    names = run.conditions.names
    room = LETTERS_OF_PICTURES
    pictures: dict[str, list[str]] = {}
    for row in _telling(rows):
        drawn = _pictures(run.record(row.name))
        room -= sum(map(len, drawn))
        if room < 0 or len(pictures) == MOST_WITH_PICTURES:
            break
        pictures[row.name] = drawn
    return [
        ListedMatch(
            row.name,
            names[row.first],
            names[row.second],
            None if row.winner is None else names[row.winner],
            row.ending.value,
            row.moves,
            pictures.get(row.name, []),
        )
        for row in rows
    ]


def _telling(rows: Iterable[Row]) -> Iterator[Row]:
    """The matches worth looking at first: the longest and the shortest, a draw, a fault, others."""
    played = [row for row in rows if row.moves]
    if not played:
        return
    seen: set[str] = set()
    faults = (row for row in played if row.blame is not None)
    draws = (row for row in played if row.winner is None)
    longest = max(played, key=lambda row: row.moves)
    shortest = min(played, key=lambda row: row.moves)
    for row in (longest, shortest, *islice(faults, 1), *islice(draws, 1), *played):
        if row.name not in seen:
            seen.add(row.name)
            yield row


def _pictures(record: Record | None) -> list[str]:
    """All positions of a match; none if it cannot be replayed."""
    if record is None:
        return []
    try:
        game = read_game(all_games()[record.game], record)
        return [position.seen_by(None).picture() for position in positions(game, record)]
    except BadRecord:
        return []

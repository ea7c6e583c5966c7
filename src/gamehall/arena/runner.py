"""The run: what the format wants next goes to the crew; what comes back is kept at once."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from gamehall.arena.chunk import Chunk, Done
from gamehall.arena.conditions import ArenaConfig
from gamehall.arena.match_runner import Row
from gamehall.arena.scores import Scores
from gamehall.arena.worker_pool import WorkerPool
from gamehall.match import Record
from gamehall.storage.arenas import ArenaBook, KeptArena, KeptMatch
from gamehall.tournaments.formats import FORMATS
from gamehall.tournaments.formats.adaptive import Adaptive, read_goal
from gamehall.tournaments.formats.format import Encounter, Format
from gamehall.tournaments.formats.sprt import SprtFormat
from gamehall.tournaments.sprt import read_sprt

SECONDS_PER_CHUNK = 0.2
"""What a worker should be busy with before it is heard of again: little else costs time then."""
MOST_PER_CHUNK = 512
MOST_TRIES = 3
"""How often an encounter is tried that cannot be played, by no bot's fault."""
SECONDS_BETWEEN_LOOKS = 0.25


class VoidMatchError(Exception):
    """An encounter cannot be played, and no bot is to blame. The text tells why."""


def make_format(conditions: ArenaConfig) -> Format:
    """The format that the conditions ask for. Raises ValueError, in words for people."""
    players, games, in_pairs = (
        len(conditions.contenders),
        conditions.games,
        conditions.in_pairs,
    )
    if conditions.sprt is not None:
        return SprtFormat(read_sprt(conditions.sprt), games, in_pairs, players)
    if conditions.until is not None:
        return Adaptive(players, games, in_pairs, read_goal(conditions.until))
    kind = FORMATS[conditions.format]
    if conditions.rounds is None:
        return kind.make(players, games, in_pairs)
    if not kind.takes_rounds:
        raise ValueError(f"the rounds of {conditions.format} follow from the number of bots")
    return kind.make(players, games, in_pairs, rounds=conditions.rounds)


class Run:
    """A run of an arena, from wherever it stands to its end."""

    def __init__(self, conditions: ArenaConfig, book: ArenaBook, kept: KeptArena) -> None:
        """Raises ValueError and StorageError."""
        self.conditions = conditions
        self.name = kept.name
        self.format = make_format(conditions)
        self.scores = Scores(len(conditions.contenders))
        self._book = book
        self._kept = kept
        self._waiting: deque[Encounter] = deque()
        self._tries: Counter[int] = Counter()
        self._seconds_per_encounter: float | None = None
        self._take_up()

    @property
    def is_over(self) -> bool:
        """Whether all is decided."""
        return self.format.is_over

    def play(self, crew: WorkerPool, show: Callable[[], None]) -> None:
        """Play to the end; call `show` now and then.

        Raises VoidMatchError, CannotPlay, StorageError.
        """
        under_way = 0
        alone: deque[Encounter] = deque()
        """What was lost, and is played again one by one, with all bots guarded."""
        while not self.is_over:
            if len(self._waiting) < MOST_PER_CHUNK * crew.size:
                self._waiting += self.format.take()
            while crew.wants_more and (self._waiting or alone):
                crew.give(Chunk([alone.popleft()], True) if alone else self._next_chunk(crew.size))
                under_way += 1
            for done in crew.take(SECONDS_BETWEEN_LOOKS):
                under_way -= 1
                if done.trouble is not None:
                    alone += self._lost(done)
                else:
                    self._played(done)
            show()
        self.finish()

    def finish(self) -> None:
        """Writes down that it is over, and drops what turns out not to have been needed."""
        superfluous: list[int] = []
        if self.scores.encounters != self.format.expected:
            numbers = (rows[0].encounter for rows in self._encounters_kept())
            superfluous = [number for number in numbers if not self.format.counts(number)]
        self._book.end(self._kept.number, superfluous)
        if superfluous:
            self.scores = Scores(len(self.conditions.contenders))
            for rows in self._encounters_kept():
                self.scores.add(rows)

    def rows(self) -> Iterator[Row]:
        """The matches that were played, in the order of their numbers. Raises StorageError."""
        for content in self._book.kept(self._kept.number):
            yield msgspec.json.decode(content, type=Row)

    def record(self, match: str) -> Record | None:
        """The record of the match of this name, None if there is none.

        Raises StorageError and BadRecord.
        """
        return self._book.record(match)

    def _next_chunk(self, workers: int) -> Chunk:
        """As much as keeps a worker busy for a while, and leaves something for the others."""
        if self._seconds_per_encounter is None:
            size = 1
        else:
            size = int(SECONDS_PER_CHUNK / max(self._seconds_per_encounter, 1e-6))
        size = min(size, MOST_PER_CHUNK, len(self._waiting) // (2 * workers))
        return Chunk([self._waiting.popleft() for _ in range(max(size, 1))])

    def _played(self, done: Done) -> None:
        """Keeps what was played, and only then counts it."""
        self._seconds_per_encounter = done.seconds / len(done.chunk.encounters)
        self._book.keep(self._kept.number, self.conditions.game, map(_to_keep, done.rows))
        for number, rows in by_encounter(done.rows):
            self.format.note(number, self.scores.add(rows))

    def _lost(self, done: Done) -> Sequence[Encounter]:
        """What has to be played again. Raises Void if that has been tried too often."""
        for encounter in done.chunk.encounters:
            self._tries[encounter.number] += 1
            if self._tries[encounter.number] > MOST_TRIES:
                raise VoidMatchError(
                    f"encounter {encounter.number} cannot be played: {done.trouble}"
                )
        return done.chunk.encounters

    def _take_up(self) -> None:
        """Tells the format what was played before."""
        known = {rows[0].encounter: rows for rows in self._encounters_kept()}
        while known and (taken := self.format.take()):
            for encounter in taken:
                rows = known.pop(encounter.number, None)
                if rows is None:
                    self._waiting.append(encounter)
                else:
                    self.format.note(encounter.number, self.scores.add(rows))

    def _encounters_kept(self) -> Iterator[list[Row]]:
        for _, of_encounter in by_encounter(self.rows()):
            yield of_encounter


def by_encounter(rows: Iterable[Row]) -> Iterator[tuple[int, list[Row]]]:
    """The rows of each encounter together; they come one after the other."""
    for number, of_encounter in groupby(rows, key=lambda row: row.encounter):
        yield number, list(of_encounter)


def _to_keep(row: Row) -> KeptMatch:
    content = msgspec.json.encode(row._replace(record=b""))
    return KeptMatch(row.encounter, row.match, row.name, content, row.record)

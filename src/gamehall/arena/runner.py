"""A run: gives the workers what the format wants next, stores what comes back, and counts it."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import msgspec

from gamehall.arena.config import ArenaConfig
from gamehall.arena.match_runner import Row
from gamehall.arena.workers import Chunk, Done, WorkerPool
from gamehall.core import GamehallError
from gamehall.match import Ending, Record
from gamehall.storage.arenas import ArenaStore, StoredArena, StoredMatch
from gamehall.tournaments.formats import FORMATS
from gamehall.tournaments.formats.adaptive import Adaptive, read_goal
from gamehall.tournaments.formats.format import Encounter, Format
from gamehall.tournaments.formats.sprt import SprtFormat
from gamehall.tournaments.sprt import read_sprt
from gamehall.tournaments.standings import DRAW, LOSS, WIN, Meeting, Points, Tally

FAULTS_KEPT = 100
"""How many matches that were lost by a fault are kept to be shown."""
SECONDS_PER_CHUNK = 0.2
"""How much work a chunk should be, so that passing it around costs little in comparison."""
MOST_PER_CHUNK = 512
MOST_TRIES = 3
"""How often an encounter is tried that cannot be played though no bot is to blame."""
SECONDS_BETWEEN_LOOKS = 0.25


@dataclass(slots=True)
class Share:
    """What a bot has won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def matches(self) -> int:
        """All of them."""
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        """A draw is half a win."""
        return self.won + self.drawn / 2

    def add(self, points: float) -> None:
        """Count one more match."""
        if points == WIN:
            self.won += 1
        elif points == LOSS:
            self.lost += 1
        else:
            self.drawn += 1


@dataclass(slots=True)
class Player:
    """The results of one bot."""

    as_first: Share = field(default_factory=Share)
    as_second: Share = field(default_factory=Share)
    faults: Counter[Ending] = field(default_factory=Counter)
    """How often it has lost by its own fault, by ending."""
    seconds: float = 0.0
    """How long it has thought in total."""
    moves: int = 0
    """Half of those of its matches."""
    printed: str = ""
    """The first thing it has printed to standard output, which is not read."""


class ArenaScores:
    """The sum of all encounters that were played, whatever their order."""

    def __init__(self, players: int) -> None:
        self.tally = Tally(players)
        self.players = [Player() for _ in range(players)]
        self.matches = 0
        self.encounters = 0
        self.endings: Counter[Ending] = Counter()
        self.faults: list[Row] = []
        """The first matches that were lost by a fault, without their records."""

    def add(self, rows: Sequence[Row]) -> Points:
        """Count the matches of one encounter; return the points of the bot that began the first."""
        one = rows[0].first
        points = tuple(points_of(row, one) for row in rows)
        self.tally.add(Meeting(one, rows[0].second, points))
        self.encounters += 1
        for row in rows:
            self._add_match(row)
        return points

    def _add_match(self, row: Row) -> None:
        self.matches += 1
        self.endings[row.ending] += 1
        first, second = self.players[row.first], self.players[row.second]
        points = points_of(row, row.first)
        first.as_first.add(points)
        second.as_second.add(WIN - points)
        first.seconds += row.seconds[0]
        second.seconds += row.seconds[1]
        first.moves += row.moves // 2
        second.moves += row.moves // 2
        if any(row.printed):
            first.printed = first.printed or row.printed[0]
            second.printed = second.printed or row.printed[1]
        if row.blame is not None:
            self.players[row.blame].faults[row.ending] += 1
            self.faults.append(row._replace(record=b""))
            if len(self.faults) > 2 * FAULTS_KEPT:
                self.faults = self.first_faults()

    def first_faults(self) -> list[Row]:
        """Return as many faults as are shown, by their numbers."""
        return sorted(self.faults, key=lambda row: (row.encounter, row.match))[:FAULTS_KEPT]


def points_of(row: Row, player: int) -> float:
    """Return what one of the two has scored in a match."""
    if row.winner is None:
        return DRAW
    return WIN if row.winner == player else LOSS


class VoidMatchError(GamehallError):
    """An encounter cannot be played, and no bot is to blame. The text says why."""


def make_format(config: ArenaConfig) -> Format:
    """Return the format that the config asks for. Raises ValueError with a message for the user."""
    players, games, in_pairs = (
        len(config.entries),
        config.games,
        config.in_pairs,
    )
    if config.sprt is not None:
        return SprtFormat(
            test=read_sprt(config.sprt), games=games, in_pairs=in_pairs, players=players
        )
    if config.until is not None:
        return Adaptive(
            players=players, games=games, in_pairs=in_pairs, goal=read_goal(config.until)
        )
    kind = FORMATS[config.format]
    if config.rounds is None:
        return kind.make(players, games, in_pairs)
    if not kind.takes_rounds:
        raise ValueError(f"the rounds of {config.format} follow from the number of bots")
    return kind.make(players, games, in_pairs, rounds=config.rounds)


class Run:
    """A run of an arena, from where it was interrupted to its end."""

    def __init__(self, config: ArenaConfig, book: ArenaStore, kept: StoredArena) -> None:
        """Raises ValueError and StorageError."""
        self.config = config
        self.name = kept.name
        self.format = make_format(config)
        self.scores = ArenaScores(len(config.entries))
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

    def play(self, workers: WorkerPool, show: Callable[[], None]) -> None:
        """Play to the end; call `show` now and then.

        Raises VoidMatchError, WorkerPoolError, StorageError.
        """
        under_way = 0
        alone: deque[Encounter] = deque()
        """Encounters that were lost, to be played again one by one, with all bots guarded."""
        while not self.is_over:
            if len(self._waiting) < MOST_PER_CHUNK * workers.size:
                self._waiting += self.format.take()
            while workers.wants_more and (self._waiting or alone):
                workers.give(
                    Chunk([alone.popleft()], True) if alone else self._next_chunk(workers.size)
                )
                under_way += 1
            for done in workers.take(SECONDS_BETWEEN_LOOKS):
                under_way -= 1
                if done.error is not None:
                    alone += self._lost(done)
                else:
                    self._played(done)
            show()
        self.finish()

    def finish(self) -> None:
        """Store that the run is over, and drop encounters that turned out not to be needed."""
        superfluous: list[int] = []
        if self.scores.encounters != self.format.expected:
            numbers = (rows[0].encounter for rows in self._encounters_kept())
            superfluous = [number for number in numbers if not self.format.counts(number)]
        self._book.end(self._kept.number, superfluous)
        if superfluous:
            self.scores = ArenaScores(len(self.config.entries))
            for rows in self._encounters_kept():
                self.scores.add(rows)

    def rows(self) -> Iterator[Row]:
        """Yield the matches that were played, by number. Raises StorageError."""
        for content in self._book.matches(self._kept.number):
            yield msgspec.json.decode(content, type=Row)

    def record(self, match: str) -> Record | None:
        """Return the record of the match of this name, None if there is none.

        Raises StorageError and RecordError.
        """
        return self._book.record(match)

    def _next_chunk(self, workers: int) -> Chunk:
        """Return as much as keeps a worker busy for a while, and leaves some for the others."""
        if self._seconds_per_encounter is None:
            size = 1
        else:
            size = int(SECONDS_PER_CHUNK / max(self._seconds_per_encounter, 1e-6))
        size = min(size, MOST_PER_CHUNK, len(self._waiting) // (2 * workers))
        return Chunk([self._waiting.popleft() for _ in range(max(size, 1))])

    def _played(self, done: Done) -> None:
        """Store what was played, and only then count it."""
        self._seconds_per_encounter = done.seconds / len(done.chunk.encounters)
        self._book.add_matches(self._kept.number, self.config.game, map(_to_keep, done.rows))
        for number, rows in by_encounter(done.rows):
            self.format.note(number, self.scores.add(rows))

    def _lost(self, done: Done) -> Sequence[Encounter]:
        """Return what has to be played again. Raises VoidMatchError after too many tries."""
        for encounter in done.chunk.encounters:
            self._tries[encounter.number] += 1
            if self._tries[encounter.number] > MOST_TRIES:
                raise VoidMatchError(f"encounter {encounter.number} cannot be played: {done.error}")
        return done.chunk.encounters

    def _take_up(self) -> None:
        """Tell the format what was played before."""
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
    """Group rows by encounter; those of one encounter follow each other."""
    for number, of_encounter in groupby(rows, key=lambda row: row.encounter):
        yield number, list(of_encounter)


def _to_keep(row: Row) -> StoredMatch:
    content = msgspec.json.encode(row._replace(record=b""))
    return StoredMatch(
        encounter=row.encounter,
        match=row.match,
        match_name=row.name,
        content=content,
        record=row.record,
    )

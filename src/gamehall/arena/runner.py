"""A run: gives the encounters of the format to workers, stores the results, and counts them."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import msgspec

from gamehall.arena.config import ArenaConfig
from gamehall.arena.match_runner import Row
from gamehall.arena.workers import Chunk, ChunkResult, WorkerPool
from gamehall.core import GamehallError
from gamehall.match import Ending, Record
from gamehall.storage.arenas import ArenaStore, StoredArena, StoredMatch
from gamehall.tournaments.formats import FORMATS
from gamehall.tournaments.formats.adaptive import Adaptive, read_goal
from gamehall.tournaments.formats.format import Encounter, Format
from gamehall.tournaments.formats.sprt import SprtFormat
from gamehall.tournaments.sprt import read_sprt
from gamehall.tournaments.tally import DRAW, LOSS, WIN, EncounterResult, Points, Tally

FAULTS_KEPT = 100
"""How many matches that were lost by a fault are shown."""
SECONDS_PER_CHUNK = 0.2
"""The size of a chunk: sending it to a worker should take little time in comparison."""
MOST_PER_CHUNK = 512
MOST_TRIES = 3
"""How often to try an encounter that fails though no bot is to blame."""
SECONDS_BETWEEN_CHECKS = 0.25


class SeatShare(msgspec.Struct):
    """The results of a bot in one of the two seats."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def matches(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        # A draw is half a win.
        return self.won + self.drawn / 2

    def add(self, points: float) -> None:
        if points == WIN:
            self.won += 1
        elif points == LOSS:
            self.lost += 1
        else:
            self.drawn += 1


@dataclass(slots=True)
class Player:
    """The results of one bot."""

    as_first: SeatShare = field(default_factory=SeatShare)
    as_second: SeatShare = field(default_factory=SeatShare)
    faults: Counter[Ending] = field(default_factory=Counter)
    """The number of matches lost by its own fault, by ending."""
    seconds: float = 0.0
    """The thinking time in all matches."""
    moves: int = 0
    """Half of the moves of its matches."""
    printed: str = ""
    """The first output on standard output, which is ignored."""


class ArenaScores:
    """The results of all encounters, which do not depend on their order."""

    def __init__(self, players: int) -> None:
        self.tally = Tally(players)
        self.players = [Player() for _ in range(players)]
        self.matches = 0
        self.encounters = 0
        self.endings: Counter[Ending] = Counter()
        self.faults: list[Row] = []
        """Matches that were lost by a fault, without their records."""

    def add(self, rows: Sequence[Row]) -> Points:
        """Count an encounter. Return the points in each match of the bot that began the first."""
        one = rows[0].first
        points = tuple(points_of(row, one) for row in rows)
        self.tally.add(EncounterResult(one, rows[0].second, points))
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
        """Return the faults to show: the first ones by encounter, whatever was played first."""
        return sorted(self.faults, key=lambda row: (row.encounter, row.match))[:FAULTS_KEPT]


def points_of(row: Row, player: int) -> float:
    """Return the points of one of the two bots in a match."""
    if row.winner is None:
        return DRAW
    return WIN if row.winner == player else LOSS


class VoidMatchError(GamehallError):
    """An encounter cannot be played, and no bot is to blame. The message says why."""


def make_format(config: ArenaConfig) -> Format:
    """Return the format of a run. Raises ValueError with a message for the user."""
    players, games, in_pairs = len(config.entries), config.games, config.in_pairs
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
        raise ValueError(f"the number of bots decides the rounds of a {config.format}")
    return kind.make(players, games, in_pairs, rounds=config.rounds)


class Run:
    """A run of an arena, new or resumed."""

    def __init__(self, config: ArenaConfig, store: ArenaStore, stored: StoredArena) -> None:
        """Raises ValueError and StorageError."""
        self.config = config
        self.name = stored.name
        self.format = make_format(config)
        self.scores = ArenaScores(len(config.entries))
        self._store = store
        self._number = stored.number
        self._waiting: deque[Encounter] = deque()
        self._tries: Counter[int] = Counter()
        self._seconds_per_encounter: float | None = None
        self._resume()

    @property
    def is_over(self) -> bool:
        return self.format.is_over

    def play(self, workers: WorkerPool, show: Callable[[], None]) -> None:
        """Play to the end. Call `show` several times per second.

        Raises VoidMatchError, WorkerPoolError and StorageError.
        """
        # Lost encounters are played again one by one and with all bots guarded, to find out which
        # bot has ended its worker.
        lost: deque[Encounter] = deque()
        while not self.is_over:
            if len(self._waiting) < MOST_PER_CHUNK * workers.size:
                self._waiting += self.format.take()
            while workers.wants_more and (self._waiting or lost):
                workers.submit(
                    Chunk([lost.popleft()], True) if lost else self._next_chunk(workers.size)
                )
            for result in workers.collect(SECONDS_BETWEEN_CHECKS):
                if result.error is not None:
                    lost += self._encounters_to_retry(result)
                else:
                    self._add_result(result)
            show()
        self.finish()

    def finish(self) -> None:
        """Store that the run is over, and delete encounters that the format does not count."""
        superfluous: list[int] = []
        if self.scores.encounters != self.format.expected:
            numbers = (rows[0].encounter for rows in self._stored_encounters())
            superfluous = [number for number in numbers if not self.format.counts(number)]
        self._store.end(self._number, superfluous)
        if superfluous:
            self.scores = ArenaScores(len(self.config.entries))
            for rows in self._stored_encounters():
                self.scores.add(rows)

    def rows(self) -> Iterator[Row]:
        """Yield the played matches by number. Raises StorageError."""
        for content in self._store.matches(self._number):
            yield msgspec.json.decode(content, type=Row)

    def record(self, match: str) -> Record | None:
        """Return the record of the match of this name. Raises StorageError and RecordError."""
        return self._store.record(match)

    def _next_chunk(self, workers: int) -> Chunk:
        """Return a chunk that takes SECONDS_PER_CHUNK, smaller if few encounters are left."""
        if self._seconds_per_encounter is None:
            size = 1
        else:
            size = int(SECONDS_PER_CHUNK / max(self._seconds_per_encounter, 1e-6))
        size = min(size, MOST_PER_CHUNK, len(self._waiting) // (2 * workers))
        return Chunk([self._waiting.popleft() for _ in range(max(size, 1))])

    def _add_result(self, result: ChunkResult) -> None:
        self._seconds_per_encounter = result.seconds / len(result.chunk.encounters)
        # Store it before it counts.
        self._store.add_matches(self._number, self.config.game, map(_stored_match, result.rows))
        for number, rows in by_encounter(result.rows):
            self.format.note(number, self.scores.add(rows))

    def _encounters_to_retry(self, result: ChunkResult) -> Sequence[Encounter]:
        """Return the encounters of a lost chunk. Raises VoidMatchError after too many tries."""
        for encounter in result.chunk.encounters:
            self._tries[encounter.number] += 1
            if self._tries[encounter.number] > MOST_TRIES:
                raise VoidMatchError(
                    f"encounter {encounter.number} cannot be played: {result.error}"
                )
        return result.chunk.encounters

    def _resume(self) -> None:
        """Give the stored results to the format."""
        known = {rows[0].encounter: rows for rows in self._stored_encounters()}
        while known and (taken := self.format.take()):
            for encounter in taken:
                rows = known.pop(encounter.number, None)
                if rows is None:
                    self._waiting.append(encounter)
                else:
                    self.format.note(encounter.number, self.scores.add(rows))

    def _stored_encounters(self) -> Iterator[list[Row]]:
        for _, of_encounter in by_encounter(self.rows()):
            yield of_encounter


def by_encounter(rows: Iterable[Row]) -> Iterator[tuple[int, list[Row]]]:
    """Group rows that are in the order of their encounters."""
    for number, of_encounter in groupby(rows, key=lambda row: row.encounter):
        yield number, list(of_encounter)


def _stored_match(row: Row) -> StoredMatch:
    content = msgspec.json.encode(row._replace(record=b""))
    return StoredMatch(
        encounter=row.encounter,
        match=row.match,
        match_name=row.name,
        content=content,
        record=row.record,
    )

"""A run: the same whoever plays how much at a time, and however often it is interrupted."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from gamehall.arena.config import ArenaConfig, read_entries
from gamehall.arena.match_runner import MatchRunner
from gamehall.arena.openings import Book
from gamehall.arena.runner import Run, VoidMatchError, make_format
from gamehall.arena.summary import Summary, summarise
from gamehall.arena.workers import Chunk, Done, LocalWorkers, WorkerPool, play_chunk
from gamehall.core import SeededRandom
from gamehall.engines.guarded import Limits
from gamehall.games.catalogue import all_games
from gamehall.match import Ending, Record
from gamehall.match.record import positions, read_game
from gamehall.storage import StorageError, open_database
from gamehall.storage.arenas import ArenaStore, StoredArena

BOTS = Path(__file__).parent / "bots.py"


def config_of(*bots: str, **others: object) -> ArenaConfig:
    whole = ArenaConfig("connect-four", {}, read_entries(bots, None), seed=7, games=4, book=Book(2))
    return msgspec.structs.replace(whole, **others)


class Hasty(WorkerPool):
    """Plays in this program, chunks in a random order, and loses some."""

    size = 2

    def __init__(self, config: ArenaConfig, seed: int, loses: Callable[[Chunk], bool]) -> None:
        self._runner = MatchRunner("run", config, time.monotonic)
        self._chance = SeededRandom(seed)
        self._waiting: list[Chunk] = []
        self._loses = loses
        self.played = 0

    @property
    def wants_more(self) -> bool:
        return len(self._waiting) < 5

    def give(self, chunk: Chunk) -> None:
        self._waiting.append(chunk)

    def take(self, seconds: float) -> list[Done]:
        chunk = self._chance.pick(self._waiting)
        self._waiting.remove(chunk)
        if self._loses(chunk):
            return [Done(chunk, (), 0.0, "lightning has struck")]
        rows, error = play_chunk(self._runner, chunk, lambda _: None)
        self.played += len(rows)
        return [Done(chunk, rows, 0.01, error)]

    def close(self) -> None:
        self._runner.close()


def never(_chunk: Chunk) -> bool:
    return False


def always(_chunk: Chunk) -> bool:
    return True


@pytest.fixture
def book(tmp_path: Path) -> Iterator[ArenaStore]:
    with closing(ArenaStore(open_database(tmp_path))) as made:
        yield made


def test_a_config_is_stored_under_the_names_that_older_runs_have() -> None:
    stored = msgspec.json.decode(msgspec.json.encode(config_of("random", "greedy")))
    assert [entry["name"] for entry in stored["contenders"]] == ["random", "greedy"]
    assert stored["contenders"][0].keys() == {"name", "text", "seconds_per_move", "fingerprint"}
    assert stored["limits"].keys() >= {"seconds_per_move", "seconds_per_game", "moves"}


def begin(book: ArenaStore, config: ArenaConfig, name: str = "run") -> StoredArena:
    return book.begin(name, msgspec.json.encode(config), "2026-11-16T10:00:00Z")


def finish(
    book: ArenaStore,
    config: ArenaConfig,
    kept: StoredArena,
    seed: int,
    loses: Callable[[Chunk], bool] = never,
    show: Callable[[], None] = lambda: None,
) -> Run:
    run = Run(config, book, kept)
    workers = Hasty(config, seed, loses)
    try:
        run.play(workers, show)
    finally:
        workers.close()
    return run


def without_times(summary: Summary) -> Summary:
    lines = [msgspec.structs.replace(line, seconds_per_move=0.0) for line in summary.lines]
    return msgspec.structs.replace(summary, lines=lines)


class Interrupted(Exception):
    pass


FORMATS = [
    config_of("random", "greedy", "random"),
    config_of("random", "greedy", "random", in_pairs=False),
    config_of("random", "greedy", "random", "random", format="gauntlet"),
    config_of("random", "greedy", "random", "random", "greedy", format="swiss"),
    config_of("random", "greedy", "random", "random", "greedy", format="knockout"),
    config_of("random", "greedy", "random", "random", format="double-elimination"),
    config_of("random", "greedy", "random", "random", format="ladder", rounds=3),
    config_of("random", "random", games=400, sprt={"elo0": "0", "elo1": "300"}),
    config_of("greedy", "random", games=400, sprt={"elo0": "0", "elo1": "60"}),
    config_of("random", "greedy", "random", games=60, until="top 1 known at 95%"),
]


@pytest.mark.parametrize("config", FORMATS, ids=lambda one: f"{one.format}-{one.in_pairs}")
def test_however_it_is_interrupted_it_comes_to_the_same(
    config: ArenaConfig, tmp_path: Path
) -> None:
    undisturbed, its_records = played_at(tmp_path / "a", config, 1, interruptions=0)
    other, other_records = played_at(tmp_path / "b", config, 2, interruptions=4)
    assert without_times(undisturbed) == without_times(other)
    assert its_records == other_records
    assert len(its_records) == undisturbed.matches


def played_at(
    folder: Path, config: ArenaConfig, seed: int, interruptions: int
) -> tuple[Summary, list[bytes]]:
    """A run that is interrupted so often, its standings and its records."""
    chance = SeededRandom(seed)
    with closing(ArenaStore(open_database(folder))) as book:
        kept = begin(book, config)
        for _ in range(interruptions):
            left = chance.pick(range(1, 8))

            def show() -> None:
                nonlocal left
                left -= 1
                if not left:
                    raise Interrupted

            try:
                finish(book, config, kept, chance.seed(), show=show)
            except Interrupted:
                continue
        run = finish(book, config, kept, chance.seed())
        return summarise(run), records_in(folder)


def records_in(folder: Path) -> list[bytes]:
    """All records, whatever numbers they were given."""
    connection = open_database(folder).connect()
    try:
        return sorted(bytes(row[0]) for row in connection.run("SELECT content FROM records"))
    finally:
        connection.close()


def test_records_replay_to_their_results(book: ArenaStore, tmp_path: Path) -> None:
    config = config_of("random", "greedy")
    finish(book, config, begin(book, config), 1)
    records = [Record.from_json(content) for content in records_in(tmp_path)]
    assert len(records) == 4
    assert len({record.match for record in records}) == 4
    for record in records:
        *_, last = positions(read_game(all_games()[record.game], record), record)
        assert last.outcome is not None
        assert last.outcome.winner is record.result.winner
        assert record.room == "arena run"


def test_of_a_pair_both_matches_begin_alike_with_the_seats_swapped(
    book: ArenaStore, tmp_path: Path
) -> None:
    config = config_of("random", "greedy", games=10, book=Book(4))
    finish(book, config, begin(book, config), 1)
    begun: dict[tuple[int, tuple[str, ...]], set[tuple[str | None, str | None]]] = {}
    for content in records_in(tmp_path):
        record = Record.from_json(content)
        opening = tuple(played.move for played in record.moves[:4])
        begun.setdefault((record.seed, opening), set()).add(record.players)
    assert len(begun) == 5
    assert all(len(players) == 2 for players in begun.values())


def test_what_is_lost_with_a_worker_is_played_again_with_all_bots_guarded(
    book: ArenaStore,
) -> None:
    config = config_of("random", "greedy", games=12)
    lost: list[Chunk] = []
    played: list[Chunk] = []

    def loses_three(chunk: Chunk) -> bool:
        is_lost = len(lost) < 3 and not chunk.guards_all
        (lost if is_lost else played).append(chunk)
        return is_lost

    run = Run(config, book, begin(book, config))
    with closing(Hasty(config, 1, loses_three)) as workers:
        run.play(workers, lambda: None)
        # Bots of the hall play in the worker's own program unless they are guarded.
        in_programs_of_their_own = sorted(workers._runner._guarded)
    assert run.scores.matches == 12
    assert len(lost) == 3
    guarded = [one for chunk in played if chunk.guards_all for one in chunk.encounters]
    assert sorted(guarded) == sorted(one for chunk in lost for one in chunk.encounters)
    assert in_programs_of_their_own == [0, 1]


def test_bots_of_the_hall_need_no_programs_of_their_own(book: ArenaStore) -> None:
    config = config_of("random", "greedy", games=4)
    run = Run(config, book, begin(book, config))
    with closing(Hasty(config, 1, never)) as workers:
        run.play(workers, lambda: None)
        assert not workers._runner._guarded
    assert run.scores.matches == 4


def test_an_encounter_that_never_works_is_void_and_said_so(book: ArenaStore) -> None:
    config = config_of("random", "greedy", games=12)
    with pytest.raises(VoidMatchError, match="cannot be played: lightning has struck"):
        finish(book, config, begin(book, config), 1, always)
    kept = book.find("run")
    assert kept is not None
    assert Run(config, book, kept).scores.matches == 0


def test_who_fails_is_blamed_with_evidence(book: ArenaStore) -> None:
    faulty = ("Raises", "Exits", "Illegal", "Wrong", "StartsBadly")
    bots = ("random", *(f"{BOTS}:{name}" for name in faulty))
    config = config_of(*bots, format="gauntlet", games=2)
    summary = summarise(finish(book, config, begin(book, config), 1))
    assert summary.endings == {"crashed": 6, "illegal move": 4}
    faults = {line.name: line.faults for line in summary.lines}
    assert faults == {
        "random": {},
        "Raises": {"crashed": 2},
        "Exits": {"crashed": 2},
        "StartsBadly": {"crashed": 2},
        "Illegal": {"illegal move": 2},
        "Wrong": {"illegal move": 2},
    }
    assert summary.lines[0].name == "random"
    evidence = {fault.bot: fault.evidence for fault in summary.faults}
    assert "out of ideas" in evidence["Raises"]
    assert "good bye" in evidence["Exits"]
    assert "1 2 3 4 5 6 7" in evidence["Wrong"] or "a b c d e f g" in evidence["Wrong"]


def test_nobody_else_plays_the_same_arena(book: ArenaStore, tmp_path: Path) -> None:
    config = config_of("random", "greedy", games=4)
    kept = begin(book, config)
    first, second = Run(config, book, kept), Run(config, book, kept)
    one, other = Hasty(config, 1, never), Hasty(config, 2, never)
    first.play(one, lambda: None)
    with pytest.raises(StorageError, match="another process is running this arena"):
        second.play(other, lambda: None)
    assert len(records_in(tmp_path)) == 4


def test_workers_of_this_machine_come_to_the_same(tmp_path: Path) -> None:
    config = config_of("random", "greedy", "random", f"{BOTS}:Good", games=6)
    with closing(ArenaStore(open_database(tmp_path / "a"))) as book:
        here = summarise(finish(book, config, begin(book, config), 1))
    with closing(ArenaStore(open_database(tmp_path / "b"))) as book:
        run = Run(config, book, begin(book, config))
        workers = LocalWorkers("run", config, 2)
        try:
            run.play(workers, lambda: None)
        finally:
            workers.close()
    assert without_times(summarise(run)) == without_times(here)
    assert records_in(tmp_path / "a") == records_in(tmp_path / "b")


def test_limits_are_part_of_the_conditions(book: ArenaStore) -> None:
    config = config_of("random", "random", limits=Limits(moves=3), games=2)
    run = finish(book, config, begin(book, config), 1)
    assert run.scores.endings == {Ending.TOO_LONG: 2}
    assert all(line.points == 1 for line in summarise(run).lines)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"games": 3}, "even"),
        ({"rounds": 3}, "follow from the number of bots"),
        ({"sprt": {"elo0": "5", "elo1": "1"}}, "elo"),
        ({"until": "soon"}, "is no goal"),
    ],
)
def test_conditions_that_cannot_be_are_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make_format(config_of("random", "random", **changes))

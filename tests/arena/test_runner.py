"""A run gives the same results with any workers, and however often it is interrupted."""

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
from gamehall.arena.workers import Chunk, ChunkResult, LocalWorkers, WorkerPool, play_chunk
from gamehall.core import SeededRandom
from gamehall.engines.guarded import Limits
from gamehall.games.catalogue import all_games
from gamehall.match import Ending, Record
from gamehall.match.record import positions, read_game
from gamehall.storage import StorageError, open_database
from gamehall.storage.arenas import ArenaStore, StoredArena
from tests.support.records import records_in

BOTS = Path(__file__).parent / "bots.py"


def config_of(*bots: str, **others: object) -> ArenaConfig:
    whole = ArenaConfig("connect-four", {}, read_entries(bots, None), seed=7, games=4, book=Book(2))
    return msgspec.structs.replace(whole, **others)


class UnreliableWorkers(WorkerPool):
    """Plays chunks in this process, in a random order, and loses some."""

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

    def submit(self, chunk: Chunk) -> None:
        self._waiting.append(chunk)

    def collect(self, seconds: float) -> list[ChunkResult]:
        chunk = self._chance.pick(self._waiting)
        self._waiting.remove(chunk)
        if self._loses(chunk):
            return [ChunkResult(chunk, (), 0.0, "lost")]
        rows, error = play_chunk(self._runner, chunk, lambda _: None)
        self.played += len(rows)
        return [ChunkResult(chunk, rows, 0.01, error)]

    def close(self) -> None:
        self._runner.close()


def never(_chunk: Chunk) -> bool:
    return False


def always(_chunk: Chunk) -> bool:
    return True


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ArenaStore]:
    with closing(ArenaStore(open_database(tmp_path))) as store:
        yield store


def test_a_config_is_stored_with_the_field_names_of_older_runs() -> None:
    stored = msgspec.json.decode(msgspec.json.encode(config_of("random", "greedy")))
    assert [entry["name"] for entry in stored["contenders"]] == ["random", "greedy"]
    assert stored["contenders"][0].keys() == {"name", "text", "seconds_per_move", "fingerprint"}
    assert stored["limits"].keys() >= {"seconds_per_move", "seconds_per_game", "moves"}


def begin(store: ArenaStore, config: ArenaConfig) -> StoredArena:
    return store.begin("run", msgspec.json.encode(config), "2026-11-16T10:00:00Z")


def finish(
    store: ArenaStore,
    config: ArenaConfig,
    stored: StoredArena,
    seed: int,
    loses: Callable[[Chunk], bool] = never,
    show: Callable[[], None] = lambda: None,
) -> Run:
    run = Run(config, store, stored)
    workers = UnreliableWorkers(config, seed, loses)
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
def test_interruptions_do_not_change_the_results(config: ArenaConfig, tmp_path: Path) -> None:
    expected, expected_records = play_run(tmp_path / "a", config, 1, interruptions=0)
    summary, records = play_run(tmp_path / "b", config, 2, interruptions=4)
    assert without_times(summary) == without_times(expected)
    assert records == expected_records
    assert len(records) == summary.matches


def play_run(
    folder: Path, config: ArenaConfig, seed: int, interruptions: int
) -> tuple[Summary, list[bytes]]:
    """Play a run with this number of interruptions. Return its standings and its records."""
    chance = SeededRandom(seed)
    with closing(ArenaStore(open_database(folder))) as store:
        stored = begin(store, config)
        for _ in range(interruptions):
            left = chance.pick(range(1, 8))

            def show() -> None:
                nonlocal left
                left -= 1
                if not left:
                    raise Interrupted

            try:
                finish(store, config, stored, chance.seed(), show=show)
            except Interrupted:
                continue
        run = finish(store, config, stored, chance.seed())
        return summarise(run), records_in(folder)


def test_records_replay_to_their_results(store: ArenaStore, tmp_path: Path) -> None:
    config = config_of("random", "greedy")
    finish(store, config, begin(store, config), 1)
    records = [Record.from_json(content) for content in records_in(tmp_path)]
    assert len(records) == 4
    assert len({record.match_name for record in records}) == 4
    for record in records:
        *_, last = positions(read_game(all_games()[record.game], record), record)
        assert last.outcome is not None
        assert last.outcome.winner is record.result.winner
        assert record.room == "arena run"


def test_the_matches_of_a_pair_have_the_same_opening_with_the_seats_swapped(
    store: ArenaStore, tmp_path: Path
) -> None:
    config = config_of("random", "greedy", games=10, book=Book(4))
    finish(store, config, begin(store, config), 1)
    begun: dict[tuple[int, tuple[str, ...]], set[tuple[str | None, str | None]]] = {}
    for content in records_in(tmp_path):
        record = Record.from_json(content)
        opening = tuple(played.move for played in record.moves[:4])
        begun.setdefault((record.seed, opening), set()).add(record.players)
    assert len(begun) == 5
    assert all(len(players) == 2 for players in begun.values())


def test_lost_encounters_are_played_again_with_all_bots_guarded(
    store: ArenaStore,
) -> None:
    config = config_of("random", "greedy", games=12)
    lost: list[Chunk] = []
    played: list[Chunk] = []

    def loses_three(chunk: Chunk) -> bool:
        is_lost = len(lost) < 3 and not chunk.guards_all
        (lost if is_lost else played).append(chunk)
        return is_lost

    run = Run(config, store, begin(store, config))
    with closing(UnreliableWorkers(config, 1, loses_three)) as workers:
        run.play(workers, lambda: None)
        guarded_bots = sorted(workers._runner._guarded)
    assert run.scores.matches == 12
    assert len(lost) == 3
    guarded = [one for chunk in played if chunk.guards_all for one in chunk.encounters]
    assert sorted(guarded) == sorted(one for chunk in lost for one in chunk.encounters)
    assert guarded_bots == [0, 1]


def test_built_in_bots_need_no_process_of_their_own(store: ArenaStore) -> None:
    config = config_of("random", "greedy", games=4)
    run = Run(config, store, begin(store, config))
    with closing(UnreliableWorkers(config, 1, never)) as workers:
        run.play(workers, lambda: None)
        assert not workers._runner._guarded
    assert run.scores.matches == 4


def test_an_encounter_that_always_fails_is_an_error(store: ArenaStore) -> None:
    config = config_of("random", "greedy", games=12)
    with pytest.raises(VoidMatchError, match="cannot be played: lost"):
        finish(store, config, begin(store, config), 1, always)
    stored = store.find("run")
    assert stored is not None
    assert Run(config, store, stored).scores.matches == 0


def test_a_bot_that_fails_is_blamed_with_evidence(store: ArenaStore) -> None:
    faulty = ("Raises", "Exits", "Illegal", "Wrong", "StartsBadly")
    bots = ("random", *(f"{BOTS}:{name}" for name in faulty))
    config = config_of(*bots, format="gauntlet", games=2)
    summary = summarise(finish(store, config, begin(store, config), 1))
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


def test_two_processes_cannot_play_the_same_run(store: ArenaStore, tmp_path: Path) -> None:
    config = config_of("random", "greedy", games=4)
    stored = begin(store, config)
    first, second = Run(config, store, stored), Run(config, store, stored)
    one, other = UnreliableWorkers(config, 1, never), UnreliableWorkers(config, 2, never)
    first.play(one, lambda: None)
    with pytest.raises(StorageError, match="another process is running this arena"):
        second.play(other, lambda: None)
    assert len(records_in(tmp_path)) == 4


def test_worker_processes_give_the_same_results(tmp_path: Path) -> None:
    config = config_of("random", "greedy", "random", f"{BOTS}:Good", games=6)
    with closing(ArenaStore(open_database(tmp_path / "a"))) as store:
        here = summarise(finish(store, config, begin(store, config), 1))
    with closing(ArenaStore(open_database(tmp_path / "b"))) as store:
        run = Run(config, store, begin(store, config))
        workers = LocalWorkers("run", config, 2)
        try:
            run.play(workers, lambda: None)
        finally:
            workers.close()
    assert without_times(summarise(run)) == without_times(here)
    assert records_in(tmp_path / "a") == records_in(tmp_path / "b")


def test_the_limit_of_moves_is_used(store: ArenaStore) -> None:
    config = config_of("random", "random", limits=Limits(moves=3), games=2)
    run = finish(store, config, begin(store, config), 1)
    assert run.scores.endings == {Ending.TOO_LONG: 2}
    assert all(line.points == 1 for line in summarise(run).lines)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"games": 3}, "even"),
        ({"rounds": 3}, "the number of bots decides the rounds"),
        ({"sprt": {"elo0": "5", "elo1": "1"}}, "elo"),
        ({"until": "soon"}, "is no goal"),
    ],
)
def test_impossible_options_are_errors(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make_format(config_of("random", "random", **changes))

"""The benchmark of Ascension over HTTP, and the tables it prints. How to read: gamehall.bench."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from gamehall.bench import wrk
from gamehall.bench.ascension_game import bring_to_turn, raw_state
from gamehall.bench.ascension_random import play_rounds
from gamehall.bench.commands import bare_server, hall
from gamehall.bench.contest import Kind, Load, total
from gamehall.bench.machine import BenchError, Server, StartedServer, running
from gamehall.bench.progress import show_progress
from gamehall.bench.speed import Speeds, spread
from gamehall.bench.tables import speed_table, with_spread

DOOR = "ascension-http"
TURN = 40
SEED = 1
GAMES = 40
"""Random ones in a round."""

SECONDS_OF_SLICE = 1
"""How long one server is under load before it is the next one's turn: wrk takes no less."""

REMARKS = (
    "door: clients ask again in the same words, as they do, and are known by these; varied: the",
    "door, but every request has another header than the one before, and all of it is parsed.",
)
WITHOUT_AIOHTTP = "aiohttp is not installed, so it is left out: make test installs it"


def run(
    report: Callable[[str], None], seconds: float, rounds: int, games: int = GAMES
) -> dict[str, object]:
    """Measure, report tables line by line, and give all figures in a form fit for JSON.

    seconds: how long each server is measured in a round, in whole slices. rounds: how often that is
    repeated, each time with fresh servers. games: how many random games are played in a round.
    Raises BenchError if there is no figure because a server failed or answered wrongly.
    """
    figures: dict[str, object] = {"turn": TURN, "rounds": rounds}
    try:
        if wrk.is_installed():
            figures["state"] = measure_state(report, seconds, rounds)
        else:
            report(wrk.WITHOUT_WRK)
        report("")
        figures["random_games"] = measure_games(report, games, rounds)
    finally:
        show_progress("")
    return figures


def measure_state(report: Callable[[str], None], seconds: float, rounds: int) -> dict[str, object]:
    """Measure and report what a `GET /state` costs."""
    bases = [Kind.HTTPTOOLS, Kind.AIOHTTP]
    if find_spec("aiohttp") is None:
        bases.remove(Kind.AIOHTTP)
    kinds = [*bases, Kind.DOOR, Kind.VARIED]
    slices = max(1, round(seconds / SECONDS_OF_SLICE))
    speeds = Speeds({kind: [] for kind in kinds}, counted="request")
    body_bytes = 0
    for number in range(1, rounds + 1):
        show_progress(f"GET {wrk.PATH} at turn {TURN}, round {number} of {rounds}")
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="gamehall-bench-")))
            servers, response = open_servers(stack, kinds, folder / "response")
            body_bytes = len(wrk.body_of(response))
            for kind, load in put_under_load(servers, response, slices).items():
                speeds.loads[kind].append(load)
    show_progress("")
    title = f"GET {wrk.PATH} at turn {TURN}, {wrk.CONNECTIONS} connections"
    title += f", {rounds} rounds of {slices * SECONDS_OF_SLICE} s  "
    for line in (*speed_table(title, speeds, bases), *REMARKS):
        report(line)
    if Kind.AIOHTTP not in bases:
        report(WITHOUT_AIOHTTP)
    return {"body_bytes": body_bytes, "connections": wrk.CONNECTIONS, **speeds.figures()}


def open_servers(
    stack: ExitStack, kinds: Sequence[Kind], prepared: Path
) -> tuple[Mapping[Kind, StartedServer], bytes]:
    """All servers, which answer with the same body, and the response of the door.

    prepared: where that is kept for the others. Raises BenchError if the bodies differ.
    """
    door = stack.enter_context(running(hall_with_door()))
    bring_to_turn(door, TURN)
    response = raw_state(door)
    prepared.write_bytes(response)
    modules = {Kind.HTTPTOOLS: "bare_http", Kind.AIOHTTP: "bare_aiohttp"}
    servers = {
        kind: stack.enter_context(running(bare_server(modules[kind], str(prepared))))
        if kind in modules
        else door
        for kind in kinds
    }
    for kind, server in servers.items():
        check_body(kind, server, response)
    return servers, response


def put_under_load(
    servers: Mapping[Kind, Server], response: bytes, slices: int
) -> dict[Kind, Load]:
    """Ask all servers in turn, at each for so many slices after one to warm up."""
    loads: dict[Kind, list[Load]] = {kind: [] for kind in servers}
    for number in range(slices + 1):
        for kind, server in servers.items():
            options = [f"--script={wrk.VARIED}"] if kind is Kind.VARIED else []
            load = wrk.put_under_load(server, SECONDS_OF_SLICE, len(response), *options)
            if number:
                loads[kind].append(load)
    for kind, server in servers.items():
        check_body(kind, server, response)
    return {kind: total(done) for kind, done in loads.items()}


def check_body(kind: Kind, server: Server, response: bytes) -> None:
    """Whether a server shows that state. Raises BenchError."""
    if wrk.body_of(raw_state(server)) != wrk.body_of(response):
        raise BenchError(f"{kind}: the state is not the one that was prepared")


def measure_games(report: Callable[[str], None], games: int, rounds: int) -> dict[str, object]:
    """Measure and report what random games take, by the rules alone."""
    played = play_rounds(games, rounds)
    games_per_second = spread(done.games / done.cpu_seconds for done in played)
    moves_per_second = spread(done.moves / done.cpu_seconds for done in played)
    moves = played[0].moves
    title = f"{games} random games, {moves:,} moves, {rounds} rounds"
    report(f"{title:<44}median (lowest - highest)")
    report(f"a core plays {with_spread(games_per_second, ',.1f')} games/s")
    report(f"             {with_spread(moves_per_second, ',.0f')} moves/s, legal moves listed")
    return {
        "games": games,
        "moves": moves,
        "games_per_second": games_per_second._asdict(),
        "moves_per_second": moves_per_second._asdict(),
        "rounds": [done._asdict() for done in played],
    }


def hall_with_door() -> Sequence[str]:
    """The command of a hall whose game is always the same, and nothing that limits the load."""
    return hall(DOOR, {"messages-per-second": 0}, f"--seed={SEED}", "--fresh")

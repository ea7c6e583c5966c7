"""Whole games of Ascension between clients written from the protocol alone."""

from pathlib import Path

import msgspec
import pytest

from gamehall.core import Seat
from gamehall.games.ascension import Ascension, AscensionPosition
from gamehall.match import Ending, Record, RecordedMove
from gamehall.match.record import positions, read_game
from gamehall.storage import Archive, open_database
from tests.independent.ascension_clients import (
    STATUSES,
    BatchClient,
    Board,
    Client,
    Player,
    StepClient,
    run_pair,
)
from tests.support.served import Served

HOST = "127.0.0.1"
SEATS = (Seat.FIRST, Seat.SECOND)
SEEDS = (1, 3, 10)
PAIRINGS: dict[str, tuple[type[Client], type[Client]]] = {
    "step against step": (StepClient, StepClient),
    "step against batch": (StepClient, BatchClient),
    "batch against step": (BatchClient, StepClient),
    "batch against batch": (BatchClient, BatchClient),
}


class LogLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of a game's log."""

    time: str
    id: str
    game: str | None = None
    terms: dict[str, int | bool | str] | None = None
    joined: int | None = None
    seed: int | None = None
    player_index: int | None = None
    move: str | None = None
    without_effect: str | None = None
    refused: int | None = None
    error: str | None = None
    ended: str | None = None
    detail: str | None = None


class Game:
    """A game that two clients have played, with its record and its log."""

    def __init__(self, kinds: tuple[type[Client], type[Client]], seed: int, data: Path) -> None:
        with Served("--door", "ascension-http=0", "--data", str(data), "--seed", f"{seed}") as hall:
            port = hall.port("ascension-http")
            first, second = (kind(HOST, port) for kind in kinds)
            run_pair(first, second)
            assert hall.stop() == 0
            assert "Traceback" not in hall.errors
        self.clients = (first, second)
        last = first.states[-1]
        assert last.board is not None
        self.board: Board = last.board
        [kept] = Archive(open_database(data)).latest(2)
        self.record = kept.record
        [self.log] = (data / "server" / "logs").glob("*.log")


@pytest.fixture(
    scope="module",
    params=[(name, seed) for name in PAIRINGS for seed in SEEDS],
    ids=lambda chosen: f"{chosen[0]}, seed {chosen[1]}",
)
def game(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Game:
    name, seed = request.param
    return Game(PAIRINGS[name], seed, tmp_path_factory.mktemp("data"))


def test_the_game_ends_and_no_status_comes_back(game: Game) -> None:
    for client in game.clients:
        ranks = [STATUSES.index(state.status) for state in client.states]
        assert ranks == sorted(ranks)
        assert client.states[-1].status == "ended"
        assert client.states[-1].error == ""


def test_every_move_that_was_taken_is_listed_with_its_turn(game: Game) -> None:
    for client in game.clients:
        listed = game.board.players[client.index].moves
        assert [played.move for played in listed] == client.accepted
        turns = [played.turn for played in listed]
        assert turns == sorted(turns)


def test_the_record_replays_to_the_final_state(game: Game) -> None:
    assert game.record.result.ending is Ending.PLAYED_OUT
    last = last_position(game.record)
    assert last.to_move is None
    for client in game.clients:
        if client.victor is not None:
            assert game.record.result.winner is SEATS[client.victor]
    shows(last, game.board)


def test_the_log_is_one_object_per_line_and_replays_to_the_final_state(game: Game) -> None:
    lines = [msgspec.json.decode(line, type=LogLine) for line in game.log.read_bytes().splitlines()]
    assert {line.id for line in lines} == {game.log.stem}
    [name] = [line.game for line in lines if line.game is not None]
    [terms] = [line.terms for line in lines if line.terms is not None]
    [seed] = [line.seed for line in lines if line.seed is not None]
    assert [line.joined for line in lines if line.joined is not None] == [0, 1]
    assert lines[-1].ended == "played out"
    for client in game.clients:
        refused = [line for line in lines if line.error and line.player_index == client.index]
        assert len(refused) == len(client.refusals)
    moves = tuple(
        RecordedMove(SEATS[line.player_index], line.move)
        for line in lines
        if line.move is not None and line.player_index is not None
    )
    logged = Record(name, terms, seed, (None, None), moves, game.record.result)
    shows(last_position(logged), game.board)


def last_position(record: Record) -> AscensionPosition:
    *_, last = positions(read_game(Ascension, record), record)
    assert isinstance(last, AscensionPosition)
    return last


def shows(position: AscensionPosition, shown: Board) -> None:
    """Check that the board of a state is that of the position."""
    board = position.board
    assert shown.honor_remaining == board.honor_pool
    assert (shown.mystics, shown.heavy) == (board.mystics, board.heavies)
    assert sorted(shown.center) == sorted(board.row)
    assert sorted(shown.void) == sorted(board.void)
    for seat, player in zip(SEATS, shown.players, strict=True):
        shows_side(position, seat, player)


def shows_side(position: AscensionPosition, seat: Seat, shown: Player) -> None:
    side = position.board.side(seat)
    assert shown.honor == side.honor
    assert sorted(shown.hand) == sorted(side.hand)
    assert sorted(shown.discard) == sorted(side.discard)
    assert sorted(shown.constructs) == sorted(construct.name for construct in side.constructs)

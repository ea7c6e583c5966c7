"""Records of matches, and their replay."""

import random
from typing import Any

import msgspec
import pytest

from gamehall.core import Game, Seat
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import Cell, ConnectFour, Gravity
from gamehall.games.go import Go
from gamehall.match import Clock, Ending, Record, RecordedMove, RecordError, Referee
from gamehall.match.record import positions, read_game

GAMES = [pytest.param(game(), id=name) for name, game in all_games().items()]


def play_at_random(match: Referee[Any], seed: int, now: float = 0.0) -> Record:
    """Play random moves, one second each, and return the record."""
    chance = random.Random(seed)
    match.begin(now)
    while match.result is None:
        now += 1.0
        seat = match.position.to_move
        assert seat is not None
        match.play(seat, chance.choice(list(match.position.legal_moves())), now)
    return match.record("ann", "bob")


@pytest.mark.parametrize("game", GAMES)
def test_a_record_replays_to_the_same_position(game: Game[Any]) -> None:
    match: Referee[Any] = Referee(game, Clock(), seed=5)
    record = Record.from_json(play_at_random(match, 5).to_json())
    replayed = list(positions(read_game(all_games()[record.game], record), record))
    assert len(replayed) == len(record.moves) + 1
    assert replayed[-1] == match.position
    assert record.result == match.result
    assert record.players == ("ann", "bob")


def test_a_record_has_the_terms_of_the_game() -> None:
    game = ConnectFour(line_length=3, gravity=Gravity.FREE)
    record = play_at_random(Referee(game, Clock(), 1), 1)
    assert read_game(ConnectFour, Record.from_json(record.to_json())) == game


def test_a_recorded_move_has_the_time_taken_and_left() -> None:
    match = Referee(ConnectFour(), Clock(seconds_per_turn=5.0, grace_seconds=0.25), seed=1)
    match.begin(100.0)
    match.play(Seat.FIRST, Cell(3, 5), 101.5)
    match.play(Seat.SECOND, Cell(3, 4), 106.6)
    match.forfeit(Seat.FIRST, Ending.RESIGNED, "enough")
    assert match.record(None, None).moves == (
        RecordedMove(Seat.FIRST, "d1", 1.5, 3.5),
        RecordedMove(Seat.SECOND, "d2", 5.1, 0.0),
    )


def test_moves_before_the_beginning_take_no_time() -> None:
    match = Referee(ConnectFour(), Clock(seconds_per_turn=5.0), seed=1)
    match.play(Seat.FIRST, Cell(3, 5), 50.0)
    match.begin(60.0)
    match.play(Seat.SECOND, Cell(3, 4), 61.0)
    match.forfeit(Seat.FIRST, Ending.RESIGNED, "enough")
    assert [move.seconds for move in match.record(None, None).moves] == [0.0, 1.0]


def changed(**changes: Any) -> Record:
    match = Referee(Go(size=5), Clock(), 1)
    return msgspec.structs.replace(play_at_random(match, 1), **changes)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (changed(moves=(RecordedMove(Seat.SECOND, "A1"),)), "move 1, A1: it is not the turn"),
        (changed(moves=(RecordedMove(Seat.FIRST, "Z9"),)), "move 1, Z9: 'Z9' is not a move"),
        (
            changed(moves=(RecordedMove(Seat.FIRST, "A1"), RecordedMove(Seat.SECOND, "A1"))),
            "move 2, A1: A1 is occupied",
        ),
        (changed(terms={"size": 99}), "not terms of go"),
        (changed(terms={"size": "big"}), "not terms of go"),
        (changed(terms={"colour": 1}), "go has no term colour"),
    ],
)
def test_a_record_that_cannot_be_replayed_says_why(record: Record, words: str) -> None:
    with pytest.raises(RecordError, match=words):
        list(positions(read_game(Go, record), record))


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b"\xff", b'{"game": 1}'])
def test_an_invalid_record_is_rejected(text: bytes) -> None:
    with pytest.raises(RecordError, match="not the record of a match"):
        Record.from_json(text)

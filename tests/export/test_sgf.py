"""Records of Go are written as SGF and read without loss."""

import contextlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sgfmill import sgf as sgfmill

from gamehall.core import Seat
from gamehall.export import sgf
from gamehall.games.connect_four import ConnectFour
from gamehall.games.go import Go, GoPosition, Ko, Scoring
from gamehall.games.go.notation import read
from gamehall.match import Clock, Ending, Record, RecordedMove, RecordError, Referee, Result
from gamehall.match.record import positions
from tests.match.test_record import play_at_random
from tests.support.gnugo import GnuGo

NAMES = st.none() | st.text(max_size=20)
SECONDS = st.floats(0, 1e6, allow_nan=False).map(abs)


@st.composite
def records(draw: st.DrawFn) -> Record:
    """A match of random moves on random terms with random times and names, finished or not."""
    size = draw(st.integers(2, 25))
    game = Go(
        size,
        draw(st.floats(-4, 4, allow_nan=False)),
        draw(st.integers(0, 3)),
        draw(st.sampled_from(Seat)),
        draw(st.sampled_from(Ko)),
        draw(st.booleans()),
        draw(st.sampled_from(Scoring)),
    )
    match = Referee(game, Clock(), draw(st.integers(0, 2**63 - 1)))
    match.begin(0.0)
    for _ in range(draw(st.integers(0, 30))):
        seat = match.position.to_move
        if seat is None:
            break
        moves = list(match.position.legal_moves())
        match.play(seat, moves[draw(st.integers(0, 10**6)) % len(moves)], 0.0)
    if match.result is None:
        ending = draw(st.sampled_from(Ending))
        winner = None if ending is Ending.CANCELLED else draw(st.sampled_from(Seat))
        match.decide(Result(winner, ending, draw(st.text(max_size=30))))
    record = match.record(draw(NAMES), draw(NAMES))
    timed = tuple(
        RecordedMove(move.seat, move.move, draw(SECONDS), draw(st.none() | SECONDS))
        for move in record.moves
    )
    ended = draw(st.none() | st.just("2026-11-16T09:30:00Z"))
    return msgspec.structs.replace(record, moves=timed, room=draw(st.text()), ended=ended)


@given(records())
def test_a_written_record_is_read_without_loss(record: Record) -> None:
    assert sgf.read(sgf.write(record)) == record


def handicap_record() -> Record:
    game = Go(9, 0.5, 3, Seat.SECOND)
    match = Referee(game, Clock(seconds_per_turn=10.0), seed=1)
    match.begin(0.0)
    for number, text in enumerate(["C3", "G7", "pass", "E5", "E4", "pass", "D4"], 1):
        seat = match.position.to_move
        assert seat is not None
        assert match.play(seat, read(text, 9), float(number))
    match.forfeit(Seat.SECOND, Ending.RESIGNED, "enough")
    record = match.record("Ann: the [black]", "Bob")
    return msgspec.structs.replace(record, ended="2026-11-16T09:30:00Z")


def test_sgfmill_reads_the_properties_of_a_record() -> None:
    file = sgfmill.Sgf_game.from_bytes(sgf.write(handicap_record()))
    root = file.get_root()
    assert (file.get_size(), file.get_komi(), file.get_handicap()) == (9, 0.5, 2)
    assert root.get("PB") == "Ann: the [black]"
    assert root.get("PW") == "Bob"
    assert root.get("DT") == "2026-11-16"
    assert root.get("RE") == "B+R"
    assert root.get("PL") == "w"
    assert root.get_setup_stones() == ({(2, 2), (6, 6)}, set(), set())
    moves = [node.get_move() for node in file.get_main_sequence()[1:]]
    assert moves == [("w", (4, 4)), ("b", (3, 4)), ("w", None), ("b", (3, 3))]
    assert file.get_main_sequence()[1].get("WL") == 9.0


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (Result(Seat.FIRST, Ending.RESIGNED, ""), "B+R"),
        (Result(Seat.SECOND, Ending.OUT_OF_TIME, ""), "W+T"),
        (Result(Seat.SECOND, Ending.LEFT, ""), "W+F"),
        (Result(Seat.FIRST, Ending.ILLEGAL_MOVE, ""), "B+F"),
        (Result(Seat.FIRST, Ending.BROKE_PROTOCOL, ""), "B+F"),
        (Result(None, Ending.CANCELLED, ""), "Void"),
        (Result(None, Ending.PLAYED_OUT, ""), "0"),
    ],
)
def test_results_are_written_as_in_sgf(result: Result, text: str) -> None:
    record = msgspec.structs.replace(handicap_record(), result=result)
    assert sgfmill.Sgf_game.from_bytes(sgf.write(record)).get_root().get("RE") == text


def test_a_game_that_was_played_out_has_its_margin() -> None:
    record = play_at_random(Referee(Go(5, komi=0.5), Clock(), 3), 3)
    margin = record.result.detail.split(" by ")[1]
    text = sgfmill.Sgf_game.from_bytes(sgf.write(record)).get_root().get("RE")
    assert text == f"{'B' if record.result.winner is Seat.FIRST else 'W'}+{margin}"


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Go(5), "territory scoring, positional superko, no suicide"),
        (Go(5, ko=Ko.SIMPLE, suicide=True), "territory scoring, simple ko, suicide allowed"),
        (Go(5, ko=Ko.SITUATIONAL, scoring=Scoring.AREA), "area scoring, situational superko"),
    ],
)
def test_the_rules_are_written(game: Go, words: str) -> None:
    written = sgf.write(play_at_random(Referee(game, Clock(), 1), 1))
    assert words in sgfmill.Sgf_game.from_bytes(written).get_root().get("RU")


@pytest.mark.parametrize(
    ("rules", "suicide"), [("Goe", True), ("NZ", True), ("Japanese", False), ("AGA", False)]
)
def test_some_named_rules_allow_suicide(rules: str, suicide: bool) -> None:
    record = sgf.read(b"(;GM[1]FF[4]SZ[9]RU[%s];B[ee];W[ec])" % rules.encode())
    assert record.terms["suicide"] is suicide


@pytest.mark.parametrize("seed", range(3))
def test_gnu_go_reads_the_same_stones(seed: int, tmp_path: Path) -> None:
    match = Referee(Go(9, handicap=seed, ko=Ko.SIMPLE), Clock(), seed)
    record = play_at_random(match, seed)
    path = tmp_path / "game.sgf"
    path.write_bytes(sgf.write(record))
    with GnuGo() as gnugo:
        gnugo.ask(f"loadsgf {path}")
        for seat, colour in ((Seat.FIRST, "black"), (Seat.SECOND, "white")):
            listed = {read(text, 9) for text in gnugo.ask(f"list_stones {colour}").split()}
            position = match.position
            assert isinstance(position, GoPosition)
            own = {point for point, owner in position.stones.items() if owner is seat}
            assert {move.point for move in listed} == own  # type: ignore[union-attr]


FOREIGN = b"(;GM[1]FF[4]SZ[9]KM[5.5]HA[2]AB[cc][gg]RU[Chinese]PB[ann]RE[W+3.5];W[ee];B[ec];W[tt])"


def test_a_file_of_another_program_is_read() -> None:
    record = sgf.read(FOREIGN)
    assert record.players == ("ann", None)
    assert record.terms["handicap"] == 2
    assert record.terms["komi"] == 5.5
    assert record.terms["scoring"] == "area"
    assert [move.move for move in record.moves] == ["G3", "C7", "E5", "E7", "pass"]
    assert record.result == Result(Seat.SECOND, Ending.PLAYED_OUT, "white wins by 3.5")
    last = list(positions(Go(9, 5.5, 2, Seat.SECOND, Ko.SIMPLE, scoring=Scoring.AREA), record))[-1]
    assert last.to_move is Seat.FIRST


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("B+R", Ending.RESIGNED),
        ("W+Time", Ending.OUT_OF_TIME),
        ("B+Forfeit", Ending.LEFT),
        ("b+", Ending.PLAYED_OUT),
        ("Draw", Ending.PLAYED_OUT),
        ("Void", Ending.CANCELLED),
        ("?", Ending.CANCELLED),
    ],
)
def test_results_in_the_style_of_other_programs(text: str, ending: Ending) -> None:
    assert sgf.read(b"(;RE[" + text.encode() + b"]SZ[5];B[aa])").result.ending is ending


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not an SGF file"),
        (b"nonsense", "not an SGF file"),
        (b"(;SZ[x])", "not a valid SGF file"),
        (b"(;GM[2])", "not of Go"),
        (b"(;SZ[30];B[aa])", "not a valid SGF file"),
        (b"(;SZ[9]AW[aa];B[bb])", "white stones"),
        (b"(;SZ[9];B[aa];AB[cc];W[bb])", "in the middle"),
        (b"(;SZ[9];B[aa];W[aa])", "move 2, A9: A9 is occupied"),
        (b"(;SZ[9];B[aa];B[bb])", "move 2, B8: it is not the turn"),
        (b"(;SZ[9]GAMEHALL[nothing];B[aa])", "not the record of a match"),
        (b"(" * 100_000, "not an SGF file"),
        (b" " * (sgf.MAX_BYTES + 1), "the file is larger than"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error(content: bytes, words: str) -> None:
    with pytest.raises(RecordError, match=words):
        sgf.read(content)


@given(st.binary(max_size=200) | st.text("()[];BWAGSZ09ab\\", max_size=100).map(str.encode))
def test_any_bytes_raise_nothing_but_record_errors(content: bytes) -> None:
    with contextlib.suppress(RecordError):
        sgf.read(content)


def test_a_record_of_another_game_is_an_error() -> None:
    match: Referee[Any] = Referee(ConnectFour(), Clock(), 1)
    with pytest.raises(RecordError, match="a record of connect-four"):
        sgf.write(play_at_random(match, 1))

"""The referee of a match."""

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import (
    Clock,
    Ending,
    MatchEnded,
    MoveFault,
    MovePlayed,
    MoveRefused,
    Referee,
    Result,
    TurnBegan,
)

UNTIMED = Clock()
FIVE_SECONDS = Clock(seconds_per_turn=5.0, grace_seconds=0.25)
BOTTOM = 5


def referee(clock: Clock = UNTIMED) -> Referee[Cell]:
    return Referee(ConnectFour(), clock, seed=1)


def test_a_move_is_followed_by_the_opponents_turn() -> None:
    match = referee()
    [played] = match.play(Seat.FIRST, Cell(3, BOTTOM), now=10.0)
    assert played == MovePlayed(Seat.FIRST, Cell(3, BOTTOM), match.position, None)
    assert match.current_event() == TurnBegan(Seat.SECOND, match.position, None)


def test_a_move_out_of_turn_is_refused_and_changes_nothing() -> None:
    match = referee()
    before = match.position
    [refused] = match.play(Seat.SECOND, Cell(3, BOTTOM), now=10.0)
    assert refused == MoveRefused(
        Seat.SECOND, MoveFault.OUT_OF_TURN, "it is not your turn", before, 0
    )
    assert match.position is before


def test_each_seat_has_the_time_of_its_own_clock() -> None:
    match = Referee(ConnectFour(), FIVE_SECONDS, seed=1, second_clock=UNTIMED)
    match.begin(now=10.0)
    assert match.deadline == 15.25
    match.play(Seat.FIRST, Cell(3, BOTTOM), now=11.0)
    assert match.deadline is None
    match.play(Seat.SECOND, Cell(3, BOTTOM - 1), now=100.0)
    assert match.deadline == 105.25


def test_an_illegal_move_is_refused_with_a_reason() -> None:
    match = referee()
    [refused] = match.play(Seat.FIRST, Cell(3, 0), now=10.0)
    assert isinstance(refused, MoveRefused)
    assert refused.fault is MoveFault.ILLEGAL
    assert "cannot rest at d6" in refused.reason


def test_T_Q09_illegal_moves_are_counted_until_a_legal_one() -> None:
    match = referee()

    def tried(seat: Seat, row: int) -> int | None:
        last = match.play(seat, Cell(3, row), now=10.0)[-1]
        return last.in_a_row if isinstance(last, MoveRefused) else None

    assert [tried(Seat.FIRST, row) for row in (0, 1, 5)] == [1, 2, None]
    assert [tried(Seat.SECOND, row) for row in (5, 4)] == [1, None]
    assert [tried(Seat.FIRST, row) for row in (0, 0)] == [1, 2]
    assert tried(Seat.SECOND, 3) == 0, "out of turn is not illegal"


def test_the_rules_end_a_match() -> None:
    match = referee()
    for row in (5, 4, 3):
        match.play(Seat.FIRST, Cell(0, row), 0.0)
        match.play(Seat.SECOND, Cell(1, row), 0.0)
    played, ended = match.play(Seat.FIRST, Cell(0, 2), 0.0)
    assert isinstance(played, MovePlayed)
    result = Result(Seat.FIRST, Ending.PLAYED_OUT, "4 in a row")
    assert ended == match.current_event() == MatchEnded(result, match.position)
    assert match.result == result
    [refused] = match.play(Seat.SECOND, Cell(1, 2), 0.0)
    assert isinstance(refused, MoveRefused)
    assert refused.reason == "the match is over"


def test_no_time_runs_before_the_match_has_begun() -> None:
    match = referee(FIVE_SECONDS)
    match.play(Seat.FIRST, Cell(0, BOTTOM), now=0.0)
    assert match.deadline is None
    assert match.end_if_out_of_time(1e9) == []
    turn = match.begin(now=100.0)
    assert turn == TurnBegan(Seat.SECOND, match.position, 105.25)


def test_X_10_the_deadline_is_the_limit_plus_the_grace() -> None:
    match = referee(FIVE_SECONDS)
    match.begin(now=100.0)
    assert match.deadline == 105.25
    assert match.end_if_out_of_time(105.24) == []
    [ended] = match.end_if_out_of_time(105.25)
    assert isinstance(ended, MatchEnded)
    assert ended.result == Result(Seat.SECOND, Ending.OUT_OF_TIME, "the turn took too long")
    assert match.deadline is None
    assert match.end_if_out_of_time(200.0) == []


def test_every_turn_has_its_own_time() -> None:
    match = referee(FIVE_SECONDS)
    match.begin(now=100.0)
    [played] = match.play(Seat.FIRST, Cell(0, BOTTOM), now=105.24)
    assert isinstance(played, MovePlayed)
    assert played.deadline == match.deadline == 110.49


def test_a_move_after_the_deadline_ends_the_match_even_without_a_tick() -> None:
    match = referee(FIVE_SECONDS)
    match.begin(now=100.0)
    [ended] = match.play(Seat.FIRST, Cell(0, BOTTOM), now=105.26)
    assert isinstance(ended, MatchEnded)
    assert ended.result.winner is Seat.SECOND


def test_a_player_who_retires_loses_unless_the_match_is_cancelled() -> None:
    lost, cancelled = referee(), referee()
    [ended] = lost.forfeit(Seat.FIRST, Ending.LEFT, "left")
    assert isinstance(ended, MatchEnded)
    assert ended.result == Result(Seat.SECOND, Ending.LEFT, "left")
    [ended] = cancelled.forfeit(Seat.FIRST, Ending.CANCELLED, "left")
    assert isinstance(ended, MatchEnded)
    assert ended.result == Result(None, Ending.CANCELLED, "left")


def test_a_match_ends_only_once() -> None:
    match = referee()
    match.forfeit(Seat.FIRST, Ending.LEFT, "left")
    assert match.forfeit(Seat.SECOND, Ending.LEFT, "left too") == []

"""A player after a lost connection: whether its match continues."""

import pytest

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Ending, MatchEnded, Result, TurnBegan
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import SEAT_LOST, Vocabulary
from gamehall.players.person import Person, TurnClock
from gamehall.players.shown import Line
from gamehall.rooms.notices import EndUnseen, MatchBegan, Seated, TournamentBegan, TournamentEnded
from gamehall.rooms.requests import Play

GAME = ConnectFour()
START = GAME.start(0)
LATER = START.after(Cell(0, 5)).after(Cell(1, 5))
NAMES = Vocabulary(has_names=True, has_rematch=True)


def player_in_match() -> BotPlayer[Cell]:
    """Return a player whose connection was lost during its turn."""
    ann: BotPlayer[Cell] = BotPlayer("ann", NAMES, game=GAME)
    ann.receive(Seated(Seat.FIRST))
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    ann.receive(TurnBegan(Seat.FIRST, LATER, None))
    assert ann.may_return
    ann.lose_connection()
    assert ann.is_returning
    assert ann.turn is None
    return ann


def test_the_match_continues_if_the_server_shows_the_same_position() -> None:
    ann = player_in_match()
    ann.receive(Seated(Seat.FIRST))
    assert ann.is_returning, "the board may still be that of another match"
    ann.receive(TurnBegan(Seat.FIRST, LATER, None))
    assert not ann.is_returning
    assert ann.turn is not None, "even if it has moved: the move may have been lost"
    assert ann.matches == []


def test_the_match_continues_if_the_last_move_was_accepted() -> None:
    ann = player_in_match()
    ann.receive(Seated(Seat.FIRST))
    ann.receive(TurnBegan(Seat.SECOND, LATER.after(Cell(0, 4)), None))
    assert (ann.is_returning, ann.turn, ann.is_playing) == (False, None, True)


@pytest.mark.parametrize(
    "notices",
    [[Seated(Seat.SECOND)], [Seated(Seat.FIRST), TurnBegan(Seat.FIRST, START, None)]],
    ids=["another seat", "an empty board"],
)
def test_a_match_is_cancelled_if_the_seat_was_not_kept(notices: list[TurnBegan[Cell]]) -> None:
    ann = player_in_match()
    for notice in notices:
        ann.receive(notice)
    assert [match.result for match in ann.matches] == [Result(None, Ending.CANCELLED, SEAT_LOST)]
    assert ann.is_done


def test_a_match_that_ended_meanwhile_counts() -> None:
    ann = player_in_match()
    ann.receive(Seated(Seat.FIRST))
    lost = Result(Seat.SECOND, Ending.OUT_OF_TIME, "out of time")
    ann.receive(MatchEnded(lost, LATER))
    assert [match.result for match in ann.matches] == [lost]


def test_when_a_player_may_reconnect() -> None:
    ann: BotPlayer[Cell] = BotPlayer("ann", is_tournament=True, game=GAME)
    assert ann.may_return, "it waits for the tournament to begin"
    for notice in (TournamentBegan("ann", ""), MatchBegan(Seat.FIRST, "bob")):
        ann.receive(notice)
        assert ann.may_return
    ann.receive(EndUnseen())
    assert not ann.may_return, "this may have been the last match"
    ann.receive(MatchBegan(Seat.FIRST, "bob"))
    ann.receive(MatchEnded(Result(Seat.FIRST, Ending.PLAYED_OUT, "won"), LATER))
    assert ann.may_return
    ann.receive(TournamentEnded((), ()))
    assert not ann.may_return


def test_a_person_is_shown_the_board_again_and_may_move() -> None:
    ann: Person[Cell] = Person("ann", GAME, {}, NAMES, TurnClock(None, lambda: 0.0))
    ann.receive(Seated(Seat.FIRST))
    ann.receive(TurnBegan(Seat.FIRST, LATER, None))
    assert ann.try_move("d1") == [Play(Cell(3, 5))]
    ann.lose_connection()
    ann.shown.clear()
    ann.receive(Seated(Seat.FIRST))
    ann.receive(TurnBegan(Seat.FIRST, LATER, None))
    assert [one for one in ann.shown if isinstance(one, Line)] == [], "it knows its seat"
    assert len(ann.shown) == 1
    assert ann.try_move("d1") == [Play(Cell(3, 5))]

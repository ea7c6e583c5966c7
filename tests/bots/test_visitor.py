"""What a player says besides its moves, and when it thinks."""

from gamehall.bots.visitor import Visitor
from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.hosting.notices import (
    AreYouThere,
    Asked,
    Complained,
    Dismissed,
    EndUnseen,
    Refusal,
    Refused,
    Seated,
    TermsProposed,
    TournamentBegan,
    TurnUnseen,
)
from gamehall.hosting.requests import Answer, Confirm, Join, Rematch, StillHere
from gamehall.play import Ending, MatchEnded, Result, TurnBegan

START = ConnectFour().start(0)
NEXT = START.after(Cell(0, 5)).after(Cell(0, 4))
WON = MatchEnded(Result(Seat.FIRST, Ending.PLAYED_OUT, "won"), START)


def visitor(matches: int | None = None) -> Visitor[Cell]:
    return Visitor("ann", {"boardsize": "9"}, matches)


def test_it_joins_answers_and_agrees() -> None:
    ann = visitor()
    assert ann.arrive() == [Join("ann")]
    assert ann.hear(Asked("boardsize")) == [Answer("boardsize", "9")]
    assert ann.hear(TermsProposed(Seat.SECOND, ConnectFour())) == [Confirm(agrees=True)]
    assert ann.hear(AreYouThere()) == [StillHere()]


def test_if_its_name_is_taken_it_has_others_as_long_as_there_are_any() -> None:
    ann: Visitor[Cell] = Visitor("ann", {}, other_names=["annb"])
    assert ann.hear(Refused(Refusal.NAME_TAKEN)) == [Join("annb")]
    assert not ann.is_done
    assert ann.hear(Refused(Refusal.NAME_TAKEN)) == []
    assert ann.is_done


def test_only_its_own_turns_are_thought_about() -> None:
    ann = visitor()
    ann.hear(Seated(Seat.SECOND))
    ann.hear(TurnBegan(Seat.FIRST, START, None))
    assert ann.turn is None
    ann.hear(TurnBegan(Seat.SECOND, NEXT, None))
    assert ann.turn is not None


def test_the_same_board_again_is_not_thought_about_unless_nothing_else_comes() -> None:
    ann = visitor()
    ann.hear(Seated(Seat.FIRST))
    ann.hear(TurnBegan(Seat.FIRST, START, None))
    ann.played()
    ann.hear(TurnBegan(Seat.FIRST, START, None))
    assert ann.turn is None
    assert ann.doubt is not None
    ann.hear(TurnBegan(Seat.FIRST, NEXT, None))
    assert ann.doubt is None
    assert ann.turn is not None
    assert ann.turn.position == NEXT


def test_one_match_is_enough_unless_more_are_wanted() -> None:
    ann = visitor()
    assert ann.hear(WON) == []
    assert ann.is_done
    bob = visitor(2)
    assert bob.hear(WON) == [Rematch()]
    assert not bob.is_done
    assert bob.hear(WON) == []
    assert bob.is_done


def test_a_tournament_is_over_when_the_house_says_so() -> None:
    ann = visitor()
    ann.hear(TournamentBegan("ann", ""))
    assert ann.hear(EndUnseen()) == []
    assert not ann.is_done
    ann.hear(Dismissed("the tournament is over"))
    assert ann.is_done
    assert ann.trouble is None
    assert ann.matches[0].position is None


def test_troubles_are_told_in_words() -> None:
    for notice, words in (
        (Seated(None), "there is no free seat"),
        (Refused(Refusal.NAME_TAKEN), "the name is already taken"),
        (Asked("komi"), "the server asks for komi"),
        (Complained("no"), "the server refuses: no"),
        (TurnUnseen(is_placing=True), "does not show its players the board"),
        (Dismissed("the hall closes"), "the hall closes"),
    ):
        ann = visitor()
        ann.hear(notice)
        assert ann.is_done
        assert words in (ann.trouble or "")

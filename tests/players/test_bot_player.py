"""The player of a bot over TCP: its requests besides moves, and its turns."""

import pytest

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Ending, MatchEnded, MovePlayed, Result, TurnBegan
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import UNSEEN, Phase, Vocabulary
from gamehall.rooms.notices import (
    Closed,
    EndUnseen,
    MatchBegan,
    Ping,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
    TermsProposed,
    TermsQuestion,
    TournamentBegan,
    TurnUnseen,
)
from gamehall.rooms.requests import Answer, Confirm, Join, Pong, Rematch
from tests.games.playing import play_moves

START = ConnectFour().start(0)
NEXT = START.after(Cell(0, 5)).after(Cell(0, 4))
WON = MatchEnded(Result(Seat.FIRST, Ending.PLAYED_OUT, "won"), START)


REMATCH = Vocabulary(has_rematch=True)
CANCELLED = MatchEnded(Result(None, Ending.CANCELLED, "cancelled"), START)


def player(matches: int | None = None) -> BotPlayer[Cell]:
    return BotPlayer("ann", answers={"boardsize": "9"}, matches_wanted=matches)


def test_it_joins_answers_questions_and_agrees_to_terms() -> None:
    ann = player()
    assert ann.arrive() == [Join("ann")]
    assert ann.receive(TermsQuestion("boardsize")) == [Answer("boardsize", "9")]
    assert ann.receive(TermsProposed(Seat.SECOND, ConnectFour())) == [Confirm(agrees=True)]
    assert ann.receive(Ping()) == [Pong()]


def test_if_its_name_is_taken_it_tries_its_other_names() -> None:
    ann: BotPlayer[Cell] = BotPlayer("ann", other_names=["annb"])
    assert ann.receive(Refused(Refusal.NAME_TAKEN)) == [Join("annb")]
    assert not ann.is_done
    assert ann.receive(Refused(Refusal.NAME_TAKEN)) == []
    assert ann.is_done


@pytest.mark.parametrize(
    ("called", "said"),
    [("anna", ["signed up as ann; called anna in this tournament"]), ("ann", []), ("", [])],
)
def test_it_says_what_it_is_called_in_a_tournament(called: str, said: list[str]) -> None:
    told: list[str] = []
    ann: BotPlayer[Cell] = BotPlayer("ann:xyzzy", say=told.append)
    ann.receive(TournamentBegan(called, ""))
    assert told == said
    assert ann.is_tournament


def test_only_its_own_turns_are_turns_to_think_about() -> None:
    ann = player()
    ann.receive(Seated(Seat.SECOND))
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert ann.turn is None
    ann.receive(TurnBegan(Seat.SECOND, NEXT, None))
    assert ann.turn is not None


def test_a_repeated_board_is_in_doubt_until_something_follows() -> None:
    ann = player()
    ann.receive(Seated(Seat.FIRST))
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    ann.played()
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert ann.turn is None
    assert ann.repeated_turn is not None
    ann.receive(TurnBegan(Seat.FIRST, NEXT, None))
    assert ann.repeated_turn is None
    assert ann.turn is not None
    assert ann.turn.position == NEXT


def test_it_plays_one_match_unless_more_are_wanted() -> None:
    ann = player()
    assert ann.receive(WON) == []
    assert ann.is_done
    bob = player(2)
    assert bob.receive(WON) == [Rematch()]
    assert not bob.is_done
    assert bob.receive(WON) == []
    assert bob.is_done


def seated_player(matches: int | None = None) -> BotPlayer[Cell]:
    """Return a player with the first seat, in a protocol with rematches."""
    ann: BotPlayer[Cell] = BotPlayer("ann", REMATCH, game=ConnectFour(), matches_wanted=matches)
    ann.receive(Seated(Seat.FIRST))
    return ann


def test_a_match_that_is_cancelled_before_the_opponent_has_moved_does_not_count() -> None:
    ann = seated_player(2)
    ann.receive(TurnBegan(Seat.FIRST, NEXT, None))
    ann.receive(WON)
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert ann.receive(CANCELLED) == [Rematch()]
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    ann.played()
    ann.receive(TurnBegan(Seat.SECOND, START.after(Cell(0, 5)), None))
    assert ann.receive(CANCELLED) == [Rematch()]
    assert len(ann.matches) == 1
    assert not ann.is_done
    assert ann.receive(WON) == []
    assert ann.is_done


def test_a_match_that_is_cancelled_after_the_opponent_has_moved_counts() -> None:
    ann = seated_player()
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    ann.played()
    ann.receive(TurnBegan(Seat.FIRST, NEXT, None))
    assert ann.receive(CANCELLED) == []
    assert ann.is_done
    late = seated_player()
    late.receive(Seated(Seat.SECOND))
    late.receive(TurnBegan(Seat.SECOND, START.after(Cell(0, 5)), None))
    late.played()
    assert late.receive(CANCELLED) == []
    told = seated_player()
    told.receive(MovePlayed(Seat.SECOND, Cell(0, 5), NEXT, None))
    told.receive(CANCELLED)
    assert len(told.matches) == 1


@pytest.mark.parametrize("leftover", [WON, CANCELLED])
def test_a_game_that_was_over_before_it_joined_does_not_count(leftover: MatchEnded[Cell]) -> None:
    ann = seated_player()
    assert ann.receive(leftover) == [Rematch()]
    assert ann.receive(leftover) == [], "it asks only once"
    assert (ann.matches, ann.is_done, ann.is_alone) == ([], False, True)
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert ann.turn is not None
    assert ann.receive(WON) == []
    assert len(ann.matches) == 1
    assert ann.is_done


def test_a_game_that_was_in_play_when_it_joined_counts() -> None:
    for sign in (
        TurnBegan(Seat.SECOND, NEXT, None),
        MovePlayed(Seat.SECOND, Cell(0, 5), NEXT, None),
    ):
        ann = seated_player()
        ann.receive(sign)
        ann.receive(WON)
        assert len(ann.matches) == 1


def test_in_a_protocol_without_rematches_every_match_counts() -> None:
    ann = player()
    ann.receive(CANCELLED)
    assert len(ann.matches) == 1
    assert ann.is_done


def test_it_is_alone_until_there_is_a_sign_of_an_opponent() -> None:
    for signs in (
        [TournamentBegan("ann", "")],
        [MatchBegan(Seat.FIRST, "bob")],
        [TermsProposed(Seat.SECOND, ConnectFour())],
        [TurnBegan(Seat.FIRST, NEXT, None)],
    ):
        ann = seated_player()
        ann.receive(TurnBegan(Seat.FIRST, START, None))
        ann.receive(TurnBegan(Seat.SECOND, START.after(Cell(0, 5)), None))
        assert ann.is_alone
        for sign in signs:
            ann.receive(sign)
        assert not ann.is_alone


def test_a_tournament_lasts_until_the_server_ends_it() -> None:
    ann = player()
    ann.receive(TournamentBegan("ann", ""))
    assert ann.receive(EndUnseen()) == []
    assert not ann.is_done
    ann.receive(Closed("the tournament is over"))
    assert ann.is_done
    assert ann.error is None
    assert ann.matches[0].position is None


def test_it_leaves_with_an_error() -> None:
    for notice, words in (
        (Seated(None), "there is no free seat"),
        (Refused(Refusal.NAME_TAKEN), "the name is already taken"),
        (TermsQuestion("komi"), "the server asks for komi"),
        (RequestRejected("no"), "the server refuses: no"),
        (TurnUnseen(is_placing=True), "does not show its players the board"),
        (Closed("the server closes"), "the server closes"),
    ):
        ann = player()
        ann.receive(notice)
        assert ann.is_done
        assert words in (ann.error or "")


def test_a_bot_knows_that_its_last_move_has_won_where_the_server_does_not_say_so() -> None:
    game = ConnectFour()
    position = play_moves(game, "d1 e1 d2 e2 d3 e3")
    winning, other = game.read_move("d4"), game.read_move("a1")
    results = []
    for move in (winning, other):
        ann: BotPlayer[Cell] = BotPlayer("ann", is_tournament=True, game=game)
        ann.receive(MatchBegan(Seat.FIRST, "bob"))
        ann.receive(TurnBegan(Seat.FIRST, position, None))
        ann.played(move)
        ann.receive(EndUnseen())
        assert ann.phase is Phase.OVER
        [match] = ann.matches
        results.append(match.result)
    assert results == [Result(Seat.FIRST, Ending.PLAYED_OUT, "4 in a row"), UNSEEN]

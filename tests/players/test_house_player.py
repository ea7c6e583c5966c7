"""The player of a house bot: its requests, what it asks of its driver, and when it leaves."""

from typing import Any

import pytest

from gamehall.core import Game, Seat
from gamehall.games.ascension import Ascension
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.games.go import Go
from gamehall.match import (
    Ending,
    MatchEnded,
    MoveFault,
    MovePlayed,
    MoveRefused,
    Result,
    TurnBegan,
)
from gamehall.players.house_player import HousePlayer
from gamehall.rooms.notices import (
    Closed,
    MatchBegan,
    Notice,
    Ping,
    PlayersChanged,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
    SeatInfo,
    SignedUp,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
    TournamentBegan,
)
from gamehall.rooms.requests import Confirm, Join, Pong, ProposedTerms, Rematch

START = ConnectFour().start(0)
LATER = START.after(Cell(0, 5)).after(Cell(1, 5))
TURN = TurnBegan(Seat.FIRST, START, None)
PLAYED = MovePlayed(Seat.FIRST, Cell(0, 5), START.after(Cell(0, 5)), None)
REFUSED = MoveRefused(Seat.FIRST, MoveFault.ILLEGAL, "the column is full", START, 1)
REJECTED = RequestRejected("the column is full")
WON = MatchEnded(Result(Seat.FIRST, Ending.PLAYED_OUT, "won"), LATER)
BOT = SeatInfo(name="perfect", is_native=True, is_bot=True)
OPPONENT = SeatInfo(name="ann")
ALONE = PlayersChanged(2, (BOT, None))
BOTH = PlayersChanged(2, (BOT, OPPONENT))
ASKING_OPPONENT = SeatInfo(name="ann", wants_rematch=True)
AGREEING_BOT = SeatInfo(name="perfect", is_bot=True, wants_rematch=True)


def player(
    *notices: Notice[Any],
    table: int | None = None,
    game: Game[Any] | None = None,
    is_tournament: bool = False,
) -> HousePlayer[Any]:
    """Return a player that has received these notices, and answered none of them."""
    bot: HousePlayer[Any] = HousePlayer(
        "perfect", "perfect@2", game or ConnectFour(), table=table, is_tournament=is_tournament
    )
    for notice in notices:
        assert bot.receive(notice) == []
    return bot


def player_in_match(*notices: Notice[Any]) -> HousePlayer[Any]:
    """Return a player that has made its first move, and has received these notices since."""
    bot = player(Seated(Seat.FIRST), TURN, BOTH)
    bot.played()
    for notice in notices:
        assert bot.receive(notice) == []
    return bot


def test_at_the_table_of_a_waiting_player_it_leaves_the_terms_to_that_player() -> None:
    assert player(table=3).arrive() == [Join("perfect", table=3, bot="perfect@2")]
    assert player().arrive() == [Join("perfect", terms=ProposedTerms({}), bot="perfect@2")]


def test_it_answers_pings() -> None:
    assert player().receive(Ping()) == [Pong()]


@pytest.mark.parametrize("game", [ConnectFour(), Ascension()], ids=lambda game: game.name)
def test_its_turn_is_due_as_soon_as_there_is_an_opponent(game: Game[Any]) -> None:
    """Ascension starts in another position for each seed, which is not a sign of an opponent."""
    turn = TurnBegan(Seat.FIRST, game.start(7), None)
    bot = player(Seated(Seat.FIRST), turn, ALONE, game=game)
    assert (bot.due_turn, bot.is_alone, bot.is_done) == (None, True, False)
    bot.receive(BOTH)
    assert bot.due_turn is not None
    assert not bot.is_alone


def test_the_turn_of_its_opponent_is_not_due() -> None:
    bot = player(Seated(Seat.SECOND), TURN, PlayersChanged(2, (OPPONENT, BOT)))
    assert bot.due_turn is None
    bot.receive(PLAYED)
    assert bot.due_turn is None
    bot.receive(TurnBegan(Seat.SECOND, PLAYED.position, None))
    assert bot.due_turn is not None


@pytest.mark.parametrize("refusal", [[REFUSED], [REFUSED, TURN], [REJECTED]])
def test_a_turn_is_due_again_if_its_move_was_refused(refusal: list[Notice[Any]]) -> None:
    """Some rooms send the same turn again, and some do not."""
    bot = player_in_match(*refusal)
    assert bot.refused == "the column is full"
    assert bot.due_turn is not None
    assert bot.due_turn.position == START


@pytest.mark.parametrize("refusal", [REFUSED, REJECTED])
def test_the_same_turn_again_is_not_due_unless_the_move_is_refused(refusal: Notice[Any]) -> None:
    bot = player_in_match(TURN)
    assert (bot.due_turn, bot.repeated_turn) == (None, None)
    bot.receive(refusal)
    assert bot.due_turn is not None
    assert bot.refused


@pytest.mark.parametrize(
    "notices",
    [
        [MoveRefused(Seat.FIRST, MoveFault.OUT_OF_TURN, "it is not your turn", START, 0)],
        [PLAYED, REJECTED],
        [TurnBegan(Seat.FIRST, LATER, None), REJECTED],
        [REFUSED, WON],
    ],
    ids=["out of turn", "after its move", "after another turn began", "before the end"],
)
def test_a_refusal_is_forgotten_when_it_does_not_matter_any_more(
    notices: list[Notice[Any]],
) -> None:
    assert player_in_match(*notices).refused == ""


def test_it_confirms_or_rejects_the_latest_terms() -> None:
    small, smaller = Go(9), Go(5)
    bot = player(TermsProposed(Seat.SECOND, small), game=Go(19))
    assert (bot.proposed, bot.game) == (small, small)
    bot.receive(TermsProposed(Seat.SECOND, smaller))
    assert bot.confirm(small, True) == [], "other terms have been proposed meanwhile"
    assert bot.confirm(smaller, False) == [Confirm(agrees=False)]
    assert bot.proposed is None


def test_it_does_not_confirm_agreed_terms_again() -> None:
    small = Go(9)
    bot = player(TermsProposed(Seat.SECOND, small), TermsAgreed(), game=Go(19))
    assert (bot.proposed, bot.game) == (None, small)


def test_it_agrees_to_the_rematch_of_its_opponent() -> None:
    bot = player_in_match(WON, BOTH)
    assert not bot.is_asked_for_rematch
    bot.receive(PlayersChanged(2, (AGREEING_BOT, ASKING_OPPONENT)))
    assert not bot.is_asked_for_rematch, "it has agreed before"
    bot.receive(PlayersChanged(2, (BOT, ASKING_OPPONENT)))
    assert bot.is_asked_for_rematch
    assert bot.agree_to_rematch() == [Rematch()]
    assert not bot.is_asked_for_rematch
    for notice in (Seated(Seat.SECOND), TURN, PlayersChanged(2, (OPPONENT, BOT))):
        bot.receive(notice)
    assert (bot.is_asked_for_rematch, bot.is_playing, bot.is_done) == (False, True, False)
    assert [match.seat for match in bot.matches] == [Seat.FIRST]


@pytest.mark.parametrize(
    ("notices", "reason"),
    [
        ([Seated(None)], "there is no free seat"),
        ([TermsQuestion("boardsize")], "there is no opponent"),
        ([Seated(Seat.FIRST), BOTH, ALONE], "the opponent has left"),
        ([Seated(Seat.FIRST), BOTH, WON, ALONE], "the opponent has left"),
        (
            [Seated(Seat.FIRST), PlayersChanged(2, (BOT, BOT))],
            "the opponent is a house bot, too",
        ),
        ([Seated(Seat.FIRST), BOTH, WON, Closed("the server closes")], "the server closes"),
        ([Refused(Refusal.FULL)], "there is no room left"),
    ],
)
def test_it_leaves_and_says_why(notices: list[Notice[Any]], reason: str) -> None:
    bot = player(*notices)
    assert (bot.is_done, bot.error, bot.has_failed) == (True, reason, False)
    assert bot.receive(Ping()) == [], "it is done"
    bot.receive(MatchBegan(Seat.FIRST, "ann"))
    assert bot.is_done


def test_a_name_that_is_not_allowed_is_a_failure() -> None:
    bot = player(Refused(Refusal.NAME_NOT_ALLOWED))
    assert (bot.is_done, bot.has_failed) == (True, True)


def test_it_wants_an_opponent_unless_it_is_sent_to_one() -> None:
    assert player().wants_opponent
    assert not player(table=3).wants_opponent
    assert player(Seated(Seat.FIRST), ALONE, table=3).wants_opponent
    assert not player(Seated(Seat.FIRST), BOTH).wants_opponent
    assert not player(Seated(None)).wants_opponent


def test_it_leaves_a_sign_up_after_the_last_other_player() -> None:
    for had_waiting_players in (True, False):
        bot = player(is_tournament=True)
        bot.note_waiting_players(had_waiting_players)
        bot.note_waiting_players(False)
        bot.receive(SignedUp())
        assert (bot.is_signed_up, bot.is_joining, bot.is_done) == (True, False, False)
        bot.note_waiting_players(False)
        assert bot.is_done is had_waiting_players


def test_it_plays_a_tournament_to_its_end() -> None:
    bot = player(SignedUp(), TournamentBegan("perfect", ""), is_tournament=True)
    assert (bot.is_signed_up, bot.is_alone) == (False, False)
    bot.note_waiting_players(True)
    bot.note_waiting_players(False)
    for number in range(3):
        bot.receive(MatchBegan(Seat.FIRST, "ann"))
        bot.receive(TURN)
        assert bot.due_turn is not None
        bot.played()
        bot.receive(WON)
        assert len(bot.matches) == number + 1
        assert not bot.is_done
    bot.receive(Closed("the tournament is over", is_expected=True))
    assert bot.is_done

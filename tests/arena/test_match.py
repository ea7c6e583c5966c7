"""One match of two bots, and every way in which it can end."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from gamehall.arena.match import MatchNotPlayedError, play_match
from gamehall.arena.openings import Opening
from gamehall.bots import Bot, BotError, BotResignedError
from gamehall.bots.bot import RandomBot
from gamehall.core import Position, Seat
from gamehall.engines.guarded import BotDiedError, BotTimeoutError, Limits, NoMoveError
from gamehall.games.ascension import Ascension
from gamehall.games.ascension.moves import EndTurn
from gamehall.games.connect_four import Cell, ConnectFour, ConnectFourPosition
from gamehall.match import Ending

NOTHING = Opening(0, [])


class Scripted(Bot[Any]):
    """Calls a function for each move."""

    def __init__(self, do: Callable[[], Any]) -> None:
        self._do = do

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        return self._do()


def raising(error: Exception) -> Bot[Any]:
    def do() -> Any:
        raise error

    return Scripted(do)


def ignore(_deadline: float) -> None:
    pass


def stopped_clock() -> float:
    return 0.0


def test_a_match_is_played_to_its_end_by_the_rules() -> None:
    played = play_match(
        ConnectFour(), NOTHING, [RandomBot(1), RandomBot(2)], Limits(), stopped_clock, ignore
    )
    assert played.result.ending is Ending.PLAYED_OUT
    assert played.blame is None
    assert played.position.outcome is not None
    assert played.result.winner is played.position.outcome.winner
    position = ConnectFour().start(0)
    for seat, move in played.moves:
        assert position.to_move is seat
        position = position.after(move)
    assert position == played.position


def test_the_opening_is_part_of_the_match() -> None:
    game = ConnectFour()
    opening = Opening(0, [game.read_move("d1"), game.read_move("d2")])
    played = play_match(
        game, opening, [RandomBot(1), RandomBot(2)], Limits(), stopped_clock, ignore
    )
    assert [move for _, move in played.moves[:2]] == opening.moves
    with pytest.raises(MatchNotPlayedError, match="opening"):
        play_match(
            game, Opening(0, [Cell(0, 0)]), [RandomBot(1)] * 2, Limits(), stopped_clock, ignore
        )


@pytest.mark.parametrize(
    ("bot", "ending", "words"),
    [
        (raising(BotError("no more")), Ending.CRASHED, "no more"),
        (raising(BotDiedError("gone")), Ending.CRASHED, "gone"),
        (raising(BotTimeoutError("no answer in time")), Ending.OUT_OF_TIME, "no answer in time"),
        (raising(ZeroDivisionError("1/0")), Ending.CRASHED, "raised ZeroDivisionError: 1/0"),
        (raising(NoMoveError("'d1'")), Ending.ILLEGAL_MOVE, "'d1' is not a move of this game"),
        (Scripted(lambda: None), Ending.ILLEGAL_MOVE, "None is not a move of Connect Four"),
        (Scripted(lambda: Cell(3, 0)), Ending.ILLEGAL_MOVE, "is illegal: "),
    ],
)
def test_a_bot_that_fails_loses_and_is_blamed(bot: Bot[Any], ending: Ending, words: str) -> None:
    for seat, bots in ((Seat.FIRST, [bot, RandomBot(1)]), (Seat.SECOND, [RandomBot(1), bot])):
        played = play_match(ConnectFour(), NOTHING, bots, Limits(), stopped_clock, ignore)
        assert played.result.winner is seat.other
        assert played.result.ending is ending
        assert words in played.result.detail
        assert "\n" not in played.result.detail
        assert played.blame is not None
        assert played.blame.seat is seat


def test_resigning_is_not_a_fault() -> None:
    played = play_match(
        ConnectFour(),
        NOTHING,
        [RandomBot(1), raising(BotResignedError())],
        Limits(),
        stopped_clock,
        ignore,
    )
    assert played.result.ending is Ending.RESIGNED
    assert played.result.winner is Seat.FIRST
    assert played.blame is None


def test_a_move_that_takes_too_long_loses() -> None:
    ticks = count(0.0, 5.0)
    limits = Limits(seconds_per_move=4.0)
    played = play_match(
        ConnectFour(), NOTHING, [RandomBot(1), RandomBot(2)], limits, lambda: next(ticks), ignore
    )
    assert played.result.ending is Ending.OUT_OF_TIME
    assert played.result.winner is Seat.SECOND
    assert "took 5.00 s, and had 4.00 s left" in played.result.detail


def test_the_limit_per_game_is_used_up_move_by_move() -> None:
    seen: list[float | None] = []

    class RecordsTime(RandomBot):
        def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
            seen.append(seconds_left)
            return super().choose(position, seat, seconds_left)

    ticks = count(0.0, 1.0)
    limits = Limits(seconds_per_move=2.5, seconds_per_game=3.0)
    bots = [RecordsTime(1), RandomBot(2)]
    played = play_match(ConnectFour(), NOTHING, bots, limits, lambda: next(ticks), ignore)
    assert seen == [2.5, 2.0, 1.0, 0.0]
    assert played.result.ending is Ending.OUT_OF_TIME
    assert played.blame is not None
    assert played.blame.seat is Seat.FIRST


def test_each_move_has_a_deadline() -> None:
    deadlines: list[float] = []
    ticks = count(0.0, 1.0)
    bots = [RandomBot(1), RandomBot(2)]
    play_match(ConnectFour(), NOTHING, bots, Limits(10.0), lambda: next(ticks), deadlines.append)
    assert deadlines[:3] == [10.25, 12.25, 14.25]


def test_a_match_is_drawn_at_the_limit_of_moves() -> None:
    bots = [Scripted(EndTurn), Scripted(EndTurn)]
    played = play_match(Ascension(), NOTHING, bots, Limits(moves=50), stopped_clock, ignore)
    assert played.result.ending is Ending.TOO_LONG
    assert played.result.winner is None
    assert len(played.moves) == 50


def test_hidden_cards_are_hidden_from_bots() -> None:
    class ChecksPosition(RandomBot):
        def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
            assert position == position.seen_by(seat)
            assert position != whole.get("position")
            return super().choose(position, seat, seconds_left)

    game = Ascension()
    whole = {"position": game.start(3)}
    assert whole["position"].seen_by(Seat.FIRST) != whole["position"]
    play_match(
        game,
        Opening(3, []),
        [ChecksPosition(1), ChecksPosition(2)],
        Limits(moves=30),
        stopped_clock,
        ignore,
    )


class Broken(ConnectFourPosition, frozen=True):
    """A position of a game whose rules fail."""

    def after(self, move: Cell) -> "Broken":
        raise KeyError(move)


def test_a_failing_game_is_not_blamed_on_a_bot() -> None:
    class BrokenGame(ConnectFour):
        def start(self, seed: int = 0) -> ConnectFourPosition:
            whole = super().start(seed)
            return Broken(**{name: getattr(whole, name) for name in whole.__struct_fields__})

    bots = [RandomBot(1), RandomBot(2)]
    with pytest.raises(MatchNotPlayedError, match="the game failed at the move"):
        play_match(BrokenGame(), NOTHING, bots, Limits(), stopped_clock, ignore)

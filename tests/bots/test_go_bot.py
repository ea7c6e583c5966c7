"""The Go bot: legal moves, and some that it must find."""

import random
from itertools import count

import pytest

from gamehall.bots import BotError, BotResignedError
from gamehall.bots.bot import RandomBot
from gamehall.bots.go.bot import GoMctsBot
from gamehall.bots.go.tree import ROOT, VISITS
from gamehall.core import Seat
from gamehall.games.go import Go, GoPosition, Ko, Move, Pass, Scoring
from tests.games.playing import play_moves


def bot_of(playouts: int, seed: int = 1, resign_below: float = 0.0) -> GoMctsBot:
    """Return a bot whose clock stands still."""
    return GoMctsBot(
        seed,
        lambda: 0.0,
        resign_below=resign_below,
        playouts_per_move=playouts,
        max_nodes=20_000,
    )


GAMES = [
    Go(2, 0.5),
    Go(3, 0, scoring=Scoring.AREA, suicide=True),
    Go(4, 2.5, ko=Ko.SITUATIONAL),
    Go(5, 0.5, handicap=3, scoring=Scoring.AREA),
    Go(7, -3.5, ko=Ko.SIMPLE, suicide=True),
    Go(9, 6.5, scoring=Scoring.AREA),
    Go(10, 6, handicap=90, handicap_first=Seat.SECOND),
    Go(19, 7.5),
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.size))
def test_every_move_is_legal(game: Go) -> None:
    """One bot chooses moves in positions of two random games, for either player."""
    bot = bot_of(playouts=10)
    chance = random.Random(game.size)
    for _ in range(2):
        position = game.start(0)
        for _ in range(60 if game.size < 19 else 8):
            if position.to_move is None:
                break
            move = bot.choose(position, position.to_move, None)
            assert move in list(position.legal_moves())
            for _ in range(1 if game.size < 9 else 8):
                if position.to_move is not None:
                    stones = [*position.legal_moves()][:-1]
                    position = position.after(chance.choice(stones or [Pass()]))


@pytest.mark.parametrize("scoring", Scoring)
def test_it_plays_whole_games_against_itself(scoring: Scoring) -> None:
    for seed in range(3):
        bots = {seat: bot_of(playouts=30, seed=seed) for seat in Seat}
        position = Go(5, 0.5, scoring=scoring).start(0)
        moves = 0
        while position.to_move is not None:
            move = bots[position.to_move].choose(position, position.to_move, None)
            position = position.after(move)
            moves += 1
            assert moves < 200
        assert position.outcome is not None


def test_it_beats_random_moves() -> None:
    for bot_seat in Seat:
        bot, other = bot_of(playouts=60), RandomBot(7)
        position = Go(7, 0.5, scoring=Scoring.AREA).start(0)
        for _ in range(250):
            if position.to_move is None:
                break
            mover = bot if position.to_move is bot_seat else other
            position = position.after(mover.choose(position, position.to_move, None))
        score = position.score()
        lead = score.of(bot_seat).total(Scoring.AREA) - score.of(bot_seat.other).total(Scoring.AREA)
        assert lead > 0


DECIDED_AT_A1 = "B5 A5 B4 A4 B3 A3 B2 A2 pass C5 pass C4 pass C3 pass C2 pass C1"
"""Four black stones and the white ones next to them are in atari, and black is to move."""
FAIR_KOMI = -9.5
"""Black wins only by capturing these four stones."""


def test_it_captures_the_decisive_stones() -> None:
    game = Go(5, FAIR_KOMI, scoring=Scoring.AREA)
    position = play_moves(game, DECIDED_AT_A1)
    assert bot_of(playouts=300).choose(position, Seat.FIRST, None) == game.read_move("A1")


def test_the_same_seed_plays_the_same_moves() -> None:
    position = play_moves(Go(9, 6.5), "E5 C3 G7")
    moves = [bot_of(playouts=200, seed=5).choose(position, Seat.SECOND, None) for _ in range(2)]
    assert moves[0] == moves[1]


def test_a_player_who_is_ahead_answers_a_pass_with_a_pass() -> None:
    position = play_moves(Go(5, 0.5, scoring=Scoring.AREA), "C3 pass B3 pass D3 pass")
    assert bot_of(playouts=10).choose(position, Seat.FIRST, None) == Pass()


def test_a_player_who_is_behind_does_not_answer_with_a_pass() -> None:
    position = play_moves(Go(5, -9.5, scoring=Scoring.AREA), "A1 pass C3 B3 pass")
    assert bot_of(playouts=200).choose(position, Seat.SECOND, None) != Pass()


def test_a_ko_is_not_retaken_at_once() -> None:
    game = Go(5, 0.5)
    position = play_moves(game, "B3 C3 C4 D4 C2 D2 D3 E3")
    after_ko = position.after(Pass()).after(game.read_move("C3"))
    retake = game.read_move("D3")
    assert not after_ko.allows(retake)
    for seed in range(3):
        bot = bot_of(playouts=100, seed=seed)
        assert bot.choose(after_ko, Seat.FIRST, None) != retake


def test_the_part_of_the_tree_that_the_game_follows_is_kept() -> None:
    bot = bot_of(playouts=2000)
    position: GoPosition = Go(5, 0.5).start(0)
    ours = bot.choose(position, Seat.FIRST, None)
    position = position.after(ours)
    theirs = bot_of(playouts=2000, seed=2).choose(position, Seat.SECOND, None)
    bot.choose(position.after(theirs), Seat.FIRST, None)
    assert bot._tree.counts[ROOT, VISITS] > bot.playouts


HOPELESS = "A1 E5 A2 E6 A3 C6"
"""With this komi, black needs every point of the board."""
RESIGN_BELOW = 0.2
"""Far above the share of wins there, which is about 0.05."""


def test_it_can_choose_again_after_resigning() -> None:
    bot = bot_of(playouts=600, resign_below=RESIGN_BELOW)
    position = play_moves(Go(9, 80.5, scoring=Scoring.AREA), HOPELESS)
    for _ in range(2):
        with pytest.raises(BotResignedError):
            bot.choose(position, Seat.FIRST, None)
        assert bot._tree.counts[ROOT, VISITS] == bot.playouts


def test_another_game_starts_with_a_new_tree() -> None:
    bot = bot_of(playouts=300)
    bot.choose(Go(5, 0.5).start(0), Seat.FIRST, None)
    bot.choose(play_moves(Go(7, 0.5), "D4 C3"), Seat.FIRST, None)
    assert bot._tree.counts[ROOT, VISITS] == bot.playouts


def test_in_a_hopeless_position_it_resigns_if_allowed() -> None:
    position = play_moves(Go(9, 80.5, scoring=Scoring.AREA), HOPELESS)
    assert bot_of(playouts=2000).choose(position, Seat.FIRST, None) in position.legal_moves()
    with pytest.raises(BotResignedError):
        bot_of(playouts=2000, resign_below=RESIGN_BELOW).choose(position, Seat.FIRST, None)


@pytest.mark.parametrize(("seconds_left", "max_calls"), [(None, 23), (1.0, 10)])
def test_it_stops_when_its_time_is_up(seconds_left: float | None, max_calls: int) -> None:
    """The clock advances by a tenth of a second with each call."""
    calls = count()
    bot = GoMctsBot(1, lambda: 0.1 * next(calls), 2.0, max_nodes=20_000)
    bot.choose(Go(9, 6.5).start(0), Seat.FIRST, seconds_left)
    assert bot.playouts > 0
    assert next(calls) <= max_calls


def test_it_stops_early_when_the_decision_cannot_change() -> None:
    bot = bot_of(playouts=8000)
    bot.choose(play_moves(Go(5, FAIR_KOMI, scoring=Scoring.AREA), DECIDED_AT_A1), Seat.FIRST, None)
    assert 4000 <= bot.playouts < 8000


def test_handicap_stones_go_to_the_corners_first() -> None:
    game = Go(9, 0.5, handicap=5)
    bot = bot_of(playouts=10)
    position = game.start(0)
    placed: list[Move] = []
    while position.is_handicap_phase:
        placed.append(bot.choose(position, Seat.FIRST, None))
        position = position.after(placed[-1])
    assert [game.write_move(move) for move in placed] == ["G7", "C3", "G3", "C7", "E5"]


def test_boards_that_are_too_large_are_rejected() -> None:
    with pytest.raises(BotError, match="19 lines"):
        bot_of(playouts=10).choose(Go(21).start(0), Seat.FIRST, None)

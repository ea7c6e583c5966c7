"""Bots that are programs of their own: whatever they do, it costs that match only."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gamehall.bots import BotError, BotResignedError
from gamehall.core import Seat
from gamehall.engines.guarded import BotDiedError, BotTimeoutError, GuardedBot, Limits, NoMoveError
from gamehall.games.ascension import Ascension
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import ConnectFour
from gamehall.games.go import Go
from gamehall.match import Ending, Result

BOTS = Path(__file__).parent.parent / "arena" / "bots.py"
START = ConnectFour().start(0)
LIMITS = Limits(megabytes=512, cpu_seconds=1)


def own_bot(name: str) -> str:
    return f"{BOTS}:{name}"


@pytest.fixture
def bot(request: pytest.FixtureRequest) -> Iterator[GuardedBot]:
    made = GuardedBot(own_bot(request.param), ConnectFour(), LIMITS)
    try:
        made.begin(1)
        yield made
    finally:
        made.close()


def of(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("bot", [name], indirect=True)


@of("Good")
def test_its_moves_follow_from_the_seed(bot: GuardedBot) -> None:
    moves = [bot.choose(START, Seat.FIRST, 5.0) for _ in range(10)]
    assert all(START.allows(move) for move in moves)
    bot.begin(1)
    assert [bot.choose(START, Seat.FIRST, 5.0) for _ in range(10)] == moves
    bot.begin(2)
    assert [bot.choose(START, Seat.FIRST, 5.0) for _ in range(10)] != moves
    bot.game_over(START, Seat.FIRST, Result(None, Ending.PLAYED_OUT, ""))


def test_it_answers_in_a_program_with_more_than_a_thousand_files_open() -> None:
    with ExitStack() as opened:
        for _ in range(1_100):
            opened.enter_context(Path(os.devnull).open())
        guarded = GuardedBot(own_bot("Good"), ConnectFour(), LIMITS)
        try:
            guarded.begin(1)
            assert START.allows(guarded.choose(START, Seat.FIRST, 5.0))
        finally:
            guarded.close()


@pytest.mark.parametrize("name", sorted(all_games()))
def test_every_game_reaches_it_and_its_moves_come_back(name: str) -> None:
    game = all_games()[name]()
    guarded = GuardedBot(own_bot("Good"), game, Limits())
    position = game.start(3)
    try:
        guarded.begin(1)
        for _ in range(12):
            seat = position.to_move
            assert seat is not None
            position = position.after(guarded.choose(position.seen_by(seat), seat, 5.0))
    finally:
        guarded.close()


@of("Raises")
def test_what_it_raises_is_told_with_the_line(bot: GuardedBot) -> None:
    with pytest.raises(BotError, match=r"Raises.choose raised RuntimeError: out of ideas.*line \d"):
        bot.choose(START, Seat.FIRST, 5.0)


@of("Exits")
def test_how_it_died_is_told_with_what_it_said_last(bot: GuardedBot) -> None:
    with pytest.raises(BotDiedError, match=r"exit code 3\nits last output:\ngood bye"):
        bot.choose(START, Seat.FIRST, 5.0)
    bot.begin(2)
    with pytest.raises(BotDiedError):
        bot.choose(START, Seat.FIRST, 5.0)


@of("Wrong")
def test_what_is_no_move_is_told_as_it_is(bot: GuardedBot) -> None:
    with pytest.raises(NoMoveError, match="'d1'"):
        bot.choose(START, Seat.FIRST, 5.0)


@of("Hangs")
def test_TM_23_a_bot_that_hangs_is_ended_and_started_again(bot: GuardedBot) -> None:
    with pytest.raises(BotTimeoutError, match="no answer in time"):
        bot.choose(START, Seat.FIRST, 0.1)
    with pytest.raises(BotDiedError):
        bot.choose(START, Seat.FIRST, 0.1)
    bot.begin(2)


@of("Spins")
def test_TM_23_a_bot_may_use_so_much_of_the_cores(bot: GuardedBot) -> None:
    with pytest.raises(BotTimeoutError, match="used up its CPU time"):
        bot.choose(START, Seat.FIRST, 60.0)


def test_TM_23_a_bot_may_use_so_much_memory() -> None:
    eater = GuardedBot(own_bot("Eats"), ConnectFour(), Limits(megabytes=512))
    try:
        eater.begin(1)
        with pytest.raises(BotError, match="MemoryError"):
            eater.choose(START, Seat.FIRST, 60.0)
    finally:
        eater.close()


@of("Prints")
def test_what_it_prints_is_no_answer_and_is_noticed(bot: GuardedBot) -> None:
    assert START.allows(bot.choose(START, Seat.FIRST, 5.0))
    bot.close()
    assert bot.printed == "thinking hard"


def test_TM_23_it_inherits_nothing_but_its_own_line(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    with secret.open("w") as file:
        os.set_inheritable(file.fileno(), True)
        other = GuardedBot(own_bot("LooksAround"), ConnectFour(), Limits())
        try:
            other.begin(1)
            with pytest.raises(BotError) as caught:
                other.choose(START, Seat.FIRST, 5.0)
        finally:
            other.close()
    assert "socket" in str(caught.value)
    assert "secret" not in str(caught.value)


@of("EndsBadly")
def test_what_it_does_after_a_match_harms_nobody(bot: GuardedBot) -> None:
    bot.game_over(START, Seat.FIRST, Result(None, Ending.PLAYED_OUT, ""))
    bot.begin(2)
    assert START.allows(bot.choose(START, Seat.FIRST, 5.0))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{BOTS}:Nobody", "has no class Nobody"),
        (f"{BOTS}:StartsBadly", r"StartsBadly\(\) raised RuntimeError: not today"),
        ("/nowhere/bot.py:Bot", "there is no file"),
    ],
)
def test_a_bot_that_does_not_begin_says_why(text: str, words: str) -> None:
    guarded = GuardedBot(text, ConnectFour(), Limits())
    with pytest.raises(BotError, match=words):
        guarded.begin(1)
    guarded.close()


def test_an_engine_that_gives_up_resigns(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    answer = 'resign' if line.startswith('genmove') else ''\n"
        "    print(f'= {answer}\\n', flush=True)\n"
    )
    guarded = GuardedBot(f"gtp:{sys.executable} {engine}", Go(9), Limits())
    try:
        guarded.begin(1)
        with pytest.raises(BotResignedError):
            guarded.choose(Go(9).start(0), Seat.FIRST, 5.0)
    finally:
        guarded.close()


def test_hidden_cards_do_not_reach_it() -> None:
    position = Ascension().start(3).seen_by(Seat.FIRST)
    guarded = GuardedBot(own_bot("Good"), Ascension(), Limits())
    try:
        guarded.begin(1)
        assert position.allows(guarded.choose(position, Seat.FIRST, 5.0))
    finally:
        guarded.close()

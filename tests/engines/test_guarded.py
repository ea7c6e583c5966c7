"""Bots in their own process: their failures affect only their own match."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gamehall.bots import BotError, BotResignedError
from gamehall.core import Seat
from gamehall.engines.guarded import BotDiedError, BotTimeoutError, IsolatedBot, Limits, NoMoveError
from gamehall.games.ascension import Ascension
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import ConnectFour
from gamehall.games.go import Go
from gamehall.match import Ending, Result

BOTS = Path(__file__).parent.parent / "arena" / "bots.py"
START = ConnectFour().start(0)
LIMITS = Limits(megabytes=512, cpu_seconds=1)


def bot_in_file(name: str) -> str:
    return f"{BOTS}:{name}"


@pytest.fixture
def bot(request: pytest.FixtureRequest) -> Iterator[IsolatedBot]:
    made = IsolatedBot(bot_in_file(request.param), ConnectFour(), LIMITS)
    try:
        made.begin(1)
        yield made
    finally:
        made.close()


def with_bot(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("bot", [name], indirect=True)


@with_bot("Good")
def test_its_moves_depend_on_the_seed(bot: IsolatedBot) -> None:
    moves = [bot.choose(START, Seat.FIRST, 5.0) for _ in range(10)]
    assert all(START.allows(move) for move in moves)
    bot.begin(1)
    assert [bot.choose(START, Seat.FIRST, 5.0) for _ in range(10)] == moves
    bot.begin(2)
    assert [bot.choose(START, Seat.FIRST, 5.0) for _ in range(10)] != moves
    bot.game_over(START, Seat.FIRST, Result(None, Ending.PLAYED_OUT, ""))


def test_it_works_in_a_program_with_more_than_a_thousand_open_files() -> None:
    with ExitStack() as opened:
        for _ in range(1_100):
            opened.enter_context(Path(os.devnull).open())
        guarded = IsolatedBot(bot_in_file("Good"), ConnectFour(), LIMITS)
        try:
            guarded.begin(1)
            assert START.allows(guarded.choose(START, Seat.FIRST, 5.0))
        finally:
            guarded.close()


@pytest.mark.parametrize("name", sorted(all_games()))
def test_it_plays_every_game(name: str) -> None:
    game = all_games()[name]()
    guarded = IsolatedBot(bot_in_file("Good"), game, Limits())
    position = game.start(3)
    try:
        guarded.begin(1)
        for _ in range(12):
            seat = position.to_move
            assert seat is not None
            position = position.after(guarded.choose(position.seen_by(seat), seat, 5.0))
    finally:
        guarded.close()


@with_bot("Raises")
def test_the_error_about_an_exception_names_the_line(bot: IsolatedBot) -> None:
    with pytest.raises(BotError, match=r"Raises.choose raised RuntimeError: out of ideas.*line \d"):
        bot.choose(START, Seat.FIRST, 5.0)


@with_bot("Exits")
def test_the_error_says_how_it_ended_with_its_last_output(bot: IsolatedBot) -> None:
    with pytest.raises(BotDiedError, match=r"exit code 3\nits last output:\ngood bye"):
        bot.choose(START, Seat.FIRST, 5.0)
    bot.begin(2)
    with pytest.raises(BotDiedError):
        bot.choose(START, Seat.FIRST, 5.0)


@with_bot("Wrong")
def test_the_error_shows_a_value_that_is_not_a_move(bot: IsolatedBot) -> None:
    with pytest.raises(NoMoveError, match="'d1'"):
        bot.choose(START, Seat.FIRST, 5.0)


@with_bot("Hangs")
def test_TM_23_a_bot_that_hangs_is_killed_and_started_again(bot: IsolatedBot) -> None:
    with pytest.raises(BotTimeoutError, match="no answer in time"):
        bot.choose(START, Seat.FIRST, 0.1)
    with pytest.raises(BotDiedError):
        bot.choose(START, Seat.FIRST, 0.1)
    bot.begin(2)


@with_bot("Spins")
def test_TM_23_the_cpu_time_of_a_bot_is_limited(bot: IsolatedBot) -> None:
    with pytest.raises(BotTimeoutError, match="used up its CPU time"):
        bot.choose(START, Seat.FIRST, 60.0)


def test_TM_23_the_memory_of_a_bot_is_limited() -> None:
    eater = IsolatedBot(bot_in_file("UsesTooMuchMemory"), ConnectFour(), Limits(megabytes=512))
    try:
        eater.begin(1)
        with pytest.raises(BotError, match="MemoryError"):
            eater.choose(START, Seat.FIRST, 60.0)
    finally:
        eater.close()


@with_bot("Prints")
def test_its_output_is_not_taken_for_an_answer_but_recorded(bot: IsolatedBot) -> None:
    assert START.allows(bot.choose(START, Seat.FIRST, 5.0))
    bot.close()
    assert bot.printed == "thinking hard"


def test_TM_23_it_inherits_no_file_but_its_socket(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    with secret.open("w") as file:
        os.set_inheritable(file.fileno(), True)
        other = IsolatedBot(bot_in_file("ListsOpenFiles"), ConnectFour(), Limits())
        try:
            other.begin(1)
            with pytest.raises(BotError) as caught:
                other.choose(START, Seat.FIRST, 5.0)
        finally:
            other.close()
    assert "socket" in str(caught.value)
    assert "secret" not in str(caught.value)


@with_bot("EndsBadly")
def test_an_error_after_a_match_is_ignored(bot: IsolatedBot) -> None:
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
def test_the_error_says_why_a_bot_does_not_start(text: str, words: str) -> None:
    guarded = IsolatedBot(text, ConnectFour(), Limits())
    with pytest.raises(BotError, match=words):
        guarded.begin(1)
    guarded.close()


def test_an_engine_may_resign(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    answer = 'resign' if line.startswith('genmove') else ''\n"
        "    print(f'= {answer}\\n', flush=True)\n"
    )
    guarded = IsolatedBot(f"gtp:{sys.executable} {engine}", Go(9), Limits())
    try:
        guarded.begin(1)
        with pytest.raises(BotResignedError):
            guarded.choose(Go(9).start(0), Seat.FIRST, 5.0)
    finally:
        guarded.close()


def test_it_plays_with_hidden_cards() -> None:
    position = Ascension().start(3).seen_by(Seat.FIRST)
    guarded = IsolatedBot(bot_in_file("Good"), Ascension(), Limits())
    try:
        guarded.begin(1)
        assert position.allows(guarded.choose(position, Seat.FIRST, 5.0))
    finally:
        guarded.close()

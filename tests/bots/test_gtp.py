"""The bot for GTP engines: the commands it sends, and its reaction to responses."""

import pytest

from gamehall.bots import BotError, BotResignedError
from gamehall.bots.gtp import EngineRefusedError, GtpBot, read_response
from gamehall.core import Seat
from gamehall.games.go import Go, Pass, Stone
from gamehall.games.go.notation import read
from gamehall.wire.framing import ProtocolError
from tests.games.playing import play_moves


class FakeEngine:
    """Gives these responses to genmove, and records all commands."""

    def __init__(self, *answers: str, refuses: str = "") -> None:
        self.commands: list[str] = []
        self._answers = list(answers)
        self._refuses = refuses

    def __call__(self, command: str) -> str:
        self.commands.append(command)
        if self._refuses and command.startswith(self._refuses):
            raise EngineRefusedError("not me")
        if command.startswith("place_free_handicap"):
            return "C3 G7"
        return self._answers.pop(0) if command.startswith("genmove") else ""


GO = Go(9, 5.5)
START = GO.start(0)
SET_UP = ["boardsize 9", "clear_board", "komi 5.5"]


def test_a_new_match_is_set_up_and_then_sent_move_by_move() -> None:
    engine = FakeEngine("E5", "C3")
    bot = GtpBot(engine)
    assert bot.choose(START, Seat.FIRST, None) == read("E5", 9)
    assert bot.choose(play_moves(GO, "E5 G7"), Seat.FIRST, None) == read("C3", 9)
    assert engine.commands == [*SET_UP, "genmove black", "play white G7", "genmove black"]


def test_a_pass_of_the_opponent_is_sent() -> None:
    engine = FakeEngine("E5", "pass")
    bot = GtpBot(engine)
    bot.choose(START, Seat.FIRST, None)
    assert bot.choose(play_moves(GO, "E5 pass"), Seat.FIRST, None) == Pass()
    assert engine.commands[-2:] == ["play white pass", "genmove black"]


def test_an_unexpected_position_is_set_up_stone_by_stone() -> None:
    engine = FakeEngine("A1", "B1")
    bot = GtpBot(engine)
    position = play_moves(GO, "E5 G7 C3")
    bot.choose(position, Seat.SECOND, None)
    assert engine.commands == [
        *SET_UP, "play black E5", "play black C3", "play white G7", "genmove white",
    ]  # fmt: skip
    other = play_moves(GO, "D4")
    bot.choose(other, Seat.SECOND, None)
    assert engine.commands[5 + 2 :] == [*SET_UP, "play black D4", "genmove white"]


def test_the_same_position_again_is_set_up_again() -> None:
    engine = FakeEngine("E5", "E5")
    bot = GtpBot(engine)
    bot.choose(START, Seat.FIRST, None)
    bot.choose(START, Seat.FIRST, None)
    assert engine.commands == [*SET_UP, "genmove black", *SET_UP, "genmove black"]


def test_the_engine_chooses_the_handicap_stones() -> None:
    engine = FakeEngine("E5")
    bot = GtpBot(engine)
    position = Go(9, 5.5, handicap=2).start(0)
    for text in ("C3", "G7"):
        move = bot.choose(position, Seat.FIRST, None)
        assert move == read(text, 9)
        position = position.after(move)
    bot.choose(position, Seat.FIRST, None)
    assert engine.commands == [*SET_UP, "place_free_handicap 2", "genmove black"]


def test_an_engine_that_places_fewer_handicap_stones_passes_afterwards() -> None:
    bot = GtpBot(FakeEngine("E5"))
    position = Go(9, 5.5, handicap=3).start(0)
    placed = []
    for _ in range(3):
        placed.append(bot.choose(position, Seat.FIRST, None))
        position = position.after(placed[-1])
    assert placed == [read("C3", 9), read("G7", 9), Pass()]
    assert not position.is_handicap_phase


def test_an_engine_without_place_free_handicap_places_the_stones_one_by_one() -> None:
    engine = FakeEngine("E5", "C3", "G3", refuses="place_free")
    bot = GtpBot(engine)
    position = Go(9, 5.5, handicap=2).start(0)
    for text in ("E5", "C3"):
        assert bot.choose(position, Seat.FIRST, None) == read(text, 9)
        position = position.after(read(text, 9))
    assert bot.choose(position, Seat.FIRST, None) == read("G3", 9)
    assert "play" not in " ".join(engine.commands[3:]), "the engine has made these moves itself"


def test_the_time_left_is_sent_to_engines_that_support_it() -> None:
    commands = []

    def engine(command: str) -> str:
        commands.append(command)
        return {"known_command time_left": "true", "genmove black": "E5"}.get(command, "")

    GtpBot(engine).choose(START, Seat.FIRST, 7.9)
    assert commands[3:] == ["known_command time_left", "time_left black 7 1", "genmove black"]


def test_an_engine_may_resign() -> None:
    with pytest.raises(BotResignedError):
        GtpBot(FakeEngine("resign")).choose(START, Seat.FIRST, None)


def test_an_illegal_move_is_returned_and_the_board_set_up_again() -> None:
    engine = FakeEngine("E5", "D4")
    bot = GtpBot(engine)
    position = play_moves(GO, "E5")
    assert bot.choose(position, Seat.SECOND, None) == Stone(read("E5", 9).point)  # type: ignore[union-attr]
    assert bot.choose(position, Seat.SECOND, None) == read("D4", 9)
    assert engine.commands.count("clear_board") == 2


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        (FakeEngine("over there"), "makes no sense: 'over there' is not a move"),
        (FakeEngine("Z99"), "makes no sense"),
        (FakeEngine(refuses="boardsize"), "the engine refuses: not me"),
        (FakeEngine(refuses="genmove"), "the engine refuses: not me"),
    ],
)
def test_unusable_responses_raise_a_bot_error(engine: FakeEngine, words: str) -> None:
    with pytest.raises(BotError, match=words):
        GtpBot(engine).choose(START, Seat.FIRST, None)


def test_responses_are_read() -> None:
    assert read_response("= D4") == "D4"
    assert read_response("=") == ""
    with pytest.raises(EngineRefusedError, match="unknown command"):
        read_response("? unknown command")
    with pytest.raises(ProtocolError, match="does not speak GTP"):
        read_response("hello")

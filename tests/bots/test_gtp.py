"""A GTP engine as a bot: what it is told, and what is made of its answers."""

import pytest

from gamehall.bots import BotError, BotResignedError
from gamehall.bots.gtp import EngineRefusedError, GtpBot, read_response
from gamehall.core import Seat
from gamehall.games.go import Go, GoPosition, Pass, Stone
from gamehall.games.go.notation import read
from gamehall.wire.framing import ProtocolError


class Script:
    """An engine that gives these answers to genmove, and remembers what it was told."""

    def __init__(self, *answers: str, refuses: str = "") -> None:
        self.told: list[str] = []
        self._answers = list(answers)
        self._refuses = refuses

    def __call__(self, command: str) -> str:
        self.told.append(command)
        if self._refuses and command.startswith(self._refuses):
            raise EngineRefusedError("I do not")
        if command.startswith("place_free_handicap"):
            return "C3 G7"
        return self._answers.pop(0) if command.startswith("genmove") else ""


def after(position: GoPosition, *moves: str) -> GoPosition:
    for move in moves:
        position = position.after(read(move, position.terms.size))
    return position


START = Go(9, 5.5).start(0)
SET_UP = ["boardsize 9", "clear_board", "komi 5.5"]


def test_a_new_match_is_set_up_and_then_followed_move_by_move() -> None:
    engine = Script("E5", "C3")
    bot = GtpBot(engine)
    assert bot.choose(START, Seat.FIRST, None) == read("E5", 9)
    assert bot.choose(after(START, "E5", "G7"), Seat.FIRST, None) == read("C3", 9)
    assert engine.told == [*SET_UP, "genmove black", "play white G7", "genmove black"]


def test_the_others_pass_is_told() -> None:
    engine = Script("E5", "pass")
    bot = GtpBot(engine)
    bot.choose(START, Seat.FIRST, None)
    assert bot.choose(after(START, "E5", "pass"), Seat.FIRST, None) == Pass()
    assert engine.told[-2:] == ["play white pass", "genmove black"]


def test_a_position_out_of_the_blue_is_set_up_stone_by_stone() -> None:
    engine = Script("A1", "B1")
    bot = GtpBot(engine)
    position = after(START, "E5", "G7", "C3")
    bot.choose(position, Seat.SECOND, None)
    assert engine.told == [
        *SET_UP, "play black E5", "play black C3", "play white G7", "genmove white",
    ]  # fmt: skip
    other = after(START, "D4")
    bot.choose(other, Seat.SECOND, None)
    assert engine.told[5 + 2 :] == [*SET_UP, "play black D4", "genmove white"]


def test_the_same_question_twice_needs_no_new_board() -> None:
    engine = Script("E5", "E5")
    bot = GtpBot(engine)
    bot.choose(START, Seat.FIRST, None)
    bot.choose(START, Seat.FIRST, None)
    assert engine.told == [*SET_UP, "genmove black", *SET_UP, "genmove black"]


def test_handicap_stones_are_placed_as_the_engine_likes_them() -> None:
    engine = Script("E5")
    bot = GtpBot(engine)
    position = Go(9, 5.5, handicap=2).start(0)
    for text in ("C3", "G7"):
        move = bot.choose(position, Seat.FIRST, None)
        assert move == read(text, 9)
        position = position.after(move)
    bot.choose(position, Seat.FIRST, None)
    assert engine.told == [*SET_UP, "place_free_handicap 2", "genmove black"]


def test_an_engine_that_places_fewer_passes_then() -> None:
    bot = GtpBot(Script("E5"))
    position = Go(9, 5.5, handicap=3).start(0)
    placed = []
    for _ in range(3):
        placed.append(bot.choose(position, Seat.FIRST, None))
        position = position.after(placed[-1])
    assert placed == [read("C3", 9), read("G7", 9), Pass()]
    assert not position.is_handicap_phase


def test_an_engine_that_cannot_place_them_at_once_does_it_one_by_one() -> None:
    engine = Script("E5", "C3", "G3", refuses="place_free")
    bot = GtpBot(engine)
    position = Go(9, 5.5, handicap=2).start(0)
    for text in ("E5", "C3"):
        assert bot.choose(position, Seat.FIRST, None) == read(text, 9)
        position = position.after(read(text, 9))
    assert bot.choose(position, Seat.FIRST, None) == read("G3", 9)
    assert "play" not in " ".join(engine.told[3:]), "it knows its own stones"


def test_the_time_is_told_to_those_who_care() -> None:
    told = []

    def engine(command: str) -> str:
        told.append(command)
        return {"known_command time_left": "true", "genmove black": "E5"}.get(command, "")

    GtpBot(engine).choose(START, Seat.FIRST, 7.9)
    assert told[3:] == ["known_command time_left", "time_left black 7 1", "genmove black"]


def test_an_engine_may_resign() -> None:
    with pytest.raises(BotResignedError):
        GtpBot(Script("resign")).choose(START, Seat.FIRST, None)


def test_an_illegal_move_is_given_as_it_is_and_the_board_set_up_anew() -> None:
    engine = Script("E5", "D4")
    bot = GtpBot(engine)
    position = after(START, "E5")
    assert bot.choose(position, Seat.SECOND, None) == Stone(read("E5", 9).point)  # type: ignore[union-attr]
    assert bot.choose(position, Seat.SECOND, None) == read("D4", 9)
    assert engine.told.count("clear_board") == 2


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        (Script("over there"), "makes no sense: 'over there' is not a move"),
        (Script("Z99"), "makes no sense"),
        (Script(refuses="boardsize"), "the engine refuses: I do not"),
        (Script(refuses="genmove"), "the engine refuses: I do not"),
    ],
)
def test_what_cannot_be_played_is_a_fault_in_words(engine: Script, words: str) -> None:
    with pytest.raises(BotError, match=words):
        GtpBot(engine).choose(START, Seat.FIRST, None)


def test_responses() -> None:
    assert read_response("= D4") == "D4"
    assert read_response("=") == ""
    with pytest.raises(EngineRefusedError, match="unknown command"):
        read_response("? unknown command")
    with pytest.raises(ProtocolError, match="does not speak GTP"):
        read_response("hello")

"""A go-text player that checks every message."""

import itertools
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gamehall.conformance.connection import CheckSkippedError, ClauseError, demand, shown
from gamehall.conformance.target import PAUSE_SECONDS, Knowledge, Target
from gamehall.protocols.go_text import GoTextSettings

SIZE, KOMI = 9, 5.5
QUESTIONS = ("boardsize", "color", "handicap", "komi")

PARAMETERS: dict[str, tuple[int, ...]] = {
    "QUERY": (1,),
    "TERMS": (4,),
    "TERMSOK": (0,),
    "START": (0,),
    "SUCCESS": (0,),
    "OPPONENTPLAY": (2,),
    "OPPONENTPASS": (0,),
    # The heading says 2 or 6, and the list below it has 8 (G-Q23).
    "GAMEOVER": (2, 6, 8),
}
"""The numbers of parameters of each message but ERROR, whose text is the rest of the line."""

COLOR_WORDS = ({1: "1", 2: "2"}, {1: "black", 2: "white"}, {1: "B", 2: "W"})
"""Possible answers to the question for the color; the document lists none (G-Q04)."""

TRUE_WORDS = ("true", "1", "yes", "t", "y")
FALSE_WORDS = ("false", "0", "no", "f", "n")

SECONDS_OF_SILENCE = 0.3

NO_MORE_GAMES = (
    "after a game the server accepts no more players, as its document says; let"
    " --restart-command start it again"
)


class GoTextKnowledge(Knowledge):
    has_served_players: bool = False
    asked: list[str] = []
    """The questions that the current player has been asked."""
    color_words: Sequence[Mapping[int, str]] = COLOR_WORDS
    """The possible answers to the question for the color, once known only the accepted ones."""


GoTextTarget = Target[GoTextSettings, GoTextKnowledge]


class WantedTerms(NamedTuple):
    """The first player's answers to the questions."""

    boardsize: int = SIZE
    color: int = 1
    handicap: int = 0
    komi: float = KOMI


class GoPlayer:
    """A connection to the server."""

    def __init__(self, target: GoTextTarget) -> None:
        self.target = target
        self.connection = target.connect()
        self._base = target.settings.base

    def send(self, message: str) -> None:
        self.connection.send(message.encode() + b"\n")

    def play(self, row: int, column: int) -> None:
        """Send PLAY; row and column are counted from 0."""
        self.send(f"PLAY {row + self._base} {column + self._base}")

    def read(self, expected: str, clause: str, seconds: float | None = None) -> list[str]:
        """Return the words of the next message, which must be well-formed.

        If none comes, `clause` is broken.
        """
        line = self.connection.read_line(expected, clause, seconds)
        if not line.isascii() or line.endswith(b"\r"):
            self.target.differs("X-03", f"there was a line {shown(line)}")
        name, *parameters = line.decode(errors="replace").rstrip("\r").split(" ")
        if name == "ERROR":
            demand(bool("".join(parameters).strip()), "G-23", "ERROR with a text", line)
            self.target.saw("G-23")
            return [name, " ".join(parameters)]
        demand(name in PARAMETERS, "G-31", f"{expected}, one of the listed messages", line)
        fits = len(parameters) in PARAMETERS[name] and all(parameters)
        numbers = " or ".join(map(str, PARAMETERS[name]))
        demand(fits, "G-31", f"{name} with {numbers} parameters", line)
        return [name, *parameters]

    def peek(self, seconds: float = SECONDS_OF_SILENCE) -> str:
        """Return the name of the next message without reading it, "" if none comes in time."""
        if not self.connection.receives_something(seconds) or not self.connection.kept:
            return ""
        line = self.connection.read_line("a line", "G-31")
        self.connection.kept[:0] = line + b"\n"
        return line.decode(errors="replace").split(" ")[0].rstrip("\r")

    def expect(self, message: str, clause: str) -> None:
        """Read exactly this message, or an ERROR with any text."""
        expected = message.split()
        words = self.read(message, clause)
        if message == "ERROR":
            words = words[:1]
        demand(words == expected, clause, message, " ".join(words))

    def expect_play(self, row: int, column: int, clause: str = "G-20") -> None:
        """Read OPPONENTPLAY; row and column are counted from 0."""
        self.expect(f"OPPONENTPLAY {row + self._base} {column + self._base}", clause)

    def answer(self, wishes: WantedTerms) -> None:
        """Answer all four questions."""
        for number in range(len(QUESTIONS)):
            self.respond(self.read_question(number), wishes)

    def read_question(self, number: int) -> str:
        """Return the parameter that is asked for.

        Args:
            number: of questions answered before. If no QUERY comes after an answer, the server has
                not accepted the answer (G-03).
        """
        asked = self.target.known.asked
        if number == 0:
            asked.clear()
        open_questions = [one for one in QUESTIONS if one not in asked]
        expected = f"QUERY for one of {', '.join(open_questions)}"
        clause = "G-03" if number else "G-01"
        words = self.read(expected, clause)
        demand(words[0] == "QUERY", clause, expected, " ".join(words))
        question = words[1]
        demand(question not in asked, "G-03", expected, f"QUERY {question} again")
        demand(question in QUESTIONS, "G-02", expected, f"QUERY {question}")
        asked.append(question)
        return question

    def respond(self, question: str, wishes: WantedTerms) -> None:
        """Send RESPONSE; for the color, in the words that the server accepts."""
        value = wishes._asdict()[question]
        if question != "color":
            self.send(f"RESPONSE {question} {value}")
            return
        for words in self.target.known.color_words:
            self.send(f"RESPONSE color {words[value]}")
            if self.peek(self.target.patience_seconds) != "ERROR":
                self.target.known.color_words = [words]
                if words is not COLOR_WORDS[0]:
                    self.target.differs("G-Q04", f"black is {words[1]!r} here")
                return
            self.expect("ERROR", "G-03")
            self.expect("QUERY color", "G-04")
        raise ClauseError(f"a color such as {COLOR_WORDS[0][value]} to be taken", "ERROR", "G-03")


class BlackAndWhite(NamedTuple):
    """The two players of a game."""

    black: GoPlayer
    white: GoPlayer


def first_player(target: GoTextTarget) -> GoPlayer:
    """Connect until a player is asked a question, and return that player.

    A server may accept no players after its first game, which is no fault.
    """
    for _ in range(2):
        end = time.monotonic() + 2 * target.patience_seconds
        # A player without a question may be the second one of a player whose leaving the server
        # has not noticed yet. After some attempts it is more likely that the server is slow.
        waits = itertools.chain((1 / 3, 1 / 3), itertools.repeat(1.0))
        while time.monotonic() < end:
            player = GoPlayer(target)
            if player.peek(next(waits) * target.patience_seconds) not in ("", "TERMS"):
                target.known.has_served_players = True
                return player
            player.connection.close()
            time.sleep(PAUSE_SECONDS)
        if not target.known.has_served_players:
            expected = "QUERY to the first player"
            raise ClauseError(expected, "nothing in time", "G-01", is_silence=True)
        if not target.start_afresh():
            break
    raise CheckSkippedError(NO_MORE_GAMES)


def seated(target: GoTextTarget, wishes: WantedTerms) -> tuple[GoPlayer, GoPlayer]:
    """Return the first and the second player after their TERMS."""
    first = first_player(target)
    first.answer(wishes)
    second = GoPlayer(target)
    read_both_terms(first, second, wishes)
    return first, second


def read_both_terms(first: GoPlayer, second: GoPlayer, wishes: WantedTerms) -> None:
    """Read TERMS of both players, each with its own color."""
    for player, colour in ((first, wishes.color), (second, 3 - wishes.color)):
        _read_terms(player, wishes, colour)
    first.target.saw("G-03", "G-06", "G-07")


def _read_terms(player: GoPlayer, wishes: WantedTerms, colour: int) -> None:
    expected = f"TERMS {wishes.boardsize} {colour} {wishes.handicap} {wishes.komi}"
    words = player.read(expected, "G-06")
    # If a player is asked a question instead, it was not accepted as the second player.
    clause = "G-05" if words[0] == "QUERY" else "G-06"
    demand(words[0] == "TERMS", clause, expected, " ".join(words))
    try:
        got = (int(words[1]), int(words[2]), int(words[3]), float(words[4]))
    except ValueError:
        raise ClauseError(expected, " ".join(words), "G-07") from None
    wanted = (wishes.boardsize, colour, wishes.handicap, wishes.komi)
    demand(got == wanted, "G-07", expected, " ".join(words))


def agreed(target: GoTextTarget, wishes: WantedTerms | None = None) -> BlackAndWhite:
    """Return black and white after TERMSOK, and after START if there is no handicap."""
    wishes = wishes or WantedTerms()
    first, second = seated(target, wishes)
    for player in (first, second):
        player.send("TERMSCONFIRM Yes")
    pair = BlackAndWhite(first, second) if wishes.color == 1 else BlackAndWhite(second, first)
    for player in pair:
        player.expect("TERMSOK", "G-10")
    if wishes.handicap == 0:
        expect_start(pair)
    return pair


def expect_start(pair: BlackAndWhite) -> None:
    """Read START of both players."""
    for player in pair:
        player.expect("START", "G-14")


def play_stone(mover: GoPlayer, other: GoPlayer, row: int, column: int) -> None:
    """Play a legal stone and read the answers."""
    mover.play(row, column)
    expect_stone(mover, other, row, column)


def expect_stone(mover: GoPlayer, other: GoPlayer, row: int, column: int) -> None:
    """Read SUCCESS of the player, and OPPONENTPLAY of the opponent."""
    mover.expect("SUCCESS", "G-19")
    other.expect_play(row, column)


def play_stones(pair: BlackAndWhite, points: list[tuple[int, int]]) -> None:
    """Play these stones in turn, black first."""
    for number, (row, column) in enumerate(points):
        mover, other = pair if number % 2 == 0 else (pair.white, pair.black)
        play_stone(mover, other, row, column)


def place_handicap_stone(pair: BlackAndWhite, row: int, column: int) -> None:
    """Place a handicap stone of black and read the answers."""
    refused = ClauseError("the handicap stone to be placed", "ERROR", "G-11")
    pair.black.play(row, column)
    if pair.white.peek(pair.white.target.patience_seconds) == "" and pair.black.peek(0) == "ERROR":
        raise refused
    pair.white.expect_play(row, column, "G-12")
    answer = pair.black.peek()
    if answer == "ERROR":
        raise refused
    if answer == "SUCCESS":
        pair.black.expect("SUCCESS", "G-11")
    else:
        pair.black.target.differs("G-Q11", "a handicap stone is not answered")


def pass_to(mover: GoPlayer, other: GoPlayer) -> None:
    """Send PASS and read OPPONENTPASS of the opponent."""
    mover.send("PASS")
    other.expect("OPPONENTPASS", "G-21")
    if mover.connection.kept.startswith(b"SUCCESS"):
        mover.expect("SUCCESS", "G-21")
        mover.target.differs("G-Q28", "a pass is answered by SUCCESS")


class GameOverNumbers(NamedTuple):
    """The parameters of a GAMEOVER; counts and totals are empty after a resignation."""

    won: bool
    resigned: bool
    counts: tuple[int, ...]
    totals: tuple[float, ...]


def read_end(
    player: GoPlayer, target: GoTextTarget, clause: str, *, is_resignation: bool
) -> GameOverNumbers:
    """Read GAMEOVER and the end of the connection. If no GAMEOVER comes, `clause` is broken."""
    words = player.read("GAMEOVER", clause)
    demand(words[0] == "GAMEOVER", clause, "GAMEOVER", " ".join(words))
    won = _read_boolean(words[1], "G-27", target)
    resigned = _read_boolean(words[2], "G-28", target)
    expected = "a resignation" if is_resignation else "no resignation"
    demand(resigned is is_resignation, "G-28", expected, " ".join(words))
    if not player.connection.expect_end("G-26"):
        target.differs("X-05", "the connection was broken off after GAMEOVER")
    if not resigned:
        demand(len(words) > 3, "G-29", "captures and territories", " ".join(words))
        if len(words) < 9:
            target.differs("G-Q23", "there are no totals in GAMEOVER")
    try:
        return GameOverNumbers(
            won=won,
            resigned=resigned,
            counts=tuple(map(int, words[3:7])),
            totals=tuple(map(float, words[7:9])),
        )
    except ValueError:
        raise ClauseError("four whole numbers and two totals", shown(words), "G-29") from None


def _read_boolean(word: str, clause: str, target: GoTextTarget) -> bool:
    demand(word.lower() in (*TRUE_WORDS, *FALSE_WORDS), clause, "True or False", word)
    value = word.lower() in TRUE_WORDS
    if word != target.settings.booleans.write(value):
        target.differs("G-Q24", f"{value} is written {word}")
    return value

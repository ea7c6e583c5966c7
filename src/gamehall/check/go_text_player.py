"""A player at a server of document 002 who takes nothing for granted."""

from typing import NamedTuple

from gamehall.check.faults import Broken, demand, shown
from gamehall.check.field import Field, insistently
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
    "GAMEOVER": (2, 8),
}
"""How many parameters each message has. ERROR is not listed: its text is the rest of the line."""

Hall = Field[GoTextSettings]


class Wishes(NamedTuple):
    """What the first player answers."""

    boardsize: int = SIZE
    color: int = 1
    handicap: int = 0
    komi: float = KOMI


class Player:
    """One line to the server."""

    def __init__(self, hall: Hall) -> None:
        self.line = hall.connect()
        self._base = hall.settings.base

    def send(self, message: str) -> None:
        """One line."""
        self.line.send(message.encode() + b"\n")

    def play(self, row: int, column: int) -> None:
        """PLAY, in lines that are counted from 0."""
        self.send(f"PLAY {row + self._base} {column + self._base}")

    def read(self, expected: str, seconds: float | None = None) -> list[str]:
        """The words of the next message, which is well-formed."""
        line = self.line.read_line(expected, seconds)
        demand(line.isascii() and line.isascii() and b"\r" not in line, "X-03", "ASCII", line)
        name, *parameters = line.decode().split(" ")
        if name == "ERROR":
            demand(bool("".join(parameters).strip()), "G-23", "ERROR with a text", line)
            return [name, " ".join(parameters)]
        demand(name in PARAMETERS, "G-31", f"{expected}, one of the listed messages", line)
        fits = len(parameters) in PARAMETERS[name] and all(parameters)
        demand(fits, "G-31", f"{name} with {PARAMETERS[name]} parameters", line)
        return [name, *parameters]

    def expect(self, message: str, clause: str) -> None:
        """Exactly this message; of an ERROR only that it is one."""
        expected = message.split()
        try:
            words = self.read(message)
        except Broken as broken:
            if broken.clause is None:
                broken.clause = clause
            raise
        if message == "ERROR":
            words = words[:1]
        demand(words == expected, clause, message, " ".join(words))

    def expect_play(self, row: int, column: int, clause: str = "G-20") -> None:
        """OPPONENTPLAY, in lines that are counted from 0."""
        self.expect(f"OPPONENTPLAY {row + self._base} {column + self._base}", clause)

    def answer(self, wishes: Wishes) -> list[str]:
        """Answers all questions that are asked; gives what was asked, in order."""
        asked: list[str] = []
        while len(asked) < len(QUESTIONS):
            expected = f"QUERY for one of {', '.join(sorted({*QUESTIONS} - {*asked}))}"
            words = self.read(expected)
            demand(words[0] == "QUERY", "G-01", expected, " ".join(words))
            question = words[1]
            known = question in QUESTIONS and question not in asked
            demand(known, "G-02", expected, f"QUERY {question}")
            asked.append(question)
            self.respond(question, wishes)
        return asked

    def respond(self, question: str, wishes: Wishes) -> None:
        """RESPONSE."""
        self.send(f"RESPONSE {question} {wishes._asdict()[question]}")


class Pair(NamedTuple):
    """Two players who have agreed, or are about to."""

    black: Player
    white: Player


def first_player(hall: Hall) -> Player:
    """Somebody who is asked, which is to say that nobody else is waiting."""

    def attempt() -> Player | None:
        player = Player(hall)
        try:
            said = player.line.read_line("QUERY", hall.patience_seconds / 3)
        except Broken:
            player.line.close()
            return None
        if said.startswith(b"QUERY"):
            player.line.kept[:0] = said + b"\n"
            return player
        player.line.close()
        return None

    player = insistently(attempt, hall.patience_seconds)
    if player is None:
        raise Broken("QUERY to the first player", "nothing in time", "G-01", is_silence=True)
    return player


def seated(hall: Hall, wishes: Wishes) -> tuple[Player, Player]:
    """The first and the second player, who have got their TERMS."""
    first = first_player(hall)
    first.answer(wishes)
    second = Player(hall)
    for player, colour in ((first, wishes.color), (second, 3 - wishes.color)):
        read_terms(player, wishes, colour)
    return first, second


def read_terms(player: Player, wishes: Wishes, colour: int) -> None:
    """TERMS, with this colour."""
    expected = f"TERMS {wishes.boardsize} {colour} {wishes.handicap} {wishes.komi}"
    try:
        words = player.read(expected)
    except Broken as broken:
        if broken.clause is None:
            broken.clause = "G-06"
        raise
    demand(words[0] == "TERMS", "G-06", expected, " ".join(words))
    try:
        got = (int(words[1]), int(words[2]), int(words[3]), float(words[4]))
    except ValueError:
        raise Broken(expected, " ".join(words), "G-07") from None
    wanted = (wishes.boardsize, colour, wishes.handicap, wishes.komi)
    demand(got == wanted, "G-07", expected, " ".join(words))


def agreed(hall: Hall, wishes: Wishes | None = None) -> Pair:
    """Black and white after TERMSOK, and after START if there is no handicap."""
    wishes = wishes or Wishes()
    first, second = seated(hall, wishes)
    for player in (first, second):
        player.send("TERMSCONFIRM Yes")
    pair = Pair(first, second) if wishes.color == 1 else Pair(second, first)
    for player in pair:
        player.expect("TERMSOK", "G-10")
    if wishes.handicap == 0:
        expect_start(pair)
    return pair


def expect_start(pair: Pair) -> None:
    """START to both."""
    for player in pair:
        player.expect("START", "G-14")


def put(mover: Player, other: Player, row: int, column: int) -> None:
    """A stone that can be placed: the one hears SUCCESS and the other of the stone."""
    mover.play(row, column)
    mover.expect("SUCCESS", "G-19")
    other.expect_play(row, column)


def put_all(pair: Pair, points: list[tuple[int, int]]) -> None:
    """These stones in turn, black first."""
    for number, (row, column) in enumerate(points):
        mover, other = pair if number % 2 == 0 else (pair.white, pair.black)
        put(mover, other, row, column)


class Score(NamedTuple):
    """The numbers of a GAMEOVER after two passes."""

    won: bool
    resigned: bool
    counts: tuple[int, ...]
    totals: tuple[float, ...]


def read_end(player: Player, hall: Hall) -> Score:
    """GAMEOVER, and then the end of the connection."""
    words = player.read("GAMEOVER")
    demand(words[0] == "GAMEOVER", "G-26", "GAMEOVER", " ".join(words))
    spelling = {hall.settings.booleans.write(value): value for value in (True, False)}
    expected = f"{' or '.join(spelling)} twice"
    demand({*words[1:3]} <= {*spelling}, "G-27", expected, " ".join(words))
    won, resigned = (spelling[word] for word in words[1:3])
    player.line.expect_end("G-26")
    demand(
        resigned == (len(words) == 3),
        "G-28",
        "more parameters just if nobody resigned",
        " ".join(words),
    )
    try:
        return Score(won, resigned, tuple(map(int, words[3:7])), tuple(map(float, words[7:9])))
    except ValueError:
        raise Broken("four whole numbers and two totals", shown(words), "G-29") from None

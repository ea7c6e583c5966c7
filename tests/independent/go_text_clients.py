"""Two blocking Go clients, written from the protocol's description alone.

LineClient reads lines as from a text file. StreamClient has a buffer of its own, and cuts what it
sends. Both keep a board of their own, and check that the protocol allows each message.

A silent server raises TimeoutError, and one that breaks the connection ConnectionError; everything
else that a server must not do raises AssertionError.
"""

import random
import re
import socket
from abc import ABC, abstractmethod
from collections import Counter
from decimal import Decimal
from functools import cached_property
from types import TracebackType
from typing import NamedTuple, Self, TextIO

from tests.independent.playing import play_together
from tests.oracles.naive_go import BLACK, EMPTY, Illegal, NaiveGo, Point, opponent_of

TIMEOUT_SECONDS = 30.0

WHOLE = "(0|[1-9][0-9]*)"
BROKEN = r"(-?(?:0|[1-9][0-9]*)\.[0-9]+)"

# The messages of a server and their parameters. SUCCESS has none (G-Q10); the text of an ERROR is
# the rest of its line, blanks included (G-23).
SHAPES = {
    "QUERY": "(boardsize|color|handicap|komi)",
    "ERROR": r"([^\s](?:.*[^\s])?)",
    "TERMS": f"{WHOLE} ([12]) {WHOLE} {BROKEN}",
    "TERMSOK": "",
    "START": "",
    "SUCCESS": "",
    "OPPONENTPLAY": f"{WHOLE} {WHOLE}",
    "OPPONENTPASS": "",
    "GAMEOVER": f"([A-Za-z0-9]+) ([A-Za-z0-9]+)(?: {' '.join([WHOLE] * 4 + [BROKEN] * 2)})?",
}


class Message(NamedTuple):
    """A message of the server: its name and its parameters."""

    name: str
    parameters: list[str]


class Terms(NamedTuple):
    """The terms of a game. color is that of one client: 1 black, 2 white."""

    boardsize: int = 9
    color: int = BLACK
    handicap: int = 0
    komi: Decimal = Decimal("6.5")

    def of_opponent(self) -> "Terms":
        """Return the terms that the opponent must get."""
        return self._replace(color=opponent_of(self.color))


class Readings(NamedTuple):
    """What the document leaves open, with the server's defaults.

    base: the first row and column (G-Q17). true, false: the spelling of booleans (G-Q24). ko:
    G-Q19. scoring: G-Q21.
    """

    base: int = 0
    true: str = "True"
    false: str = "False"
    ko: str = "positional"
    scoring: str = "territory"


class Behaviour(NamedTuple):
    """How a client plays.

    agrees: whether it accepts the terms.
    answers_badly_first: whether it answers each QUERY badly before it answers it well.
    resign_after: the number of its turns (since START) after which it resigns; None for never.
    pass_after: the number of its turns after which it only passes, so that every game ends.
    answers_last_pass: whether it also answers the OPPONENTPASS that ends the game.
    pass_probability: the probability of a pass although there are moves.
    illegal_probability: the probability of an illegal stone before a turn or a handicap stone.
    """

    agrees: bool = True
    answers_badly_first: bool = False
    resign_after: int | None = None
    pass_after: int = 500
    answers_last_pass: bool = False
    pass_probability: float = 0.01
    illegal_probability: float = 0.0


ORDINARY = Behaviour()
DEFAULT_READINGS = Readings()


class Client(ABC):
    """A player in one game.

    After `play`: received has the lines of the server, transcript those of both sides. terms and
    game are None if the game ended before. ending is "refused" (the terms), "resigned" or "scored".
    provoked counts the illegal stones that were answered with ERROR.
    """

    def __init__(
        self,
        host: str,
        port: int,
        proposal: Terms | None = None,
        seed: int = 0,
        behaviour: Behaviour = ORDINARY,
        readings: Readings = DEFAULT_READINGS,
    ) -> None:
        """Connect. The client that connects first is the first player.

        Args:
            proposal: the first player's answers to QUERY; None for the second, who must not be
                asked (G-05).
        """
        self.socket = socket.create_connection((host, port), TIMEOUT_SECONDS)
        self.proposal = proposal
        self.chance = random.Random(seed)
        self.behaviour = behaviour
        self.readings = readings
        self.received: list[str] = []
        self.transcript: list[str] = []
        self.terms: Terms | None = None
        self.game: NaiveGo | None = None
        self.ending = ""
        self.provoked: Counter[Illegal] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def send_line(self, line: str) -> None:
        """Send a line, which comes without its end."""

    @abstractmethod
    def read_line(self) -> str | None:
        """Return the server's next line without its end, None at the end of the stream."""

    def close(self) -> None:
        self.socket.close()

    def play(self) -> None:
        """Play to the end of the connection, and close it."""
        try:
            self.terms = self._read_terms()
            if self._agree():
                game = NaiveGo(
                    size=self.terms.boardsize,
                    ko=self.readings.ko,
                    suicide=False,
                    komi=self.terms.komi,
                    handicap=self.terms.handicap,
                )
                self.game = game
                self._place_handicap(game, self.terms.color)
                self._play_turns(game, self.terms.color)
            else:
                self.ending = "refused"
            # Nothing comes after a GAMEOVER but the end of the stream (G-26).
            after_end = self._read()
            assert after_end is None, f"after the end there came {after_end}"
        except Exception as error:
            error.add_note("\n".join(self.transcript[-12:]))
            raise
        finally:
            self.close()

    def _send(self, line: str) -> None:
        self.transcript.append(f"> {line}")
        self.send_line(line)

    def _read(self) -> Message | None:
        """Return the next message, which must have the right parameters; None at the end."""
        line = self.read_line()
        if line is None:
            self.transcript.append("< (end)")
            return None
        self.received.append(line)
        self.transcript.append(f"< {line}")
        name, blank, rest = line.partition(" ")
        assert name in SHAPES, f"{line!r} is no message of the protocol"
        shape = re.fullmatch(SHAPES[name], rest, re.ASCII)
        assert shape is not None, f"{line!r} has not the parameters of {name}"
        assert bool(blank) == bool(rest), f"{line!r} ends in a blank"
        return Message(name, [group for group in shape.groups() if group is not None])

    def _expect(self, *names: str) -> Message:
        """Return the next message, which must be one of these."""
        message = self._read()
        assert message is not None, f"the server closed instead of {' or '.join(names)}"
        assert message.name in names, f"{message} came instead of {' or '.join(names)}"
        return message

    def _read_terms(self) -> Terms:
        """Answer each QUERY, and return the TERMS, which must be as answered."""
        answers: dict[str, str] = {}
        if self.proposal is not None:
            answers = {name: str(value) for name, value in self.proposal._asdict().items()}
        while answers:
            query = self._expect("QUERY")
            name = query.parameters[0]
            assert name in answers, f"{name} is asked again though its answer was good"
            if self.behaviour.answers_badly_first:
                # A bad answer gets an ERROR, and is asked for again (G-04).
                self._send(f"RESPONSE {name} whatever")
                self._expect("ERROR")
                again = self._expect("QUERY")
                assert again == query, f"{query} was answered badly, but {again} follows"
            self._send(f"RESPONSE {name} {answers.pop(name)}")
        size, color, handicap, komi = self._expect("TERMS").parameters
        terms = Terms(int(size), int(color), int(handicap), Decimal(komi))
        assert self.proposal in (None, terms), f"{terms} are not what was answered: {self.proposal}"
        return terms

    def _agree(self) -> bool:
        """Accept or refuse the terms. Return whether both players have accepted."""
        self._send(f"TERMSCONFIRM {'Yes' if self.behaviour.agrees else 'No'}")
        if not self.behaviour.agrees:
            return False
        message = self._read()
        # If the opponent has refused the terms, the stream ends here (G-09).
        assert message in (None, Message("TERMSOK", [])), f"{message} came instead of TERMSOK"
        return message is not None

    def _place_handicap(self, game: NaiveGo, color: int) -> None:
        """Place black's handicap stones, or read those of the opponent, up to the START."""
        while game.placing and color == BLACK:
            self._place_stone(game, self.chance.choice(game.legal_points()))
        while game.placing:
            message = self._expect("OPPONENTPLAY", "START")
            if message.name == "START":
                game.pass_()
                return
            self._put_opponents_stone(game, message)
        self._expect("START")

    def _play_turns(self, game: NaiveGo, color: int) -> None:
        """Play up to the GAMEOVER, which must be as counted on the own board."""
        taken = 0
        while game.turn is not None:
            if game.turn != color:
                message = self._expect("OPPONENTPLAY", "OPPONENTPASS", "GAMEOVER")
                if message.name == "GAMEOVER":
                    self._judge_resignation(message, won=True)
                    return
                if message.name == "OPPONENTPASS":
                    game.pass_()
                    if game.turn is None and self.behaviour.answers_last_pass:
                        # An OPPONENTPASS usually means that it is this player's turn (G-Q27).
                        self._send("PASS")
                else:
                    self._put_opponents_stone(game, message)
                continue
            if taken == self.behaviour.resign_after:
                self._send("RESIGN")
                self._judge_resignation(self._expect("GAMEOVER"), won=False)
                return
            point = self._choose(game, color, must_pass=taken >= self.behaviour.pass_after)
            if point is None:
                # Only the opponent gets a message (G-21, G-Q28).
                self._send("PASS")
                game.pass_()
            else:
                self._place_stone(game, point)
            taken += 1
        self._judge_score(self._expect("GAMEOVER"), game, color)

    def _choose(self, game: NaiveGo, color: int, must_pass: bool) -> Point | None:
        """Return a random legal point that is no eye of this player, None to pass."""
        if must_pass or self.chance.random() < self.behaviour.pass_probability:
            return None
        empty = [point for point, content in game.board.items() if content == EMPTY]
        self.chance.shuffle(empty)
        for point in empty:
            is_eye = all(game.board[near] == color for near in game.neighbours[point])
            if not is_eye and game.why_illegal(*point) is None:
                return point
        return None

    def _place_stone(self, game: NaiveGo, point: Point) -> None:
        """Play a legal stone, and sometimes try an illegal one before it."""
        if self.chance.random() < self.behaviour.illegal_probability:
            self._try_illegal_stone(game)
        self._send(self._play_message(point))
        self._expect("SUCCESS")
        game.play(*point)

    def _try_illegal_stone(self, game: NaiveGo) -> None:
        """Try an illegal stone, after which it must still be this player's turn.

        All kinds of illegal moves that the position has are equally likely.
        """
        kinds: dict[Illegal, list[Point]] = {Illegal.OFF_BOARD: [(game.size, 0), (0, game.size)]}
        for point in game.board:
            why = game.why_illegal(*point)
            if why is not None:
                kinds.setdefault(why, []).append(point)
        kind = self.chance.choice(list(kinds))
        # An illegal stone gets an ERROR and changes nothing (G-18).
        self._send(self._play_message(self.chance.choice(kinds[kind])))
        self._expect("ERROR")
        self.provoked[kind] += 1

    def _play_message(self, point: Point) -> str:
        """Return the PLAY for a point: its Y coordinate, then its X coordinate."""
        row, column = point
        return f"PLAY {row + self.readings.base} {column + self.readings.base}"

    def _put_opponents_stone(self, game: NaiveGo, message: Message) -> None:
        """Play the opponent's stone on the own board, where it must be legal."""
        row, column = (int(number) - self.readings.base for number in message.parameters)
        why = game.why_illegal(row, column)
        assert why is None, f"{message}: {why}, but the server allowed it\n{game.diagram()}"
        game.play(row, column)

    def _boolean(self, true: bool) -> str:
        return self.readings.true if true else self.readings.false

    def _judge_resignation(self, message: Message, won: bool) -> None:
        """Check a GAMEOVER before two passes: a resignation has two parameters (G-Q23)."""
        due = [self._boolean(won), self._boolean(True)]
        assert message.parameters == due, f"{message} instead of {due}"
        self.ending = "resigned"

    def _judge_score(self, message: Message, game: NaiveGo, color: int) -> None:
        """Check the eight parameters of a GAMEOVER after two passes."""
        other = opponent_of(color)
        captured, territory = game.captured_by, game.territory()
        totals = game.scores(self.readings.scoring)
        due = [
            self._boolean(game.winner(self.readings.scoring) == color),
            self._boolean(False),
            *(str(count) for count in (captured[color], captured[other])),
            *(str(count) for count in (territory[color], territory[other])),
        ]
        report = f"{message} instead of {due} and {totals[color]} {totals[other]} on\n"
        assert message.parameters[:6] == due, report + game.diagram()
        # Numbers are compared, not digits: 6.5 may also be 6.50.
        assert [Decimal(total) for total in message.parameters[6:]] == [
            totals[color],
            totals[other],
        ], report + game.diagram()
        self.ending = "scored"


class LineClient(Client):
    """Reads what the server sends like a text file."""

    @cached_property
    def file(self) -> TextIO:
        """The server's text, without translation of CRLF."""
        return self.socket.makefile("r", encoding="ascii", newline="\n")

    def send_line(self, line: str) -> None:
        self.socket.sendall(f"{line}\n".encode("ascii"))

    def read_line(self) -> str | None:
        line = self.file.readline()
        if line == "":
            return None
        assert line.endswith("\n"), f"the server closed in the middle of {line!r}"
        return line[:-1]

    def close(self) -> None:
        self.file.close()
        super().close()


class StreamClient(Client):
    """Reads a stream in small pieces. It sends some lines byte by byte, and some with CRLF."""

    buffer = b""

    def send_line(self, line: str) -> None:
        data = line.encode("ascii") + self.chance.choice([b"\n", b"\r\n"])
        if self.chance.random() < 0.5:
            self.socket.sendall(data)
            return
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in data:
            self.socket.sendall(bytes([byte]))

    def read_line(self) -> str | None:
        while b"\n" not in self.buffer:
            arrived = self.socket.recv(7)
            if not arrived:
                assert not self.buffer, f"the server closed in the middle of {self.buffer!r}"
                return None
            self.buffer += arrived
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode("ascii")


def run_pair(first: Client, second: Client, patience_seconds: float = 120.0) -> None:
    """Let two clients play their game to its end, and compare what they have seen."""
    play_together({"first": first.play, "second": second.play}, patience_seconds)
    _compare(first, second)


def _compare(first: Client, second: Client) -> None:
    """Raise AssertionError unless both clients have seen the same game."""
    assert first.terms is not None
    assert second.terms == first.terms.of_opponent(), f"{first.terms} but {second.terms}"
    assert first.ending == second.ending, f"{first.ending} but {second.ending}"
    if first.game is not None and second.game is not None:
        boards = f"one saw\n{first.game.diagram()}\nthe other\n{second.game.diagram()}"
        assert first.game.board == second.game.board, boards
        assert first.game.captured_by == second.game.captured_by, boards

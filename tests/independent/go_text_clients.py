"""Two blocking clients of the Go server, written from the protocol's description alone.

They read the server's lines each in its own way: LineClient as a text file, StreamClient from a
buffer of its own, and it also cuts what it sends. What they say and expect is the same: it keeps
to a board of its own, and each message must be one that the protocol allows at that moment.

A server that stays silent shows as TimeoutError, one that breaks the connection as
ConnectionError; everything else that a server must not do shows as AssertionError.
"""

import random
import re
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from decimal import Decimal
from functools import cached_property
from types import TracebackType
from typing import NamedTuple, Self, TextIO

from tests.oracles.naive_go import BLACK, EMPTY, Illegal, NaiveGo, Point, opponent_of

TIMEOUT_SECONDS = 30.0

WHOLE = "(0|[1-9][0-9]*)"
BROKEN = r"(-?(?:0|[1-9][0-9]*)\.[0-9]+)"

# Every message that a server may send. SUCCESS has no parameters (G-Q10); the text of an ERROR is
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
    """A message as it was heard: its name and those of its parameters that were there."""

    name: str
    parameters: list[str]


class Terms(NamedTuple):
    """What a game is played for; color is that of one client: 1 black, 2 white."""

    boardsize: int = 9
    color: int = BLACK
    handicap: int = 0
    komi: Decimal = Decimal("6.5")

    def of_opponent(self) -> "Terms":
        """The same terms as the other client must be told them."""
        return self._replace(color=opponent_of(self.color))


class Readings(NamedTuple):
    """What the document leaves open, with the hall's defaults.

    base: the first row and column (G-Q17). true, false: how booleans are spelt (G-Q24). ko,
    suicide: G-Q19. scoring: G-Q21.
    """

    base: int = 0
    true: str = "True"
    false: str = "False"
    ko: str = "positional"
    suicide: bool = False
    scoring: str = "territory"


class Behaviour(NamedTuple):
    """What kind of player a client is.

    agrees: what it says to the terms.
    mumbles: it answers each QUERY with nonsense first.
    handicap_stones: how many it places before it passes; None for all that it is given.
    resign_after: after so many turns of its own (since START) it resigns; None for never.
    pass_after: after so many turns of its own it only passes, so that every game ends.
    hasty: it answers every OPPONENTPASS, also the one that ends the game.
    whim: how likely it passes for no reason.
    mischief: how likely it tries an illegal stone before a turn or a handicap stone.
    """

    agrees: bool = True
    mumbles: bool = False
    handicap_stones: int | None = None
    resign_after: int | None = None
    pass_after: int = 500
    hasty: bool = False
    whim: float = 0.01
    mischief: float = 0.0


ORDINARY = Behaviour()
DEFAULT_READINGS = Readings()


class Client(ABC):
    """One player in one game; how its lines travel is left to the two kinds of client.

    proposal are the terms that the first player answers QUERYs with; the second player has None
    and must not be asked (G-05).

    After `play`: heard holds the server's lines and transcript both sides' lines ("< " heard,
    "> " said). terms and game are None if it did not come to them. ending is "refused" (the terms),
    "resigned" or "scored". provoked counts the illegal stones that were answered with ERROR.
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
        """Connects: whoever is made first is the first player."""
        self.socket = socket.create_connection((host, port), TIMEOUT_SECONDS)
        self.proposal = proposal
        self.chance = random.Random(seed)
        self.behaviour = behaviour
        self.readings = readings
        self.heard: list[str] = []
        self.transcript: list[str] = []
        self.terms: Terms | None = None
        self.game: NaiveGo | None = None
        self.ending = ""
        self.provoked: Counter[Illegal] = Counter()

    def __enter__(self) -> Self:
        """The client itself, to be closed at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes; errors pass through."""
        self.close()

    @abstractmethod
    def send_line(self, line: str) -> None:
        """Sends a line that has no end yet."""

    @abstractmethod
    def read_line(self) -> str | None:
        """The server's next line without its end, None at a clean end of the stream."""

    def close(self) -> None:
        """Ends the connection; harmless when repeated."""
        self.socket.close()

    def play(self) -> list[str]:
        """Plays to the end of the connection, closes, and gives all lines that the server sent."""
        try:
            self.terms = self._hear_terms()
            if self._agree():
                game = NaiveGo(
                    size=self.terms.boardsize,
                    ko=self.readings.ko,
                    suicide=self.readings.suicide,
                    komi=self.terms.komi,
                    handicap=self.terms.handicap,
                )
                self.game = game
                self._place_handicap(game, self.terms.color)
                self._play_turns(game, self.terms.color)
            else:
                self.ending = "refused"
            # Nothing comes after a GAMEOVER but the end of the stream (G-26).
            after_end = self._hear()
            assert after_end is None, f"after the end there came {after_end}"
        finally:
            self.close()
        return self.heard

    def _say(self, line: str) -> None:
        self.transcript.append(f"> {line}")
        self.send_line(line)

    def _hear(self) -> Message | None:
        """The next message, which must have the shape that its name demands; None for end."""
        line = self.read_line()
        if line is None:
            self.transcript.append("< (end)")
            return None
        self.heard.append(line)
        self.transcript.append(f"< {line}")
        name, blank, rest = line.partition(" ")
        assert name in SHAPES, f"{line!r} is no message of the protocol"
        shape = re.fullmatch(SHAPES[name], rest, re.ASCII)
        assert shape is not None, f"{line!r} has not the parameters of {name}"
        assert bool(blank) == bool(rest), f"{line!r} ends in a blank"
        return Message(name, [group for group in shape.groups() if group is not None])

    def _expect(self, *names: str) -> Message:
        """The next message, which must be one of these."""
        message = self._hear()
        assert message is not None, f"the server closed where {' or '.join(names)} was due"
        assert message.name in names, f"{message} came where {' or '.join(names)} was due"
        return message

    def _hear_terms(self) -> Terms:
        """Answers what is asked and gives the TERMS, which must be what was answered."""
        answers: dict[str, str] = {}
        if self.proposal is not None:
            answers = {name: str(value) for name, value in self.proposal._asdict().items()}
        while answers:
            query = self._expect("QUERY")
            name = query.parameters[0]
            assert name in answers, f"{name} is asked again though its answer was in order"
            if self.behaviour.mumbles:
                # A bad answer gets an ERROR, and is asked for again (G-04).
                self._say(f"RESPONSE {name} whatever")
                self._expect("ERROR")
                again = self._expect("QUERY")
                assert again == query, f"{query} was answered badly, but {again} follows"
            self._say(f"RESPONSE {name} {answers.pop(name)}")
        size, color, handicap, komi = self._expect("TERMS").parameters
        terms = Terms(int(size), int(color), int(handicap), Decimal(komi))
        assert self.proposal in (None, terms), f"{terms} are not what was answered: {self.proposal}"
        return terms

    def _agree(self) -> bool:
        """Says Yes or No; whether both clients have agreed."""
        self._say(f"TERMSCONFIRM {'Yes' if self.behaviour.agrees else 'No'}")
        if not self.behaviour.agrees:
            return False
        message = self._hear()
        # If the other player said No, the stream ends here (G-09).
        assert message in (None, Message("TERMSOK", [])), f"{message} came where TERMSOK was due"
        return message is not None

    def _place_handicap(self, game: NaiveGo, color: int) -> None:
        """Places black's free stones, or watches black do it, up to the START."""
        placed, most = 0, self.behaviour.handicap_stones
        while game.placing and color == BLACK:
            if placed == most:
                # Black gives up the remaining stones (G-13); neither client is told (G-Q12).
                self._say("PASS")
                game.pass_()
            else:
                self._place_stone(game, self.chance.choice(game.legal_points()))
                placed += 1
        while game.placing:
            message = self._expect("OPPONENTPLAY", "START")
            if message.name == "START":
                game.pass_()
                return
            self._put_opponents_stone(game, message)
        self._expect("START")

    def _play_turns(self, game: NaiveGo, color: int) -> None:
        """Takes turns with the opponent up to the GAMEOVER, which must tell the truth."""
        taken = 0
        while game.turn is not None:
            if game.turn != color:
                message = self._expect("OPPONENTPLAY", "OPPONENTPASS", "GAMEOVER")
                if message.name == "GAMEOVER":
                    self._judge_resignation(message, won=True)
                    return
                if message.name == "OPPONENTPASS":
                    game.pass_()
                    if game.turn is None and self.behaviour.hasty:
                        # It takes this for the invitation to move that it usually is (G-Q27).
                        self._say("PASS")
                else:
                    self._put_opponents_stone(game, message)
                continue
            if taken == self.behaviour.resign_after:
                self._say("RESIGN")
                self._judge_resignation(self._expect("GAMEOVER"), won=False)
                return
            point = self._choose(game, color, tired=taken >= self.behaviour.pass_after)
            if point is None:
                # Only the other player is told (G-21, G-Q28).
                self._say("PASS")
                game.pass_()
            else:
                self._place_stone(game, point)
            taken += 1
        self._judge_score(self._expect("GAMEOVER"), game, color)

    def _choose(self, game: NaiveGo, color: int, tired: bool) -> Point | None:
        """A random legal point that is no eye of one's own, None to pass."""
        if tired or self.chance.random() < self.behaviour.whim:
            return None
        empty = [point for point, content in game.board.items() if content == EMPTY]
        self.chance.shuffle(empty)
        for point in empty:
            is_eye = all(game.board[near] == color for near in game.neighbours[point])
            if not is_eye and game.why_illegal(*point) is None:
                return point
        return None

    def _place_stone(self, game: NaiveGo, point: Point) -> None:
        """Sends a legal stone, sometimes an illegal one before it."""
        if self.chance.random() < self.behaviour.mischief:
            self._try_illegal_stone(game)
        self._say(self._play_message(point))
        self._expect("SUCCESS")
        game.play(*point)

    def _try_illegal_stone(self, game: NaiveGo) -> None:
        """Sends a stone that cannot be placed; then it must still be this player's turn.

        All kinds of illegality that the position offers are equally likely.
        """
        kinds: dict[Illegal, list[Point]] = {Illegal.OFF_BOARD: [(game.size, 0), (0, game.size)]}
        for point in game.board:
            why = game.why_illegal(*point)
            if why is not None:
                kinds.setdefault(why, []).append(point)
        kind = self.chance.choice(list(kinds))
        # An illegal stone gets an ERROR and changes nothing (G-18).
        self._say(self._play_message(self.chance.choice(kinds[kind])))
        self._expect("ERROR")
        self.provoked[kind] += 1

    def _play_message(self, point: Point) -> str:
        """The PLAY for a point: its Y coordinate, then its X coordinate."""
        row, column = point
        return f"PLAY {row + self.readings.base} {column + self.readings.base}"

    def _put_opponents_stone(self, game: NaiveGo, message: Message) -> None:
        """Puts on the own board what the server let the opponent play, which must be legal."""
        row, column = (int(number) - self.readings.base for number in message.parameters)
        why = game.why_illegal(row, column)
        assert why is None, f"{message}: {why}, but the server allowed it\n{game.diagram()}"
        game.play(row, column)

    def _boolean(self, true: bool) -> str:
        return self.readings.true if true else self.readings.false

    def _judge_resignation(self, message: Message, won: bool) -> None:
        """A GAMEOVER before two passes is a resignation, and then has two parameters (G-Q23)."""
        due = [self._boolean(won), self._boolean(True)]
        assert message.parameters == due, f"{message}, but due was {due}"
        self.ending = "resigned"

    def _judge_score(self, message: Message, game: NaiveGo, color: int) -> None:
        """The GAMEOVER after two passes has all eight parameters, as counted on the own board."""
        other = opponent_of(color)
        captured, territory = game.captured_by, game.territory()
        totals = game.scores(self.readings.scoring)
        due = [
            self._boolean(game.winner(self.readings.scoring) == color),
            self._boolean(False),
            *(str(count) for count in (captured[color], captured[other])),
            *(str(count) for count in (territory[color], territory[other])),
        ]
        told = f"{message}, but due was {due} and the totals {totals[color]} {totals[other]} on\n"
        assert message.parameters[:6] == due, told + game.diagram()
        # Numbers are compared, not digits: 6.5 may also be 6.50.
        assert [Decimal(total) for total in message.parameters[6:]] == [
            totals[color],
            totals[other],
        ], told + game.diagram()
        self.ending = "scored"


class LineClient(Client):
    """Takes what the server sends for a text file and reads it line by line."""

    @cached_property
    def file(self) -> TextIO:
        """What the server sends, untranslated, so that a line that ends in CRLF shows."""
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
    """Knows that TCP is a stream: gathers what arrives, and cuts what it sends.

    Some of its lines go out byte by byte, some end in CRLF.
    """

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


def run_pair(
    first: Client, second: Client, patience_seconds: float = 120.0
) -> tuple[list[str], list[str]]:
    """Lets both clients play their game to its end and gives what each of them heard.

    What a client raises is raised here with its transcript: alone if one failed, as an
    ExceptionGroup if both did. AssertionError when a client does not come to an end within the
    patience, or when the two were told different things.
    """
    errors: list[Exception] = []

    def play(place: str, client: Client) -> None:
        try:
            client.play()
        except Exception as error:  # whatever it is, the test that waits has to see it
            last_lines = "\n".join(client.transcript[-12:])
            error.add_note(
                f"in the {place} client ({type(client).__name__}), which saw\n{last_lines}"
            )
            errors.append(error)

    threads = {
        place: threading.Thread(target=play, args=(place, client), daemon=True, name=place)
        for place, client in (("first", first), ("second", second))
    }
    deadline = time.monotonic() + patience_seconds
    for thread in threads.values():
        thread.start()
    for place, thread in threads.items():
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            errors.append(AssertionError(f"{place} is still playing after {patience_seconds} s"))
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ExceptionGroup("both clients failed", errors)
    _compare(first, second)
    return first.heard, second.heard


def _compare(first: Client, second: Client) -> None:
    """Raises AssertionError unless both clients were told of one and the same game."""
    assert first.terms is not None
    assert second.terms == first.terms.of_opponent(), f"{first.terms} but {second.terms}"
    assert first.ending == second.ending, f"{first.ending} but {second.ending}"
    if first.game is not None and second.game is not None:
        told = f"one saw\n{first.game.diagram()}\nthe other\n{second.game.diagram()}"
        assert first.game.board == second.game.board, told
        assert first.game.captured_by == second.game.captured_by, told

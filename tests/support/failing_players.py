"""Players at both Santorini doors that can fail in every way.

They are written from the documents and use the rules of tests/independent, so they share no code
with the server. By default they answer at once, make legal moves, and climb whenever they can, so
that games are short.
"""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import Enum
from itertools import chain
from random import Random
from typing import ClassVar

from gamehall.rooms.view import TournamentReport
from tests.independent.santorini_board import (
    CELLS,
    Cell,
    Position,
    Step,
    Turn,
    beside,
    faulty_turns,
    free_cells,
    legal_turns,
    read_board,
)
from tests.support.memory_stage import MemoryStage
from tests.support.socket_stage import SocketStage

SECONDS_TO_FINISH = 60
VERDICTS = ("WINNER", "LOSER", "CHEATER")


class Failure(Enum):
    """How a player fails."""

    SILENT = "is silent"
    LEAVES = "leaves"
    HANGS_UP = "hangs up"
    FLOODS = "floods"
    GARBLES = "garbles"
    CHEATS = "cheats"
    """Sends an illegal move, or if it was not prompted, one out of turn."""


class Game:
    """A game as one of its players knows it.

    At santorini-lobby doors players learn neither the opponent nor the winner.
    """

    def __init__(self, opponent: str) -> None:
        self.opponent = opponent
        self.verdict: str | None = None


class Player(ABC):
    """One client without a socket: it receives messages and returns answers."""

    door: ClassVar[str]
    seconds_to_answer: ClassVar[float]
    """The timeout, including the grace period."""
    games_per_pair: ClassVar[int]

    def __init__(self, name: str) -> None:
        self.name = name
        self.received: list[object] = []
        self.games: list[Game] = []
        self.is_idle = False
        """Whether it does not answer prompts."""
        self.asked: Position | None = None
        """The board of the prompt that it has not answered yet."""
        self.times_asked = 0
        self._random = Random(name)

    @abstractmethod
    def sign_up(self) -> bytes: ...

    @abstractmethod
    def receive(self, message: object) -> bytes:
        """Process a message, and return the immediate answer."""

    def answer(self) -> bytes:
        """Return a legal answer to the prompt."""
        position = self._take_prompt()
        if len(position.workers) < 4:
            return self._write(position, self._random.choice(free_cells(position)))
        turns = legal_turns(position, self._called)
        self._random.shuffle(turns)
        return self._write(position, max(turns, key=lambda turn: _climb(position, turn)))

    def illegal_answer(self) -> bytes:
        """Return an illegal answer to the prompt."""
        position = self._take_prompt()
        if len(position.workers) < 4:
            taken = [cell for cell in CELLS if cell in position.workers.values()]
            return self._write(position, self._random.choice([*taken, (-1, 0), (2, 5)]))
        turns = chain.from_iterable(faulty_turns(position, self._called).values())
        return self._write(position, self._random.choice(list(turns)))

    @abstractmethod
    def flood(self) -> bytes:
        """Return too many allowed messages."""

    @abstractmethod
    def garble(self) -> bytes:
        """Return enough unreadable messages to be disqualified."""

    @abstractmethod
    def cheat(self) -> bytes:
        """Return enough illegal or unprompted answers to be disqualified."""

    @property
    @abstractmethod
    def _called(self) -> str:
        """The name of its workers on the board, without their number."""

    @abstractmethod
    def _write(self, position: Position, move: Cell | Turn) -> bytes: ...

    def _ask(self, position: Position) -> None:
        self.asked = position
        self.times_asked += 1

    def _take_prompt(self) -> Position:
        assert self.asked is not None, f"{self.name} was not asked"
        position, self.asked = self.asked, None
        return position

    def _end_game(self, verdict: str) -> None:
        assert self.asked is None or self.is_idle, f"{self.name} had not answered yet"
        assert self.games[-1].verdict is None, f"{self.name} is told twice that the game is over"
        self.games[-1].verdict, self.asked = verdict, None


class LobbyPlayer(Player):
    """A santorini-lobby player who has asked to be shown the board (S0-Q18)."""

    door = "santorini-lobby"
    seconds_to_answer = 10.25
    games_per_pair = 1
    _called = "1"

    def sign_up(self) -> bytes:
        return _line(["join", self.name, {"board": True}])

    def receive(self, message: object) -> bytes:
        self.received.append(message)
        match message:
            case ["keepalive"]:
                return b"" if self.is_idle else _line(["stillalive"])
            case ["set_id", str()]:
                pass
            case ["start_of_game"]:
                self.games.append(Game(""))
                self._called = ""
            case ["get_placement" | "get_turn" as kind, board]:
                position = read_board(board, "[12]")
                assert (kind == "get_placement") == (len(position.workers) < 4)
                # S0-13: the first to place is P1, and sees an empty board.
                self._called = self._called or ("2" if position.workers else "1")
                self._ask(position)
            case ["end_of_game", _]:
                self._end_game("end_of_game")
            case _:
                raise AssertionError(f"{self.name} does not understand {message!r}")
        return b""

    def flood(self) -> bytes:
        # Unknown messages are ignored (S0-Q26), but only ten unprompted answers are (S0-Q19).
        return _line(["hello"]) * 50 + _line(["give_turn"]) * 11

    def garble(self) -> bytes:
        return b"nonsense\n" * 11

    def cheat(self) -> bytes:
        if self.asked is None:
            return _line(["give_placement", [0, 0]]) * 11
        position = self.asked
        answers = b""
        for _ in range(11):
            self.asked = position
            answers += self.illegal_answer()
        return answers

    def _write(self, position: Position, move: Cell | Turn) -> bytes:
        if not isinstance(move, Turn):
            return _line(["give_placement", _xy(move)])
        here = position.workers[move.worker]
        there = beside(here, move.move)
        build = [] if move.build is None else [_words(move.build, str.capitalize)]
        return _line(["give_turn", [_xy(here), _xy(there), *build]])


class TournamentPlayer(Player):
    """A santorini-tournament player."""

    door = "santorini-tournament"
    seconds_to_answer = 5.25
    games_per_pair = 3
    _called = ""

    def sign_up(self) -> bytes:
        return _line(self.name)

    def receive(self, message: object) -> bytes:
        self.received.append(message)
        match message:
            case str() if message in VERDICTS:
                self._end_game(message)
            case str() if not self._called:
                assert message == self.name, "all names are different here"
                self._called = message
            case str() if message.isalpha():
                self.games.append(Game(message))
            case ["place" | "turn" as kind, board]:
                position = read_board(board, "[a-z]+")
                assert (kind == "place") == (len(position.workers) < 4)
                self._ask(position)
            case bool() | [[*_], [*_]]:
                pass
            case _:
                assert message in {f"{self.name}1", f"{self.name}2"}
        return b""

    def flood(self) -> bytes:
        return _line(["check-placement", [0, 0]]) * 11

    def garble(self) -> bytes:
        return b"nonsense\n"

    def cheat(self) -> bytes:
        return _line([0, 0]) if self.asked is None else self.illegal_answer()

    def _write(self, position: Position, move: Cell | Turn) -> bytes:
        if not isinstance(move, Turn):
            return _line(list(move))
        steps = [move.move] if move.build is None else [move.move, move.build]
        words = [list(reversed(_words(step, str.upper))) for step in steps]
        return _line([move.worker, *words])


class CheckingPlayer(TournamentPlayer):
    """A santorini-tournament player that checks each move first, as in the document's diagram."""

    def answer(self) -> bytes:
        answer = super().answer()
        value = json.loads(answer)
        kind = "check-turn" if isinstance(value[0], str) else "check-placement"
        return _line([kind, value]) + answer


class PlayerGroup:
    """Several players at one door, on one stage."""

    def __init__(
        self, stage: MemoryStage | SocketStage, kind: type[Player], names: Sequence[str]
    ) -> None:
        self.stage = stage
        self.kind = kind
        self.players = {name: kind(name) for name in names}
        self._unread = dict.fromkeys(names, b"")
        self._reports: list[TournamentReport] = []
        if isinstance(stage, SocketStage):
            self._reports = stage.observer.reports

    def __getitem__(self, name: str) -> Player:
        return self.players[name]

    def sign_up(self) -> None:
        for name, player in self.players.items():
            self.stage.send(name, player.sign_up())

    def play(self, until: Callable[[], bool] | None = None) -> None:
        """Let all players that are not idle answer their prompts, until there are no more."""
        while self.listen():
            for name, player in self.players.items():
                if until is not None and until():
                    return
                if player.asked is not None and not player.is_idle:
                    self.stage.send(name, player.answer())

    def play_until_asked(self, name: str, times: int) -> None:
        """Play until a player has received this number of prompts."""
        player = self.players[name]
        self.play(lambda: player.asked is not None and player.times_asked == times)
        assert player.asked is not None, f"{name} was asked only {player.times_asked} times"

    def listen(self) -> bool:
        """Deliver all messages. Return True if there were any, or a player must answer."""
        unread = self.stage.unread()
        if not unread:
            # Over sockets, messages may still be on their way.
            self.stage.wait(0)
            unread = self.stage.unread()
        for name, sent in unread.items():
            if isinstance(self.stage, MemoryStage):
                self.stage.read(name, len(sent))
            *lines, self._unread[name] = (self._unread[name] + sent).split(b"\n")
            for line in lines:
                reply = self.players[name].receive(json.loads(line))
                if reply:
                    self.stage.send(name, reply)
        asked = [player for player in self.players.values() if player.asked is not None]
        return bool(unread) or not all(player.is_idle for player in asked)

    def wait(self, seconds: float) -> None:
        """Let time pass while players play."""
        steps = math.ceil(seconds)
        for _ in range(steps):
            self.stage.wait(seconds / steps)
            self.play()

    def finish(self) -> TournamentReport:
        """Play to the end of the tournament, and return the report."""
        self.play()
        for _ in range(SECONDS_TO_FINISH):
            if isinstance(self.stage, MemoryStage):
                self._reports += self.stage.take_reports()
            if self._reports:
                break
            self.wait(1)
        [report] = self._reports
        return report

    def fail(self, name: str, failure: Failure) -> None:
        """Let a player fail and be idle from then on, and deliver the messages that follow."""
        player = self.players[name]
        player.is_idle = True
        match failure:
            case Failure.SILENT:
                self.wait(self.kind.seconds_to_answer + 0.01)
            case Failure.LEAVES:
                self.stage.reset(name)
            case Failure.HANGS_UP:
                self.stage.hang_up(name)
            case Failure.FLOODS:
                self.stage.send(name, player.flood())
            case Failure.GARBLES:
                self.stage.send(name, player.garble())
            case Failure.CHEATS:
                self.stage.send(name, player.cheat())
        self.listen()


def _climb(position: Position, turn: Turn) -> tuple[int, int]:
    """Return a score of the turn that prefers high cells, then builds that can be climbed."""
    there = beside(position.workers[turn.worker], turn.move)
    if turn.build is None:
        return 4, 0
    site = position.heights[beside(there, turn.build)]
    return position.heights[there], site if site <= position.heights[there] else -1


def _words(step: Step, spelling: Callable[[str], str]) -> list[str]:
    """Return the step in words: north or south, then east or west."""
    north_south = ("Put", "South", "North")[step[0]]
    east_west = ("Put", "East", "West")[step[1]]
    return [spelling(north_south), spelling(east_west)]


def _xy(cell: Cell) -> list[int]:
    """Return the cell as the santorini-lobby protocol writes it: posx is the column (S0-Q16)."""
    return [cell[1], cell[0]]


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"

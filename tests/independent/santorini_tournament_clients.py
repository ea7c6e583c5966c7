"""Two blocking clients for the Santorini tournament, written from its first description alone.

They stand for two authors who never met. One reads line by line and follows the drawing from
top to bottom. The other takes the connection for a stream of JSON values, cut anywhere, and
lets the shape of each value tell what it is. They share the naive board and the judgement of
results, so that both notice a server that does not play Santorini.

Whatever the document does not allow the server to say raises AssertionError, silence too.
"""

import json
import random
import re
import socket
from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum

from tests.independent.santorini_board import (
    EMPTY,
    Cell,
    Position,
    Step,
    Turn,
    after,
    beside,
    ends_game,
    fault,
    faulty_turns,
    follows,
    follows_placing,
    free_cells,
    legal_turns,
    placed,
    read_board,
)
from tests.independent.santorini_clients import (
    NAME,
    TIMEOUT_SECONDS,
    CheckAllowance,
    PlayedGame,
    TournamentResult,
    judge_result,
    judge_tournament,
)

RESULTS = ("WINNER", "LOSER", "CHEATER")
EAST_WEST = {1: "EAST", 0: "PUT", -1: "WEST"}
NORTH_SOUTH = {-1: "NORTH", 0: "PUT", 1: "SOUTH"}


def direction(step: Step) -> list[str]:
    """A step as [EastWest, NorthSouth]."""
    return [EAST_WEST[step[1]], NORTH_SOUTH[step[0]]]


def turn_request(turn: Turn) -> list[object]:
    """A turn as [worker-id, Direction] or [worker-id, Direction, Direction]."""
    if turn.build is None:
        return [turn.worker, direction(turn.move)]
    return [turn.worker, direction(turn.move), direction(turn.build)]


def some_faulty_turn(position: Position, player: str, chance: random.Random) -> Turn:
    """A turn that the rules forbid; each reason is as likely as another."""
    by_reason = faulty_turns(position, player)
    return chance.choice(by_reason[chance.choice(sorted(by_reason))])


def some_faulty_cell(position: Position, chance: random.Random) -> Cell:
    """An occupied cell if there is one, else one beyond the edge."""
    occupied = sorted(position.workers.values())
    return chance.choice([*occupied, (-1, 0), (0, -1), (5, 4), (4, 5)])


class LineClient:
    """The author who follows the drawing: one line, one message, what is drawn next comes next.

    With checks, it asks before it answers, about what it is going to do and about what it may
    not do. To cheat, override choose_placement or choose_turn.
    """

    def __init__(
        self,
        host: str,
        port: int,
        name: str,
        seed: int,
        *,
        checks: bool = True,
        games_per_opponent: int = 3,
    ) -> None:
        self.host = host
        self.port = port
        self.name = name
        self.checks = checks
        self.games_per_opponent = games_per_opponent
        self.internal_name = ""
        self.played: list[PlayedGame] = []
        self.tournament_result: TournamentResult | None = None
        self.checks_made = 0
        self.cheated = False
        self.heard: list[object] = []
        self._chance = random.Random(seed)
        # How often it checks depends on the time; how it plays must not depend on that.
        self._chance_of_checks = random.Random(seed)
        self._allowance = CheckAllowance()

    @property
    def opponents(self) -> list[str]:
        """Whom it met, game by game."""
        return [game.opponent for game in self.played]

    @property
    def results(self) -> list[str]:
        """What it was told at the end of each game."""
        return [game.result for game in self.played]

    def play(self) -> list[object]:
        """Connects, plays the whole tournament and gives all that the server said."""
        with socket.create_connection((self.host, self.port), TIMEOUT_SECONDS) as connection:
            return self.play_on(connection)

    def play_on(self, connection: socket.socket) -> list[object]:
        """Plays the whole tournament on an open connection, which stays open."""
        connection.settimeout(TIMEOUT_SECONDS)
        with (
            connection.makefile("r", encoding="ascii", newline="\n") as self._reader,
            connection.makefile("w", encoding="ascii", newline="\n") as self._writer,
        ):
            self._say(self.name)
            self.internal_name = self._expect_name(self._hear())
            while self.tournament_result is None and "CHEATER" not in self.results:
                message = self._hear()
                if isinstance(message, str):
                    self._play_game(self._expect_name(message))
                else:
                    self.tournament_result = judge_tournament(
                        message, self.internal_name, self.played, self.games_per_opponent
                    )
            self._expect_end()
        return self.heard

    def choose_placement(self, position: Position) -> Cell:
        """Where to place the next worker."""
        return self._chance.choice(free_cells(position))

    def choose_turn(self, position: Position) -> Turn:
        """What to do with which worker."""
        return self._chance.choice(legal_turns(position, self.internal_name))

    def _play_game(self, opponent: str) -> None:
        """From the start game, which has been heard, to the game-result."""
        me = self.internal_name
        assert opponent != me, f"{me} is to play against itself"
        known = EMPTY
        for number in (1, 2):
            message = self._hear()
            if message in RESULTS:
                return self._end_game(opponent, message, None)
            position = self._expect_prompt("place", message, opponent)
            self._expect_placing(known, position, opponent)
            cell = self._place(position)
            reply = self._hear()
            if reply in RESULTS:
                return self._end_game(opponent, reply, None)
            assert reply == f"{me}{number}", f"expected worker-id {me}{number}, got {reply!r}"
            known = placed(position, f"{me}{number}", cell)

        last: tuple[Position, Turn] | None = None
        while (message := self._hear()) not in RESULTS:
            position = self._expect_prompt("turn", message, opponent)
            if last is None:
                assert follows_placing(known, position, opponent), (
                    f"{position} does not follow from {known}"
                )
            else:
                assert not ends_game(*last, opponent), f"{last} had won; then came {message!r}"
                assert follows(after(*last), position, opponent), (
                    f"no turn of {opponent} leads from {after(*last)} to {position}"
                )
            last = position, self._turn(position)
        return self._end_game(opponent, message, last)

    def _end_game(self, opponent: str, result: object, last: tuple[Position, Turn] | None) -> None:
        decided = self.cheated or judge_result(str(result), self.internal_name, opponent, last)
        self.played.append(PlayedGame(opponent, str(result), decided))

    def _place(self, position: Position) -> Cell:
        cell = self.choose_placement(position)
        self.cheated = self.cheated or cell not in free_cells(position)
        if self.checks and not self.cheated:
            wrong = some_faulty_cell(position, self._chance_of_checks)
            self._check("check-placement", list(cell), list(wrong))
        self._say(list(cell))
        return cell

    def _turn(self, position: Position) -> Turn:
        turn = self.choose_turn(position)
        self.cheated = self.cheated or fault(position, self.internal_name, turn) is not None
        if self.checks and not self.cheated:
            wrong = some_faulty_turn(position, self.internal_name, self._chance_of_checks)
            self._check("check-turn", turn_request(turn), turn_request(wrong))
        self._say(turn_request(turn))
        return turn

    def _check(self, kind: str, right: object, wrong: object) -> None:
        """Asks about something allowed and something forbidden, unless that were too often."""
        if not self._allowance.allows(2):
            return
        questions = [(right, True), (wrong, False)]
        self._chance_of_checks.shuffle(questions)
        for request, truth in questions:
            self._say([kind, request])
            answer = self._hear()
            self._allowance.note_answer()
            self.checks_made += 1
            assert answer is truth, f"{kind} {request!r} is {truth}, not {answer!r}"

    def _expect_name(self, message: object) -> str:
        assert isinstance(message, str), f"expected a name, got {message!r}"
        assert re.fullmatch(NAME, message), f"expected a name, got {message!r}"
        return message

    def _expect_prompt(self, kind: str, message: object, opponent: str) -> Position:
        """The position in a prompt of this kind; only the two players have workers in it."""
        assert isinstance(message, list), f"expected [{kind!r}, Board], got {message!r}"
        assert message[:1] == [kind], f"expected [{kind!r}, Board], got {message!r}"
        assert len(message) == 2, f"expected [{kind!r}, Board], got {message!r}"
        position = read_board(message[1], NAME)
        strangers = {worker[:-1] for worker in position.workers} - {self.internal_name, opponent}
        assert not strangers, f"who are {strangers}? {message!r}"
        return position

    def _expect_placing(self, known: Position, now: Position, opponent: str) -> None:
        """Nothing may have changed but that the opponent has placed workers."""
        assert now.heights == EMPTY.heights, f"built before the placements were over: {now}"
        new = {worker: cell for worker, cell in now.workers.items() if worker not in known.workers}
        assert {**known.workers, **new} == now.workers, f"{known} became {now}"
        assert all(worker[:-1] == opponent for worker in new), f"{known} became {now}"

    def _expect_end(self) -> None:
        """Nothing may follow, and the server closes."""
        try:
            rest = self._reader.read()
        except TimeoutError:
            raise AssertionError(f"not closed after {self.heard[-1]!r}") from None
        assert rest == "", f"after {self.heard[-1]!r} there came {rest!r}"

    def _say(self, message: object) -> None:
        self._writer.write(json.dumps(message) + "\n")
        self._writer.flush()

    def _hear(self) -> object:
        """The value on the next line."""
        try:
            line = self._reader.readline()
        except TimeoutError:
            raise AssertionError(f"silence after {self.heard[-1:]!r}") from None
        assert line.endswith("\n"), f"closed after {self.heard[-1:]!r} and {line!r}"
        try:
            message: object = json.loads(line)
        except ValueError:
            raise AssertionError(f"not one JSON value: {line!r}") from None
        self.heard.append(message)
        return message


class Awaited(Enum):
    """What a StreamClient waits for; booleans apart, which come as often as it has checked."""

    INTERNAL_NAME = "the internal name"
    GAME = "a start game or the tournament-result"
    PLACE = "a placement-prompt"
    WORKER = "a worker-id"
    TURN = "a turn-prompt or a game-result"
    END = "the end of the stream"


class StreamClient:
    """The author who thinks in values: JSON after JSON, no lines, cut anywhere.

    It sends its bytes in all the ways that TCP and JSON allow, a check and the request after it
    together, and takes the server's bytes in pieces of all sizes.
    """

    def __init__(
        self,
        host: str,
        port: int,
        name: str,
        seed: int,
        *,
        checks: bool = True,
        games_per_opponent: int = 3,
    ) -> None:
        self.host = host
        self.port = port
        self.name = name
        self.checks = checks
        self.games_per_opponent = games_per_opponent
        self.internal_name = ""
        self.played: list[PlayedGame] = []
        self.tournament_result: TournamentResult | None = None
        self.checks_made = 0
        self.cheated = False
        self.heard: list[object] = []
        self.awaited = Awaited.INTERNAL_NAME
        self._chance = random.Random(seed)
        self._chance_of_bytes = random.Random(seed)
        self._allowance = CheckAllowance()
        self._truths: deque[bool] = deque()
        self._opponent = ""
        self._number = 0
        self._known = EMPTY
        self._last: tuple[Position, Turn] | None = None
        self._send: Callable[[bytes], object] = bytes

    @property
    def opponents(self) -> list[str]:
        """Whom it met, game by game."""
        return [game.opponent for game in self.played]

    @property
    def results(self) -> list[str]:
        """What it was told at the end of each game."""
        return [game.result for game in self.played]

    def play(self) -> list[object]:
        """Connects, plays the whole tournament and gives all that the server said."""
        with socket.create_connection((self.host, self.port), TIMEOUT_SECONDS) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return self.play_on(connection)

    def play_on(self, connection: socket.socket) -> list[object]:
        """Plays the whole tournament on an open connection, which stays open."""
        connection.settimeout(TIMEOUT_SECONDS)
        self._send = connection.sendall
        self._say(self.name)
        for message in self._values(connection):
            self.heard.append(message)
            self._react(message)
        assert self.awaited is Awaited.END, f"closed instead of {self.awaited.value}"
        return self.heard

    def choose_placement(self, position: Position) -> Cell:
        """Where to place the next worker."""
        return self._chance.choice(free_cells(position))

    def choose_turn(self, position: Position) -> Turn:
        """What to do with which worker; it climbs when it can, so its games are short."""
        turns = legal_turns(position, self.internal_name)
        best = max(self._height_after(position, turn) for turn in turns)
        return self._chance.choice(
            [turn for turn in turns if self._height_after(position, turn) == best]
        )

    def _height_after(self, position: Position, turn: Turn) -> int:
        return position.heights[beside(position.workers[turn.worker], turn.move)]

    def _react(self, message: object) -> None:
        """Takes one value in the place where it came; the shape tells what it is."""
        if self._truths:
            truth = self._truths.popleft()
            assert message is truth, f"a check should say {truth}, not {message!r}"
            self._allowance.note_answer()
            return
        match message, self.awaited:
            case str(), Awaited.INTERNAL_NAME if re.fullmatch(NAME, message):
                self.internal_name = message
                self.awaited = Awaited.GAME
            case str(), Awaited.GAME if re.fullmatch(NAME, message):
                assert message != self.internal_name, f"{message} is to play against itself"
                self._opponent, self._number = message, 0
                self._known, self._last = EMPTY, None
                self.awaited = Awaited.PLACE
            case ["place", board], Awaited.PLACE:
                self._place(self._read(board))
            case str(), Awaited.WORKER if message == f"{self.internal_name}{self._number}":
                self.awaited = Awaited.PLACE if self._number == 1 else Awaited.TURN
            case ["turn", board], Awaited.TURN:
                self._turn(self._read(board))
            # While it waits for a prompt or a worker-id, the opponent may have been booted.
            case str(), Awaited.PLACE | Awaited.WORKER | Awaited.TURN if message in RESULTS:
                decided = self.cheated or judge_result(
                    message, self.internal_name, self._opponent, self._last
                )
                self.played.append(PlayedGame(self._opponent, message, decided))
                self.awaited = Awaited.END if message == "CHEATER" else Awaited.GAME
            case [list(), list()], Awaited.GAME:
                self.tournament_result = judge_tournament(
                    message, self.internal_name, self.played, self.games_per_opponent
                )
                self.awaited = Awaited.END
            case _:
                raise AssertionError(f"instead of {self.awaited.value} there came {message!r}")

    def _place(self, position: Position) -> None:
        me = self.internal_name
        theirs = {f"{self._opponent}1", f"{self._opponent}2"}
        seen, known = set(position.workers.items()), set(self._known.workers.items())
        assert position.heights == EMPTY.heights, f"built before the first turn: {position}"
        assert known <= seen, f"{known - seen} went away"
        assert {worker for worker, _ in seen - known} <= theirs, f"new: {seen - known}"
        cell = self.choose_placement(position)
        self.cheated = self.cheated or cell not in free_cells(position)
        self._number += 1
        self._known = placed(position, f"{me}{self._number}", cell)
        wrong = some_faulty_cell(position, self._chance_of_bytes)
        self._answer("check-placement", list(cell), list(wrong))
        self.awaited = Awaited.WORKER

    def _turn(self, position: Position) -> None:
        me, opponent = self.internal_name, self._opponent
        if self._last is None:
            possible = follows_placing(self._known, position, opponent)
        else:
            assert not ends_game(*self._last, opponent), f"prompted after having won: {position}"
            possible = follows(after(*self._last), position, opponent)
        assert possible, f"after {self._last or self._known} there cannot come {position}"
        turn = self.choose_turn(position)
        self.cheated = self.cheated or fault(position, me, turn) is not None
        self._last = position, turn
        wrong = some_faulty_turn(position, me, self._chance_of_bytes)
        self._answer("check-turn", turn_request(turn), turn_request(wrong))

    def _answer(self, check: str, right: object, wrong: object) -> None:
        """Sends the request, sometimes with checks before it, without waiting for their answers."""
        style = self._chance_of_bytes.randrange(4)
        values: list[object] = []
        if self.checks and not self.cheated and self._allowance.allows(2):
            if style in (1, 2):
                values.append([check, right])
                self._truths.append(True)
            if style in (2, 3):
                values.append([check, wrong])
                self._truths.append(False)
        self.checks_made += len(values)
        self._say(*values, right)

    def _read(self, board: object) -> Position:
        """The position on a Board on which only the two players have workers."""
        position = read_board(board, f"(?:{self.internal_name}|{self._opponent})")
        assert len(position.workers) <= 4, f"too many workers: {board!r}"
        return position

    def _say(self, *messages: object) -> None:
        """Sends values without a line end, in one of many ways; none of them matters."""
        style = self._chance_of_bytes.choice(
            ["plain", "compact", "tall", "padded", "bytes", "torn"]
        )
        indent = 1 if style == "tall" else None
        separators = (",", ":") if style == "compact" else None
        texts = [json.dumps(value, indent=indent, separators=separators) for value in messages]
        text = " \r\n ".join(["", *texts, ""]) if style == "padded" else "".join(texts)
        data = text.encode()
        cuts = {"bytes": range(1, len(data)), "torn": [self._chance_of_bytes.randrange(len(data))]}
        ends = [*cuts.get(style, []), len(data)]
        for start, end in zip([0, *ends], ends, strict=False):
            self._send(data[start:end])

    def _values(self, connection: socket.socket) -> Iterator[object]:
        """The JSON values of the server, until it closes."""
        decoder = json.JSONDecoder()
        buffer = ""
        while True:
            try:
                message, end = decoder.raw_decode(buffer)
            except ValueError:
                # Incomplete or wrong: that shows when no more comes.
                pass
            else:
                buffer = buffer[end:].lstrip()
                yield message
                continue
            try:
                arrived = connection.recv(self._chance_of_bytes.choice([1, 7, 64, 4096]))
            except TimeoutError:
                raise AssertionError(
                    f"silence instead of {self.awaited.value}; so far: {buffer!r}"
                ) from None
            if not arrived:
                assert buffer == "", f"closed within {buffer!r}"
                return
            buffer = (buffer + arrived.decode("ascii")).lstrip()

"""Two blocking clients for the Santorini tournament, written from its first description alone.

They play by the same drawing of the document, and use the connection in two ways. LineClient sends
and reads lines. StreamClient takes the connection for a stream of JSON values, cut anywhere. Both
know the rules, so that they notice a server that does not play Santorini.

Whatever the document does not allow the server to send raises AssertionError, silence too.
"""

import json
import random
import re
import time
from collections import deque

from tests.independent.santorini_board import (
    EMPTY,
    Cell,
    Position,
    Step,
    Turn,
    after,
    beside,
    ends_game,
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
    JsonClient,
    PlayedGame,
    judge_result,
    judge_tournament,
)

RESULTS = ("WINNER", "LOSER", "CHEATER")
EAST_WEST = {1: "EAST", 0: "PUT", -1: "WEST"}
NORTH_SOUTH = {-1: "NORTH", 0: "PUT", 1: "SOUTH"}


def direction(step: Step) -> list[str]:
    """Return a step as [EastWest, NorthSouth]."""
    return [EAST_WEST[step[1]], NORTH_SOUTH[step[0]]]


def turn_request(turn: Turn) -> list[object]:
    """Return a turn as [worker-id, Direction] or [worker-id, Direction, Direction]."""
    if turn.build is None:
        return [turn.worker, direction(turn.move)]
    return [turn.worker, direction(turn.move), direction(turn.build)]


def some_illegal_turn(position: Position, player: str, chance: random.Random) -> Turn:
    """Return an illegal turn; each reason is as likely as another."""
    by_reason = faulty_turns(position, player)
    return chance.choice(by_reason[chance.choice(sorted(by_reason))])


def some_illegal_cell(position: Position, chance: random.Random) -> Cell:
    """Return an occupied cell, or one beyond the edge."""
    occupied = sorted(position.workers.values())
    return chance.choice([*occupied, (-1, 0), (0, -1), (5, 4), (4, 5)])


class CheckAllowance:
    """Allows ten checks within a second.

    A check has reached the server before its answer comes. The eleventh is sent a second later
    than that, so the server cannot count eleven, however long the way to it is.
    """

    def __init__(self) -> None:
        self._answered_at: deque[float] = deque(maxlen=10)

    def allows(self, count: int) -> bool:
        """Return whether this many checks may be sent now."""
        recent = sum(moment > time.monotonic() - 1.05 for moment in self._answered_at)
        return recent + count <= 10

    def note_answer(self) -> None:
        self._answered_at.append(time.monotonic())


class LineClient(JsonClient):
    """Sends and reads one line for each message.

    With checks, it asks about a legal and an illegal move before it answers a prompt.
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
        super().__init__(host, port, name)
        self.checks = checks
        self.games_per_opponent = games_per_opponent
        self.internal_name = ""
        self.played: list[PlayedGame] = []
        self._chance = random.Random(seed)
        # How often it checks depends on the time; how it plays must not depend on that.
        self._chance_of_checks = random.Random(seed)
        self._allowance = CheckAllowance()

    @property
    def opponents(self) -> list[str]:
        """The opponent of each game."""
        return [game.opponent for game in self.played]

    def _play_tournament(self) -> None:
        self._send(self.name)
        self.internal_name = self._expect_name(self._read())
        while isinstance(message := self._read(), str):
            self._play_game(self._expect_name(message))
        judge_tournament(message, self.internal_name, self.played, self.games_per_opponent)
        rest = self._read_or_end()
        assert rest is None, f"after the tournament-result there came {rest!r}"

    def _play_game(self, opponent: str) -> None:
        """Play from the start game, which has been read, to the game-result."""
        me = self.internal_name
        assert opponent != me, f"{me} is to play against itself"
        known = EMPTY
        for number in (1, 2):
            message = self._read()
            if message in RESULTS:
                return self._end_game(opponent, message, None)
            position = self._expect_prompt("place", message, opponent)
            self._expect_placing(known, position, opponent)
            cell = self._chance.choice(free_cells(position))
            wrong = some_illegal_cell(position, self._chance_of_checks)
            self._answer("check-placement", list(cell), list(wrong))
            reply = self._read()
            if reply in RESULTS:
                return self._end_game(opponent, reply, None)
            assert reply == f"{me}{number}", f"expected worker-id {me}{number}, got {reply!r}"
            known = placed(position, f"{me}{number}", cell)

        last: tuple[Position, Turn] | None = None
        while (message := self._read()) not in RESULTS:
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
            turn = self._choose_turn(position)
            wrong_turn = some_illegal_turn(position, me, self._chance_of_checks)
            self._answer("check-turn", turn_request(turn), turn_request(wrong_turn))
            last = position, turn
        return self._end_game(opponent, message, last)

    def _choose_turn(self, position: Position) -> Turn:
        return self._chance.choice(legal_turns(position, self.internal_name))

    def _end_game(self, opponent: str, result: object, last: tuple[Position, Turn] | None) -> None:
        decided = judge_result(str(result), self.internal_name, opponent, last)
        self.played.append(PlayedGame(opponent, str(result), decided))

    def _answer(self, kind: str, right: object, wrong: object) -> None:
        """Send a legal move; check it and an illegal one before, if enough time has passed."""
        questions = [(right, True), (wrong, False)]
        if self.checks and self._allowance.allows(len(questions)):
            self._chance_of_checks.shuffle(questions)
            for request, truth in questions:
                self._send([kind, request])
                self._expect_truth(truth)
        self._send(right)

    def _expect_truth(self, truth: bool) -> None:
        answer = self._read()
        self._allowance.note_answer()
        assert answer is truth, f"a check must be answered by {truth}, not {answer!r}"

    def _expect_name(self, message: object) -> str:
        assert isinstance(message, str), f"expected a name, got {message!r}"
        assert re.fullmatch(NAME, message), f"expected a name, got {message!r}"
        return message

    def _expect_prompt(self, kind: str, message: object, opponent: str) -> Position:
        """Return the position in a prompt of this kind; only the two players have workers in it."""
        assert isinstance(message, list), f"expected [{kind!r}, Board], got {message!r}"
        assert message[:1] == [kind], f"expected [{kind!r}, Board], got {message!r}"
        assert len(message) == 2, f"expected [{kind!r}, Board], got {message!r}"
        position = read_board(message[1], NAME)
        strangers = {worker[:-1] for worker in position.workers} - {self.internal_name, opponent}
        assert not strangers, f"who are {strangers}? {message!r}"
        return position

    def _expect_placing(self, known: Position, now: Position, opponent: str) -> None:
        """Check that nothing has changed but that the opponent has placed workers."""
        assert now.heights == EMPTY.heights, f"built before the placements were over: {now}"
        new = {worker: cell for worker, cell in now.workers.items() if worker not in known.workers}
        assert {**known.workers, **new} == now.workers, f"{known} became {now}"
        assert all(worker[:-1] == opponent for worker in new), f"{known} became {now}"


class StreamClient(LineClient):
    """Sends and reads a stream of JSON values without lines, cut anywhere.

    Checks and the move after them are sent together. It climbs when it can, so its games are short.
    """

    _buffer = ""

    def _choose_turn(self, position: Position) -> Turn:
        turns = legal_turns(position, self.internal_name)
        heights = [
            position.heights[beside(position.workers[turn.worker], turn.move)] for turn in turns
        ]
        highest = max(heights)
        return self._chance.choice(
            [turn for turn, height in zip(turns, heights, strict=True) if height == highest]
        )

    def _answer(self, kind: str, right: object, wrong: object) -> None:
        questions: list[tuple[object, bool]] = []
        if self.checks and self._allowance.allows(2):
            questions = [(right, True), (wrong, False)]
            questions = self._chance_of_checks.choice([[], questions, questions[:1], questions[1:]])
        self._send(*([kind, request] for request, _ in questions), right)
        for _, truth in questions:
            self._expect_truth(truth)

    def _send(self, *values: object) -> None:
        """Send values without line breaks, in one of many forms; none of them matters."""
        chance = self._chance_of_checks
        form = chance.choice(["plain", "compact", "tall", "padded", "bytes", "torn"])
        indent = 1 if form == "tall" else None
        separators = (",", ":") if form == "compact" else None
        texts = [json.dumps(value, indent=indent, separators=separators) for value in values]
        text = " \r\n ".join(["", *texts, ""]) if form == "padded" else "".join(texts)
        data = text.encode()
        cuts = {"bytes": range(1, len(data)), "torn": [chance.randrange(len(data))]}
        ends = [*cuts.get(form, []), len(data)]
        for start, end in zip([0, *ends], ends, strict=False):
            self._connection.sendall(data[start:end])

    def _read_value(self) -> object:
        while True:
            try:
                value, end = json.JSONDecoder().raw_decode(self._buffer)
            except ValueError:
                # Incomplete, or not JSON: then the server closes or falls silent.
                pass
            else:
                self._buffer = self._buffer[end:].lstrip()
                return value
            received = self._connection.recv(self._chance_of_checks.choice([1, 7, 64, 4096]))
            if not received:
                assert self._buffer == "", f"closed within {self._buffer!r}"
                return None
            self._buffer = (self._buffer + received.decode("ascii")).lstrip()

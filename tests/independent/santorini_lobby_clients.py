"""Two blocking clients for the Santorini lobby, written from its original description alone.

The protocol never shows a player the board. The client that asks for it (S0-Q18) plays by the
rules and checks each position; the other is blind and guesses where its own workers are.

The answer to get_turn has two names, give_turn and give_placement (S0-16): each client uses one
of them. Whatever the server may not say raises AssertionError, silence too.
"""

import json
import random
import re
import socket
from enum import Enum
from itertools import product

from tests.independent.santorini_board import (
    EMPTY,
    STEPS,
    Cell,
    Position,
    Step,
    Turn,
    after,
    beside,
    ends_game,
    follows,
    follows_placing,
    free_cells,
    legal_turns,
    moved,
    placed,
    reaches_top,
    read_board,
)
from tests.independent.santorini_clients import TIMEOUT_SECONDS

NORTH_SOUTH = {-1: "North", 0: "Put", 1: "South"}
EAST_WEST = {1: "East", 0: "Put", -1: "West"}
CELLS_AND_BEYOND: list[Cell] = list(product(range(-1, 6), range(-1, 6)))
END_OF_GAME = "end_of_game"
UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def placement(cell: Cell) -> list[int]:
    """A cell as [posx, posy]: the column, then the row."""
    return [cell[1], cell[0]]


def direction(step: Step) -> list[str]:
    """A step as [NorthSouth, EastWest]."""
    return [NORTH_SOUTH[step[0]], EAST_WEST[step[1]]]


class Reading(Enum):
    """What the Placement and the Direction of a Turn mean (S0-Q11)."""

    DESTINATION = "where a worker moves to, and where it builds from there"
    ORIGIN = "where a worker stands and where it moves; where it builds is a second answer"


class Ending(Enum):
    """How a game ended, as far as the last board tells."""

    WON = "by this player's last turn"
    LOST = "by the opponent's turn after it"
    BROKEN_OFF = "with somebody's disqualification"


class SeeingClient:
    """The client that has asked for the board: it plays by the rules, line by line.

    With slips, it now and then sends what the rules forbid, once per prompt, and must then be
    asked again with the same board.
    """

    def __init__(
        self,
        host: str,
        port: int,
        name: str,
        seed: int,
        *,
        slips: bool = True,
        reading: Reading = Reading.DESTINATION,
    ) -> None:
        self.host = host
        self.port = port
        self.name = name
        self.slips = slips
        self.reading = reading
        self.set_id = ""
        self.keepalives = 0
        self.starts = 0
        self.endings: list[Ending] = []
        self.slips_made = 0
        self.heard: list[object] = []
        self._chance = random.Random(seed)
        self._reading_is_known = False

    @property
    def ends(self) -> int:
        """How many end_of_game have come."""
        return len(self.endings)

    def play(self) -> list[object]:
        """Connects, plays until the server closes and gives all that it said."""
        with socket.create_connection((self.host, self.port), TIMEOUT_SECONDS) as connection:
            return self.play_on(connection)

    def play_on(self, connection: socket.socket) -> list[object]:
        """Plays on an open connection until the server closes it."""
        connection.settimeout(TIMEOUT_SECONDS)
        with (
            connection.makefile("r", encoding="ascii", newline="\n") as self._reader,
            connection.makefile("w", encoding="ascii", newline="\n") as self._writer,
        ):
            self._say(["join", self.name, {"board": True}])
            while (message := self._hear()) == ["keepalive"]:
                self.keepalives += 1
                self._say(["stillalive"])
            match message:
                case ["set_id", str() as identity]:
                    assert re.fullmatch(UUID, identity), f"not a Uuid: {identity!r}"
                    self.set_id = identity
                case _:
                    raise AssertionError(f"expected keepalive or set_id, got {message!r}")
            while (message := self._hear(may_close=True)) is not None:
                assert message == ["start_of_game"], f"expected start_of_game, got {message!r}"
                self.starts += 1
                self.endings.append(self._play_game())
        return self.heard

    def _play_game(self) -> Ending:
        """From the start_of_game, which has been heard, to the end_of_game."""
        name, now = self._hear_position()
        # P1 places first (S0-13), so who is asked on an empty board is P1.
        me, other = ("1", "2") if now == EMPTY else ("2", "1")
        expected = {"1": [set(), {"11", "21"}], "2": [{"11"}, {"11", "12", "21"}]}[me]
        known = EMPTY
        for number, workers in enumerate(expected, 1):
            if name == END_OF_GAME:
                return Ending.BROKEN_OFF
            assert name == "get_placement", f"expected get_placement, got {name}"
            assert now.workers.keys() == workers, f"player {me} is shown {now}"
            assert now.heights == EMPTY.heights, f"built before the first turn: {now}"
            assert known.workers.items() <= now.workers.items(), f"{known} became {now}"
            cell = self._chance.choice(free_cells(now))
            faulty = [cell for cell in CELLS_AND_BEYOND if cell not in free_cells(now)]
            wrong = placement(self._chance.choice(faulty))
            known = placed(now, f"{me}{number}", cell)
            name, now = self._answer("give_placement", placement(cell), [wrong], name, now)

        last: tuple[Position, Turn] | None = None
        while name == "get_turn":
            if last is None:
                # P2 has the first turn (S0-15).
                assert me == "1" or now == known, f"{now} is not {known}"
                assert me == "2" or now.heights != EMPTY.heights, "P2 has the first turn"
                assert follows_placing(known, now, other), f"{known} cannot become {now}"
            else:
                assert now != last[0], f"{last[1]} was refused in {now}"
                assert not ends_game(*last, other), f"{last} had won; then came {now}"
                assert follows(after(*last), now, other), f"{after(*last)} cannot become {now}"
            turns = legal_turns(now, me)
            assert turns, f"player {me} is asked for a turn, but cannot move in {now}"
            turn = self._chance.choice(turns)
            if self.reading is Reading.DESTINATION:
                last, (name, now) = self._turn_by_destination(now, turn, turns)
            else:
                last, (name, now) = self._turn_by_origin(now, turn, turns)
        assert name == END_OF_GAME, f"expected get_turn or end_of_game, got {name}"
        return Ending.BROKEN_OFF if last is None else self._judge_end(*last, now, me, other)

    def _judge_end(
        self, position: Position, turn: Turn, end: Position, me: str, other: str
    ) -> Ending:
        if end == position:
            return Ending.BROKEN_OFF
        mine = after(position, turn)
        if ends_game(position, turn, other):
            assert end == mine, f"{turn} won in {position}, the end is {end}"
            return Ending.WON
        replies = [reply for reply in legal_turns(mine, other) if ends_game(mine, reply, me)]
        if any(after(mine, reply) == end for reply in replies):
            return Ending.LOST
        # Before its build a turn of the other reading may be seen halfway.
        halfway = [moved(mine, reply) for reply in legal_turns(mine, other)]
        assert end in [moved(position, turn), mine, *halfway], f"{mine} ended as {end}"
        return Ending.BROKEN_OFF

    def _turn_by_destination(
        self, now: Position, turn: Turn, turns: list[Turn]
    ) -> tuple[tuple[Position, Turn], tuple[str, Position]]:
        """The turn that was made, with the position before it, and what was heard then."""

        def said(turn: Turn) -> tuple[Cell, Step]:
            # The Direction of a winning move is ignored (S0-Q13).
            return beside(now.workers[turn.worker], turn.move), turn.build or (0, 0)

        there, build = said(turn)
        # If both workers can do it, the one placed first does it (S0-Q12).
        meant = min(same for same in turns if said(same) == (there, build))
        winning = {said(turn)[0] for turn in turns if turn.build is None}
        legal = {said(turn) for turn in turns}
        own = [cell for worker, cell in now.workers.items() if worker[0] == turn.worker[0]]
        wrong = [
            [placement(cell), direction(step)]
            for cell, step in product(CELLS_AND_BEYOND, STEPS)
            if (cell, step) not in legal
            and cell not in winning
            # Before the first turn, one's own cell would be taken for the other reading.
            and (self._reading_is_known or cell not in own)
        ]
        right = [placement(there), direction(build)]
        heard = self._answer("give_turn", right, wrong, "get_turn", now)
        self._reading_is_known = True
        return (now, meant), heard

    def _turn_by_origin(
        self, now: Position, turn: Turn, turns: list[Turn]
    ) -> tuple[tuple[Position, Turn], tuple[str, Position]]:
        """The turn that was made, with the position before it, and what was heard then."""
        here = now.workers[turn.worker]
        there = beside(here, turn.move)
        possible = {(other.worker, other.move) for other in turns}
        wrong = [
            [placement(cell), direction(step)]
            for (worker, cell), step in product(now.workers.items(), STEPS)
            if worker[0] == turn.worker[0] and (worker, step) not in possible
        ]
        right = [placement(here), direction(turn.move)]
        heard = self._answer("give_turn", right, wrong, "get_turn", now)
        if heard[0] == END_OF_GAME or reaches_top(now, turn):
            return (now, turn), heard

        assert turn.build is not None, "only a winning move has no build"
        between = moved(now, turn)
        assert heard == ("get_turn", between), f"expected get_turn with {between}, got {heard}"
        sites = {other.build for other in turns if other[:2] == turn[:2]}
        # The build may be named with the cell the worker left or the one it is on (S0-Q11).
        cell = self._chance.choice([here, there])
        wrong = [[placement(cell), direction(step)] for step in STEPS if step not in sites]
        right = [placement(cell), direction(turn.build)]
        return (now, turn), self._answer("give_turn", right, wrong, "get_turn", between)

    def _answer(
        self,
        kind: str,
        right: object,
        wrong: list[list[object]] | list[list[int]],
        prompt: str,
        now: Position,
    ) -> tuple[str, Position]:
        """Answers a prompt, sometimes wrongly first, and gives what was heard after that."""
        if self.slips and wrong and self._chance.random() < 0.25:
            self.slips_made += 1
            slip = self._chance.choice(wrong)
            self._say([kind, slip])
            heard = self._hear_position()
            if heard == (END_OF_GAME, now):
                return heard
            assert heard == (prompt, now), f"{kind} {slip!r} in {now} was answered with {heard}"
        self._say([kind, right])
        return self._hear_position()

    def _hear_position(self) -> tuple[str, Position]:
        """The name of a message of a game, and the position that was asked for at the join."""
        message = self._hear()
        match message:
            case ["get_placement" | "get_turn" | "end_of_game" as name, board]:
                return str(name), read_board(board, "[12]")
            case _:
                raise AssertionError(f"expected a message of a game with a Board, got {message!r}")

    def _say(self, message: object) -> None:
        self._writer.write(json.dumps(message) + "\n")
        self._writer.flush()

    def _hear(self, *, may_close: bool = False) -> object:
        """The value on the next line; None if the server has closed, where it may."""
        try:
            line = self._reader.readline()
        except TimeoutError:
            raise AssertionError(f"silence after {self.heard[-1:]!r}") from None
        if may_close and line == "":
            return None
        assert line.endswith("\n"), f"closed after {self.heard[-1:]!r} and {line!r}"
        try:
            message: object = json.loads(line)
        except ValueError:
            raise AssertionError(f"not one JSON value: {line!r}") from None
        self.heard.append(message)
        return message


# What a BlindClient may hear, by what it heard last. "" stands for the end of the stream.
MAY_FOLLOW = {
    "join": ["keepalive", "set_id"],
    "keepalive": ["keepalive", "set_id"],
    "set_id": ["start_of_game", ""],
    "start_of_game": ["get_placement", "end_of_game"],
    "get_placement": ["get_placement", "get_turn", "end_of_game"],
    "get_turn": ["get_turn", "end_of_game"],
    "end_of_game": ["start_of_game", ""],
}
Spot = tuple[int, int]


class BlindClient:
    """The client that does not ask for the board, and is told nothing: it imagines its own workers.

    Being asked again means either that its answer was refused or that a turn of the opponent has
    passed. So it imagines many courses of its game, each with its own luck, and answers as one
    of them, taken at random, suggests. When its guesses fail too often the server disqualifies
    it: that is an end like any other. Spots are (x, y), x grows to the East, y to the South.
    """

    def __init__(self, host: str, port: int, name: str, seed: int) -> None:
        self.host = host
        self.port = port
        self.name = name
        self.set_id = ""
        self.keepalives = 0
        self.starts = 0
        self.ends = 0
        self.answers = 0
        self.heard: list[object] = []
        self._chance = random.Random(seed)
        self._tried: list[Spot] = []
        self._courses: list[frozenset[Spot]] = []

    def play(self) -> list[object]:
        """Connects, plays until the server closes and gives all that it said."""
        with socket.create_connection((self.host, self.port), TIMEOUT_SECONDS) as connection:
            return self.play_on(connection)

    def play_on(self, connection: socket.socket) -> list[object]:
        """Plays on an open connection until the server closes it."""
        connection.settimeout(TIMEOUT_SECONDS)
        last, buffer = "join", b""
        connection.sendall(self._bytes_of(["join", self.name]))
        while True:
            while b"]" not in buffer:
                try:
                    arrived = connection.recv(4096)
                except TimeoutError:
                    raise AssertionError(f"silence after {last} and {buffer!r}") from None
                if not arrived:
                    assert buffer.strip() == b"", f"closed within {buffer!r}"
                    assert "" in MAY_FOLLOW[last], f"closed after {last}"
                    return self.heard
                buffer += arrived
            # Without boards no message holds an array within the array.
            data, _, buffer = buffer.partition(b"]")
            try:
                message = json.loads(data + b"]")
            except ValueError:
                raise AssertionError(f"not a JSON array: {data + b']'!r}") from None
            self.heard.append(message)
            kind = message[0]
            assert kind in MAY_FOLLOW[last], f"after {last} there came {message!r}"
            assert len(message) == (2 if kind == "set_id" else 1), f"too long: {message!r}"
            answer = self._react(message)
            if answer is not None:
                connection.sendall(self._bytes_of(answer))
            last = kind

    def _react(self, message: list[str]) -> list[object] | None:
        """The answer to a message, if it is one that wants an answer."""
        match message:
            case ["keepalive"]:
                self.keepalives += 1
                return ["stillalive"]
            case ["set_id", identity]:
                assert re.fullmatch(UUID, identity), f"not a Uuid: {identity!r}"
                self.set_id = identity
            case ["start_of_game"]:
                self.starts += 1
                self._tried, self._courses = [], []
            case ["get_placement"]:
                return ["give_placement", self._place()]
            case ["get_turn"]:
                self.answers += 1
                return ["give_placement", self._turn()]
            case ["end_of_game"]:
                self.ends += 1
            case _:
                raise AssertionError(f"not a message of the protocol: {message!r}")
        return None

    def _place(self) -> list[int]:
        spots = set(product(range(5), range(5)))
        self._tried.append(self._chance.choice(sorted(spots - set(self._tried))))
        return list(self._tried[-1])

    def _turn(self) -> list[list[int] | list[str]]:
        """Where a worker of a course that might be true can go, and a build from there."""
        if not self._courses:
            # Two placements were accepted: the last, and one of those before it.
            assert len(self._tried) >= 2, "get_turn before two placements"
            *others, second = self._tried
            self._courses = [frozenset((second, self._chance.choice(others))) for _ in range(100)]
        course = self._chance.choice(self._courses)
        (x, y), build = self._chance.choice(
            [
                (spot, step)
                for spot in product(range(5), range(5))
                for step in product((-1, 0, 1), (-1, 0, 1))
                if self._movers(course, spot)
                and step != (0, 0)
                and 0 <= spot[0] + step[0] <= 4
                and 0 <= spot[1] + step[1] <= 4
            ]
        )
        self._courses = [self._imagine(course, (x, y)) for course in self._courses]
        north_south = {-1: "North", 0: "Put", 1: "South"}[build[1]]
        east_west = {-1: "West", 0: "Put", 1: "East"}[build[0]]
        return [[x, y], [north_south, east_west]]

    def _movers(self, course: frozenset[Spot], spot: Spot) -> list[Spot]:
        """The spots of the workers that could go to the spot on an empty board."""
        if spot in course:
            return []
        x, y = spot
        return sorted((a, b) for a, b in course if abs(a - x) <= 1 and abs(b - y) <= 1)

    def _imagine(self, course: frozenset[Spot], spot: Spot) -> frozenset[Spot]:
        """The course after a worker was sent to the spot: refused or accepted, who knows."""
        movers = self._movers(course, spot)
        if not movers or self._chance.random() < 0.5:
            return course
        return course - {self._chance.choice(movers)} | {spot}

    def _bytes_of(self, message: list[object]) -> bytes:
        """A message in compact JSON, with or without a line end."""
        text = json.dumps(message, separators=(",", ":"))
        return (text + self._chance.choice(["", "\n", "\r\n"])).encode()

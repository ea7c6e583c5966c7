"""A blocking client for the Santorini lobby, written from its original description alone.

The protocol does not show the board to a player. This client asks for it (S0-Q18), plays by the
rules and checks each position. A client without the board is tests/naive/santorini_lobby.py.

Whatever the document does not allow the server to send raises AssertionError, silence too.
"""

import random
import re
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
from tests.independent.santorini_clients import JsonClient

NORTH_SOUTH = {-1: "North", 0: "Put", 1: "South"}
EAST_WEST = {1: "East", 0: "Put", -1: "West"}
CELLS_AND_BEYOND: list[Cell] = list(product(range(-1, 6), range(-1, 6)))
END_OF_GAME = "end_of_game"
UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def placement(cell: Cell) -> list[int]:
    """Return a cell as [posx, posy]: the column, then the row."""
    return [cell[1], cell[0]]


def direction(step: Step) -> list[str]:
    """Return a step as [NorthSouth, EastWest]."""
    return [NORTH_SOUTH[step[0]], EAST_WEST[step[1]]]


class Reading(Enum):
    """What the Placement and the Direction of a Turn mean (S0-Q11)."""

    DESTINATION = "where a worker moves to, and where it builds from there"
    ORIGIN = "where a worker stands and where it moves; where it builds is a second answer"


class Ending(Enum):
    """How a game ended, as far as the last board shows."""

    WON = "by this player's last turn"
    LOST = "by the opponent's turn after it"
    BROKEN_OFF = "with a player's disqualification"


class SeeingClient(JsonClient):
    """A client that has asked for the board, and plays by the rules.

    Now and then it answers a prompt by an illegal move first, and must then be asked again with the
    same board.
    """

    def __init__(
        self,
        host: str,
        port: int,
        name: str,
        seed: int,
        *,
        reading: Reading = Reading.DESTINATION,
    ) -> None:
        super().__init__(host, port, name)
        self.reading = reading
        self.endings: list[Ending] = []
        self._chance = random.Random(seed)
        self._reading_is_known = False

    def _play_tournament(self) -> None:
        self._send(["join", self.name, {"board": True}])
        while (message := self._read()) == ["keepalive"]:
            self._send(["stillalive"])
        match message:
            case ["set_id", str() as identity]:
                assert re.fullmatch(UUID, identity), f"not a Uuid: {identity!r}"
            case _:
                raise AssertionError(f"expected keepalive or set_id, got {message!r}")
        while (message := self._read_or_end()) is not None:
            assert message == ["start_of_game"], f"expected start_of_game, got {message!r}"
            self.endings.append(self._play_game())

    def _play_game(self) -> Ending:
        """Play from the start_of_game, which has been read, to the end_of_game."""
        name, now = self._read_position()
        # P1 places first (S0-13), so the player who is asked on an empty board is P1.
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
        """Make a turn. Return it with the position before it, and the message after it."""

        def message_of(turn: Turn) -> tuple[Cell, Step]:
            # The Direction of a winning move is ignored (S0-Q13).
            return beside(now.workers[turn.worker], turn.move), turn.build or (0, 0)

        there, build = message_of(turn)
        # If both workers can make the turn, the one placed first makes it (S0-Q12).
        meant = min(same for same in turns if message_of(same) == (there, build))
        winning = {message_of(turn)[0] for turn in turns if turn.build is None}
        legal = {message_of(turn) for turn in turns}
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
        reply = self._answer("give_turn", right, wrong, "get_turn", now)
        self._reading_is_known = True
        return (now, meant), reply

    def _turn_by_origin(
        self, now: Position, turn: Turn, turns: list[Turn]
    ) -> tuple[tuple[Position, Turn], tuple[str, Position]]:
        """Make a turn in two answers. Return the same as `_turn_by_destination`."""
        here = now.workers[turn.worker]
        there = beside(here, turn.move)
        possible = {(other.worker, other.move) for other in turns}
        wrong = [
            [placement(cell), direction(step)]
            for (worker, cell), step in product(now.workers.items(), STEPS)
            if worker[0] == turn.worker[0] and (worker, step) not in possible
        ]
        right = [placement(here), direction(turn.move)]
        reply = self._answer("give_turn", right, wrong, "get_turn", now)
        if reply[0] == END_OF_GAME or reaches_top(now, turn):
            return (now, turn), reply

        assert turn.build is not None, "only a winning move has no build"
        between = moved(now, turn)
        assert reply == ("get_turn", between), f"expected get_turn with {between}, got {reply}"
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
        """Answer a prompt, sometimes wrongly first, and return the message after that."""
        if wrong and self._chance.random() < 0.25:
            mistake = self._chance.choice(wrong)
            self._send([kind, mistake])
            reply = self._read_position()
            if reply == (END_OF_GAME, now):
                return reply
            assert reply == (prompt, now), f"{kind} {mistake!r} in {now} was answered with {reply}"
        self._send([kind, right])
        return self._read_position()

    def _read_position(self) -> tuple[str, Position]:
        """Return the name and the position of the next message of a game."""
        message = self._read()
        match message:
            case ["get_placement" | "get_turn" | "end_of_game" as name, board]:
                return str(name), read_board(board, "[12]")
            case _:
                raise AssertionError(f"expected a message of a game with a Board, got {message!r}")

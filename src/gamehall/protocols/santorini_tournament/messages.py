"""The JSON values of document 001, in both directions."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gamehall.contest.standings import Win
from gamehall.core import Seat
from gamehall.games.santorini import Cell, SantoriniPosition
from gamehall.games.santorini.compass import Step, east_or_west, north_or_south, read_step
from gamehall.wire.framing import Malformed
from gamehall.wire.json_reading import two_whole_numbers, two_words

NAME = re.compile(r"[a-z]+")
"""001: sign-up name, a string of lowercase letters."""
LONGEST_NAME = 256

CHECKS = ("check-placement", "check-turn")

EAST_WEST = ("EAST", "PUT", "WEST")
NORTH_SOUTH = ("NORTH", "PUT", "SOUTH")

WINNER, LOSER, CHEATER = "WINNER", "LOSER", "CHEATER"


class TurnRequest(NamedTuple):
    """[worker-id, Direction] or [worker-id, Direction, Direction]."""

    worker: str
    move: Step
    build: Step | None


def read_name(text: str) -> str:
    """A sign-up name."""
    if not NAME.fullmatch(text) or len(text) > LONGEST_NAME:
        raise Malformed(
            f"{text[:40]!r} is not a sign-up name: it has 1 to {LONGEST_NAME} lower-case letters"
        )
    return text


def read_placement(value: object, base: int) -> Cell:
    """placement-request: [number, number], the row first."""
    numbers = two_whole_numbers(value)
    if numbers is None:
        raise Malformed("a placement is [row, column]")
    return Cell(numbers[0] - base, numbers[1] - base)


def read_turn(value: object, strict: bool) -> TurnRequest:
    """turn-request."""
    match value:
        case [str(worker), move]:
            return TurnRequest(worker, _read_direction(move, strict), None)
        case [str(worker), move, build]:
            return TurnRequest(
                worker, _read_direction(move, strict), _read_direction(build, strict)
            )
        case _:
            raise Malformed("a turn is [worker-id, Direction] or [worker-id, Direction, Direction]")


def _read_direction(value: object, strict: bool) -> Step:
    words = two_words(value)
    step = read_step(words) if words else None
    if words is None or step is None:
        raise Malformed("a Direction is [EastWest, NorthSouth]")
    # 001 has the words in this order and in capitals. R15: others are understood as well.
    if strict and not (words[0] in EAST_WEST and words[1] in NORTH_SOUTH):
        raise Malformed('a Direction is [EastWest, NorthSouth] in capitals, as in ["EAST","PUT"]')
    return step


def write_direction(step: Step) -> list[str]:
    """Direction: [EastWest, NorthSouth]."""
    return [east_or_west(step).upper(), north_or_south(step).upper()]


def board(position: SantoriniPosition, names: Mapping[Seat, str]) -> list[list[int | str]]:
    """Board: rows of heights, and of strings where a worker stands."""
    rows: list[list[int | str]] = [
        [position.height(Cell(row, column)) for column in range(position.size)]
        for row in range(position.size)
    ]
    for seat, name in names.items():
        for number, cell in enumerate(position.workers_of(seat), 1):
            rows[cell.row][cell.column] = f"{rows[cell.row][cell.column]}{name}{number}"
    return rows


def tournament_result(cheaters: Iterable[str], wins: Iterable[Win]) -> list[object]:
    """tournament-result: [Cheaters, [Game, ...]]."""
    return [list(cheaters), [list(win) for win in wins]]

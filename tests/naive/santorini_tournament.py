"""A naive client for the Santorini tournament: `python santorini_tournament.py PORT NAME`.

Before each placement and turn it asks the server whether it is valid, as in the document's drawing.
It prints every message that it gets.
"""

import json
import random
import socket
import sys
from typing import Any

EAST_WEST = {-1: "WEST", 0: "PUT", 1: "EAST"}
NORTH_SOUTH = {-1: "NORTH", 0: "PUT", 1: "SOUTH"}
STEPS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if (row, column) != (0, 0)]

Board = list[list[Any]]


class Player:
    """The client: its connection and its internal name."""

    def __init__(self, port: int) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.lines = self.connection.makefile()

    def send(self, value: object) -> None:
        self.connection.sendall((json.dumps(value) + "\n").encode())

    def receive(self) -> Any:
        value = json.loads(next(self.lines))
        print(json.dumps(value), flush=True)
        return value

    def play(self, name: str) -> None:
        """Sign up and play until the tournament-result."""
        self.send(name)
        print(json.dumps(["signed up", name]), flush=True)
        self.internal_name = self.receive()
        while True:
            message = self.receive()
            match message:
                case ["place", board]:
                    request = random.choice(free_cells(board))
                    self.send(["check-placement", request])
                    self.must_be_valid()
                    self.send(request)
                    self.receive()  # the worker-id
                case ["turn", board]:
                    turn = choose_turn(board, self.internal_name)
                    self.send(["check-turn", turn])
                    self.must_be_valid()
                    self.send(turn)
                case [[*_cheaters], [*_games]]:
                    return
                case _:
                    pass  # the opponent's name, or how the game ended

    def must_be_valid(self) -> None:
        answer = self.receive()
        if answer is not True:
            raise ValueError(f"the server finds our request invalid: {answer}")


def free_cells(board: Board) -> list[list[int]]:
    """Return the cells without a worker."""
    return [
        [row, column]
        for row, cells in enumerate(board)
        for column, cell in enumerate(cells)
        if isinstance(cell, int)
    ]


def choose_turn(board: Board, internal_name: str) -> list[Any]:
    """Return a winning turn if there is one, else a random one that moves as high as possible."""
    turns: list[tuple[int, list[Any]]] = []
    for row, cells in enumerate(board):
        for column, cell in enumerate(cells):
            if not isinstance(cell, str) or cell[1:-1] != internal_name:
                continue
            for step in STEPS:
                target = (row + step[0], column + step[1])
                height = height_of_free_cell(board, target)
                if height is None or height == 4 or height > int(cell[0]) + 1:
                    continue
                if height == 3:
                    return [cell[1:], direction(step)]
                for build in STEPS:
                    place = (target[0] + build[0], target[1] + build[1])
                    floor = height_of_free_cell(board, place)
                    if place == (row, column):
                        floor = int(cell[0])
                    if floor is not None and floor < 4:
                        turns.append((height, [cell[1:], direction(step), direction(build)]))
    highest = max(height for height, _ in turns)
    return random.choice([turn for height, turn in turns if height == highest])


def height_of_free_cell(board: Board, cell: tuple[int, int]) -> int | None:
    row, column = cell
    if not (0 <= row < len(board) and 0 <= column < len(board[row])):
        return None
    return board[row][column] if isinstance(board[row][column], int) else None


def direction(step: tuple[int, int]) -> list[str]:
    return [EAST_WEST[step[1]], NORTH_SOUTH[step[0]]]


if __name__ == "__main__":
    Player(int(sys.argv[1])).play(sys.argv[2])

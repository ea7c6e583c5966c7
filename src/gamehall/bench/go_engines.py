"""The engines that play Go side by side, each in the way its library is meant to be used.

    gamehall   values    as the server plays: every move makes a new position and leaves the old one
                         alone. Refused: an occupied point, suicide, superko (the return of any
                         position of the whole game).
    sgfmill    values    a copy for every move. Refused: an occupied point, suicide, simple ko.
               in place  one board that changes. Refused: an occupied point.
    OpenSpiel  values    a clone for every move. Refused: an occupied point, suicide, simple ko. A
                         position that comes back is noted and ends the game.
               in place  one state that changes. The same, but ko is not refused.

Gamehall and sgfmill are Python; OpenSpiel is C++ and only called from Python, once or twice a move.
"""

from abc import ABC, abstractmethod
from itertools import cycle
from typing import ClassVar

from sgfmill.boards import Board

from gamehall.bench.go_games import RandomGame
from gamehall.bench.machine import BenchError
from gamehall.core import Seat
from gamehall.games.go import Go, Point, Stone

VALUES, IN_PLACE = "values", "in place"


class Engine(ABC):
    """One way to play one game, with the moves in the words of its library."""

    library: ClassVar[str]
    way: ClassVar[str]
    """VALUES if every position stays as it is, IN_PLACE if a move changes it."""

    @abstractmethod
    def __init__(self, game: RandomGame) -> None:
        """The game is only read here: nothing of it is played yet."""

    @abstractmethod
    def play(self) -> None:
        """Play the whole game from the empty board. This is measured."""

    @abstractmethod
    def count_legal_moves(self) -> int:
        """List what is legal after the game, and say how much that is, the pass included.

        This is measured too.
        """

    @abstractmethod
    def stones(self) -> dict[Point, Seat]:
        """What is on the board after the game."""


class GamehallEngine(Engine):
    """Gamehall itself, on the terms that it proposes."""

    library = "gamehall"
    way = VALUES

    def __init__(self, game: RandomGame) -> None:
        self.rules = Go(game.size)
        self.moves = [Stone(point) for point in game.points]
        self.position = self.rules.start(0)

    def play(self) -> None:
        position = self.rules.start(0)
        for move in self.moves:
            position = position.after(move)
        self.position = position

    def count_legal_moves(self) -> int:
        return len(list(self.position.legal_moves()))

    def stones(self) -> dict[Point, Seat]:
        return self.position.stones


class SgfmillEngine(Engine):
    """What both ways to use a board of sgfmill share."""

    library = "sgfmill"

    def __init__(self, game: RandomGame) -> None:
        self.size = game.size
        self.moves = list(zip(game.points, cycle("bw")))
        self.to_move = "bw"[len(game.points) % 2]
        self.board = Board(game.size)
        self.ko: tuple[int, int] | None = None
        """The point where simple ko forbids the next stone."""

    def count_legal_moves(self) -> int:
        """The board has no such list: a stone is tried at every empty point."""
        board, colour, ko = self.board, self.to_move, self.ko
        legal: list[tuple[int, int]] = []
        for point in board.board_points:
            row, column = point
            if board.get(row, column) is None and point != ko:
                tried = board.copy()
                tried.play(row, column, colour)
                if tried.get(row, column) is not None:
                    legal.append(point)
        return len(legal) + 1

    def stones(self) -> dict[Point, Seat]:
        seats = {"b": Seat.FIRST, "w": Seat.SECOND}
        return {Point(*point): seats[colour] for colour, point in self.board.list_occupied_points()}


class SgfmillInPlace(SgfmillEngine):
    """One board that changes, and moves that are trusted."""

    way = IN_PLACE

    def play(self) -> None:
        board = Board(self.size)
        ko = None
        for (row, column), colour in self.moves:
            ko = board.play(row, column, colour)
        self.board, self.ko = board, ko


class SgfmillValues(SgfmillEngine):
    """A board for every position, and moves that are judged."""

    way = VALUES

    def play(self) -> None:
        board = Board(self.size)
        ko = None
        for point, colour in self.moves:
            row, column = point
            after = board.copy()
            next_ko = after.play(row, column, colour)
            if point == ko or after.get(row, column) is None:
                raise BenchError(f"sgfmill: {point} is ko or suicide")
            board, ko = after, next_ko
        self.board, self.ko = board, ko


PYTHON_ENGINES: tuple[type[Engine], ...] = (GamehallEngine, SgfmillValues, SgfmillInPlace)


def engines() -> tuple[type[Engine], ...]:
    """All ways to play that there are on this machine, Gamehall's first."""
    try:
        from gamehall.bench.go_open_spiel import OPEN_SPIEL_ENGINES
    except ModuleNotFoundError as missing:
        # OpenSpiel comes with the test tools only; the benchmark says so and does without.
        if missing.name != "pyspiel":
            raise
        return PYTHON_ENGINES
    return PYTHON_ENGINES + OPEN_SPIEL_ENGINES

"""OpenSpiel as an engine to compare with. Nothing else in the benchmarks needs it installed."""

import pyspiel

from gamehall.bench.go_engines import IN_PLACE, VALUES, Engine
from gamehall.bench.go_games import RandomGame
from gamehall.core import Seat
from gamehall.games.go import Point


class OpenSpielEngine(Engine):
    """What both ways to use a state of OpenSpiel share. Its points are counted from the bottom."""

    library = "OpenSpiel"

    def __init__(self, game: RandomGame) -> None:
        self.size = game.size
        self.game = pyspiel.load_game("go", {"board_size": game.size})
        self.actions = [(game.size - 1 - row) * game.size + column for row, column in game.points]
        self.state = self.game.new_initial_state()

    def count_legal_moves(self) -> int:
        return len(self.state.legal_actions())

    def stones(self) -> dict[Point, Seat]:
        """Read from the drawing: a line for each row, such as ` 9 ++XO+++++`."""
        seats = {"X": Seat.FIRST, "O": Seat.SECOND}
        rows = str(self.state).splitlines()[2 : 2 + self.size]
        return {
            Point(row, column): seats[spot]
            for row, line in enumerate(rows)
            for column, spot in enumerate(line[3:])
            if spot in seats
        }


class OpenSpielInPlace(OpenSpielEngine):
    """One state that changes, and moves that are trusted."""

    way = IN_PLACE

    def play(self) -> None:
        state = self.game.new_initial_state()
        for action in self.actions:
            state.apply_action(action)
        self.state = state


class OpenSpielValues(OpenSpielEngine):
    """A state for every position, and moves that are judged."""

    way = VALUES

    def play(self) -> None:
        state = self.game.new_initial_state()
        for action in self.actions:
            after = state.clone()
            after.apply_action_with_legality_check(action)
            state = after
        self.state = state


OPEN_SPIEL_ENGINES: tuple[type[Engine], ...] = (OpenSpielValues, OpenSpielInPlace)

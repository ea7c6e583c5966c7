"""The bot that solves Connect Four."""

from gamehall.bots.bot import Bot, BotFault
from gamehall.bots.connect_four import book
from gamehall.bots.connect_four.bits import Stones, cell_of, stones_of
from gamehall.bots.connect_four.root import Root
from gamehall.bots.connect_four.solver import Solver
from gamehall.bots.search.bots import AlphaBetaBot
from gamehall.bots.thinking import Budget, Clock
from gamehall.core import Position, Seat
from gamehall.games.connect_four import Cell, ConnectFourPosition, Gravity

LINE_LENGTH = 4
SECONDS_OF_SLICE = 0.03
"""What a slice of the search takes at most on a slow machine: no other is begun so near the end."""


class PerfectBot(Bot[Cell]):
    """Plays the best move wherever it can be known in time; see the package for when that is.

    On terms that the solver does not know (other lines than of four, no gravity) it plays by the
    readable alpha-beta search.
    """

    def __init__(self, seed: int, clock: Clock, seconds_per_move: float = 1.0) -> None:
        self._clock = clock
        self._seconds = seconds_per_move
        self._solver = Solver()
        # Opened now, since that may take longer than there is for a move.
        book.value(Stones(0, 0))
        self._otherwise = AlphaBetaBot(seed, clock, seconds_per_move)

    def choose(self, position: Position[Cell], seat: Seat, seconds_left: float | None) -> Cell:
        if not isinstance(position, ConnectFourPosition):
            raise BotFault("this bot plays Connect Four only")
        if position.line_length != LINE_LENGTH or position.gravity is Gravity.FREE:
            cell: Cell = self._otherwise.choose(position, seat, seconds_left)
            return cell
        budget = Budget(self._clock, self._seconds, seconds_left)
        seconds = budget.seconds - SECONDS_OF_SLICE
        root = Root(stones_of(position), self._solver, lambda: budget.spent >= seconds)
        return cell_of(root.best_move())

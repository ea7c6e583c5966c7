"""The bot that searches Santorini deep."""

from gamehall.bots.bot import Bot, BotFault
from gamehall.bots.santorini.evaluation import evaluate
from gamehall.bots.santorini.searcher import Searcher
from gamehall.bots.thinking import Budget, Clock
from gamehall.core import Position, Seat, SeededRandom
from gamehall.games.santorini import Move, Place, SantoriniPosition
from gamehall.games.santorini.position import WORKERS_IN_ALL

PLACEMENT_DEPTH = 3
"""How deep it is looked at what comes of the last placement."""


class StrongBot(Bot[Move]):
    """Looks ahead as deep as time permits, on both boards and in all orders of placing."""

    def __init__(self, seed: int, clock: Clock, seconds_per_move: float = 1.0) -> None:
        self._shuffler = SeededRandom(seed)
        self._clock = clock
        self._seconds = seconds_per_move
        self.searcher = Searcher()
        """What searches; its count of nodes is of interest to measurements."""

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        if not isinstance(position, SantoriniPosition):
            raise BotFault("this bot plays Santorini only")
        budget = Budget(self._clock, self._seconds, seconds_left)
        if position.is_placing:
            return self._placement(position, seat, budget)
        return self.searcher.search(position, lambda: budget.is_spent).turn

    def _placement(self, position: SantoriniPosition, seat: Seat, budget: Budget) -> Move:
        """The cell where a worker stands best; of equal ones, any.

        The last worker is placed by what follows, best looking cells first, while there is time.
        """
        cells: list[Place] = [move for move in position.legal_moves() if isinstance(move, Place)]
        worths = {cell: evaluate(position.after(cell), seat) for cell in cells}
        placed = sum(len(own) for own in position.workers)
        if placed < WORKERS_IN_ALL - 1:
            best = max(worths.values())
            return self._shuffler.pick([cell for cell in cells if worths[cell] == best])
        values: dict[Place, int] = {}
        for cell in sorted(cells, key=lambda cell: -worths[cell]):
            if values and budget.is_spent:
                break
            after = position.after(cell)
            value = self.searcher.search(after, deepest=PLACEMENT_DEPTH).value
            values[cell] = value if after.to_move is seat else -value
        best = max(values.values())
        return self._shuffler.pick([cell for cell in values if values[cell] == best])

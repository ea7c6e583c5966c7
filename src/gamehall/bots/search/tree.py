"""What a Monte Carlo search remembers: moves, how often they were played, and how it went."""

from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

from gamehall.core import Seat


@dataclass(slots=True)
class Node:
    """A move, and what came of it. Results are those of the player who made it, from 0 to 1."""

    move: Any = None
    mover: Seat | None = None
    visits: int = 0
    total: float = 0.0
    chances: int = 0
    """How often it could have been chosen: in some worlds it cannot."""
    shared_visits: int = 0
    """In how many games the same player made this move, then or at any time later."""
    shared_total: float = 0.0
    children: dict[Any, "Node"] = field(default_factory=dict)

    def credit(self, curiosity: float, rave_games: float) -> float:
        """How much it deserves to be tried: how well it went, and more if that is not known yet.

        rave_games: after about so many visits its own results count as much as the shared ones; 0
        if these do not count at all. The weight is that of Gelly and Silver (2007).
        """
        if not self.visits:
            return float("inf")
        mean = self.total / self.visits
        if rave_games and self.shared_visits:
            weight = sqrt(rave_games / (3 * self.visits + rave_games))
            mean += weight * (self.shared_total / self.shared_visits - mean)
        return mean + curiosity * sqrt(log(max(self.chances, 1)) / self.visits)

    def note(self, result: float) -> None:
        """One more game that went through this move."""
        self.visits += 1
        self.total += result

    def note_shared(self, result: float) -> None:
        """One more game in which the same player made this move sooner or later."""
        self.shared_visits += 1
        self.shared_total += result

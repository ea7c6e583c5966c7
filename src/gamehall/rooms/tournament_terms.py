"""The terms of a tournament: data of the room, not code."""

import msgspec

from gamehall.tournaments.pairing import Starts
from gamehall.tournaments.standings import CheaterRule


class TournamentTerms(msgspec.Struct, frozen=True, kw_only=True):
    """When a tournament begins, what is played in it, and what becomes of cheaters' matches."""

    players: int | None = None
    """It begins as soon as so many wait, and at no other time. None: see the following."""
    min_players: int = 2
    max_players: int = 200
    """It begins at once when so many wait; further ones wait for the next."""
    join_window_seconds: float = 3.0
    """It begins when enough players wait and nobody has come for so long."""
    matches_per_pair: int = 1
    best_of: bool = False
    """Whether a pair stops as soon as one of them cannot be caught up with."""
    starts: Starts = Starts.ALTERNATE
    parallel: bool = False
    """Whether several pairs play at the same time."""
    cheaters_matches: CheaterRule = CheaterRule.KEEP
    once: bool = False
    """Whether there is no second tournament."""

    @property
    def wins_to_end(self) -> int:
        """With how many wins of one player a pair has nothing left to play."""
        return self.matches_per_pair // 2 + 1 if self.best_of else self.matches_per_pair

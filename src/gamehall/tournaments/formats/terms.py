"""What every format is told: how many play, and how much each pairing plays."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terms:
    """How many players there are, and of what the meetings of two of them consist.

    Raises ValueError if nobody could play like that.
    """

    players: int
    games: int
    """How many matches two who are paired play."""
    in_pairs: bool
    """Whether an encounter is two matches with the seats swapped, and not one."""

    def __post_init__(self) -> None:
        if self.players < 2:
            raise ValueError(f"it takes at least 2 players, not {self.players}")
        if self.games < 1:
            raise ValueError(f"a pairing needs at least 1 game, not {self.games}")
        if self.in_pairs and self.games % 2:
            raise ValueError(
                f"with swapped seats the number of games must be even, not {self.games}: "
                f"ask for {self.games + 1}, or for single games"
            )

    @property
    def matches_per_encounter(self) -> int:
        """One match, or two with the seats swapped."""
        return 2 if self.in_pairs else 1

    @property
    def encounters_per_pairing(self) -> int:
        """How many encounters the games of a pairing make."""
        return self.games // self.matches_per_encounter

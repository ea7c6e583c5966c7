"""What the matches of a tournament come to, while it goes on and when it is over."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gamehall.rooms.view import TournamentView, encounters_among
from gamehall.tournaments.standings import CheaterRule, Rank, Win, settle


class Counted(NamedTuple):
    """The matches that count, and the ranks that follow from them."""

    wins: tuple[Win, ...]
    ranks: tuple[Rank, ...]


class TournamentScore:
    """Watches over what a tournament notes, and says what it comes to if nobody else cheats.

    There may be many wins, and those who look on look often: nothing is counted unless somebody
    asks, and then only what is new, unless somebody was sent away since.
    """

    def __init__(
        self,
        names: Sequence[str],
        wins: Sequence[Win],
        unplayed: Sequence[Win],
        cheaters: Mapping[str, str],
        rule: CheaterRule,
    ) -> None:
        """What is noted in `wins`, `unplayed` and `cheaters` later counts too; it only grows."""
        self._names = names
        self._wins = wins
        self._unplayed = unplayed
        self._cheaters = cheaters
        self._rule = rule
        self._counted = Counted((), ())
        self._counted_at = -1
        self._settled = 0
        """How many of the wins have been looked at."""
        self._begin_anew()

    @property
    def version(self) -> int:
        """A higher one whenever something has been noted."""
        return len(self._wins) + len(self._unplayed) + len(self._cheaters)

    def count(self) -> Counted:
        """What it comes to now. Among equals those who were not sent away come first."""
        if self._counted_at == self.version:
            return self._counted
        if self._holds_for != (len(self._cheaters), len(self._unplayed)):
            self._begin_anew()
        played = settle(self._wins[self._settled :], self._cheaters, (), self._rule)
        self._settled = len(self._wins)
        self._add(played)
        self._played += tuple(played)
        names = sorted(self._names, key=lambda name: name in self._cheaters)
        ranks = [Rank(name, self._won[name], self._lost[name]) for name in names]
        ranks.sort(key=lambda rank: (-rank.won, rank.lost))
        self._counted = Counted(self._played + self._forfeits, tuple(ranks))
        self._counted_at = self.version
        return self._counted

    def _begin_anew(self) -> None:
        """Forgets what was counted: a cheater changes what earlier matches come to."""
        self._won: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()
        self._settled = 0
        self._played: tuple[Win, ...] = ()
        self._forfeits: tuple[Win, ...] = tuple(
            settle((), self._cheaters, self._unplayed, self._rule)
        )
        self._add(self._forfeits)
        self._holds_for: tuple[int, int] = len(self._cheaters), len(self._unplayed)

    def _add(self, wins: Iterable[Win]) -> None:
        for win in wins:
            self._won[win.winner] += 1
            self._lost[win.loser] += 1

    def view(self, encounters_done: int) -> TournamentView:
        """How the tournament stands."""
        counted = self.count()
        return TournamentView(
            is_over=False,
            players=tuple(self._names),
            ranks=counted.ranks,
            wins=counted.wins,
            cheaters=dict(self._cheaters),
            encounters=encounters_among(len(self._names)),
            encounters_done=encounters_done,
            report=None,
        )

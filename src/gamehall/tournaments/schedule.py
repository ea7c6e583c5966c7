"""What is to be played when: every pair once, and nobody in two places."""

from collections.abc import Sequence

from gamehall.tournaments.pairing import Pair


class Schedule:
    """The pairs that are still to meet, and those that are at it.

    With `parallel`, pairs that have nobody in common meet at the same time; without, one pair
    meets after the other.
    """

    def __init__(self, players: int, pairs: Sequence[Pair], parallel: bool) -> None:
        self._parallel = parallel
        self._pending = dict.fromkeys(pairs)
        self._pending_of: list[dict[Pair, None]] = [{} for _ in range(players)]
        for pair in pairs:
            for player in pair:
                self._pending_of[player][pair] = None
        self._meeting: set[Pair] = set()
        self._busy: set[int] = set()
        self._idle = dict.fromkeys(range(players))
        """Who may have something to begin; in the order in which they became free."""

    @property
    def is_done(self) -> bool:
        """Whether nobody has anybody left to meet."""
        return not self._pending and not self._meeting

    def begin(self) -> list[Pair]:
        """The pairs that can meet now, and from now on do."""
        if not self._parallel:
            first = next(iter(self._pending), None)
            return [] if self._meeting or first is None else [self._begin(first)]
        begun: list[Pair] = []
        idle, self._idle = self._idle, {}
        for player in idle:
            if player not in self._busy:
                pair = next((p for p in self._pending_of[player] if self._both_free(p)), None)
                if pair is not None:
                    begun.append(self._begin(pair))
        return begun

    def end(self, pair: Pair) -> None:
        """The pair has met, and both are free again."""
        self._meeting.remove(pair)
        self._busy.difference_update(pair)
        self._idle.update(dict.fromkeys(pair))

    def withdraw(self, player: int) -> list[Pair]:
        """`player` meets nobody any more. Gives the pairs that will not meet because of that."""
        dropped = list(self._pending_of[player])
        for pair in dropped:
            self._drop(pair)
        return dropped

    def _both_free(self, pair: Pair) -> bool:
        return pair.earlier not in self._busy and pair.later not in self._busy

    def _begin(self, pair: Pair) -> Pair:
        self._drop(pair)
        self._meeting.add(pair)
        self._busy.update(pair)
        return pair

    def _drop(self, pair: Pair) -> None:
        del self._pending[pair]
        for player in pair:
            del self._pending_of[player][pair]

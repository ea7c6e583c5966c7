"""The time before a tournament: those who have signed up, and whether they are still there."""

from typing import Generic

from gamehall.core import MoveT
from gamehall.rooms.absences import Absences
from gamehall.rooms.deadlines import Deadlines
from gamehall.rooms.entrant import Entrant
from gamehall.rooms.notices import Ping
from gamehall.rooms.reaction import Delivery, Peer
from gamehall.rooms.requests import Away
from gamehall.rooms.terms import TournamentTerms


class Waiting(Generic[MoveT]):
    """Those who wait, in the order of arrival.

    Whoever has manners that want it is asked for signs of life; any message is one (S0-Q04).
    """

    def __init__(self, terms: TournamentTerms) -> None:
        self._terms = terms
        self.entrants: dict[Peer, Entrant] = {}
        self._unanswered: set[Entrant] = set()
        """Who has been asked for a sign of life and has not given one."""
        self._deadlines: Deadlines[Entrant] = Deadlines()
        self._absences = Absences()
        self._last_arrival = 0.0
        self.changes = 0
        """How often somebody has come or gone."""

    @property
    def deadline(self) -> float | None:
        """When somebody is to be asked for a sign of life, or must have given one or be back."""
        due = (self._deadlines.next(), self._absences.deadline)
        return min((when for when in due if when is not None), default=None)

    @property
    def begins_at(self) -> float | None:
        """When those who wait are enough for a tournament, None if they are not.

        It does not begin without one of them: as long as a place is kept, all wait for it.
        """
        terms, waiting = self._terms, len(self.entrants)
        if self._absences.since:
            return None
        if terms.players is not None:
            return self._last_arrival if waiting >= terms.players else None
        if waiting >= terms.max_players:
            return self._last_arrival
        if waiting < terms.min_players:
            return None
        return self._last_arrival + terms.join_window_seconds

    def begins_at_once(self, count: int) -> bool:
        """Return True if a tournament begins as soon as this many wait, unless one goes on."""
        terms = self._terms
        if terms.players is not None:
            return count >= terms.players
        is_enough = not terms.join_window_seconds and count >= terms.min_players
        return is_enough or count >= terms.max_players

    def add(self, entrant: Entrant, now: float) -> None:
        """Somebody has signed up."""
        self.entrants[entrant.peer] = entrant
        self._last_arrival = now
        self.changes += 1
        self.heard_from(entrant, now)

    def remove(self, entrant: Entrant) -> None:
        """Somebody waits no longer."""
        del self.entrants[entrant.peer]
        self.changes += 1
        self._unanswered.discard(entrant)
        self._absences.forget(entrant.peer)
        self._deadlines.set(entrant, None)

    def keep_place(self, entrant: Entrant, away: Away, now: float) -> bool:
        """Keep the place of one whose connection is lost. Return False if it was away too long."""
        self._unanswered.discard(entrant)
        self._deadlines.set(entrant, None)
        return self._absences.begin(entrant.peer, away, now)

    def heard_from(self, entrant: Entrant, now: float) -> None:
        """That is a sign of life."""
        self._absences.end(entrant.peer, now)
        self._unanswered.discard(entrant)
        if entrant.policy.keepalive is not None:
            self._deadlines.set(entrant, now + entrant.policy.keepalive.seconds_between)

    def take(self) -> list[Entrant]:
        """Those who are to play now, in the order of arrival. They wait no longer."""
        most = self._terms.players or self._terms.max_players
        taken = list(self.entrants.values())[:most]
        for entrant in taken:
            self.remove(entrant)
        return taken

    def tick(self, now: float) -> tuple[list[Delivery[MoveT]], list[Entrant]]:
        """Time has passed: what is to be said, and who has not given a sign of life in time."""
        asked: list[Peer] = []
        silent: list[Entrant] = []
        for entrant in self._deadlines.due(now):
            keepalive = entrant.policy.keepalive
            assert keepalive is not None
            if entrant in self._unanswered:
                silent.append(entrant)
            else:
                asked.append(entrant.peer)
                self._unanswered.add(entrant)
                self._deadlines.set(entrant, now + keepalive.seconds_to_answer)
        silent += [self.entrants[peer] for peer in self._absences.over(now)]
        return ([Delivery(asked, Ping())] if asked else []), silent

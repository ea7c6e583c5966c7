"""The sign-up of tournaments: players wait here until they are enough, also while others play."""

from collections.abc import Sequence
from typing import Final

from gamehall.core import Game, MoveT, SeededRandom
from gamehall.rooms.absences import Absences
from gamehall.rooms.names import displayable, why_not
from gamehall.rooms.notices import Closed, Notice, Ping, ProbeAnswered, Refused, SignedUp
from gamehall.rooms.prompted_match import TOO_CURIOUS, UNASKED, Entrant
from gamehall.rooms.requests import (
    AskAgain,
    Away,
    BadAnswer,
    BeginTournament,
    EndOfInput,
    Join,
    Leave,
    Lost,
    Play,
    Pong,
    Probe,
    Request,
    Return,
    TournamentDelayed,
    TournamentGoesOn,
    TournamentOver,
)
from gamehall.rooms.room import (
    NOBODY,
    Compaction,
    Delivery,
    Entry,
    Lobby,
    Occupancy,
    Peer,
    Reaction,
    TableOpening,
)
from gamehall.rooms.terms import TournamentTerms
from gamehall.rooms.timing import Deadlines
from gamehall.rooms.tournament import Tournament
from gamehall.rooms.view import RoomKind, RoomView

NO_FURTHER: Final = "there is no further tournament"

LONGEST_DELAY: Final = 60.0
"""How many seconds a tournament waits for players who are away: as long as after a restart."""


class SignUp(Lobby[MoveT]):
    """Opens a tournament as soon as enough players wait and no other goes on.

    A tournament is a room of its own, which is told all its players at once. The one before stays
    until then, so that its result can be seen. Unlike other lobbies a sign-up has a journal: who
    waits here is nowhere else.
    """

    has_journal = True

    def __init__(self, game: Game[MoveT], terms: TournamentTerms, random: SeededRandom) -> None:
        self.deadline: float | None = None
        self._game = game
        self._terms = terms
        self._random = random
        self._entrants: dict[Peer, Entrant] = {}
        """Those who wait, in the order of arrival."""
        self._heard_at: dict[Peer, float] = {}
        """When each of them has last given a sign of life."""
        self._asked_at: dict[Peer, float] = {}
        """Who has been asked for a sign of life and has not given one, and since when."""
        self._deadlines: Deadlines[Peer] = Deadlines()
        self._absences = Absences()
        self._playing: frozenset[int] | None = None
        """Who began the tournament that goes on, None if none does."""
        self._delayed_since: float | None = None
        """Since when somebody who waits has been away, None if nobody is."""
        self._changes = 0
        """How often somebody has come or gone."""
        self._reaction: Reaction[MoveT] = Reaction()
        """What is being built by the current call of `handle` or `tick`."""
        self._now = 0.0
        """When the current call was made."""

    def open_table(self, number: int, random: SeededRandom) -> Tournament[MoveT]:
        return Tournament(number=number, game=self._game, terms=self._terms, random=random)

    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        """Do nothing: a tournament says by a request that it is over."""

    @property
    def waiting_players(self) -> Sequence[str]:
        names = [entrant.signed_up_as for entrant in self._entrants.values()]
        wanted = self._terms.players or self._terms.min_players
        return names if self._playing is None and len(names) < wanted else ()

    def view(self) -> RoomView[MoveT]:
        return RoomView(
            kind=RoomKind.TOURNAMENT,
            version=self._changes,
            tables=(),
            waiting=tuple(displayable(one.signed_up_as) for one in self._entrants.values()),
        )

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction = self._begin_reaction(now)
        entrant = self._entrants.get(peer)
        if entrant is not None:
            self._handle_waiting(entrant, request)
        else:
            self._handle_other(peer, request)
        self._go_on()
        return reaction

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction = self._begin_reaction(now)
        asked: list[Peer] = []
        for peer in list(self._deadlines.due(now)):
            keepalive = self._entrants[peer].policy.keepalive
            assert keepalive is not None
            if peer in self._asked_at:
                self._forget(self._entrants[peer], "gave no sign of life")
            else:
                asked.append(peer)
                self._asked_at[peer] = now
                self._deadlines.set(peer, now + keepalive.seconds_to_answer)
        if asked:
            reaction.deliveries.append(Delivery(asked, Ping()))
        for peer in self._absences.over(now):
            self._forget(self._entrants[peer], "did not come back in time")
        self._go_on()
        return reaction

    def compact(self) -> Compaction | None:
        # No tournament begins before all of this is replayed.
        playing = TournamentGoesOn(tuple(sorted(self._playing or ())))
        entries: list[Entry[MoveT]] = [Entry(self._now, NOBODY, playing)]
        for peer, entrant in self._entrants.items():
            entries.append(Entry(entrant.joined_at, peer, entrant.join))
            entries += self._absences.past_entries(peer)
            probes = entrant.probes.times(self._now)
            entries += [Entry(when, peer, Probe(None)) for when in probes]
            entries.append(Entry(self._heard_at[peer], peer, Pong()))
            entries += self._absences.present_entries(peer)
        # Everybody who was heard of later is not yet due at these times.
        entries += [Entry(when) for when in sorted(set(self._asked_at.values()))]
        if self._delayed_since is not None:
            delayed = TournamentDelayed(self._delayed_since)
            entries.append(Entry(self._now, NOBODY, delayed))
        if self._playing is None:
            entries.append(Entry(self._now, NOBODY, TournamentOver()))
        return Compaction(self._random.drawn, entries)

    # Those who wait

    def _handle_waiting(self, entrant: Entrant, request: Request[MoveT]) -> None:
        now = self._now
        match request:
            case EndOfInput():
                # Before its tournament has begun, who hangs up has left.
                self._forget(entrant, "hung up")
            case Leave(fault):
                self._forget(entrant, fault or "left")
            case Lost():
                self._forget(entrant, "lost")
            case Play() | BadAnswer() | AskAgain():
                self._forget(entrant, UNASKED)
            case Away():
                self._asked_at.pop(entrant.peer, None)
                self._deadlines.set(entrant.peer, None)
                if not self._absences.begin(entrant.peer, request, now):
                    self._forget(entrant, "left")
            case Return():
                self._absences.end(entrant.peer, now)
                self._note_sign_of_life(entrant)
                self._tell(entrant.peer, SignedUp())
            case Probe() if not entrant.probes.count(now):
                self._forget(entrant, TOO_CURIOUS)
            case Probe():
                self._note_sign_of_life(entrant)
                self._tell(entrant.peer, ProbeAnswered(is_legal=False))
            case _:
                self._note_sign_of_life(entrant)

    def _handle_other(self, peer: Peer, request: Request[MoveT]) -> None:
        """Handle a request of somebody who does not wait, or of a tournament."""
        self._reaction.changed = False
        match request:
            case Join() if self._playing is not None and peer in self._playing:
                # It is in a tournament, and cannot sign up for the next over this connection.
                pass
            case Join(name, policy) if policy.native and (refusal := why_not(name, policy)):
                # What names a wire allows, its session has checked.
                self._tell(peer, Refused(refusal))
            case Join() if self._terms.once and self._random.drawn.get("tournament"):
                self._tell(peer, Closed(NO_FURTHER))
            case Join():
                self._reaction.changed = True
                self._changes += 1
                self._entrants[peer] = entrant = Entrant(peer, request, self._now)
                self._note_sign_of_life(entrant)
                self._tell(peer, SignedUp())
            case TournamentOver():
                self._reaction.changed = True
                self._playing = None
            case TournamentDelayed(since):
                self._reaction.changed = True
                self._delayed_since = since
            case TournamentGoesOn(players):
                self._reaction.changed = True
                self._playing = frozenset(players)
            case EndOfInput():
                self._tell(peer, Closed("hung up without having signed up"))
            case Leave(str(fault)):
                self._tell(peer, Closed(fault))
            case _:
                pass

    def _note_sign_of_life(self, entrant: Entrant) -> None:
        """Put off the next question whether somebody is there: any message is a sign (S0-Q04)."""
        self._heard_at[entrant.peer] = self._now
        self._asked_at.pop(entrant.peer, None)
        if entrant.policy.keepalive is not None:
            due = self._now + entrant.policy.keepalive.seconds_between
            self._deadlines.set(entrant.peer, due)

    def _forget(self, entrant: Entrant, reason: str) -> None:
        """Somebody who waited does not any more, and does not count (S0-Q23)."""
        self._remove(entrant)
        self._tell(entrant.peer, Closed(reason))

    def _remove(self, entrant: Entrant) -> None:
        self._changes += 1
        del self._entrants[entrant.peer], self._heard_at[entrant.peer]
        self._asked_at.pop(entrant.peer, None)
        self._absences.forget(entrant.peer)
        self._deadlines.set(entrant.peer, None)

    # The next tournament

    @property
    def _begins_at(self) -> float | None:
        """When the next tournament begins, None if that is not known.

        It waits for players who are away, but not for long: otherwise one who comes and goes could
        keep all others from playing.
        """
        terms, present = self._terms, self._present()
        if self._playing is not None or not present:
            return None
        last_arrival = max(entrant.joined_at for entrant in present)
        begins_at = last_arrival
        if terms.players is not None:
            if len(present) < terms.players:
                return None
        elif len(present) < terms.min_players:
            return None
        elif len(present) < terms.max_players:
            begins_at += terms.join_window_seconds
        if self._delayed_since is None:
            return begins_at
        return max(begins_at, self._delayed_since + LONGEST_DELAY)

    def _present(self) -> list[Entrant]:
        """Those who wait and are connected, in the order of arrival."""
        away = self._absences.since
        return [entrant for peer, entrant in self._entrants.items() if peer not in away]

    def _go_on(self) -> None:
        """Begin the next tournament if it is time, and note when to look again."""
        if not self._absences.since:
            self._delayed_since = None
        elif self._delayed_since is None:
            self._delayed_since = self._now
        begins_at = self._begins_at
        if begins_at is not None and self._now >= begins_at:
            self._begin()
            begins_at = None
        due = (begins_at, self._deadlines.next(), self._absences.deadline)
        self.deadline = min((when for when in due if when is not None), default=None)

    def _begin(self) -> None:
        self._reaction.changed = True
        most = self._terms.players or self._terms.max_players
        entrants = self._present()[:most]
        for entrant in entrants:
            self._remove(entrant)
        members = tuple(entrant.peer for entrant in entrants)
        self._playing = frozenset(members)
        begin = BeginTournament(tuple((one.peer, one.join) for one in entrants))
        number = self._random.count("tournament")
        if number > 1:
            self._reaction.closes.append(number - 1)
        self._reaction.opens.append(TableOpening(number, members, begin))
        if self._terms.once:
            for entrant in list(self._entrants.values()):
                self._forget(entrant, NO_FURTHER)

    def _begin_reaction(self, now: float) -> Reaction[MoveT]:
        self._now = now
        self._reaction = Reaction()
        return self._reaction

    def _tell(self, peer: Peer, notice: Notice[MoveT]) -> None:
        self._reaction.deliveries.append(Delivery((peer,), notice))

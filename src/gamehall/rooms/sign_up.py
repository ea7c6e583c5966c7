"""The sign-up of tournaments: players wait here until the next tournament can begin."""

from collections.abc import Sequence
from typing import Final

from gamehall.core import Game, MoveT, SeededRandom
from gamehall.rooms.absences import Absences
from gamehall.rooms.names import displayable, refuse_name
from gamehall.rooms.notices import (
    AWAY_TOO_LONG,
    HUNG_UP,
    LEFT,
    Closed,
    Ping,
    ProbeAnswered,
    Refused,
    SignedUp,
)
from gamehall.rooms.prompted_match import TOO_MANY_PROBES, UNPROMPTED, Entrant
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
    NO_PEER,
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
from gamehall.rooms.timing import Deadlines, earliest
from gamehall.rooms.tournament import Tournament
from gamehall.rooms.view import RoomKind, RoomView

NO_FURTHER: Final = "there is no further tournament"

LONGEST_DELAY: Final = 60.0
"""How many seconds a tournament waits for disconnected players: as long as after a restart."""

MAX_JOIN_WINDOWS: Final = 20
"""After so many join windows with enough players a tournament begins, although others sign up.

Otherwise one client that signs up and leaves again and again could keep all others from playing.
"""


class SignUp(Lobby[MoveT]):
    """Opens a tournament when enough players wait and no other is running.

    A tournament is a room of its own. It stays open until the next one begins, so that its result
    can be seen. Unlike other lobbies a sign-up has a journal, because its waiting players are in
    no other room.
    """

    has_journal = True

    def __init__(self, game: Game[MoveT], terms: TournamentTerms, random: SeededRandom) -> None:
        super().__init__()
        self._game = game
        self._terms = terms
        self._random = random
        self._entrants: dict[Peer, Entrant] = {}
        """The waiting players, in the order of arrival."""
        self._heard_at: dict[Peer, float] = {}
        """When each of them has last sent a message."""
        self._pinged_at: dict[Peer, float] = {}
        """When each player was pinged that has not answered yet."""
        self._deadlines: Deadlines[Peer] = Deadlines()
        """When each player must be pinged, or must have answered."""
        self._absences = Absences()
        self._playing: frozenset[int] | None = None
        """The players of the running tournament, None if none is running."""
        self._delayed_since: float | None = None
        """Since when a waiting player is disconnected, None if none is."""
        self._changes = 0
        """How often a player has arrived or left."""

    def open_table(self, number: int, random: SeededRandom) -> Tournament[MoveT]:
        return Tournament(number=number, game=self._game, terms=self._terms, random=random)

    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        """Do nothing: a tournament sends a request when it is over."""

    @property
    def waiting_players(self) -> Sequence[str]:
        names = [entrant.signed_up_as for entrant in self._entrants.values()]
        return names if self._playing is None and len(names) < self._players_wanted else ()

    @property
    def _players_wanted(self) -> int:
        return self._terms.players or self._terms.min_players

    def view(self) -> RoomView[MoveT]:
        return RoomView(
            kind=RoomKind.TOURNAMENT,
            version=self._changes,
            tables=(),
            waiting=tuple(displayable(one.signed_up_as) for one in self._entrants.values()),
            players_wanted=self._players_wanted,
        )

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now)
        entrant = self._entrants.get(peer)
        if entrant is not None:
            self._handle_waiting(entrant, request)
        else:
            self._handle_other(peer, request)
        self._end_call()
        return reaction

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now)
        pinged: list[Peer] = []
        for peer in list(self._deadlines.due(now)):
            keepalive = self._entrants[peer].policy.keepalive
            assert keepalive is not None
            if peer in self._pinged_at:
                self._close(self._entrants[peer], "gave no sign of life")
            else:
                pinged.append(peer)
                self._pinged_at[peer] = now
                self._deadlines.set(peer, now + keepalive.seconds_to_answer)
        if pinged:
            reaction.deliveries.append(Delivery(pinged, Ping()))
        for peer in self._absences.expired(now):
            self._close(self._entrants[peer], AWAY_TOO_LONG)
        self._end_call()
        return reaction

    def compact(self) -> Compaction | None:
        # As long as a tournament is running, no entry can begin another.
        playing = TournamentGoesOn(tuple(sorted(self._playing or ())))
        entries: list[Entry[MoveT]] = [Entry(self._now, NO_PEER, playing)]
        for peer, entrant in self._entrants.items():
            entries.append(Entry(entrant.joined_at, peer, entrant.join))
            entries += self._absences.past_entries(peer)
            probes = entrant.probes.times(self._now)
            entries += [Entry(when, peer, Probe(None)) for when in probes]
            entries.append(Entry(self._heard_at[peer], peer, Pong()))
            entries += self._absences.present_entries(peer)
        # At these times, only the players who were pinged are due.
        entries += [Entry(when) for when in sorted(set(self._pinged_at.values()))]
        if self._delayed_since is not None:
            delayed = TournamentDelayed(self._delayed_since)
            entries.append(Entry(self._now, NO_PEER, delayed))
        if self._playing is None:
            entries.append(Entry(self._now, NO_PEER, TournamentOver()))
        return Compaction(self._random.drawn, entries)

    # Waiting players

    def _handle_waiting(self, entrant: Entrant, request: Request[MoveT]) -> None:
        now = self._now
        match request:
            case EndOfInput():
                # before its tournament, a player who ends its input has left.
                self._close(entrant, HUNG_UP)
            case Leave(fault):
                self._close(entrant, fault or LEFT)
            case Lost():
                self._close(entrant, "lost")
            case Play() | BadAnswer() | AskAgain():
                self._close(entrant, UNPROMPTED)
            case Away():
                self._pinged_at.pop(entrant.peer, None)
                self._deadlines.set(entrant.peer, None)
                if not self._absences.begin(entrant.peer, request, now):
                    self._close(entrant, LEFT)
            case Return():
                self._absences.end(entrant.peer, now)
                self._note_sign_of_life(entrant)
                self._tell(entrant.peer, SignedUp())
            case Probe() if not entrant.probes.take(now):
                self._close(entrant, TOO_MANY_PROBES)
            case Probe():
                self._note_sign_of_life(entrant)
                self._tell(entrant.peer, ProbeAnswered(is_legal=False))
            case _:
                self._note_sign_of_life(entrant)

    def _handle_other(self, peer: Peer, request: Request[MoveT]) -> None:
        """Handle a request of a client that is not waiting, or of a tournament."""
        self._reaction.changed = False
        match request:
            case Join() if self._playing is not None and peer in self._playing:
                # A player of the running tournament needs another connection to sign up again.
                pass
            case Join(name, policy) if policy.native and (refusal := refuse_name(name, policy)):
                # The session of a wire has checked the name.
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
        """Postpone the next ping, because the client has sent a message (S0-Q04)."""
        self._heard_at[entrant.peer] = self._now
        self._pinged_at.pop(entrant.peer, None)
        if entrant.policy.keepalive is not None:
            due = self._now + entrant.policy.keepalive.seconds_between
            self._deadlines.set(entrant.peer, due)

    def _close(self, entrant: Entrant, reason: str) -> None:
        """Remove a waiting player and close its connection; it does not count (S0-Q23)."""
        self._remove(entrant)
        self._tell(entrant.peer, Closed(reason))

    def _remove(self, entrant: Entrant) -> None:
        self._changes += 1
        del self._entrants[entrant.peer], self._heard_at[entrant.peer]
        self._pinged_at.pop(entrant.peer, None)
        self._absences.forget(entrant.peer)
        self._deadlines.set(entrant.peer, None)

    # The next tournament

    @property
    def _begins_at(self) -> float | None:
        """When the next tournament begins, None if unknown.

        It waits for disconnected players, but not for long: otherwise one who disconnects again and
        again could keep all others from playing.
        """
        terms, present = self._terms, self._present()
        if self._playing is not None or not present:
            return None
        begins_at = max(entrant.joined_at for entrant in present)
        if terms.players is not None:
            if len(present) < terms.players:
                return None
        elif len(present) < terms.min_players:
            return None
        elif len(present) < terms.max_players:
            enough_since = present[terms.min_players - 1].joined_at
            longest = MAX_JOIN_WINDOWS * terms.join_window_seconds
            begins_at = min(begins_at + terms.join_window_seconds, enough_since + longest)
        if self._delayed_since is None:
            return begins_at
        return max(begins_at, self._delayed_since + LONGEST_DELAY)

    def _present(self) -> list[Entrant]:
        """Return the waiting players who are connected, in the order of arrival."""
        away = self._absences.since
        return [entrant for peer, entrant in self._entrants.items() if peer not in away]

    def _end_call(self) -> None:
        """Begin the next tournament if it is time, and note the next deadline."""
        if not self._absences.since:
            self._delayed_since = None
        elif self._delayed_since is None:
            self._delayed_since = self._now
        begins_at = self._begins_at
        if begins_at is not None and self._now >= begins_at:
            self._begin()
            begins_at = None
        self.deadline = earliest(begins_at, self._deadlines.next(), self._absences.deadline)

    def _begin(self) -> None:
        self._reaction.changed = True
        limit = self._terms.players or self._terms.max_players
        entrants = self._present()[:limit]
        for entrant in entrants:
            self._remove(entrant)
        members = tuple(entrant.peer for entrant in entrants)
        self._playing = frozenset(members)
        begin = BeginTournament(tuple((entrant.peer, entrant.join) for entrant in entrants))
        number = self._random.count("tournament")
        if number > 1:
            self._reaction.tables_to_close.append(number - 1)
        self._reaction.tables_to_open.append(TableOpening(number, members, begin))
        if self._terms.once:
            for entrant in list(self._entrants.values()):
                self._close(entrant, NO_FURTHER)

"""A tournament: everybody meets everybody, and whoever fails is sent away."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Generic, NamedTuple

from gamehall.core import Game, MoveT, SeededRandom
from gamehall.rooms.absences import Absences
from gamehall.rooms.names import internal_names, shown_names
from gamehall.rooms.notices import (
    ChatSent,
    Closed,
    ProbeAnswered,
    SignedUp,
    TournamentBegan,
    TournamentEnded,
)
from gamehall.rooms.prompted_match import TOO_CURIOUS, UNASKED, Entrant, PromptedMatch
from gamehall.rooms.requests import (
    AskAgain,
    Away,
    BadAnswer,
    BeginTournament,
    Chat,
    EndOfInput,
    Leave,
    Play,
    Probe,
    Request,
    Return,
    TournamentOver,
)
from gamehall.rooms.room import NOBODY, Delivery, Occupancy, Peer, Reaction, Table, Transfer
from gamehall.rooms.terms import TournamentTerms
from gamehall.rooms.timing import Deadlines
from gamehall.rooms.view import (
    Contestant,
    RoomKind,
    RoomView,
    TournamentReport,
    TournamentView,
    encounters_among,
    rename,
    view_ended,
)
from gamehall.tournaments.pairing import Pair, Schedule, in_order_of_arrival, in_rounds, starter
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


HEEDED: Final = (Play, BadAnswer, AskAgain, Probe, EndOfInput, Leave, Away, Return)
"""What a player may ask in a tournament; everything else changes nothing."""


class PairMatches(Generic[MoveT]):
    """The matches of one pair."""

    __slots__ = ("match", "matches_begun", "pair", "versions_before", "wins")

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.matches_begun = 0
        self.wins = {pair.earlier: 0, pair.later: 0}
        self.match: PromptedMatch[MoveT] | None = None
        self.versions_before = 0
        """How many of these the matches before it took."""

    @property
    def version(self) -> int:
        """A higher one whenever something has changed that can be seen."""
        return self.versions_before + (self.match.version if self.match else 0)

    def is_decided(self, terms: TournamentTerms) -> bool:
        """Whether nothing is left to play."""
        return (
            self.matches_begun >= terms.matches_per_pair
            or max(self.wins.values()) >= terms.wins_to_end
        )


class Tournament(Table[MoveT]):
    """A round robin of those who have signed up, in a room of its own.

    The first request tells it who they are. It is told the time before each request. When it is
    over the room stays, so that the result can be seen, until the next tournament begins.
    """

    def __init__(
        self, number: int, game: Game[MoveT], terms: TournamentTerms, random: SeededRandom
    ) -> None:
        self.deadline = None
        self._number = number
        self._game = game
        self._terms = terms
        self._random = random
        self._entrants: list[Entrant] = []
        """All who have begun it, in the order of arrival."""
        self._players: dict[Peer, Entrant] = {}
        """Those who have not been sent away."""
        self._cheaters: dict[str, str] = {}
        self._wins: list[Win] = []
        self._unplayed: list[Win] = []
        self._score = TournamentScore(
            names=(),
            wins=self._wins,
            unplayed=self._unplayed,
            cheaters=self._cheaters,
            rule=terms.cheaters_matches,
        )
        self._schedule = Schedule(0, [], terms.parallel)
        self._encounters_done = 0
        self._versions_gone = 0
        """How many of these the encounters took that are over."""
        self._encounters: dict[Entrant, PairMatches[MoveT]] = {}
        self._deadlines: Deadlines[PairMatches[MoveT]] = Deadlines()
        self._absences = Absences()
        self._report: TournamentReport | None = None
        """What it has come to, None while it goes on."""
        self._reaction: Reaction[MoveT] = Reaction()
        """What is being built by the current call of `handle` or `tick`."""

    # What the host asks

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        if peer in self._players:
            reaction.deliveries = self._handle_player(self._players[peer], request, now)
        elif isinstance(request, BeginTournament):
            reaction.deliveries = self._begin(request, now)
        else:
            reaction.changed = False
            reaction.deliveries = _answer_stranger(peer, request)
        self._note_deadline()
        return reaction

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        told: list[Delivery[MoveT]] = []
        turn_due, place_due = self._deadlines.next(), self._absences.deadline
        if turn_due is None or (place_due is not None and place_due < turn_due):
            told += self._give_up_absent(now)
        for encounter in list(self._deadlines.due(now)):
            if encounter.match is not None:
                told += encounter.match.tick(now)
                told += self._go_on(deque([encounter]), now)
        reaction.deliveries = told + self._give_up_absent(now)
        self._note_deadline()
        return reaction

    def _note_deadline(self) -> None:
        due = (self._deadlines.next(), self._absences.deadline)
        self.deadline = min((when for when in due if when is not None), default=None)

    @property
    def occupancy(self) -> Occupancy:
        players = {peer: entrant.name for peer, entrant in self._players.items()}
        return Occupancy(players, has_free_seat=False)

    @property
    def is_empty(self) -> bool:
        return not self._entrants

    def request_if_lost(self) -> Request[MoveT] | None:
        return TournamentOver()

    def view(self) -> RoomView[MoveT]:
        tournament: TournamentView | None = None
        if self._report is not None:
            tournament = rename(view_ended(self._report), self._shown)
        elif self._entrants:
            tournament = rename(self._score.view(self._encounters_done), self._shown)
        meeting = self._meeting()
        there = sum(encounter.version for encounter in meeting)
        return RoomView(
            kind=RoomKind.TOURNAMENT,
            version=self._versions_gone + there + self._encounters_done + self._score.version,
            tables=tuple(
                encounter.match.view(
                    f"{self._number}-{encounter.pair.earlier + 1}-{encounter.pair.later + 1}",
                    encounter.version,
                )
                for encounter in meeting
                if encounter.match is not None
            ),
            waiting=(),
            tournament=tournament,
        )

    # The players

    def _begin(self, request: BeginTournament, now: float) -> list[Delivery[MoveT]]:
        """Everybody hears its name, and only then the first matches begin (S0-09)."""
        entrants = [Entrant(Peer(peer), join, now) for peer, join in request.entrants]
        names = internal_names([entrant.signed_up_as for entrant in entrants])
        for number, (entrant, name) in enumerate(zip(entrants, names, strict=True)):
            entrant.number, entrant.name, entrant.id = number, name, self._random.uuid()
        shown = shown_names([entrant.signed_up_as for entrant in entrants], names)
        for entrant, name in zip(entrants, shown, strict=True):
            entrant.shown_name = name
        self._entrants = entrants
        self._players = {entrant.peer: entrant for entrant in entrants}
        self._score = TournamentScore(
            names=names,
            wins=self._wins,
            unplayed=self._unplayed,
            cheaters=self._cheaters,
            rule=self._terms.cheaters_matches,
        )
        self._schedule = Schedule(len(entrants), self._pairs(), self._terms.parallel)
        told: list[Delivery[MoveT]] = [
            Delivery((entrant.peer,), _beginning(entrant)) for entrant in entrants
        ]
        return told + self._go_on(deque(), now)

    def _handle_player(
        self, entrant: Entrant, request: Request[MoveT], now: float
    ) -> list[Delivery[MoveT]]:
        if not isinstance(request, HEEDED):
            self._reaction.changed = False
            return self._say(entrant, request.text) if isinstance(request, Chat) else []
        if isinstance(request, EndOfInput):
            entrant.has_hung_up = True
        encounter = self._encounters.get(entrant)
        if isinstance(request, Return):
            return self._welcome_back(entrant, encounter, now)
        if isinstance(request, Away):
            return self._go_away(entrant, encounter, request, now)
        if encounter is not None and encounter.match is not None:
            told = encounter.match.handle(entrant, request, now)
            if encounter.match.goes_on:
                self._deadlines.set(encounter, encounter.match.deadline)
                return told
            return told + self._go_on(deque([encounter]), now)
        match request:
            case Play() | BadAnswer() | AskAgain():
                told = self._send_away(entrant, UNASKED)
            case Probe() if entrant.probes.count(now):
                return [Delivery((entrant.peer,), ProbeAnswered(is_legal=False))]
            case Probe():
                told = self._send_away(entrant, TOO_CURIOUS)
            case Leave(fault):
                told = self._send_away(entrant, fault or "left")
            case _:
                return []
        return told + self._go_on(deque(), now)

    def _say(self, entrant: Entrant, text: str) -> list[Delivery[MoveT]]:
        """Pass on what a house bot says to its opponent; no other player can say anything here."""
        encounter = self._encounters.get(entrant)
        if encounter is None or not entrant.join.bot:
            return []
        pair = encounter.pair
        number = pair.later if entrant.number == pair.earlier else pair.earlier
        opponent = self._entrants[number]
        if not opponent.policy.native:
            return []
        return [Delivery((opponent.peer,), ChatSent(entrant.shown_name, text))]

    def _go_away(
        self, entrant: Entrant, encounter: PairMatches[MoveT] | None, away: Away, now: float
    ) -> list[Delivery[MoveT]]:
        """A player's connection is lost: its place is kept, and its clock stands (X-07)."""
        if not self._absences.begin(entrant.peer, away, now):
            return self._handle_player(entrant, Leave(None), now)
        if encounter is not None and encounter.match is not None:
            encounter.match.stop_clock(entrant, now)
            self._deadlines.set(encounter, encounter.match.deadline)
        return []

    def _welcome_back(
        self, entrant: Entrant, encounter: PairMatches[MoveT] | None, now: float
    ) -> list[Delivery[MoveT]]:
        """A player is connected again: it hears who it is and what goes on."""
        self._reaction.changed = self._absences.end(entrant.peer, now)
        began = _beginning(entrant)
        told: list[Delivery[MoveT]] = [
            Delivery((entrant.peer,), what) for what in (SignedUp(), began)
        ]
        if encounter is not None and encounter.match is not None:
            told += encounter.match.welcome_back(entrant, now)
            self._deadlines.set(encounter, encounter.match.deadline)
        return told

    def _give_up_absent(self, now: float) -> list[Delivery[MoveT]]:
        """Those whose places were kept for long enough have left."""
        told: list[Delivery[MoveT]] = []
        for peer in self._absences.over(now):
            # Another who has left may have ended the tournament.
            if peer in self._players:
                told += self._handle_player(self._players[peer], Leave(None), now)
        return told

    def _go_on(self, touched: deque[PairMatches[MoveT]], now: float) -> list[Delivery[MoveT]]:
        """Sees to what has happened in these encounters, and to what can begin because of it.

        A loop, and not calls within calls, since of many players who have hung up each match may
        end as it begins.
        """
        told: list[Delivery[MoveT]] = []
        while True:
            while touched:
                encounter = touched.popleft()
                told += self._see_to(encounter)
                if encounter.match is None and self._is_on(encounter):
                    told += self._begin_match(encounter, now)
                    touched.append(encounter)
            begun = self._schedule.begin()
            for pair in begun:
                encounter = PairMatches(pair)
                for number in pair:
                    self._encounters[self._entrants[number]] = encounter
                touched.append(encounter)
            if not begun:
                break
        if self._schedule.is_done and self._report is None:
            told += self._end()
        return told

    def _see_to(self, encounter: PairMatches[MoveT]) -> list[Delivery[MoveT]]:
        """What follows from the last happenings of a match: who is sent away, what is next."""
        match = encounter.match
        if match is None:
            return []
        told: list[Delivery[MoveT]] = []
        for entrant, reason in match.reasons.items():
            if entrant.peer in self._players:
                told += self._send_away(entrant, reason)
        self._deadlines.set(encounter, match.deadline)
        if match.result is None:
            return told
        self._note_win(encounter, match.winner)
        self._reaction.records.append(match.record())
        encounter.match = None
        encounter.versions_before += match.version + 1
        if match.failures or encounter.is_decided(self._terms):
            self._note_unplayed(encounter, match)
            for number in encounter.pair:
                del self._encounters[self._entrants[number]]
            self._schedule.end(encounter.pair)
            self._encounters_done += 1
            self._versions_gone += encounter.version
        return told

    def _begin_match(self, encounter: PairMatches[MoveT], now: float) -> list[Delivery[MoveT]]:
        first = starter(encounter.pair, encounter.matches_begun, self._terms.starts)
        [second] = set(encounter.pair) - {first}
        encounter.matches_begun += 1
        players = (self._entrants[first], self._entrants[second])
        encounter.match = PromptedMatch(self._game, *players, self._random.seed())
        self._absences.begin_match([player.peer for player in players], now)
        for player in players:
            if player.peer in self._absences.since:
                encounter.match.stop_clock(player, now)
        return encounter.match.begin(now)

    def _note_win(self, encounter: PairMatches[MoveT], winner: Entrant | None) -> None:
        if winner is not None:
            encounter.wins[winner.number] += 1
            [loser] = set(encounter.pair) - {winner.number}
            self._wins.append(Win(winner.name, self._entrants[loser].name))

    def _note_unplayed(self, encounter: PairMatches[MoveT], match: PromptedMatch[MoveT]) -> None:
        """The matches that a pair does not play because one of them failed."""
        if len(match.failures) == 1 and match.winner is not None:
            [loser] = match.failures
            left = self._terms.matches_per_pair - encounter.matches_begun
            wanting = self._terms.wins_to_end - encounter.wins[match.winner.number]
            left = min(left, wanting)
            self._unplayed += [Win(match.winner.name, loser.name)] * left

    def _send_away(self, entrant: Entrant, reason: str) -> list[Delivery[MoveT]]:
        """Somebody takes no further part. Whoever would have met it does not."""
        del self._players[entrant.peer]
        self._absences.forget(entrant.peer)
        self._cheaters[entrant.name] = reason
        for pair in self._schedule.withdraw(entrant.number):
            self._encounters_done += 1
            [other] = set(pair) - {entrant.number}
            win = Win(self._entrants[other].name, entrant.name)
            self._unplayed += [win] * self._terms.wins_to_end
        return [Delivery((entrant.peer,), Closed(reason))]

    def _end(self) -> list[Delivery[MoveT]]:
        """All is played: those who are left hear what it has come to, and may go."""
        wins, ranks = self._score.count()
        players = tuple(Contestant(e.name, e.signed_up_as, e.id) for e in self._entrants)
        self._report = TournamentReport(
            players=players, cheaters=dict(self._cheaters), standings=ranks, wins=wins
        )
        self._reaction.reports.append(self._report)
        self._reaction.finished += 1
        self._reaction.transfers.append(Transfer(NOBODY, None, TournamentOver()))
        players_left = list(self._players.values())
        self._players, self._absences = {}, Absences()
        ended = TournamentEnded(tuple(self._cheaters), wins)
        shown = self._shown
        shown_end = TournamentEnded(
            tuple(shown[name] for name in self._cheaters),
            tuple(Win(shown[win.winner], shown[win.loser]) for win in wins),
        )
        over = Closed("the tournament is over", is_expected=True)
        natives = tuple(one.peer for one in players_left if one.policy.native)
        others = tuple(one.peer for one in players_left if not one.policy.native)
        told: list[Delivery[MoveT]] = [Delivery(others, ended)]
        if natives:
            told.append(Delivery(natives, shown_end))
        return [*told, Delivery((*others, *natives), over)]

    @property
    def _shown(self) -> dict[str, str]:
        """What people see the players called, by their names on the wires."""
        return {entrant.name: entrant.shown_name for entrant in self._entrants}

    def _meeting(self) -> list[PairMatches[MoveT]]:
        """The encounters that go on, each once."""
        return [
            encounter
            for entrant, encounter in self._encounters.items()
            if entrant.number == encounter.pair.earlier
        ]

    def _pairs(self) -> list[Pair]:
        if not self._terms.parallel:
            return in_order_of_arrival(len(self._entrants))
        return [pair for pairs in in_rounds(len(self._entrants)) for pair in pairs]

    def _is_on(self, encounter: PairMatches[MoveT]) -> bool:
        """Whether the pair has more to play."""
        return self._encounters.get(self._entrants[encounter.pair.earlier]) is encounter


def _beginning(entrant: Entrant) -> TournamentBegan:
    return TournamentBegan(entrant.name, entrant.id, entrant.shown_name)


def _answer_stranger(peer: Peer, request: Request[MoveT]) -> list[Delivery[MoveT]]:
    """Answer somebody who does not play in this tournament."""
    match request:
        case EndOfInput():
            return [Delivery((peer,), Closed("hung up"))]
        case Leave(str(fault)):
            return [Delivery((peer,), Closed(fault))]
        case _:
            return []

"""A tournament: a round robin in which a player who fails is disqualified."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Generic, NamedTuple

from gamehall.core import Game, MoveT, SeededRandom
from gamehall.rooms.absences import Absences
from gamehall.rooms.names import internal_names, shown_names
from gamehall.rooms.notices import (
    HUNG_UP,
    LEFT,
    ChatSent,
    Closed,
    ProbeAnswered,
    SignedUp,
    TournamentBegan,
    TournamentEnded,
)
from gamehall.rooms.prompted_match import (
    TOO_MANY_PROBES,
    UNPROMPTED,
    Entrant,
    PromptedMatch,
)
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
from gamehall.rooms.room import NO_PEER, Delivery, Occupancy, Peer, Reaction, Table, Transfer
from gamehall.rooms.terms import TournamentTerms
from gamehall.rooms.timing import Deadlines, earliest
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


class Standings(NamedTuple):
    """The matches that count, and the ranks that follow from them."""

    wins: tuple[Win, ...]
    ranks: tuple[Rank, ...]


class TournamentScore:
    """Computes the standings of a tournament, provided that no other player is disqualified.

    There may be many wins, and views are taken often. So nothing is computed before it is needed,
    and then only what is new since the last time, unless a player was disqualified.
    """

    def __init__(
        self,
        names: Sequence[str],
        wins: Sequence[Win],
        unplayed: Sequence[Win],
        cheaters: Mapping[str, str],
        rule: CheaterRule,
    ) -> None:
        """`wins`, `unplayed` and `cheaters` may grow later, and may not change otherwise."""
        self._names = names
        self._wins = wins
        self._unplayed = unplayed
        self._cheaters = cheaters
        self._rule = rule
        self._standings = Standings((), ())
        self._standings_version = -1
        self._settled = 0
        """How many of the wins are included in the sums."""
        self._restart_sums()

    @property
    def version(self) -> int:
        """Increases with every win, unplayed match and disqualification."""
        return len(self._wins) + len(self._unplayed) + len(self._cheaters)

    def standings(self) -> Standings:
        """Return the standings. Among equals, disqualified players come last."""
        if self._standings_version == self.version:
            return self._standings
        if self._valid_for != (len(self._cheaters), len(self._unplayed)):
            self._restart_sums()
        played = settle(self._wins[self._settled :], self._cheaters, (), self._rule)
        self._settled = len(self._wins)
        self._add(played)
        self._played += tuple(played)
        names = sorted(self._names, key=lambda name: name in self._cheaters)
        ranks = [Rank(name, self._won[name], self._lost[name]) for name in names]
        ranks.sort(key=lambda rank: (-rank.won, rank.lost))
        self._standings = Standings(self._played + self._forfeits, tuple(ranks))
        self._standings_version = self.version
        return self._standings

    def _restart_sums(self) -> None:
        """Reset all sums: a disqualification changes how earlier matches count."""
        self._won: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()
        self._settled = 0
        self._played: tuple[Win, ...] = ()
        self._forfeits: tuple[Win, ...] = tuple(
            settle((), self._cheaters, self._unplayed, self._rule)
        )
        self._add(self._forfeits)
        self._valid_for: tuple[int, int] = len(self._cheaters), len(self._unplayed)

    def _add(self, wins: Iterable[Win]) -> None:
        for win in wins:
            self._won[win.winner] += 1
            self._lost[win.loser] += 1

    def view(self, encounters_done: int) -> TournamentView:
        """Return the view of the running tournament."""
        standings = self.standings()
        return TournamentView(
            is_over=False,
            players=tuple(self._names),
            ranks=standings.ranks,
            wins=standings.wins,
            cheaters=dict(self._cheaters),
            encounters=encounters_among(len(self._names)),
            encounters_done=encounters_done,
            report=None,
        )


PLAYER_REQUESTS: Final = (Play, BadAnswer, AskAgain, Probe, EndOfInput, Leave, Away, Return)
"""The requests of players that can change a tournament."""


class Encounter(Generic[MoveT]):
    """The matches of two players against each other."""

    __slots__ = ("earlier_versions", "match", "matches_begun", "pair", "wins")

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.matches_begun = 0
        self.wins = {pair.earlier: 0, pair.later: 0}
        self.match: PromptedMatch[MoveT] | None = None
        self.earlier_versions = 0
        """The versions that earlier matches have used."""

    @property
    def version(self) -> int:
        """Increases with every visible change."""
        return self.earlier_versions + (self.match.version if self.match else 0)

    def is_decided(self, terms: TournamentTerms) -> bool:
        """Return True if no match is left to play."""
        return (
            self.matches_begun >= terms.matches_per_pair
            or max(self.wins.values()) >= terms.wins_to_end
        )


class Tournament(Table[MoveT]):
    """A round robin of the players who have signed up, in a room of its own.

    The first request names the players. After the end the room stays open, so that the result can
    be seen, until the next tournament begins.
    """

    def __init__(
        self, number: int, game: Game[MoveT], terms: TournamentTerms, random: SeededRandom
    ) -> None:
        super().__init__()
        self._number = number
        self._game = game
        self._terms = terms
        self._random = random
        self._entrants: list[Entrant] = []
        """All players, in the order of arrival."""
        self._players: dict[Peer, Entrant] = {}
        """The players who are not disqualified."""
        self._cheaters: dict[str, str] = {}
        """The reason of each disqualification."""
        self._wins: list[Win] = []
        self._unplayed: list[Win] = []
        """The matches that were not played because the loser was disqualified before."""
        self._score = self._new_score(())
        self._schedule = Schedule(0, [], terms.parallel)
        self._encounters_done = 0
        self._earlier_versions = 0
        """The versions that finished encounters have used."""
        self._encounters: dict[Entrant, Encounter[MoveT]] = {}
        """The running encounter of each player."""
        self._deadlines: Deadlines[Encounter[MoveT]] = Deadlines()
        self._absences = Absences()
        self._report: TournamentReport | None = None
        """The outcome, None while the tournament is running."""

    def _new_score(self, names: Sequence[str]) -> TournamentScore:
        return TournamentScore(
            names=names,
            wins=self._wins,
            unplayed=self._unplayed,
            cheaters=self._cheaters,
            rule=self._terms.cheaters_matches,
        )

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now)
        if peer in self._players:
            self._handle_player(self._players[peer], request)
        elif isinstance(request, BeginTournament):
            self._begin(request)
        else:
            reaction.changed = False
            self._handle_stranger(peer, request)
        self.deadline = earliest(self._deadlines.next(), self._absences.deadline)
        return reaction

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction = self._begin_call(now)
        turn_due, seat_due = self._deadlines.next(), self._absences.deadline
        # What was due first happens first: it may end a match.
        if turn_due is None or (seat_due is not None and seat_due < turn_due):
            self._remove_absent()
        for encounter in list(self._deadlines.due(now)):
            if encounter.match is not None:
                reaction.deliveries += encounter.match.tick(now)
                self._advance(encounter)
        self._remove_absent()
        self.deadline = earliest(self._deadlines.next(), self._absences.deadline)
        return reaction

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
            tournament = rename(view_ended(self._report), self._shown_names)
        elif self._entrants:
            tournament = rename(self._score.view(self._encounters_done), self._shown_names)
        running = self._running_encounters()
        versions = self._earlier_versions + sum(encounter.version for encounter in running)
        return RoomView(
            kind=RoomKind.TOURNAMENT,
            version=versions + self._encounters_done + self._score.version,
            tables=tuple(
                encounter.match.view(
                    f"{self._number}-{encounter.pair.earlier + 1}-{encounter.pair.later + 1}",
                    encounter.version,
                )
                for encounter in running
                if encounter.match is not None
            ),
            waiting=(),
            tournament=tournament,
        )

    # Requests

    def _begin(self, request: BeginTournament) -> None:
        """Tell all players their names, and then begin the first matches (S0-09)."""
        entrants = [Entrant(Peer(peer), join, self._now) for peer, join in request.entrants]
        signed_up = [entrant.signed_up_as for entrant in entrants]
        names = internal_names(signed_up)
        shown = shown_names(signed_up, names)
        for number, entrant in enumerate(entrants):
            entrant.number, entrant.id = number, self._random.uuid()
            entrant.name, entrant.shown_name = names[number], shown[number]
        self._entrants = entrants
        self._players = {entrant.peer: entrant for entrant in entrants}
        self._score = self._new_score(names)
        self._schedule = Schedule(len(entrants), self._pairs(), self._terms.parallel)
        for entrant in entrants:
            self._tell_beginning(entrant)
        self._advance()

    def _handle_player(self, entrant: Entrant, request: Request[MoveT]) -> None:
        if isinstance(request, Chat):
            self._reaction.changed = False
            self._send_chat(entrant, request)
            return
        if not isinstance(request, PLAYER_REQUESTS):
            self._reaction.changed = False
            return
        if isinstance(request, EndOfInput):
            entrant.has_hung_up = True
        encounter = self._encounters.get(entrant)
        if isinstance(request, Return):
            self._reconnect(entrant, encounter)
        elif isinstance(request, Away):
            self._disconnect(entrant, encounter, request)
        elif encounter is not None and encounter.match is not None:
            self._reaction.deliveries += encounter.match.handle(entrant, request, self._now)
            if encounter.match.is_running:
                self._deadlines.set(encounter, encounter.match.deadline)
            else:
                self._advance(encounter)
        else:
            self._handle_idle(entrant, request)

    def _handle_idle(self, entrant: Entrant, request: Request[MoveT]) -> None:
        """Handle a request of a player who has no match now."""
        match request:
            case Play() | BadAnswer() | AskAgain():
                reason = UNPROMPTED
            case Probe() if entrant.probes.take(self._now):
                self._tell(entrant.peer, ProbeAnswered(is_legal=False))
                return
            case Probe():
                reason = TOO_MANY_PROBES
            case Leave(fault):
                reason = fault or LEFT
            case _:
                return
        self._disqualify(entrant, reason)
        self._advance()

    def _handle_stranger(self, peer: Peer, request: Request[MoveT]) -> None:
        match request:
            case EndOfInput():
                self._tell(peer, Closed(HUNG_UP))
            case Leave(str(fault)):
                self._tell(peer, Closed(fault))
            case _:
                pass

    def _send_chat(self, entrant: Entrant, chat: Chat) -> None:
        """Send a house bot's chat message to a native opponent. Other players cannot chat."""
        encounter = self._encounters.get(entrant)
        if encounter is None or not entrant.join.bot:
            return
        [number] = set(encounter.pair) - {entrant.number}
        opponent = self._entrants[number]
        if opponent.policy.native:
            sent = ChatSent(
                entrant.shown_name,
                chat.text,
                is_from_server=chat.is_from_server,
                substitute=chat.substitute,
            )
            self._tell(opponent.peer, sent)

    def _disconnect(self, entrant: Entrant, encounter: Encounter[MoveT] | None, away: Away) -> None:
        """Keep the seat of a disconnected player, and stop its clock (X-07)."""
        if not self._absences.begin(entrant.peer, away, self._now):
            self._handle_player(entrant, Leave(None))
        elif encounter is not None and encounter.match is not None:
            encounter.match.stop_clock(entrant, self._now)
            self._deadlines.set(encounter, encounter.match.deadline)

    def _reconnect(self, entrant: Entrant, encounter: Encounter[MoveT] | None) -> None:
        """Tell a player that is connected again its name and the state of its match."""
        self._reaction.changed = self._absences.end(entrant.peer, self._now)
        self._tell(entrant.peer, SignedUp())
        self._tell_beginning(entrant)
        if encounter is not None and encounter.match is not None:
            self._reaction.deliveries += encounter.match.reconnect(entrant, self._now)
            self._deadlines.set(encounter, encounter.match.deadline)

    def _tell_beginning(self, entrant: Entrant) -> None:
        began = TournamentBegan(entrant.name, entrant.id, entrant.shown_name)
        self._tell(entrant.peer, began)

    def _remove_absent(self) -> None:
        """Handle players who were disconnected for too long like players who leave."""
        for peer in self._absences.expired(self._now):
            # When another player leaves, the tournament may end.
            if peer in self._players:
                self._handle_player(self._players[peer], Leave(None))

    # The matches

    def _advance(self, *changed: Encounter[MoveT]) -> None:
        """Process what has changed in these encounters, and begin the matches that can begin.

        This is a loop and not a recursion: if many players have ended their input, each match may
        end as it begins.
        """
        queue = deque(changed)
        while True:
            while queue:
                encounter = queue.popleft()
                self._process(encounter)
                if encounter.match is None and self._is_running(encounter):
                    self._begin_match(encounter)
                    queue.append(encounter)
            begun = self._schedule.begin()
            for pair in begun:
                encounter = Encounter(pair)
                for number in pair:
                    self._encounters[self._entrants[number]] = encounter
                queue.append(encounter)
            if not begun:
                break
        if self._schedule.is_done and self._report is None:
            self._end()

    def _process(self, encounter: Encounter[MoveT]) -> None:
        """Disqualify the players who have failed in a match; if it is over, note its result."""
        match = encounter.match
        if match is None:
            return
        for entrant, reason in match.reasons.items():
            if entrant.peer in self._players:
                self._disqualify(entrant, reason)
        self._deadlines.set(encounter, match.deadline)
        if match.result is None:
            return
        self._note_win(encounter, match.winner)
        self._reaction.records.append(match.record())
        encounter.match = None
        encounter.earlier_versions += match.version + 1
        if match.failures or encounter.is_decided(self._terms):
            self._note_unplayed(encounter, match)
            for number in encounter.pair:
                del self._encounters[self._entrants[number]]
            self._schedule.end(encounter.pair)
            self._encounters_done += 1
            self._earlier_versions += encounter.version

    def _begin_match(self, encounter: Encounter[MoveT]) -> None:
        first = starter(encounter.pair, encounter.matches_begun, self._terms.starts)
        [second] = set(encounter.pair) - {first}
        encounter.matches_begun += 1
        players = (self._entrants[first], self._entrants[second])
        encounter.match = PromptedMatch(self._game, *players, self._random.seed())
        self._absences.begin_match([player.peer for player in players], self._now)
        for player in players:
            if player.peer in self._absences.since:
                encounter.match.stop_clock(player, self._now)
        self._reaction.deliveries += encounter.match.begin(self._now)

    def _note_win(self, encounter: Encounter[MoveT], winner: Entrant | None) -> None:
        if winner is not None:
            encounter.wins[winner.number] += 1
            [loser] = set(encounter.pair) - {winner.number}
            self._wins.append(Win(winner.name, self._entrants[loser].name))

    def _note_unplayed(self, encounter: Encounter[MoveT], match: PromptedMatch[MoveT]) -> None:
        """Note the remaining matches of a pair, if one of its players has failed."""
        if len(match.failures) == 1 and match.winner is not None:
            [loser] = match.failures
            left = self._terms.matches_per_pair - encounter.matches_begun
            needed = self._terms.wins_to_end - encounter.wins[match.winner.number]
            self._unplayed += [Win(match.winner.name, loser.name)] * min(left, needed)

    def _disqualify(self, entrant: Entrant, reason: str) -> None:
        """Remove a player; its remaining matches are not played."""
        del self._players[entrant.peer]
        self._absences.forget(entrant.peer)
        self._cheaters[entrant.name] = reason
        for pair in self._schedule.withdraw(entrant.number):
            self._encounters_done += 1
            [other] = set(pair) - {entrant.number}
            win = Win(self._entrants[other].name, entrant.name)
            self._unplayed += [win] * self._terms.wins_to_end
        self._tell(entrant.peer, Closed(reason))

    def _end(self) -> None:
        """Tell the remaining players the result, and the sign-up that the next may begin."""
        wins, ranks = self._score.standings()
        players = tuple(Contestant(e.name, e.signed_up_as, e.id) for e in self._entrants)
        self._report = TournamentReport(
            players=players, cheaters=dict(self._cheaters), standings=ranks, wins=wins
        )
        reaction = self._reaction
        reaction.reports.append(self._report)
        reaction.finished += 1
        reaction.transfers.append(Transfer(NO_PEER, None, TournamentOver()))
        natives = tuple(one.peer for one in self._players.values() if one.policy.native)
        others = tuple(one.peer for one in self._players.values() if not one.policy.native)
        self._players, self._absences = {}, Absences()
        ended = TournamentEnded(tuple(self._cheaters), wins)
        reaction.deliveries.append(Delivery(others, ended))
        if natives:
            shown = self._shown_names
            ended = TournamentEnded(
                tuple(shown[name] for name in self._cheaters),
                tuple(Win(shown[win.winner], shown[win.loser]) for win in wins),
            )
            reaction.deliveries.append(Delivery(natives, ended))
        over = Closed("the tournament is over", is_expected=True)
        reaction.deliveries.append(Delivery((*others, *natives), over))

    @property
    def _shown_names(self) -> dict[str, str]:
        """The shown name of each player, by its name on the wires."""
        return {entrant.name: entrant.shown_name for entrant in self._entrants}

    def _running_encounters(self) -> list[Encounter[MoveT]]:
        return [
            encounter
            for entrant, encounter in self._encounters.items()
            if entrant.number == encounter.pair.earlier
        ]

    def _is_running(self, encounter: Encounter[MoveT]) -> bool:
        """Return True if the pair has more matches to play."""
        return self._encounters.get(self._entrants[encounter.pair.earlier]) is encounter

    def _pairs(self) -> list[Pair]:
        if not self._terms.parallel:
            return in_order_of_arrival(len(self._entrants))
        return [pair for pairs in in_rounds(len(self._entrants)) for pair in pairs]

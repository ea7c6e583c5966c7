"""A room for tournaments, one after the other: those who come wait for the next."""

from collections.abc import Sequence

from gamehall.core import Game, MoveT, SeededRandom
from gamehall.rooms.entrant import Entrant
from gamehall.rooms.entries import Compaction, Entry
from gamehall.rooms.notices import Closed, ProbeAnswered, SignedUp
from gamehall.rooms.prompted_match import TOO_CURIOUS, UNASKED
from gamehall.rooms.reaction import Delivery, Peer, Reaction
from gamehall.rooms.report import TournamentReport
from gamehall.rooms.requests import (
    AskAgain,
    Away,
    BadAnswer,
    EndOfInput,
    Join,
    Leave,
    Lost,
    Play,
    Probe,
    Request,
    Return,
)
from gamehall.rooms.room import Room
from gamehall.rooms.terms import TournamentTerms
from gamehall.rooms.tournament import Tournament
from gamehall.rooms.view import RoomKind, RoomView, TournamentView, view_ended
from gamehall.rooms.waiting import Waiting


class TournamentRoom(Room[MoveT]):
    """People wait here until they are enough; then they play, while others wait for the next time.

    There is at most one tournament at a time.
    """

    def __init__(self, game: Game[MoveT], terms: TournamentTerms, shuffler: SeededRandom) -> None:
        self._finished = 0
        """How many tournaments have come to an end."""
        self._number = 0
        """That of the last tournament that has begun, from 1 on."""
        self._reaction: Reaction[MoveT] = Reaction()
        """What is being built by the current call of `handle` or `tick`."""
        self._last_report: TournamentReport | None = None
        self._versions_gone = 0
        """How many of these the tournaments took that are over."""
        self.deadline = None
        self._game = game
        self._terms = terms
        self._shuffler = shuffler
        self._waiting: Waiting[MoveT] = Waiting(terms)
        self._tournament: Tournament[MoveT] | None = None
        self._compaction: Compaction | None = None
        """What rebuilds the room, if the current call has begun a tournament."""

    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        self._compaction = None
        told = reaction.deliveries
        if self._tournament is not None and peer in self._tournament.players:
            told += self._tournament.handle(peer, request, now)
        elif peer in self._waiting.entrants:
            told += self._handle_waiting(self._waiting.entrants[peer], request, now)
        else:
            told += self._handle_stranger(peer, request, now)
        told += self._go_on(now)
        return reaction

    def tick(self, now: float) -> Reaction[MoveT]:
        reaction: Reaction[MoveT] = Reaction()
        self._reaction = reaction
        self._compaction = None
        told, silent = self._waiting.tick(now)
        for entrant in silent:
            told += self._forget(entrant, "gave no sign of life")
        if self._tournament is not None:
            told += self._tournament.tick(now)
        reaction.deliveries = told + self._go_on(now)
        return reaction

    def compact(self) -> Compaction | None:
        return self._compaction

    @property
    def waiting_players(self) -> Sequence[str]:
        names = [entrant.signed_up_as for entrant in self._waiting.entrants.values()]
        wanted = self._terms.players or self._terms.min_players
        return names if self._tournament is None and len(names) < wanted else ()

    def view(self) -> RoomView[MoveT]:
        playing, last = self._tournament, self._last_report
        tournament: TournamentView | None = None
        if playing is not None:
            tournament = playing.view(last)
        elif last is not None:
            tournament = view_ended(last)
        version = self._versions_gone + self._waiting.changes
        return RoomView(
            kind=RoomKind.TOURNAMENT,
            version=version + (playing.version if playing is not None else 0),
            game=self._game.name,
            tables=() if playing is None else playing.view_tables(self._number),
            waiting=tuple(entrant.signed_up_as for entrant in self._waiting.entrants.values()),
            tournament=tournament,
        )

    def _handle_stranger(
        self, peer: Peer, request: Request[MoveT], now: float
    ) -> list[Delivery[MoveT]]:
        is_over = self._terms.once and (self._tournament is not None or self._finished)
        if isinstance(request, Join) and not is_over:
            self._waiting.add(Entrant(peer, request, now), now)
            return [Delivery((peer,), SignedUp())]
        self._reaction.changed = False
        match request:
            case Join():
                return [Delivery((peer,), Closed("there is no further tournament"))]
            case EndOfInput():
                return [Delivery((peer,), Closed("hung up without having signed up"))]
            case Leave(str(fault)):
                return [Delivery((peer,), Closed(fault))]
            case _:
                return []

    def _handle_waiting(
        self, entrant: Entrant, request: Request[MoveT], now: float
    ) -> list[Delivery[MoveT]]:
        match request:
            case EndOfInput():
                # Before its tournament has begun, who hangs up has left.
                return self._forget(entrant, "hung up")
            case Leave(fault):
                return self._forget(entrant, fault or "left")
            case Lost():
                return self._forget(entrant, "lost")
            case Play() | BadAnswer() | AskAgain():
                return self._forget(entrant, UNASKED)
            case Away() if self._waiting.keep_place(entrant, request, now):
                return []
            case Away():
                return self._forget(entrant, "left")
            case Return():
                self._waiting.heard_from(entrant, now)
                return [Delivery((entrant.peer,), SignedUp())]
            case Probe() if not entrant.probes.count(now):
                return self._forget(entrant, TOO_CURIOUS)
            case Probe():
                self._waiting.heard_from(entrant, now)
                return [Delivery((entrant.peer,), ProbeAnswered(is_legal=False))]
            case _:
                self._waiting.heard_from(entrant, now)
        return []

    def _forget(self, entrant: Entrant, reason: str) -> list[Delivery[MoveT]]:
        """Somebody who waited does not any more, and does not count (S0-Q23)."""
        self._waiting.remove(entrant)
        return [Delivery((entrant.peer,), Closed(reason))]

    def _go_on(self, now: float) -> list[Delivery[MoveT]]:
        """Notes what has ended, begins the next tournament if it is time, and says what is due."""
        told: list[Delivery[MoveT]] = []
        self._note_end()
        while (begins_at := self._begins_at()) is not None and now >= begins_at:
            told += self._begin(now)
            self._note_end()
        playing = self._tournament.deadline if self._tournament else None
        due = [w for w in (begins_at, playing, self._waiting.deadline) if w is not None]
        self.deadline = min(due, default=None)
        return told

    def _begin(self, now: float) -> list[Delivery[MoveT]]:
        entrants = self._waiting.take()
        told: list[Delivery[MoveT]] = []
        # Until now the last result was shown, so it is remembered; from now on it need not be.
        self._last_report = None
        self._note_compaction(entrants, now)
        self._number = self._shuffler.count("tournament")
        if self._terms.once:
            for entrant in list(self._waiting.entrants.values()):
                told += self._forget(entrant, "there is no further tournament")
        self._tournament = Tournament(self._game, self._terms, entrants, self._shuffler)
        return told + self._tournament.begin(now)

    def _note_compaction(self, entrants: list[Entrant], now: float) -> None:
        """Note that the room can be rebuilt from those who play now, if nobody else is here.

        They may have signed up while another tournament went on. In a fresh room none goes on, so
        the tournament must not begin before the last of them has signed up there, and not before
        `now`.
        """
        if self._waiting.entrants or self._waiting.begins_at_once(len(entrants) - 1):
            return
        if any(not one.probes.is_empty(now) for one in entrants):
            # The probes of those who waited count on, and are not among these entries.
            return
        joins: list[Entry[MoveT]]
        if self._waiting.begins_at_once(len(entrants)):
            joins = [Entry(now, one.peer, one.join) for one in entrants]
        else:
            joins = [Entry(one.joined_at, one.peer, one.join) for one in entrants]
            joins.append(Entry(now))
        self._compaction = Compaction(self._shuffler.drawn, joins)

    def _note_end(self) -> None:
        if self._tournament is not None and self._tournament.records:
            self._reaction.records += self._tournament.records
            self._tournament.records.clear()
        if self._tournament is not None and self._tournament.report is not None:
            self._last_report = self._tournament.report
            self._reaction.reports.append(self._last_report)
            self._versions_gone += self._tournament.version + 1
            self._finished += 1
            self._reaction.finished += 1
            self._tournament = None

    def _begins_at(self) -> float | None:
        """When the next tournament begins, None if that is not known."""
        return self._waiting.begins_at if self._tournament is None else None

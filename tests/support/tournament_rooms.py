"""A sign-up and its tournaments without a host."""

from typing import Any

from gamehall.core import Game
from gamehall.rooms.requests import Join, Request
from gamehall.rooms.room import NO_PEER, Peer, Reaction
from gamehall.rooms.secrets import SecretRandom, room_secrets
from gamehall.rooms.sign_up import SignUp
from gamehall.rooms.terms import TournamentTerms
from gamehall.rooms.tournament import Tournament
from gamehall.rooms.view import RoomView, TournamentView


class TournamentRooms:
    """Sends each request to the room of its peer, opens tournaments, and adds up reactions."""

    def __init__(self, game: Game[Any], terms: TournamentTerms) -> None:
        self._secrets = room_secrets(0, "tournaments")
        self.sign_up: SignUp[Any] = SignUp(game, terms, SecretRandom(next(self._secrets)))
        self.tournaments: dict[int, Tournament[Any]] = {}
        self._places: dict[Peer, int] = {}

    @property
    def deadline(self) -> float | None:
        due = [room.deadline for room in (self.sign_up, *self.tournaments.values())]
        return min((when for when in due if when is not None), default=None)

    @property
    def tournament(self) -> TournamentView | None:
        return next((room.view().tournament for room in self.tournaments.values()), None)

    def view(self) -> RoomView[Any]:
        """Return the view of the sign-up with the tables of the tournaments."""
        view = self.sign_up.view()
        tables = tuple(table for one in self.tournaments.values() for table in one.view().tables)
        return RoomView(
            kind=view.kind,
            version=view.version + sum(one.view().version for one in self.tournaments.values()),
            tables=tables,
            waiting=view.waiting,
            tournament=self.tournament,
        )

    def handle(self, peer: Peer, request: Request[Any], now: float) -> Reaction[Any]:
        """Return the combined reaction of all rooms to a request."""
        place = self.tournaments.get(self._places.get(peer, 0))
        room = self.sign_up if place is None or isinstance(request, Join) else place
        total: Reaction[Any] = Reaction()
        reaction = room.handle(peer, request, now)
        total.changed = reaction.changed
        self._follow(reaction, total, now)
        return total

    def tick(self, now: float) -> Reaction[Any]:
        """Return the combined reaction of the rooms whose deadline has passed."""
        total: Reaction[Any] = Reaction()
        for room in (self.sign_up, *self.tournaments.values()):
            if room.deadline is not None and room.deadline <= now:
                self._follow(room.tick(now), total, now)
        return total

    def _follow(self, reaction: Reaction[Any], total: Reaction[Any], now: float) -> None:
        total.deliveries += reaction.deliveries
        total.records += reaction.records
        total.reports += reaction.reports
        total.finished += reaction.finished
        for number in reaction.tables_to_close:
            del self.tournaments[number]
        for opening in reaction.tables_to_open:
            random = SecretRandom(next(self._secrets))
            table = self.tournaments[opening.number] = self.sign_up.open_table(
                opening.number, random
            )
            self._places |= dict.fromkeys(opening.members, opening.number)
            assert opening.request is not None
            self._follow(table.handle(NO_PEER, opening.request, now), total, now)
        for transfer in reaction.transfers:
            self._follow(self.sign_up.handle(transfer.peer, transfer.request, now), total, now)

"""The running matches of any kind of room."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gamehall.core import Seat
from gamehall.match import Referee
from gamehall.rooms.absences import Absences
from gamehall.rooms.negotiated_table import NegotiatedTable
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.polled_table import PolledTable
from gamehall.rooms.room import Peer, Room
from gamehall.rooms.sign_up import SignUp
from gamehall.rooms.tournament import Tournament


class Running(NamedTuple):
    """A match that has begun."""

    referee: Referee[Any]
    players: Mapping[Seat, Peer]
    """The players that the room notifies of turns."""

    @property
    def seed(self) -> int:
        """Unique among all matches."""
        return self.referee._seed

    @property
    def moves(self) -> int:
        """The number of moves so far."""
        return len(self.referee._moves)

    @property
    def to_move(self) -> Peer | None:
        """The player to move, None if the room does not notify it."""
        seat = self.referee.position.to_move
        return None if seat is None else self.players.get(seat)


def running_matches(room: Room[Any]) -> Iterator[Running]:
    """Yield the matches without a result in which no player has failed."""
    for running in _matches(room):
        if running.referee.result is None:
            yield running


class Prompt(NamedTuple):
    """An open prompt of a tournament."""

    peer: Peer
    name: str
    deadline: float | None


def open_prompts(room: Room[Any]) -> dict[int, Prompt]:
    """Return the open prompts of a tournament, by the seed of the match."""
    found: dict[int, Prompt] = {}
    if isinstance(room, Tournament):
        for encounter in dict.fromkeys(room._encounters.values()):
            match = encounter.match
            if match is not None and match._asked is not None and match.result is None:
                player = match._players[match._asked]
                prompt = Prompt(player.peer, player.signed_up_as, match.deadline)
                found[match._referee._seed] = prompt
    return found


def absences_of(room: Room[Any]) -> dict[Peer, float]:
    """Return the disconnected players of a room, and until when their seats are kept."""
    return {peer: one._until._when[peer] for one in _absences(room) for peer in one.since}


def have_been_away(room: Room[Any]) -> set[Peer]:
    """Return the players who have been away in their matches before."""
    return {peer for one in _absences(room) for peer in one.used}


def _absences(room: Room[Any]) -> list[Absences]:
    match room:
        case OpenTable() | Tournament() | SignUp():
            return [room._absences]
        case _:
            return []


def _matches(room: Room[Any]) -> Iterator[Running]:
    match room:
        case OpenTable() if room._has_had_two_players and len(room._players) == 2:
            players = {seat: member.peer for seat, member in room._players.items()}
            yield Running(room._referee, players)
        case Tournament():
            for encounter in dict.fromkeys(room._encounters.values()):
                if encounter.match is not None and not encounter.match.failures:
                    entrants = encounter.match._players
                    yield Running(
                        encounter.match._referee, {s: one.peer for s, one in entrants.items()}
                    )
        case NegotiatedTable() if room._referee is not None:
            players = {player.seat: player.peer for player in room._players if player.seat}
            yield Running(room._referee, players)
        case PolledTable() if room._match.referee is not None:
            yield Running(room._match.referee, {})
        case _:
            pass

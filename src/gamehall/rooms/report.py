"""What a tournament has come to, for the house and for people."""

import msgspec

from gamehall.tournaments.standings import Rank, Win


class Contestant(msgspec.Struct, frozen=True):
    """A player, for a report: what it is called, what it called itself, and its UUID."""

    name: str
    signed_up_as: str
    id: str


class TournamentReport(msgspec.Struct, frozen=True):
    """What a tournament has come to."""

    players: tuple[Contestant, ...]
    cheaters: dict[str, str]
    """Who was sent away, and why, in the order in which it happened."""
    standings: tuple[Rank, ...]
    wins: tuple[Win, ...]

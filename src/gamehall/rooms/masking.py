"""What a client may see of a notice: the one place where hidden information is masked."""

from typing import Any

from msgspec.structs import replace

from gamehall.core import Seat
from gamehall.match import MatchEnded, MovePlayed, MoveRefused, TurnBegan
from gamehall.rooms.notices import Notice, Snapshot


def mask(notice: Notice[Any], viewer: Seat | None) -> Notice[Any]:
    """Return the notice without what the player in that seat may not know; None is a spectator.

    Moves are public in every game: what a player may not know of a move is not written in it.
    """
    match notice:
        case TurnBegan() | MovePlayed() | MoveRefused() | MatchEnded():
            return replace(notice, position=notice.position.seen_by(viewer))
        case Snapshot(position=position) if position is not None:
            return replace(notice, position=position.seen_by(viewer))
        case _:
            return notice

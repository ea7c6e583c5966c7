"""Rooms for plain matches of a game that no door offers: its native clients play there."""

from functools import partial
from typing import Any, Final, get_args, get_origin

import msgspec

from gamehall.core import Game, SeededRandom, room_secrets
from gamehall.match.record import write_terms
from gamehall.rooms.entries import Codec
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.room import Room
from gamehall.rooms.terms import LeaveRule, RematchRule, TableTerms
from gamehall.server.room_host import HostedRoom

TERMS: Final = TableTerms(rematch=RematchRule.BOTH, on_leave=LeaveRule.AWARD, wait_for_second=True)


def game_room(game: Game[Any], seed: int) -> HostedRoom:
    """Return a room of open tables for a game, named like the game."""
    return HostedRoom(
        game.name,
        partial(_open_tables, game),
        msgspec.json.encode(write_terms(game)),
        Codec(moves_of(type(game))),
        room_secrets(seed, game.name),
    )


def moves_of(kind: type[Game[Any]]) -> Any:
    """The type of the game's moves: what stands in the brackets of the base class."""
    [moves] = [
        get_args(base)[0]
        for ancestor in kind.__mro__
        for base in getattr(ancestor, "__orig_bases__", ())
        if get_origin(base) is Game
    ]
    return moves


def _open_tables(game: Game[Any], _random: SeededRandom) -> Room[Any]:
    # No table is kept free for those who come through a door: there is none.
    return OpenLobby(game, TERMS, NameRules(), tables=0)

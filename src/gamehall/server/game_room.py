"""Rooms for plain matches of a game that no door offers: its native clients play there."""

from functools import partial
from typing import Any, Final

import msgspec

from gamehall.core import Game, SeededRandom, room_secrets, type_of_moves
from gamehall.match.record import write_terms
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.room import Codec, Room
from gamehall.rooms.terms import LeaveRule, RematchRule, TableTerms
from gamehall.server.room_host import HostedRoom

TERMS: Final = TableTerms(rematch=RematchRule.BOTH, on_leave=LeaveRule.AWARD, wait_for_second=True)


def game_room(game: Game[Any], seed: int) -> HostedRoom:
    """Return a room of open tables for a game, named like the game."""
    return HostedRoom(
        name=game.name,
        make_room=partial(_open_tables, game),
        settings=msgspec.json.encode(write_terms(game)),
        codec=Codec(type_of_moves(type(game))),
        seeds=room_secrets(seed, game.name),
    )


def _open_tables(game: Game[Any], _random: SeededRandom) -> Room[Any]:
    # No table is kept free for those who come through a door: there is none.
    return OpenLobby(game, TERMS, NameRules(), tables=0)

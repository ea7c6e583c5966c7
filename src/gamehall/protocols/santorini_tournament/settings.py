"""What can be set at the door of Santorini tournaments."""

from enum import Enum
from typing import Annotated

from gamehall.games.santorini import PlacementOrder
from gamehall.tournaments.pairing import Starts
from gamehall.tournaments.standings import CheaterRule
from gamehall.wire.settings import (
    Seconds,
    TournamentSettings,
    ZeroOrOne,
    door_setting,
    room_setting,
)


class Results(Enum):
    """What the Game list of the tournament-result has an entry for (S1-Q24)."""

    GAMES = "games"
    PAIRS = "pairs"


class SantoriniTournamentSettings(TournamentSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings of PROTOCOL.md, with the defaults of its readings (S1-Q01 to S1-Q33)."""

    lenient_names: Annotated[
        bool, door_setting("whether names are reduced to their letters, not refused (S1-Q03)")
    ] = False
    placement_order: Annotated[
        PlacementOrder,
        room_setting("who places a worker when: 1212, 1221 or 1122 (S1-Q08)"),
    ] = PlacementOrder.ALTERNATING
    starter: Annotated[
        Starts, room_setting("who begins the games of a pair: alternate or fixed (S1-Q09)")
    ] = Starts.ALTERNATE
    games: Annotated[int, room_setting("games per pair (S1-Q10)", 1, 1000)] = 3
    best_of: Annotated[
        bool,
        room_setting("whether a pair stops when one has won more than half (S1-Q10)"),
    ] = False
    base: Annotated[
        ZeroOrOne, door_setting("number of the first row and column, 0 or 1 (S1-Q14)")
    ] = 0
    timeout: Annotated[
        Seconds, door_setting("seconds within which to answer a prompt; 0: no limit (S1-Q16)")
    ] = 5
    max_checks: Annotated[
        int,
        door_setting("checks within a second that are allowed for each prompt (S1-Q17)", 0, 10**6),
    ] = 10
    cheater_games: Annotated[
        CheaterRule,
        room_setting("the games of a removed player: reaward, keep, drop or forfeit (S1-Q23)"),
    ] = CheaterRule.REAWARD
    results: Annotated[
        Results, door_setting("what the tournament-result lists: games or pairs (S1-Q24)")
    ] = Results.GAMES
    board: Annotated[int, room_setting("rows and columns, 5 or 6 (S1-Q30)", 5, 6)] = 5

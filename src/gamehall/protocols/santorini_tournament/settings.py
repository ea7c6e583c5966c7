"""What can be set at the door of Santorini tournaments."""

from enum import Enum
from typing import Annotated

from msgspec import Meta

from gamehall.games.santorini import PlacementOrder
from gamehall.tournaments.pairing import Starts
from gamehall.tournaments.standings import CheaterRule
from gamehall.wire.settings import ROOM_SETTING, TournamentSettings


class Results(Enum):
    """What the Game list of the tournament-result has an entry for (S1-Q24)."""

    GAMES = "games"
    PAIRS = "pairs"


class SantoriniTournamentSettings(TournamentSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings named under Readings in PROTOCOL.md, with their defaults."""

    lenient_names: Annotated[
        bool,
        Meta(description="whether names are reduced to their letters, not refused (S1-Q03)"),
    ] = False
    placement_order: Annotated[
        PlacementOrder,
        Meta(
            description="who places a worker when: 1212, 1221 or 1122 (S1-Q08)", extra=ROOM_SETTING
        ),
    ] = PlacementOrder.ALTERNATING
    starter: Annotated[
        Starts,
        Meta(
            description="who begins the games of a pair: alternate or fixed (S1-Q09)",
            extra=ROOM_SETTING,
        ),
    ] = Starts.ALTERNATE
    games: Annotated[
        int, Meta(ge=1, le=1000, description="games per pair (S1-Q10)", extra=ROOM_SETTING)
    ] = 3
    best_of: Annotated[
        bool,
        Meta(
            description="whether a pair stops when it is decided who wins more (S1-Q10)",
            extra=ROOM_SETTING,
        ),
    ] = False
    base: Annotated[
        int, Meta(ge=0, le=1, description="number of the first row and column, 0 or 1 (S1-Q14)")
    ] = 0
    timeout: Annotated[
        float,
        Meta(ge=0, le=1e9, description="seconds until a prompt must be answered; 0: none (S1-Q16)"),
    ] = 5
    max_checks: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="checks within a second that are allowed for each prompt (S1-Q17)",
        ),
    ] = 10
    cheater_games: Annotated[
        CheaterRule,
        Meta(
            description="a cheater's games: reaward, keep, drop or forfeit (S1-Q23)",
            extra=ROOM_SETTING,
        ),
    ] = CheaterRule.REAWARD
    results: Annotated[
        Results,
        Meta(description="what the tournament-result lists: games or pairs (S1-Q24)"),
    ] = Results.GAMES
    board: Annotated[
        int,
        Meta(ge=5, le=6, description="rows and columns, 5 or 6 (S1-Q30)", extra=ROOM_SETTING),
    ] = 5

"""What can be set at the door of the Santorini lobby."""

from enum import Enum
from typing import Annotated

from msgspec import Meta

from gamehall.protocols.santorini_lobby.turns import TurnReading
from gamehall.tournaments.standings import CheaterRule
from gamehall.wire.settings import ROOM_SETTING, TournamentSettings


class FirstTurn(Enum):
    """Who makes the first turn, when all workers are placed (S0-Q08)."""

    P1 = "p1"
    P2 = "p2"


class EndMessage(Enum):
    """What the end of a game is called (S0-Q10)."""

    END_OF_GAME = "end_of_game"
    END_GAME = "end_game"


class IllegalRule(Enum):
    """What an illegal answer costs (S0-Q19)."""

    REPROMPT = "reprompt"
    DQ = "dq"


class SantoriniLobbySettings(TournamentSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings that PROTOCOL.md names in its readings, each with the default given there."""

    keepalive: Annotated[
        float,
        Meta(
            gt=0,
            le=1e9,
            description="seconds from a sign of life to the next keepalive (S0-Q03)",
        ),
    ] = 2
    keepalive_timeout: Annotated[
        float,
        Meta(gt=0, le=1e9, description="seconds until a keepalive must be answered (S0-Q04)"),
    ] = 10
    games_per_pair: Annotated[
        int, Meta(ge=1, le=1000, description="games per pair (S0-Q07)", extra=ROOM_SETTING)
    ] = 1
    first_turn: Annotated[
        FirstTurn,
        Meta(description="who makes the first turn: p2 or p1 (S0-Q08)", extra=ROOM_SETTING),
    ] = FirstTurn.P2
    end_message: Annotated[
        EndMessage,
        Meta(description="what ends a game: end_of_game or end_game (S0-Q10)"),
    ] = EndMessage.END_OF_GAME
    turn_reading: Annotated[
        TurnReading,
        Meta(description="what a Placement is in a Turn: auto, destination or origin (S0-Q11)"),
    ] = TurnReading.AUTO
    base: Annotated[
        int, Meta(ge=0, le=1, description="number of the first column and row, 0 or 1 (S0-Q17)")
    ] = 0
    illegal: Annotated[
        IllegalRule, Meta(description="what an illegal answer costs: reprompt or dq (S0-Q19)")
    ] = IllegalRule.REPROMPT
    max_retries: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="times that a player is asked the same again (S0-Q19)",
        ),
    ] = 10
    board: Annotated[
        int,
        Meta(ge=5, le=6, description="rows and columns, 5 or 6 (S0-Q20)", extra=ROOM_SETTING),
    ] = 5
    move_timeout: Annotated[
        float,
        Meta(ge=0, le=1e9, description="seconds until a prompt must be answered; 0: none (S0-Q21)"),
    ] = 10
    cheater_games: Annotated[
        CheaterRule,
        Meta(
            description="a disqualified player's games: forfeit, keep, reaward or drop (S0-Q22)",
            extra=ROOM_SETTING,
        ),
    ] = CheaterRule.FORFEIT

"""What can be set at the door of the Santorini lobby."""

from enum import Enum
from typing import Annotated

from msgspec import Meta

from gamehall.protocols.santorini_lobby.turns import TurnReading
from gamehall.tournaments.standings import CheaterRule
from gamehall.wire.settings import (
    Seconds,
    TournamentSettings,
    ZeroOrOne,
    door_setting,
    room_setting,
)

PositiveSeconds = Annotated[float, Meta(gt=0, le=1e9)]


class FirstTurn(Enum):
    """Who makes the first turn after all workers are placed (S0-Q08)."""

    P1 = "p1"
    P2 = "p2"


class EndMessage(Enum):
    """The name of the message at the end of a game (S0-Q10)."""

    END_OF_GAME = "end_of_game"
    END_GAME = "end_game"


class IllegalRule(Enum):
    """What follows an illegal answer (S0-Q19)."""

    REPROMPT = "reprompt"
    DQ = "dq"


class SantoriniLobbySettings(TournamentSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings of PROTOCOL.md, with the defaults of its readings (S0-Q01 to S0-Q29)."""

    keepalive: Annotated[
        PositiveSeconds,
        door_setting("seconds without a message from a client until its next keepalive (S0-Q03)"),
    ] = 2
    keepalive_timeout: Annotated[
        PositiveSeconds, door_setting("seconds within which to answer a keepalive (S0-Q04)")
    ] = 10
    games_per_pair: Annotated[int, room_setting("games per pair (S0-Q07)", 1, 1000)] = 1
    first_turn: Annotated[
        FirstTurn, room_setting("who makes the first turn: p2 or p1 (S0-Q08)")
    ] = FirstTurn.P2
    end_message: Annotated[
        EndMessage, door_setting("what ends a game: end_of_game or end_game (S0-Q10)")
    ] = EndMessage.END_OF_GAME
    turn_reading: Annotated[
        TurnReading,
        door_setting("what a Placement is in a Turn: auto, destination or origin (S0-Q11)"),
    ] = TurnReading.AUTO
    base: Annotated[
        ZeroOrOne, door_setting("number of the first column and row, 0 or 1 (S0-Q17)")
    ] = 0
    illegal: Annotated[
        IllegalRule, door_setting("what follows an illegal answer: reprompt or dq (S0-Q19)")
    ] = IllegalRule.REPROMPT
    max_retries: Annotated[
        int, door_setting("how often the same prompt is repeated (S0-Q19)", 0, 1_000_000)
    ] = 10
    board: Annotated[int, room_setting("rows and columns, 5 or 6 (S0-Q20)", 5, 6)] = 5
    move_timeout: Annotated[
        Seconds, door_setting("seconds within which to answer a prompt; 0: no limit (S0-Q21)")
    ] = 10
    cheater_games: Annotated[
        CheaterRule,
        room_setting("the games of a removed player: forfeit, keep, reaward or drop (S0-Q22)"),
    ] = CheaterRule.FORFEIT

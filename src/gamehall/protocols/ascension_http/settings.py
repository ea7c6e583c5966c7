"""What can be set at the door to Ascension over HTTP."""

from enum import Enum
from typing import Annotated

from gamehall.games.ascension import Supply
from gamehall.wire.settings import DoorSettings, Seconds, door_setting, room_setting


class Choices(Enum):
    """How choices are made for a client that does not make them itself (A-Q15)."""

    DEFAULT = "default"
    """By the rules of PROTOCOL.md for each kind of choice."""
    RANDOM = "random"


class AscensionHttpSettings(DoorSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings of PROTOCOL.md, with the defaults of its readings (A-Q01 to A-Q34)."""

    honor: Annotated[int, room_setting("honor in the pool at the start (A-Q19)", 1, 1000)] = 60
    ties: Annotated[
        bool, room_setting("whether a game may end in a tie, and victor be tie (A-Q23)")
    ] = False
    turns: Annotated[
        int,
        room_setting("turns after which the last round is played in any case", 1, 1_000_000),
    ] = 1000
    supply: Annotated[
        Supply,
        room_setting("whether Mystics and Heavy Infantry run out: counted, or endless (A-30)"),
    ] = Supply.COUNTED
    choices: Annotated[
        Choices,
        room_setting(
            "how choices are made for a client that does not choose: default or random (A-Q15)"
        ),
    ] = Choices.DEFAULT
    atomic: Annotated[
        bool, room_setting("whether one illegal move rejects all moves of a request (A-Q06)")
    ] = False
    sticky_errors: Annotated[
        bool,
        room_setting("whether a rejected move ends the game for both, with its error (A-Q04)"),
    ] = False
    tokens: Annotated[
        bool, room_setting("whether join returns a token that moves must contain (A-Q09)")
    ] = False
    hide_hands: Annotated[
        bool, door_setting("whether GET /state?player_index=N shows only that hand (A-Q18)")
    ] = False
    long_poll: Annotated[
        float,
        room_setting(
            "seconds that GET /state?after=TURN may wait; with it there are ETags; 0: neither"
            " (A-Q30)",
            ge=0,
            le=3600,
        ),
    ] = 0
    next_game: Annotated[
        Seconds,
        room_setting(
            "seconds after the end until a join begins the next game; 0, or strict: there is only"
            " one game (A-Q21)"
        ),
    ] = 10
    abandon_after: Annotated[
        Seconds,
        room_setting(
            "seconds without a move after which a join begins the next game; 0: never (A-Q21)"
        ),
    ] = 600
    turn_timeout: Annotated[
        Seconds,
        room_setting("seconds within which a player must make a move; 0: no limit (A-Q27)"),
    ] = 0
    http_errors: Annotated[
        bool, door_setting("whether a refusal has the status 409 or 422, not 200 (A-Q02)")
    ] = False
    extras: Annotated[
        bool, door_setting("whether an ended board has the keys victor and final_honor (A-Q22)")
    ] = True
    show_played: Annotated[
        bool, door_setting("whether players also have the key played (A-Q16)")
    ] = False
    strict: Annotated[
        bool,
        room_setting("whether to accept only what the document describes, and only one game"),
    ] = False
    message_timeout: Annotated[
        Seconds, door_setting("seconds within which a request must be complete; 0: no limit")
    ] = 30

"""The settings of the door to Ascension over HTTP."""

from enum import Enum
from typing import Annotated

from msgspec import Meta

from gamehall.games.ascension import Supply
from gamehall.wire.settings import ROOM_SETTING, DoorSettings


class Choices(Enum):
    """What is chosen for a client that knows of no choices (A-Q15)."""

    DEFAULT = "default"
    """What PROTOCOL.md says for each kind of choice."""
    RANDOM = "random"


class AscensionHttpSettings(DoorSettings, frozen=True, kw_only=True, rename="kebab"):
    """Settings and their defaults; PROTOCOL.md lists the readings (A-Q01 ...) that they change."""

    honor: Annotated[
        int,
        Meta(
            ge=1, le=1000, description="honor in the pool at the start (A-Q19)", extra=ROOM_SETTING
        ),
    ] = 60
    ties: Annotated[
        bool,
        Meta(
            description="whether a game may end in a tie, and victor be tie (A-Q23)",
            extra=ROOM_SETTING,
        ),
    ] = False
    turns: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="turns after which the round is the last, whatever the pool holds",
            extra=ROOM_SETTING,
        ),
    ] = 1000
    supply: Annotated[
        Supply,
        Meta(
            description="whether Mystics and Heavy Infantry run out: counted, or endless (A-30)",
            extra=ROOM_SETTING,
        ),
    ] = Supply.COUNTED
    choices: Annotated[
        Choices,
        Meta(
            description="what is chosen for a client that does not choose: default or random"
            " (A-Q15)",
            extra=ROOM_SETTING,
        ),
    ] = Choices.DEFAULT
    atomic: Annotated[
        bool,
        Meta(
            description="whether of moves with an illegal one among them none is made (A-Q06)",
            extra=ROOM_SETTING,
        ),
    ] = False
    sticky_errors: Annotated[
        bool,
        Meta(
            description="whether a refused move ends the game for both, with its error (A-Q04)",
            extra=ROOM_SETTING,
        ),
    ] = False
    tokens: Annotated[
        bool,
        Meta(
            description="whether join gives a token, without which nobody moves (A-Q09)",
            extra=ROOM_SETTING,
        ),
    ] = False
    hide_hands: Annotated[
        bool,
        Meta(description="whether GET /state?player_index=N shows only that hand (A-Q18)"),
    ] = False
    long_poll: Annotated[
        float,
        Meta(
            ge=0,
            le=3600,
            description="seconds that GET /state?after=TURN may wait; with it there are ETags;"
            " 0: neither",
            extra=ROOM_SETTING,
        ),
    ] = 0
    next_game: Annotated[
        float,
        Meta(
            ge=0,
            le=1e9,
            description="seconds after the end until a join begins the next game; 0, or strict:"
            " there is only one game (A-Q21)",
            extra=ROOM_SETTING,
        ),
    ] = 10
    abandon_after: Annotated[
        float,
        Meta(
            ge=0,
            le=1e9,
            description="seconds without a move after which a join begins the next game; 0: never"
            " (A-Q21)",
            extra=ROOM_SETTING,
        ),
    ] = 600
    turn_timeout: Annotated[
        float,
        Meta(
            ge=0,
            le=1e9,
            description="seconds that a player may take to make its next move; 0: no limit (A-Q27)",
            extra=ROOM_SETTING,
        ),
    ] = 0
    http_errors: Annotated[
        bool,
        Meta(description="whether a refusal has the status 409 or 422, not 200 (A-Q02)"),
    ] = False
    extras: Annotated[
        bool,
        Meta(description="whether an ended board has the keys victor and final_honor (A-Q22)"),
    ] = True
    show_played: Annotated[
        bool,
        Meta(description="whether players also have the key played (A-Q16)"),
    ] = False
    strict: Annotated[
        bool,
        Meta(
            description="whether to hold clients to the letter of the document, and to one game",
            extra=ROOM_SETTING,
        ),
    ] = False
    message_timeout: Annotated[
        float,
        Meta(ge=0, le=1e9, description="seconds that a request may take to come; 0: no limit"),
    ] = 30

"""What can be set at the door `go-text`."""

from enum import Enum
from typing import Annotated

from msgspec import Meta

from gamehall.core import Seat
from gamehall.games.go import Ko, Scoring
from gamehall.wire.settings import ROOM_SETTING, DoorSettings


class Booleans(Enum):
    """How true and false are spelt (G-Q24)."""

    CAPITAL = "True"
    SMALL = "true"
    NUMBER = "1"
    WORD = "Yes"

    def write(self, value: bool) -> str:
        """The word for it."""
        return FALSE_OF[self] if not value else self.value


FALSE_OF = {
    Booleans.CAPITAL: "False",
    Booleans.SMALL: "false",
    Booleans.NUMBER: "0",
    Booleans.WORD: "No",
}


class FirstAfterHandicap(Enum):
    """Who moves first after handicap stones (G-Q16)."""

    BLACK = "black"
    WHITE = "white"

    @property
    def seat(self) -> Seat:
        """Black sits first."""
        return Seat.FIRST if self is FirstAfterHandicap.BLACK else Seat.SECOND


class GoTextSettings(DoorSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings of PROTOCOL.md, section Readings, with the defaults given there."""

    handicap_success: Annotated[
        bool, Meta(description="whether black hears SUCCESS for handicap stones (G-Q11)")
    ] = True
    handicap_first: Annotated[
        FirstAfterHandicap,
        Meta(
            description="who moves first after handicap stones: black or white (G-Q16)",
            extra=ROOM_SETTING,
        ),
    ] = FirstAfterHandicap.BLACK
    base: Annotated[
        int, Meta(ge=0, le=1, description="number of the first line, 0 or 1 (G-Q17)")
    ] = 0
    ko: Annotated[
        Ko,
        Meta(
            description="what may not come back: positional, situational or simple (G-Q19)",
            extra=ROOM_SETTING,
        ),
    ] = Ko.POSITIONAL
    suicide: Annotated[
        bool, Meta(description="whether suicide is allowed (G-Q19)", extra=ROOM_SETTING)
    ] = False
    scoring: Annotated[
        Scoring,
        Meta(description="what counts: territory or area (G-Q21)", extra=ROOM_SETTING),
    ] = Scoring.TERRITORY
    booleans: Annotated[
        Booleans, Meta(description="how true is written: True, true, 1 or Yes (G-Q24)")
    ] = Booleans.CAPITAL
    last_pass_notify: Annotated[
        bool, Meta(description="whether the pass that ends the game is told, too (G-Q27)")
    ] = True
    max_errors: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="errors in a row with which a client must go (G-Q33)",
            extra=ROOM_SETTING,
        ),
    ] = 100
    counter_proposals: Annotated[
        bool,
        Meta(
            description="whether a second player who refuses the terms is asked for others, once",
            extra=ROOM_SETTING,
        ),
    ] = False
    turn_seconds: Annotated[
        float,
        Meta(
            ge=0,
            le=1e9,
            description="seconds that a turn may take; 0: no limit (G-Q34)",
            extra=ROOM_SETTING,
        ),
    ] = 0
    message_timeout: Annotated[
        float,
        Meta(ge=0, le=1e9, description="seconds that a line may take to come; 0: no limit"),
    ] = 30
    once: Annotated[
        bool,
        Meta(
            description="whether there is only one table; --once sets it everywhere",
            extra=ROOM_SETTING,
        ),
    ] = False

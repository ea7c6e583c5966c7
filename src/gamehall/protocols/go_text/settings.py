"""What can be set at the door `go-text`."""

from enum import Enum
from typing import Annotated

from gamehall.core import Seat
from gamehall.games.go import Ko, Scoring
from gamehall.wire.settings import DoorSettings, Seconds, ZeroOrOne, door_setting, room_setting


class Booleans(Enum):
    """How true and false are spelt (G-Q24)."""

    CAPITAL = "True"
    SMALL = "true"
    NUMBER = "1"
    WORD = "Yes"

    def write(self, value: bool) -> str:
        return self.value if value else FALSE_OF[self]


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
        return Seat.FIRST if self is FirstAfterHandicap.BLACK else Seat.SECOND


class GoTextSettings(DoorSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings of PROTOCOL.md, with the defaults of its readings (G-Q01 to G-Q35)."""

    handicap_success: Annotated[
        bool, door_setting("whether SUCCESS also answers handicap stones (G-Q11)")
    ] = True
    handicap_first: Annotated[
        FirstAfterHandicap,
        room_setting("who moves first after handicap stones: black or white (G-Q16)"),
    ] = FirstAfterHandicap.BLACK
    base: Annotated[ZeroOrOne, door_setting("number of the first line, 0 or 1 (G-Q17)")] = 0
    ko: Annotated[
        Ko,
        room_setting(
            "which positions may not be repeated: positional, situational or simple (G-Q19)"
        ),
    ] = Ko.POSITIONAL
    suicide: Annotated[bool, room_setting("whether suicide is allowed (G-Q19)")] = False
    scoring: Annotated[
        Scoring, room_setting("how points are counted: territory or area (G-Q21)")
    ] = Scoring.TERRITORY
    booleans: Annotated[
        Booleans, door_setting("how true is written: True, true, 1 or Yes (G-Q24)")
    ] = Booleans.CAPITAL
    last_pass_notify: Annotated[
        bool, door_setting("whether OPPONENTPASS also reports the pass that ends the game (G-Q27)")
    ] = True
    max_errors: Annotated[
        int,
        room_setting("errors in a row after which a client is disconnected (G-Q33)", 1, 1_000_000),
    ] = 100
    counter_proposals: Annotated[
        bool,
        room_setting("whether a second player that rejects the terms may propose others, once"),
    ] = False
    turn_seconds: Annotated[Seconds, room_setting("seconds per turn; 0: no limit (G-Q34)")] = 0
    message_timeout: Annotated[
        Seconds, door_setting("seconds within which a line must be complete; 0: no limit")
    ] = 30
    once: Annotated[
        bool, room_setting("whether there is only one table; --once sets it everywhere")
    ] = False

"""What can be set at the TTTP door."""

from typing import Annotated

from msgspec import Meta

from gamehall.games.connect_four import Gravity
from gamehall.rooms.names import RESERVED
from gamehall.rooms.terms import LeaveRule, RematchRule
from gamehall.wire.settings import ROOM_SETTING, DoorSettings


class TttpSettings(DoorSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings of PROTOCOL.md, each at the default that its readings give (T-Q01 to T-Q30)."""

    connect: Annotated[
        int, Meta(ge=3, le=7, description="pieces in a row that win (T-Q02)", extra=ROOM_SETTING)
    ] = 4
    gravity: Annotated[
        Gravity,
        Meta(
            description="what the row of a PLAY means: drop, strict, free or column (T-Q03)",
            extra=ROOM_SETTING,
        ),
    ] = Gravity.DROP
    base: Annotated[
        int, Meta(ge=0, le=1, description="number of the first column and row, 0 or 1 (T-Q04)")
    ] = 0
    wait_for_blue: Annotated[
        bool,
        Meta(
            description="whether Red may not play before Blue has come (T-Q07)", extra=ROOM_SETTING
        ),
    ] = False
    max_bad: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="illegal plays in a row with which a player must go (T-Q09)",
            extra=ROOM_SETTING,
        ),
    ] = 100
    rematch: Annotated[
        RematchRule,
        Meta(
            description="when RMCH gives a fresh board: any, finished or both (T-Q10)",
            extra=ROOM_SETTING,
        ),
    ] = RematchRule.ANY
    on_leave: Annotated[
        LeaveRule,
        Meta(
            description="a running game that a player leaves: cancel or award (T-Q12)",
            extra=ROOM_SETTING,
        ),
    ] = LeaveRule.CANCEL
    max_spectators: Annotated[
        int,
        Meta(ge=0, le=1_000_000, description="spectators at a table (T-Q15)", extra=ROOM_SETTING),
    ] = 32
    spectator_chat: Annotated[
        bool, Meta(description="whether spectators may chat (T-Q16)", extra=ROOM_SETTING)
    ] = True
    name_min: Annotated[
        int,
        Meta(ge=0, le=255, description="letters that a name must have (T-Q18)", extra=ROOM_SETTING),
    ] = 1
    name_max: Annotated[
        int,
        Meta(ge=1, le=255, description="letters that a name may have (T-Q18)", extra=ROOM_SETTING),
    ] = 32
    reserved: Annotated[
        str,
        Meta(
            description="names that nobody may have, with commas between (T-Q21)",
            extra=ROOM_SETTING,
        ),
    ] = ",".join(RESERVED)
    join_timeout: Annotated[
        float,
        Meta(
            ge=0, le=1e9, description="seconds until a client must have joined; 0: no limit (T-Q23)"
        ),
    ] = 60
    close_on_deny: Annotated[
        bool, Meta(description="whether a denied client is sent away at once (T-Q23)")
    ] = False
    chat_rate: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="chats per second and client, 0: no limit; more is dropped (T-Q24)",
            extra=ROOM_SETTING,
        ),
    ] = 20
    packet_timeout: Annotated[
        float,
        Meta(
            ge=0, le=1e9, description="seconds that a packet may take to come; 0: no limit (T-Q25)"
        ),
    ] = 30
    tables: Annotated[
        int,
        Meta(ge=1, le=100_000, description="boards behind the door (T-Q28)", extra=ROOM_SETTING),
    ] = 1
    turn_seconds: Annotated[
        float,
        Meta(
            ge=0,
            le=1e9,
            description="seconds that a turn may take; 0: no limit",
            extra=ROOM_SETTING,
        ),
    ] = 0

    def __post_init__(self) -> None:
        if self.name_min > self.name_max:
            raise ValueError(f"name-min {self.name_min} is more than name-max {self.name_max}")

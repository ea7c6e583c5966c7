"""What can be set at the TTTP door."""

from typing import Annotated

from gamehall.games.connect_four import Gravity
from gamehall.rooms.names import RESERVED
from gamehall.rooms.terms import LeaveRule, RematchRule
from gamehall.wire.settings import DoorSettings, Seconds, ZeroOrOne, door_setting, room_setting


class TttpSettings(DoorSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings of PROTOCOL.md, each at the default that its readings give (T-Q01 to T-Q30)."""

    connect: Annotated[int, room_setting("pieces in a row that win (T-Q02)", ge=3, le=7)] = 4
    gravity: Annotated[
        Gravity, room_setting("what the row of a PLAY means: drop, strict, free or column (T-Q03)")
    ] = Gravity.DROP
    base: Annotated[
        ZeroOrOne, door_setting("number of the first column and row, 0 or 1 (T-Q04)")
    ] = 0
    wait_for_blue: Annotated[
        bool, room_setting("whether Red must wait for Blue before the first move (T-Q07)")
    ] = False
    max_bad: Annotated[
        int,
        room_setting(
            "illegal plays in a row after which a player is disconnected (T-Q09)", 1, 1_000_000
        ),
    ] = 100
    rematch: Annotated[
        RematchRule, room_setting("when RMCH gives a fresh board: any, finished or both (T-Q10)")
    ] = RematchRule.ANY
    on_leave: Annotated[
        LeaveRule,
        room_setting("what happens to a game that a player leaves: cancel or award (T-Q12)"),
    ] = LeaveRule.CANCEL
    max_spectators: Annotated[int, room_setting("spectators per table (T-Q15)", 0, 1_000_000)] = 32
    spectator_chat: Annotated[bool, room_setting("whether spectators may chat (T-Q16)")] = True
    name_min: Annotated[int, room_setting("shortest name, in characters (T-Q18)", 0, 255)] = 1
    name_max: Annotated[int, room_setting("longest name, in characters (T-Q18)", 1, 255)] = 32
    reserved: Annotated[
        str, room_setting("names that are not allowed, separated by commas (T-Q21)")
    ] = ",".join(RESERVED)
    join_timeout: Annotated[
        Seconds, door_setting("seconds within which a client must join; 0: no limit (T-Q23)")
    ] = 60
    close_on_deny: Annotated[
        bool, door_setting("whether a client that was denied is disconnected at once (T-Q23)")
    ] = False
    chat_rate: Annotated[
        int,
        room_setting(
            "chats per second and client, further ones are dropped; 0: no limit (T-Q24)",
            ge=0,
            le=1_000_000,
        ),
    ] = 20
    packet_timeout: Annotated[
        Seconds, door_setting("seconds within which a packet must be complete; 0: no limit (T-Q25)")
    ] = 30
    tables: Annotated[
        int,
        room_setting("tables for programs; pages open as many as they need (T-Q28)", 1, 100_000),
    ] = 1
    turn_seconds: Annotated[Seconds, room_setting("seconds per turn; 0: no limit")] = 0

    def __post_init__(self) -> None:
        if self.name_min > self.name_max:
            raise ValueError(f"name-min {self.name_min} is more than name-max {self.name_max}")
